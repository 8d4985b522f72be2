//! The worker pool: a bound on how much runs at once, with a reserve for requests.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use types::{
    Fault,
    metrics::{Raised, WORKERS_BUSY, WORKERS_LIMIT},
};

/// Places for workers. Periodic work may only use the normal ones, so that a conductor busy with
/// time-outs still takes requests.
#[derive(Debug)]
pub(crate) struct Workers {
    normal: Arc<Semaphore>,
    reserve: Arc<Semaphore>,
    /// How many places there are, in this order.
    size: (usize, usize),
}

/// A place in the pool; given back when dropped.
#[derive(Debug)]
pub(crate) struct WorkerSlot {
    _permit: OwnedSemaphorePermit,
    /// A limit of its own that the work is under, besides that of the pool.
    _turn: Option<OwnedSemaphorePermit>,
    _counted: Raised,
}

impl WorkerSlot {
    fn new(permit: OwnedSemaphorePermit) -> Self {
        Self {
            _permit: permit,
            _turn: None,
            _counted: WORKERS_BUSY.raise(),
        }
    }

    /// Gives the turn back together with the place.
    pub(crate) fn with(mut self, turn: OwnedSemaphorePermit) -> Self {
        self._turn = Some(turn);
        self
    }
}

impl Workers {
    pub(crate) fn new(size: usize, reserved_percentage: usize) -> Self {
        let reserved = size * reserved_percentage.min(100) / 100;
        WORKERS_LIMIT.set(i64::try_from(size).unwrap_or(i64::MAX));
        Self {
            normal: Arc::new(Semaphore::new(size - reserved)),
            reserve: Arc::new(Semaphore::new(reserved)),
            size: (size - reserved, reserved),
        }
    }

    /// How many places are taken, of how many there are.
    pub(crate) fn count(&self) -> (u64, u64) {
        let free = self.normal.available_permits() + self.reserve.available_permits();
        let size = self.size.0 + self.size.1;
        (size.saturating_sub(free) as u64, size as u64)
    }

    /// Returns once no worker is at work.
    #[cfg(test)]
    pub(crate) async fn idle(&self) {
        let places = |count| u32::try_from(count).unwrap();
        let _all = self.normal.acquire_many(places(self.size.0)).await.unwrap();
        let _rest = self.reserve.acquire_many(places(self.size.1)).await;
    }

    /// A place for work that a request asked for.
    pub(crate) fn for_request(&self) -> Result<WorkerSlot, Fault> {
        let normal = Arc::clone(&self.normal).try_acquire_owned();
        let permit = normal.or_else(|_| Arc::clone(&self.reserve).try_acquire_owned());
        permit.map(WorkerSlot::new).map_err(|_| Fault::NoFreeWorker)
    }

    /// A place for work that must be done and may wait for its turn: resumed flows, periodic work.
    pub(crate) async fn wait(&self) -> WorkerSlot {
        let permit = Arc::clone(&self.normal).acquire_owned().await;
        match permit {
            Ok(permit) => WorkerSlot::new(permit),
            // The semaphore is never closed.
            Err(_) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_may_use_the_reserve_and_then_are_refused() {
        let workers = Workers::new(20, 5);
        assert_eq!(workers.count(), (0, 20));
        let places: Vec<_> = (0..20).map(|_| workers.for_request().unwrap()).collect();
        assert_eq!(workers.count(), (20, 20));
        assert_eq!(workers.for_request().unwrap_err(), Fault::NoFreeWorker);
        drop(places);
        assert!(workers.for_request().is_ok());
    }

    #[tokio::test]
    async fn periodic_work_leaves_the_reserve_alone() {
        use futures::poll_once;
        let workers = Workers::new(20, 5);
        let mut places = Vec::new();
        for _ in 0..19 {
            places.push(workers.wait().await);
        }
        assert!(
            poll_once(workers.wait()).await.is_none(),
            "the last place is reserved"
        );
        assert!(workers.for_request().is_ok());
    }

    mod futures {
        use std::{future::Future, task::Poll};

        /// What a future answers at once, if it does.
        pub(super) async fn poll_once<F: Future>(future: F) -> Option<F::Output> {
            let mut future = std::pin::pin!(future);
            std::future::poll_fn(|cx| {
                Poll::Ready(match future.as_mut().poll(cx) {
                    Poll::Ready(value) => Some(value),
                    Poll::Pending => None,
                })
            })
            .await
        }
    }
}
