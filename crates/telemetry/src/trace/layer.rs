//! Collects spans as they close.

use super::{Context, TARGET};
use serde_json::Value;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};
use tokio::sync::mpsc;
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    Layer,
    filter::{FilterFn, filter_fn},
    layer::Context as Surroundings,
    registry::LookupSpan,
};
use types::Timestamp;

/// A span that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finished {
    pub(super) context: Context,
    pub(super) parent: Option<u64>,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) attributes: Vec<(&'static str, Value)>,
    pub(super) error: Option<String>,
}

/// Which side of a call a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    Internal = 1,
    Server = 2,
    Client = 3,
}

/// A span that is open.
#[derive(Debug)]
pub(super) struct Live {
    context: Context,
    parent: Option<u64>,
    began: Timestamp,
    clock: Instant,
    fields: Fields,
}

impl Live {
    pub(super) fn context(&self) -> Context {
        self.context
    }
}

/// The layer that sees every span.
#[derive(Debug)]
pub struct Spans {
    finished: mpsc::Sender<Finished>,
    dropped: Arc<AtomicU64>,
    /// How many of a hundred traces that begin here are kept.
    percent: u32,
    /// Counts started traces, for sampling.
    begun: AtomicU64,
}

impl Spans {
    pub(super) fn new(
        finished: mpsc::Sender<Finished>,
        dropped: Arc<AtomicU64>,
        percent: u32,
    ) -> Self {
        Self {
            finished,
            dropped,
            percent,
            begun: AtomicU64::new(0),
        }
    }

    /// Spans that are meant for a collector, and nothing else.
    pub fn filter() -> FilterFn {
        filter_fn(|metadata| metadata.is_span() && metadata.target() == TARGET)
    }

    fn root(&self) -> Context {
        // Sample evenly: of every hundred traces in a row, `percent`.
        let count = self.begun.fetch_add(1, Ordering::Relaxed);
        let percent = u64::from(self.percent);
        let sampled = (count + 1) * percent / 100 > count * percent / 100;
        Context::root(sampled)
    }
}

impl<S> Layer<S> for Spans
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, around: Surroundings<'_, S>) {
        let Some(span) = around.span(id) else {
            return;
        };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let above = span.scope().skip(1).find_map(|above| {
            let extensions = above.extensions();
            extensions.get::<Live>().map(Live::context)
        });
        let above = above.or_else(|| fields.caller.take());
        let live = Live {
            context: above.map_or_else(|| self.root(), Context::child),
            parent: above.map(|above| above.span),
            began: Timestamp::now(),
            clock: Instant::now(),
            fields,
        };
        span.extensions_mut().insert(live);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, around: Surroundings<'_, S>) {
        if let Some(span) = around.span(id)
            && let Some(live) = span.extensions_mut().get_mut::<Live>()
        {
            values.record(&mut live.fields);
        }
    }

    fn on_close(&self, id: Id, around: Surroundings<'_, S>) {
        let Some(span) = around.span(&id) else {
            return;
        };
        let Some(live) = span.extensions_mut().remove::<Live>() else {
            return;
        };
        if !live.context.sampled {
            return;
        }
        let start_ns = u64::try_from(live.began.0)
            .unwrap_or(0)
            .saturating_mul(1000);
        let took = u64::try_from(live.clock.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let finished = Finished {
            context: live.context,
            parent: live.parent,
            name: live.fields.name.unwrap_or_else(|| span.name().to_owned()),
            kind: live.fields.kind.unwrap_or(SpanKind::Internal),
            start_ns,
            end_ns: start_ns.saturating_add(took),
            attributes: live.fields.attributes,
            error: live.fields.error,
        };
        if self.finished.try_send(finished).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// What was said about a span.
#[derive(Debug, Default)]
struct Fields {
    name: Option<String>,
    kind: Option<SpanKind>,
    error: Option<String>,
    caller: Option<Context>,
    attributes: Vec<(&'static str, Value)>,
}

impl Fields {
    fn set(&mut self, field: &Field, value: Value) {
        let text = || match &value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match field.name() {
            "otel.name" => self.name = Some(text()),
            "otel.error" => self.error = Some(text()),
            "otel.kind" => {
                self.kind = match value.as_str() {
                    Some("server") => Some(SpanKind::Server),
                    Some("client") => Some(SpanKind::Client),
                    _ => None,
                }
            }
            "traceparent" => self.caller = text().parse().ok(),
            name => {
                self.attributes.retain(|(known, _)| *known != name);
                self.attributes.push((name, value));
            }
        }
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field, value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.set(field, format!("{value:?}").into());
    }
}
