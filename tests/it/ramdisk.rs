//! What a ramdisk asks: which node it runs on, and where to report.

use crate::{
    database::Engine,
    http::Request,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(
    a_ramdisk_finds_its_node_and_its_token_once,
    only_who_shows_the_token_is_believed,
    a_node_that_expects_no_ramdisk_is_not_found,
    nobody_learns_from_a_report_which_nodes_there_are,
);

const URL: &str = "https://192.0.2.7:9999";

/// A machine whose cleaning waits for its ramdisk.
async fn waiting(lab: &Lab) -> Machine<'_> {
    let body = json!({
        "automated_clean": true, "driver_info": {"fake_wait": "deploy.prepare_cleaning"},
    });
    let machine = lab.enroll(body).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let address = json!({"address": "52:54:00:aa:00:01", "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", address).await.expect(201);
    machine.asks("provide").await.reaches(S::CleanWait).await;
    machine
}

fn report(token: &str) -> Value {
    json!({"callback_url": URL, "agent_token": token, "agent_version": "13.0.0"})
}

async fn a_ramdisk_finds_its_node_and_its_token_once(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = waiting(&lab).await;
    let path = "/v1/lookup?addresses=52:54:00:AA:00:01,52:54:00:ff:ff:ff,bad";
    let first = lab.client.get(path).await.expect(200).json();
    assert_eq!(first["node"]["uuid"], machine.id.to_string());
    let token = first["config"]["agent_token"].as_str().unwrap().to_owned();
    assert_eq!(token.len(), 43);
    assert_eq!(
        first["node"]["driver_internal_info"]["agent_secret_token"],
        "******"
    );
    let second = lab.client.get(path).await.expect(200).json();
    assert_eq!(second["config"]["agent_token"], "******");
    // Before tokens there was none to tell.
    let old = lab
        .client
        .send(Request::new("GET", path).version("1.61"))
        .await
        .expect(200)
        .json();
    assert_eq!(old["config"]["agent_token"], json!(null));

    let beat = format!("/v1/heartbeat/{}", machine.id);
    let before = machine.show().await;
    lab.client.post(&beat, report(&token)).await.expect(202);
    let node = machine.show().await;
    assert_eq!(node["driver_internal_info"]["agent_url"], URL);
    assert_eq!(node["driver_internal_info"]["agent_version"], "13.0.0");
    assert_ne!(node["provision_updated_at"], before["provision_updated_at"]);
    assert_eq!(node["provision_state"], "clean wait");
    lab.stop().await;
}

async fn only_who_shows_the_token_is_believed(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = waiting(&lab).await;
    let beat = format!("/v1/heartbeat/{}", machine.id);
    let wrong = "Invalid or missing agent token received.";
    assert_eq!(
        lab.client
            .post(&beat, report("x"))
            .await
            .expect(400)
            .fault(),
        wrong
    );
    let path = format!("/v1/lookup?node_uuid={}", machine.id);
    let found = lab.client.get(&path).await.expect(200).json();
    let token = found["config"]["agent_token"].as_str().unwrap().to_owned();
    for (change, text) in [
        (json!({"agent_token": format!("{token}x")}), wrong),
        (json!({"agent_token": ""}), wrong),
        (
            json!({"agent_token": null}),
            "Agent token is required for heartbeat processing.",
        ),
        (
            json!({"callback_url": "http://192.0.2.7:9999"}),
            "TLS is required by configuration",
        ),
        (
            json!({"callback_url": "ftp://192.0.2.7"}),
            "An issue with the supplied \"callback_url\" has been detected.",
        ),
        (
            json!({"agent_status": "odd"}),
            "Agent status is invalid. Valid states are start,end,error.",
        ),
    ] {
        let mut body = report(&token);
        for (key, value) in change.as_object().unwrap() {
            body[key] = value.clone();
        }
        assert_eq!(lab.client.post(&beat, body).await.expect(400).fault(), text);
    }
    lab.client.post(&beat, report(&token)).await.expect(202);
    let mut moved = report(&token);
    moved["callback_url"] = json!("https://192.0.2.8:9999");
    let refused = lab.client.post(&beat, moved).await.expect(400);
    assert_eq!(
        refused.fault(),
        "Detected change in ramdisk provided \"callback_url\""
    );
    lab.stop().await;
}

async fn a_node_that_expects_no_ramdisk_is_not_found(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({})).await;
    let path = format!("/v1/lookup?node_uuid={}", machine.id);
    let refused = lab.client.get(&path).await.expect(404);
    assert_eq!(refused.fault(), "Resource could not be found.");
    machine
        .patch(json!([{"op": "add", "path": "/driver_info/fast_track", "value": true}]))
        .await
        .expect(200);
    lab.client.get(&path).await.expect(200);
    lab.stop().await;
}

async fn nobody_learns_from_a_report_which_nodes_there_are(engine: Engine) {
    let lab = Lab::start(engine).await;
    let waiting = waiting(&lab).await;
    let idle = lab.enroll(json!({"name": "idle"})).await;
    // Its driver is one that no conductor serves.
    let lost = lab.enroll(json!({"name": "lost"})).await;
    let mut row = store::node::find(&lab.db, lost.id).await.unwrap().unwrap();
    row.driver = "gone".into();
    let (fence, log) = (store::node::Fence::Free, store::node::Log::default());
    store::node::save(&lab.db, row, fence, log).await.unwrap();
    let nodes = [
        waiting.id.to_string(),
        idle.id.to_string(),
        "idle".to_owned(),
        "lost".to_owned(),
        "nobody".to_owned(),
        types::NodeId::generate().to_string(),
    ];
    let long = "x".repeat(300_000);
    for body in [
        report("x"),
        report(&long),
        json!({"callback_url": URL, "agent_token": "x"}),
        json!({"callback_url": URL, "agent_version": "13.0.0"}),
        json!({"callback_url": "ftp://x", "agent_token": "x", "agent_version": "13.0.0"}),
    ] {
        let mut answers = Vec::new();
        for node in &nodes {
            let path = format!("/v1/heartbeat/{node}");
            let answer = lab.client.post(&path, body.clone()).await.expect(400);
            answers.push(answer.fault());
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
    }
    let mut answers = Vec::new();
    for node in &nodes {
        let path = format!("/corten/v1/agent/progress/{node}");
        let body = json!({"phase": "writing"});
        answers.push(lab.client.post(&path, body).await.expect(400).fault());
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    // Nor from a lookup, unless the node expects its ramdisk.
    for node in [idle.id, types::NodeId::generate()] {
        let path = format!("/v1/lookup?node_uuid={node}");
        let refused = lab.client.get(&path).await.expect(404);
        assert_eq!(refused.fault(), "Resource could not be found.");
    }
    lab.stop().await;
}
