//! Requests while the ring moves: what was accepted is done, and what was not is said so.

use super::{Cluster, PATIENCE, Process, enroll, eventually};
use crate::{
    database::Engine,
    http::{Client, Request},
};
use scenario::random::Random;
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

every_server!(
    nothing_that_was_accepted_is_lost_while_conductors_come_and_go,
    a_lost_answer_is_not_asked_for_twice
);

const WRITERS: usize = 4;

/// What one writer saw.
#[derive(Debug, Default)]
struct Seen {
    accepted: u64,
    not_now: u64,
    other: Vec<String>,
}

/// Writes numbers into one node, each higher than the last, until it is told to stop. No accepted
/// number may be lost: what a later reading shows is at least the last one.
async fn write(client: Client, node: String, over: Arc<AtomicBool>) -> Seen {
    let path = format!("/v1/nodes/{node}");
    let mut seen = Seen::default();
    let (mut number, mut accepted) = (0u64, 0u64);
    while !over.load(Ordering::Relaxed) {
        number += 1;
        let change = json!([{"op": "add", "path": "/extra/number", "value": number}]);
        let request = Request::new("PATCH", &path).json(&change);
        let Ok(answer) = client.try_send(&request).await else {
            seen.other.push(format!("{node}: no answer to {number}"));
            continue;
        };
        match answer.status {
            200 => {
                accepted = number;
                seen.accepted += 1;
            }
            409 | 503 => {
                seen.not_now += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            status => seen
                .other
                .push(format!("{number}: {status} {}", answer.text())),
        }
        let shown = client.get(&path).await.expect(200).json();
        let stored = shown["extra"]["number"].as_u64().unwrap_or_default();
        if stored < accepted || stored > number {
            let text = format!("{node}: {stored} is stored, {accepted} was accepted last");
            seen.other.push(text);
        }
    }
    seen
}

async fn nothing_that_was_accepted_is_lost_while_conductors_come_and_go(engine: Engine) {
    let sets = ["corten.membership_ttl=6"];
    let mut cluster = Cluster::start(engine, &["c1", "c2", "c3"], &sets).await;
    let mut random = Random::new();
    let over = Arc::new(AtomicBool::new(false));
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..WRITERS {
        let node = enroll(cluster.client(), json!({})).await;
        writers.spawn(write(cluster.client().clone(), node, Arc::clone(&over)));
    }
    for round in 0..6 {
        let index = random.below(cluster.conductors.len());
        let gone = cluster.conductors.remove(index);
        let name = gone.name.clone();
        match round % 2 {
            0 => gone.stop().await,
            _ => gone.kill().await,
        }
        let pause = Duration::from_millis(random.below(1500) as u64);
        tokio::time::sleep(pause).await;
        cluster.join(&name, &sets).await;
        cluster.sees(&cluster.api, &["c1", "c2", "c3"]).await;
    }
    over.store(true, Ordering::Relaxed);
    let seen = tokio::time::timeout(PATIENCE, writers.join_all())
        .await
        .unwrap();
    println!("{seen:?}");
    for seen in &seen {
        assert_eq!(seen.other, Vec::<String>::new());
        assert!(seen.accepted > 10, "{seen:?}: this run proves little");
    }
    cluster.stop().await;
}

/// A conductor that stands still answers nobody; whoever asked is told that nobody knows what came
/// of it, and that is all.
async fn a_lost_answer_is_not_asked_for_twice(engine: Engine) {
    let cluster = Cluster::start(engine, &["c1"], &[]).await;
    let client = cluster.client();
    // Only this one is in a hurry.
    let hurry = ["corten.cluster_timeout=1"];
    let hasty = Process::start(&cluster.database, "api", "hasty", &hurry).await;
    cluster.sees(&hasty, &["c1"]).await;
    let node = enroll(client, json!({})).await;
    // Once the two have talked, a call needs one answer and no more.
    let maintenance = format!("/v1/nodes/{node}/maintenance");
    eventually("a call in time", async || {
        hasty.client.put(&maintenance, json!({})).await.status == 202
    })
    .await;
    let path = format!("/v1/nodes/{node}/traits/CUSTOM_ONE");
    cluster.conductors[0].signal("STOP").await;
    let answer = hasty.client.put(&path, json!(null)).await;
    cluster.conductors[0].signal("CONT").await;
    let answer = answer.expect(503);
    let text = answer.fault();
    assert!(text.contains("may have been accepted"), "{text}");
    // Whoever looks knows, and may ask again.
    let traits = format!("/v1/nodes/{node}/traits");
    let shown = client.get(&traits).await.expect(200).json();
    let found = shown["traits"].as_array().unwrap().len();
    assert!(found <= 1, "{shown}");
    client.put(&path, json!(null)).await.expect(204);
    let shown = client.get(&traits).await.expect(200).json();
    assert_eq!(shown["traits"], json!(["CUSTOM_ONE"]));
    hasty.stop().await;
    cluster.stop().await;
}
