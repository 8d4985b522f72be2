//! The recorded answers of Ironic, asked of ours: `tests/golden`, `tests/scenarios`.
//!
//! Differences are collected and shown in one table. Those that are meant are listed, with their
//! reasons, in `tests/scenarios/known.json`; everything else must be equal.

mod coverage;
mod replay;

use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use api::auth::{Auth, HttpBasic};
use replay::Replay;
use scenario::{
    Known, Report,
    file::{self, Content, Scenario},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::ApiVersion;

every_engine!(
    documents_look_the_same_at_every_version,
    requests_that_fail_fail_the_same_way,
    ordinary_requests_are_answered_the_same_way,
    scenarios_are_answered_the_same_way,
    passwords_are_judged_the_same_way,
);

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn report() -> Report {
    Report::new(Known::read(&path("scenarios/known.json")).unwrap())
}

/// The number of answers that were compared.
fn finish(report: &Report) -> usize {
    match report.finish() {
        Ok((compared, _)) => compared,
        Err(table) => panic!("{table}"),
    }
}

async fn documents_look_the_same_at_every_version(engine: Engine) {
    let lab = Lab::start(engine).await;
    let mut replay = Replay::set_up(&lab).await;
    let mut report = report();
    for path in file::in_folder(&path("golden"), &["setup", "faults", "answers"]).unwrap() {
        let scenario = Scenario::read(&path).unwrap();
        let Content::Document { path, looks } = &scenario.content else {
            panic!("{} is no document", scenario.name);
        };
        assert!(!looks.is_empty(), "{} holds nothing", scenario.name);
        replay.session.begin(&scenario);
        for version in ApiVersion::all() {
            let look = looks
                .iter()
                .take_while(|look| minor(&look[0]) <= version.0)
                .last();
            let version = version.to_string();
            let entry = json!({
                "name": format!("at {version}"), "method": "GET", "path": path, "version": version,
            });
            let found = replay.play(&entry).await;
            // Below the first look it is enough that there is none.
            let (expected, found) = match look {
                Some(look) => (
                    json!({"status": 200, "body_json": look[1]}),
                    json!({"status": found["status"], "body_json": found["body_json"]}),
                ),
                None => (json!(false), json!(found["status"] == 200)),
            };
            report.compare(&scenario.name, &entry, &expected, &found);
        }
    }
    let compared = finish(&report);
    assert!(compared > 1000, "only {compared} answers were compared");
    lab.stop().await;
}

fn minor(version: &Value) -> u16 {
    let text = version.as_str().unwrap();
    text.strip_prefix("1.").unwrap().parse().unwrap()
}

async fn requests_that_fail_fail_the_same_way(engine: Engine) {
    let lab = Lab::start(engine).await;
    let mut replay = Replay::set_up(&lab).await;
    let before = replay.everything().await;
    let mut report = report();
    replay
        .compare(&path("golden/faults.json"), &mut report)
        .await;
    let compared = finish(&report);
    assert!(compared > 700, "only {compared} requests were compared");
    assert_eq!(
        replay.everything().await,
        before,
        "a request that failed changed something"
    );
    lab.stop().await;
}

async fn ordinary_requests_are_answered_the_same_way(engine: Engine) {
    let lab = Lab::start(engine).await;
    let mut replay = Replay::set_up(&lab).await;
    let mut report = report();
    replay
        .compare(&path("golden/answers.json"), &mut report)
        .await;
    let compared = finish(&report);
    assert!(compared > 250, "only {compared} requests were compared");
    lab.stop().await;
}

/// Every file has a service of its own, so that none depends on what another left behind.
async fn scenarios_are_answered_the_same_way(engine: Engine) {
    let mut report = report();
    for path in file::in_folder(&path("scenarios"), &["known"]).unwrap() {
        let lab = Lab::start(engine).await;
        let mut replay = Replay::set_up(&lab).await;
        replay.compare(&path, &mut report).await;
        lab.stop().await;
    }
    let compared = finish(&report);
    assert!(compared > 400, "only {compared} requests were compared");
}

/// The user whom the recorded service knew: `myName` with `myPassword`.
const USER: &str = "myName:$2y$05$QgL9Ku4KEy3I7J.ICTpw3uhODvIbUaXR.8I7pBLtHkwCWUNQZA1ju\n";

async fn passwords_are_judged_the_same_way(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let users = folder.path().join("htpasswd");
    fs::write(&users, USER).unwrap();
    let mut options = Options::default();
    options.api.auth = Auth::HttpBasic(Arc::new(HttpBasic::open(users).unwrap()));
    let lab = Lab::with(engine, options).await;
    let mut report = report();
    let file = path("scenarios/auth/http_basic.json");
    Replay::new(&lab).compare(&file, &mut report).await;
    let compared = finish(&report);
    assert!(compared > 30, "only {compared} requests were compared");
    lab.stop().await;
}
