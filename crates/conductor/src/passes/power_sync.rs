//! Power sync: rows and machines are brought to agree on the power.
//!
//! Machines are only asked; nobody is kept from working on a node meanwhile. So whatever was found
//! counts only if the row is still the one that the visit began with: a node that somebody changed
//! in between is left to the next round. Which nodes could not be asked, or would not stay in the
//! state they should be in, is counted in memory; a conductor that is restarted or takes a node over
//! begins to count anew.
//!
//! Unlike Ironic, a sync that finds nothing wrong leaves the node's last error alone, unless
//! the error speaks of the sync itself or of reaching the very state that the machine is in.

use super::round::{Plan, Round, Visit, sweep};
use crate::{
    core::Core,
    findings::Seen,
    flow,
    last_error::{self, ErrorCode},
    lock,
    record::ChangeLog,
};
use drivers::{
    DriverError, Failure,
    iface::{Machine, Monitor},
};
use serde_json::json;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use store::{
    candidate::{Candidate, CandidateQuery},
    node::Fence,
};
use tokio::sync::Semaphore;
use types::{
    Caller, Fault, Node, NodeId, PowerState, PowerTarget, Work, event::EventKind, node::NodeFault,
};

/// Asking a machine takes a packet and a little memory here, where Ironic has a thread for
/// each of its workers. One of these stands for so many of ours …
const ASKED_PER_WORKER: usize = 64;
/// … which are never more than this many.
const MOST_ASKED: usize = 2048;
/// How many machines are switched at once for each worker. Few, because racks that lost their power
/// draw the most of it when they get it back.
const SWITCHED_PER_WORKER: usize = 4;
/// After so many rounds without a visit a node's count is forgotten; it may not exist any more.
const FORGOTTEN_AFTER: u64 = 1000;

/// Nodes that were in trouble at the last look, and the room for machines that are switched.
#[derive(Debug)]
pub(super) struct Troubles {
    counts: Mutex<Counts>,
    switches: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Counts {
    round: u64,
    /// How often in a row, and in which round last.
    nodes: HashMap<NodeId, (u32, u64)>,
}

impl Troubles {
    pub(super) fn new(workers: usize) -> Self {
        let switches = workers.max(1).saturating_mul(SWITCHED_PER_WORKER);
        Self {
            counts: Mutex::default(),
            switches: Arc::new(Semaphore::new(switches.min(Semaphore::MAX_PERMITS))),
        }
    }

    fn locked(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin_round(&self) {
        let mut counts = self.locked();
        counts.round += 1;
        let round = counts.round;
        let is_recent = |&mut (_, last): &mut (u32, u64)| last + FORGOTTEN_AFTER > round;
        counts.nodes.retain(|_, entry| is_recent(entry));
    }

    fn of(&self, node: NodeId) -> u32 {
        self.locked()
            .nodes
            .get(&node)
            .map_or(0, |&(count, _)| count)
    }

    fn set(&self, node: NodeId, count: u32) {
        let mut counts = self.locked();
        let round = counts.round;
        counts.nodes.insert(node, (count, round));
    }

    fn clear(&self, node: NodeId) {
        self.locked().nodes.remove(&node);
    }
}

pub(super) async fn pass(core: Arc<Core>) -> Round {
    let settings = &core.settings;
    let asked = settings
        .sync_power_state_workers
        .saturating_mul(ASKED_PER_WORKER);
    let interval = settings.sync_power_state_interval;
    let plan = Plan::new(&core, interval, asked.min(MOST_ASKED));
    core.ledger.power.begin_round();
    core.ledger.refusals.forget_old(Instant::now());
    sweep(&core, CandidateQuery::PowerSync, plan, visit).await
}

pub(super) async fn visit(core: Arc<Core>, candidate: Candidate) -> Visit {
    let id = candidate.node.id;
    match look(&core, candidate).await {
        Ok(visit) => visit,
        // Somebody works on the node, or it is gone.
        Err(Fault::Locked { .. } | Fault::Stale(_) | Fault::NodeNotFound(_)) => Visit::Skipped,
        Err(fault) => {
            tracing::warn!(node = %id, %fault, "the power could not be synchronised");
            Visit::Failed
        }
    }
}

/// What was found out about a machine, and the row that it is about.
struct Look {
    id: NodeId,
    version: i64,
    /// What the row says.
    noted: Option<PowerState>,
    seen: Seen,
}

async fn look(core: &Arc<Core>, candidate: Candidate) -> Result<Visit, Fault> {
    let Candidate { mut node, version } = candidate;
    // A BMC whose firmware is written may not answer, and its machine must not be switched.
    if node.driver_internal_info.has_step_poll() {
        return Ok(Visit::Skipped);
    }
    if core.ledger.refusals.is_paused(&node, Instant::now()) {
        return Ok(Visit::Skipped);
    }
    let (id, noted) = (node.id, node.power_state);
    let code = ErrorCode::beside(&node);
    let monitor = core.monitor(&node)?;
    let driver_info = core.opened_driver_info(&node)?;
    if noted.is_none() {
        let ports = core.ports(id).await?;
        let machine = Machine::new(&mut node, &driver_info, &ports);
        if monitor.power.validate(&machine).await.is_err() {
            core.ledger.power.clear(id);
            return Ok(Visit::Skipped);
        }
    }
    let ports = match monitor.power.looks_at_ports() {
        true => core.ports(id).await?,
        false => Vec::new(),
    };
    let machine = Machine::new(&mut node, &driver_info, &ports);
    let found = read(&monitor, &machine).await;
    let refusals = &core.ledger.refusals;
    refusals.note(machine.node, &found, Instant::now());
    let count = core.ledger.power.of(id) + 1;
    let is_hopeless = count > core.settings.power_state_sync_max_retries;
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            let why = flow::reason(&node, &error);
            core.ledger.power.set(id, count);
            if is_hopeless {
                let look = Look {
                    id,
                    version,
                    noted,
                    seen: Seen::default(),
                };
                let why = match error.advice() {
                    Some(advice) => format!("{why}; {advice}"),
                    None => why,
                };
                give_up(core, look, None, Some(&why)).await?;
            } else {
                let retries = core.settings.power_state_sync_max_retries;
                tracing::warn!(node = %id, attempt = count, retries, kind = error.kind(), error = %types::mask::text(&why), "the power state cannot be read");
            }
            return Ok(Visit::Failed);
        }
    };
    let health = core.settings.health_monitoring;
    let seen = Seen::of(&*monitor.management, &machine, health).await;
    let is_news = seen.is_news(machine.node);
    let by_agent = monitor.power.by_agent();
    let look = Look {
        id,
        version,
        noted,
        seen,
    };
    if found == noted {
        core.ledger.power.clear(id);
        if is_news || code.is_some_and(|code| code.is_settled(found)) {
            agree(core, look).await?;
        }
        return Ok(Visit::Done);
    }
    if noted.is_none() {
        core.ledger.power.clear(id);
        adopt(core, look, found).await?;
        return Ok(Visit::Done);
    }
    core.ledger.power.set(id, count);
    let target = target(noted)
        .filter(|_| core.settings.force_power_state_during_sync && !by_agent && !node.stays_on());
    match target {
        _ if is_hopeless => give_up(core, look, found, None).await?,
        Some(target) => switch(core, look, found, target).await?,
        None => adopt(core, look, found).await?,
    }
    Ok(Visit::Done)
}

/// Reads a power state; a machine that says `error` has none.
pub(super) async fn read(
    monitor: &Monitor,
    machine: &Machine<'_>,
) -> Result<Option<PowerState>, DriverError> {
    match monitor.power.get(machine).await? {
        Some(PowerState::Error) => Err(DriverError::Rejected(Failure::new(
            "Power driver returned ERROR state while trying to sync power state.",
        ))),
        state => Ok(state),
    }
}

fn target(state: Option<PowerState>) -> Option<PowerTarget> {
    match state? {
        PowerState::On => Some(PowerTarget::On),
        PowerState::Off => Some(PowerTarget::Off),
        PowerState::Error => None,
    }
}

/// Row and machine agree: the row gets what else was seen.
async fn agree(core: &Arc<Core>, look: Look) -> Result<(), Fault> {
    write(core, look, |node, _| {
        let state = node.power_state;
        last_error::settle(node, state);
    })
    .await
}

/// The row gets the state that the machine is in.
async fn adopt(core: &Arc<Core>, look: Look, found: Option<PowerState>) -> Result<(), Fault> {
    let noted = look.noted;
    write(core, look, |node, story| {
        let shown = |state: Option<PowerState>| state.map_or("None", PowerState::as_str);
        tracing::warn!(node = %node.id, noted = shown(noted), found = shown(found), "the power state is not the one that is recorded; noting what was found");
        node.power_state = found;
        story.power_corrected(node, noted);
        core.power_changed(node);
    })
    .await
}

/// The machine cannot be asked or will not stay in the state it should be in: a matter for people.
async fn give_up(
    core: &Arc<Core>,
    look: Look,
    found: Option<PowerState>,
    why: Option<&str>,
) -> Result<(), Fault> {
    let noted = look.noted;
    write(core, look, |node, story| {
        let shown = |state: Option<PowerState>| state.map_or("None", PowerState::as_str);
        let (id, found_name) = (node.id, shown(found));
        let mut text = format!(
            "During sync_power_state, max retries exceeded for node {id}, node state \
             {found_name} does not match expected state '{}'. Updating DB state to \
             '{found_name}' Switching node to maintenance mode.",
            shown(noted)
        );
        if let Some(why) = why {
            text.push_str(" Error: ");
            text.push_str(why);
        }
        tracing::error!(node = %id, "{}", types::mask::text(&text));
        node.power_state = found;
        let code = ErrorCode::PowerSync;
        story.error_with(&core.settings, node, "monitoring", &text, code);
        node.maintenance = true;
        node.maintenance_reason = node.last_error.clone();
        node.fault = Some(NodeFault::Power);
        story.maintenance(node);
        if noted != found {
            story.power_corrected(node, noted);
            core.power_changed(node);
        }
    })
    .await
}

/// The machine is brought into the state that the row has.
async fn switch(
    core: &Arc<Core>,
    look: Look,
    found: Option<PowerState>,
    target: PowerTarget,
) -> Result<(), Fault> {
    // The semaphore is never closed.
    let Ok(turn) = Arc::clone(&core.ledger.power.switches)
        .acquire_owned()
        .await
    else {
        return Ok(());
    };
    let place = core.workers.wait().await.with(turn);
    let mut node = still(core, look.id, look.version).await?;
    let found = found.map_or("None", PowerState::as_str);
    tracing::warn!(node = %node.id, found, %target, "the power state is not the one that is recorded; switching the machine");
    let caller = Caller::service();
    let mut story = ChangeLog::new(&caller);
    note(core, look.seen, &mut node, &mut story);
    let data = json!({"asked": target, "was": node.power_state, "found": found});
    let text = format!("{target}: the machine was found in '{found}'");
    story.tell(&node, EventKind::Power, text, data);
    node.target_power_state = Some(target.shown());
    node.work = Some(Work::Power {
        target,
        timeout_s: None,
    });
    core.accept(node, &caller, story, place).await
}

/// The whole node, if nobody has changed it since it was looked at.
async fn still(core: &Core, id: NodeId, version: i64) -> Result<Node, Fault> {
    let node = core.load(id).await?;
    if node.version != version || node.reservation.is_some() {
        return Err(Fault::Stale(id));
    }
    Ok(node)
}

/// Changes a node that nobody has changed since it was looked at.
async fn write(
    core: &Core,
    look: Look,
    change: impl FnOnce(&mut Node, &mut ChangeLog),
) -> Result<(), Fault> {
    let mut node = still(core, look.id, look.version).await?;
    let mut story = ChangeLog::new(&Caller::service());
    note(core, look.seen, &mut node, &mut story);
    change(&mut node, &mut story);
    save(core, node, story).await
}

/// Puts what else was seen into the row; how a machine is matters to people.
fn note(core: &Core, seen: Seen, node: &mut Node, story: &mut ChangeLog) {
    let before = node.health.clone();
    seen.note(node);
    if before == node.health {
        return;
    }
    let shown = |health: &Option<String>| health.clone().unwrap_or("None".into());
    let (old, new) = (shown(&before), shown(&node.health));
    let text = format!("Node health status changed: health='{new}' (previously '{old}')");
    story.note(&core.settings, node, "monitoring", &text);
    story.tell(
        node,
        EventKind::Updated,
        text,
        json!({"fields": ["health"]}),
    );
}

/// Writes a node that nobody holds.
pub(super) async fn save(core: &Core, node: Node, story: ChangeLog) -> Result<(), Fault> {
    let id = node.id;
    let saved = store::node::save(&core.db, node, Fence::Free, story.into_log()).await;
    saved.map(|_| ()).map_err(|error| lock::fault(error, id))
}

impl Core {
    pub(super) fn monitor(&self, node: &Node) -> Result<Monitor, Fault> {
        let found = self.registry.monitor(node);
        found.map_err(|error| Fault::InvalidParameter(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_last_until_they_are_cleared_or_nobody_asks_any_more() {
        let troubles = Troubles::new(1);
        let node = NodeId::generate();
        troubles.begin_round();
        troubles.set(node, 2);
        for _ in 1..FORGOTTEN_AFTER {
            troubles.begin_round();
        }
        assert_eq!(troubles.of(node), 2);
        troubles.begin_round();
        assert_eq!(troubles.of(node), 0);
        troubles.set(node, 1);
        troubles.clear(node);
        assert_eq!(troubles.of(node), 0);
    }
}
