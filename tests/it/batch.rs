//! Batches: one verb for many nodes in waves, through the whole service.

mod kill;

use crate::{database::Engine, lab::Lab};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

/// No healthy batch takes that long; a test that runs into it fails and tells what it saw.
const PATIENCE: Duration = Duration::from_secs(90);

every_engine!(
    a_failing_canary_touches_one_node_and_a_dry_run_none,
    two_people_watch_the_same_batch_go_through_its_waves,
    a_batch_is_paused_resumed_and_aborted,
    maintenance_and_power_are_for_many_too,
    nodes_that_became_others_are_left_alone,
    an_aborted_batch_ends_although_a_node_is_held,
);

async fn post(lab: &Lab, path: &str, body: Value) -> crate::http::Answer {
    let path = format!("/corten/v1/batches{path}");
    lab.client.post(&path, body).await
}

async fn create(lab: &Lab, body: Value) -> String {
    let made = post(lab, "", body).await.expect(201).json();
    made["uuid"].as_str().unwrap().to_owned()
}

async fn show(lab: &Lab, batch: &str) -> Value {
    let path = format!("/corten/v1/batches/{batch}");
    lab.client.get(&path).await.expect(200).json()
}

async fn nodes(lab: &Lab, batch: &str) -> Vec<Value> {
    let path = format!("/corten/v1/batches/{batch}/nodes?limit=1000");
    let page = lab.client.get(&path).await.expect(200).json();
    page["nodes"].as_array().unwrap().clone()
}

/// Waits until the document of a batch fits.
async fn until(lab: &Lab, batch: &str, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let seen = store::event::newest(&lab.db).await.unwrap();
        let shown = show(lab, batch).await;
        if fits(&shown) {
            return shown;
        }
        if tokio::time::Instant::now() >= deadline {
            let nodes = nodes(lab, batch).await;
            panic!("the batch waited for {what} in vain: {shown:#}\n{nodes:#?}");
        }
        let wait = store::event::wait(&lab.db, seen, Duration::from_millis(200));
        wait.await.unwrap();
    }
}

async fn until_state(lab: &Lab, batch: &str, state: &str) -> Value {
    until(lab, batch, state, |shown| shown["state"] == state).await
}

/// The events of this kind in the order of the log.
async fn events(lab: &Lab, after: u64, kind: &str) -> Vec<Value> {
    lab.log_settles().await;
    let (mut all, mut after) = (Vec::new(), after);
    loop {
        let path = format!("/corten/v1/events?after={after}&limit=1000&kind={kind}");
        let page = lab.client.get(&path).await.expect(200).json();
        let events = page["events"].as_array().unwrap();
        all.extend(events.iter().cloned());
        let next = page["next"].as_u64().unwrap();
        if next == after {
            return all;
        }
        after = next;
    }
}

async fn newest(lab: &Lab) -> u64 {
    lab.log_settles().await;
    u64::try_from(store::event::newest(&lab.db).await.unwrap()).unwrap()
}

async fn enroll(lab: &Lab, count: usize, first: Value) -> Vec<String> {
    let mut names = Vec::new();
    for at in 0..count {
        let name = format!("m{at:03}");
        let info = match at {
            0 => first.clone(),
            _ => json!({}),
        };
        lab.enroll(json!({"name": name, "driver_info": info})).await;
        names.push(name);
    }
    names
}

async fn a_failing_canary_touches_one_node_and_a_dry_run_none(engine: Engine) {
    let lab = Lab::start(engine).await;
    let names = enroll(&lab, 200, json!({"fake_fail": "power.get"})).await;
    let body = json!({
        "action": "provision", "arguments": {"target": "manage"}, "query": "state:enroll",
    });
    let before = newest(&lab).await;
    let planned = post(&lab, "?dry_run=true", body.clone()).await.expect(200);
    let planned = planned.json();
    assert_eq!(planned["accepted"], 200, "{planned:#}");
    assert_eq!(planned["waves"], json!([1, 20, 179]));
    assert_eq!(planned["nodes"][0]["name"], names[0].as_str());
    assert_eq!(
        planned["nodes"][0]["states"],
        json!(["enroll", "verifying", "manageable"])
    );
    assert_eq!(newest(&lab).await, before, "a dry run leaves no trace");
    let list = lab.client.get("/corten/v1/batches").await.expect(200);
    assert_eq!(list.json(), json!({"batches": []}));

    let batch = create(&lab, body).await;
    let stopped = until_state(&lab, &batch, "stopped").await;
    assert_eq!(stopped["reason"], "1 nodes failed in wave 1");
    assert_eq!(stopped["counts"]["failed"], 1);
    assert_eq!(stopped["counts"]["waiting"], 199);
    let touched: BTreeSet<String> = events(&lab, before, "provision")
        .await
        .iter()
        .map(|event| event["node_name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(touched, BTreeSet::from([names[0].clone()]));
    let canary = &nodes(&lab, &batch).await[0];
    assert_eq!(canary["state"], "failed");
    let reason = canary["reason"].as_str().unwrap();
    assert!(reason.starts_with("the node is enroll: "), "{reason}");
    lab.stop().await;
}

async fn two_people_watch_the_same_batch_go_through_its_waves(engine: Engine) {
    let lab = Lab::start(engine).await;
    let names = enroll(&lab, 12, json!({})).await;
    let from = newest(&lab).await;
    let batch = create(
        &lab,
        json!({
            "action": "provision", "arguments": {"target": "manage"}, "nodes": names,
            "waves": [1, "25%"], "at_once": 3, "description": "new racks",
        }),
    )
    .await;
    let done = until_state(&lab, &batch, "done").await;
    assert_eq!(done["counts"]["done"], 12, "{done:#}");
    assert_eq!(done["waves"], json!([1, 3, 8]));
    assert_eq!(done["wave"], 3);
    let one = events(&lab, from, "batch").await;
    assert_eq!(one, events(&lab, from, "batch").await);
    let of_batch = one
        .iter()
        .filter(|event| event["data"]["batch"] == batch.as_str());
    assert_eq!(of_batch.count(), one.len());
    // All of a wave have ended before the next one begins.
    let mut story: Vec<String> = Vec::new();
    for event in &one {
        let data = &event["data"];
        match data["node_state"].as_str() {
            Some(state) => story.push(format!("{state} {}", data["wave"])),
            None => story.push(format!(
                "{} wave {}",
                data["state"].as_str().unwrap(),
                data["wave"]
            )),
        }
    }
    let expected = ["running wave 1", "done 1", "running wave 2"]
        .into_iter()
        .chain(["done 2"; 3])
        .chain(["running wave 3"])
        .chain(["done 3"; 8])
        .chain(["done wave 3"]);
    assert_eq!(story, expected.collect::<Vec<_>>());
    let asked: BTreeSet<Option<&str>> = one.iter().map(|event| event["user"].as_str()).collect();
    assert_eq!(asked.len(), 1, "they tell of one user");
    // Only what has ended is removed, and then it is gone.
    let path = format!("/corten/v1/batches/{batch}");
    lab.client.delete(&path).await.expect(204);
    lab.client.get(&path).await.expect(404);
    lab.stop().await;
}

async fn a_batch_is_paused_resumed_and_aborted(engine: Engine) {
    let lab = Lab::start(engine).await;
    let names = enroll(&lab, 6, json!({"fake_fail": "power.get"})).await;
    let body = json!({
        "action": "provision", "arguments": {"target": "manage"}, "nodes": names, "waves": [1, 2],
    });
    let batch = create(&lab, body).await;
    let path = |rest: &str| format!("/{batch}/{rest}");
    until_state(&lab, &batch, "stopped").await;
    post(&lab, &path("pause"), Value::Null).await.expect(409);
    let delete = format!("/corten/v1/batches/{batch}");
    let kept = lab.client.delete(&delete).await.expect(409);
    assert!(kept.fault().contains("has not ended"), "{}", kept.fault());
    // Somebody has seen the failure and goes on.
    post(&lab, &path("resume"), Value::Null).await.expect(202);
    let done = until_state(&lab, &batch, "done").await;
    assert_eq!(
        (&done["counts"]["done"], &done["counts"]["failed"]),
        (&json!(5), &json!(1))
    );
    for word in ["pause", "resume", "abort"] {
        post(&lab, &path(word), Value::Null).await.expect(409);
    }
    // The canary fails at once; what waits then is given up.
    let again = create(
        &lab,
        json!({"action": "provision", "arguments": {"target": "active"}, "nodes": names}),
    )
    .await;
    until_state(&lab, &again, "stopped").await;
    post(&lab, &format!("/{again}/abort"), Value::Null)
        .await
        .expect(202);
    let aborted = until_state(&lab, &again, "aborted").await;
    assert_eq!(aborted["counts"]["skipped"], 5, "{aborted:#}");
    let refused = &nodes(&lab, &again).await[0];
    let reason = refused["reason"].as_str().unwrap();
    assert!(reason.contains("can not be performed"), "{reason}");
    lab.stop().await;
}

async fn maintenance_and_power_are_for_many_too(engine: Engine) {
    let lab = Lab::start(engine).await;
    let names = enroll(&lab, 4, json!({})).await;
    let on = json!({"target": "on", "reason": "new switch"});
    let batch = create(
        &lab,
        json!({"action": "maintenance", "arguments": on, "nodes": names, "waves": ["rest"]}),
    )
    .await;
    until_state(&lab, &batch, "done").await;
    let query = "/corten/v1/nodes?q=maint:yes&limit=1";
    let away = lab.client.get(query).await.expect(200).json();
    assert_eq!(away["total"], 4, "{away:#}");
    let batch = create(
        &lab,
        json!({"action": "power", "arguments": {"target": "power on"}, "nodes": names}),
    )
    .await;
    let done = until_state(&lab, &batch, "done").await;
    assert_eq!(
        done["counts"]["done"],
        4,
        "{:#?}",
        nodes(&lab, &batch).await
    );
    // All at once, and at most one may fail: two do.
    for name in &names[..2] {
        let path = format!("/v1/nodes/{name}");
        let change = json!([{"op": "add", "path": "/driver_info/fake_fail", "value": "power.set"}]);
        lab.client.patch(&path, change).await.expect(200);
    }
    let batch = create(
        &lab,
        json!({"action": "power", "arguments": {"target": "power off"}, "nodes": names,
            "waves": ["rest"], "at_once": 1, "max_failures": 1}),
    )
    .await;
    let stopped = until_state(&lab, &batch, "stopped").await;
    assert_eq!(stopped["counts"]["failed"], 2, "{stopped:#}");
    assert_eq!(stopped["counts"]["waiting"], 2, "{stopped:#}");
    lab.stop().await;
}

async fn nodes_that_became_others_are_left_alone(engine: Engine) {
    let lab = Lab::start(engine).await;
    let names = enroll(&lab, 3, json!({"fake_fail": "power.get"})).await;
    let body = json!({
        "action": "provision", "arguments": {"target": "manage"}, "nodes": names, "waves": [1],
    });
    let batch = create(&lab, body).await;
    until_state(&lab, &batch, "stopped").await;
    let sold = json!([{"op": "add", "path": "/owner", "value": "somebody-else"}]);
    let path = format!("/v1/nodes/{}", names[1]);
    lab.client.patch(&path, sold).await.expect(200);
    post(&lab, &format!("/{batch}/resume"), Value::Null)
        .await
        .expect(202);
    let ended = until_state(&lab, &batch, "done").await;
    assert_eq!(ended["counts"]["done"], 1, "{ended:#}");
    let left = &nodes(&lab, &batch).await[1];
    assert_eq!(left["state"], "failed", "{left:#}");
    let reason = left["reason"].as_str().unwrap();
    assert!(reason.contains("another owner or lessee"), "{reason}");
    assert_eq!(left["asked_at"], Value::Null);
    let node = lab.client.get(&path).await.expect(200).json();
    assert_eq!(node["provision_state"], "enroll");
    lab.stop().await;
}

async fn an_aborted_batch_ends_although_a_node_is_held(engine: Engine) {
    let lab = Lab::start(engine).await;
    let first = lab.enroll(json!({"name": "m000"})).await;
    lab.enroll(json!({"name": "m001"})).await;
    let names = ["m000", "m001"];
    let manage = json!({
        "action": "provision", "arguments": {"target": "manage"}, "nodes": names,
    });
    let managed = create(&lab, manage).await;
    until_state(&lab, &managed, "done").await;
    let steps = json!([{"interface": "deploy", "step": "hold"}]);
    let clean = json!({"target": "clean", "clean_steps": steps});
    let body = json!({
        "action": "provision", "arguments": clean, "nodes": names, "waves": [1],
    });
    let batch = create(&lab, body).await;
    first.reaches(types::ProvisionState::CleanHold).await;
    post(&lab, &format!("/{batch}/abort"), Value::Null)
        .await
        .expect(202);
    let aborted = until_state(&lab, &batch, "aborted").await;
    assert_eq!(aborted["counts"]["failed"], 1, "{aborted:#}");
    assert_eq!(aborted["counts"]["skipped"], 1, "{aborted:#}");
    let node = first.show().await;
    assert_eq!(node["provision_state"], "clean hold", "it is left as it is");
    lab.stop().await;
}
