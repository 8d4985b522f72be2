//! Tells Nova about the power of its instances.
//!
//! Nova looks at power states every ten minutes by itself and may switch a machine back that it
//! believes to be in another state, so it is told at once. Whoever switches a machine does not wait
//! for that: what is to be sent is noted, one state for each instance, and the newest one counts.
//! Those that have waited longest are sent first. What did not reach Nova is sent again after a while,
//! but nothing longer than Nova's own look takes: a Nova that is away or answers slowly is not told the
//! past for hours. Nothing of it is kept: after a restart Nova finds the state by its own look. The
//! conductor that changed a state sends it, so that a cluster sends it once.

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
/// How long an event that did not reach Nova waits for the next attempt.
const AGAIN: Duration = Duration::from_secs(30);

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Waiting {
    power: PowerState,
    since: Instant,
    /// When it may be sent.
    due: Instant,
    is_repeated: bool,
}

impl Queue {
    fn note(&mut self, server: &str, power: PowerState, now: Instant) {
        let waiting = Waiting {
            power,
            since: now,
            due: now,
            is_repeated: false,
        };
        self.waiting.insert(server.to_owned(), waiting);
    }

    /// Those of which none is on its way.
    fn free(&self) -> impl Iterator<Item = (&String, &Waiting)> {
        let waiting = self.waiting.iter();
        waiting
            .filter(move |(server, _)| self.sending.len() < MOST && !self.sending.contains(*server))
    }

    /// The next event that can be sent.
    fn next(&mut self, now: Instant) -> Option<(String, Waiting)> {
        let due = self.free().filter(|(_, waiting)| waiting.due <= now);
        let (server, _) = due.min_by_key(|(_, waiting)| waiting.since)?;
        let (server, waiting) = self.waiting.remove_entry(&server.clone())?;
        self.sending.insert(server.clone());
        Some((server, waiting))
    }

    /// When there is one that can be sent.
    fn due(&self) -> Option<Instant> {
        self.free().map(|(_, waiting)| waiting.due).min()
    }

    /// An event was answered, or is to be sent again. A state that is newer counts instead.
    fn sent(&mut self, server: &str, again: Option<Waiting>, now: Instant) {
        self.sending.remove(server);
        if let Some(waiting) = again {
            let again = Waiting {
                due: now + AGAIN,
                is_repeated: true,
                ..waiting
            };
            self.waiting.entry(server.to_owned()).or_insert(again);
        }
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
                    "Nova was not told power states for ten minutes because it is away or answers too slowly; it finds them by its own look"
                );
            }
            loop {
                let Some((server, waiting)) = self.queue().next(Instant::now()) else {
                    break;
                };
                let nova = self.nova.clone();
                sending.spawn(async move {
                    let power = waiting.power;
                    let sent = nova.power_update(&server, power, Deadline::after(PATIENCE));
                    let sent = sent.await;
                    let is_lost = sent.as_ref().is_err_and(may_pass);
                    tell(&server, &waiting, sent);
                    (server, is_lost.then_some(waiting))
                });
            }
            let due = self.queue().due();
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.wake.notified() => {}
                () = until(due) => {}
                Some(sent) = sending.join_next(), if !sending.is_empty() => match sent {
                    Ok((server, again)) => self.queue().sent(&server, again, Instant::now()),
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

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}

/// Whether Nova may take the event later.
fn may_pass(error: &Error) -> bool {
    matches!(
        error.reason,
        Reason::Unavailable(_) | Reason::Timeout { .. }
    )
}

/// What came of an event. In the words of Ironic, as far as it has some.
fn tell(server: &str, waiting: &Waiting, outcome: Result<Option<EventOutcome>, Error>) {
    let power = waiting.power;
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
        // The first attempt told.
        Err(error) if waiting.is_repeated && may_pass(&error) => {
            let why = types::error::chain(&error);
            tracing::debug!(server, %power, why, "Nova is still not reached with a power state");
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

    fn next(queue: &mut Queue) -> Option<(String, PowerState)> {
        let (server, waiting) = queue.next(Instant::now())?;
        Some((server, waiting.power))
    }

    #[test]
    fn the_newest_state_of_an_instance_counts_and_waits_for_the_one_before() {
        let mut queue = Queue::default();
        noted(&mut queue, "a", PowerState::On);
        assert_eq!(next(&mut queue), Some(("a".into(), PowerState::On)));
        noted(&mut queue, "a", PowerState::On);
        noted(&mut queue, "a", PowerState::Off);
        assert_eq!(next(&mut queue), None, "the first is on its way");
        noted(&mut queue, "b", PowerState::On);
        assert_eq!(next(&mut queue), Some(("b".into(), PowerState::On)));
        queue.sending.remove("a");
        assert_eq!(next(&mut queue), Some(("a".into(), PowerState::Off)));
        assert_eq!(next(&mut queue), None);
    }

    #[test]
    fn only_so_many_are_on_their_way() {
        let mut queue = Queue::default();
        for number in 0..MOST + 1 {
            noted(&mut queue, &format!("{number:03}"), PowerState::On);
        }
        assert_eq!(std::iter::from_fn(|| next(&mut queue)).count(), MOST);
    }

    #[test]
    fn whoever_waits_longest_is_next_and_what_nova_knows_by_now_is_dropped() {
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let at = |queue: &mut Queue, seconds: u64| {
            let (server, waiting) = queue.next(after(seconds))?;
            Some((server, waiting.power))
        };
        let mut queue = Queue::default();
        queue.note("c", PowerState::On, after(0));
        queue.note("b", PowerState::On, after(1));
        queue.note("a", PowerState::On, after(2));
        queue.note("c", PowerState::Off, after(500));
        assert_eq!(at(&mut queue, 700), Some(("b".into(), PowerState::On)));
        assert_eq!(queue.forget_stale(after(601)), 0);
        assert_eq!(queue.forget_stale(after(602)), 1, "a");
        assert_eq!(at(&mut queue, 700), Some(("c".into(), PowerState::Off)));
        assert_eq!(at(&mut queue, 700), None);
    }

    #[test]
    fn what_did_not_reach_nova_is_sent_again_unless_there_is_something_newer() {
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let mut queue = Queue::default();
        queue.note("a", PowerState::On, start);
        queue.note("b", PowerState::On, after(1));
        let (a, lost) = queue.next(after(1)).unwrap();
        queue.sent(&a, Some(lost), after(2));
        let (b, other) = queue.next(after(2)).unwrap();
        assert_eq!(b, "b", "the first waits for its next attempt");
        queue.note("b", PowerState::Off, after(3));
        queue.sent(&b, Some(other), after(3));
        let (b, newer) = queue.next(after(3)).unwrap();
        assert_eq!((b.as_str(), newer.power), ("b", PowerState::Off));
        queue.sent(&b, None, after(3));
        assert_eq!(queue.due(), Some(after(2) + AGAIN));
        let (a, again) = queue.next(after(2) + AGAIN).unwrap();
        assert_eq!(a, "a");
        // It is as old as it was.
        assert_eq!((again.since, again.is_repeated), (start, true));
        queue.sent(&a, Some(again), after(40));
        assert_eq!(queue.forget_stale(after(600)), 1);
        assert_eq!(queue.due(), None);
    }
}
