//! The flight recorder: what was said between us and each machine's BMC, as far back as there is
//! room.
//!
//! Drivers note every exchange on the [`Tape`] of the node that they work for. A tape forgets its
//! oldest exchanges when it is full, and all tapes together stay below a limit: beyond it each is
//! trimmed to an equal share. An exchange that happened just so before is counted instead of kept
//! again, unless its question was answered otherwise in between: so a fleet whose power is asked
//! for every minute costs next to nothing, and the answers to one question stay in their order.
//!
//! What is kept has no secrets in it ([`redact`]) and is lost with the process: it is for the
//! question "what did that BMC say just now?", not an archive.

mod redact;
mod ring;
mod words;

use redact::Secret;
use ring::{Marks, Ring};
use std::{
    collections::HashMap,
    hash::RandomState,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use types::{
    NodeId, Timestamp, metrics,
    recording::{Body, Exchange, RecordedExchange, Recording},
};

/// Attribute registries are longer, and always the same.
const LONGEST_BODY: usize = 128 * 1024;

/// How much is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecorderSettings {
    /// Bytes for each node; zero for no recorder.
    pub node_bytes: usize,
    /// Bytes for all nodes together; zero for no recorder.
    pub total_bytes: usize,
}

impl Default for RecorderSettings {
    fn default() -> Self {
        Self {
            node_bytes: 256 * 1024,
            total_bytes: 64 * 1024 * 1024,
        }
    }
}

/// All tapes.
#[derive(Debug, Clone)]
pub struct Recorder(Arc<Shelf>);

#[derive(Debug)]
struct Shelf {
    settings: RecorderSettings,
    /// Nobody outside can make two exchanges look the same.
    hasher: RandomState,
    tapes: Mutex<HashMap<NodeId, Arc<Mutex<Ring>>>>,
    bytes: AtomicUsize,
}

/// No code panics while it holds one of these, and they are whole at all times.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new(RecorderSettings::default())
    }
}

impl Recorder {
    pub fn new(settings: RecorderSettings) -> Self {
        Self(Arc::new(Shelf {
            settings,
            hasher: RandomState::new(),
            tapes: Mutex::default(),
            bytes: AtomicUsize::new(0),
        }))
    }

    /// The tape of a node.
    pub fn of(&self, node: NodeId) -> Tape {
        let settings = &self.0.settings;
        if settings.node_bytes == 0 || settings.total_bytes == 0 {
            return Tape::blank();
        }
        Tape {
            at: Some((Arc::clone(&self.0), node)),
            secrets: Arc::default(),
        }
    }

    /// What the tape of a node has.
    pub fn read(&self, node: NodeId) -> Recording {
        let ring = locked(&self.0.tapes).get(&node).cloned();
        let mut recording = match ring {
            Some(ring) => locked(&ring).read(),
            None => Recording::default(),
        };
        for entry in &mut recording.exchanges {
            entry.summary = words::summary(&entry.exchange);
        }
        recording
    }

    /// Throws the tape of a node away.
    pub fn forget(&self, node: NodeId) {
        let ring = locked(&self.0.tapes).remove(&node);
        if let Some(ring) = ring {
            let freed = locked(&ring).clear();
            self.0.bytes.fetch_sub(freed, Ordering::Relaxed);
        }
    }

    /// How many bytes all tapes take, by the recorder's own account.
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }
}

impl Shelf {
    fn ring(&self, node: NodeId) -> (Arc<Mutex<Ring>>, usize) {
        let mut tapes = locked(&self.tapes);
        let ring = Arc::clone(tapes.entry(node).or_default());
        let share = self.settings.total_bytes / tapes.len();
        (ring, share.min(self.settings.node_bytes))
    }

    /// Makes room when all tapes together have too much. A quarter is freed, so that this is not
    /// done for every exchange.
    fn trim(&self) {
        if self.bytes.load(Ordering::Relaxed) <= self.settings.total_bytes {
            return;
        }
        let all: Vec<Arc<Mutex<Ring>>> = locked(&self.tapes).values().cloned().collect();
        let share = self.settings.total_bytes / all.len().max(1) / 4 * 3;
        for ring in all {
            let freed = locked(&ring).shrink(share);
            self.bytes.fetch_sub(freed, Ordering::Relaxed);
        }
    }
}

/// A body of HTTP, unless there is none. What is longer than any tape would keep is not looked at.
pub fn body(bytes: &[u8]) -> Option<Body> {
    if bytes.is_empty() {
        return None;
    }
    if bytes.len() > LONGEST_BODY {
        return Some(Body::too_long(bytes.len()));
    }
    let text = String::from_utf8_lossy(bytes);
    let json = Body::json(text.clone().into_owned());
    Some(json.unwrap_or_else(|| Body::text(&text)))
}

/// Where a driver notes what it said to the BMC of one node, and what it heard.
#[derive(Debug, Clone)]
pub struct Tape {
    at: Option<(Arc<Shelf>, NodeId)>,
    secrets: Arc<[Secret]>,
}

impl Tape {
    /// One that keeps nothing.
    pub fn blank() -> Self {
        Self {
            at: None,
            secrets: Arc::default(),
        }
    }

    /// The same tape, for a conversation in which these must not be read wherever they turn up.
    pub fn hiding<'s>(mut self, secrets: impl IntoIterator<Item = &'s [u8]>) -> Self {
        if self.at.is_some() {
            self.secrets = secrets.into_iter().filter_map(Secret::new).collect();
        }
        self
    }

    /// Whether it is worth while to put an exchange together.
    pub fn is_running(&self) -> bool {
        self.at.is_some()
    }

    /// Keeps an exchange that ended just now, without what is secret in it.
    pub fn note(&self, mut exchange: Exchange, took: Duration) {
        let outcome = match &exchange.failure {
            Some(_) => "failed",
            None => "answered",
        };
        metrics::BMC_CALLS.observe([exchange.question.protocol(), outcome], took);
        let Some((shelf, node)) = &self.at else {
            return;
        };
        redact::drop_headers(&mut exchange);
        let (ring, limit) = shelf.ring(*node);
        let marks = Marks::of(&exchange, &shelf.hasher);
        let now = Timestamp::now();
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        if locked(&ring).count(marks, now, took_ms) {
            return;
        }
        let exchange = redact::exchange(exchange, &self.secrets, limit / 2);
        let entry = RecordedExchange {
            first: now,
            last: now,
            count: 1,
            took_ms,
            exchange,
            summary: String::new(),
        };
        let (grown, shrunk) = locked(&ring).push(entry, marks, limit);
        shelf.bytes.fetch_add(grown, Ordering::Relaxed);
        shelf.bytes.fetch_sub(shrunk, Ordering::Relaxed);
        shelf.trim();
    }
}

#[cfg(test)]
mod tests;
