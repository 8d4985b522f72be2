//! Whether the database has stopped answering.
//!
//! A write has no timeout of its own: after a timeout it may still be committed, and its caller has
//! to know. What can be detected is that writes wait and none has been answered for a long time;
//! then callers stop waiting.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// Writes that wait for their answers.
#[derive(Debug)]
pub(crate) struct Stall(Mutex<State>);

#[derive(Debug)]
struct State {
    waiting: usize,
    /// When a write was answered last, or the first of those that wait was asked for.
    moved: Instant,
}

/// A write that waits until this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting(Arc<Stall>);

impl Stall {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(State {
            waiting: 0,
            moved: Instant::now(),
        })))
    }

    pub(crate) fn wait(self: &Arc<Self>) -> Waiting {
        let mut state = self.state();
        if state.waiting == 0 {
            state.moved = Instant::now();
        }
        state.waiting += 1;
        Waiting(Arc::clone(self))
    }

    /// Returns once writes wait and none has been answered for so long.
    pub(crate) async fn lasts(&self, patience: Duration) {
        loop {
            let (waiting, moved) = {
                let state = self.state();
                (state.waiting, state.moved)
            };
            let now = Instant::now();
            let until = match waiting {
                0 => now + patience,
                _ => moved + patience,
            };
            if waiting > 0 && until <= now {
                return;
            }
            sleep_until(until).await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.waiting = state.waiting.saturating_sub(1);
        state.moved = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::timeout;

    const PATIENCE: Duration = Duration::from_secs(20);

    #[tokio::test(start_paused = true)]
    async fn only_writes_without_any_answer_are_a_stall() {
        let stall = Stall::new();
        let lasts = |seconds| timeout(Duration::from_secs(seconds), stall.lasts(PATIENCE));
        assert!(lasts(100).await.is_err(), "nobody waits");
        let slow = stall.wait();
        for _ in 0..10 {
            let other = stall.wait();
            assert!(lasts(15).await.is_err(), "others are answered");
            drop(other);
        }
        assert!(lasts(19).await.is_err());
        assert!(lasts(2).await.is_ok(), "nobody was answered for 20 s");
        drop(slow);
        assert!(lasts(100).await.is_err());
    }
}
