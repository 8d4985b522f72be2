//! What the DHCP servers ask the database: whether a machine belongs to a node.

use async_trait::async_trait;
use boot::enrolment::{Enrolment, Machine, Standing};
use std::fmt;
use store::{Db, Page, StoreError, port::PortFilter};
use types::{ProvisionState as S, error, port::MacAddress};

/// The ports of all nodes.
pub(crate) struct Ports(pub(crate) Db);

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ports")
    }
}

#[async_trait]
impl Enrolment for Ports {
    async fn machine(&self, mac: &MacAddress) -> Result<Machine, String> {
        look(&self.0, mac)
            .await
            .map_err(|error| error::chain(&error))
    }
}

async fn look(db: &Db, mac: &MacAddress) -> Result<Machine, StoreError> {
    let filter = PortFilter {
        address: Some(*mac),
        ..PortFilter::default()
    };
    let ports = store::port::list(db, filter, Page::first(1)).await?;
    let Some(port) = ports.first() else {
        return Ok(Machine::default());
    };
    let node = store::node::find(db, port.node).await?;
    let standing = match node.as_ref().map(|node| node.provision_state) {
        Some(S::Inspecting | S::InspectWait) => Standing::Inspected,
        _ => Standing::Enrolled,
    };
    let name = node.and_then(|node| node.name);
    Ok(Machine { standing, name })
}
