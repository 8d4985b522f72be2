//! A database server that stops in the middle of everything, and goes on later.
//!
//! A server of its own is stopped by SIGSTOP: its connections stay, and nothing answers on them.
//! Requests are answered 503 in time, and after SIGCONT nothing is left hanging.

use crate::{
    database::Engine,
    http::{Client, Request},
    program::Program,
};
use serde_json::{Value, json};
use std::{path::PathBuf, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, ChildStdin, Command},
};

/// Enough for whatever comes to an end at all.
const SOON: Duration = Duration::from_secs(120);

/// A PostgreSQL server that ends with this value.
struct Server {
    script: Child,
    /// The script ends when this is closed.
    stop: Option<ChildStdin>,
    folder: PathBuf,
}

impl Server {
    async fn start() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/with-postgres");
        let mut script = Command::new(script)
            .args(["sh", "-c", "echo \"$CORTEN_TEST_POSTGRES\"; exec cat"])
            .env_remove("CORTEN_TEST_POSTGRES")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(script.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap();
        let line = line.expect("the server does not start");
        let folder = line.split(' ').find_map(|word| word.strip_prefix("host="));
        Self {
            folder: folder.unwrap().into(),
            stop: script.stdin.take(),
            script,
        }
    }

    fn url(&self) -> String {
        let folder = self.folder.display();
        format!("postgresql:///postgres?host={folder}&user=corten")
    }

    /// The server and all processes that it has started.
    fn processes(&self) -> Vec<String> {
        let file = self.folder.join("data/postmaster.pid");
        let Ok(first) = std::fs::read_to_string(file) else {
            return Vec::new();
        };
        let first = first.lines().next().unwrap().to_owned();
        let children = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            let stat = std::fs::read_to_string(format!("/proc/{name}/stat")).ok()?;
            // The name of the program may hold anything, so what follows it is looked at.
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
            (parent == first).then_some(name)
        });
        let children: Vec<String> = children.collect();
        std::iter::once(first.clone()).chain(children).collect()
    }

    async fn signal(&self, name: &str) {
        let kill = Command::new("kill")
            .arg(format!("-{name}"))
            .args(self.processes())
            .status()
            .await;
        assert!(kill.unwrap().success());
    }

    async fn end(mut self) {
        drop(self.stop.take());
        let ended = tokio::time::timeout(SOON, self.script.wait()).await;
        ended.expect("the server does not end").unwrap();
    }
}

impl Drop for Server {
    /// One that stands still cannot be ended by its script.
    fn drop(&mut self) {
        let processes = self.processes();
        if !processes.is_empty() {
            let kill = std::process::Command::new("kill")
                .arg("-CONT")
                .args(processes)
                .status();
            drop(kill);
        }
    }
}

/// Every change that is asked for while the database stands still.
fn changes() -> Vec<(&'static str, Request)> {
    let patch = json!([{"op": "add", "path": "/extra/during", "value": true}]);
    vec![
        (
            "create",
            Request::new("POST", "/v1/nodes").json(&node("during")),
        ),
        (
            "patch",
            Request::new("PATCH", "/v1/nodes/patched").json(&patch),
        ),
        (
            "provision",
            Request::new("PUT", "/v1/nodes/managed/states/provision")
                .json(&json!({"target": "manage"})),
        ),
        (
            "maintenance",
            Request::new("PUT", "/v1/nodes/maintained/maintenance")
                .json(&json!({"reason": "during"})),
        ),
        ("delete", Request::new("DELETE", "/v1/nodes/deleted")),
    ]
}

fn node(name: &str) -> Value {
    json!({"name": name, "driver": "fake-hardware"})
}

const READS: &[&str] = &["/v1/nodes", "/v1/nodes/patched", "/v1/nodes/detail"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_server_is_told_in_time_and_survived() {
    if Engine::Postgres.is_skipped() {
        return;
    }
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let key_file = folder.path().join("keys");
    store::KeyRing::load_or_create(&key_file).unwrap();
    let data = folder.path().display().to_string();
    let sets = [
        "api.host_ip=127.0.0.1".to_owned(),
        "api.port=0".to_owned(),
        format!("database.connection={}", server.url()),
        format!("corten.key_file={}", key_file.display()),
    ];
    let arguments = ["serve", "--data-dir", &data]
        .map(str::to_owned)
        .into_iter();
    let arguments = arguments.chain(sets.into_iter().flat_map(|set| ["--set".to_owned(), set]));
    let program = Program::start(arguments, &folder.path().join("log")).await;
    let client = program.client.clone();
    for name in ["patched", "managed", "maintained", "deleted"] {
        client.post("/v1/nodes", node(name)).await.expect(201);
    }

    server.signal("STOP").await;
    let mut asked = tokio::task::JoinSet::new();
    for path in READS {
        let client = client.clone();
        asked.spawn(async move { (*path, client.get(path).await) });
    }
    for (what, request) in changes() {
        let client = client.clone();
        asked.spawn(async move { (what, client.send(request).await) });
    }
    let mut open = Vec::new();
    // The client itself gives up at some time, and fails the test.
    while let Some(answered) = asked.join_next().await {
        let (what, answer) = answered.unwrap();
        let told = answer.expect(503).fault();
        if told.contains("may still be done") {
            open.push(what);
        } else {
            assert!(told.contains("please retry"), "{what}: {told}");
        }
    }
    // What needs no database is served meanwhile.
    client.get("/v1").await.expect(200);

    server.signal("CONT").await;
    tokio::time::timeout(SOON, recovered(&client, &open))
        .await
        .expect("something is left hanging");
    program.stop().await;
    server.end().await;
}

/// Asks for everything again until it has come to its end: nothing stays locked, and what was done
/// after all is the same as what is done now.
async fn recovered(client: &Client, open: &[&str]) {
    for path in READS {
        while client.send(Request::new("GET", path)).await.0.status == 503 {}
    }
    let nodes = client.get("/v1/nodes/detail").await.expect(200).json();
    for (what, _) in changes() {
        // Only what was told to be open may have been done meanwhile.
        assert!(open.contains(&what) || !is_done(what, &nodes), "{what}");
    }
    for (what, request) in changes() {
        loop {
            let answer = client.send(request.clone()).await;
            let done = match (what, answer.0.status) {
                // Locked by what goes on from before.
                (_, 503) => false,
                // It was done when the server went on.
                ("create", 409) | ("delete", 404) => true,
                ("provision", 400) => answer.fault().contains("manageable"),
                (_, 409) => false,
                (_, 200..=204) => true,
                (_, status) => panic!("{what}: {status} {}", answer.fault()),
            };
            if done {
                break;
            }
        }
    }
    loop {
        let nodes = client.get("/v1/nodes/detail").await.expect(200).json();
        let mut all = nodes["nodes"].as_array().unwrap().iter();
        let is_free = all.all(|node| node["reservation"].is_null());
        if is_free && changes().iter().all(|(what, _)| is_done(what, &nodes)) {
            return;
        }
    }
}

/// Whether a change is to be seen in the list of nodes.
fn is_done(what: &str, nodes: &Value) -> bool {
    let nodes = nodes["nodes"].as_array().unwrap();
    let find = |name: &str| nodes.iter().find(|node| node["name"] == name);
    match what {
        "create" => find("during").is_some(),
        "patch" => find("patched").is_some_and(|node| node["extra"]["during"] == true),
        "provision" => find("managed").is_some_and(|node| node["provision_state"] != "enroll"),
        "maintenance" => {
            find("maintained").is_some_and(|node| node["maintenance_reason"] == "during")
        }
        "delete" => find("deleted").is_none(),
        other => panic!("{other} is no change"),
    }
}
