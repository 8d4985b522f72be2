//! `GET /corten/v1/nodes/{node}/timeline`: what was done to a machine, step by step, and what is
//! being waited for.
//!
//! It is read from the event log ([`story`]); how many bytes an agent has written, and what the
//! conductor itself waits for this moment, comes from the conductor. Whoever may read a node may read
//! its timeline, but errors and the names of those who asked only with the rules that guard them
//! elsewhere.

pub(super) mod story;

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{HiddenFields, Rule, Target},
    reply::Reply,
    v1::subject,
};
use serde_json::json;
use story::{Flow, Ground};
use types::Timestamp;

const DEFAULT_LIMIT: i64 = 1;
const MAX_LIMIT: i64 = 20;
/// Enough for the longest operation with all its phases, and for many short ones.
const EVENTS: u32 = 2000;

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["limit"])?;
    let limit = args.integer("limit")?.unwrap_or(DEFAULT_LIMIT);
    let limit = usize::try_from(limit.clamp(1, MAX_LIMIT)).unwrap_or(1);
    let node = subject::node_for(&call, Rule::NodeGet).await?;
    let events = store::event::latest(&call.state.db, node.id, EVENTS).await?;
    let live = call.state.conductor.live(node.id).await?;
    let ground = Ground {
        node: &node,
        live: &live,
        now: Timestamp::now(),
    };
    let mut flows: Vec<Flow> = story::flows(&events, &live);
    flows.drain(..flows.len().saturating_sub(limit));
    let target = Target::node(&node);
    let sees_errors = call.allows(Rule::NodeGetLastError, &target);
    let sees_callers = call.allows(Rule::NodeHistoryGet, &target);
    for flow in &mut flows {
        if !sees_errors && flow.error.is_some() {
            flow.error = Some(HiddenFields::LAST_ERROR.to_owned());
            flow.warnings.clear();
        }
        if !sees_callers {
            flow.requested_by = None;
        }
    }
    let document = json!({
        "node_uuid": node.id,
        "at": ground.now.to_string(),
        "provision_state": node.provision_state,
        "target_provision_state": node.target_provision_state,
        "power_state": node.power_state,
        // The newest first: it is what most ask for.
        "flows": flows.iter().rev().map(|flow| flow.document(&ground)).collect::<Vec<_>>(),
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::{Value, json};
    use store::node::{Fence, Log};
    use types::{
        Caller, Node, NodeId,
        event::{EventKind, NewEvent},
    };

    async fn failed(service: &Service) -> Node {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        (node.owner, node.lessee) = (Some("p1".into()), Some("p2".into()));
        let node = service.store_node(node).await;
        let caller = Caller {
            user: Some("operator-7".into()),
            ..Caller::service()
        };
        let moved = |from: &str, to: &str, event: &str| {
            let data = json!({"from": from, "to": to, "event": event});
            NewEvent::new(&node, EventKind::Provision, "moved", data, &caller)
        };
        let log = Log {
            events: vec![
                moved("available", "deploying", "deploy"),
                NewEvent::new(&node, EventKind::Error, "it broke", json!({}), &caller),
                moved("deploying", "deploy failed", "fail"),
            ],
            ..Log::default()
        };
        let saved = store::node::save(&service.db, node.clone(), Fence::Free, log);
        saved.await.unwrap()
    }

    #[tokio::test]
    async fn it_is_for_those_who_may_read_the_node() {
        let service = Service::guarded();
        let node = failed(&service).await;
        let path = format!("/corten/v1/nodes/{}/timeline", node.id);
        for (persona, status) in [
            ("reader@system", 200),
            ("reader@p1", 200),
            ("reader@p2", 200),
            ("nothing@p1", 404),
            ("admin@p3", 404),
        ] {
            let answer = service.get_as(persona, &path).await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
        }
        let flow = async |persona: &str| {
            let document = service.get_as(persona, &path).await.json();
            document["flows"][0].clone()
        };
        let owner: Value = flow("reader@p1").await;
        assert_eq!(
            (&owner["verb"], &owner["state"]),
            (&json!("deploy"), &json!("failed"))
        );
        assert_eq!(owner["error"], "it broke");
        assert_eq!(owner["requested_by"]["user"], "operator-7");
        let lessee = flow("reader@p2").await;
        assert!(lessee["error"].as_str().unwrap().contains("Redacted"));
        assert!(!lessee.to_string().contains("operator-7"), "{lessee}");
    }

    #[tokio::test]
    async fn limits_are_numbers() {
        let service = Service::new();
        let node = failed(&service).await;
        let path = format!("/corten/v1/nodes/{}/timeline?limit=x", node.id);
        assert_eq!(service.get(&path, 1).await.status, 400);
        let path = format!("/corten/v1/nodes/{}/timeline?limit=-5", node.id);
        let shown = service.get(&path, 1).await.json();
        assert_eq!(shown["flows"].as_array().unwrap().len(), 1);
    }
}
