//! What a handler answers when all is well.

use crate::answer_buffer;
use axum::{body::Body, http::StatusCode};
use bytes::Bytes;

/// A successful answer. Headers that every answer has are added by the router.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    /// A JSON document, or nothing.
    pub body: Option<Bytes>,
    pub location: Option<String>,
    /// What proves that a WebSocket was asked for, if the connection becomes one now.
    pub websocket: Option<String>,
    /// A body that is made while it is sent, and its media type; in place of a document.
    pub stream: Option<(&'static str, Body)>,
    /// The value of `Set-Cookie`.
    pub cookie: Option<String>,
    /// What says whether the answer is still the one that a client has.
    pub tag: Option<String>,
}

impl Reply {
    /// 200 with a document.
    pub fn ok(body: Vec<u8>) -> Self {
        Self {
            body: Some(answer_buffer::answer(body)),
            ..Self::empty(StatusCode::OK)
        }
    }

    /// 200 with a document that was made before.
    pub fn kept(body: Bytes) -> Self {
        Self {
            body: Some(body),
            ..Self::empty(StatusCode::OK)
        }
    }

    /// 201 with the new resource and its address.
    pub fn created(body: Vec<u8>, location: String) -> Self {
        Self {
            body: Some(answer_buffer::answer(body)),
            location: Some(location),
            ..Self::empty(StatusCode::CREATED)
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
            stream: None,
            cookie: None,
            tag: None,
        }
    }

    /// 304: the client has the answer.
    pub fn not_modified(tag: String) -> Self {
        Self::empty(StatusCode::NOT_MODIFIED).tagged(tag)
    }

    /// The same with a cookie.
    pub fn with_cookie(mut self, cookie: String) -> Self {
        self.cookie = Some(cookie);
        self
    }

    /// The same with an `ETag`.
    pub fn tagged(mut self, tag: String) -> Self {
        self.tag = Some(tag);
        self
    }

    /// 200 with a body that is made while it is sent.
    pub fn stream(kind: &'static str, body: Body) -> Self {
        Self {
            stream: Some((kind, body)),
            ..Self::empty(StatusCode::OK)
        }
    }

    /// The same with a `Location` header.
    pub fn at(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }
}
