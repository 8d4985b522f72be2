//! `ports`: the network interfaces of the machines, one at a time. Lists, creation and patches have
//! files of their own.

pub(crate) mod attribute;
pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod patch;

use crate::{
    args,
    call::Call,
    error::ApiError,
    lookup,
    patch::Patch,
    policy::Rule,
    reply::Reply,
    v1::collection::{self, Collection},
    view::port::FIELDS,
};
use serde_json::Value;
use types::{ApiVersion, Port, version::since};

pub(super) const KIND: Collection<Port> = Collection {
    name: "ports",
    fields: FIELDS,
    id: |row| row.id.to_string(),
};

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    let fields = call.args(&["fields"])?.string_list("fields")?;
    let port = lookup::port(&call, ident(&call)?, Rule::PortGet).await?;
    check_fields(&call, fields.as_deref())?;
    Ok(Reply::ok(KIND.document(&call, fields.as_deref(), &port)))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let uuid = call.param("port");
    // Unlike everywhere else, a name will not do.
    args::uuid("port_uuid", &Value::from(uuid))?;
    let port = lookup::port(&call, uuid, Rule::PortDelete).await?;
    let conductor = &call.state.conductor;
    conductor.destroy_port(&call.ctx.caller, port.id).await?;
    Ok(Reply::no_content())
}

/// `DELETE` of what is below a port: the name is judged first.
pub(crate) async fn delete_part(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    args::uuid("port_uuid", &Value::from(call.param("port")))?;
    Err(ApiError::resource_not_found())
}

/// `DELETE /ports`.
pub(crate) async fn delete_without_ident(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    Err(ApiError::missing_parameter("port_uuid"))
}

/// One attribute, named in the path.
pub(crate) async fn get_part(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    let port = lookup::port(&call, ident(&call)?, Rule::PortGet).await?;
    check_fields(&call, Some(&fields))?;
    Ok(Reply::ok(KIND.document(&call, Some(&fields), &port)))
}

/// `PATCH /ports`.
pub(crate) async fn patch_without_ident(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    Err(ApiError::missing_parameter("port_ident"))
}

/// A single port below a node: ports are addressed at the top only.
pub(crate) async fn no_single_port(call: Call) -> Result<Reply, ApiError> {
    call.args(&["fields"])?;
    ident(&call)?;
    Err(malformed())
}

/// `PATCH` of a port below a node: the patch is judged first.
pub(crate) async fn no_patch_here(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    ident(&call)?;
    Patch::parse(&body)?;
    Err(malformed())
}

/// `DELETE` of a port below a node: the name is judged first.
pub(crate) async fn no_delete_here(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    args::uuid("port_uuid", &Value::from(call.param("port")))?;
    Err(malformed())
}

fn malformed() -> ApiError {
    ApiError::invalid("Malformed request URI.")
}

/// What the path names.
fn ident(call: &Call) -> Result<&str, ApiError> {
    let given = call.param("port");
    args::uuid_or_name("port_ident", &Value::from(given)).map(|_| given)
}

/// 406 for fields that the version does not have, 400 for those that no version has.
fn check_fields(call: &Call, fields: Option<&[String]>) -> Result<(), ApiError> {
    check_versions(call, fields)?;
    collection::check_known(fields, FIELDS)
}

/// 406 for fields that the version does not have.
fn check_versions(call: &Call, fields: Option<&[String]>) -> Result<(), ApiError> {
    let Some(fields) = fields else {
        return Ok(());
    };
    call.require(since::FIELDS_QUERY)?;
    fields
        .iter()
        .try_for_each(|field| check_version(call, field))
}

/// 406 unless the version has this field.
fn check_version(call: &Call, field: &str) -> Result<(), ApiError> {
    let first: Option<ApiVersion> = FIELDS
        .iter()
        .find(|known| known.name == field)
        .map(|known| known.since);
    match first {
        // This one may be asked for before it exists; it is not shown then.
        Some(_) if field == "internal_info" => Ok(()),
        Some(first) => call.require(first),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Answer, Service};
    use serde_json::{Value, json};
    use types::{Fault, Node, NodeId, ProvisionState};

    const UUID: &str = "eeeeeeee-eeee-eeee-eeee-eeeeeeeeeeee";

    /// A node called `n1` with one port called `eth0`.
    async fn service() -> (Service, NodeId) {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        node.shard = Some("s1".into());
        let node = service.store_node(node).await.id;
        let body = json!({"uuid": UUID, "node_ident": "n1", "name": "eth0",
            "address": "52:54:00:AA:BB:01", "pxe_enabled": "no",
            "local_link_connection": {"port_id": "p", "switch_id": "0A:1B:2C:3D:4E:5F"}});
        let answer = service.send("POST", "/v1/ports", 115, body).await;
        assert_eq!(answer.status.as_u16(), 201, "{answer:?}");
        assert_eq!(
            answer.header("location"),
            format!("http://h:6385/v1/ports/{UUID}")
        );
        (service, node)
    }

    async fn patch(service: &Service, minor: u16, ops: Value) -> Answer {
        service.send("PATCH", "/v1/ports/eth0", minor, ops).await
    }

    #[tokio::test]
    async fn a_port_is_shown_by_uuid_or_name() {
        let (service, node) = service().await;
        let port = service.get(&format!("/v1/ports/{UUID}"), 115).await.json();
        assert_eq!(port["address"], "52:54:00:aa:bb:01");
        assert_eq!(port["node_uuid"], node.to_string());
        assert_eq!(port["pxe_enabled"], false);
        assert_eq!(
            port["local_link_connection"]["switch_id"],
            "0a:1b:2c:3d:4e:5f"
        );
        assert_eq!(port.as_object().unwrap().len(), 18);
        let old = service.get("/v1/ports/eth0", 1).await.json();
        assert_eq!(old.as_object().unwrap().len(), 7);
        let some = service
            .get("/v1/ports/eth0?fields=address", 115)
            .await
            .json();
        assert_eq!(some.as_object().unwrap().len(), 2);
        let by_mac = service.get("/v1/ports/52:54:00:aa:bb:01", 115).await;
        assert_eq!(
            by_mac.fault(),
            "Expected UUID or name for port_ident: 52:54:00:aa:bb:01"
        );
    }

    #[tokio::test]
    async fn lists_are_filtered_by_one_thing_at_a_time() {
        let (service, node) = service().await;
        for (query, count) in [
            (String::new(), 1),
            ("?node=n1".into(), 1),
            (format!("?node_uuid={node}"), 1),
            ("?address=52:54:00:AA:BB:01".into(), 1),
            ("?address=52:54:00:aa:bb:02".into(), 0),
            ("?shard=S1,x".into(), 1),
            ("?shard=x".into(), 0),
            ("?conductor_groups=g".into(), 0),
            ("?detail=true".into(), 1),
            ("/detail".into(), 1),
        ] {
            let list = service.get(&format!("/v1/ports{query}"), 115).await.json();
            assert_eq!(list["ports"].as_array().unwrap().len(), count, "{query}");
        }
        let both = service.get("/v1/ports?node=n1&shard=s1", 115).await;
        assert_eq!(
            (both.status.as_u16(), both.fault().as_str()),
            (403, "Operation not permitted.")
        );
        let next = service.get("/v1/ports?limit=1", 115).await.json();
        assert_eq!(
            next["next"],
            format!(
                "http://h:6385/v1/ports?sort_key=id&sort_dir=asc&fields=uuid,address&limit=1&marker={UUID}"
            )
        );
    }

    #[tokio::test]
    async fn below_a_node_only_its_uuid_counts() {
        let (service, node) = service().await;
        let list = service
            .get(&format!("/v1/nodes/{node}/ports?limit=1"), 1)
            .await;
        let list = list.json();
        assert_eq!(list["ports"][0]["uuid"], UUID);
        assert!(
            list["next"]
                .as_str()
                .unwrap()
                .starts_with("http://h:6385/v1/ports?")
        );
        let by_name = service.get("/v1/nodes/n1/ports/detail", 115).await;
        assert_eq!(by_name.fault(), "Portgroup None could not be found.");
        let single = service
            .get(&format!("/v1/nodes/{node}/ports/{UUID}"), 115)
            .await;
        assert_eq!(single.fault(), "Malformed request URI.");
    }

    #[tokio::test]
    async fn patches_change_a_port() {
        let (service, _) = service().await;
        let patched = patch(
            &service,
            115,
            json!([
                {"op": "add", "path": "/extra/a", "value": 1},
                {"op": "remove", "path": "/name"},
                {"op": "remove", "path": "/node_uuid"},
                {"op": "remove", "path": "/local_link_connection"},
                {"op": "remove", "path": "/pxe_enabled"},
                {"op": "replace", "path": "/is_smartnic", "value": "true"},
                {"op": "add", "path": "/available_for_dynamic_portgroup", "value": false},
            ]),
        )
        .await;
        assert_eq!(patched.status.as_u16(), 200, "{patched:?}");
        let port = patched.json();
        assert_eq!(port["extra"], json!({"a": 1}));
        assert_eq!(port["name"], Value::Null);
        assert_eq!(port["local_link_connection"], json!({}));
        assert_eq!(
            (&port["pxe_enabled"], &port["is_smartnic"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(port["available_for_dynamic_portgroup"], false);
    }

    #[tokio::test]
    async fn a_patch_that_changes_nothing_leaves_no_trace() {
        let (service, _) = service().await;
        let port = patch(&service, 115, json!([])).await.json();
        assert_eq!(port["updated_at"], Value::Null);
    }

    #[tokio::test]
    async fn a_patch_is_tried_again_when_somebody_was_faster() {
        let (service, node) = service().await;
        let stale = Fault::Stale(node);
        service.conductor.refusals.lock().unwrap().push(stale);
        let ops = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
        assert_eq!(patch(&service, 115, ops).await.status.as_u16(), 200);
    }

    #[tokio::test]
    async fn patches_are_refused_in_order() {
        let (service, _) = service().await;
        let replace =
            |path: &str, value: Value| json!([{"op": "replace", "path": path, "value": value}]);
        for (minor, ops, status, text) in [
            (
                115,
                replace("/uuid", json!("x")),
                400,
                "Cannot patch /uuid. Only the following can be updated: address, extra,",
            ),
            (
                18,
                replace("/pxe_enabled", json!(true)),
                406,
                "Request not acceptable.",
            ),
            (
                115,
                replace("/node_uuid", json!("nope")),
                400,
                "Unable to apply the requested node_uuid 'nope'.",
            ),
            (
                115,
                json!([{"op": "remove", "path": "/address"}]),
                400,
                "Schema error for patch: 'address' is a required property",
            ),
            (
                115,
                replace("/address", json!("zz")),
                400,
                "Expected valid MAC address for address: zz",
            ),
            (
                115,
                replace("/portgroup_uuid", json!(UUID)),
                400,
                "Portgroup eeeeeeee-",
            ),
            (
                115,
                replace("/physical_network", json!("")),
                400,
                "A non-empty value is required",
            ),
            (
                115,
                replace("/pxe_enabled", Value::Null),
                400,
                "Field `pxe_enabled' cannot be None",
            ),
        ] {
            let answer = patch(&service, minor, ops.clone()).await;
            assert_eq!(answer.status.as_u16(), status, "{ops}: {answer:?}");
            assert!(
                answer.fault().starts_with(text),
                "{ops}: {}",
                answer.fault()
            );
        }
    }

    #[tokio::test]
    async fn ports_of_a_node_under_inspection_stay_as_they_are() {
        let (service, _) = service().await;
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.provision_state = ProvisionState::Inspecting;
        let node = service.store_node(node).await.id;
        let body = json!({"node_uuid": node.to_string(), "address": "52:54:00:aa:bb:09"});
        let made = service.send("POST", "/v1/ports", 115, body).await.json();
        let path = format!("/v1/ports/{}", made["uuid"].as_str().unwrap());
        let ops = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
        for (minor, status) in [(39, 409), (38, 200)] {
            let answer = service.send("PATCH", &path, minor, ops.clone()).await;
            assert_eq!(answer.status.as_u16(), status, "1.{minor}");
        }
    }

    #[tokio::test]
    async fn creation_is_refused_in_order() {
        let (service, node) = service().await;
        let mac = "52:54:00:aa:bb:02";
        let node = node.to_string();
        for (minor, body, status, text) in [
            (
                115,
                json!({"address": mac}),
                400,
                "Schema error for port: {'address': '52:54:00:aa:bb:02'} is not valid under any of the given schemas. Possible root cause: 'node_ident' is a required property",
            ),
            (
                115,
                json!({"address": mac, "node_uuid": node, "node_ident": "n1"}),
                400,
                "is valid under each of {'required': ['node_uuid']}, {'required': ['node_ident']}",
            ),
            (
                93,
                json!({"address": mac, "node_ident": "n1"}),
                406,
                "Request not acceptable.",
            ),
            (
                115,
                json!({"address": mac, "node_ident": "nope"}),
                400,
                "Node None could not be found.",
            ),
            (
                115,
                json!({"address": mac, "node_uuid": UUID}),
                400,
                "could not be found.",
            ),
            (
                23,
                json!({"address": mac, "node_uuid": node, "portgroup_uuid": null}),
                406,
                "Request not acceptable.",
            ),
            (
                63,
                json!({"address": mac, "node_uuid": node, "local_link_connection": {"network_type": "unmanaged"}}),
                406,
                "Request not acceptable.",
            ),
            (
                115,
                json!({"address": mac, "node_uuid": node, "is_smartnic": true, "local_link_connection": {}}),
                400,
                "Smart NIC port must have port_id and hostname in local_link_connection",
            ),
        ] {
            let answer = service.send("POST", "/v1/ports", minor, body.clone()).await;
            assert_eq!(answer.status.as_u16(), status, "{body}: {answer:?}");
            assert!(answer.fault().ends_with(text), "{body}: {}", answer.fault());
        }
    }

    #[tokio::test]
    async fn deletion_takes_a_uuid() {
        let (service, _) = service().await;
        let by_name = service
            .send("DELETE", "/v1/ports/eth0", 115, Value::Null)
            .await;
        assert_eq!(by_name.fault(), "Expected UUID for port_uuid: eth0");
        let path = format!("/v1/ports/{UUID}");
        let deleted = service.send("DELETE", &path, 115, Value::Null).await;
        assert_eq!(deleted.status.as_u16(), 204);
        assert_eq!(service.get(&path, 115).await.status.as_u16(), 404);
    }
}
