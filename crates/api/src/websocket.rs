//! Turning a request into a WebSocket (RFC 6455).
//!
//! Browsers let pages of any site open WebSockets and add the user's credentials by themselves;
//! what keeps such a page out is the origin that the browser names. A request without one is not
//! from a page.

use crate::{settings::Settings, site};
use axum::http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{
        CONNECTION, ORIGIN, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION,
        UPGRADE,
    },
    request::Parts,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use ring::digest;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::protocol::{Role, WebSocketConfig},
};

/// What the standard adds to a key, to prove that it was understood.
const MAGIC: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Nobody types more at once.
const LONGEST: usize = 64 * 1024;

/// A WebSocket as handlers use it.
pub(crate) type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// A request that may become a WebSocket.
#[derive(Debug, Clone)]
pub struct Handshake {
    outcome: Result<String, Obstacle>,
    connection: Option<OnUpgrade>,
}

/// Why a request does not become a WebSocket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// It does not ask for one.
    NotAsked,
    /// The version is not the one that there is.
    Version,
    /// A page of another site asks.
    Origin(String),
}

impl Obstacle {
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotAsked | Self::Version => StatusCode::UPGRADE_REQUIRED,
            Self::Origin(_) => StatusCode::FORBIDDEN,
        }
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotAsked => f.write_str("This is for WebSockets only."),
            Self::Version => f.write_str("WebSockets of version 13 are spoken here."),
            Self::Origin(origin) => {
                write!(f, "Pages of {origin} may not open WebSockets here.")
            }
        }
    }
}

impl Handshake {
    pub fn of(settings: &Settings, parts: &Parts) -> Self {
        Self {
            outcome: accept(settings, &parts.headers),
            connection: parts.extensions.get().cloned(),
        }
    }

    /// What proves to the client that it was understood.
    pub fn accept(&self) -> Result<String, Obstacle> {
        match (&self.outcome, &self.connection) {
            (Ok(_), None) => Err(Obstacle::NotAsked),
            (outcome, _) => outcome.clone(),
        }
    }

    /// The WebSocket, once the answer has been sent.
    pub async fn open(self) -> Option<Socket> {
        let upgraded = self.connection?.await.ok()?;
        let limits = WebSocketConfig::default()
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let stream = TokioIo::new(upgraded);
        Some(WebSocketStream::from_raw_socket(stream, Role::Server, Some(limits)).await)
    }
}

/// What is spoken, for clients that offer protocols: browsers give up where none is chosen.
const SPOKEN: &str = "corten.console";

/// The protocol to choose of those that a client offers.
pub(crate) fn protocol(headers: &HeaderMap) -> Option<HeaderValue> {
    let offered = headers.get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    let is_offered = offered.split(',').any(|name| name.trim() == SPOKEN);
    is_offered.then_some(HeaderValue::from_static(SPOKEN))
}

fn accept(settings: &Settings, headers: &HeaderMap) -> Result<String, Obstacle> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let lists = |name, word: &str| {
        let words = text(name)
            .into_iter()
            .flat_map(|value: &str| value.split(','));
        words.map(str::trim).any(|w| w.eq_ignore_ascii_case(word))
    };
    let key = text(SEC_WEBSOCKET_KEY);
    let (true, true, Some(key)) = (
        lists(CONNECTION, "upgrade"),
        lists(UPGRADE, "websocket"),
        key,
    ) else {
        return Err(Obstacle::NotAsked);
    };
    if text(SEC_WEBSOCKET_VERSION) != Some("13") {
        return Err(Obstacle::Version);
    }
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().unwrap_or("an unreadable origin");
        if !site::is_welcome(settings, headers, origin) {
            return Err(Obstacle::Origin(types::mask::text(origin).into_owned()));
        }
    }
    Ok(answer_to(key))
}

fn answer_to(key: &str) -> String {
    let proof = format!("{key}{MAGIC}");
    let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, proof.as_bytes());
    BASE64_STANDARD.encode(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parts;

    const ASKED: [(&str, &str); 5] = [
        ("host", "h:6385"),
        ("connection", "keep-alive, Upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("sec-websocket-version", "13"),
    ];

    fn outcome(settings: &Settings, more: &[(&str, &str)]) -> Result<String, Obstacle> {
        let kept = ASKED
            .iter()
            .filter(|(name, _)| more.iter().all(|(n, _)| n != name));
        let headers: Vec<(&str, &str)> = kept.chain(more).copied().collect();
        accept(settings, &parts("/", &headers).headers)
    }

    #[test]
    fn the_proof_is_that_of_the_standard() {
        let settings = Settings::default();
        let proof = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".to_owned();
        assert_eq!(outcome(&settings, &[]), Ok(proof));
    }

    #[test]
    fn other_requests_are_no_handshakes() {
        let settings = Settings::default();
        for more in [("connection", "close"), ("upgrade", "h2c")] {
            assert_eq!(outcome(&settings, &[more]), Err(Obstacle::NotAsked));
        }
        let old = [("sec-websocket-version", "8")];
        assert_eq!(outcome(&settings, &old), Err(Obstacle::Version));
    }

    #[test]
    fn pages_of_other_sites_are_kept_out() {
        let mut settings = Settings::default();
        let from = |settings: &Settings, origin| outcome(settings, &[("origin", origin)]);
        assert!(from(&settings, "http://h:6385").is_ok());
        for evil in ["http://evil", "http://h", "http://h:6385.evil", "null", "*"] {
            let refused = from(&settings, evil).unwrap_err();
            assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{evil}");
        }
        settings.cors.allowed_origin = vec!["https://panel".into(), "*".into()];
        assert!(from(&settings, "https://panel").is_ok());
        // A wildcard is for answers that anybody may read, not for consoles.
        assert!(from(&settings, "https://other").is_err());
    }
}
