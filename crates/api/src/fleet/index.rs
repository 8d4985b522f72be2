//! The entries of all nodes, in the order of their UUIDs and of their names.

use super::{
    cause::Cause,
    entry::{Failure, FleetNode, Read},
    look::Look,
    symbols::{Symbol, Symbols},
};
use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap},
};
use types::{Conductor, NodeId, ProvisionState, Timestamp, port::MacAddress};

/// How long nodes may be in a waiting state, for those states that end by themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaitLimits(pub BTreeMap<ProvisionState, i64>);

impl WaitLimits {
    /// When a wait that began then ends by itself.
    pub(crate) fn end(&self, state: ProvisionState, since: Timestamp) -> Option<Timestamp> {
        let seconds = self.0.get(&state).filter(|seconds| **seconds > 0)?;
        Some(since.plus_seconds(*seconds))
    }

    /// Whether more than half of that time is over.
    pub(crate) fn is_stuck(&self, state: ProvisionState, since: Timestamp, now: Timestamp) -> bool {
        self.end(state, since)
            .is_some_and(|end| now.0 - since.0 > end.0 - now.0)
    }
}

types::wire_enum! {
    /// In which way a node needs a person.
    pub enum NodeProblem {
        Failed = "failed",
        /// In maintenance, where the service has put it.
        Fault = "fault",
        /// Waiting for too long.
        Stuck = "stuck",
        /// At rest, though what was asked last failed.
        Error = "error",
    }
}

/// All nodes.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// By UUID.
    entries: Vec<FleetNode>,
    /// Positions among the entries, by name; nodes without one come last.
    order: Vec<u32>,
    failures: HashMap<NodeId, Failure>,
    pub(super) symbols: Symbols,
    /// How many texts there were when it was made.
    texts_at_first: usize,
    /// Up to where in the event log this is current.
    pub(super) cursor: i64,
    /// Which conductors the entries name.
    pub(super) conductors: u64,
}

/// A node that was read again, or that is gone.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) id: NodeId,
    pub(super) now: Option<Read>,
}

/// How many texts of no use are kept at least.
const LITTER: usize = 10_000;

fn narrow(position: usize) -> u32 {
    // No database has more nodes than that.
    u32::try_from(position).unwrap_or(u32::MAX)
}

impl Index {
    pub(super) fn new(reads: Vec<Read>, symbols: Symbols, cursor: i64) -> Self {
        let mut index = Self {
            texts_at_first: symbols.len(),
            symbols,
            cursor,
            ..Self::default()
        };
        index.entries.reserve_exact(reads.len());
        for read in reads {
            if let Some(failure) = read.failure {
                index.failures.insert(read.entry.id, failure);
            }
            index.entries.push(read.entry);
        }
        index.entries.sort_unstable_by_key(|entry| entry.id);
        index.entries.dedup_by_key(|entry| entry.id);
        index.order = (0..narrow(index.entries.len())).collect();
        index.sort();
        index
    }

    fn sort(&mut self) {
        let entries = &self.entries;
        let by_name = |a: &u32, b: &u32| {
            let (a, b) = (&entries[*a as usize], &entries[*b as usize]);
            let without_last = a.name().is_empty().cmp(&b.name().is_empty());
            without_last
                .then_with(|| a.name().cmp(b.name()))
                .then_with(|| a.id.cmp(&b.id))
        };
        // Mostly sorted already, which this way of sorting makes use of.
        self.order.sort_by(by_name);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn cursor(&self) -> i64 {
        self.cursor
    }

    /// About how many bytes it takes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let entries: usize = self.entries.iter().map(FleetNode::bytes).sum();
        entries + self.order.len() * size_of::<u32>()
    }

    /// In the order of names.
    pub(super) fn iter(&self) -> impl Iterator<Item = &FleetNode> {
        self.order.iter().map(|at| &self.entries[*at as usize])
    }

    pub(super) fn find(&self, id: NodeId) -> Option<&FleetNode> {
        let at = self.entries.binary_search_by_key(&id, |entry| entry.id);
        at.ok().map(|at| &self.entries[at])
    }

    pub(super) fn failure(&self, entry: &FleetNode) -> Option<&Failure> {
        self.failures.get(&entry.id)
    }

    /// In which way a node needs a person, if it does, and why.
    pub(super) fn trouble(
        &self,
        entry: &FleetNode,
        limits: &WaitLimits,
        now: Timestamp,
    ) -> Option<(NodeProblem, Cause)> {
        let look = Look::of(entry.state);
        let failure = self.failure(entry);
        let caused = |trouble: NodeProblem| {
            let silence = || Cause::of_silence(trouble == NodeProblem::Fault);
            (
                trouble,
                failure.map_or_else(silence, |failure| failure.cause),
            )
        };
        if look == Look::Failed {
            return Some(caused(NodeProblem::Failed));
        }
        if entry.fault.is_some() {
            return Some(caused(NodeProblem::Fault));
        }
        if limits.is_stuck(entry.state, entry.since, now) {
            return Some((NodeProblem::Stuck, Cause::of_wait(entry.state)));
        }
        let rests = matches!(look, Look::Ready | Look::InUse);
        (rests && failure.is_some()).then(|| caused(NodeProblem::Error))
    }

    /// Takes in what was read again.
    pub(super) fn apply(&mut self, changes: Vec<Change>) {
        let mut is_renamed = false;
        let mut added: Vec<FleetNode> = Vec::new();
        let mut gone: Vec<usize> = Vec::new();
        for Change { id, now } in changes {
            let at = self.entries.binary_search_by_key(&id, |entry| entry.id);
            match now {
                Some(Read { entry, failure }) => {
                    match failure {
                        Some(failure) => self.failures.insert(id, failure),
                        None => self.failures.remove(&id),
                    };
                    match at {
                        Ok(at) => {
                            is_renamed |= self.entries[at].name() != entry.name();
                            self.entries[at] = entry;
                        }
                        Err(_) => added.push(entry),
                    }
                }
                None => {
                    self.failures.remove(&id);
                    gone.extend(at.ok());
                }
            }
        }
        if !added.is_empty() || !gone.is_empty() {
            self.rearrange(added, &gone);
        }
        if is_renamed {
            self.sort();
        }
    }

    /// Puts new entries in their places and takes others out.
    fn rearrange(&mut self, mut added: Vec<FleetNode>, gone: &[usize]) {
        added.sort_unstable_by_key(|entry| entry.id);
        added.dedup_by_key(|entry| entry.id);
        let mut is_gone = vec![false; self.entries.len()];
        for at in gone {
            is_gone[*at] = true;
        }
        let mut added = added.into_iter().peekable();
        let mut places = vec![None; self.entries.len()];
        let mut entries = Vec::with_capacity(self.entries.len() + added.len());
        let mut new = Vec::new();
        for (at, entry) in std::mem::take(&mut self.entries).into_iter().enumerate() {
            while let Some(before) = added.next_if(|new| new.id < entry.id) {
                new.push(narrow(entries.len()));
                entries.push(before);
            }
            if !is_gone[at] {
                places[at] = Some(narrow(entries.len()));
                entries.push(entry);
            }
        }
        for entry in added {
            new.push(narrow(entries.len()));
            entries.push(entry);
        }
        let old = self.order.iter().filter_map(|at| places[*at as usize]);
        self.order = old.chain(new).collect();
        self.entries = entries;
        self.sort();
    }

    /// Asks anew which conductor each node belongs to.
    pub(super) fn assign(&mut self, conductor: &dyn Conductor, revision: u64) {
        let symbols = &mut self.symbols;
        for entry in &mut self.entries {
            entry.conductor = owner(conductor, symbols, entry);
        }
        self.conductors = revision;
    }

    /// Gives all nodes their MAC addresses.
    pub(super) fn set_macs(&mut self, macs: &BTreeMap<NodeId, Vec<MacAddress>>) {
        for entry in &mut self.entries {
            if let Some(macs) = macs.get(&entry.id) {
                entry.set_macs(macs);
            }
        }
    }

    /// Whether so many texts came since it was made that most may be of no node any more. However
    /// many texts nodes have of their own, an index that was just made is not.
    pub(super) fn is_littered(&self) -> bool {
        self.symbols.len() > LITTER + 2 * self.texts_at_first
    }

    /// The version of a node's row.
    pub(super) fn version(&self, id: NodeId) -> Option<i64> {
        self.find(id).map(|entry| entry.version)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> {
        self.entries.iter().map(|entry| entry.id)
    }
}

/// The conductor that a node belongs to.
pub(super) fn owner(conductor: &dyn Conductor, symbols: &mut Symbols, entry: &FleetNode) -> Symbol {
    let (driver, group) = (symbols.text(entry.driver), symbols.text(entry.group));
    let owner = conductor.owner(entry.id, driver, group);
    symbols.of(&owner.unwrap_or_default())
}

/// Compares two texts as lists do: those without one come last.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    a.is_empty().cmp(&b.is_empty()).then_with(|| a.cmp(b))
}

#[cfg(test)]
#[path = "index/tests.rs"]
mod tests;
