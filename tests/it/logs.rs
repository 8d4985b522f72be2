//! What the service says at error level, for tests in which it must say nothing, or all that it says,
//! for tests of what must not be said.
//!
//! The subscriber is the process's own, because the service logs from many threads. Tests that share
//! a process are told apart by their runtimes, of which each has one; what a thread outside of any
//! runtime says counts for all.

use std::{
    fmt::{Debug, Write},
    sync::{Mutex, PoisonError},
};
use tokio::runtime::{Handle, Id};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    util::SubscriberInitExt,
};

static LINES: Mutex<Vec<(Option<Id>, Level, String)>> = Mutex::new(Vec::new());

/// Everything up to this level.
struct Collect(Level);

impl<S: Subscriber> Layer<S> for Collect {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() <= self.0 {
            let mut line = Line(event.metadata().target().to_owned());
            event.record(&mut line);
            lock().push((runtime(), *event.metadata().level(), line.0));
        }
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

fn runtime() -> Option<Id> {
    Handle::try_current().ok().map(|handle| handle.id())
}

fn lock() -> std::sync::MutexGuard<'static, Vec<(Option<Id>, Level, String)>> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to listen to errors.
pub(crate) fn listen() {
    // Another test of this process may have been first.
    let collect = Collect(Level::ERROR);
    let _ = tracing_subscriber::registry().with(collect).try_init();
}

/// Starts to listen to everything.
pub(crate) fn listen_to_all() {
    let collect = Collect(Level::DEBUG);
    let _ = tracing_subscriber::registry().with(collect).try_init();
}

/// What was logged at error level by the service of this test.
pub(crate) fn errors() -> Vec<String> {
    up_to(Level::ERROR)
}

/// All that it logged, as far as this process listens.
pub(crate) fn lines() -> Vec<String> {
    up_to(Level::DEBUG)
}

fn up_to(most: Level) -> Vec<String> {
    let ours = runtime();
    let logged = lock();
    let own = logged
        .iter()
        .filter(|(id, level, _)| (id.is_none() || *id == ours) && *level <= most);
    own.map(|(_, _, line)| line.clone()).collect()
}
