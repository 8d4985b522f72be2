//! The right to work on a node, and who is alive to hold it.
//!
//! A conductor renews a counter in its own row. A peer is dead when its counter stood still for
//! the time-to-live *on the observer's monotonic clock*; wall clocks play no part. A lease on a
//! node is (holder, epoch, generation) without an expiry of its own: it ends when its holder gives
//! it back or is found dead. Every grant raises the generation, and every write under a lease
//! names the generation it was granted, so a holder that lost its lease while it slept cannot
//! write. What such a sleeper could still do is call hardware; therefore a conductor that could
//! not renew for most of the time-to-live refuses itself ([`Pulse::may_act`]), and does so until it
//! has registered anew under a higher epoch, which drops every lease it had.
//!
//! A takeover names the counter on which the verdict rests, and the database grants it only if the
//! counter still has that value: a peer that renewed since the last look is alive after all.
//!
//! This module is the protocol alone; the store carries the same rules out in SQL. It is checked
//! below: exhaustively in the small, and by simulation in the large.

use crate::NodeId;
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, time::Duration};

/// Proof that its bearer was granted the lease on a node.
///
/// Drivers take it by reference, so that no hardware call compiles without one. The store makes
/// them; `generation` is what its writes are fenced with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseProof {
    node: NodeId,
    generation: i64,
}

impl LeaseProof {
    /// To be called by whoever granted the lease, and by tests.
    pub fn granted(node: NodeId, generation: i64) -> Self {
        Self { node, generation }
    }
    pub fn node(&self) -> NodeId {
        self.node
    }
    pub fn generation(&self) -> i64 {
        self.generation
    }
}

/// One incarnation of a conductor.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Holder {
    pub host: String,
    pub epoch: i64,
}

/// The lease columns of a node's row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct LeaseRow {
    pub holder: Option<Holder>,
    pub generation: i64,
}

impl LeaseRow {
    /// Grants the lease if nobody holds it; the answer is the generation of the grant.
    pub fn acquire(&mut self, by: &Holder) -> Option<i64> {
        if self.holder.is_some() {
            return None;
        }
        self.grant(by)
    }

    /// Grants the lease of a holder that was found dead, and only of that one. `member` is what
    /// the dead one's own row says at this moment.
    pub fn take_over(&mut self, verdict: &Verdict, member: (i64, i64), by: &Holder) -> Option<i64> {
        if self.holder.as_ref() != Some(&verdict.dead) || member != (verdict.epoch, verdict.counter)
        {
            return None;
        }
        self.grant(by)
    }

    /// Grants a lease anew to the holder that has it, for a grant whose answer got lost: nobody
    /// works under it.
    pub fn reclaim(&mut self, by: &Holder, generation: i64) -> Option<i64> {
        if self.holder.as_ref() != Some(by) || self.generation != generation {
            return None;
        }
        self.grant(by)
    }

    fn grant(&mut self, by: &Holder) -> Option<i64> {
        self.holder = Some(by.clone());
        self.generation += 1;
        Some(self.generation)
    }

    /// Whether a write that names `generation` reaches the row.
    pub fn admits(&self, generation: i64) -> bool {
        self.holder.is_some() && self.generation == generation
    }

    /// Gives the lease back; false when it was lost before.
    pub fn release(&mut self, generation: i64) -> bool {
        let held = self.admits(generation);
        if held {
            self.holder = None;
        }
        held
    }
}

/// The counter of a conductor that signed off: the epoch in its row is nobody's.
pub const SIGNED_OFF: i64 = -1;

/// The finding that a holder is dead, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub dead: Holder,
    /// What the host's row said when it was last looked at.
    pub epoch: i64,
    pub counter: i64,
}

/// When a conductor last managed to renew its own counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pulse {
    /// Monotonic time just before the last renewal that succeeded was *sent*.
    renewed_at: Duration,
    ttl: Duration,
}

impl Pulse {
    /// A conductor whose registration was sent at `sent` and succeeded. Peers count from the
    /// moment in which it was carried out, which may be long before its answer came.
    pub fn new(sent: Duration, ttl: Duration) -> Self {
        Self {
            renewed_at: sent,
            ttl,
        }
    }

    /// A renewal sent at `sent` succeeded, and its answer came at `answered`. False when that was
    /// too late: it may have been carried out after a peer had given its verdict and taken the
    /// leases over, so the conductor must register anew before it acts again.
    #[must_use]
    pub fn renewed(&mut self, sent: Duration, answered: Duration) -> bool {
        let in_time = self.may_act(answered);
        if in_time {
            self.renewed_at = sent;
        }
        in_time
    }

    /// Whether hardware may still be called.
    pub fn may_act(&self, now: Duration) -> bool {
        now < self.lapses_at()
    }

    /// When hardware may be called no more: two thirds of the time-to-live after a renewal. The
    /// last third covers a call under way and clocks that run at slightly different speeds.
    pub fn lapses_at(&self) -> Duration {
        self.renewed_at + self.ttl * 2 / 3
    }
}

/// What one process saw of the others' counters.
#[derive(Debug, Clone)]
pub struct Watch {
    ttl: Duration,
    seen: HashMap<String, Sighting>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sighting {
    epoch: i64,
    counter: i64,
    /// When this value was first seen, on the observer's clock.
    since: Duration,
    /// When this epoch was.
    epoch_since: Duration,
}

impl Watch {
    pub fn new(ttl: Duration) -> Self {
        Self {
            ttl,
            seen: HashMap::new(),
        }
    }

    /// Notes a peer's counter as read at `now`.
    pub fn observe(&mut self, host: &str, epoch: i64, counter: i64, now: Duration) {
        let fresh = Sighting {
            epoch,
            counter,
            since: now,
            epoch_since: now,
        };
        match self.seen.get_mut(host) {
            Some(old) if (old.epoch, old.counter) == (epoch, counter) => {}
            Some(old) if old.epoch == epoch => (old.counter, old.since) = (counter, now),
            Some(old) => *old = fresh,
            None => {
                self.seen.insert(host.to_owned(), fresh);
            }
        }
    }

    /// Finds this incarnation dead if it signed off, if a later one of the same host has been there
    /// for a third of the time-to-live, or if it was silent for all of it. A peer never seen is not
    /// dead: it may just have come.
    ///
    /// The third is for a call that hardware received from the earlier incarnation. Who comes back
    /// knows that its predecessor is gone, and need not wait; who signed off has ended its calls.
    pub fn verdict(&self, holder: &Holder, now: Duration) -> Option<Verdict> {
        let seen = self.seen.get(&holder.host)?;
        let ended = seen.counter == SIGNED_OFF || now >= seen.epoch_since + self.ttl / 3;
        let replaced = seen.epoch > holder.epoch && ended;
        let silent = seen.epoch == holder.epoch && now >= seen.since + self.ttl;
        (replaced || silent).then(|| Verdict {
            dead: holder.clone(),
            epoch: seen.epoch,
            counter: seen.counter,
        })
    }
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod simulation;
