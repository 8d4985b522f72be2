//! What the service says at error level, for tests in which it must say nothing.
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

static ERRORS: Mutex<Vec<(Option<Id>, String)>> = Mutex::new(Vec::new());

struct Collect;

impl<S: Subscriber> Layer<S> for Collect {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::ERROR {
            let mut line = Line(event.metadata().target().to_owned());
            event.record(&mut line);
            lock().push((runtime(), line.0));
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

fn lock() -> std::sync::MutexGuard<'static, Vec<(Option<Id>, String)>> {
    ERRORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to listen.
pub(crate) fn listen() {
    // Another test of this process may have been first.
    let _ = tracing_subscriber::registry().with(Collect).try_init();
}

/// What was logged at error level by the service of this test.
pub(crate) fn errors() -> Vec<String> {
    let ours = runtime();
    let logged = lock();
    let own = logged.iter().filter(|(id, _)| id.is_none() || *id == ours);
    own.map(|(_, line)| line.clone()).collect()
}
