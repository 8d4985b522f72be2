//! `vifs`: virtual network interfaces that are attached to a node.

use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::Rule,
    reply::Reply,
    schema::{self, Schema, Type},
    v1::subject,
};
use serde_json::{Value, json};
use types::version::since;

pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[("id", Schema::of(&[Type::String]))],
    required: &["id"],
    ..Schema::ANY
};

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIFS)?;
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeVifList).await?;
    let vifs = call
        .state
        .conductor
        .vifs(node.id)
        .await
        .map_err(ApiError::from_node_write)?;
    let vifs: Vec<Value> = vifs.into_iter().map(|id| json!({"id": id})).collect();
    Ok(Reply::ok(JsonWriter::document(&json!({"vifs": vifs}))))
}

pub(crate) async fn attach(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIFS)?;
    let body = call.body()?;
    schema::check("vif", &body, &SCHEMA)?;
    let both = body.get("port_uuid").is_some() && body.get("portgroup_uuid").is_some();
    if both && call.version() >= since::VIF_PORT {
        return Err(ApiError::invalid(
            "Cannot specify both port_uuid and portgroup_uuid",
        ));
    }
    args::uuid_or_name("id", &body["id"])?;
    let node = subject::node_for(&call, Rule::NodeVifAttach).await?;
    call.state
        .conductor
        .attach_vif(&call.ctx.caller, node.id, args::object(body))
        .await
        .map_err(ApiError::from_node_write)?;
    Ok(Reply::no_content())
}

/// `POST` below the list: Ironic takes the element for the body.
pub(crate) async fn attach_at(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIFS)?;
    schema::check("vif", &Value::from(call.param("vif").to_owned()), &SCHEMA)?;
    Err(ApiError::resource_not_found())
}

/// `DELETE` of the list.
pub(crate) async fn detach_none(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIFS)?;
    call.no_args()?;
    Err(ApiError::missing_parameter("vif_id"))
}

pub(crate) async fn detach(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIFS)?;
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeVifDetach).await?;
    call.state
        .conductor
        .detach_vif(&call.ctx.caller, node.id, call.param("vif").to_owned())
        .await
        .map_err(ApiError::from_node_write)?;
    Ok(Reply::no_content())
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::{Value, json};
    use types::{Node, NodeId};

    #[tokio::test]
    async fn a_vif_is_attached_and_detached_by_its_id() {
        let service = Service::new();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let path = format!("/v1/nodes/{}/vifs", service.store_node(node).await.id);
        let listed = service.send("GET", &path, 28, Value::Null).await;
        assert_eq!(listed.json(), json!({"vifs": [{"id": "vif-1"}]}));
        let old = service.send("GET", &path, 27, Value::Null).await;
        assert_eq!(old.status.as_u16(), 404);
        let attached = service
            .send("POST", &path, 28, json!({"id": "v", "x": 1}))
            .await;
        assert_eq!(attached.status.as_u16(), 204);
        let both = json!({"id": "v", "port_uuid": "a", "portgroup_uuid": "b"});
        assert_eq!(
            service.send("POST", &path, 67, both).await.status.as_u16(),
            400
        );
        let none = service.send("POST", &path, 67, json!({})).await;
        assert_eq!(
            none.fault(),
            "Schema error for vif: 'id' is a required property"
        );
        let gone = service
            .send("DELETE", &format!("{path}/v"), 28, Value::Null)
            .await;
        assert_eq!(gone.status.as_u16(), 204);
        assert_eq!(
            *service.conductor.asked.lock().unwrap(),
            [r#"attach_vif {"id":"v","x":1}"#, r#"detach_vif "v""#]
        );
    }
}
