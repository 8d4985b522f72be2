//! One registration of this conductor, and everything that works under it.
//!
//! A worker belongs to the incarnation that its lease was granted to, and ends with it. Every time
//! it would go on it is first asked whether the sign of life is recent enough: a process that was
//! stopped in the middle of a step and wakes an hour later does not take that step any further, not
//! even to the end of the call that it was in. What it had begun is in the node's row, and goes on
//! under a new lease.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;
use types::lease::{Holder, Pulse};

#[derive(Debug)]
pub(crate) struct Incarnation {
    pub(crate) holder: Holder,
    pulse: Mutex<Pulse>,
    /// Origin of the monotonic times that are compared.
    started: Instant,
    /// Cancelled when nobody may work under it any more.
    ended: CancellationToken,
}

impl Incarnation {
    /// `sent` is when the registration was sent, counted from `started`.
    pub(crate) fn new(
        holder: Holder,
        sent: Duration,
        ttl: Duration,
        started: Instant,
    ) -> Arc<Self> {
        // Without fences nobody ever stops for lack of signs of life.
        let ttl = if cfg!(feature = "unfenced") {
            Duration::from_secs(u64::from(u32::MAX))
        } else {
            ttl
        };
        Arc::new(Self {
            holder,
            pulse: Mutex::new(Pulse::new(sent, ttl)),
            started,
            ended: CancellationToken::new(),
        })
    }

    fn pulse<T>(&self, look: impl FnOnce(&mut Pulse) -> T) -> T {
        look(&mut self.pulse.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether hardware may be called.
    pub(crate) fn is_open(&self) -> bool {
        !self.ended.is_cancelled() && self.pulse(|pulse| pulse.may_act(self.started.elapsed()))
    }

    /// Notes that a renewal sent at `sent` was answered just now; false when it came too late to
    /// keep our leases.
    pub(crate) fn renewed(&self, sent: Duration) -> bool {
        let answered = self.started.elapsed();
        !self.ended.is_cancelled() && self.pulse(|pulse| pulse.renewed(sent, answered))
    }

    /// From now on nobody works under it.
    pub(crate) fn end(&self) {
        self.ended.cancel();
    }

    /// Ends it as soon as its sign of life is too old; returns when it has ended.
    pub(crate) async fn watch(self: Arc<Self>) {
        loop {
            let lapses_at = self.pulse(|pulse| pulse.lapses_at());
            let left = lapses_at.saturating_sub(self.started.elapsed());
            if left.is_zero() {
                break;
            }
            let wait = tokio::time::sleep(left);
            if self.ended.run_until_cancelled(wait).await.is_none() {
                return;
            }
        }
        tracing::error!(
            epoch = self.holder.epoch,
            "no sign of life could be given in time; all work stops until we have registered anew"
        );
        self.end();
    }

    /// Works for as long as it is allowed; `None` when the work was left where it was.
    pub(crate) async fn while_open<F: Future>(&self, work: F) -> Option<F::Output> {
        let mut work = pin!(work);
        let mut ended = pin!(self.ended.cancelled());
        poll_fn(|cx| {
            if ended.as_mut().poll(cx).is_ready() || !self.is_open() {
                return Poll::Ready(None);
            }
            work.as_mut().poll(cx).map(Some)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    const TTL: Duration = Duration::from_secs(60);

    fn incarnation(ttl: Duration) -> Arc<Incarnation> {
        let holder = Holder {
            host: "a".into(),
            epoch: 1,
        };
        Incarnation::new(holder, Duration::ZERO, ttl, Instant::now())
    }

    #[tokio::test]
    async fn work_ends_with_its_incarnation() {
        let incarnation = incarnation(TTL);
        assert_eq!(incarnation.while_open(async { 7 }).await, Some(7));
        let other = Arc::clone(&incarnation);
        let work =
            tokio::spawn(async move { other.while_open(std::future::pending::<()>()).await });
        incarnation.end();
        assert_eq!(work.await.unwrap(), None);
        assert!(!incarnation.is_open());
        assert!(!incarnation.renewed(Duration::ZERO));
    }

    /// The process stood still: nothing told the worker, and yet it does not go on.
    #[tokio::test]
    async fn whoever_wakes_too_late_does_not_go_on() {
        let incarnation = incarnation(Duration::from_millis(500));
        let steps = AtomicU32::new(0);
        let work = incarnation.while_open(async {
            loop {
                steps.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
        });
        // Not the clock of the runtime but that of the machine decides, so it is what passes here.
        assert_eq!(work.await, None::<()>);
        assert!(steps.load(Ordering::Relaxed) > 0);
        assert!(!incarnation.renewed(Duration::from_millis(1)), "too late");
    }

    #[tokio::test]
    async fn silence_ends_it() {
        let incarnation = incarnation(Duration::from_millis(30));
        Arc::clone(&incarnation).watch().await;
        assert!(!incarnation.is_open());
    }
}
