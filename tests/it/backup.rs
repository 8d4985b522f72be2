//! `corten db backup` beside a running service, and `corten db restore` in another place.

use crate::{
    cluster::process::Process,
    database::{Database, Engine},
    http::{Client, Request},
    program,
};
use serde_json::json;
use std::{
    path::Path,
    process::Output,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::process::Command;

/// No healthy wait takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `corten db …` on a database.
async fn db(database: &Database, words: &[&str]) -> Output {
    Command::new(program::path())
        .arg("db")
        .args(words)
        .arg("--data-dir")
        .arg(database.directory())
        .args(["--set", &format!("database.connection={}", database.url())])
        .output()
        .await
        .unwrap()
}

#[track_caller]
fn succeeds(ran: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, notes) = (text(&ran.stdout), text(&ran.stderr));
    assert!(ran.status.success(), "{out}{notes}");
    out
}

#[track_caller]
fn fails(ran: &Output, words: &str) {
    let notes = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{notes}");
    assert!(notes.contains(words), "{notes}");
}

/// Enrolls machines until told to stop; keeps the ids of those that were accepted.
async fn enroll(client: Client, accepted: Arc<Mutex<Vec<String>>>, stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        let body = json!({"driver": "fake-hardware", "driver_info": {"ipmi_password": "hunter2"}});
        let created = client.post("/v1/nodes", body).await.expect(201).json();
        let id = created["uuid"].as_str().unwrap().to_owned();
        accepted.lock().unwrap().push(id);
    }
}

async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !is_so().await {
        assert!(tokio::time::Instant::now() < deadline, "in vain: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn newest_cursor(client: &Client) -> i64 {
    let end = client.get("/corten/v1/events").await.expect(200).json();
    end["next"].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_accepted_before_is_in_a_backup_and_goes_on_elsewhere() {
    let database = Database::create(Engine::Sqlite);
    let slow = ["fake.deploy_delay=600"];
    let process = Process::start(&database, "alone", "origin", &slow).await;
    let client = process.client.clone();

    // One machine in the middle of something.
    let body = json!({"driver": "fake-hardware", "name": "busy"});
    client.post("/v1/nodes", body).await.expect(201);
    for (target, state) in [("manage", "manageable"), ("provide", "available")] {
        let path = "/v1/nodes/busy/states/provision";
        client
            .put(path, json!({"target": target}))
            .await
            .expect(202);
        rests(&client, "busy", state).await;
    }
    let path = "/v1/nodes/busy/states/provision";
    client
        .put(path, json!({"target": "active"}))
        .await
        .expect(202);

    let accepted: Arc<Mutex<Vec<String>>> = Arc::default();
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..4)
        .map(|_| tokio::spawn(enroll(client.clone(), accepted.clone(), stop.clone())))
        .collect();
    let count = || accepted.lock().unwrap().len();
    until("machines are enrolled", async || count() > 100).await;

    let folder = database.directory().to_owned();
    let file = |name: &str| folder.join(name).display().to_string();
    let mut before = Vec::new();
    for name in ["first", "second", "third"] {
        before = accepted.lock().unwrap().clone();
        let out = succeeds(&db(&database, &["backup", &file(name)]).await);
        assert!(out.contains(" nodes, schema version "), "{out}");
    }
    // The service went on all the time, and still does.
    let during = count();
    assert!(during > before.len());
    until("machines are enrolled", async || count() > during + 10).await;
    fails(
        &db(&database, &["backup", &file("third")]).await,
        "--force replaces it",
    );
    fails(
        &db(&database, &["restore", &file("third")]).await,
        "another service uses the database",
    );
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    let seen = newest_cursor(&client).await;
    process.kill().await;

    let elsewhere = Database::create(Engine::Sqlite);
    let restore = ["restore", &file("third")];
    fails(
        &db(&elsewhere, &restore).await,
        "not found, and the passwords",
    );
    std::fs::copy(database.key_file(), elsewhere.key_file()).unwrap();
    succeeds(&db(&elsewhere, &restore).await);
    let checked = succeeds(&db(&elsewhere, &["check"]).await);
    assert!(checked.contains("everything can be read"), "{checked}");

    let hasty = ["corten.membership_ttl=7"];
    let process = Process::start(&elsewhere, "alone", "elsewhere", &hasty).await;
    let client = process.client.clone();
    for id in &before {
        client.get(&format!("/v1/nodes/{id}")).await.expect(200);
    }
    // What was under way is another conductor's work from now on; it comes to an end.
    until("the busy machine comes to rest", async || {
        let busy = client.get("/v1/nodes/busy").await.expect(200).json();
        let state = busy["provision_state"].as_str().unwrap();
        busy["reservation"].is_null() && matches!(state, "active" | "deploy failed")
    })
    .await;
    followers_are_told(&client, seen).await;
    process.stop().await;
    mode_is_private(&folder.join("third"));
}

async fn rests(client: &Client, node: &str, state: &str) {
    until(&format!("{node} becomes {state}"), async || {
        let path = format!("/v1/nodes/{node}");
        let shown = client.get(&path).await.expect(200).json();
        shown["provision_state"] == state && shown["reservation"].is_null()
    })
    .await;
}

/// Whoever has read more than the backup holds cannot go on in silence.
async fn followers_are_told(client: &Client, seen: i64) {
    let path = format!("/corten/v1/events?after={seen}");
    let gone = client.get(&path).await.expect(410).json();
    let resume = gone["oldest"].as_i64().unwrap();
    assert!(resume > seen, "{gone}");
    let stream = Request::new("GET", "/corten/v1/events")
        .header("accept", "text/event-stream")
        .header("last-event-id", &seen.to_string());
    client.send(stream).await.expect(410);
    let body = json!({"driver": "fake-hardware", "name": "fresh"});
    client.post("/v1/nodes", body).await.expect(201);
    let path = format!("/corten/v1/events?after={}&kind=created", resume - 1);
    let page = client.get(&path).await.expect(200).json();
    let events = page["events"].as_array().unwrap();
    assert!(
        events.iter().any(|event| event["node_name"] == "fresh"),
        "{page}"
    );
    // From its beginning the log can be read as before.
    client.get("/corten/v1/events?after=0").await.expect(200);
}

fn mode_is_private(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_database_goes_back_in_time_and_keeps_what_was() {
    let database = Database::create(Engine::Sqlite);
    let process = Process::start(&database, "alone", "only", &[]).await;
    let client = process.client.clone();
    let create = async |client: &Client, name: &str| {
        let body = json!({"driver": "fake-hardware", "name": name});
        client.post("/v1/nodes", body).await.expect(201);
    };
    create(&client, "early").await;
    let file = database.directory().join("backup").display().to_string();
    succeeds(&db(&database, &["backup", &file]).await);
    create(&client, "late").await;
    process.stop().await;
    let out = succeeds(&db(&database, &["restore", &file]).await);
    assert!(out.contains("before-restore"), "{out}");
    let process = Process::start(&database, "alone", "only", &[]).await;
    process.client.get("/v1/nodes/early").await.expect(200);
    process.client.get("/v1/nodes/late").await.expect(404);
    process.stop().await;
    // What was replaced is a database as well: it can be had back.
    let entries = std::fs::read_dir(database.directory()).unwrap();
    let aside = entries
        .map(|entry| entry.unwrap().path())
        .find(|path| path.display().to_string().contains("before-restore"));
    let aside = aside.unwrap().display().to_string();
    succeeds(&db(&database, &["restore", &aside]).await);
    let process = Process::start(&database, "alone", "only", &[]).await;
    process.client.get("/v1/nodes/late").await.expect(200);
    process.stop().await;
}
