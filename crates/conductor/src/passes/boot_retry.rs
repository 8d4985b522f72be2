//! Machines that do not boot their ramdisk from the network at the first attempt.
//!
//! Off unless an operator sets a time for it: whatever keeps a machine from booting is more often
//! there to stay, and a time-out tells of it.

use super::round::{Round, Visit, Visits, unreadable};
use crate::{core::Core, record::ChangeLog};
use std::sync::Arc;
use types::{Caller, Fault, Node, NodeId, ProvisionState as S, Timestamp, Work};

const STATES: &[S] = &[S::DeployWait, S::CleanWait, S::RescueWait];

pub(super) async fn pass(core: Arc<Core>) -> Round {
    let limit = core.settings.boot_retry_timeout.as_secs();
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let before = Timestamp::now().plus_seconds(-limit);
    let mut visits = Visits::new(core.settings.periodic_max_workers);
    for &state in STATES {
        match store::candidate::late(&core.db, state, before, core.mine()).await {
            Ok(late) => {
                for id in late {
                    visits.begin(visit(Arc::clone(&core), id, before)).await;
                }
            }
            Err(error) => {
                unreadable(&error);
                visits.fail();
            }
        }
    }
    visits.end().await
}

async fn visit(core: Arc<Core>, id: NodeId, before: Timestamp) -> Visit {
    match retry(&core, id, before).await {
        Ok(true) => Visit::Done,
        Ok(false) | Err(Fault::Locked { .. } | Fault::Stale(_) | Fault::NodeNotFound(_)) => {
            Visit::Skipped
        }
        Err(fault) => {
            tracing::warn!(node = %id, %fault, "a machine cannot be booted again");
            Visit::Failed
        }
    }
}

/// Whether the machine is being booted again.
async fn retry(core: &Arc<Core>, id: NodeId, before: Timestamp) -> Result<bool, Fault> {
    let mut node = core.load(id).await?;
    let wanted = STATES.contains(&node.provision_state)
        && node.reservation.is_none()
        && !node.maintenance
        && is_silent(&node, before)
        && core.hardware(&node)?.boot.retry_from().is_some();
    if !wanted {
        return Ok(false);
    }
    let timeout_s = core.settings.boot_retry_timeout.as_secs();
    tracing::info!(node = %id, timeout_s, "the ramdisk does not report; booting it again");
    let place = core.workers.wait().await;
    node.work = Some(Work::BootAgain);
    let caller = Caller::service();
    core.accept(node, &caller, ChangeLog::new(&caller), place)
        .await?;
    Ok(true)
}

/// Whether nothing shows that the ramdisk has begun to run, or has had no time to.
fn is_silent(node: &Node, before: Timestamp) -> bool {
    let info = &node.driver_internal_info;
    let is_recent = |at: Option<Timestamp>| at.is_some_and(|at| at >= before);
    info.agent_token().is_none()
        && !is_recent(info.agent_last_heartbeat())
        && !is_recent(info.last_power_state_change())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(info: Value, silent: bool) {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.driver_internal_info = info.as_object().unwrap().clone().into();
        assert_eq!(is_silent(&node, Timestamp(1_000_000)), silent);
    }

    #[test]
    fn only_a_machine_without_any_sign_of_life_is_silent() {
        let (early, late) = (Timestamp(0).naive(), Timestamp(2_000_000).naive());
        check(json!({}), true);
        check(
            json!({"last_power_state_change": early, "agent_last_heartbeat": early}),
            true,
        );
        check(json!({"last_power_state_change": late}), false);
        check(json!({"agent_last_heartbeat": late}), false);
        check(json!({"agent_secret_token": "t"}), false);
    }
}
