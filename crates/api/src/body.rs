//! Request bodies: how much we read, and what we make of them.
//!
//! Size and depth are checked before anything parses the text, so that no later stage has to fear
//! it. The answers to both checks are bare objects without the usual envelope, as in Ironic.
//!
//! A parsed body takes many times the memory of its text, and all bodies together must not take
//! more than the process has: the values of a body are counted before they are built
//! ([`types::json_shape`]), and what is more than a little is claimed from a pool
//! ([`types::memory_budget`]) as it arrives and before it is parsed. Large bodies are parsed on a
//! thread where nobody waits behind them.

use crate::{error::ApiError, settings::BodyLimits};
use axum::{
    body::{Body, HttpBody},
    http::{HeaderMap, Method, StatusCode, header},
};
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use types::{
    json_shape::Shape,
    memory_budget::{self, Arrival, Claim, Pool},
};

const TOO_LARGE: &str = r#"{"faultcode": "Client", "faultstring": "Request body is too large. Please contact the service administrator."}"#;
const TOO_DEEP: &str = r#"{"faultcode": "Client", "faultstring": "Request body JSON is nested too deeply. Please contact the service administrator."}"#;
const TOO_SLOW: &str =
    r#"{"faultcode": "Client", "faultstring": "The request body did not arrive in time."}"#;
const BROKEN: &str =
    r#"{"faultcode": "Client", "faultstring": "The request body could not be read."}"#;

const NO_MEMORY: &str = r#"{"faultcode": "Server", "faultstring": "Too many large request bodies are being processed. Please try again later."}"#;

/// How much of a body a refusal repeats, in bytes.
const MOST_SHOWN: usize = 16 * 1024;
/// How long a body waits for others to be done.
const PATIENCE: Duration = Duration::from_secs(5);
/// In steps of how many bytes memory is claimed for a body that arrives.
const STEP: usize = 1 << 20;

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

/// A body, what is known about it already, and the memory that was claimed for it.
#[derive(Debug, Clone)]
pub struct Payload {
    bytes: Bytes,
    pool: &'static Pool,
    /// What the text means, if it was parsed beforehand; given away once.
    parsed: Arc<Mutex<Option<Value>>>,
    claims: Arc<Mutex<Vec<Claim>>>,
}

impl Payload {
    fn new(bytes: Bytes, pool: &'static Pool, claims: Vec<Claim>) -> Self {
        Self {
            bytes,
            pool,
            parsed: Arc::default(),
            claims: Arc::new(Mutex::new(claims)),
        }
    }

    /// Whether it takes so long to parse, or so much memory, that who is asking and for what is
    /// judged first.
    pub fn is_large(&self) -> bool {
        self.bytes.len() > memory_budget::FREE
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Counts the values, claims the memory that they need, and parses a large text where nobody
    /// waits behind it. What is wrong with a text is left to be said by whoever wants its meaning.
    pub async fn prepare(&self, kind: ContentKind) -> Result<(), ApiError> {
        if kind == ContentKind::Form || self.is_empty() {
            return Ok(());
        }
        let text = self.bytes.clone();
        let shape = if self.is_large() {
            off_runtime(move || Shape::within_bounds(&text)).await?
        } else {
            Shape::within_bounds(&text)
        };
        let shape = shape.map_err(too_many_values)?;
        if shape.memory() <= memory_budget::FREE {
            return Ok(());
        }
        let claim = claim(self.pool, shape.memory()).await;
        let claim = claim.ok_or_else(|| {
            tracing::warn!(
                bytes = self.bytes.len(),
                "a request body is refused: large ones take all the memory that there is for them"
            );
            ApiError::busy("Too many large request bodies are being processed.")
        })?;
        self.claims
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(claim);
        if self.is_large() {
            let text = self.bytes.clone();
            let parsed = off_runtime(move || serde_json::from_slice(&text).ok()).await?;
            *self.parsed.lock().unwrap_or_else(PoisonError::into_inner) = parsed;
        }
        Ok(())
    }

    /// What the text means.
    pub fn parse(&self, kind: ContentKind) -> Result<Value, ApiError> {
        let parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let parsed = { parsed }.take();
        match parsed {
            Some(value) => Ok(value),
            None => parse(kind, &self.bytes),
        }
    }

    /// The text of a form.
    pub fn text(&self) -> &[u8] {
        &self.bytes
    }

    /// Lets go of the text of a body that has been parsed.
    pub fn forget_text(&mut self) {
        self.bytes = Bytes::new();
    }
}

#[cfg(test)]
impl<T: AsRef<[u8]> + ?Sized> From<&T> for Payload {
    fn from(text: &T) -> Self {
        let bytes = Bytes::copy_from_slice(text.as_ref());
        Self::new(bytes, &memory_budget::CLIENTS, Vec::new())
    }
}

async fn off_runtime<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ApiError::internal(format!("a body could not be parsed: {error}")))
}

/// Does what takes long for a large value while the other tasks of this thread go on elsewhere.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

fn too_many_values(refusal: types::json_shape::TooManyValues) -> ApiError {
    tracing::warn!("a request body is refused: {refusal}");
    ApiError::service(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("The request body is refused: {refusal}."),
    )
}

/// Reads the body within its limits. The error is status and finished text.
pub(crate) async fn read(
    limits: &BodyLimits,
    path: &str,
    headers: &HeaderMap,
    body: Body,
    pool: &'static Pool,
) -> Result<Payload, (StatusCode, &'static str)> {
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
    if body.is_end_stream() {
        return Ok(Payload::new(Bytes::new(), pool, Vec::new()));
    }
    let whole = collect(Limited::new(body, limit), announced.unwrap_or(0), pool);
    let Ok(whole) = tokio::time::timeout(limits.time, whole).await else {
        return Err((StatusCode::REQUEST_TIMEOUT, TOO_SLOW));
    };
    let (bytes, claims) = whole?;
    let says_json = content_type(headers).is_some_and(|value| value.contains("json"));
    if says_json {
        let (text, depth) = (bytes.clone(), limits.depth);
        let shallow = match bytes.len() {
            ..=memory_budget::FREE => Ok(is_shallow(&text, depth)),
            _ => off_runtime(move || is_shallow(&text, depth)).await,
        };
        match shallow {
            Ok(true) => {}
            Ok(false) => return Err((StatusCode::BAD_REQUEST, TOO_DEEP)),
            Err(_) => return Err((StatusCode::BAD_REQUEST, BROKEN)),
        }
    }
    Ok(Payload::new(bytes, pool, claims))
}

/// Memory for a body, if there is some in time. What arrives slowly in the meantime gives way.
async fn claim(pool: &'static Pool, bytes: usize) -> Option<Claim> {
    const AGAIN: Duration = Duration::from_secs(1);
    for _ in 0..PATIENCE.as_secs() {
        if let Ok(claim) = tokio::time::timeout(AGAIN, pool.claim(bytes)).await {
            return Some(claim);
        }
    }
    None
}

/// The bytes of a body, and the memory claimed for them as they came.
async fn collect(
    mut body: Limited<Body>,
    announced: usize,
    pool: &'static Pool,
) -> Result<(Bytes, Vec<Claim>), (StatusCode, &'static str)> {
    // Memory that is reserved and not written to costs nothing, and is not moved as it fills up.
    let mut bytes = BytesMut::with_capacity(announced);
    let mut claims: Vec<Claim> = Vec::new();
    let mut claimed = memory_budget::FREE;
    // There for what holds memory that others may need.
    let mut arrival: Option<Arrival> = None;
    let no_memory = || {
        tracing::warn!(
            "a request body is refused: large ones take all the memory that there is for them"
        );
        (StatusCode::SERVICE_UNAVAILABLE, NO_MEMORY)
    };
    loop {
        let frame = match &arrival {
            None => body.frame().await,
            Some(arrival) => {
                arrival.has(bytes.len());
                tokio::select! {
                    biased;
                    () = arrival.dismissed() => return Err(no_memory()),
                    frame = body.frame() => frame,
                }
            }
        };
        let Some(frame) = frame else {
            break;
        };
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) if error.is::<LengthLimitError>() => {
                return Err((StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE));
            }
            Err(_) => return Err((StatusCode::BAD_REQUEST, BROKEN)),
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        while bytes.len() + data.len() > claimed && claimed < pool.largest() {
            let arrival = arrival.get_or_insert_with(|| pool.arrival());
            // Others are given the time to be done, but two that wait for each other must end.
            let claim = arrival.claims(claim(pool, STEP)).await;
            let claim = claim.ok_or_else(no_memory)?;
            claimed += claim.bytes();
            claims.push(claim);
        }
        bytes.extend_from_slice(&data);
    }
    Ok((bytes.freeze(), claims))
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
/// Ironic answers 500 to text that is not JSON; 400 is what it means.
pub(crate) fn parse(kind: ContentKind, body: &[u8]) -> Result<Value, ApiError> {
    if body.is_empty() {
        return Ok(Value::Object(types::JsonMap::new()));
    }
    let text = std::str::from_utf8(body)
        .map_err(|_| ApiError::invalid("The request body is not valid UTF-8."))?;
    if kind == ContentKind::Form {
        // Such a body is a form field without a value, and nobody expects that field.
        let shown = &text[..text.floor_char_boundary(MOST_SHOWN)];
        return Err(ApiError::unexpected_arguments(&[shown]));
    }
    Shape::within_bounds(body).map_err(too_many_values)?;
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
            let pool = &memory_budget::CLIENTS;
            read(&limits, path, &json, Body::from(text), pool)
                .await
                .map(|payload| payload.bytes)
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

    #[tokio::test(start_paused = true)]
    async fn bodies_together_take_no_more_than_the_pool() {
        static POOL: Pool = Pool::new(8 << 20);
        let limits = BodyLimits::default();
        let read = async |size: usize| {
            let body = Body::from(vec![b' '; size]);
            let none = HeaderMap::new();
            read(&limits, "/v1/continue_inspection", &none, body, &POOL).await
        };
        let first = read(4 << 20).await.unwrap();
        let second = read(3 << 20).await.unwrap();
        let (status, text) = read(3 << 20).await.unwrap_err();
        assert_eq!((status.as_u16(), text), (503, NO_MEMORY));
        // Small ones do not depend on large ones.
        assert!(!read(memory_budget::FREE).await.unwrap().is_large());
        drop(first);
        let third = read(3 << 20).await.unwrap();
        drop((second, third));
        assert_eq!(POOL.taken(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn documents_together_take_no_more_than_the_pool() {
        static POOL: Pool = Pool::new(8 << 20);
        let payload = || {
            let text = format!("[{}0]", "[0],".repeat(8000));
            Payload::new(Bytes::from(text), &POOL, Vec::new())
        };
        let first = payload();
        first.prepare(ContentKind::Json).await.unwrap();
        assert!(POOL.taken() > 1 << 20);
        let others: Vec<Payload> = (0..8).map(|_| payload()).collect();
        let mut refused = 0;
        for other in &others {
            if let Err(error) = other.prepare(ContentKind::Json).await {
                assert_eq!(error.status(), StatusCode::SERVICE_UNAVAILABLE);
                refused += 1;
            }
        }
        assert!(refused > 0 && POOL.taken() <= 8 << 20);
        drop((first, others));
        assert_eq!(POOL.taken(), 0);
    }

    #[tokio::test]
    async fn a_large_text_is_parsed_once_and_beforehand() {
        let text = json!({"a": "x".repeat(memory_budget::FREE)}).to_string();
        let mut payload = Payload::new(Bytes::from(text), &memory_budget::CLIENTS, Vec::new());
        payload.prepare(ContentKind::Json).await.unwrap();
        payload.forget_text();
        let value = payload.parse(ContentKind::Json).unwrap();
        assert_eq!(value["a"].as_str().map(str::len), Some(memory_budget::FREE));
        // A mistake is said by whoever wants to know what the text means.
        let broken = Bytes::from("[".to_owned() + &" ".repeat(memory_budget::FREE));
        let broken = Payload::new(broken, &memory_budget::CLIENTS, Vec::new());
        broken.prepare(ContentKind::Json).await.unwrap();
        assert_eq!(broken.parse(ContentKind::Json).unwrap_err().status(), 400);
    }

    #[test]
    fn values_are_counted_whatever_the_type() {
        let dense = format!("[{}0]", "[0],".repeat(200_000));
        for kind in [ContentKind::Json, ContentKind::Other] {
            assert_eq!(parse(kind, dense.as_bytes()).unwrap_err().status(), 413);
        }
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
