//! Traces: what a request led to, from the API to the BMC, for an OpenTelemetry collector.
//!
//! Spans are those of `tracing` with the target [`TARGET`]; code that opens one does not depend on
//! this module. They are collected here and posted as OTLP/HTTP in JSON, which every collector
//! accepts at `/v1/traces`. That takes a few hundred lines; the exporter of the OpenTelemetry
//! project is a hundred crates.
//!
//! Without a configured collector the callsites are disabled and cost nothing. Nothing ever waits
//! for a collector: spans that it does not accept in time are dropped and counted.
//!
//! Fields of a span become attributes of the same name. Some mean more, as elsewhere:
//! `otel.name` (instead of the span's own), `otel.kind` (`server` or `client`), `otel.error` (it
//! failed, and why), and `traceparent` (the caller's span, as W3C writes it).

mod context;
mod document;
mod exporter;
mod layer;

pub use context::{Context, NotAContext};
pub use exporter::{Exporter, TraceError, TraceSettings};
pub use layer::Spans;

use layer::Live;
use tracing_subscriber::{Registry, registry::LookupSpan};

/// The target of spans that are exported.
pub const TARGET: &str = "spans";

/// The context of the current span, for a call to another process to take along.
pub fn traceparent() -> Option<String> {
    tracing::dispatcher::get_default(|dispatch| {
        let current = dispatch.current_span();
        let registry = dispatch.downcast_ref::<Registry>()?;
        let span = registry.span(current.id()?)?;
        span.scope().find_map(|span| {
            let extensions = span.extensions();
            let live = extensions.get::<Live>()?;
            Some(live.context().to_string())
        })
    })
}

#[cfg(test)]
mod tests;
