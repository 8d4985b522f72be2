//! Spans as OTLP writes them in JSON.
//!
//! The mapping is that of protobuf to JSON, except that identifiers are hexadecimal; whole numbers
//! are texts, for readers that know only floating point.

use super::layer::Finished;
use serde_json::{Value, json};
use types::mask;

pub(super) fn document(host: &str, spans: &[Finished]) -> Value {
    let resource = [
        ("service.name", Value::from("corten")),
        ("service.version", env!("CARGO_PKG_VERSION").into()),
        ("host.name", host.into()),
    ];
    json!({"resourceSpans": [{
        "resource": {"attributes": attributes(resource.iter())},
        "scopeSpans": [{
            "scope": {"name": "corten", "version": env!("CARGO_PKG_VERSION")},
            "spans": spans.iter().map(span).collect::<Vec<_>>(),
        }],
    }]})
}

fn span(span: &Finished) -> Value {
    let mut written = json!({
        "traceId": format!("{:032x}", span.context.trace),
        "spanId": format!("{:016x}", span.context.span),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": span.start_ns.to_string(),
        "endTimeUnixNano": span.end_ns.to_string(),
        "attributes": attributes(span.attributes.iter()),
    });
    if let Some(parent) = span.parent {
        written["parentSpanId"] = format!("{parent:016x}").into();
    }
    if let Some(error) = &span.error {
        written["status"] = json!({"code": 2, "message": mask::text(error)});
    }
    written
}

fn attributes<'a>(pairs: impl Iterator<Item = &'a (&'static str, Value)>) -> Value {
    let attribute = |(key, value): &(&str, Value)| {
        let value = match value {
            Value::Bool(value) => json!({"boolValue": value}),
            Value::Number(number) if number.is_f64() => json!({"doubleValue": number}),
            Value::Number(number) => json!({"intValue": number.to_string()}),
            Value::String(text) => json!({"stringValue": mask::text(text)}),
            other => json!({"stringValue": other.to_string()}),
        };
        json!({"key": key, "value": value})
    };
    pairs.map(attribute).collect()
}
