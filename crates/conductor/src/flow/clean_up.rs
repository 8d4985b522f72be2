//! Putting a machine back after an operation that was aborted or timed out.
//!
//! The node is in its end state already; nothing here changes that. What cannot be put back is
//! told in the log and, where the operator must act, in the node's maintenance.

use super::{put_into_maintenance, reason};
use crate::{
    inband, steps,
    task::{Stop, Task},
};
use drivers::{DriverError, iface::NetworkPurpose};
use types::{PowerTarget, ProvisionState as S, node::NodeFault, step::StepKind};

/// `after` is the state that the operation was in.
pub(crate) async fn run(task: &mut Task, after: S) -> Result<(), Stop> {
    let outcome = put_back(task, after).await;
    let mut story = task.story();
    if let Err(error) = outcome {
        let why = reason(&task.node, &error);
        let text = format!(
            "Failed to put node {} back after '{after}': {why}",
            task.id()
        );
        if after.is_rescue_family() {
            put_into_maintenance(task, NodeFault::RescueAbort, &text);
        }
        task.error(&mut story, "UNKNOWN", &text);
    }
    if let Some(kind) = kind_of(after) {
        steps::leave(&mut task.node, kind);
        // An aborted deploy or service is over; an aborted clean keeps its list for a look.
        if kind != StepKind::Clean {
            steps::forget(&mut task.node, kind);
        }
    }
    task.end(story).await
}

fn kind_of(after: S) -> Option<StepKind> {
    match after {
        S::Cleaning | S::CleanWait | S::CleanHold => Some(StepKind::Clean),
        S::Deploying | S::DeployWait | S::DeployHold => Some(StepKind::Deploy),
        S::Servicing | S::ServiceWait | S::ServiceHold | S::ServiceFailed => {
            Some(StepKind::Service)
        }
        _ => None,
    }
}

async fn put_back(task: &mut Task, after: S) -> Result<(), DriverError> {
    match after {
        S::Cleaning | S::CleanWait | S::CleanHold => {
            inband::put_away(task, NetworkPurpose::Cleaning).await
        }
        S::Deploying | S::DeployWait => inband::clean_up_failed(task).await,
        S::DeployHold => {
            inband::clean_up_failed(task).await?;
            inband::tear_down(task).await
        }
        S::Servicing | S::ServiceWait | S::ServiceHold | S::ServiceFailed => {
            inband::put_away(task, NetworkPurpose::Servicing).await
        }
        S::RescueWait => {
            inband::rescue::clean_up(task).await?;
            super::power::act(task, PowerTarget::Off, None).await
        }
        S::InspectWait => {
            task.node.driver_internal_info.forget_bmc_addresses();
            let away = crate::inspection::process::put_away(task).await;
            away.map_err(|text| DriverError::Environment(text.into()))
        }
        _ => Ok(()),
    }
}
