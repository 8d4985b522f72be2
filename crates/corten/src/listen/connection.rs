//! Connections: how many there may be, and how long each may keep us waiting.
//!
//! A client must agree on TLS, send the head of a request, and take its answer, each within
//! `[corten]client_timeout`; how long it may take to send a body is up to the API. A connection
//! on which nothing is asked for that long is closed, and earlier when others want its place
//! ([`super::crowd`]).

use super::{
    Socket,
    crowd::{ConnectionSlot, Crowded, Held, OpenConnections},
    plain,
    responder::Responder,
    stall::Stall,
    tls::Certificate,
};
use api::peer::Peer;
use axum::body::Body;
use hyper::{
    Request, Response, StatusCode,
    body::Incoming,
    header::{CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use rustix::process::{Resource, getrlimit};
use std::{convert::Infallible, net::IpAddr, pin::pin, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpStream, UnixStream},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long a connection that makes room may take to send what it has to send: no longer than the
/// system takes it at once, because others wait for its place one after the other.
const FAREWELL: Duration = Duration::ZERO;

/// What clients may take of us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limits {
    /// How long a client may keep us waiting.
    pub(crate) patience: Duration,
    /// The longest head of a request, in bytes.
    pub(crate) head: usize,
    /// How many connections are open at a time.
    pub(crate) connections: usize,
    /// Whether clients come by a proxy, so that their addresses tell nothing.
    pub(crate) by_proxy: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(60),
            head: 64 * 1024,
            connections: 1000,
            by_proxy: false,
        }
    }
}

impl Limits {
    /// How many connections there can be: half of what the system lets this process open is for
    /// everything else.
    fn places(&self) -> usize {
        let files = open_files();
        let places = self.connections.min(files / 2).max(1);
        if places < self.connections {
            tracing::warn!(
                "only {places} connections are kept open instead of {} ([corten]max_connections): \
                 the process may open {files} files (ulimit -n, LimitNOFILE=)",
                self.connections
            );
        }
        places
    }
}

/// How many files the system lets this process open.
pub(crate) fn open_files() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    files.map_or(usize::MAX, |files| {
        usize::try_from(files).unwrap_or(usize::MAX)
    })
}

/// What every connection needs.
struct Host {
    responder: Responder,
    limits: Limits,
    certificate: Option<Arc<Certificate>>,
    stop: CancellationToken,
}

enum Stream {
    Tcp(TcpStream, Peer),
    Unix(UnixStream),
}

impl Stream {
    fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Tcp(_, peer) => Some(peer.0),
            Self::Unix(_) => None,
        }
    }
}

/// Answers requests until `stop`, and then until those under way are answered.
pub(super) async fn serve(
    socket: Socket,
    responder: Responder,
    limits: Limits,
    certificate: Option<Arc<Certificate>>,
    stop: CancellationToken,
) {
    let crowd = Arc::new(OpenConnections::new(limits.places(), limits.by_proxy));
    let host = Arc::new(Host {
        responder,
        limits,
        certificate,
        stop: stop.clone(),
    });
    let under_way = TaskTracker::new();
    let accepting = async {
        loop {
            let stream = accept(&socket).await;
            let place = crowd.enter(stream.address()).await;
            let host = Arc::clone(&host);
            under_way.spawn(async move { host.greet(stream, place).await });
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = accepting => {}
    }
    drop(socket);
    under_way.close();
    under_way.wait().await;
}

async fn accept(socket: &Socket) -> Stream {
    match socket {
        Socket::Tcp(listener, _) => {
            let (stream, address) = inbound::next(|| listener.accept()).await;
            // Answers are written whole; waiting for more to send only delays them. A connection
            // that is gone already says so when it is read.
            let _ = stream.set_nodelay(true);
            Stream::Tcp(stream, Peer(address.ip().to_canonical()))
        }
        Socket::Unix(listener, _) => {
            let (stream, _) = inbound::next(|| listener.accept()).await;
            Stream::Unix(stream)
        }
    }
}

impl Host {
    async fn greet(&self, stream: Stream, place: ConnectionSlot) {
        match stream {
            Stream::Tcp(stream, peer) => {
                let patience = self.limits.patience;
                if self.certificate.is_some() {
                    let is_plain = tokio::select! {
                        is_plain = plain::is_plain(&stream, patience) => is_plain,
                        () = self.stop.cancelled() => return,
                        () = place.leave.cancelled() => return,
                    };
                    if is_plain {
                        return plain::refuse(stream, patience).await;
                    }
                }
                self.secure(stream, Some(peer), place).await;
            }
            Stream::Unix(stream) => self.secure(stream, None, place).await,
        }
    }

    async fn secure<S>(&self, stream: S, peer: Option<Peer>, place: ConnectionSlot)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let stream = Stall::new(stream, self.limits.patience);
        let Some(certificate) = &self.certificate else {
            return self.converse(stream, peer, place).await;
        };
        let handshake = inbound::handshake(certificate.acceptor(), stream, self.limits.patience);
        let secured = tokio::select! {
            secured = handshake => secured,
            () = self.stop.cancelled() => return,
            () = place.leave.cancelled() => return,
        };
        if let Some(stream) = secured {
            self.converse(stream, peer, place).await;
        }
    }

    async fn converse<S>(&self, stream: S, peer: Option<Peer>, place: ConnectionSlot)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let responder = self.responder.clone();
        let door = place.door();
        let service = service_fn(move |mut request: Request<Incoming>| {
            if let Some(peer) = peer {
                request.extensions_mut().insert(peer);
            }
            let let_in = door.begin(request.uri().path());
            let answering = let_in.map(|busy| (responder.call(request.map(Body::new)), busy));
            async move {
                match answering {
                    Ok((answering, busy)) => {
                        let answer = answering.await;
                        Ok::<_, Infallible>(answer.map(|body| Held::new(body, Some(busy))))
                    }
                    Err(crowded) => Ok(refused(crowded).map(|body| Held::new(body, None))),
                }
            }
        });
        let connection = inbound::http1(self.limits.patience, self.limits.head)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
            () = place.leave.cancelled() => {
                connection.as_mut().graceful_shutdown();
                // A request that has just begun is answered; half a head has nothing to lose.
                match timeout(FAREWELL, connection.as_mut()).await {
                    Ok(ended) => ended,
                    Err(_) if place.is_busy() => connection.await,
                    Err(_) => Ok(()),
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!("connection error: {error}");
        }
    }
}

/// The answer to a request that is refused before it is read.
fn refused(crowded: Crowded) -> Response<Body> {
    tracing::info!("request refused, too many at once: {crowded}");
    let text =
        format!(r#"{{"error_message": {{"faultcode": "Server", "faultstring": "{crowded}"}}}}"#);
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        listen::ListenError,
        settings::{Access, Address},
    };
    use axum::{
        Router,
        routing::{get, post},
    };
    use std::net::SocketAddr;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        sync::Notify,
        task::JoinHandle,
    };

    /// So short that a test that waits for it hardly waits.
    const MOMENT: Duration = Duration::from_millis(50);

    struct Server {
        address: SocketAddr,
        stop: CancellationToken,
        serving: JoinHandle<()>,
    }

    impl Server {
        async fn start(router: Router, limits: Limits) -> Result<Self, ListenError> {
            let address = Address::Tcp {
                host: "127.0.0.1".to_owned(),
                port: 0,
            };
            let socket = Socket::open(&address, &Access::Open, false).await?;
            let Socket::Tcp(_, address) = socket else {
                panic!("no port");
            };
            let stop = CancellationToken::new();
            let serving = tokio::spawn(serve(socket, router.into(), limits, None, stop.clone()));
            Ok(Self {
                address,
                stop,
                serving,
            })
        }

        async fn connect(&self) -> TcpStream {
            TcpStream::connect(self.address).await.unwrap()
        }

        async fn end(self) {
            self.stop.cancel();
            self.serving.await.unwrap();
        }
    }

    async fn say(stream: &mut TcpStream, text: &str) {
        stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// What comes until the other side closes.
    async fn rest(stream: &mut TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    }

    fn hasty() -> Limits {
        Limits {
            patience: MOMENT,
            ..Limits::default()
        }
    }

    #[tokio::test]
    async fn a_head_that_does_not_end_ends_the_connection() {
        let router = Router::new().route("/", get(async || "here"));
        let server = Server::start(router, hasty()).await.unwrap();
        let mut slow = server.connect().await;
        say(&mut slow, "GET / HTTP/1.1\r\nhost: h\r\nx-more: ").await;
        assert_eq!(rest(&mut slow).await, "");
        // A connection that says nothing at all is no better.
        assert_eq!(rest(&mut server.connect().await).await, "");
        server.end().await;
    }

    #[tokio::test]
    async fn a_connection_is_kept_for_further_requests() {
        let router = Router::new().route("/", get(async || "here"));
        let server = Server::start(router, Limits::default()).await.unwrap();
        let mut client = server.connect().await;
        for _ in 0..3 {
            say(&mut client, "GET / HTTP/1.1\r\nhost: h\r\n\r\n").await;
            let mut answer = Vec::new();
            while !answer.ends_with(b"here") {
                assert_ne!(client.read_buf(&mut answer).await.unwrap(), 0);
            }
        }
        server.end().await;
        assert_eq!(rest(&mut client).await, "");
    }

    #[tokio::test]
    async fn a_head_that_is_too_long_is_refused() {
        let router = Router::new().route("/", get(async || "here"));
        let limits = Limits {
            head: 8192,
            ..Limits::default()
        };
        let server = Server::start(router, limits).await.unwrap();
        let mut client = server.connect().await;
        let filler = "x".repeat(8200);
        say(
            &mut client,
            &format!("GET / HTTP/1.1\r\nx-long: {filler}\r\n"),
        )
        .await;
        let answer = rest(&mut client).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
        let mut client = server.connect().await;
        let many: String = (0..200).map(|n| format!("x-{n}: y\r\n")).collect();
        say(&mut client, &format!("GET / HTTP/1.1\r\n{many}\r\n")).await;
        let answer = rest(&mut client).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
        server.end().await;
    }

    #[tokio::test]
    async fn further_connections_wait_for_a_place() {
        let entered = Arc::new(Notify::new());
        let leave = Arc::new(Notify::new());
        let (inside, outside) = (Arc::clone(&entered), Arc::clone(&leave));
        let handler = post(async move || {
            inside.notify_one();
            outside.notified().await;
            "done"
        });
        let limits = Limits {
            connections: 1,
            ..Limits::default()
        };
        let server = Server::start(Router::new().route("/", handler), limits)
            .await
            .unwrap();
        let ask = "POST / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n";
        let mut first = server.connect().await;
        say(&mut first, ask).await;
        entered.notified().await;
        let mut second = server.connect().await;
        say(&mut second, ask).await;
        leave.notify_one();
        assert!(rest(&mut first).await.ends_with("done"));
        // Only now is the second one let in.
        entered.notified().await;
        leave.notify_one();
        assert!(rest(&mut second).await.ends_with("done"));
        server.end().await;
    }

    #[tokio::test]
    async fn idle_connections_make_room_for_new_ones() {
        let router = Router::new().route("/", get(async || "here"));
        let limits = Limits {
            connections: 4,
            ..Limits::default()
        };
        let server = Server::start(router, limits).await.unwrap();
        let mut idle = Vec::new();
        for _ in 0..20 {
            let mut client = server.connect().await;
            say(&mut client, "GET / HTTP/1.1\r\nx-half: ").await;
            idle.push(client);
        }
        let mut client = server.connect().await;
        let ask = "GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n";
        say(&mut client, ask).await;
        assert!(rest(&mut client).await.ends_with("here"));
        // The first to come was the first to go.
        assert_eq!(rest(&mut idle[0]).await, "");
        // An end waits for those who have begun to ask.
        drop(idle);
        server.end().await;
    }

    #[tokio::test]
    async fn agents_are_let_in_when_clients_take_all_they_may() {
        let entered = Arc::new(Notify::new());
        let (inside, leave) = (Arc::clone(&entered), Arc::new(Notify::new()));
        let outside = Arc::clone(&leave);
        let slow = get(async move || {
            inside.notify_one();
            outside.notified().await;
            "done"
        });
        let router = Router::new()
            .route("/slow", slow)
            .route("/v1/lookup", get(async || "found"));
        let limits = Limits {
            connections: 8,
            by_proxy: true,
            ..Limits::default()
        };
        let server = Server::start(router, limits).await.unwrap();
        let ask =
            |path: &str| format!("GET {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
        let mut busy = Vec::new();
        for _ in 0..7 {
            let mut client = server.connect().await;
            say(&mut client, &ask("/slow")).await;
            entered.notified().await;
            busy.push(client);
        }
        let mut client = server.connect().await;
        say(&mut client, &ask("/slow")).await;
        let answer = rest(&mut client).await;
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(answer.contains("retry-after: 5"), "{answer}");
        let mut agent = server.connect().await;
        say(&mut agent, &ask("/v1/lookup")).await;
        assert!(rest(&mut agent).await.ends_with("found"));
        for mut client in busy {
            leave.notify_one();
            assert!(rest(&mut client).await.ends_with("done"));
        }
        server.end().await;
    }

    #[tokio::test]
    async fn requests_know_where_they_come_from() {
        let handler = get(async |axum::Extension(peer): axum::Extension<Peer>| peer.to_string());
        let server = Server::start(Router::new().route("/", handler), Limits::default())
            .await
            .unwrap();
        let mut client = server.connect().await;
        say(
            &mut client,
            "GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n",
        )
        .await;
        assert!(rest(&mut client).await.ends_with("\r\n127.0.0.1"));
        server.end().await;
    }
}
