//! `inventory`: what inspection found in a machine.

use crate::{
    call::Call, error::ApiError, json_writer::JsonWriter, policy::Rule, reply::Reply, v1::subject,
};
use axum::http::StatusCode;
use types::version::since;

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::NODE_INVENTORY)?;
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeInventoryGet).await?;
    let found = match &call.state.inventories {
        None => store::inventory::find(&call.state.db, node.id).await?,
        Some(archive) => archive
            .find(node.id)
            .await
            .map_err(|why| ApiError::service(StatusCode::INTERNAL_SERVER_ERROR, why))?,
    };
    let Some(found) = found else {
        return Err(ApiError::not_found(format!(
            "Node inventory record for node {} could not be found.",
            node.row
        )));
    };
    let mut w = JsonWriter::with_capacity(4096);
    w.begin_object();
    w.key("inventory");
    w.map(&found.inventory);
    w.key("plugin_data");
    w.map(&found.plugin_data);
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::{Value, json};
    use types::{Inventory, JsonMap, Node, NodeId};

    fn map(value: Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    #[tokio::test]
    async fn what_was_found_is_shown() {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        let node = service.store_node(node).await;
        let path = "/v1/nodes/n1/inventory";
        assert_eq!(service.get(path, 80).await.fault(), "");
        let none = service.get(path, 81).await;
        assert_eq!(none.status.as_u16(), 404);
        assert_eq!(
            none.fault(),
            format!(
                "Node inventory record for node {} could not be found.",
                node.row
            )
        );
        let found = Inventory {
            inventory: map(json!({"memory": {"physical_mb": 1}})),
            plugin_data: map(json!({"a": null})),
        };
        store::inventory::save(&service.db, node.id, found)
            .await
            .unwrap();
        assert_eq!(
            service.get(path, 81).await.json(),
            json!({"inventory": {"memory": {"physical_mb": 1}}, "plugin_data": {"a": null}})
        );
    }
}
