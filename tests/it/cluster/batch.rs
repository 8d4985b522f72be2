//! A batch in a cluster: one conductor runs it, and another goes on when that one is killed.

use super::{Cluster, enroll, eventually};
use crate::database::Engine;
use serde_json::{Value, json};
use std::collections::BTreeMap;

every_server!(a_batch_goes_on_elsewhere_when_its_conductor_is_killed);

const NODES: usize = 24;

async fn a_batch_goes_on_elsewhere_when_its_conductor_is_killed(engine: Engine) {
    // Short, so that the dead one counts as dead soon.
    let sets = ["corten.membership_ttl=6", "fake.power_delay=0.05,0.2"];
    let mut cluster = Cluster::start(engine, &["b-1", "b-2"], &sets).await;
    let client = cluster.client().clone();
    let mut names = Vec::new();
    for at in 0..NODES {
        let name = format!("m{at:02}");
        enroll(&client, json!({"name": name})).await;
        names.push(name);
    }
    let body = json!({
        "action": "provision", "arguments": {"target": "manage"}, "nodes": names,
        "waves": ["rest"], "at_once": 2, "max_failures": NODES,
    });
    let made = client.post("/corten/v1/batches", body).await.expect(201);
    let path = format!(
        "/corten/v1/batches/{}",
        made.json()["uuid"].as_str().unwrap()
    );
    let show = async || client.get(&path).await.expect(200).json();
    eventually("some nodes are done", async || {
        show().await["counts"]["done"].as_u64().unwrap() >= 3
    })
    .await;
    let first = show().await["conductor"].as_str().unwrap().to_owned();
    let at = cluster.conductors.iter().position(|one| one.name == first);
    cluster.conductors.swap_remove(at.unwrap()).kill().await;
    eventually("the other one has it", async || {
        let shown = show().await;
        shown["conductor"].is_string() && shown["conductor"] != first.as_str()
            || shown["state"] == "done"
    })
    .await;
    eventually("it is done", async || show().await["state"] == "done").await;
    let shown = show().await;
    let ended = ["done", "failed"].map(|state| shown["counts"][state].as_u64().unwrap());
    assert_eq!(ended.iter().sum::<u64>(), NODES as u64, "{shown:#}");
    let mut accepted: BTreeMap<String, usize> = BTreeMap::new();
    let events = client
        .get("/corten/v1/events?after=0&limit=1000&kind=provision")
        .await
        .expect(200)
        .json();
    for event in events["events"].as_array().unwrap() {
        if event["text"] == "enroll -> verifying" {
            let name = event["node_name"].as_str().unwrap().to_owned();
            *accepted.entry(name).or_default() += 1;
        }
    }
    let twice: Vec<_> = accepted.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let path = format!("{path}/nodes?limit=1000");
    let nodes = client.get(&path).await.expect(200).json();
    let forgotten = nodes["nodes"].as_array().unwrap().iter().filter(|node| {
        let name = node["name"].as_str().unwrap();
        node["state"] == "done" && !accepted.contains_key(name)
    });
    assert_eq!(forgotten.collect::<Vec<&Value>>(), Vec::<&Value>::new());
    cluster.stop().await;
}
