//! What a resource answers: a status, a few headers and JSON.

use super::fetch::ImageToFetch;
use hyper::{
    StatusCode,
    header::{self, HeaderName},
};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(HeaderName, String)>,
    pub(crate) body: Body,
    /// What has to be fetched before the answer is true.
    pub(crate) wanted: Option<ImageToFetch>,
}

#[derive(Debug)]
pub(crate) enum Body {
    None,
    Json(Value),
    /// Anything else, with its type.
    Text(&'static str, String),
}

impl Answer {
    pub(crate) fn ok(body: Value) -> Self {
        Self::of(StatusCode::OK, Body::Json(body))
    }

    pub(crate) fn nothing() -> Self {
        Self::of(StatusCode::NO_CONTENT, Body::None)
    }

    pub(crate) fn created(location: String, body: Value) -> Self {
        Self::of(StatusCode::CREATED, Body::Json(body)).with(header::LOCATION, location)
    }

    pub(crate) fn of(status: StatusCode, body: Body) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body,
            wanted: None,
        }
    }

    pub(crate) fn wanting(mut self, wanted: Option<ImageToFetch>) -> Self {
        self.wanted = wanted;
        self
    }

    pub(crate) fn with(mut self, name: HeaderName, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// The tag of a representation. It follows from what the representation says, so nothing has to be
/// counted; what changes by itself with time does not count.
pub(crate) fn etag(body: &Value, is_weak: bool) -> String {
    let mut hasher = DefaultHasher::new();
    hash(body, &mut hasher);
    let digest = hasher.finish();
    if is_weak {
        format!("W/\"{digest:016x}\"")
    } else {
        format!("\"{digest:016x}\"")
    }
}

fn hash(value: &Value, into: &mut DefaultHasher) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if name != "DateTime" && name != "PercentComplete" {
                    name.hash(into);
                    hash(value, into);
                }
            }
        }
        Value::Array(items) => {
            items.len().hash(into);
            for item in items {
                hash(item, into);
            }
        }
        other => other.to_string().hash(into),
    }
}

/// Whether a tag that a client holds is that of the representation.
pub(crate) fn matches(held: &str, current: &str) -> bool {
    held.split(',')
        .map(str::trim)
        .any(|tag| tag == "*" || tag == current)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_tag_follows_the_content_but_not_the_clock() {
        let tag = |body: Value| etag(&body, false);
        assert_eq!(
            tag(json!({"A": 1, "DateTime": "now"})),
            tag(json!({"A": 1, "DateTime": "then"}))
        );
        assert_ne!(tag(json!({"A": 1})), tag(json!({"A": 2})));
        assert_ne!(tag(json!({"A": [1, 2]})), tag(json!({"A": [[1], 2]})));
        let current = tag(json!({}));
        assert!(matches(&format!("\"x\", {current}"), &current));
        assert!(matches("*", &current));
        assert!(!matches(&format!("W/{current}"), &current));
    }
}
