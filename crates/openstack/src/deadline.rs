//! When a call must be done, whatever it needs.

use std::time::Duration;
use tokio::time::Instant;

/// A moment on the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    pub fn after(duration: Duration) -> Self {
        let now = Instant::now();
        // A duration that no clock can hold means that nobody waits for it.
        let far = Duration::from_secs(365 * 24 * 3600);
        Self(now.checked_add(duration).unwrap_or(now + far))
    }

    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// The outcome of `work`, or nothing when the deadline passes first. `work` is dropped then.
    pub(crate) async fn limit<T>(self, work: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout_at(self.0, work).await.ok()
    }

    /// Sleeps, unless the deadline would pass meanwhile.
    pub(crate) async fn sleep(self, pause: Duration) -> bool {
        let fits = pause < self.remaining();
        if fits {
            tokio::time::sleep(pause).await;
        }
        fits
    }
}
