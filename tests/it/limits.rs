//! What others may take of a whole service: memory by the shape of their JSON, and connections.

use crate::{
    http::{Client, Request},
    program::Program,
};
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The shapes that take the most memory for their size.
const DENSE: &[&str] = &["[0],", "0,", "{\"\":0},", "{\"a\":[0]},", "\"a\","];
const MIB: usize = 1 << 20;
/// Enough for any answer of a service that answers at all.
const SOON: Duration = Duration::from_secs(60);

struct Service {
    program: Program,
    _folder: TempDir,
}

impl Service {
    async fn start(sets: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut arguments = vec![
            "serve".to_owned(),
            "--data-dir".to_owned(),
            folder.path().display().to_string(),
        ];
        for set in ["api.host_ip=127.0.0.1", "api.port=0"].iter().chain(sets) {
            arguments.extend(["--set".to_owned(), (*set).to_owned()]);
        }
        let program = Program::start(arguments, &folder.path().join("log")).await;
        Self {
            program,
            _folder: folder,
        }
    }

    fn client(&self) -> &Client {
        &self.program.client
    }
}

fn dense(shape: &str, size: usize) -> String {
    format!("[{}0]", shape.repeat(size / shape.len()))
}

fn post(path: &str, body: String) -> Request {
    Request::new("POST", path).raw(body.into_bytes())
}

#[tokio::test]
async fn dense_documents_are_refused_everywhere() {
    let service = Service::start(&[]).await;
    let client = service.client();
    let node = json!({"name": "n", "driver": "fake-hardware"});
    client.post("/v1/nodes", node).await.expect(201);
    for shape in DENSE {
        let body = format!(
            r#"{{"driver": "fake-hardware", "extra": {{"x": {}}}}}"#,
            dense(shape, MIB - 100)
        );
        client.send(post("/v1/nodes", body)).await.expect(413);
        let body = format!(
            r#"{{"target": "manage", "configdrive": {}}}"#,
            dense(shape, 20 * MIB)
        );
        let put = |node: &str| {
            let path = format!("/v1/nodes/{node}/states/provision");
            Request::new("PUT", &path).raw(body.clone().into_bytes())
        };
        client.send(put("n")).await.expect(413);
        // Nobody's body is looked at.
        client.send(put("nobody")).await.expect(404);
        let body = format!(
            r#"{{"inventory": {{"interfaces": [{{"mac_address": "52:54:00:12:34:56"}}]}}, "x": {}}}"#,
            dense(shape, 15 * MIB)
        );
        client
            .send(post("/v1/continue_inspection", body))
            .await
            .expect(404);
        let body = format!(r#"{{"callback_url": {}}}"#, dense(shape, MIB - 100));
        client
            .send(post("/v1/heartbeat/nobody", body))
            .await
            .expect(413);
    }
    let list = client.get("/v1/nodes").await.expect(200).json();
    assert_eq!(list["nodes"].as_array().map(Vec::len), Some(1));
    service.program.stop().await;
}

/// What an agent needs to be heard: the id of its node, and the token that it was given.
struct Agent {
    node: String,
    token: String,
}

impl Agent {
    /// One that has looked its node up, in a service whose `restrict_lookup` is off.
    async fn of(client: &Client) -> Self {
        let node = json!({"name": "n", "driver": "fake-hardware"});
        let node = client.post("/v1/nodes", node).await.expect(201).json();
        let mac = "52:54:00:00:00:01";
        let port = json!({"node_uuid": node["uuid"], "address": mac});
        client.post("/v1/ports", port).await.expect(201);
        let found = client.get(&format!("/v1/lookup?addresses={mac}")).await;
        let token = found.expect(200).json()["config"]["agent_token"].clone();
        Self {
            node: node["uuid"].as_str().unwrap().to_owned(),
            token: token.as_str().unwrap().to_owned(),
        }
    }

    async fn is_heard(&self, client: &Client) {
        let beat = json!({
            "callback_url": "http://127.0.0.1:9", "agent_token": self.token,
            "agent_version": "13.0.0",
        });
        let path = format!("/v1/heartbeat/{}", self.node);
        let beat = tokio::time::timeout(SOON, client.post(&path, beat)).await;
        beat.expect("no answer").expect(202);
    }
}

/// As many files as this machine gives to a process.
fn may_open() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    limit.current.unwrap_or(u64::MAX)
}

#[tokio::test]
async fn idle_connections_shut_nobody_out() {
    // Some for the test itself. Under CI there are enough.
    let most = may_open().saturating_sub(100).min(5000);
    assert!(std::env::var_os("CI").is_none() || most == 5000, "{most}");
    let service = Service::start(&[
        "corten.max_connections=100",
        "api.restrict_lookup=false",
        "agent.require_tls=false",
    ])
    .await;
    let client = service.client();
    let agent = Agent::of(client).await;
    let mut idle = Vec::new();
    // Each in the middle of a request.
    for _ in 0..most {
        let mut stream = TcpStream::connect(client.address).await.unwrap();
        // One that has been closed to make room for others says so here.
        let _ = stream.write_all(b"GET /v1/nodes HTTP/1.1\r\nhost: ").await;
        idle.push(stream);
    }
    let list = tokio::time::timeout(SOON, client.get("/v1/nodes")).await;
    list.expect("no answer").expect(200);
    agent.is_heard(client).await;
    drop(idle);
    service.program.stop().await;
}

/// Asks for a stream of events; the status of the answer.
async fn stream(client: &Client) -> (TcpStream, u16) {
    let mut stream = TcpStream::connect(client.address).await.unwrap();
    let ask = "GET /corten/v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\
               accept: text/event-stream\r\n\r\n";
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.unwrap();
    let status = std::str::from_utf8(&head[9..]).unwrap().parse().unwrap();
    (stream, status)
}

#[tokio::test]
async fn streams_of_one_reader_shut_nobody_out() {
    let service = Service::start(&["api.restrict_lookup=false", "agent.require_tls=false"]).await;
    let client = service.client();
    let agent = Agent::of(client).await;
    let mut streams = Vec::new();
    for _ in 0..1000 {
        match stream(client).await {
            (stream, 200) => streams.push(stream),
            (_, status) => assert_eq!(status, 429),
        }
    }
    assert_eq!(streams.len(), 32);
    let list = tokio::time::timeout(SOON, client.get("/v1/nodes")).await;
    list.expect("no answer").expect(200);
    agent.is_heard(client).await;
    drop(streams);
    service.program.stop().await;
}

#[tokio::test]
async fn pages_of_other_sites_are_refused() {
    let service = Service::start(&[]).await;
    let client = service.client();
    let node: Value = json!({"driver": "fake-hardware"});
    let ask = || Request::new("POST", "/v1/nodes").json(&node);
    let evil = ask().header("Origin", "https://evil.example");
    client.send(evil).await.expect(403);
    let reads = Request::new("GET", "/v1/nodes").header("Sec-Fetch-Site", "cross-site");
    client.send(reads).await.expect(403);
    let rebound = Request::new("GET", "/v1/nodes").header("Host", "rebind.evil.example");
    client.send(rebound).await.expect(421);
    client.send(ask()).await.expect(201);
    service.program.stop().await;
}
