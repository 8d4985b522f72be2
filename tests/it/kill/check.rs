//! What must hold when everything is over, read from the database itself.

use super::life::Lives;
use crate::database::Database;
use std::collections::{HashMap, HashSet};
use store::{
    Page,
    node::{Columns, NodeFilter},
};
use types::{
    NodeId, ProvisionState,
    event::{EventKind, LoggedEvent},
    provision::StateClass,
};

/// Returns the event log.
pub(super) async fn everything(database: &Database, lives: &Lives) -> Vec<LoggedEvent> {
    let db = database.open();
    let page = Page::first(1000);
    let nodes = store::node::list(&db, NodeFilter::all(), page, Columns::Full)
        .await
        .unwrap();
    let kept: HashSet<NodeId> = lives.nodes.lock().unwrap().iter().copied().collect();
    let found: HashSet<NodeId> = nodes.iter().map(|node| node.id).collect();
    assert_eq!(found, kept, "nodes were lost, or came back");
    for node in &nodes {
        assert_eq!(node.reservation, None, "still reserved: {node:?}");
        assert_eq!(node.work, None, "work without a worker: {node:?}");
        let state = node.provision_state;
        match state.class() {
            StateClass::Transient => panic!("nobody works on it: {node:?}"),
            StateClass::Failed => assert!(node.last_error.is_some(), "no reason: {node:?}"),
            StateClass::Stable | StateClass::Waiting | StateClass::Hold => {}
        }
        assert_eq!(node.target_power_state, None, "{node:?}");
    }
    let events = log(database, &db).await;
    check_chains(&events, &nodes);
    check_accepted(&events, lives);
    events
}

/// The whole log; cursors must be dense.
async fn log(database: &Database, db: &store::Db) -> Vec<LoggedEvent> {
    let total = database.number("SELECT COUNT(*) FROM events");
    let mut events: Vec<LoggedEvent> = Vec::new();
    let mut cursor = 0;
    let patience = std::time::Duration::from_secs(90);
    while (events.len() as i64) < total {
        // On a server the last rows get their number from the process that is up, which we are.
        store::event::wait(db, cursor, patience).await.unwrap();
        let page = store::event::after(db, cursor, 500, store::event::EventFilter::default())
            .await
            .unwrap();
        assert!(
            !page.events.is_empty(),
            "{} of {total} events",
            events.len()
        );
        for event in page.events {
            assert_eq!(event.cursor, cursor + 1, "a gap or a repetition in the log");
            cursor = event.cursor;
            events.push(event);
        }
    }
    events
}

/// Every node's moves follow one another, from its enrolment to where it is now.
fn check_chains(events: &[LoggedEvent], nodes: &[types::Node]) {
    let mut at: HashMap<NodeId, ProvisionState> = HashMap::new();
    let mut gone = HashSet::new();
    for event in events {
        let node = event.node;
        assert!(!gone.contains(&node), "told of after its end: {event:?}");
        match event.kind {
            EventKind::Created => {
                let before = at.insert(node, ProvisionState::Enroll);
                assert_eq!(before, None, "created twice: {event:?}");
            }
            EventKind::Deleted => {
                gone.insert(node);
            }
            EventKind::Provision => {
                let read = |key: &str| -> ProvisionState {
                    event.data[key].as_str().unwrap().parse().unwrap()
                };
                let before = at.insert(node, read("to"));
                assert_eq!(
                    before,
                    Some(read("from")),
                    "the story has a hole: {event:?}"
                );
            }
            _ => assert!(
                at.contains_key(&node),
                "told of before its beginning: {event:?}"
            ),
        }
    }
    for node in nodes {
        assert_eq!(
            at.get(&node.id),
            Some(&node.provision_state),
            "the log ends elsewhere: {node:?}"
        );
    }
}

/// Whatever was answered with success is in the log.
fn check_accepted(events: &[LoggedEvent], lives: &Lives) {
    let told: HashSet<&str> = events
        .iter()
        .filter_map(|e| e.request_id.as_deref())
        .collect();
    let accepted = lives.accepted.lock().unwrap();
    let missing: Vec<_> = accepted
        .iter()
        .filter(|(id, _)| !told.contains(id.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "{} of {} accepted requests are not in the log: {missing:?}",
        missing.len(),
        accepted.len()
    );
}
