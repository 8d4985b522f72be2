//! A file with one line for the beginning and one for the end of every change of a fake machine.
//!
//! Several conductors may append to one file: the kernel puts whole lines one after the other. The
//! beginning also says how long the hardware is going to be at work, because a conductor that is
//! paused in the middle notes the end when it wakes up, long after the hardware was done. A change
//! whose conductor was killed has no end. Times are those since this machine was started, which
//! nobody sets and all its processes share.

use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    process,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use types::{LeaseProof, NodeId};

#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    calls: AtomicU64,
}

impl Journal {
    #[expect(
        clippy::disallowed_methods,
        reason = "only called before anything is served"
    )]
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self {
            file,
            calls: AtomicU64::new(0),
        })
    }

    /// Notes that a change begins; it ends when the entry is dropped.
    pub(super) fn begin<'a>(
        &'a self,
        host: &'a str,
        lease: &LeaseProof,
        operation: &'a str,
        takes: Duration,
    ) -> Entry<'a> {
        let entry = Entry {
            journal: self,
            host,
            operation,
            node: lease.node(),
            generation: lease.generation(),
            takes,
            call: self.calls.fetch_add(1, Ordering::Relaxed),
        };
        entry.write("begin");
        entry
    }
}

/// A change under way. Also a change that is cancelled has an end.
pub(super) struct Entry<'a> {
    journal: &'a Journal,
    host: &'a str,
    operation: &'a str,
    node: NodeId,
    generation: i64,
    takes: Duration,
    call: u64,
}

/// Nanoseconds since the machine was started, times asleep included.
fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let [seconds, rest] = [now.tv_sec, now.tv_nsec].map(i64::unsigned_abs);
    seconds * 1_000_000_000 + rest
}

impl Entry<'_> {
    fn write(&self, phase: &str) {
        let mut line = json!({
            "who": self.host,
            "pid": process::id(),
            "node": self.node,
            "operation": self.operation,
            "generation": self.generation,
            "call": self.call,
            "phase": phase,
            "at_ns": now_ns(),
            "takes_ns": u64::try_from(self.takes.as_nanos()).unwrap_or(u64::MAX),
        })
        .to_string();
        line.push('\n');
        // One write, so that lines of several processes do not mix.
        if let Err(error) = (&self.journal.file).write_all(line.as_bytes()) {
            tracing::warn!(%error, "cannot write to the journal of the fake hardware");
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.write("end");
    }
}
