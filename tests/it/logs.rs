//! What the service says at error level, for tests in which it must say nothing.
//!
//! The subscriber is the process's own, because the service logs from many threads: a test that
//! uses it must have its process for itself, as it has under nextest.

use std::{
    fmt::{Debug, Write},
    sync::{Mutex, PoisonError},
};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    util::SubscriberInitExt,
};

static ERRORS: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Collect;

impl<S: Subscriber> Layer<S> for Collect {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::ERROR {
            let mut line = Line(event.metadata().target().to_owned());
            event.record(&mut line);
            lock().push(line.0);
        }
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

fn lock() -> std::sync::MutexGuard<'static, Vec<String>> {
    ERRORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to listen.
pub(crate) fn listen() {
    // A second test in one process finds the subscriber in place.
    let _ = tracing_subscriber::registry().with(Collect).try_init();
    lock().clear();
}

/// What was logged at error level since.
pub(crate) fn errors() -> Vec<String> {
    lock().clone()
}
