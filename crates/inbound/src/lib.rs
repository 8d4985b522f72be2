//! What every HTTP server of ours does with a connection: accept it, secure it, and limit it.
//!
//! How many connections there may be, and who waits when there are too many, is different for each
//! server and is not here. The simulator has a server of its own, because it shares no code with
//! what it tests.

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;
use std::{io, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// How long to leave a socket alone when the system has nothing left for a connection, such as
/// file descriptors.
const EXHAUSTED: Duration = Duration::from_secs(1);

/// The next connection. `accept` is called until it succeeds.
pub async fn next<T, F>(accept: impl Fn() -> F) -> T
where
    F: Future<Output = io::Result<T>>,
{
    loop {
        match accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                tracing::warn!("cannot accept connections: {error}");
                sleep(EXHAUSTED).await;
            }
        }
    }
}

/// Whether a client disconnected before it was accepted, which is not an error here.
fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(
        error.kind(),
        K::ConnectionAborted | K::ConnectionRefused | K::ConnectionReset
    )
}

/// TLS with a client that agrees on it within `patience`.
pub async fn handshake<S>(
    acceptor: impl Future<Output = TlsAcceptor>,
    stream: S,
    patience: Duration,
) -> Option<TlsStream<S>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let handshake = async { acceptor.await.accept(stream).await };
    match timeout(patience, handshake).await {
        Ok(Ok(stream)) => Some(stream),
        // Debug level: every port scan causes these.
        Ok(Err(error)) => {
            tracing::debug!("TLS handshake failed: {error}");
            None
        }
        Err(_) => {
            tracing::debug!("TLS handshake timeout");
            None
        }
    }
}

/// HTTP on connections whose clients send the head of each request within `patience`, and no more
/// than `head` bytes of it.
pub fn http1(patience: Duration, head: usize) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(head);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        future::ready,
        sync::atomic::{AtomicUsize, Ordering},
    };

    #[tokio::test(start_paused = true)]
    async fn accepting_goes_on_after_errors() {
        let errors = [io::ErrorKind::ConnectionAborted, io::ErrorKind::OutOfMemory];
        let calls = AtomicUsize::new(0);
        let accepted = next(|| {
            let call = calls.fetch_add(1, Ordering::Relaxed);
            ready(match errors.get(call) {
                Some(kind) => Err((*kind).into()),
                None => Ok(call),
            })
        });
        assert_eq!(accepted.await, 2);
    }
}
