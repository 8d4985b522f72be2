//! What a handler answers when all is well.

use axum::http::StatusCode;

/// A successful answer. Headers that every answer has are added by the router.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    /// A JSON document, or nothing.
    pub body: Option<Vec<u8>>,
    pub location: Option<String>,
    /// What proves that a WebSocket was asked for, if the connection becomes one now.
    pub websocket: Option<String>,
}

impl Reply {
    /// 200 with a document.
    pub fn ok(body: Vec<u8>) -> Self {
        Self {
            status: StatusCode::OK,
            body: Some(body),
            location: None,
            websocket: None,
        }
    }

    /// 201 with the new resource and its address.
    pub fn created(body: Vec<u8>, location: String) -> Self {
        Self {
            status: StatusCode::CREATED,
            body: Some(body),
            location: Some(location),
            websocket: None,
        }
    }

    /// 101: what follows is a WebSocket.
    pub fn switching(proof: String) -> Self {
        Self {
            websocket: Some(proof),
            ..Self::empty(StatusCode::SWITCHING_PROTOCOLS)
        }
    }

    /// 202 without a body.
    pub fn accepted() -> Self {
        Self::empty(StatusCode::ACCEPTED)
    }

    /// 204.
    pub fn no_content() -> Self {
        Self::empty(StatusCode::NO_CONTENT)
    }

    fn empty(status: StatusCode) -> Self {
        Self {
            status,
            body: None,
            location: None,
            websocket: None,
        }
    }

    /// The same with a `Location` header.
    pub fn at(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }
}
