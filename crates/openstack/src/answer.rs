//! Reading answers: how much of one is read, and how it is parsed.
//!
//! An address in the configuration or in the catalogue may lead to anything, so an answer is read up
//! to a limit, memory for more than a little is claimed from a pool that all answers share, and the
//! values of a document are counted before they are built.

use crate::{Deadline, Error, Outage, Reason, RequestContext};
use bytes::{Bytes, BytesMut};
use reqwest::Response;
use serde::de::DeserializeOwned;
use types::{
    error::chain,
    json_shape::Shape,
    memory_budget::{Claim, FREE, SERVICES},
};

/// In steps of how many bytes memory is claimed.
const STEP: usize = 1 << 20;

/// A body that was read, and the memory that it takes.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    _claims: Vec<Claim>,
}

/// Reads a body of at most `limit` bytes.
pub(crate) async fn read(
    mut response: Response,
    limit: usize,
    deadline: Deadline,
) -> Result<Body, Reason> {
    let reading = async {
        let announced = response.content_length().unwrap_or_default();
        if announced > limit as u64 {
            return Err(too_large(limit));
        }
        let mut bytes = BytesMut::new();
        let mut claims = Vec::new();
        let mut claimed = FREE;
        while let Some(piece) = response.chunk().await.map_err(broken)? {
            let length = bytes.len() + piece.len();
            if length > limit {
                return Err(too_large(limit));
            }
            while length > claimed {
                let claim = SERVICES.claim(STEP).await;
                claimed += claim.bytes();
                claims.push(claim);
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(Body {
            bytes: bytes.freeze(),
            _claims: claims,
        })
    };
    let timeout = deadline.remaining();
    deadline
        .limit(reading)
        .await
        .unwrap_or(Err(Reason::Timeout {
            after: timeout,
            was_sent: true,
        }))
}

/// What a body says.
pub(crate) async fn parse<T>(
    body: Body,
    deadline: Deadline,
    request: &RequestContext,
) -> Result<T, Error>
where
    T: DeserializeOwned + Send + 'static,
{
    let failed = |reason| Error::new(request, reason);
    if body.bytes.len() <= FREE {
        return parse_here(&body.bytes).map_err(failed);
    }
    let timeout = deadline.remaining();
    let parsing = async {
        let text = body.bytes.clone();
        let counted = tokio::task::spawn_blocking(move || Shape::within_bounds(&text)).await;
        let shape = counted
            .map_err(|error| Reason::Protocol(error.to_string()))?
            .map_err(|error| Reason::TooLarge(error.to_string()))?;
        let _claim = SERVICES.claim(shape.memory()).await;
        let parsed = tokio::task::spawn_blocking(move || parse_here(&body.bytes)).await;
        parsed.map_err(|error| Reason::Protocol(error.to_string()))?
    };
    let timed_out = Reason::Timeout {
        after: timeout,
        was_sent: true,
    };
    let parsed = deadline.limit(parsing).await;
    parsed.unwrap_or(Err(timed_out)).map_err(failed)
}

/// What a document says. The error quotes nothing of it: there may be secrets in it.
pub(crate) fn parse_here<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Reason> {
    Shape::within_bounds(bytes).map_err(|error| Reason::TooLarge(error.to_string()))?;
    serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Reason::Protocol(match error.classify() {
            serde_json::error::Category::Data => {
                format!("JSON without the expected members (line {line} column {column})")
            }
            _ => format!("not JSON (line {line} column {column})"),
        })
    })
}

pub(crate) fn too_large(limit: usize) -> Reason {
    Reason::TooLarge(format!("longer than {} KiB", limit >> 10))
}

pub(crate) fn broken(error: reqwest::Error) -> Reason {
    Reason::Unavailable(Outage::Broken(chain(&error.without_url())))
}
