//! Machines that nobody enrolled: how many of them become nodes, and how fast.
//!
//! Whoever reaches the endpoint for inspection data can have nodes made where auto-discovery is on.
//! Only so many of them may wait for somebody to look at them, and they come one after the other.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use store::{Db, StoreError};
use types::{Node, ProvisionState, internal_info::AUTO_DISCOVERED};

/// What tells a discovered node from one that somebody enrolled, among its internal notes.
/// How many may come at once, such as the machines of a rack.
const BURST: u32 = 40;
/// After how long one more may come.
const EVERY: Duration = Duration::from_secs(1);

/// The largest report of a machine that nobody knows, in bytes. It becomes a row of the database.
pub const LARGEST_REPORT: usize = 1024 * 1024;

/// Why a machine does not become a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotNow {
    /// As many as may be wait to be looked at.
    Full { limit: u32 },
    /// Too many came in too short a time.
    Pace,
}

/// Lets machines in that nobody enrolled.
pub struct DiscoveryGate {
    limit: u32,
    bucket: Mutex<Bucket>,
    /// Held from the count to the new node, so that the count holds.
    turn: tokio::sync::Mutex<()>,
}

impl std::fmt::Debug for DiscoveryGate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiscoveryGate")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

struct Bucket {
    left: u32,
    filled: Instant,
}

impl Bucket {
    fn take(&mut self, now: Instant) -> bool {
        let waited = now.saturating_duration_since(self.filled);
        let more = u32::try_from(waited.as_secs() / EVERY.as_secs()).unwrap_or(BURST);
        if more > 0 {
            self.left = self.left.saturating_add(more).min(BURST);
            self.filled += EVERY * more;
        }
        let has = self.left > 0;
        self.left = self.left.saturating_sub(1);
        has
    }
}

impl Default for DiscoveryGate {
    fn default() -> Self {
        Self::new(100)
    }
}

/// The turn of one machine; the next one waits until this is dropped.
#[derive(Debug)]
pub struct Turn<'a> {
    _turn: tokio::sync::MutexGuard<'a, ()>,
}

impl DiscoveryGate {
    /// At most `limit` discovered nodes may be in `enroll`.
    pub fn new(limit: u32) -> Self {
        Self {
            limit,
            bucket: Mutex::new(Bucket {
                left: BURST,
                filled: Instant::now(),
            }),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// The turn to make a node of a machine, if there may be one more.
    pub async fn pass(&self, db: &Db) -> Result<Result<Turn<'_>, NotNow>, StoreError> {
        let turn = self.turn.lock().await;
        let mark = format!("\"{AUTO_DISCOVERED}\"");
        let waiting = store::node::count_with_note(db, ProvisionState::Enroll, mark).await?;
        if waiting >= i64::from(self.limit) {
            return Ok(Err(NotNow::Full { limit: self.limit }));
        }
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(if bucket.take(Instant::now()) {
            Ok(Turn { _turn: turn })
        } else {
            Err(NotNow::Pace)
        })
    }
}

/// Notes that a node was discovered.
pub fn mark(node: &mut Node) {
    node.driver_internal_info.mark_discovered();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rack_comes_at_once_and_a_flood_does_not() {
        let start = Instant::now();
        let mut bucket = Bucket {
            left: BURST,
            filled: start,
        };
        let taken = (0..1000).filter(|_| bucket.take(start)).count();
        assert_eq!(taken, BURST as usize);
        let later = start + EVERY * 3;
        let taken = (0..1000).filter(|_| bucket.take(later)).count();
        assert_eq!(taken, 3);
        let much_later = start + EVERY * 100_000;
        let taken = (0..1000).filter(|_| bucket.take(much_later)).count();
        assert_eq!(taken, BURST as usize);
    }
}
