//! A bare axum handler: `bare FILE…` answers `GET /N` with the bytes of the file N, counted from 0.
//!
//! `bench/ratio` compares the service with it. It does what no HTTP service can do without, so its
//! cost is the limit that ours is measured by. The first line of output is its port.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "no service: it may wait for its files, and prints its port"
)]

use axum::{
    Router,
    body::Bytes,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use std::sync::Arc;

async fn answer(State(files): State<Arc<[Bytes]>>, Path(number): Path<usize>) -> Response {
    match files.get(number) {
        Some(bytes) => {
            ([(header::CONTENT_TYPE, "application/json")], bytes.clone()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let files = std::env::args().skip(1).map(std::fs::read);
    let files: Arc<[Bytes]> = files
        .map(|file| file.map(Bytes::from))
        .collect::<Result<_, _>>()?;
    let router = Router::new()
        .route("/{number}", get(answer))
        .with_state(files);
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", socket.local_addr()?.port());
    axum::serve(socket, router).await?;
    Ok(())
}
