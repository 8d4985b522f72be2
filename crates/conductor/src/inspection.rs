//! Inspection by a ramdisk: what becomes of the data that it sends.
//!
//! Accepting the data ([`Core::continue_inspection`]) stores it and takes the lease; a worker then
//! runs the hooks and the rules on values in memory ([`process`]), writes what came of it in one
//! transaction, and puts the machine away. After a crash the worker starts again from the stored
//! data, or from where it had written.

pub(crate) mod address;
mod capability;
pub mod hook;
mod http;
mod net;
pub(crate) mod process;
mod rule;
pub mod settings;
mod subject;
mod trial;

pub use hook::{Hook, InvalidHooks};
pub use settings::{AddPorts, InspectionSettings, KeepPorts, MaskSecrets, PxeFilter};

use crate::{core::Core, lock, provision, record::ChangeLog};
use std::sync::Arc;
use types::{Caller, Fault, InspectionDataId, Inventory, NodeId, ProvisionState as S, Verb, Work};

impl Core {
    pub(crate) async fn continue_inspection(
        self: &Arc<Self>,
        id: NodeId,
        found: Inventory,
    ) -> Result<(), Fault> {
        let mut attempt = 1;
        loop {
            let answer = self.take_data(id, &found).await;
            if !lock::is_worth_a_retry(&answer, attempt) {
                return answer;
            }
            attempt += 1;
        }
    }

    async fn take_data(self: &Arc<Self>, id: NodeId, found: &Inventory) -> Result<(), Fault> {
        let mut node = self.load_free(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        if let Some(boot) = self.registry.boot() {
            boot.note_agent(id, "inspection");
        }
        // Nobody is logged in on a ramdisk.
        let caller = Caller::service();
        let mut story = ChangeLog::new(&caller);
        match node.provision_state {
            S::InspectWait => {
                provision::process(&mut node, Verb::Resume, "continue_inspection", &mut story)?;
            }
            S::Enroll if self.settings.inspection.auto_discovery => {}
            state => {
                tracing::warn!(node = %id, %state, "inspection data was not expected");
                return Err(Fault::NotFound);
            }
        }
        let place = self.workers.for_request()?;
        let name = InspectionDataId::generate();
        store::inspection::receive(&self.db, id, name, found)
            .await
            .map_err(|error| lock::fault(error, id))?;
        node.work = Some(Work::ProcessInspection {
            data: Some(name),
            error: None,
        });
        let answer = self.accept(node, &caller, story, place).await;
        // While nobody knows whether the lease was taken, the data may be needed.
        if !matches!(answer, Ok(()) | Err(Fault::Unavailable))
            && let Err(error) = store::inspection::discard(&self.db, name).await
        {
            let error = types::error::chain(&error);
            tracing::warn!(node = %id, error, "inspection data that nobody needs stays");
        }
        answer
    }
}
