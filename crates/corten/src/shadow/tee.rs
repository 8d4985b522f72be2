//! A proxy before Ironic's API: everything is passed on, Ironic's answers come back as they are, and reads
//! are repeated here with the answer that the client got.
//!
//! Clients never wait for the comparison: when it is behind, or an answer is large, it is not compared,
//! and counted.

use super::{
    check::Checker,
    request::{Read, Verb},
    sides::{LARGEST, Taken},
    tally::{Skipped, Tally},
};
use axum::{
    body::{Body, Bytes, HttpBody},
    extract::Request,
    http::{
        HeaderMap, StatusCode,
        header::{self, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH},
    },
    response::{IntoResponse, Response},
};
use futures_util::{Stream, StreamExt, stream};
use reqwest::Client;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

/// So many answers wait to be compared.
const QUEUE: usize = 256;
/// So many bytes of answers are held at a time.
const MOST_HELD: usize = 64 << 20;
/// So many answers are compared at a time.
const AT_ONCE: usize = 2;
/// How long Ironic may be silent in the middle of an answer.
const SILENCE: Duration = Duration::from_secs(600);

/// What is for one connection only.
const OF_CONNECTION: &[&str] = &[
    "connection",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "keep-alive",
    "proxy-connection",
];

/// An answer that is to be compared.
struct Job {
    read: Read,
    taken: Taken,
    _held: Held,
}

/// A share of the bytes that may be held.
struct Held {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl Held {
    fn new(all: &Arc<AtomicUsize>) -> Self {
        let all = Arc::clone(all);
        Self { all, bytes: 0 }
    }

    /// Whether there is room for more.
    fn grow(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        self.all.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_HELD
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The proxy.
#[derive(Clone)]
pub(crate) struct Tee {
    client: Client,
    url: String,
    queue: mpsc::Sender<Job>,
    held: Arc<AtomicUsize>,
    tally: Arc<Tally>,
}

impl Tee {
    /// A proxy before the Ironic of a checker, which compares until the end.
    pub(crate) async fn start(
        checker: Arc<Checker>,
        over: CancellationToken,
    ) -> anyhow::Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let url = checker.ironic.url.clone();
        // A connection each: one that Ironic just closes would fail a request that cannot be repeated.
        let client = super::sides::client(&url)
            .await?
            .pool_max_idle_per_host(0)
            .read_timeout(SILENCE)
            .build()?;
        let tally = Arc::clone(&checker.tally);
        tokio::spawn(async move {
            tokio::select! {
                () = over.cancelled() => {}
                () = compare(checker, jobs) => {}
            }
        });
        Ok(Self {
            client,
            url,
            queue,
            held: Arc::default(),
            tally,
        })
    }

    pub(crate) async fn forward(self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let target = parts.uri.path_and_query().map(|target| target.as_str());
        let Some(target) = target.filter(|target| target.starts_with('/')) else {
            return refusal(StatusCode::BAD_REQUEST, "This proxy passes on paths only.");
        };
        let read = Verb::of(parts.method.as_str())
            .and_then(|verb| Read::of_headers(verb, target, &parts.headers));
        let mut asked = self
            .client
            .request(parts.method, format!("{}{target}", self.url))
            .headers(without_connection(&parts.headers));
        if !body.is_end_stream() {
            asked = asked.body(reqwest::Body::wrap_stream(body.into_data_stream()));
        }
        let answer = match asked.send().await {
            Ok(answer) => answer,
            Err(error) => {
                let error = error.without_url();
                tracing::warn!(
                    error = types::error::chain(&error),
                    "Ironic does not answer"
                );
                return refusal(StatusCode::BAD_GATEWAY, "Ironic does not answer.");
            }
        };
        let mut response = Response::new(Body::empty());
        *response.status_mut() = answer.status();
        *response.headers_mut() = without_connection(answer.headers());
        let capture = match read {
            Some(read) => Capture::of(&self, read, &answer),
            None => {
                self.tally.skipped(Skipped::NotRepeated, 1);
                None
            }
        };
        *response.body_mut() = Body::from_stream(watched(answer.bytes_stream(), capture));
        response
    }
}

async fn compare(checker: Arc<Checker>, mut jobs: mpsc::Receiver<Job>) {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    while let Some(job) = jobs.recv().await {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let checker = Arc::clone(&checker);
        tokio::spawn(async move {
            checker.compare(job.read, &job.taken).await;
            drop(place);
        });
    }
}

/// An answer on its way to a client.
struct Capture {
    read: Read,
    status: u16,
    headers: HeaderMap,
    /// How long it will be, if that is known: then nobody asks for more behind its last byte.
    length: Option<usize>,
    body: Vec<Bytes>,
    received: usize,
    held: Held,
    queue: mpsc::Sender<Job>,
    tally: Arc<Tally>,
}

impl Capture {
    fn of(tee: &Tee, read: Read, answer: &reqwest::Response) -> Option<Self> {
        let headers = answer.headers();
        if headers.contains_key(CONTENT_ENCODING) {
            tee.tally.skipped(Skipped::Unreadable, 1);
            return None;
        }
        let length = headers.get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
        let capture = Self {
            length: length.filter(|_| read.verb == Verb::Get),
            read,
            status: answer.status().as_u16(),
            headers: headers.clone(),
            body: Vec::new(),
            received: 0,
            held: Held::new(&tee.held),
            queue: tee.queue.clone(),
            tally: Arc::clone(&tee.tally),
        };
        if capture.read.verb == Verb::Head || capture.length == Some(0) {
            capture.finish();
            return None;
        }
        Some(capture)
    }

    /// Takes a piece; gives itself up when there is nothing more to wait for.
    fn add(mut self, piece: &Bytes) -> Option<Self> {
        self.received += piece.len();
        let has_room = self.held.grow(piece.len());
        if self.received > LARGEST {
            self.tally.skipped(Skipped::TooLarge, 1);
            return None;
        }
        if !has_room {
            self.tally.skipped(Skipped::Behind, 1);
            return None;
        }
        self.body.push(piece.clone());
        if self.length.is_some_and(|length| self.received >= length) {
            self.finish();
            return None;
        }
        Some(self)
    }

    /// The answer is whole.
    fn finish(self) {
        let job = Job {
            read: self.read,
            taken: Taken {
                status: self.status,
                headers: self.headers,
                body: self.body.concat().into(),
            },
            _held: self.held,
        };
        if self.queue.try_send(job).is_err() {
            self.tally.skipped(Skipped::Behind, 1);
        }
    }

    fn broken(self) {
        self.tally.skipped(Skipped::Unreadable, 1);
    }
}

/// An answer piece by piece, of which a copy is kept.
fn watched(
    answer: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
    capture: Option<Capture>,
) -> impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static {
    stream::unfold(
        (Box::pin(answer), capture),
        |(mut answer, mut capture)| async move {
            match answer.next().await {
                Some(Ok(piece)) => {
                    capture = capture.and_then(|capture| capture.add(&piece));
                    Some((Ok(piece), (answer, capture)))
                }
                Some(Err(error)) => {
                    if let Some(capture) = capture {
                        capture.broken();
                    }
                    Some((Err(error), (answer, None)))
                }
                None => {
                    if let Some(capture) = capture {
                        capture.finish();
                    }
                    None
                }
            }
        },
    )
}

/// Headers without those that are for one connection only.
fn without_connection(headers: &HeaderMap) -> HeaderMap {
    let mut rest = headers.clone();
    for value in headers.get_all(CONNECTION) {
        for name in value.to_str().unwrap_or_default().split(',') {
            rest.remove(name.trim());
        }
    }
    for name in OF_CONNECTION {
        rest.remove(*name);
    }
    rest
}

fn refusal(status: StatusCode, text: &'static str) -> Response {
    let body = serde_json::json!({"error": {"message": text, "code": status.as_u16()}});
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    #[test]
    fn what_is_for_one_connection_is_not_passed_on() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, x-hop"),
            ("x-hop", "1"),
            ("transfer-encoding", "chunked"),
            ("x-auth-token", "t"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        let rest = without_connection(&headers);
        let names: Vec<&str> = rest.keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["x-auth-token"]);
    }

    #[test]
    fn bytes_that_are_held_are_given_back() {
        let all = Arc::default();
        let mut held = Held::new(&all);
        assert!(held.grow(MOST_HELD));
        assert!(!held.grow(1));
        drop(held);
        assert!(Held::new(&all).grow(1));
    }
}
