//! A reader of `/corten/v1/events` as Server-Sent Events that knows every byte it got, so that it
//! can be killed in the middle of one.

use serde_json::Value;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// No healthy wait takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that has been accepted.
pub(crate) struct Subscriber {
    stream: TcpStream,
    /// What came and is no whole chunk yet.
    raw: Vec<u8>,
    /// What came and is no whole event yet.
    text: String,
    /// Whether the end of the answer was seen.
    over: bool,
}

impl Subscriber {
    /// Connects behind a cursor.
    pub(crate) async fn connect(address: SocketAddr, query: &str, last: i64) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "GET /corten/v1/events?{query} HTTP/1.1\r\nhost: {address}\r\n\
             accept: text/event-stream\r\nlast-event-id: {last}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut subscriber = Self {
            stream,
            raw: Vec::new(),
            text: String::new(),
            over: false,
        };
        let head = loop {
            let end = subscriber.raw.windows(4).position(|w| w == b"\r\n\r\n");
            if let Some(end) = end {
                break subscriber.raw.drain(..end + 4).collect::<Vec<u8>>();
            }
            assert!(subscriber.receive(1024).await > 0, "no head");
        };
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200 "), "{head}");
        assert!(
            head.contains("content-type: text/event-stream\r\n"),
            "{head}"
        );
        assert!(head.contains("transfer-encoding: chunked\r\n"), "{head}");
        subscriber
    }

    async fn receive(&mut self, most: usize) -> usize {
        let mut piece = vec![0; most];
        let read = timeout(PATIENCE, self.stream.read(&mut piece)).await;
        let count = read.expect("nothing came").unwrap();
        self.raw.extend(&piece[..count]);
        count
    }

    /// Takes whole chunks out of what came.
    fn unwrap_chunks(&mut self) {
        loop {
            let Some(end) = self.raw.windows(2).position(|w| w == b"\r\n") else {
                return;
            };
            let size = std::str::from_utf8(&self.raw[..end]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            let whole = end + 2 + size + 2;
            if self.raw.len() < whole {
                return;
            }
            let chunk: Vec<u8> = self.raw.drain(..whole).collect();
            self.text
                .push_str(std::str::from_utf8(&chunk[end + 2..whole - 2]).unwrap());
            if size == 0 {
                self.over = true;
                return;
            }
        }
    }

    /// The next event, with at most `most` bytes taken from the connection at a time; none when
    /// the stream ended.
    pub(crate) async fn next(&mut self, most: usize) -> Option<Value> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if let Some(event) = event(&block) {
                    return Some(event);
                }
            }
            if self.over || self.receive(most).await == 0 {
                return None;
            }
            self.unwrap_chunks();
        }
    }
}

/// The event of a block, if it has one; what stands beside the data must agree with it.
fn event(block: &str) -> Option<Value> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
    let data: Value = serde_json::from_str(field("data: ")?).unwrap();
    assert_eq!(field("id: ").unwrap(), data["cursor"].to_string());
    assert_eq!(field("event: ").unwrap(), data["kind"].as_str().unwrap());
    Some(data)
}
