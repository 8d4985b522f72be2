//! Metrics for Prometheus, on separate addresses without authentication.
//!
//! There are no secrets among them, but they tell how large a site is and what it is doing; so
//! nothing is opened unless the operator names an address.

mod statsd;

pub(crate) use statsd::Statsd;

use crate::listen::{Limits, Socket};
use anyhow::Context;
use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use std::{net::SocketAddr, time::Duration};
use store::Db;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use types::{error::chain, metrics::MEDIA_TYPE};

/// The open sockets, before they are served.
pub(crate) struct Numbers(Vec<Socket>);

impl Numbers {
    pub(crate) async fn open(addresses: &[SocketAddr]) -> anyhow::Result<Self> {
        let mut sockets = Vec::new();
        for &address in addresses {
            let bound = TcpListener::bind(address).await;
            let listener = bound.with_context(|| format!("cannot listen on {address}"))?;
            let address = listener.local_addr()?;
            tracing::info!("serving metrics at http://{address}/metrics");
            sockets.push(Socket::Tcp(listener, address));
        }
        Ok(Self(sockets))
    }

    /// Answers in the background until `stop`.
    pub(crate) fn serve(self, db: &Db, silence: Duration, stop: &CancellationToken) {
        let router = Router::new()
            .route("/metrics", get(page))
            .with_state((db.clone(), silence.as_secs()));
        for socket in self.0 {
            tokio::spawn(socket.serve(router.clone(), Limits::default(), None, stop.clone()));
        }
    }
}

async fn page(State((db, silence_s)): State<(Db, u64)>) -> Response {
    match api::metrics::page(&db, silence_s).await {
        Ok(text) => ([(header::CONTENT_TYPE, MEDIA_TYPE)], text).into_response(),
        Err(error) => {
            let error = chain(&error);
            tracing::warn!(error, "cannot collect metrics from the database");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "the database is not reachable\n",
            )
                .into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::{KeyRing, Location, Upgrade};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    #[tokio::test]
    async fn numbers_are_shown_where_the_operator_says() {
        let dir = tempfile::tempdir().unwrap();
        let place = Location::Sqlite(dir.path().join("db"));
        let db = Db::open(&place, KeyRing::ephemeral().unwrap(), Upgrade::Run).unwrap();
        let any = "127.0.0.1:0".parse().unwrap();
        let numbers = Numbers::open(&[any]).await.unwrap();
        let Socket::Tcp(_, address) = numbers.0[0] else {
            panic!("no port");
        };
        let stop = CancellationToken::new();
        numbers.serve(&db, Duration::from_secs(60), &stop);
        let ask = async |path: &str| {
            let mut client = TcpStream::connect(address).await.unwrap();
            let request = format!("GET {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
            client.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            answer
        };
        let page = ask("/metrics").await;
        assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
        assert!(
            page.contains("content-type: text/plain; version=0.0.4"),
            "{page}"
        );
        assert!(page.contains("\ncorten_event_log_position 0\n"), "{page}");
        // Nothing else is there, and nobody is asked for a password.
        assert!(ask("/v1/nodes").await.starts_with("HTTP/1.1 404 "));
        stop.cancel();
    }
}
