//! The socket on which the service talks to the agent.
//!
//! There should be only one client, the service, so the number of connections is small and every
//! wait has a timeout.

use axum::Router;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use rustls::ServerConfig;
use std::{future::ready, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How many connections are open at a time; further ones wait.
const CONNECTIONS: usize = 64;

/// How long a client may take to agree on TLS, and to send the head of a request.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest head of a request, in bytes.
const HEAD: usize = 64 * 1024;

/// How long answers may take to leave once the agent stops.
const LEAVE: Duration = Duration::from_secs(10);

/// Opens the socket: on all addresses, of both families where there are both, unless one is named.
pub(crate) async fn open(host: Option<&str>, port: u16) -> io::Result<TcpListener> {
    match host {
        Some(host) => TcpListener::bind((host, port)).await,
        None => match TcpListener::bind(SocketAddr::from(([0u16; 8], port))).await {
            Ok(listener) => Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(error),
            Err(_) => TcpListener::bind(SocketAddr::from(([0, 0, 0, 0], port))).await,
        },
    }
}

/// Answers requests until `stop`, and then for a while those that are under way.
pub(crate) async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let under_way = TaskTracker::new();
    let accepting = async {
        // The places are never closed.
        while let Ok(place) = Arc::clone(&places).acquire_owned().await {
            let (stream, _) = inbound::next(|| listener.accept()).await;
            let (tls, router, stop) = (tls.clone(), router.clone(), stop.clone());
            under_way.spawn(async move {
                greet(stream, tls, router, stop).await;
                drop(place);
            });
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = accepting => {}
    }
    drop(listener);
    under_way.close();
    let _ = timeout(LEAVE, under_way.wait()).await;
}

async fn greet(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    stop: CancellationToken,
) {
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else {
        return converse(stream, router, stop).await;
    };
    let handshake = inbound::handshake(ready(TlsAcceptor::from(tls)), stream, PATIENCE);
    if let Some(Some(stream)) = stop.run_until_cancelled(handshake).await {
        converse(stream, router, stop).await;
    }
}

async fn converse<S>(stream: S, router: Router, stop: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = inbound::http1(PATIENCE, HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("connection error: {error}");
    }
}
