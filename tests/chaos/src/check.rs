//! What must hold when everything is over. Each check is a function from what was recorded to what
//! is wrong with it.

pub(crate) mod database;
pub(crate) mod journal;
mod log;

use crate::{
    account::ClientAnswers, allocation::Wish, life::Certainty, life::Ledger, reader::Reader,
};
use database::{NodeRow, Snapshot};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    sync::Arc,
};
use types::{ProvisionState, provision::StateClass};

/// What is wrong, by kind.
#[derive(Debug, Default)]
pub(crate) struct Violations(BTreeMap<&'static str, Vec<String>>);

/// Two conductors at work on one machine.
pub(crate) const DOUBLE_WORK: &str = "two conductors called one machine at the same time";
/// What a node's events tell does not follow from one another.
pub(crate) const HOLE: &str = "the story of a node has a hole";

impl Violations {
    pub(crate) fn add(&mut self, kind: &'static str, what: impl Into<String>) {
        self.0.entry(kind).or_default().push(what.into());
    }

    pub(crate) fn extend(&mut self, kind: &'static str, what: Vec<String>) {
        if !what.is_empty() {
            self.0.entry(kind).or_default().extend(what);
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (kind, what) in other.0 {
            self.extend(kind, what);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn has(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        for (kind, all) in &self.0 {
            writeln!(f, "VIOLATION: {kind} ({})", all.len())?;
            for one in all.iter().take(SHOWN) {
                writeln!(f, "    {one}")?;
            }
            if all.len() > SHOWN {
                writeln!(f, "    and {} more", all.len() - SHOWN)?;
            }
        }
        Ok(())
    }
}

/// Everything that was recorded.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) told: &'a ClientAnswers,
    pub(crate) ledgers: &'a [Ledger],
    pub(crate) wishes: &'a [Wish],
    pub(crate) readers: &'a [Arc<Reader>],
    /// How processes exited that the test did not kill.
    pub(crate) lapses: &'a [String],
}

/// Looks at all but the journal of the hardware.
pub(crate) fn everything(record: &Record<'_>) -> Violations {
    let mut wrong = Violations::default();
    answers(record.told, &mut wrong);
    // To refuse to start while the database is away is the right thing to do, and says 1.
    let crashes = record
        .lapses
        .iter()
        .filter(|how| !how.ends_with("status: 1"));
    wrong.extend("a process crashed", crashes.cloned().collect());
    nodes(&record.snapshot.nodes, &mut wrong);
    ledgers(record.ledgers, &record.snapshot.nodes, &mut wrong);
    allocations(record, &mut wrong);
    log::dense(&record.snapshot.events, &mut wrong);
    log::chains(&record.snapshot.events, &record.snapshot.nodes, &mut wrong);
    log::accepted(&record.snapshot.events, record.told, &mut wrong);
    log::readers(&record.snapshot.events, record.readers, &mut wrong);
    wrong
}

fn answers(told: &ClientAnswers, wrong: &mut Violations) {
    wrong.extend("an answer that nobody should get", told.odd.clone());
}

/// Parts of the errors that interrupted work may leave behind.
const EXPECTED_ERRORS: &[&str] = &[
    "can't be resumed by conductor",
    "was aborted due to conductor",
    "lost touch with the database",
    // What an owner does with a service that failed for one of these reasons.
    "By request, the service operation was aborted",
];

fn nodes(nodes: &[NodeRow], wrong: &mut Violations) {
    for node in nodes {
        let NodeRow { uuid, state, .. } = node;
        if let Some(host) = &node.reservation {
            let what = format!("{uuid} in {state} by {host}");
            wrong.add("a node is still reserved", what);
        }
        if node.work.is_some() || node.target_power_state.is_some() {
            let what = format!("{uuid}: {:?} {:?}", node.work, node.target_power_state);
            wrong.add("a node has work that nobody does", what);
        }
        let class = state.parse().ok().map(ProvisionState::class);
        match class {
            Some(StateClass::Stable | StateClass::Failed) => {}
            _ => wrong.add("a node is not at rest", format!("{uuid}: {state}")),
        }
        let failed = class == Some(StateClass::Failed);
        match &node.last_error {
            None if failed => wrong.add("a node failed without a reason", uuid),
            Some(error) if !EXPECTED_ERRORS.iter().any(|known| error.contains(known)) => {
                let what = format!("{uuid} in {state}: {error}");
                wrong.add("a node has an error that nothing explains", what);
            }
            _ => {}
        }
    }
}

fn ledgers(ledgers: &[Ledger], nodes: &[NodeRow], wrong: &mut Violations) {
    let rows: HashMap<&str, &NodeRow> = nodes.iter().map(|n| (n.uuid.as_str(), n)).collect();
    let mut known = HashSet::new();
    for ledger in ledgers {
        let id = ledger.id.to_string();
        known.insert(id.clone());
        let Some(row) = rows.get(id.as_str()) else {
            if ledger.exists == Certainty::Yes {
                wrong.add("a node that was created is not there", id);
            }
            continue;
        };
        if ledger.exists == Certainty::No {
            wrong.add("a node that was deleted is there", &id);
        }
        let extra: serde_json::Value = serde_json::from_str(&row.extra).unwrap_or_default();
        let value = extra["n"].as_u64();
        if !ledger.allows(value) {
            let what = format!(
                "{id}: extra.n is {value:?}, accepted was {:?}, unknown are {:?}",
                ledger.accepted_value, ledger.unknown_values
            );
            wrong.add("an accepted value was lost", what);
        }
    }
    let strangers = nodes.iter().filter(|node| !known.contains(&node.uuid));
    let strangers = strangers.map(|node| node.uuid.clone()).collect();
    wrong.extend("a node is there that nobody created", strangers);
}

fn allocations(record: &Record<'_>, wrong: &mut Violations) {
    let Snapshot {
        nodes,
        events,
        allocations,
    } = record.snapshot;
    let rows: HashMap<&str, _> = allocations.iter().map(|a| (a.uuid.as_str(), a)).collect();
    // What was bound once may have ended with the instance.
    let bound: HashSet<&str> = events
        .iter()
        .filter_map(|event| event.data["allocation"].as_str())
        .collect();
    for wish in record.wishes {
        let id = wish.id.as_str();
        let is_there = rows.contains_key(id);
        let was_there = is_there || bound.contains(id);
        if wish.created == Certainty::Yes && wish.removed == Certainty::No && !was_there {
            wrong.add("an accepted allocation was lost", id);
        }
        if wish.removed == Certainty::Yes && is_there {
            wrong.add("a removed allocation is there", id);
        }
    }
    let by_node: HashMap<&str, &str> = nodes
        .iter()
        .filter_map(|node| Some((node.uuid.as_str(), node.allocation.as_deref()?)))
        .collect();
    for allocation in allocations {
        match (allocation.state.as_str(), allocation.node.as_deref()) {
            ("error", _) => {}
            ("active", Some(node)) if by_node.get(node) == Some(&allocation.uuid.as_str()) => {}
            _ => wrong.add("an allocation hangs in the air", format!("{allocation:?}")),
        }
    }
    for (node, allocation) in by_node {
        if !rows.contains_key(allocation) {
            let what = format!("{node} has {allocation}");
            wrong.add("a node has an allocation that is not there", what);
        }
    }
}

#[cfg(test)]
#[path = "check/tests.rs"]
mod tests;
