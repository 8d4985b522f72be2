//! Which leases somebody in this process works under.
//!
//! A grant whose answer got lost leaves a lease in our name that nobody knows of. It is found by
//! comparing the database with this list, which therefore has every lease from the moment of its
//! grant to the end of its worker.

use crate::core::Core;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::Notify;
use types::{Node, NodeId};

#[derive(Debug, Default)]
pub(crate) struct HeldLeases {
    /// The generation of each lease.
    held: Mutex<HashMap<NodeId, i64>>,
    emptied: Notify,
}

impl HeldLeases {
    fn held<T>(&self, look: impl FnOnce(&mut HashMap<NodeId, i64>) -> T) -> T {
        look(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether somebody works under this grant.
    pub(crate) fn hold(&self, node: NodeId, generation: i64) -> bool {
        self.held(|held| held.get(&node) == Some(&generation))
    }

    /// The generations of all leases that somebody works under.
    pub(crate) fn all(&self) -> HashMap<NodeId, i64> {
        self.held(|held| held.clone())
    }

    /// Returns when nobody works under any lease.
    pub(crate) async fn empty(&self) {
        loop {
            let emptied = self.emptied.notified();
            if self.held(|held| held.is_empty()) {
                return;
            }
            emptied.await;
        }
    }
}

/// A lease that was granted to us, with the node as it is under it.
pub(crate) struct Lease {
    pub(crate) node: Node,
    pub(crate) hand: Hand,
}

/// An entry of the list; dropped when its worker has ended.
pub(crate) struct Hand {
    core: Arc<Core>,
    node: NodeId,
    generation: i64,
}

impl Core {
    /// Notes a lease that was just granted to us.
    pub(crate) fn in_hand(self: &Arc<Self>, node: Node) -> Lease {
        let (id, generation) = (node.id, node.lease_generation);
        self.hands.held(|held| held.insert(id, generation));
        let hand = Hand {
            core: Arc::clone(self),
            node: id,
            generation,
        };
        Lease { node, hand }
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        let hands = &self.core.hands;
        let is_empty = hands.held(|held| {
            // A later grant of the same lease has an entry of its own.
            if held.get(&self.node) == Some(&self.generation) {
                held.remove(&self.node);
            }
            held.is_empty()
        });
        if is_empty {
            hands.emptied.notify_waiters();
        }
    }
}
