//! Steps that want to be called again.

use super::round::{Round, Visit, Visits, unreadable};
use crate::{core::Core, flow, record::ChangeLog};
use std::sync::Arc;
use types::{
    Caller, Fault, NodeId, ProvisionState as S, Timestamp, Work, internal_info::STEP_POLL_DUE,
};

const WAITING: &[S] = &[S::CleanWait, S::DeployWait, S::ServiceWait];

pub(crate) async fn pass(core: Arc<Core>) -> Round {
    let waiting = store::candidate::with_key(&core.db, WAITING, STEP_POLL_DUE, core.mine()).await;
    let waiting = match waiting {
        Ok(waiting) => waiting,
        Err(error) => return unreadable(&error),
    };
    let mut visits = Visits::new(core.settings.periodic_max_workers);
    for (id, info) in waiting {
        if info.is_step_poll_due(Timestamp::now()) {
            visits.begin(visit(Arc::clone(&core), id)).await;
        }
    }
    visits.end().await
}

async fn visit(core: Arc<Core>, id: NodeId) -> Visit {
    match call(&core, id).await {
        Ok(()) => Visit::Done,
        // Somebody was faster: the next round comes soon.
        Err(Fault::Locked { .. } | Fault::Stale(_) | Fault::NodeNotFound(_)) => Visit::Skipped,
        Err(fault) => {
            tracing::warn!(node = %id, %fault, "a waiting step cannot be called");
            Visit::Failed
        }
    }
}

async fn call(core: &Arc<Core>, id: NodeId) -> Result<(), Fault> {
    let place = core.workers.wait().await;
    let mut node = core.load(id).await?;
    let wanted = flow::poll::kind(&node).is_some()
        && node.reservation.is_none()
        && node.driver_internal_info.is_step_poll_due(Timestamp::now())
        && core.is_mine(id, &node.driver, &node.conductor_group);
    if !wanted {
        return Ok(());
    }
    let caller = Caller::service();
    node.work = Some(Work::Poll);
    core.accept(node, &caller, ChangeLog::new(&caller), place)
        .await
}
