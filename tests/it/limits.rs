//! What others may take of a whole service: memory by the shape of their JSON, and connections.

use crate::{
    http::{Client, Request},
    program::Program,
};
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

#[tokio::test]
async fn idle_connections_shut_nobody_out() {
    let service = Service::start(&["corten.max_connections=100"]).await;
    let client = service.client();
    let mut idle = Vec::new();
    // As many as the limit of open files allows, up to 5,000, each in the middle of a request.
    while idle.len() < 5000 {
        let Ok(mut stream) = TcpStream::connect(client.address).await else {
            break;
        };
        // One that has been closed to make room for others says so here.
        let _ = stream.write_all(b"GET /v1/nodes HTTP/1.1\r\nhost: ").await;
        idle.push(stream);
    }
    let held_back = idle.len() / 10;
    assert!(idle.len() > 200, "only {} connections", idle.len());
    idle.truncate(idle.len() - held_back);
    let list = tokio::time::timeout(SOON, client.get("/v1/nodes")).await;
    list.expect("no answer").expect(200);
    let beat =
        json!({"callback_url": "http://127.0.0.1:9", "agent_token": "t", "agent_version": "13"});
    let beat = client.post("/v1/heartbeat/1be26c0b-03f2-4d2e-ae87-c02d7f33c123", beat);
    let beat = tokio::time::timeout(SOON, beat).await;
    beat.expect("no answer").expect(400);
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
    let service = Service::start(&[]).await;
    let client = service.client();
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
