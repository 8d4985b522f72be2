//! `/corten/v1/nodes/{node}/sel`: the system event log of a machine, as its BMC keeps it.

use crate::{
    call::Call, error::ApiError, json_writer::JsonWriter, policy::Rule, reply::Reply, v1::subject,
};
use serde_json::{Value, json};
use types::hardware_log::LogEntry;

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::CortenNodeGetSel).await?;
    let log = call.state.conductor.system_event_log(node.id).await?;
    let entries: Vec<Value> = log.entries.iter().map(entry).collect();
    let document = json!({
        "node_uuid": node.id.to_string(),
        "entries": entries,
        "is_cut": log.is_cut,
        "has_overflown": log.has_overflown,
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::CortenNodeClearSel).await?;
    let conductor = &call.state.conductor;
    conductor
        .clear_system_event_log(&call.ctx.caller, node.id)
        .await?;
    Ok(Reply::no_content())
}

fn entry(entry: &LogEntry) -> Value {
    json!({
        "id": entry.id,
        "log": entry.log,
        "at": entry.at.map(|at| at.to_string()),
        "severity": entry.severity,
        "sensor_type": entry.sensor_type,
        "sensor": entry.sensor,
        "text": entry.text,
        "is_asserted": entry.is_asserted,
        "raw": entry.raw,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::json;
    use types::{Fault, Node, NodeId};

    async fn with_node(service: &Service) -> String {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.owner = Some("p1".into());
        let node = service.store_node(node).await;
        format!("/corten/v1/nodes/{}/sel", node.id)
    }

    #[tokio::test]
    async fn the_log_is_shown_and_cleared() {
        let service = Service::new();
        let path = with_node(&service).await;
        let answer = service.get(&path, 1).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let body = answer.json();
        assert_eq!(
            body["entries"],
            json!([{
                "id": "1", "log": "SEL", "at": "1970-01-01T00:00:00+00:00",
                "severity": "Critical", "sensor_type": "Fan", "sensor": "FAN 1",
                "text": "lower critical, going low", "is_asserted": true, "raw": null,
            }])
        );
        assert_eq!(
            (&body["is_cut"], &body["has_overflown"]),
            (&json!(false), &json!(true))
        );
        let answer = service.get(&format!("{path}?x=1"), 1).await;
        assert_eq!(answer.status, 400);
        let answer = service.send("DELETE", &path, 1, json!(null)).await;
        assert_eq!(answer.status, 204, "{answer:?}");
        let unsupported = Fault::Unsupported {
            driver: "fake-hardware".into(),
            extension: "clear_system_event_log".into(),
        };
        service.conductor.refusals.lock().unwrap().push(unsupported);
        let answer = service.send("DELETE", &path, 1, json!(null)).await;
        assert_eq!(answer.status, 400);
        assert!(
            answer.fault().contains("clear_system_event_log"),
            "{answer:?}"
        );
    }

    #[tokio::test]
    async fn readers_look_and_administrators_of_the_system_clear() {
        let service = Service::guarded();
        let path = with_node(&service).await;
        for (persona, get, delete) in [
            ("admin@system", 200, 204),
            ("member@system", 200, 403),
            ("reader@system", 200, 403),
            ("admin@p1", 200, 403),
            ("admin@p2", 404, 404),
        ] {
            for (method, status) in [("GET", get), ("DELETE", delete)] {
                let answer = service.send_as(persona, method, &path, json!(null)).await;
                assert_eq!(answer.status, status, "{persona} {method}: {}", answer.text);
            }
        }
    }
}
