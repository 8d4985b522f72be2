//! What an agent answers its peers: which blocks it has, and each of them.
//!
//! Who does not have the token of the image that is shared now learns nothing, not even whether
//! there is one.

use super::{Exchange, Exchanges, PeerAddress, locked};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Path, Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use std::{sync::Arc, time::Duration};
use tokio::{task::spawn_blocking, time::timeout};

/// The header with the token.
pub(super) const TOKEN_HEADER: &str = "x-corten-image-token";

/// The longest introduction of a peer: its address and its certificate.
const INTRODUCTION: usize = 32 << 10;

/// How long a request for a block may wait for its turn.
const QUEUE: Duration = Duration::from_secs(1);

/// The routes, beside those of the agent's API.
pub(crate) fn router(exchanges: Exchanges) -> Router {
    Router::new()
        .route("/v1/image_peers/{image}", post(blocks))
        .route("/v1/image_peers/{image}/{block}", get(block))
        .with_state(exchanges)
}

/// The image that is asked for, if it is the one that is shared and the token is right.
fn asked(exchanges: &Exchanges, image: &str, headers: &HeaderMap) -> Option<Arc<Exchange>> {
    let token = headers.get(TOKEN_HEADER)?.to_str().ok()?;
    let exchange = exchanges.current()?;
    (exchange.order.token.is(token) && exchange.id == image).then_some(exchange)
}

async fn blocks(
    State(exchanges): State<Exchanges>,
    Path(image): Path<String>,
    request: Request,
) -> Result<Response, StatusCode> {
    let exchange = asked(&exchanges, &image, request.headers()).ok_or(StatusCode::NOT_FOUND)?;
    let body = to_bytes(request.into_body(), INTRODUCTION).await;
    let body = body.map_err(|_| StatusCode::BAD_REQUEST)?;
    let peer: PeerAddress = serde_json::from_slice(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    peer.certificate().map_err(|_| StatusCode::BAD_REQUEST)?;
    if !exchange.may_give(0) || !exchange.admit(peer) {
        return Ok(later());
    }
    let here = locked(&exchange.here).to_bytes();
    Ok(bytes(here))
}

async fn block(
    State(exchanges): State<Exchanges>,
    Path((image, block)): Path<(String, usize)>,
    headers: HeaderMap,
) -> Result<Response, StatusCode> {
    let exchange = asked(&exchanges, &image, &headers).ok_or(StatusCode::NOT_FOUND)?;
    // The semaphore is never closed.
    let Ok(_turn) = timeout(QUEUE, exchange.reads.acquire()).await else {
        return Ok(later());
    };
    let (_, length) = exchange.order.list.range(block);
    if block >= exchange.order.list.count() || !exchange.may_give(length) {
        return Err(StatusCode::GONE);
    }
    let reading = Arc::clone(&exchange);
    let read = spawn_blocking(move || reading.read(block)).await;
    let read = read.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    match read {
        Ok(Some(block)) => Ok(bytes(block)),
        Ok(None) => Err(StatusCode::GONE),
        Err(error) => {
            tracing::warn!("cannot read block {block} of the image for another agent: {error}");
            Err(StatusCode::GONE)
        }
    }
}

fn bytes(body: Vec<u8>) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/octet-stream")];
    (kind, Body::from(body)).into_response()
}

/// The connection is needed for those who take part, and for the service.
fn later() -> Response {
    let close = [(header::CONNECTION, "close")];
    (StatusCode::SERVICE_UNAVAILABLE, close).into_response()
}
