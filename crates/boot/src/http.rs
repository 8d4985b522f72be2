//! The HTTP server of boot files: whole files and ranges, nothing else.
//!
//! It is a plain file server for loaders, kernels and images; the API is elsewhere. Each connection
//! must get on with it: one on which nothing moved for a while is closed, so that machines that were
//! switched off in the middle of a file do not use up the connections of others.

mod body;
mod range;

use crate::{
    error::BootError,
    log::{BootLog, Event, Protocol, role},
    root::{Denied, Opened, Root},
    share::Shares,
};
use axum::body::Body;
use body::{Delivery, Watch};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{self, HeaderValue},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use range::RequestedRange;
use std::{
    borrow::Cow,
    convert::Infallible,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use types::percent;

/// The longest head of a request, in bytes.
const HEAD: usize = 64 * 1024;

/// How the service is set up.
#[derive(Debug, Clone)]
pub struct Settings {
    pub listeners: Vec<SocketAddr>,
    /// How many connections may be open; further ones wait.
    pub connections: usize,
    /// A connection on which nothing moves for this long is closed.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listeners: Vec::new(),
            connections: 4000,
            patience: Duration::from_secs(60),
        }
    }
}

/// The service with its open sockets.
#[derive(Debug)]
pub struct Http {
    listeners: Vec<TcpListener>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    root: Root,
    log: Arc<BootLog>,
    config_subdir: String,
    slots: Arc<Semaphore>,
    shares: Arc<Shares>,
    patience: Duration,
}

impl Http {
    /// Opens the sockets; nothing is answered yet.
    pub async fn bind(
        settings: Settings,
        root: Root,
        log: Arc<BootLog>,
        config_subdir: &str,
    ) -> Result<Self, BootError> {
        let mut listeners = Vec::new();
        for address in &settings.listeners {
            let listener = TcpListener::bind(address).await;
            listeners.push(listener.map_err(|source| BootError::Listen {
                service: "HTTP",
                address: address.to_string(),
                source,
            })?);
        }
        let shared = Shared {
            root,
            log,
            config_subdir: config_subdir.to_owned(),
            slots: Arc::new(Semaphore::new(settings.connections.max(1))),
            shares: Shares::of(settings.connections),
            patience: settings.patience,
        };
        Ok(Self {
            listeners,
            shared: Arc::new(shared),
        })
    }

    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners
            .iter()
            .filter_map(|listener| listener.local_addr().ok())
            .collect()
    }

    /// Serves until it is told to stop; connections are then closed.
    pub async fn run(self, stop: CancellationToken) {
        // Listeners are tasks like those that they start, so this waits for all of them.
        let tasks = TaskTracker::new();
        for listener in self.listeners {
            tasks.spawn(listen(
                listener,
                self.shared.clone(),
                tasks.clone(),
                stop.clone(),
            ));
        }
        tasks.close();
        tasks.wait().await;
    }
}

async fn listen(
    listener: TcpListener,
    shared: Arc<Shared>,
    tasks: TaskTracker,
    stop: CancellationToken,
) {
    loop {
        // The slot first: while there is none, the kernel keeps who waits.
        let next = async {
            let slot = shared.slots.clone().acquire_owned().await;
            (slot, inbound::next(|| listener.accept()).await)
        };
        let (slot, (stream, peer)) = tokio::select! {
            next = next => next,
            () = stop.cancelled() => return,
        };
        let left = shared.slots.available_permits();
        let Some(share) = shared.shares.take(peer.ip().to_canonical(), left) else {
            tracing::debug!(%peer, "a client has too many connections for boot files");
            continue;
        };
        let (shared, stop) = (shared.clone(), stop.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = converse(&shared, stream, peer) => {}
                () = stop.cancelled() => {}
            }
            drop((slot, share));
        });
    }
}

async fn converse(shared: &Arc<Shared>, stream: TcpStream, peer: SocketAddr) {
    let watch = Watch::default();
    let service = service_fn(|request| {
        let (shared, watch) = (shared.clone(), watch.clone());
        async move { Ok::<_, Infallible>(answer(&shared, peer, request, &watch).await) }
    });
    let connection =
        inbound::http1(shared.patience, HEAD).serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        ended = connection => if let Err(error) = ended {
            tracing::debug!(%peer, %error, "a connection for boot files ended badly");
        },
        () = watch.stalled(shared.patience) => tracing::debug!(%peer, "a connection for boot files stood still"),
    }
}

async fn answer(
    shared: &Arc<Shared>,
    peer: SocketAddr,
    request: Request<Incoming>,
    watch: &Watch,
) -> Response<Body> {
    watch.moved();
    let head = request.method() == Method::HEAD;
    if !head && request.method() != Method::GET {
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
        refused
            .headers_mut()
            .insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    let protocol = Protocol::Http;
    let decoded = percent::decode_strictly(request.uri().path()).map(Cow::into_owned);
    let Ok(asked) = decoded else {
        return plain(StatusCode::BAD_REQUEST, "the path is no text\n");
    };
    let role = role(&asked, &shared.config_subdir);
    let opened = {
        let (shared, asked) = (shared.clone(), asked.clone());
        tokio::task::spawn_blocking(move || shared.root.open(&asked)).await
    };
    let opened = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(denied)) => {
            let path = asked.trim_start_matches('/').to_owned();
            let (event, status) = match denied {
                Denied::NotFound => (
                    Event::NotFound {
                        protocol,
                        role,
                        path,
                    },
                    StatusCode::NOT_FOUND,
                ),
                Denied::Forbidden(why) => (
                    Event::Refused {
                        protocol,
                        path,
                        why: why.to_owned(),
                    },
                    StatusCode::FORBIDDEN,
                ),
            };
            shared.log.note_file(peer.ip(), &asked, event);
            return plain(status, "no such file\n");
        }
        Err(_) => {
            return plain(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the file could not be read\n",
            );
        }
    };
    let event = Event::Asked {
        protocol,
        role,
        path: opened.name.clone(),
    };
    shared.log.note_file(peer.ip(), &opened.name, event);
    let delivery = Delivery {
        log: shared.log.clone(),
        peer: peer.ip(),
        role,
        path: opened.name.clone(),
    };
    file(&request, opened, head, delivery, watch)
}

fn file(
    request: &Request<Incoming>,
    opened: Opened,
    head: bool,
    delivery: Delivery,
    watch: &Watch,
) -> Response<Body> {
    let tag = tag(&opened);
    let named = |name| {
        request
            .headers()
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let same = |given: &str| {
        given
            .split(',')
            .any(|one| matches!(one.trim(), "*") || one.trim() == tag)
    };
    if named(header::IF_NONE_MATCH).is_some_and(same) {
        return with_tag(Response::new(Body::empty()), StatusCode::NOT_MODIFIED, &tag);
    }
    // A range of another version of the file would be worthless: then all of it.
    let current = named(header::IF_RANGE).is_none_or(|given| given.trim() == tag);
    let wanted = named(header::RANGE)
        .filter(|_| current)
        .map(|text| range::parse(text, opened.size));
    let (status, start, length) = match wanted {
        None | Some(RequestedRange::Everything) => (StatusCode::OK, 0, opened.size),
        Some(RequestedRange::Part { start, length }) => {
            (StatusCode::PARTIAL_CONTENT, start, length)
        }
        Some(RequestedRange::Nothing) => {
            let mut refused = plain(
                StatusCode::RANGE_NOT_SATISFIABLE,
                "there is no such range\n",
            );
            set(
                &mut refused,
                header::CONTENT_RANGE,
                &format!("bytes */{}", opened.size),
            );
            return refused;
        }
    };
    let kind = content_type(&opened.name);
    let size = opened.size;
    let body = if head {
        Body::empty()
    } else {
        body::stream(opened.file, start, length, delivery, watch.clone())
    };
    let mut response = with_tag(Response::new(body), status, &tag);
    set(&mut response, header::CONTENT_LENGTH, &length.to_string());
    set(&mut response, header::CONTENT_TYPE, kind);
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    if status == StatusCode::PARTIAL_CONTENT {
        let last = start + length.saturating_sub(1);
        set(
            &mut response,
            header::CONTENT_RANGE,
            &format!("bytes {start}-{last}/{size}"),
        );
    }
    response
}

/// What tells one version of a file from another.
fn tag(opened: &Opened) -> String {
    let since = opened
        .modified
        .and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    format!(
        "\"{:x}-{:x}\"",
        since.unwrap_or_default().as_nanos(),
        opened.size
    )
}

/// UEFI looks at the type of what it is given.
fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("efi") => "application/efi",
        Some("iso") => "application/vnd.efi-iso",
        Some("img") => "application/vnd.efi-img",
        Some("ipxe" | "conf" | "cfg") => "text/plain",
        _ => "application/octet-stream",
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, "text/plain");
    response
}

fn with_tag(mut response: Response<Body>, status: StatusCode, tag: &str) -> Response<Body> {
    *response.status_mut() = status;
    set(&mut response, header::ETAG, tag);
    response
}

fn set(response: &mut Response<Body>, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

#[cfg(test)]
mod tests;
