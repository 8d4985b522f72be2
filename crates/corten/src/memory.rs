//! Memory that large requests used goes back to the system.
//!
//! The allocator of glibc keeps what was freed in small pieces, also when all of it is free: after
//! one large document the process would stay as large as it was at that moment. It is asked to
//! release free memory soon after much was freed, and now and then in any case. Other allocators
//! (musl's) release it by themselves. The program's own [code] is unmapped when the process is idle.

mod code;

use api::ApiState;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use types::memory_budget;

/// How often it is checked whether a large request ended.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// After so many checks free memory is released even if no large request ended.
const CHECKS_BETWEEN_TRIMS: u32 = 15;

/// Pieces of this size are mapped on their own, and this much may stay free at the end of an arena.
#[cfg(target_env = "gnu")]
const THRESHOLD: libc::c_int = 256 * 1024;

/// Stops glibc from raising its thresholds.
///
/// Once a mapped piece of up to 32 MiB was freed, glibc takes pieces of that size from its arenas and
/// keeps twice as much free at the end of each (mallopt(3), `M_MMAP_THRESHOLD`). `malloc_trim` does
/// not release the end of any arena but the first, so that memory would stay with the process.
#[cfg(target_env = "gnu")]
#[allow(unsafe_code)]
pub(crate) fn fix_thresholds() {
    for option in [libc::M_MMAP_THRESHOLD, libc::M_TRIM_THRESHOLD] {
        // SAFETY: the function takes two integers, and glibc locks what it changes.
        unsafe { libc::mallopt(option, THRESHOLD) };
    }
}

#[cfg(not(target_env = "gnu"))]
pub(crate) fn fix_thresholds() {}

/// Releases free memory until `over`.
pub(crate) async fn give_back(over: CancellationToken) {
    let mut ticks = interval(CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut checks_since_trim = 0;
    let mut rest = Rest::default();
    loop {
        tokio::select! {
            () = over.cancelled() => return,
            _ = ticks.tick() => {}
        }
        if rest.begins(cpu_time()) {
            let _ = tokio::task::spawn_blocking(unmap_code).await;
        }
        api::answer_buffer::release();
        checks_since_trim += 1;
        if memory_budget::take_returned() || checks_since_trim == CHECKS_BETWEEN_TRIMS {
            checks_since_trim = 0;
            // It takes some milliseconds for each GiB, during which others wait for memory only.
            let _ = tokio::task::spawn_blocking(trim).await;
        }
    }
}

/// Tells when a busy process comes to rest, from the CPU time it has used at each check.
#[derive(Debug, Default)]
struct Rest {
    used: Duration,
    idle_checks: u32,
}

impl Rest {
    /// A process that uses more CPU time than this between two checks is busy.
    const BUSY: Duration = Duration::from_millis(20);

    /// Whether this is the second check in a row that found the process idle, after it was busy.
    fn begins(&mut self, used: Duration) -> bool {
        let since = used.saturating_sub(self.used);
        self.used = used;
        if since > Self::BUSY {
            self.idle_checks = 0;
        } else {
            self.idle_checks = self.idle_checks.saturating_add(1);
        }
        self.idle_checks == 2
    }
}

fn cpu_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime)
        .try_into()
        .unwrap_or_default()
}

fn unmap_code() {
    match code::unmap() {
        Ok(bytes) => tracing::trace!(bytes, "unmapped code that may not run again"),
        Err(error) => tracing::debug!(%error, "code stays mapped"),
    }
}

/// How long the API must have no request until it gives back what it keeps for the next one. A client
/// that polls does so more often.
const QUIET: Duration = Duration::from_secs(12);

/// Has the API give back the answers that it keeps when nobody asks, until `over`.
pub(crate) async fn give_back_answers(state: ApiState, over: CancellationToken) {
    let mut ticks = interval(QUIET);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while over.run_until_cancelled(ticks.tick()).await.is_some() {
        state.release_memory();
    }
}

#[cfg(target_env = "gnu")]
#[allow(unsafe_code)]
fn trim() {
    // SAFETY: the function takes no pointer, may be called from any thread, and touches only memory
    // that the allocator holds as free.
    let released = unsafe { libc::malloc_trim(0) };
    tracing::trace!(
        released = released == 1,
        "released free memory to the system"
    );
}

#[cfg(not(target_env = "gnu"))]
fn trim() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_begins_once_after_each_busy_time() {
        let mut rest = Rest::default();
        let checks = [90, 95, 96, 97, 400, 401, 402, 403].map(Duration::from_millis);
        let begins = checks.map(|used| rest.begins(used));
        assert_eq!(
            begins,
            [false, false, true, false, false, false, true, false]
        );
    }
}
