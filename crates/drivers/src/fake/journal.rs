//! A file with one line for the beginning and one for the end of every change of a fake machine.
//!
//! Several conductors may append to one file: the kernel puts whole lines one after the other, so
//! the order of the lines is the order of events, whatever the clocks say. A change whose conductor
//! was killed has no end.

use serde_json::json;
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};
use types::{LeaseProof, NodeId, Timestamp};

#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    calls: AtomicU64,
}

impl Journal {
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
    ) -> Entry<'a> {
        let entry = Entry {
            journal: self,
            host,
            operation,
            node: lease.node(),
            generation: lease.generation(),
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
    call: u64,
}

impl Entry<'_> {
    fn write(&self, phase: &str) {
        let mut line = json!({
            "who": self.host,
            "node": self.node,
            "operation": self.operation,
            "generation": self.generation,
            "call": self.call,
            "phase": phase,
            "at_us": Timestamp::now(),
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
