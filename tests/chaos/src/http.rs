//! A small HTTP client: one connection a request, so that each is a chance for something to break.

use scenario::Answer;
use serde_json::Value;
use std::{io, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Request timeout; after it the outcome of the request is unknown.
const PATIENCE: Duration = Duration::from_secs(20);

/// The newest version of the API.
const LATEST: &str = "1.115";

/// A request about to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
}

impl Request {
    pub(crate) fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            body: None,
        }
    }

    pub(crate) fn json(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    fn bytes(&self, address: &str) -> Vec<u8> {
        let mut text = format!(
            "{} {} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             X-OpenStack-Ironic-API-Version: {LATEST}\r\n",
            self.method, self.path
        );
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        if !body.is_empty() {
            let length = body.len();
            text += &format!("Content-Type: application/json\r\nContent-Length: {length}\r\n");
        }
        format!("{text}\r\n{body}").into_bytes()
    }
}

/// Sends a request to `address:port` and reads the answer.
pub(crate) async fn send(address: &str, request: &Request) -> io::Result<Answer> {
    send_within(address, request, PATIENCE).await
}

/// As [`send`], with a patience of its own.
pub(crate) async fn send_within(
    address: &str,
    request: &Request,
    patience: Duration,
) -> io::Result<Answer> {
    let talk = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(&request.bytes(address)).await?;
        let mut received = Vec::new();
        stream.read_to_end(&mut received).await?;
        Answer::parse(&received, false).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    };
    let limited = tokio::time::timeout(patience, talk).await;
    limited.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
