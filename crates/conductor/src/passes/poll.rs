//! Steps that want to be called again.

use crate::{core::Core, flow, record::Story, steps::poll};
use std::sync::Arc;
use types::{Caller, Fault, NodeId, ProvisionState as S, Work};

const WAITING: &[S] = &[S::CleanWait, S::DeployWait, S::ServiceWait];

pub(crate) async fn pass(core: Arc<Core>) {
    let waiting = match store::node::ids_with_key(&core.db, WAITING, poll::DUE).await {
        Ok(waiting) => waiting,
        Err(error) => {
            tracing::error!(error = %types::error::chain(&error), "waiting steps cannot be looked for");
            return;
        }
    };
    for id in waiting {
        match call(&core, id).await {
            // Somebody was faster, or all places are taken: the next round comes soon.
            Ok(())
            | Err(
                Fault::Locked { .. }
                | Fault::Stale(_)
                | Fault::NodeNotFound(_)
                | Fault::NoFreeWorker,
            ) => {}
            Err(fault) => tracing::warn!(node = %id, %fault, "a waiting step cannot be called"),
        }
    }
}

async fn call(core: &Arc<Core>, id: NodeId) -> Result<(), Fault> {
    let mut node = core.load(id).await?;
    let wanted = flow::poll::kind(&node).is_some()
        && node.reservation.is_none()
        && poll::is_due(&node)
        && core.is_mine(id, &node.driver, &node.conductor_group);
    if !wanted {
        return Ok(());
    }
    let place = core.workers.for_request()?;
    let caller = Caller::service();
    node.work = Some(Work::Poll);
    core.accept(node, &caller, Story::new(&caller), place).await
}
