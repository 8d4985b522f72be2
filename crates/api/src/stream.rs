//! Requests for answers that do not end: Server-Sent Events.
//!
//! Such an answer outlives the token it was asked with, so the request keeps what it takes to ask
//! again who is asking.

use crate::{
    auth::{self, Auth, AuthRefusal, Gate, Identity},
    negotiation,
    peer::Peer,
};
use axum::http::{HeaderMap, Request, request::Parts};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// The media type.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// Where events are; only there a stream can be had.
pub(crate) const PATH: &str = "corten/v1/events";

/// How streams behave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamSettings {
    /// How long a stream is silent at most.
    pub keep_alive: Duration,
    /// How often is looked whether the caller may still read.
    pub recheck: Duration,
    /// After how long a client that lost its connection comes back.
    pub retry: Duration,
    /// How many events are read at a time.
    pub page: u32,
    /// How many streams one user may read; without users, one address.
    pub per_user: usize,
}

impl Default for StreamSettings {
    fn default() -> Self {
        Self {
            keep_alive: Duration::from_secs(15),
            recheck: Duration::from_secs(60),
            retry: Duration::from_secs(2),
            page: 100,
            per_user: 32,
        }
    }
}

/// Who reads how many streams now.
#[derive(Debug, Default)]
pub struct Readers(Mutex<HashMap<String, usize>>);

impl Readers {
    /// One more stream for somebody, unless that would be more than `most`.
    pub fn admit(self: &Arc<Self>, who: String, most: usize) -> Option<Reader> {
        let mut readers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let streams = readers.entry(who.clone()).or_default();
        if *streams >= most {
            return None;
        }
        *streams += 1;
        Some(Reader {
            who,
            readers: Arc::clone(self),
        })
    }
}

/// One stream of somebody, until it ends.
#[derive(Debug)]
pub struct Reader {
    who: String,
    readers: Arc<Readers>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut readers = self
            .readers
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(streams) = readers.get_mut(&self.who) {
            *streams -= 1;
            if *streams == 0 {
                readers.remove(&self.who);
            }
        }
    }
}

/// A request for a stream.
#[derive(Clone)]
pub struct StreamRequest {
    /// The last event that the client got before its connection broke.
    pub last_event_id: Option<String>,
    peer: Option<Peer>,
    parts: Arc<Parts>,
}

impl std::fmt::Debug for StreamRequest {
    // Headers hold tokens and passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamRequest")
            .field("last_event_id", &self.last_event_id)
            .finish_non_exhaustive()
    }
}

impl StreamRequest {
    /// What a request asks for, if it is a stream.
    pub fn of(parts: &Parts) -> Option<Self> {
        if !is_asked(&parts.headers) {
            return None;
        }
        // Not the rest of the request: the connection is among it.
        let (mut copy, ()) = Request::new(()).into_parts();
        copy.method = parts.method.clone();
        copy.uri = parts.uri.clone();
        copy.headers = parts.headers.clone();
        let last = parts.headers.get("last-event-id");
        Some(Self {
            last_event_id: last.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned()),
            peer: Peer::of(&parts.extensions),
            parts: Arc::new(copy),
        })
    }

    /// Whose streams this one is counted with: the user's where that is proven.
    pub fn reader(&self, auth: &Auth, user: Option<&str>) -> String {
        match (auth, user, self.peer) {
            (Auth::HttpBasic(_) | Auth::Keystone(_) | Auth::Local(_), Some(user), _) => {
                format!("user {user}")
            }
            (_, _, Some(peer)) => format!("address {peer}"),
            _ => "somebody without an address".to_owned(),
        }
    }

    /// Who is asking, as of now.
    pub(crate) async fn identity(&self, gate: &Gate<'_>) -> Result<Identity, AuthRefusal> {
        auth::authenticate(gate, &self.parts).await
    }
}

/// Whether a client would rather have a stream than a document.
pub(crate) fn is_asked(headers: &HeaderMap) -> bool {
    let offers = ["application/json", EVENT_STREAM];
    negotiation::most_wanted(headers, &offers) == Some(EVENT_STREAM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parts;

    #[test]
    fn only_who_prefers_a_stream_gets_one() {
        let asks = |accept: &str| StreamRequest::of(&parts("/", &[("accept", accept)])).is_some();
        assert!(asks("text/event-stream"));
        assert!(asks("text/event-stream, application/json;q=0.5"));
        assert!(asks("text/*"));
        for other in [
            "*/*",
            "application/json",
            "application/json, text/event-stream",
            "",
        ] {
            assert!(!asks(other), "{other}");
        }
        assert!(StreamRequest::of(&parts("/", &[])).is_none());
    }

    #[test]
    fn what_is_kept_is_not_shown() {
        let sent = [
            ("accept", EVENT_STREAM),
            ("x-auth-token", "hidden"),
            ("last-event-id", "7"),
        ];
        let request = StreamRequest::of(&parts("/", &sent)).unwrap();
        assert_eq!(request.last_event_id.as_deref(), Some("7"));
        assert!(!format!("{request:?}").contains("hidden"));
    }
}
