//! One round over many nodes: spread over time, bounded in how much goes on at once, and not
//! stopped by any one of them.

use crate::core::Core;
use std::{future::Future, sync::Arc, time::Duration};
use store::candidate::{Candidate, CandidateQuery};
use tokio::{
    task::{JoinError, JoinSet},
    time::{Instant, sleep_until},
};

/// What a round came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Round {
    pub(super) visited: u64,
    pub(super) failed: u64,
}

impl Round {
    /// A round that came to nothing.
    pub(super) const FAILED: Self = Self {
        visited: 0,
        failed: 1,
    };
}

/// Of passes that count nothing.
impl From<()> for Round {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// What the visit of a node came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visit {
    Done,
    Failed,
    /// There was nothing to do after all; it does not count.
    Skipped,
}

/// Visits under way, a limited number of them.
#[derive(Debug)]
pub(super) struct Visits {
    running: JoinSet<Visit>,
    most: usize,
    round: Round,
}

impl Visits {
    pub(super) fn new(most: usize) -> Self {
        Self {
            running: JoinSet::new(),
            most: most.max(1),
            round: Round::default(),
        }
    }

    /// Begins a visit, once there is room for it.
    pub(super) async fn begin(&mut self, visit: impl Future<Output = Visit> + Send + 'static) {
        while self.running.len() >= self.most {
            let ended = self.running.join_next().await;
            self.count(ended);
        }
        // What has ended is counted as we go, so that nothing piles up.
        while let Some(ended) = self.running.try_join_next() {
            self.count(Some(ended));
        }
        self.running.spawn(visit);
    }

    /// The rest of the round failed.
    pub(super) fn fail(&mut self) {
        self.round.failed += 1;
    }

    /// Waits for those that are under way.
    pub(super) async fn end(mut self) -> Round {
        while let Some(ended) = self.running.join_next().await {
            self.count(Some(ended));
        }
        self.round
    }

    fn count(&mut self, ended: Option<Result<Visit, JoinError>>) {
        match ended {
            None | Some(Ok(Visit::Skipped)) => {}
            Some(Ok(Visit::Done)) => self.round.visited += 1,
            Some(Ok(Visit::Failed)) => {
                self.round.visited += 1;
                self.round.failed += 1;
            }
            Some(Err(error)) => {
                tracing::error!(%error, "the visit of a node ended unexpectedly");
                self.round.failed += 1;
            }
        }
    }
}

/// How a round over machines goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// Over how long it is spread.
    pub(super) spread: Duration,
    /// How many machines are visited at once.
    pub(super) at_once: usize,
}

/// The part of an interval that its round is spread over; the rest is for stragglers.
const SHARE: f64 = 0.8;
/// How often a burst of visits begins.
const BEAT: Duration = Duration::from_secs(1);
/// How many candidates are read at a time at most.
const PAGE: u32 = 500;

impl Plan {
    pub(super) fn new(core: &Core, interval: Duration, at_once: usize) -> Self {
        let spread = if core.settings.spread_passes {
            interval.mul_f64(SHARE)
        } else {
            Duration::ZERO
        };
        Self { spread, at_once }
    }

    /// How many nodes a burst has, so that all of them have their turn in time.
    fn burst(&self, total: u32) -> u32 {
        let beats = self.spread.as_secs() / BEAT.as_secs();
        let beats = u32::try_from(beats).unwrap_or(u32::MAX);
        if beats < 2 {
            return PAGE;
        }
        total.div_ceil(beats).clamp(1, PAGE)
    }

    /// When the node behind `seen` others has its turn.
    fn turn(&self, seen: u32, total: u32) -> Duration {
        let share = f64::from(seen) / f64::from(total.max(1));
        self.spread.mul_f64(share.min(1.0))
    }
}

/// Visits every node of ours that a pass wants, in order of creation: each has its own place in the
/// interval and so is visited about once in each. Candidates are read burst by burst, so that what
/// a visit knows about its node is never old.
pub(super) async fn sweep<V, F>(
    core: &Arc<Core>,
    wanted: CandidateQuery,
    plan: Plan,
    visit: V,
) -> Round
where
    V: Fn(Arc<Core>, Candidate) -> F,
    F: Future<Output = Visit> + Send + 'static,
{
    // Whoever lost touch with the database could not write down what it finds.
    if !core.incarnation().is_open() {
        return Round::FAILED;
    }
    let began = Instant::now();
    let total = if plan.spread < 2 * BEAT {
        0
    } else {
        match store::node::count_in_states(&core.db, &[], None).await {
            Ok(total) => u32::try_from(total).unwrap_or(u32::MAX),
            Err(error) => return unreadable(&error),
        }
    };
    let burst = plan.burst(total);
    let mut visits = Visits::new(plan.at_once);
    let (mut last, mut seen) = (0, 0);
    loop {
        let stretch = store::candidate::stretch(&core.db, wanted, last, burst, core.mine()).await;
        let stretch = match stretch {
            Ok(stretch) => stretch,
            Err(error) => {
                unreadable(&error);
                visits.fail();
                break;
            }
        };
        for candidate in stretch.candidates {
            // Boxed, or the future of every round would be as large as that of a visit.
            let visit = Box::pin(visit(Arc::clone(core), candidate));
            visits.begin(visit).await;
        }
        if stretch.is_end {
            break;
        }
        last = stretch.last;
        seen += stretch.rows;
        if total > 0 {
            sleep_until(began + plan.turn(seen, total)).await;
        }
    }
    visits.end().await
}

pub(super) fn unreadable(error: &store::StoreError) -> Round {
    let error = types::error::chain(error);
    tracing::error!(%error, "the nodes to visit cannot be read");
    Round::FAILED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spread_s: u64, total: u32, burst: u32) {
        let plan = Plan {
            spread: Duration::from_secs(spread_s),
            at_once: 1,
        };
        assert_eq!(plan.burst(total), burst);
    }

    #[test]
    fn bursts_are_small_enough_to_fill_the_time_and_never_too_large() {
        check(96, 10, 1);
        check(96, 960, 10);
        check(96, 961, 11);
        check(96, 10_000_000, PAGE);
        check(0, 10, PAGE);
        check(1, 10, PAGE);
    }

    #[test]
    fn the_last_node_has_its_turn_before_the_interval_is_over() {
        let plan = Plan {
            spread: Duration::from_secs(96),
            at_once: 1,
        };
        assert_eq!(plan.turn(0, 10), Duration::ZERO);
        assert_eq!(plan.turn(5, 10), Duration::from_secs(48));
        assert_eq!(plan.turn(20, 10), plan.spread, "some were added meanwhile");
        assert_eq!(plan.turn(3, 0), plan.spread);
    }

    #[tokio::test]
    async fn one_node_that_fails_or_panics_stops_nobody() {
        let mut visits = Visits::new(2);
        for n in 0..10 {
            visits
                .begin(async move {
                    assert!(n != 3, "as planned");
                    match n % 3 {
                        0 => Visit::Failed,
                        1 => Visit::Done,
                        _ => Visit::Skipped,
                    }
                })
                .await;
            assert!(visits.running.len() <= 2);
        }
        let expected = Round {
            visited: 6,
            failed: 4,
        };
        assert_eq!(visits.end().await, expected);
    }
}
