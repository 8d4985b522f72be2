//! The clock that the journal of the fake hardware uses: time since the machine was started.

use rustix::time::{ClockId, clock_gettime};

pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let [seconds, rest] = [now.tv_sec, now.tv_nsec].map(i64::unsigned_abs);
    seconds * 1_000_000_000 + rest
}
