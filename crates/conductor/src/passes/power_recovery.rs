//! Nodes in maintenance because their power could not be told come out of it when it can be.

use super::{
    power_sync::{read, save},
    round::{Plan, Round, Visit, sweep},
};
use crate::{core::Core, record::ChangeLog};
use drivers::iface::Machine;
use std::{sync::Arc, time::Instant};
use store::candidate::{Candidate, CandidateQuery};
use types::{Caller, Fault, PowerState, node::NodeFault};

pub(super) async fn pass(core: Arc<Core>) -> Round {
    let settings = &core.settings;
    let interval = settings.power_failure_recovery_interval;
    let plan = Plan::new(&core, interval, settings.periodic_max_workers);
    sweep(&core, CandidateQuery::PowerRecovery, plan, visit).await
}

async fn visit(core: Arc<Core>, candidate: Candidate) -> Visit {
    let id = candidate.node.id;
    match Box::pin(recover(&core, candidate)).await {
        Ok(visit) => visit,
        Err(Fault::Locked { .. } | Fault::Stale(_) | Fault::NodeNotFound(_)) => Visit::Skipped,
        Err(fault) => {
            tracing::warn!(node = %id, %fault, "a node cannot be recovered from its power failure");
            Visit::Failed
        }
    }
}

/// Takes the node out of maintenance if the machine tells its power again.
async fn recover(core: &Core, candidate: Candidate) -> Result<Visit, Fault> {
    let Candidate {
        mut node, version, ..
    } = candidate;
    let id = node.id;
    if core.ledger.refusals.is_paused(&node, Instant::now()) {
        return Ok(Visit::Skipped);
    }
    let monitor = core.monitor(&node)?;
    let driver_info = core.opened_driver_info(&node)?;
    let ports = core.ports(id).await?;
    let machine = Machine::new(&mut node, &driver_info, &ports);
    // What the node says may have been changed meanwhile.
    let found = match monitor.power.validate(&machine).await {
        Ok(()) => {
            let found = read(&monitor, &machine).await;
            let refusals = &core.ledger.refusals;
            refusals.note(machine.node, &found, Instant::now());
            found
        }
        Err(error) => Err(error),
    };
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            let error = crate::flow::reason(&node, &error);
            tracing::debug!(node = %id, error = %types::mask::text(&error), "the power state still cannot be read");
            return Ok(Visit::Failed);
        }
    };
    let mut node = core.load(id).await?;
    let is_same = node.version == version
        && node.reservation.is_none()
        && node.maintenance
        && node.fault == Some(NodeFault::Power);
    if !is_same {
        return Err(Fault::Stale(id));
    }
    let before = node.power_state;
    node.power_state = found;
    node.clear_maintenance();
    let shown = found.map_or("None", PowerState::as_str);
    tracing::info!(node = %id, state = shown, "recovered from its power failure");
    let mut story = ChangeLog::new(&Caller::service());
    story.maintenance(&node);
    if before != found {
        story.power_corrected(&node, before);
        core.power_changed(&node);
    }
    save(core, node, story).await.map(|()| Visit::Done)
}
