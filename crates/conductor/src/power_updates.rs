//! Tells Nova about the power of its instances.
//!
//! Nova looks at power states every ten minutes by itself and may switch a machine back that it
//! believes to be in another state, so it is told at once. Whoever switches a machine does not wait
//! for that: what is to be sent is noted, one state for each instance, and the newest one counts.
//! Those that have waited longest are sent first, and what has waited longer than Nova's own look
//! takes is not sent at all: a Nova that answers slowly is not told the past for hours. Nothing of it
//! is kept: after a restart Nova finds the state by its own look. The conductor that changed a state
//! sends it, so that a cluster sends it once.

use crate::core::Core;
use openstack::{
    Deadline, Error, Outage, Reason,
    nova::{EventOutcome, Nova},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;
use types::{Node, PowerState};

/// How many events are on their way at once.
const MOST: usize = 16;
const PATIENCE: Duration = Duration::from_secs(30);
/// How long an event is worth sending: Nova's `sync_power_state_interval`, as it is by default.
const STALE: Duration = Duration::from_secs(600);

#[derive(Debug)]
pub(crate) struct PowerUpdates {
    nova: Nova,
    queue: Mutex<Queue>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: BTreeMap<String, Waiting>,
    /// Instances whose event is on its way: the next one waits, so that it arrives later.
    sending: BTreeSet<String>,
}

#[derive(Debug)]
struct Waiting {
    power: PowerState,
    since: Instant,
}

impl Queue {
    fn note(&mut self, server: &str, power: PowerState, now: Instant) {
        let waiting = Waiting { power, since: now };
        self.waiting.insert(server.to_owned(), waiting);
    }

    /// The next event that can be sent.
    fn next(&mut self) -> Option<(String, PowerState)> {
        if self.sending.len() >= MOST {
            return None;
        }
        let waiting = self.waiting.iter();
        let (server, _) = waiting
            .filter(|(server, _)| !self.sending.contains(*server))
            .min_by_key(|(_, waiting)| waiting.since)?;
        let (server, waiting) = self.waiting.remove_entry(&server.clone())?;
        self.sending.insert(server.clone());
        Some((server, waiting.power))
    }

    /// Forgets what has waited too long; says how many events that were.
    fn forget_stale(&mut self, now: Instant) -> usize {
        let before = self.waiting.len();
        let waits = |waiting: &Waiting| now.saturating_duration_since(waiting.since);
        self.waiting.retain(|_, waiting| waits(waiting) < STALE);
        before - self.waiting.len()
    }
}

impl Core {
    /// The machine is in another power state than before, or was restarted.
    pub(crate) fn power_changed(&self, node: &Node) {
        if let (Some(updates), Some(server)) = (&self.power_updates, &node.instance_uuid)
            && let Some(power @ (PowerState::On | PowerState::Off)) = node.power_state
        {
            updates.queue().note(server, power, Instant::now());
            updates.wake.notify_one();
        }
    }
}

impl PowerUpdates {
    pub(crate) fn new(nova: Nova) -> Arc<Self> {
        Arc::new(Self {
            nova,
            queue: Mutex::default(),
            wake: Notify::new(),
        })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends events until it is told to stop.
    pub(crate) async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut sending = JoinSet::new();
        loop {
            let stale = self.queue().forget_stale(Instant::now());
            if stale > 0 {
                tracing::warn!(
                    stale,
                    "Nova was not told power states because it answers too slowly; it finds them by its own look"
                );
            }
            loop {
                let Some((server, power)) = self.queue().next() else {
                    break;
                };
                let nova = self.nova.clone();
                sending.spawn(async move {
                    let sent = nova.power_update(&server, power, Deadline::after(PATIENCE));
                    tell(&server, power, sent.await);
                    server
                });
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.wake.notified() => {}
                Some(sent) = sending.join_next(), if !sending.is_empty() => match sent {
                    Ok(server) => {
                        self.queue().sending.remove(&server);
                    }
                    Err(error) => {
                        tracing::error!(%error, "sending a power state to Nova ended early");
                        // Which one it was is not known any more.
                        self.queue().sending.clear();
                    }
                },
            }
        }
    }
}

/// What came of an event. In the words of Ironic, as far as it has some.
fn tell(server: &str, power: PowerState, outcome: Result<Option<EventOutcome>, Error>) {
    match outcome {
        Ok(Some(EventOutcome::Accepted) | None) => {
            tracing::debug!(server, %power, "Nova was told the power state");
        }
        Ok(Some(EventOutcome::UnknownServer)) => {
            tracing::warn!(server, %power, "Failed to notify nova on event: Nova does not know the server");
        }
        Ok(Some(EventOutcome::Failed(code))) => {
            tracing::error!(server, %power, code, "Failed to notify nova on event");
        }
        Err(error) => {
            let (why, remedy) = (types::error::chain(&error), error.remedy());
            match error.reason {
                Reason::Unavailable(Outage::Answered(_)) | Reason::Rejected(_) => {
                    tracing::error!(server, %power, "Failed to notify nova on event: {why}; {remedy}");
                }
                _ => {
                    tracing::error!(server, %power, "Could not connect to Nova to send a power notification, please check configuration. {why}; {remedy}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(queue: &mut Queue, server: &str, power: PowerState) {
        queue.note(server, power, Instant::now());
    }

    #[test]
    fn the_newest_state_of_an_instance_counts_and_waits_for_the_one_before() {
        let mut queue = Queue::default();
        noted(&mut queue, "a", PowerState::On);
        assert_eq!(queue.next(), Some(("a".into(), PowerState::On)));
        noted(&mut queue, "a", PowerState::On);
        noted(&mut queue, "a", PowerState::Off);
        assert_eq!(queue.next(), None, "the first is on its way");
        noted(&mut queue, "b", PowerState::On);
        assert_eq!(queue.next(), Some(("b".into(), PowerState::On)));
        queue.sending.remove("a");
        assert_eq!(queue.next(), Some(("a".into(), PowerState::Off)));
        assert_eq!(queue.next(), None);
    }

    #[test]
    fn only_so_many_are_on_their_way() {
        let mut queue = Queue::default();
        for number in 0..MOST + 1 {
            noted(&mut queue, &format!("{number:03}"), PowerState::On);
        }
        assert_eq!(std::iter::from_fn(|| queue.next()).count(), MOST);
    }

    #[test]
    fn whoever_waits_longest_is_next_and_what_nova_knows_by_now_is_dropped() {
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let mut queue = Queue::default();
        queue.note("c", PowerState::On, after(0));
        queue.note("b", PowerState::On, after(1));
        queue.note("a", PowerState::On, after(2));
        queue.note("c", PowerState::Off, after(500));
        assert_eq!(queue.next(), Some(("b".into(), PowerState::On)));
        assert_eq!(queue.forget_stale(after(601)), 0);
        assert_eq!(queue.forget_stale(after(602)), 1, "a");
        assert_eq!(queue.next(), Some(("c".into(), PowerState::Off)));
        assert_eq!(queue.next(), None);
    }
}
