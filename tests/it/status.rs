//! `corten status` and what it asks, of a service that is alone.

use crate::{
    cluster::process::Process,
    database::{Database, Engine},
    http::Client,
    lab::Lab,
    program,
};
use serde_json::{Value, json};
use tokio::process::Command;
use types::ProvisionState as S;

/// Runs the command against a service; its exit code and what it printed.
pub(crate) async fn status(client: &Client, arguments: &[&str]) -> (i32, String, String) {
    let ran = Command::new(program::path())
        .arg("status")
        .args(arguments)
        .env("OS_ENDPOINT", format!("http://{}", client.address))
        .output()
        .await
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        ran.status.code().unwrap_or(-1),
        text(&ran.stdout),
        text(&ran.stderr),
    )
}

/// The codes of the problems in a document.
pub(crate) fn codes(document: &Value) -> Vec<&str> {
    let problems = document["problems"].as_array().unwrap().iter();
    problems.map(|one| one["code"].as_str().unwrap()).collect()
}

every_engine!(a_whole_service_tells_how_it_fares);

async fn a_whole_service_tells_how_it_fares(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({"name": "m1"})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let document = lab.client.get("/corten/v1/status").await.expect(200).json();
    assert_eq!(document["verdict"], "ok", "{document:#}");
    let conductor = &document["conductors"][0];
    assert_eq!(conductor["host"], crate::lab::HOST);
    assert_eq!(conductor["state"], "alive");
    assert_eq!(conductor["nodes"], 1);
    assert_eq!(conductor["may_act"], true);
    let passes = conductor["passes"].as_array().unwrap();
    let has = |name: &str| passes.iter().any(|pass| pass["name"] == name);
    assert!(has("takeover") && has("timeouts"), "{passes:?}");
    assert_eq!(
        document["ring"],
        json!([{"group": "", "driver": "fake-hardware", "nodes": 1,
            "shares": [{"host": crate::lab::HOST, "share": 1.0}]}])
    );
    let database = &document["database"];
    let (name, wal) = match engine {
        Engine::Sqlite => ("sqlite", true),
        Engine::Postgres => ("postgresql", false),
        Engine::MariaDb => ("mariadb", false),
    };
    assert_eq!(database["engine"], name);
    assert_eq!(database["wal_bytes"].is_i64(), wal, "{database}");
    assert!(database["size_bytes"].as_i64().unwrap() > 0, "{database}");
    assert_eq!(database["schema"], store::SCHEMA_VERSION);
    assert!(
        database["newest_event"]["cursor"].as_i64() >= database["oldest_event"]["cursor"].as_i64()
    );
    assert_eq!(document["leases"]["count"], 0);
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_says_what_is_wrong_and_fails() {
    let database = Database::create(Engine::Sqlite);
    let process = Process::start(&database, "alone", "only", &[]).await;
    let (code, out, notes) = status(&process.client, &[]).await;
    assert_eq!((code, notes.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("ok: 1 conductor alive, 0 nodes"), "{out}");
    assert!(out.contains("corten.sqlite"), "{out}");

    // Somebody leaves a node to a conductor that is not there.
    let created = json!({"driver": "fake-hardware"});
    process.client.post("/v1/nodes", created).await.expect(201);
    database.execute("UPDATE nodes SET conductor_group = 'east'");
    // The first look counted nodes a moment ago, and remembers.
    process.stop().await;
    let process = Process::start(&database, "alone", "only", &[]).await;
    let (code, out, notes) = status(&process.client, &[]).await;
    assert_eq!(code, 1, "{out}");
    assert_eq!(notes, "error: there is a problem\n");
    assert!(out.starts_with("1 problem: "), "{out}");
    assert!(
        out.contains("in conductor group 'east' belong to no conductor"),
        "{out}"
    );
    let (code, out, _) = status(&process.client, &["-f", "json"]).await;
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, codes(&document)), (1, vec!["unserved_nodes"]));
    assert_eq!(document["process"]["host"], "only");
    assert_eq!(document["process"]["role"], "serve");

    let client = process.client.clone();
    process.stop().await;
    let (code, out, _) = status(&client, &["--max-retries", "0"]).await;
    assert_eq!((code, out.as_str()), (3, ""), "nobody is there");
}
