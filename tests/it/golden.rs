//! The recorded answers of the original service, asked of ours: `tests/golden`.
//!
//! Differences are collected and shown in one table. Requests that need resources of a later
//! release are left out by `later`; differences that are meant are listed, with their reasons, in
//! `known`. Everything else must be equal.

mod difference;
mod known;
mod later;
mod normal;
mod replay;

use crate::{database::Engine, lab::Lab};
use difference::Report;
use replay::Replay;
use serde_json::{Value, json};
use types::ApiVersion;

both_engines!(
    documents_look_the_same_at_every_version,
    requests_that_fail_fail_the_same_way,
    ordinary_requests_are_answered_the_same_way,
);

/// The recordings of one document at every version.
const DOCUMENTS: &[&str] = &[
    "v1",
    "node",
    "node_states",
    "nodes",
    "port",
    "portgroup",
    "chassis",
    "driver",
    "conductor",
];

async fn documents_look_the_same_at_every_version(engine: Engine) {
    let lab = Lab::start(engine).await;
    let replay = Replay::new(&lab);
    replay.set_up().await;
    let mut report = Report::default();
    for name in DOCUMENTS {
        let recorded = replay::read(name);
        let path = recorded["path"].as_str().unwrap();
        let entries = recorded["documents"].as_array().unwrap();
        assert!(!entries.is_empty(), "{name} holds nothing");
        for version in ApiVersion::all() {
            let expected = entries
                .iter()
                .take_while(|entry| minor(&entry[0]) <= version.0)
                .last();
            let request = json!({"method": "GET", "path": path, "version": version.to_string()});
            let what = format!("{name} at {version}");
            let answer = replay.send(&request).await;
            match expected {
                Some(entry) => {
                    report.status(&what, &request, 200, answer.status);
                    let expected = known::document(&entry[1]);
                    report.compare(&what, &request, &expected, &replay.body(&answer));
                }
                None => {
                    report.check(
                        &what,
                        &request,
                        answer.status != 200,
                        "is answered with 200",
                    );
                }
            }
        }
    }
    report.finish(DOCUMENTS.len() * usize::from(ApiVersion::MAX.0));
    lab.stop().await;
}

fn minor(version: &Value) -> u16 {
    let text = version.as_str().unwrap();
    text.strip_prefix("1.").unwrap().parse().unwrap()
}

async fn requests_that_fail_fail_the_same_way(engine: Engine) {
    let lab = Lab::start(engine).await;
    let replay = Replay::new(&lab);
    replay.set_up().await;
    let before = replay.everything().await;
    let compared = replay.compare("faults").await;
    assert!(compared > 500, "only {compared} requests were compared");
    assert_eq!(
        replay.everything().await,
        before,
        "a request that failed changed something"
    );
    lab.stop().await;
}

async fn ordinary_requests_are_answered_the_same_way(engine: Engine) {
    let lab = Lab::start(engine).await;
    let replay = Replay::new(&lab);
    replay.set_up().await;
    let compared = replay.compare("answers").await;
    assert!(compared > 180, "only {compared} requests were compared");
    lab.stop().await;
}
