//! The Redfish side of a recording.
//!
//! Every login is accepted: passwords and tokens were not recorded. A request that had no answer
//! then gets an error now that says so, because HTTP cannot stay silent.

use super::Replay;
use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderName, HeaderValue, Method, StatusCode, Uri, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use std::sync::Arc;
use types::recording::{Body, HttpAnswer};

/// Given for a token that was not recorded.
const TOKEN: &str = "replayed";

/// The recording as an HTTP service.
pub fn router(replay: Arc<Replay>) -> Router {
    Router::new().fallback(answer).with_state(replay)
}

async fn answer(
    State(replay): State<Arc<Replay>>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let asked: Option<Value> = match body.is_empty() {
        true => None,
        false => serde_json::from_slice(&body).ok(),
    };
    match replay.http(method.as_str(), path, asked.as_ref()) {
        Some(Some(answer)) => recorded(&method, path, &answer),
        Some(None) => complaint(
            StatusCode::SERVICE_UNAVAILABLE,
            "There was no answer when this was recorded.",
        ),
        None => complaint(StatusCode::NOT_FOUND, "This is not in the recording."),
    }
}

fn recorded(method: &Method, path: &str, answer: &HttpAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let content = match &answer.body {
        Some(body) if body.cut.is_some() => {
            return complaint(
                StatusCode::INSUFFICIENT_STORAGE,
                "The answer was too long to be recorded.",
            );
        }
        body => body.as_ref().map(text).unwrap_or_default(),
    };
    let is_length = |name: &HeaderName| name == "content-length";
    let mut response = (status, content).into_response();
    response.headers_mut().remove(CONTENT_TYPE);
    for (name, value) in &answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
            && !is_length(&name)
        {
            response.headers_mut().insert(name, value);
        }
    }
    let is_login = *method == Method::POST && path.trim_end_matches('/').ends_with("/Sessions");
    if is_login && status.is_success() {
        let token = HeaderValue::from_static(TOKEN);
        response.headers_mut().insert("x-auth-token", token);
    }
    response
}

/// A body as it was sent. What was no JSON was recorded as a text.
fn text(body: &Body) -> String {
    match serde_json::from_str(body.as_json()) {
        Ok(Value::String(text)) => text,
        _ => body.as_json().to_owned(),
    }
}

fn complaint(status: StatusCode, text: &str) -> Response {
    let body = json!({"error": {"code": "Base.1.0.GeneralError", "message": text}});
    (status, axum::Json(body)).into_response()
}
