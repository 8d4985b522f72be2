//! A service for tests: a loopback HTTP server that answers by a script and remembers what it was
//! asked. It knows just enough HTTP for the client to talk to it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A request that the server received.
#[derive(Debug, Clone)]
pub(crate) struct RecordedRequest {
    /// Method and path with query, such as `GET /v1/nodes?limit=1`.
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl RecordedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What the server answers.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl ToString) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.to_string(),
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// No answer: the server waits until the client has gone.
    pub(crate) fn never() -> Self {
        Self::new(0, "")
    }

    /// An error as the bare metal API words it.
    pub(crate) fn fault(status: u16, text: &str) -> Self {
        let inner = serde_json::json!({"faultstring": text, "faultcode": "Client"}).to_string();
        Self::new(status, serde_json::json!({"error_message": inner}))
    }
}

pub(crate) struct Canned {
    pub(crate) base: String,
    asked: Rc<RefCell<Vec<RecordedRequest>>>,
}

impl Canned {
    /// Answers with these, in order; what comes after the last is refused with 599.
    pub(crate) async fn answers(answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut answers: VecDeque<Answer> = answers.into_iter().collect();
        Self::with(move |_| {
            answers
                .pop_front()
                .unwrap_or_else(|| Answer::new(599, "\"done\""))
        })
        .await
    }

    /// Answers by a function of what it was asked. Runs as a task of the caller's `LocalSet`.
    pub(crate) async fn with(mut answer: impl FnMut(&RecordedRequest) -> Answer + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked = Rc::new(RefCell::new(Vec::new()));
        let log = asked.clone();
        tokio::task::spawn_local(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let mut stream = BufReader::new(stream);
                let Some(request) = read(&mut stream).await else {
                    continue;
                };
                let reply = answer(&request);
                log.borrow_mut().push(request);
                if reply.status == 0 {
                    let _ = stream.read_to_end(&mut Vec::new()).await;
                } else {
                    write(stream.get_mut(), &reply).await;
                }
            }
        });
        Self { base, asked }
    }

    pub(crate) fn asked(&self) -> Vec<RecordedRequest> {
        self.asked.borrow().clone()
    }

    /// The request lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.asked
            .borrow()
            .iter()
            .map(|asked| asked.line.clone())
            .collect()
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<RecordedRequest> {
    let mut first = String::new();
    stream.read_line(&mut first).await.ok()?;
    let line = first.trim().strip_suffix(" HTTP/1.1")?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await.ok()?;
        let Some((name, value)) = header.trim().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(RecordedRequest {
        line,
        headers,
        body,
    })
}

async fn write(stream: &mut TcpStream, answer: &Answer) {
    let mut head = format!(
        "HTTP/1.1 {} Scripted\r\nconnection: close\r\ncontent-length: {}\r\n",
        answer.status,
        answer.body.len()
    );
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // The client may have given up meanwhile, which some tests are about.
    let _ = stream
        .write_all(format!("{head}\r\n{}", answer.body).as_bytes())
        .await;
    let _ = stream.shutdown().await;
}

/// Runs a test with its server in one thread.
pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, test)
}
