//! The event log as other programs get it: streams, long polls and webhooks, with everything that
//! breaks on the way.

mod documented;
mod receiver;
mod stream;
mod subscriber;
mod webhook;

use crate::{database::Engine, lab::Lab};
use serde_json::{Value, json};
use std::collections::HashMap;
use store::{
    Db,
    node::{Fence, Log},
};
use tokio::task::JoinSet;
use types::{
    Caller, Node, NodeId,
    event::{EventKind, NewEvent},
};

/// Handles that write as different processes do, where the engine has several.
fn writers_of(lab: &Lab, engine: Engine) -> Vec<Db> {
    match engine {
        // One process owns the file.
        Engine::Sqlite => vec![lab.db.clone()],
        _ => vec![lab.db.clone(), lab.database.open()],
    }
}

/// Starts `count` writers, each of which tells `each` things about a node of its own.
fn write(dbs: &[Db], count: usize, each: usize) -> JoinSet<()> {
    let mut writers = JoinSet::new();
    for writer in 0..count {
        let db = dbs[writer % dbs.len()].clone();
        writers.spawn(async move {
            let node = Node::new(NodeId::generate(), "fake-hardware");
            let mut node = store::node::insert(&db, node, Log::default())
                .await
                .unwrap();
            for n in 0..each {
                let kind = [EventKind::Step, EventKind::Power][n % 2];
                let data = json!({"writer": writer, "n": n});
                let event = NewEvent::new(&node, kind, "told", data, &Caller::service());
                node = store::node::save(&db, node, Fence::Free, Log::event(event))
                    .await
                    .unwrap();
            }
        });
    }
    writers
}

/// Every event must be there once, in the order of the log, and each writer's in the order in
/// which it committed them.
#[track_caller]
fn is_whole(events: &[Value], writers: usize, each: usize) {
    let cursors: Vec<i64> = events
        .iter()
        .map(|e| e["cursor"].as_i64().unwrap())
        .collect();
    let expected: Vec<i64> = (1..).take(writers * each).collect();
    assert_eq!(
        cursors, expected,
        "something is missing, doubled or out of order"
    );
    let mut next: HashMap<u64, u64> = HashMap::new();
    for event in events {
        let writer = event["data"]["writer"].as_u64().unwrap();
        let expected = next.entry(writer).or_default();
        assert_eq!(
            event["data"]["n"], *expected,
            "writer {writer} out of order"
        );
        *expected += 1;
    }
}
