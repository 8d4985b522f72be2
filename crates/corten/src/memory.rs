//! Memory that large requests used goes back to the system.
//!
//! The allocator of glibc keeps what was freed in small pieces, also when all of it is free: after
//! one large document the process would stay as large as it was at that moment. It is asked to let
//! go a moment after much was freed. Other allocators (musl's) let go by themselves.

use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use types::memory_budget;

/// How often is looked whether there is something to give back.
const EVERY: Duration = Duration::from_secs(1);

/// Gives memory back until `over`.
pub(crate) async fn give_back(over: CancellationToken) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = over.cancelled() => return,
            _ = ticks.tick() => {}
        }
        if memory_budget::take_returned() {
            // It takes some milliseconds for each GiB, during which others wait for memory only.
            let _ = tokio::task::spawn_blocking(trim).await;
        }
    }
}

#[cfg(target_env = "gnu")]
#[allow(unsafe_code)]
fn trim() {
    // SAFETY: the function takes no pointer, may be called from any thread, and touches only memory
    // that the allocator holds as free.
    let released = unsafe { libc::malloc_trim(0) };
    tracing::debug!(
        released = released == 1,
        "memory was given back to the system"
    );
}

#[cfg(not(target_env = "gnu"))]
fn trim() {}
