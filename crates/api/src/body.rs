//! Request bodies: how much we read, and what we make of them.
//!
//! Size and depth are checked before anything parses the text, so that no later stage has to fear
//! it. The answers to both checks are bare objects without the usual envelope, as in the original.

use crate::{error::ApiError, settings::BodyLimits};
use axum::{
    body::Body,
    http::{HeaderMap, Method, StatusCode, header},
};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

const TOO_LARGE: &str = r#"{"faultcode": "Client", "faultstring": "Request body is too large. Please contact the service administrator."}"#;
const TOO_DEEP: &str = r#"{"faultcode": "Client", "faultstring": "Request body JSON is nested too deeply. Please contact the service administrator."}"#;
const TOO_SLOW: &str =
    r#"{"faultcode": "Client", "faultstring": "The request body did not arrive in time."}"#;
const BROKEN: &str =
    r#"{"faultcode": "Client", "faultstring": "The request body could not be read."}"#;

/// What the client says its body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    /// Exactly `application/json`: the keys of an object are arguments.
    Json,
    /// A form; a `POST` that names no type counts as one, as browsers once sent them so.
    Form,
    /// Anything else; only operations that take the whole body look at it.
    Other,
}

impl ContentKind {
    pub fn of(method: &Method, headers: &HeaderMap) -> Self {
        let Some(value) = content_type(headers) else {
            return if *method == Method::POST {
                Self::Form
            } else {
                Self::Other
            };
        };
        let essence = value.split(';').next().unwrap_or_default().trim();
        match essence.to_ascii_lowercase().as_str() {
            "application/x-www-form-urlencoded" => Self::Form,
            "application/json" | "application/javascript" => Self::Json,
            _ => Self::Other,
        }
    }
}

fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()
}

/// Reads the body within its limits. The error is status and finished text.
pub async fn read(
    limits: &BodyLimits,
    path: &str,
    headers: &HeaderMap,
    body: Body,
) -> Result<Bytes, (StatusCode, &'static str)> {
    let path = path.trim_matches('/');
    let limit = if path.ends_with("states/provision") {
        limits.provision
    } else if path.ends_with("continue_inspection") {
        limits.inspection
    } else {
        limits.general
    };
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err((StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE));
    }
    let whole = Limited::new(body, limit).collect();
    let Ok(whole) = tokio::time::timeout(limits.time, whole).await else {
        return Err((StatusCode::REQUEST_TIMEOUT, TOO_SLOW));
    };
    let bytes = match whole {
        Ok(collected) => collected.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE));
        }
        Err(_) => return Err((StatusCode::BAD_REQUEST, BROKEN)),
    };
    let says_json = content_type(headers).is_some_and(|value| value.contains("json"));
    if says_json && !is_shallow(&bytes, limits.depth) {
        return Err((StatusCode::BAD_REQUEST, TOO_DEEP));
    }
    Ok(bytes)
}

/// Whether brackets outside of texts are nested at most `limit` deep.
fn is_shallow(text: &[u8], limit: usize) -> bool {
    let mut depth = 0usize;
    let mut in_text = false;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_text => {
                bytes.next();
            }
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                if depth > limit {
                    return false;
                }
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    true
}

/// The body of an operation that takes it as a whole. Nothing counts as an empty object.
///
/// The original answers 500 to text that is not JSON; 400 is what it means.
pub fn parse(kind: ContentKind, body: &[u8]) -> Result<Value, ApiError> {
    if body.is_empty() {
        return Ok(Value::Object(types::JsonMap::new()));
    }
    let text = std::str::from_utf8(body)
        .map_err(|_| ApiError::invalid("The request body is not valid UTF-8."))?;
    if kind == ContentKind::Form {
        // Such a body is a form field without a value, and nobody expects that field.
        return Err(ApiError::unexpected_arguments(&[text]));
    }
    serde_json::from_str(text)
        .map_err(|error| ApiError::invalid(format!("The request body is not valid JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn depth_counts_only_brackets_outside_of_texts() {
        assert!(is_shallow(b"", 1));
        assert!(is_shallow(br#"{"a": "[[[[", "b": "\"{{"}"#, 1));
        assert!(is_shallow(b"[{}, [], {}]", 2));
        assert!(!is_shallow(b"[{}, [[]]]", 2));
        assert!(is_shallow(b"]]]]", 1));
    }

    #[tokio::test]
    async fn limits_depend_on_the_path() {
        let limits = BodyLimits {
            general: 4,
            provision: 8,
            inspection: 6,
            depth: 2,
            time: std::time::Duration::from_secs(60),
        };
        let json = HeaderMap::from_iter([(
            header::CONTENT_TYPE,
            header::HeaderValue::from_static("application/json"),
        )]);
        let read = async |path: &str, text: &'static str| {
            read(&limits, path, &json, Body::from(text))
                .await
                .map_err(|(status, _)| status.as_u16())
        };
        assert_eq!(read("/v1/nodes", "1234").await.unwrap(), "1234");
        assert_eq!(read("/v1/nodes", "12345").await, Err(413));
        assert_eq!(
            read("/v1/nodes/n/states/provision/", "12345678")
                .await
                .unwrap(),
            "12345678"
        );
        assert_eq!(read("/v1/continue_inspection", "1234567").await, Err(413));
        assert_eq!(read("/v1/nodes", "[[[").await, Err(400));
    }

    #[test]
    fn only_a_post_without_a_type_is_a_form() {
        let typed = |value| {
            let value = header::HeaderValue::from_static(value);
            HeaderMap::from_iter([(header::CONTENT_TYPE, value)])
        };
        let none = HeaderMap::new();
        assert_eq!(ContentKind::of(&Method::POST, &none), ContentKind::Form);
        for method in [Method::PUT, Method::PATCH, Method::DELETE] {
            assert_eq!(ContentKind::of(&method, &none), ContentKind::Other);
            let form = typed("application/x-www-form-urlencoded; charset=utf-8");
            assert_eq!(ContentKind::of(&method, &form), ContentKind::Form);
        }
        assert_eq!(
            ContentKind::of(&Method::POST, &typed("")),
            ContentKind::Other
        );
    }

    #[test]
    fn a_whole_body_is_json_whatever_its_type_unless_it_looks_like_a_form() {
        assert_eq!(
            parse(ContentKind::Other, b"[1]").unwrap(),
            json!([1]),
            "any named type will do"
        );
        assert_eq!(parse(ContentKind::Form, b"").unwrap(), json!({}));
        let refused = parse(ContentKind::Form, br#"{"a": 1}"#).unwrap_err();
        assert!(
            refused
                .envelope()
                .contains(r#"Unexpected arguments: {\"a\": 1}"#)
        );
        assert_eq!(
            parse(ContentKind::Json, b"{bad").unwrap_err().status(),
            StatusCode::BAD_REQUEST
        );
        assert_eq!(
            parse(ContentKind::Json, b"\xff").unwrap_err().status(),
            StatusCode::BAD_REQUEST
        );
    }
}
