//! A small HTTP client: one connection a request, and full control over every byte that is sent,
//! which tests of bad input need and ordinary clients do not give.

use serde_json::Value;
use std::{io, net::SocketAddr, ops::Deref, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The newest API version, which requests name unless they say otherwise.
pub(crate) const LATEST: &str = "1.115";

/// Nothing that is asked here takes longer.
const PATIENCE: Duration = Duration::from_secs(90);

/// Where requests go.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
}

/// A request about to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

/// What came back, with what tests expect of it.
#[derive(Debug, Clone)]
pub(crate) struct Answer(pub(crate) scenario::Answer);

impl Deref for Answer {
    type Target = scenario::Answer;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Request {
    /// A request at the newest version.
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self::bare(method, path).version(LATEST)
    }

    /// A request that names no version.
    pub(crate) fn bare(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: None,
        }
    }

    pub(crate) fn version(self, version: &str) -> Self {
        self.header("X-OpenStack-Ironic-API-Version", version)
    }

    /// Sets a header; a second value replaces the first.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.raw(body.to_string().into_bytes())
    }

    /// A body that only the request's own headers declare.
    pub(crate) fn undeclared(mut self, body: Vec<u8>) -> Self {
        self.body = Some(body);
        self
    }

    /// A body of any bytes, declared as JSON.
    pub(crate) fn raw(mut self, body: Vec<u8>) -> Self {
        self.body = Some(body);
        if self.headers.iter().any(|(n, _)| n == "Content-Type") {
            return self;
        }
        self.header("Content-Type", "application/json")
    }

    fn bytes(&self, address: SocketAddr) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        let has = |name: &str| {
            self.headers
                .iter()
                .any(|(n, _)| n.eq_ignore_ascii_case(name))
        };
        if !has("Host") {
            head.push_str(&format!("Host: {address}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &self.body {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("Connection: close\r\n\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend(self.body.as_deref().unwrap_or_default());
        bytes
    }
}

impl Client {
    /// Sends a request; fails when the connection does.
    pub(crate) async fn try_send(&self, request: &Request) -> io::Result<Answer> {
        let bytes = request.bytes(self.address);
        self.exchange(&bytes, request.method == "HEAD", false).await
    }

    pub(crate) async fn send(&self, request: Request) -> Answer {
        let answer = self.try_send(&request).await;
        answer.unwrap_or_else(|e| panic!("{} {}: {e}", request.method, request.path))
    }

    /// Sends any bytes, says that there are no more, and reads one answer.
    pub(crate) async fn send_bytes(&self, bytes: &[u8]) -> io::Result<Answer> {
        self.exchange(bytes, false, true).await
    }

    async fn exchange(&self, bytes: &[u8], head: bool, end: bool) -> io::Result<Answer> {
        let talk = async {
            let mut stream = TcpStream::connect(self.address).await?;
            // A server that refuses early closes before it read everything; its answer counts.
            let sent = stream.write_all(bytes).await;
            if end {
                stream.shutdown().await?;
            }
            let mut received = Vec::new();
            let read = stream.read_to_end(&mut received).await;
            match scenario::Answer::parse(&received, head) {
                Some(answer) => Ok(Answer(answer)),
                None => {
                    sent?;
                    read?;
                    Err(io::ErrorKind::UnexpectedEof.into())
                }
            }
        };
        let limited = tokio::time::timeout(PATIENCE, talk).await;
        limited.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::new("GET", path)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Request::new("DELETE", path)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Request::new("PUT", path).json(&body)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Request::new("POST", path).json(&body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Request::new("PATCH", path).json(&body)).await
    }
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let parsed = serde_json::from_slice(&self.body);
        parsed.unwrap_or_else(|e| panic!("{} {:?}: {e}", self.status, self.text()))
    }

    /// The answer, which must have this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }

    /// The text of a fault in the service's envelope.
    #[track_caller]
    pub(crate) fn fault(&self) -> String {
        let outer = self.json();
        let inner = outer["error_message"]
            .as_str()
            .unwrap_or_else(|| panic!("{outer}"));
        let inner: Value = serde_json::from_str(inner).unwrap_or_else(|_| panic!("{outer}"));
        inner["faultstring"]
            .as_str()
            .unwrap_or_else(|| panic!("{outer}"))
            .to_owned()
    }
}
