//! Nodes: one at a time. Lists, creation and patches have files of their own.

#[cfg(test)]
mod access_tests;
pub(crate) mod attribute;
pub(crate) mod create;
mod guard;
pub(crate) mod list;
#[cfg(test)]
mod list_tests;
pub(crate) mod name;
pub(crate) mod patch;

use crate::{
    args,
    call::Call,
    error::ApiError,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    view::{Selection, node as view},
};
use serde_json::Value;
use types::version::since;

/// `GET /nodes/{node}`.
pub(crate) async fn show(call: Call) -> Result<Reply, ApiError> {
    let names = call.args(&["fields"])?.string_list("fields")?;
    show_fields(&call, names).await
}

/// `GET /nodes/{node}/{fields}`: an element that names no sub-resource counts as the `fields`
/// argument.
pub(crate) async fn show_part(call: Call) -> Result<Reply, ApiError> {
    call.args(&[])?;
    let names = args::string_list("fields", &Value::from(call.param("fields")))?;
    show_fields(&call, Some(names)).await
}

async fn show_fields(call: &Call, names: Option<Vec<String>>) -> Result<Reply, ApiError> {
    let node = lookup::node_row_at_end(call, call.param("node")).await?;
    let selection = match names {
        None => Selection::full(view::FIELDS, call.version()),
        Some(names) => {
            call.require(since::FIELDS_QUERY)?;
            view::select(call.version(), &names)?
        }
    };
    Ok(Reply::ok(view::document(call, selection, &node)?))
}

/// `DELETE /nodes/{node}`.
pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.args(&[])?;
    let node = lookup::node_at_end(&call, call.param("node")).await?;
    let target = Target::node(&node);
    match call.permit(Rule::NodeDelete, &target) {
        Err(_) if call.state.settings.project_admin_can_manage_own_nodes => {
            call.permit(Rule::NodeDeleteSelfOwnedNode, &target)?;
        }
        result => result?,
    }
    call.state
        .conductor
        .destroy_node(&call.ctx.caller, node.id)
        .await
        .map_err(ApiError::from_node_write)?;
    Ok(Reply::no_content())
}

/// `DELETE /nodes/{node}/{element}` where the element is nothing that could be deleted.
pub(crate) async fn no_such_part(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    Err(ApiError::resource_not_found())
}

/// `PATCH` of what is below a node: Ironic takes the element for an argument.
pub(crate) async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    args::boolean("reset_interfaces", &call.param("fields").into())?;
    Err(ApiError::resource_not_found())
}

/// `PATCH` and `DELETE` of `/nodes`.
pub(crate) async fn no_ident(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    Err(ApiError::missing_parameter("node_ident"))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::json;
    use types::{Fault, Node, NodeId};

    async fn service_with(name: &str) -> (Service, Node) {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some(name.into());
        let node = service.store_node(node).await;
        (service, node)
    }

    #[tokio::test]
    async fn a_node_is_found_by_uuid_and_by_name() {
        let (service, node) = service_with("n1").await;
        let uuid = node.id.to_string();
        for (ident, minor, status) in [
            (uuid.clone(), 1, 200),
            (uuid.to_uppercase(), 1, 200),
            (uuid.replace('-', ""), 115, 404),
            ("n1".to_owned(), 5, 200),
            ("n1".to_owned(), 4, 404),
            ("N1".to_owned(), 9, 400),
            ("N1".to_owned(), 10, 404),
        ] {
            let answer = service.get(&format!("/v1/nodes/{ident}"), minor).await;
            assert_eq!(answer.status, status, "{ident} {minor}");
        }
    }

    #[tokio::test]
    async fn the_json_suffix_may_belong_to_the_name() {
        let (service, _) = service_with("n1.json").await;
        for (path, minor, status) in [
            ("/v1/nodes/n1.json", 90, 200),
            ("/v1/nodes/n1.json", 91, 200),
            ("/v1/nodes/n1", 90, 404),
        ] {
            assert_eq!(
                service.get(path, minor).await.status,
                status,
                "{path} {minor}"
            );
        }
    }

    #[tokio::test]
    async fn fields_are_chosen_by_query_or_path() {
        let (service, node) = service_with("n1").await;
        let answer = service
            .get("/v1/nodes/n1?fields=NAME,uuid,conductor", 115)
            .await;
        let shown = answer.json();
        assert_eq!(shown.as_object().unwrap().len(), 4, "{shown}");
        assert_eq!(shown["conductor"], "cond1");
        assert_eq!(shown["uuid"], node.id.to_string());
        assert!(shown["links"].is_array());
        let empty = service.get("/v1/nodes/n1?fields=", 115).await.json();
        assert_eq!(empty.as_object().unwrap().len(), 1);
        let part = service.get("/v1/nodes/n1/nope", 115).await;
        assert_eq!(part.fault(), "Field nope is not a valid field.");
        for (query, minor, status) in [
            ("fields=uuid", 7, 406),
            ("fields=owner", 49, 406),
            ("fields=links", 115, 400),
            ("detail=true", 115, 400),
        ] {
            let answer = service.get(&format!("/v1/nodes/n1?{query}"), minor).await;
            assert_eq!(answer.status, status, "{query}");
        }
    }

    #[tokio::test]
    async fn deleting_is_the_conductors_decision() {
        let (service, node) = service_with("n1").await;
        service
            .conductor
            .refusals
            .lock()
            .unwrap()
            .push(Fault::Protected(node.id));
        let refused = service
            .send("DELETE", "/v1/nodes/n1", 115, json!(null))
            .await;
        assert_eq!(refused.status, 403);
        let done = service
            .send("DELETE", "/v1/nodes/n1", 115, json!(null))
            .await;
        assert_eq!((done.status.as_u16(), done.text.as_str()), (204, ""));
        assert_eq!(done.header("content-length"), "0");
        assert_eq!(done.header("content-type"), "");
        assert_eq!(service.get("/v1/nodes/n1", 115).await.status, 404);
    }
}
