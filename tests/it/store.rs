//! The store by itself, on every engine: what the conductor relies on.

mod allocation;
mod belongings;
mod bind;
mod candidate;
mod event;
mod fence;
mod filter;
mod key;
mod lease;
mod machine;
mod member;
mod node;
mod notification;
mod page;
mod port;
mod portgroup;
mod retry;
mod rule;
mod schema;
mod template;
mod tls;
mod unique;
mod upgrade;
mod volume;
mod webhook;

use serde_json::Value;
use store::node::Log;
use types::{
    Caller, HistoryId, JsonMap, Node, NodeId, ProvisionState, Timestamp,
    event::{EventKind, HistoryEntry, NewEvent},
    lease::Holder,
};

fn map(value: Value) -> JsonMap {
    value.as_object().unwrap().clone()
}

fn holder(host: &str, epoch: i64) -> Holder {
    Holder {
        host: host.to_owned(),
        epoch,
    }
}

fn new_node() -> Node {
    Node::new(NodeId::generate(), "fake-hardware")
}

fn named(name: &str) -> Node {
    let mut node = new_node();
    node.name = Some(name.to_owned());
    node
}

/// An event that carries `data`.
fn news(node: &Node, data: Value) -> NewEvent {
    NewEvent::new(
        node,
        EventKind::Updated,
        "changed",
        data,
        &Caller::service(),
    )
}

fn entry(node: &Node, text: &str) -> HistoryEntry {
    HistoryEntry {
        row: 0,
        id: HistoryId::generate(),
        node: node.id,
        created_at: Timestamp::now(),
        conductor: Some("conductor-1".into()),
        user: Some("alice".into()),
        project: Some("p1".into()),
        is_error: Some(true),
        event_type: Some("verify".into()),
        event: text.to_owned(),
        state: Some(ProvisionState::Verifying),
        target_provision_state: Some(ProvisionState::Manageable),
        duration_seconds: Some(3),
    }
}

async fn insert(db: &store::Db, node: Node) -> Node {
    store::node::insert(db, node, Log::default()).await.unwrap()
}

/// The node as it is stored now.
async fn stored(db: &store::Db, id: NodeId) -> Node {
    store::node::find(db, id).await.unwrap().unwrap()
}
