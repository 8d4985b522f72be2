//! Machines whose management does not let us in, and when it is tried again.
//!
//! BMCs count wrong passwords and lock the account, and then also people are locked out. So a pass
//! that was refused leaves the machine alone for a while, which doubles each time, until somebody
//! changes what the node says about it.

use drivers::DriverError;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use types::{JsonMap, Node, NodeId};

const FIRST_PAUSE: Duration = Duration::from_secs(120);
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// What is known of the refusals in a row of one machine.
#[derive(Debug)]
struct Refusal {
    /// What the node said then; its secrets are sealed.
    driver_info: JsonMap,
    pause: Duration,
    until: Instant,
}

/// The machines that refused us at the last attempt.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<HashMap<NodeId, Refusal>>);

impl Refusals {
    fn locked(&self) -> MutexGuard<'_, HashMap<NodeId, Refusal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a machine is to be left alone for now.
    pub(super) fn is_paused(&self, node: &Node, now: Instant) -> bool {
        let known = self.locked();
        let refusal = known.get(&node.id);
        refusal.is_some_and(|refusal| now < refusal.until && refusal.is_about(node))
    }

    /// Takes note of what came of an attempt.
    pub(super) fn note<T>(&self, node: &Node, outcome: &Result<T, DriverError>, now: Instant) {
        let mut known = self.locked();
        let before = known.remove(&node.id);
        let Err(DriverError::Refused(_)) = outcome else {
            return;
        };
        let pause = match before.filter(|before| before.is_about(node)) {
            Some(before) => (before.pause * 2).min(LONGEST_PAUSE),
            None => FIRST_PAUSE,
        };
        let refusal = Refusal {
            driver_info: node.driver_info.clone(),
            pause,
            until: now + pause,
        };
        known.insert(node.id, refusal);
    }

    /// Forgets machines that nobody asks about any more: their nodes may be gone.
    pub(super) fn forget_old(&self, now: Instant) {
        let is_recent = |refusal: &Refusal| now < refusal.until + LONGEST_PAUSE;
        self.locked().retain(|_, refusal| is_recent(refusal));
    }
}

impl Refusal {
    fn is_about(&self, node: &Node) -> bool {
        self.driver_info == node.driver_info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> Result<(), DriverError> {
        Err(DriverError::Refused("wrong password".into()))
    }

    #[test]
    fn pauses_grow_to_a_bound() {
        let refusals = Refusals::default();
        let node = Node::new(NodeId::generate(), "ipmi");
        let mut now = Instant::now();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            assert!(!refusals.is_paused(&node, now));
            refusals.note(&node, &refused(), now);
            let pause = refusals.locked()[&node.id].pause;
            assert!(refusals.is_paused(&node, now + pause - Duration::from_secs(1)));
            now += pause;
            pauses.push(pause.as_secs());
        }
        assert_eq!(pauses, [120, 240, 480, 960, 1920, 3600, 3600, 3600]);
    }

    #[test]
    fn new_credentials_are_tried_at_once() {
        let refusals = Refusals::default();
        let mut node = Node::new(NodeId::generate(), "ipmi");
        let now = Instant::now();
        refusals.note(&node, &refused(), now);
        refusals.note(&node, &refused(), now);
        node.driver_info
            .insert("ipmi_password".into(), "new".into());
        assert!(!refusals.is_paused(&node, now));
        refusals.note(&node, &refused(), now);
        assert_eq!(refusals.locked()[&node.id].pause, FIRST_PAUSE);
    }

    #[test]
    fn whatever_is_no_refusal_ends_the_pause() {
        let refusals = Refusals::default();
        let node = Node::new(NodeId::generate(), "ipmi");
        let now = Instant::now();
        for outcome in [Ok(()), Err(DriverError::Unreachable("no answer".into()))] {
            refusals.note(&node, &refused(), now);
            refusals.note(&node, &outcome, now);
            assert!(!refusals.is_paused(&node, now), "{outcome:?}");
        }
        refusals.note(&node, &refused(), now);
        refusals.forget_old(now + FIRST_PAUSE + LONGEST_PAUSE);
        assert!(refusals.locked().is_empty());
    }
}
