//! What inspection found, read from Swift (`[inventory]data_backend = swift`).

use crate::settings;
use api::InventoryArchive;
use config::Config;
use openstack::{Deadline, Error, Services, swift::ObjectName};
use std::{pin::Pin, sync::Arc, time::Duration};
use types::{Inventory, JsonMap, NodeId, inventory::object_names};

/// Somebody waits for the answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Ramdisks may send no more.
const LARGEST: usize = 64 << 20;

/// The container with the findings.
struct SwiftInventories {
    services: Arc<Services>,
    container: String,
}

/// Where findings are, if not in the database. The clients of a conductor in this process are used as
/// well, so that both have one login.
pub(crate) fn archive(
    config: &Config,
    services: Option<Arc<Services>>,
) -> anyhow::Result<Option<Arc<dyn InventoryArchive>>> {
    let Some(container) = settings::inspection_container(config) else {
        return Ok(None);
    };
    let services = services.map_or_else(|| settings::openstack(config), Ok)?;
    Ok(Some(Arc::new(SwiftInventories {
        services,
        container,
    })))
}

impl SwiftInventories {
    async fn part(&self, object: String, deadline: Deadline) -> Result<Option<JsonMap>, String> {
        let failed = |error: &Error| {
            let (why, remedy) = (types::error::chain(error), error.remedy());
            format!("Swift operation 'get object' failed: {why}; {remedy}")
        };
        let name = ObjectName::new(&self.container, object);
        let read = self.services.swift().get(&name, LARGEST, deadline).await;
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(failed(&error)),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let (container, object) = (name.container, name.object);
            format!("object {container}/{object} in Swift is no inspection data: {error}")
        })
    }
}

impl InventoryArchive for SwiftInventories {
    fn find(
        &self,
        node: NodeId,
    ) -> Pin<Box<dyn Future<Output = Result<Option<Inventory>, String>> + Send + '_>> {
        Box::pin(async move {
            let deadline = Deadline::after(PATIENCE);
            let [inventory, plugin_data] = object_names(node);
            let Some(inventory) = self.part(inventory, deadline).await? else {
                return Ok(None);
            };
            let plugin_data = self.part(plugin_data, deadline).await?;
            Ok(Some(Inventory {
                inventory,
                plugin_data: plugin_data.unwrap_or_default(),
            }))
        })
    }
}
