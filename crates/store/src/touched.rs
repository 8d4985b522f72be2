//! Which nodes this process has written, for a reader that keeps a part of every row in memory.
//!
//! Most changes of nodes are in the event log, and a reader that follows it sees those of all
//! processes. Some are not: a power state that a flow finds, an error that is settled. What this
//! process writes is therefore noted here, before its transaction begins and until it has ended. A
//! reader that takes the notes and then reads the rows misses nothing: a transaction that is still
//! under way is handed out again the next time. Nothing is kept while there is no such reader.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use types::NodeId;

/// With more notes than this the reader reads everything anew.
const MOST: usize = 50_000;

#[derive(Debug, Default)]
struct Notes {
    is_watched: bool,
    under_way: BTreeMap<NodeId, u32>,
    ended: BTreeSet<NodeId>,
    is_incomplete: bool,
}

/// The notes of a database handle.
#[derive(Debug, Default)]
pub(crate) struct Touched(Arc<Mutex<Notes>>);

/// What was written since the last look.
#[derive(Debug, PartialEq, Eq)]
pub enum Touches {
    Nodes(Vec<NodeId>),
    /// More than is noted.
    TooMany,
}

fn lock(notes: &Mutex<Notes>) -> MutexGuard<'_, Notes> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Touched {
    /// Notes that a node is going to be written. What is returned belongs to the transaction, and is
    /// dropped with it.
    pub(crate) fn begin(&self, node: NodeId) -> Touch {
        *lock(&self.0).under_way.entry(node).or_default() += 1;
        Touch {
            notes: Arc::clone(&self.0),
            node,
        }
    }

    /// Begins to keep notes, or ends it.
    pub(crate) fn watch(&self, on: bool) {
        let mut notes = lock(&self.0);
        notes.is_watched = on;
        notes.is_incomplete = false;
        notes.ended = BTreeSet::new();
    }

    pub(crate) fn take(&self) -> Touches {
        let mut notes = lock(&self.0);
        let mut nodes = mem::take(&mut notes.ended);
        if mem::take(&mut notes.is_incomplete) {
            return Touches::TooMany;
        }
        nodes.extend(notes.under_way.keys());
        Touches::Nodes(nodes.into_iter().collect())
    }
}

/// A write of a node that is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct Touch {
    notes: Arc<Mutex<Notes>>,
    node: NodeId,
}

impl Drop for Touch {
    fn drop(&mut self) {
        let mut notes = lock(&self.notes);
        if let Some(count) = notes.under_way.get_mut(&self.node) {
            *count -= 1;
            if *count == 0 {
                notes.under_way.remove(&self.node);
            }
        }
        if !notes.is_watched || notes.is_incomplete {
            return;
        }
        if notes.ended.len() < MOST {
            notes.ended.insert(self.node);
        } else {
            notes.ended = BTreeSet::new();
            notes.is_incomplete = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_told_of_while_it_lasts_and_once_after_it() {
        let touched = Touched::default();
        let (a, b) = (NodeId::generate(), NodeId::generate());
        drop(touched.begin(a));
        let early = touched.begin(b);
        touched.watch(true);
        assert_eq!(touched.take(), Touches::Nodes(vec![b]), "not the unwatched");
        drop(early);
        assert_eq!(touched.take(), Touches::Nodes(vec![b]));
        assert_eq!(touched.take(), Touches::Nodes(Vec::new()));
        let (first, second) = (touched.begin(a), touched.begin(a));
        drop(first);
        assert_eq!(touched.take(), Touches::Nodes(vec![a]));
        drop(second);
        assert_eq!(touched.take(), Touches::Nodes(vec![a]));
        touched.watch(false);
        drop(touched.begin(a));
        assert_eq!(touched.take(), Touches::Nodes(Vec::new()));
    }

    #[test]
    fn too_many_notes_are_said_to_be_too_many() {
        let touched = Touched::default();
        touched.watch(true);
        for _ in 0..=MOST {
            drop(touched.begin(NodeId::generate()));
        }
        assert_eq!(touched.take(), Touches::TooMany);
        assert_eq!(touched.take(), Touches::Nodes(Vec::new()));
    }
}
