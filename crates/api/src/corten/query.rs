//! Queries in requests, and how a mistake in one is answered.

use crate::{
    call::Call,
    error::{self, ApiError},
    fleet::query::{self, Query},
    json_writer::JsonWriter,
    reply::Reply,
};
use axum::http::StatusCode;
use serde_json::{Value, json};

/// Reads the query of a request; otherwise the answer that says what is wrong with it.
pub(super) fn read(call: &Call, text: Option<&str>) -> Result<Query, Box<Reply>> {
    let extra = call.state.settings.group_key.as_deref();
    query::parse(text.unwrap_or_default(), extra).map_err(|wrong| {
        let fault = ApiError::invalid(wrong.text.clone()).envelope();
        let envelope = error::body(&fault);
        let mut document: Value = serde_json::from_slice(&envelope).unwrap_or_default();
        document["query_error"] = json!({
            "text": wrong.text,
            "word": wrong.word,
            "start": wrong.start,
            "end": wrong.end,
            "suggestion": wrong.suggestion,
        });
        Box::new(Reply {
            status: StatusCode::BAD_REQUEST,
            ..Reply::ok(JsonWriter::document(&document))
        })
    })
}
