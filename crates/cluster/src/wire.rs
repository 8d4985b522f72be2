//! One exchange with one conductor: the caller's side of HTTP.
//!
//! What matters about a failure is whether the call may have been accepted. A call that was never
//! sent may be retried, also with another conductor; a call whose answer was lost may not.

use crate::{
    call::Answer,
    seal::{Keys, Name, SealError, Secret, StreamKeys, fresh_name},
    server::{
        CALL, CALLER_HEADER, LARGEST, NUMBER_HEADER, PROOF_HEADER, PROTOCOL, SESSION,
        SESSION_HEADER, STREAM, about,
    },
};
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use reqwest::{
    Client, Response, StatusCode, Upgraded,
    header::{CONNECTION, UPGRADE},
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Connect timeout.
const CONNECT: Duration = Duration::from_secs(3);
/// Idle timeout of a kept connection: shorter than the conductors', so that they rarely close it
/// first.
const IDLE: Duration = Duration::from_secs(20);
/// Attempts per call: the conductor may have restarted since the last call, and again since the
/// first attempt.
const ATTEMPTS: usize = 3;

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallFailure {
    /// The conductor did not accept the call: safe to retry.
    NotTaken(String),
    /// The conductor may have accepted the call: not safe to retry.
    Lost(String),
}

/// What calls are made with.
pub(crate) struct Wire {
    http: Client,
    secret: Secret,
    me: Name,
    next: AtomicU64,
    sessions: Mutex<HashMap<String, Shared>>,
    timeout: Duration,
}

/// The session of a conductor, and the keys derived for it.
#[derive(Clone)]
struct Shared {
    session: Name,
    keys: Arc<Keys>,
}

/// The client cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error(transparent)]
    Tls(#[from] tls::TlsError),
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error("cannot set up the HTTP client for cluster calls")]
    Http(#[from] reqwest::Error),
}

impl Wire {
    #[expect(
        clippy::disallowed_methods,
        reason = "only called before anything is served"
    )]
    pub(crate) fn new(
        secret: Secret,
        tls: &tls::Client,
        timeout: Duration,
    ) -> Result<Self, WireError> {
        let http = outbound::client()
            .connect_timeout(CONNECT)
            .pool_idle_timeout(IDLE)
            .tcp_nodelay(true)
            .tcp_keepalive(IDLE)
            .tls_backend_preconfigured(tls.config()?)
            .build()?;
        Ok(Self {
            http,
            secret,
            me: fresh_name()?,
            next: AtomicU64::new(1),
            sessions: Mutex::default(),
            timeout,
        })
    }

    /// Sends a call and waits for its answer.
    pub(crate) async fn call(&self, url: &str, text: &[u8]) -> Result<Answer, CallFailure> {
        let (response, shared, number) = self.send(url, CALL, text).await?;
        read(response, &shared.keys, number, CALL).await
    }

    /// Sends a call that becomes a stream, or is refused.
    pub(crate) async fn stream(
        &self,
        url: &str,
        text: &[u8],
    ) -> Result<Result<(Upgraded, StreamKeys), Answer>, CallFailure> {
        let (response, shared, number) = self.send(url, STREAM, text).await?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return read(response, &shared.keys, number, STREAM).await.map(Err);
        }
        let keys = StreamKeys::new(&self.secret, &shared.session, &self.me, number);
        let stream = response.upgrade().await.map_err(|error| lost(&error))?;
        Ok(Ok((stream, keys)))
    }

    async fn send(
        &self,
        url: &str,
        path: &str,
        text: &[u8],
    ) -> Result<(Response, Shared, u64), CallFailure> {
        let mut reason = String::new();
        for _ in 0..ATTEMPTS {
            let shared = self.shared(url).await?;
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let response = self.send_once(url, path, text, &shared, number).await?;
            match response.status() {
                StatusCode::OK | StatusCode::SWITCHING_PROTOCOLS => {
                    return Ok((response, shared, number));
                }
                StatusCode::UNAUTHORIZED => {
                    self.forget(url);
                    if !response.headers().contains_key(&SESSION_HEADER) {
                        let text = "it rejected our cluster secret ([corten]cluster_secret_file must be the same everywhere)";
                        return Err(CallFailure::NotTaken(text.to_owned()));
                    }
                    reason = "it restarted during each retry".to_owned();
                }
                StatusCode::CONFLICT => reason = "it rejected our calls as replayed".to_owned(),
                StatusCode::PAYLOAD_TOO_LARGE => {
                    return Err(CallFailure::NotTaken(
                        "it rejected the call as too large".to_owned(),
                    ));
                }
                other => return Err(CallFailure::NotTaken(format!("it answered HTTP {other}"))),
            }
        }
        Err(CallFailure::NotTaken(reason))
    }

    async fn send_once(
        &self,
        url: &str,
        path: &str,
        text: &[u8],
        shared: &Shared,
        number: u64,
    ) -> Result<Response, CallFailure> {
        let unsealable = |error: SealError| CallFailure::NotTaken(error.to_string());
        let keys = &shared.keys;
        let sealed = keys
            .request
            .seal(number, path.as_bytes(), text.to_vec())
            .map_err(unsealable)?;
        let about = about(path, sealed.len());
        let proof = keys
            .head
            .seal(number, about.as_bytes(), Vec::new())
            .map_err(unsealable)?;
        let mut request = self
            .http
            .post(format!("{url}{path}"))
            .header(&SESSION_HEADER, BASE64.encode(shared.session))
            .header(&CALLER_HEADER, BASE64.encode(self.me))
            .header(&NUMBER_HEADER, number)
            .header(&PROOF_HEADER, BASE64.encode(proof))
            .body(sealed);
        if path == STREAM {
            request = request
                .header(CONNECTION, "upgrade")
                .header(UPGRADE, PROTOCOL);
        } else {
            request = request.timeout(self.timeout);
        }
        request.send().await.map_err(|error| {
            if error.is_connect() || error.is_builder() {
                CallFailure::NotTaken(said(&error))
            } else {
                lost(&error)
            }
        })
    }

    /// The session and keys for the conductor at an address; asks it for its session if necessary.
    async fn shared(&self, url: &str) -> Result<Shared, CallFailure> {
        let known = self.sessions().get(url).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let asked = self
            .http
            .get(format!("{url}{SESSION}"))
            .timeout(self.timeout)
            .send();
        let response = asked.await.map_err(|e| CallFailure::NotTaken(said(&e)))?;
        let name = response.headers().get(&SESSION_HEADER);
        let name = name.and_then(|value| BASE64.decode(value.as_bytes()).ok());
        let session: Name = name.and_then(|name| name.try_into().ok()).ok_or_else(|| {
            CallFailure::NotTaken(
                "it did not answer like a conductor (no session header)".to_owned(),
            )
        })?;
        let shared = Shared {
            session,
            keys: Arc::new(Keys::new(&self.secret, &session, &self.me)),
        };
        self.sessions().insert(url.to_owned(), shared.clone());
        Ok(shared)
    }

    fn forget(&self, url: &str) {
        self.sessions().remove(url);
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<String, Shared>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn read(
    mut response: Response,
    keys: &Keys,
    number: u64,
    path: &str,
) -> Result<Answer, CallFailure> {
    let mut sealed = Vec::new();
    while let Some(part) = response.chunk().await.map_err(|error| lost(&error))? {
        if sealed.len() + part.len() > LARGEST {
            return Err(CallFailure::Lost("its answer is too large".to_owned()));
        }
        sealed.extend_from_slice(&part);
    }
    let text = keys
        .answer
        .open(number, path.as_bytes(), sealed)
        .map_err(|_| CallFailure::Lost("authentication of its answer failed".to_owned()))?;
    serde_json::from_slice(&text)
        .map_err(|error| CallFailure::Lost(format!("invalid JSON in its answer: {error}")))
}

fn lost(error: &reqwest::Error) -> CallFailure {
    CallFailure::Lost(said(error))
}

/// The innermost cause, without the URL, which the caller knows.
fn said(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = cause.to_string();
        source = cause.source();
    }
    text
}
