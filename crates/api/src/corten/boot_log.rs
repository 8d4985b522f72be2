//! `GET /corten/v1/nodes/{node}/boot-log`: what a machine asked the boot services for, and the likely
//! cause if it does not boot.

use crate::{
    call::Call, error::ApiError, json_writer::JsonWriter, policy::Rule, reply::Reply, v1::subject,
};
use serde_json::Value;

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::CortenNodeGetBootLog).await?;
    let mut report = call.state.conductor.boot_log(node.id).await?;
    report.insert("node_uuid".to_owned(), node.id.to_string().into());
    Ok(Reply::ok(JsonWriter::document(&Value::Object(report))))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use types::{Node, NodeId};

    #[tokio::test]
    async fn owners_may_see_how_their_machines_boot() {
        let service = Service::guarded();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.owner = Some("p1".into());
        let node = service.store_node(node).await;
        let path = format!("/corten/v1/nodes/{}/boot-log", node.id);
        for (persona, status) in [
            ("reader@system", 200),
            ("reader@p1", 200),
            ("admin@p2", 404),
        ] {
            let answer = service.get_as(persona, &path).await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
        }
        let shown = service.get_as("admin@system", &path).await.json();
        assert_eq!(shown["node_uuid"], node.id.to_string());
        assert_eq!(shown["diagnosis"]["cause"], "under_way");
    }
}
