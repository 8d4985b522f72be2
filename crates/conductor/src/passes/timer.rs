//! When rounds begin, and what is remembered of them.
//!
//! A pass has one task, so its rounds never overlap. The first round begins after half an interval
//! to a whole one, by the names of the host and of the pass: conductors that are started together do
//! not beat together, and neither do the passes of one. A round that takes longer than the interval
//! delays the next one, which then begins at once; the delay is what is reported as lag.

use super::round::Round;
use crate::core::Core;
use std::{
    collections::BTreeMap,
    future::Future,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep_until},
};
use types::{Timestamp, metrics, pass::PassReport};

/// A pass that runs once a day is not to wait for half of it: services are restarted more often.
const FIRST_WITHIN: Duration = Duration::from_secs(600);

/// Runs a pass on a timer until the conductor leaves; an interval of zero switches it off.
pub(super) fn every<P, F, R>(core: &Arc<Core>, name: &'static str, period: Duration, mut pass: P)
where
    P: FnMut(Arc<Core>) -> F + Send + 'static,
    F: Future<Output = R> + Send + 'static,
    R: Into<Round> + Send + 'static,
{
    if period.is_zero() {
        return;
    }
    let mut due = Instant::now() + first(&core.settings.host, name, period);
    core.ledger.book.open(name, period, due);
    let core = Arc::clone(core);
    let tasks = core.tasks.clone();
    tasks.spawn(async move {
        let book = &core.ledger.book;
        while core
            .leaving
            .run_until_cancelled(sleep_until(due))
            .await
            .is_some()
        {
            book.begin(name, due);
            // On a task of its own: a panic ends the round, not the pass, and the end of the
            // conductor ends it wherever it is.
            let mut running = JoinSet::new();
            running.spawn(pass(Arc::clone(&core)));
            let Some(ended) = core.leaving.run_until_cancelled(running.join_next()).await else {
                return;
            };
            let round = match ended {
                Some(Ok(round)) => round.into(),
                _ => {
                    tracing::error!(pass = name, "a round ended unexpectedly");
                    Round::FAILED
                }
            };
            due = (due + period).max(Instant::now());
            book.end(name, round, due);
        }
    });
}

/// After how long the first round begins.
fn first(host: &str, name: &str, period: Duration) -> Duration {
    let mut hasher = DefaultHasher::new();
    (host, name).hash(&mut hasher);
    // The upper bits of the hash, as a number from a half to one.
    let share = 0.5 + (hasher.finish() >> 11) as f64 / (1u64 << 54) as f64;
    period.min(FIRST_WITHIN).mul_f64(share)
}

/// How the passes fare.
#[derive(Debug, Default)]
pub(super) struct Book(Mutex<BTreeMap<&'static str, PassState>>);

#[derive(Debug)]
struct PassState {
    report: PassReport,
    began: Option<Instant>,
    /// When the next round is to begin.
    due: Instant,
    period: Duration,
}

impl Book {
    fn locked(&self) -> MutexGuard<'_, BTreeMap<&'static str, PassState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, name: &'static str, period: Duration, due: Instant) {
        let report = PassReport {
            name: name.to_owned(),
            interval_s: period.as_secs_f64(),
            is_running: false,
            rounds: 0,
            last_began: None,
            last_duration_s: 0.0,
            last_visited: 0,
            last_failed: 0,
            total_duration_s: 0.0,
            total_visited: 0,
            total_failed: 0,
            lag_s: 0.0,
        };
        let entry = PassState {
            report,
            began: None,
            due,
            period,
        };
        self.locked().insert(name, entry);
    }

    fn begin(&self, name: &'static str, due: Instant) {
        if let Some(entry) = self.locked().get_mut(name) {
            let now = Instant::now();
            entry.began = Some(now);
            entry.due = due + entry.period;
            entry.report.is_running = true;
            entry.report.last_began = Some(Timestamp::now());
            entry.report.lag_s = now.saturating_duration_since(due).as_secs_f64();
        }
    }

    fn end(&self, name: &'static str, round: Round, due: Instant) {
        if let Some(entry) = self.locked().get_mut(name) {
            let took = entry.began.take().map(|began| began.elapsed());
            let took = took.unwrap_or_default();
            entry.due = due;
            let report = &mut entry.report;
            metrics::pass_ended(name, Duration::from_secs_f64(report.lag_s.max(0.0)), took);
            let took = took.as_secs_f64();
            report.is_running = false;
            report.rounds += 1;
            report.last_duration_s = took;
            report.last_visited = round.visited;
            report.last_failed = round.failed;
            report.total_duration_s += took;
            report.total_visited += round.visited;
            report.total_failed += round.failed;
        }
    }

    /// What is known by now.
    pub(super) fn reports(&self) -> Vec<PassReport> {
        let now = Instant::now();
        let told = |entry: &PassState| {
            let mut report = entry.report.clone();
            let overdue = now.saturating_duration_since(entry.due).as_secs_f64();
            report.lag_s = report.lag_s.max(overdue);
            report
        };
        self.locked().values().map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conductors_and_passes_do_not_beat_together() {
        let minute = Duration::from_secs(60);
        let mut all: Vec<Duration> = Vec::new();
        for host in 0..10 {
            for name in ["power_sync", "timeouts", "sensors"] {
                all.push(first(&format!("host-{host}"), name, minute));
            }
        }
        assert!(all.iter().all(|&d| (minute / 2..=minute).contains(&d)));
        all.sort();
        all.dedup_by_key(|d| d.as_millis());
        assert!(all.len() > 25, "{all:?}");
        let day = Duration::from_secs(86_400);
        assert!(first("h", "history_purge", day) <= FIRST_WITHIN);
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_round_shows_as_lag() {
        let book = Book::default();
        let second = Duration::from_secs(1);
        let due = Instant::now();
        book.open("p", second, due);
        book.begin("p", due);
        tokio::time::advance(3 * second).await;
        let running = book.reports().remove(0);
        assert!(running.is_running);
        assert_eq!((running.rounds, running.lag_s), (0, 2.0), "overdue by two");
        let round = Round {
            visited: 5,
            failed: 1,
        };
        book.end("p", round, Instant::now());
        book.begin("p", due + second);
        book.end("p", round, Instant::now() + second);
        let ended = book.reports().remove(0);
        assert_eq!((ended.last_visited, ended.total_visited), (5, 10));
        assert_eq!((ended.last_failed, ended.total_failed), (1, 2));
        assert_eq!((ended.last_duration_s, ended.total_duration_s), (0.0, 3.0));
        assert_eq!(ended.lag_s, 2.0, "that is how late the last one began");
    }
}
