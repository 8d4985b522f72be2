//! Many machines for the demo, to see how the service and its page bear them.
//!
//! They are written straight into the database in the states that a fleet has after some years,
//! without having lived: a hundred thousand lives would take hours. Names, UUIDs and states follow
//! from a seed, so that two runs show the same.

use super::rack::caller;
use ::api::fleet::{Example, examples};
use anyhow::Context;
use conductor::Service;
use serde_json::json;
use std::{sync::Arc, time::Duration};
use store::{Db, node::Log};
use tokio::{
    task::{JoinHandle, JoinSet},
    time::MissedTickBehavior,
};
use types::{
    Conductor, Node, NodeId, PowerState, ProvisionState as S, Timestamp,
    event::{EventKind, NewEvent},
    node::NodeFault,
};

/// How many rows are on their way to the database at a time.
const AT_A_TIME: usize = 512;

/// Kinds of machines, and how many of a hundred are of each.
const CLASSES: &[(&str, u64)] = &[
    ("compute", 70),
    ("web", 15),
    ("gpu", 8),
    ("storage", 5),
    ("db", 2),
];

/// States, and how many of ten thousand machines are in each.
const STATES: &[(S, u64)] = &[
    (S::Active, 8900),
    (S::Available, 700),
    (S::Manageable, 150),
    (S::Enroll, 100),
    (S::CleanFailed, 30),
    (S::DeployFailed, 50),
    (S::InspectFailed, 10),
    (S::Rescue, 40),
    (S::ServiceHold, 20),
];

/// What machines in failed states failed by.
const ERRORS: &[&str] = &[
    "Timeout reached while waiting for callback for node",
    "Deploy step deploy.write_image failed: the sha256 checksum of http://images/debian.qcow2 is a1 instead of b2.",
    "Failed to get power state: talking to BMC: connection refused",
    "failed step deploy.erase_devices: disk sdb refuses to be erased",
    "IPMI: authentication failed",
];

/// Longer than half of the time that any state may be waited in, and not all of it.
const STUCK_S: i64 = 1000;

/// Numbers that follow from a seed (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From the time of day: no secret depends on it.
    pub(super) fn unpredictable() -> Self {
        Self(Timestamp::now().0.unsigned_abs())
    }

    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.roll() % most.max(1)
    }

    /// One of a list, as often as its share says.
    fn choose<T: Copy>(&mut self, list: &[(T, u64)]) -> Option<T> {
        let all: u64 = list.iter().map(|(_, share)| share).sum();
        let mut at = self.below(all);
        for (one, share) in list {
            if at < *share {
                return Some(*one);
            }
            at -= share;
        }
        None
    }

    pub(super) fn node_id(&mut self) -> anyhow::Result<NodeId> {
        let (high, low) = (self.roll(), self.roll());
        // Random, of version 4 and the usual variant (RFC 9562, 5.4).
        let text = format!(
            "{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            8 + (low >> 62),
            low >> 48 & 0xfff,
            low & 0xffff_ffff_ffff,
        );
        Ok(text.parse()?)
    }
}

/// Adds machines; returns their ids.
pub(super) async fn fill(db: &Db, count: usize, dice: &mut Dice) -> anyhow::Result<Vec<NodeId>> {
    let nodes = (0..count).map(|number| machine(number, dice));
    write(db, nodes).await
}

/// Adds a machine for every row of the table of advice, in maintenance so that it stays as it is.
pub(super) async fn fail(db: &Db, dice: &mut Dice) -> anyhow::Result<()> {
    let nodes = examples().enumerate();
    let nodes = nodes.map(|(number, (group, example))| failed(number, group, example, dice));
    write(db, nodes).await.map(drop)
}

async fn write(
    db: &Db,
    nodes: impl Iterator<Item = anyhow::Result<Node>>,
) -> anyhow::Result<Vec<NodeId>> {
    let mut writes: JoinSet<Result<Node, store::StoreError>> = JoinSet::new();
    let mut ids = Vec::new();
    for node in nodes {
        let node = node?;
        ids.push(node.id);
        let event = NewEvent::new(&node, EventKind::Created, "enrolled", json!({}), &caller());
        let db = db.clone();
        writes.spawn(async move { store::node::insert(&db, node, Log::event(event)).await });
        if writes.len() >= AT_A_TIME {
            ended(writes.join_next().await)?;
        }
    }
    while let Some(written) = writes.join_next().await {
        ended(Some(written))?;
    }
    Ok(ids)
}

type Written = Result<Result<Node, store::StoreError>, tokio::task::JoinError>;

fn ended(written: Option<Written>) -> anyhow::Result<()> {
    match written {
        Some(written) => {
            written?.context("cannot write a machine of the demo")?;
            Ok(())
        }
        None => Ok(()),
    }
}

fn machine(number: usize, dice: &mut Dice) -> anyhow::Result<Node> {
    let class = dice.choose(CLASSES).unwrap_or("compute");
    let state = dice.choose(STATES).unwrap_or(S::Active);
    let mut node = Node::new(dice.node_id()?, crate::settings::FAKE_HARDWARE);
    node.name = Some(format!("{class}-{number:05}"));
    node.resource_class = Some(class.to_owned());
    node.owner = Some(format!("project-{}", dice.below(20)));
    node.shard = Some(format!("shard-{}", dice.below(8)));
    node.extra
        .insert("rack".to_owned(), json!(format!("r{:03}", number / 40)));
    let address = format!(
        "10.{}.{}.{}",
        number / 65_536,
        number / 256 % 256,
        number % 256
    );
    node.driver_info
        .insert("fake_address".to_owned(), json!(address));
    node.provision_state = state;
    node.target_provision_state = state.default_target();
    let age = i64::try_from(dice.below(90 * 86_400)).unwrap_or(0);
    node.provision_updated_at = Some(Timestamp::now().plus_seconds(-age));
    node.power_state = Some(match state {
        S::Active | S::Rescue | S::ServiceHold => PowerState::On,
        _ => PowerState::Off,
    });
    if state == S::Active {
        node.instance_uuid = Some(dice.node_id()?.to_string());
    }
    let is_failed = state.class() == types::provision::StateClass::Failed;
    if is_failed {
        let error = ERRORS[usize::try_from(dice.below(ERRORS.len() as u64)).unwrap_or(0)];
        node.last_error = Some(format!("{error} ({})", node.label()));
    }
    match dice.below(1000) {
        0..=2 => {
            node.maintenance = true;
            node.maintenance_reason = Some("waits for a new fan".to_owned());
        }
        3 => {
            node.maintenance = true;
            node.fault = Some(NodeFault::Power);
            node.last_error = Some(format!(
                "During sync_power_state, max retries exceeded for node {}",
                node.id
            ));
        }
        _ => {}
    }
    Ok(node)
}

fn failed(number: usize, group: &str, example: Example, dice: &mut Dice) -> anyhow::Result<Node> {
    let mut node = Node::new(dice.node_id()?, crate::settings::FAKE_HARDWARE);
    let group = group.replace('_', "-");
    node.name = Some(format!("why-{number:02}-{group}"));
    node.resource_class = Some("failures".to_owned());
    node.power_state = Some(PowerState::Off);
    node.maintenance = true;
    node.maintenance_reason = Some("stays as it is, to be looked at".to_owned());
    node.provision_state = S::DeployFailed;
    match example {
        Example::Error(text, noted) => {
            node.last_error = Some(text.to_owned());
            if let Some(noted) = noted {
                node.driver_internal_info.set_last_error_code(&noted);
            }
        }
        Example::Stuck(state) => node.provision_state = state,
        Example::Fault => {
            node.provision_state = S::Manageable;
            node.fault = Some(NodeFault::Power);
        }
        Example::Silence => {}
    }
    node.target_provision_state = node.provision_state.default_target();
    node.provision_updated_at = Some(Timestamp::now().plus_seconds(-STUCK_S));
    Ok(node)
}

/// Changes machines without an end, as many a second as asked for.
#[derive(Debug)]
pub(super) struct Moves(JoinHandle<()>);

impl Moves {
    pub(super) fn start(
        service: Arc<Service>,
        ids: Vec<NodeId>,
        rate: u32,
        mut dice: Dice,
    ) -> Self {
        let pace = Duration::from_secs(1) / rate.max(1);
        Self(tokio::spawn(async move {
            let mut tick = tokio::time::interval(pace);
            tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
            let mut is_on = false;
            loop {
                tick.tick().await;
                let at = usize::try_from(dice.below(ids.len() as u64)).unwrap_or(0);
                let Some(id) = ids.get(at).copied() else {
                    return;
                };
                is_on = !is_on;
                let reason = is_on.then(|| "moved by the demo".to_owned());
                let changed = service.set_maintenance(&caller(), id, is_on, reason).await;
                if let Err(fault) = changed {
                    tracing::debug!(node = %id, %fault, "cannot change a node of the demo");
                }
            }
        }))
    }

    pub(super) fn stop(self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_says_which_machines_there_are() {
        let of = |seed: u64| -> Vec<(NodeId, Option<String>, S)> {
            let mut dice = Dice::new(seed);
            let all = (0..50).map(|number| machine(number, &mut dice).unwrap());
            all.map(|node| (node.id, node.name, node.provision_state))
                .collect()
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn every_failure_has_a_machine_of_its_own() {
        let mut dice = Dice::new(1);
        let all: Vec<Node> = examples()
            .enumerate()
            .map(|(number, (group, example))| failed(number, group, example, &mut dice).unwrap())
            .collect();
        let names: std::collections::HashSet<_> = all.iter().map(|node| &node.name).collect();
        assert_eq!(names.len(), all.len());
        let is_troubled = |node: &Node| {
            let class = node.provision_state.class();
            let waits = class == types::provision::StateClass::Waiting;
            waits || node.fault.is_some() || class == types::provision::StateClass::Failed
        };
        assert!(all.iter().all(is_troubled));
    }

    #[test]
    fn a_large_fleet_has_something_of_everything() {
        let mut dice = Dice::new(1);
        let all: Vec<Node> = (0..20_000)
            .map(|n| machine(n, &mut dice).unwrap())
            .collect();
        for (state, _) in STATES {
            assert!(
                all.iter().any(|node| node.provision_state == *state),
                "{state}"
            );
        }
        for (class, _) in CLASSES {
            assert!(
                all.iter()
                    .any(|node| node.resource_class.as_deref() == Some(class))
            );
        }
        assert!(all.iter().any(|node| node.fault.is_some()));
    }
}
