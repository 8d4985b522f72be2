//! A file with one line for the beginning and one for the end of every change of a fake machine.
//!
//! Several conductors may append to one file: the kernel puts whole lines one after the other. The
//! beginning also says how long the hardware is going to be at work, because a conductor that is
//! paused in the middle notes the end when it wakes up, long after the hardware was done. A change
//! whose conductor was killed has no end. Times are those since this machine was started, which
//! nobody sets and all its processes share.
//!
//! A thread of its own writes, in the order of the lines. A change begins when the line that says
//! so is written.

#![expect(clippy::disallowed_types, reason = "written on a thread of its own")]

use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    process,
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};
use tokio::sync::oneshot;
use types::{LeaseProof, NodeId};

#[derive(Debug)]
pub(super) struct Journal {
    lines: mpsc::Sender<Line>,
    calls: AtomicU64,
}

/// A line, and who waits for it to be written.
type Line = (String, Option<oneshot::Sender<()>>);

impl Journal {
    #[expect(
        clippy::disallowed_methods,
        reason = "only called before anything is served"
    )]
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let (lines, received) = mpsc::channel();
        thread::Builder::new()
            .name("fake-journal".to_owned())
            .spawn(move || write_lines(&file, &received))?;
        Ok(Self {
            lines,
            calls: AtomicU64::new(0),
        })
    }

    /// Notes that a change begins; it ends when the entry is dropped.
    pub(super) async fn begin<'a>(
        &'a self,
        host: &'a str,
        lease: &LeaseProof,
        operation: &'a str,
        takes: Duration,
    ) -> ChangeUnderWay<'a> {
        let entry = ChangeUnderWay {
            journal: self,
            host,
            operation,
            node: lease.node(),
            generation: lease.generation(),
            takes,
            call: self.calls.fetch_add(1, Ordering::Relaxed),
            has_ended: false,
        };
        entry.note("begin").await;
        entry
    }
}

fn write_lines(mut file: &File, lines: &mpsc::Receiver<Line>) {
    for (line, written) in lines {
        // One write, so that lines of several processes do not mix.
        if let Err(error) = file.write_all(line.as_bytes()) {
            tracing::warn!(%error, "cannot write to the journal of the fake hardware");
        }
        if let Some(written) = written {
            // The change that waited may have been cancelled.
            let _ = written.send(());
        }
    }
}

/// A change under way. Also a change that is cancelled has an end.
pub(super) struct ChangeUnderWay<'a> {
    journal: &'a Journal,
    host: &'a str,
    operation: &'a str,
    node: NodeId,
    generation: i64,
    takes: Duration,
    call: u64,
    has_ended: bool,
}

/// Nanoseconds since the machine was started, times asleep included.
fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let [seconds, rest] = [now.tv_sec, now.tv_nsec].map(i64::unsigned_abs);
    seconds * 1_000_000_000 + rest
}

impl ChangeUnderWay<'_> {
    /// Notes the end of a change that was not cancelled.
    pub(super) async fn end(mut self) {
        self.has_ended = true;
        self.note("end").await;
    }

    /// Writes a line; returns when it is written.
    async fn note(&self, phase: &str) {
        let (written, is_written) = oneshot::channel();
        self.write(phase, Some(written));
        // It is dropped if the thread is gone.
        let _ = is_written.await;
    }

    fn write(&self, phase: &str, written: Option<oneshot::Sender<()>>) {
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
        // The thread lives as long as the journal.
        let _ = self.journal.lines.send((line, written));
    }
}

impl Drop for ChangeUnderWay<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.write("end", None);
        }
    }
}
