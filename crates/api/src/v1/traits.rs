//! `traits`: the names under which a scheduler finds a node.

use crate::{
    call::Call, check::trait_names, error::ApiError, json_writer::JsonWriter, policy::Rule,
    reply::Reply, v1::subject,
};
use axum::http::StatusCode;
use types::version::since;

const EITHER_OR: &str = "A single node trait may be added via PUT /v1/nodes/<node identifier>/traits/<trait> with no body, or all node traits may be replaced via PUT /v1/nodes/<node identifier>/traits with the list of traits specified in the request body.";

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.require(since::TRAITS)?;
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeTraitsList).await?;
    let mut w = JsonWriter::with_capacity(256);
    w.begin_object();
    w.key("traits");
    w.begin_array();
    for name in &node.traits {
        w.str(name);
    }
    w.end_array();
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

/// Replaces all traits.
pub(crate) async fn put_all(call: Call) -> Result<Reply, ApiError> {
    writable(&call)?;
    let body = call.body()?;
    let traits = trait_names::read_body(&body).map_err(ApiError::invalid)?;
    let node = subject::node_for(&call, Rule::NodeTraitsSet).await?;
    let Some(traits) = traits else {
        return Err(ApiError::invalid(EITHER_OR));
    };
    let conductor = &call.state.conductor;
    conductor
        .set_traits(&call.ctx.caller, node.id, traits)
        .await?;
    Ok(Reply::no_content())
}

/// Adds one trait.
pub(crate) async fn put_one(call: Call) -> Result<Reply, ApiError> {
    writable(&call)?;
    let body = call.body()?;
    let name = call.param("trait");
    trait_names::check_name("trait", name).map_err(ApiError::invalid)?;
    let also = trait_names::read_body(&body).map_err(ApiError::invalid)?;
    let node = subject::node_for(&call, Rule::NodeTraitsSet).await?;
    if also.is_some() {
        return Err(ApiError::invalid(EITHER_OR));
    }
    let conductor = &call.state.conductor;
    conductor
        .add_trait(&call.ctx.caller, node.id, name.to_owned())
        .await?;
    let url = format!("nodes/{}/traits/{name}", call.param("node"));
    Ok(Reply::no_content().at(call.ctx.url(&url)))
}

pub(crate) async fn delete_all(call: Call) -> Result<Reply, ApiError> {
    call.require_endpoint(since::TRAITS)?;
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeTraitsDelete).await?;
    let conductor = &call.state.conductor;
    conductor
        .set_traits(&call.ctx.caller, node.id, Vec::new())
        .await?;
    Ok(Reply::no_content())
}

pub(crate) async fn delete_one(call: Call) -> Result<Reply, ApiError> {
    call.require_endpoint(since::TRAITS)?;
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeTraitsDelete).await?;
    let name = call.param("trait").to_owned();
    let conductor = &call.state.conductor;
    conductor
        .remove_trait(&call.ctx.caller, node.id, name)
        .await?;
    Ok(Reply::no_content())
}

/// Older versions know no such sub-resource: the word `traits` is a stray element of the path to
/// them, which cannot be written to.
fn writable(call: &Call) -> Result<(), ApiError> {
    if call.version() < since::TRAITS {
        return Err(ApiError::Router {
            status: StatusCode::METHOD_NOT_ALLOWED,
            description: String::new(),
            allow: Some("DELETE, GET, PATCH, POST".into()),
            version_range: false,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use serde_json::{Value, json};
    use types::{Node, NodeId};

    async fn service() -> Service {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        node.traits = vec!["CUSTOM_A".into(), "HW_CPU_X86_VMX".into()];
        service.store_node(node).await;
        service
    }

    #[tokio::test]
    async fn traits_are_listed_set_added_and_removed() {
        let service = service().await;
        let path = "/v1/nodes/n1/traits";
        let list = service.get(path, 37).await;
        assert_eq!(list.text, r#"{"traits": ["CUSTOM_A", "HW_CPU_X86_VMX"]}"#);
        let one = format!("{path}/CUSTOM_B");
        let added = service.send("PUT", &one, 37, Value::Null).await;
        assert_eq!(added.status.as_u16(), 204);
        assert_eq!(
            added.header("location"),
            "http://h:6385/v1/nodes/n1/traits/CUSTOM_B"
        );
        for (method, path, body) in [
            ("PUT", path, json!({"traits": ["CUSTOM_C"]})),
            ("DELETE", &one, Value::Null),
            ("DELETE", path, Value::Null),
        ] {
            let answer = service.send(method, path, 37, body).await;
            assert_eq!(answer.status.as_u16(), 204, "{method} {path}");
        }
        assert_eq!(
            *service.conductor.asked.lock().unwrap(),
            [
                r#"add_trait "CUSTOM_B""#,
                r#"set_traits ["CUSTOM_C"]"#,
                r#"remove_trait "CUSTOM_B""#,
                "set_traits []"
            ]
        );
    }

    #[tokio::test]
    async fn one_or_all_but_not_both_nor_neither() {
        let service = service().await;
        for (path, body) in [
            ("/v1/nodes/n1/traits", Value::Null),
            ("/v1/nodes/n1/traits/CUSTOM_B", json!({"traits": []})),
        ] {
            let answer = service.send("PUT", path, 115, body).await;
            assert_eq!(answer.fault(), EITHER_OR);
        }
    }

    #[tokio::test]
    async fn older_versions_have_no_traits() {
        let service = service().await;
        for (method, status) in [("GET", 406), ("PUT", 405), ("DELETE", 404)] {
            let answer = service
                .send(method, "/v1/nodes/n1/traits", 36, Value::Null)
                .await;
            assert_eq!(answer.status.as_u16(), status, "{method}");
        }
    }
}
