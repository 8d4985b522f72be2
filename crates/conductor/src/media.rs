//! Accepting changes of what is in a machine's virtual drives.

use crate::{core::Core, last_error, lock, record::ChangeLog};
use std::sync::Arc;
use types::{Caller, Fault, JsonMap, NodeId, Work, node::NodeFault, rpc::VirtualMedia};

impl Core {
    pub(crate) async fn virtual_media(&self, id: NodeId) -> Result<Vec<JsonMap>, Fault> {
        let mut node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        let hardware = self.hardware(&node)?;
        self.ask(&mut node, async |machine| {
            hardware.management.validate(machine).await?;
            hardware.management.virtual_media(machine).await
        })
        .await
    }

    pub(crate) async fn attach_virtual_media(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        media: VirtualMedia,
    ) -> Result<(), Fault> {
        self.change_media(who, id, "attach", Work::AttachMedia { media })
            .await
    }

    pub(crate) async fn detach_virtual_media(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        devices: Option<Vec<String>>,
    ) -> Result<(), Fault> {
        self.change_media(who, id, "detach", Work::DetachMedia { devices })
            .await
    }

    async fn change_media(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        word: &str,
        work: Work,
    ) -> Result<(), Fault> {
        lock::retried(|| self.try_change_media(who, id, word, work.clone())).await
    }

    async fn try_change_media(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        word: &str,
        work: Work,
    ) -> Result<(), Fault> {
        let mut node = self.load_free(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        let hardware = self.hardware(&node)?;
        self.ask(&mut node, async |machine| {
            hardware.management.validate(machine).await
        })
        .await?;
        if node.maintenance && node.fault == Some(NodeFault::Power) {
            return Err(Fault::NotNow(format!(
                "Unable to {word} virtual media for node {id} due to power failure state"
            )));
        }
        let place = self.workers.for_request()?;
        last_error::clear(&mut node);
        node.work = Some(work);
        self.accept(node, who, ChangeLog::new(who), place).await
    }
}
