//! Port groups over HTTP, with a conductor that agrees to everything.

use crate::testing::{Answer, Service};
use serde_json::{Value, json};
use types::{Node, NodeId, ProvisionState};

const UUID: &str = "dddddddd-dddd-dddd-dddd-dddddddddddd";
const PORT: &str = "eeeeeeee-eeee-eeee-eeee-eeeeeeeeeeee";

/// A node called `n1` with a port group called `bond0`.
async fn service() -> (Service, NodeId) {
    let service = Service::new();
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.name = Some("n1".into());
    node.shard = Some("s1".into());
    let node = service.store_node(node).await.id;
    let body = json!({"uuid": UUID, "node_uuid": node.to_string(), "name": "bond0",
        "address": "52:54:00:AA:BB:01", "standalone_ports_supported": "no",
        "physical_network": "pn"});
    let answer = service.send("POST", "/v1/portgroups", 115, body).await;
    assert_eq!(answer.status.as_u16(), 201, "{answer:?}");
    assert_eq!(
        answer.header("location"),
        format!("http://h:6385/v1/portgroups/{UUID}")
    );
    (service, node)
}

async fn add_port(service: &Service, node: NodeId, more: Value) -> Answer {
    let mut body = json!({"uuid": PORT, "node_uuid": node.to_string(), "portgroup_uuid": UUID,
        "address": "52:54:00:00:00:01", "pxe_enabled": false});
    let map = body.as_object_mut().unwrap();
    map.extend(more.as_object().unwrap().clone());
    service.send("POST", "/v1/ports", 115, body).await
}

#[tokio::test]
async fn single_documents_hide_what_came_later() {
    let (service, node) = service().await;
    for (minor, keys) in [
        (23, 11),
        (26, 13),
        (102, 14),
        (103, 15),
        (110, 15),
        (111, 16),
    ] {
        let shown = service.get("/v1/portgroups/bond0", minor).await.json();
        assert_eq!(shown.as_object().unwrap().len(), keys, "1.{minor}");
    }
    let shown = service.get(&format!("/v1/portgroups/{UUID}"), 115).await;
    let shown = shown.json();
    assert_eq!(shown["address"], "52:54:00:aa:bb:01");
    assert_eq!(shown["mode"], "active-backup");
    assert_eq!(shown["standalone_ports_supported"], false);
    assert_eq!(shown["node_uuid"], node.to_string());
    let detail = service.get("/v1/portgroups/detail", 23).await.json();
    assert_eq!(detail["portgroups"][0], shown);
    let part = service.get("/v1/portgroups/bond0/mode", 115).await.json();
    assert_eq!(part["mode"], "active-backup");
}

#[tokio::test]
async fn lists_are_filtered_by_one_thing_at_a_time() {
    let (service, node) = service().await;
    for (query, count) in [
        (String::new(), 1),
        ("?node=n1".into(), 1),
        (format!("?node={node}"), 1),
        ("?address=52:54:00:AA:BB:01".into(), 1),
        ("?address=52:54:00:aa:bb:02".into(), 0),
        ("?shard=s1".into(), 1),
        ("?shard=x".into(), 0),
        ("?conductor_groups=g".into(), 0),
        ("?detail=true".into(), 1),
        ("/detail?node=n1".into(), 1),
    ] {
        let path = format!("/v1/portgroups{query}");
        let list = service.get(&path, 115).await.json();
        let found = list["portgroups"].as_array().unwrap().len();
        assert_eq!(found, count, "{query}");
    }
    let next = service.get("/v1/portgroups?limit=1", 115).await.json();
    assert_eq!(
        next["next"],
        format!(
            "http://h:6385/v1/portgroups?sort_key=id&sort_dir=asc&fields=uuid,address,name&limit=1&marker={UUID}"
        )
    );
    for (minor, query, status, text) in [
        (22, "", 404, "The API is not supported for this version"),
        (
            115,
            "?node=n1&shard=s1",
            400,
            "Filtering by node, address, or shard simultaneously is not supported.",
        ),
        (
            105,
            "?shard=s1",
            406,
            "Request not acceptable. The minimal required API version should be 1.106",
        ),
        (115, "?marker=zz", 400, "Schema error: 'zz' is not a 'uuid'"),
        (
            115,
            "?address=zz",
            400,
            "Schema error: 'zz' is not a 'mac-address'",
        ),
        (
            115,
            "?node=a%20b",
            400,
            "Schema error: 'a b' is not valid under any of the given schemas. Possible root cause: 'a b' is not a 'uuid'",
        ),
        (
            115,
            "?sort_dir=up",
            400,
            "Schema error: 'up' is not one of ['asc', 'desc']",
        ),
        (25, "?fields=mode", 406, "Request not acceptable."),
        (
            115,
            "?sort_key=properties",
            400,
            "The sort_key value properties is an invalid field for sorting",
        ),
        (
            115,
            "?marker=00000000-0000-0000-0000-000000000000",
            404,
            "Portgroup 00000000-0000-0000-0000-000000000000 could not be found.",
        ),
    ] {
        let answer = service.get(&format!("/v1/portgroups{query}"), minor).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text),
            "{query}"
        );
    }
}

#[tokio::test]
async fn below_a_node_only_its_uuid_counts() {
    let (service, node) = service().await;
    let base = format!("/v1/nodes/{node}/portgroups");
    let list = service.get(&base, 24).await.json();
    assert_eq!(list["portgroups"][0]["uuid"], UUID);
    let detail = service.get(&format!("{base}/detail"), 24).await.json();
    assert_eq!(detail["portgroups"][0]["name"], "bond0");
    for (path, minor, status, text) in [
        (base.clone(), 23, 404, ""),
        (
            "/v1/nodes/n1/portgroups".into(),
            115,
            404,
            "Portgroup None could not be found.",
        ),
        (format!("{base}/{UUID}"), 115, 400, "Malformed request URI."),
        (
            format!("{base}/{UUID}/ports"),
            115,
            403,
            "Operation not permitted.",
        ),
        (
            format!("{base}?shard=s1"),
            115,
            400,
            "Filtering by node, address, or shard simultaneously is not supported.",
        ),
    ] {
        let answer = service.get(&path, minor).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text),
            "{path}"
        );
    }
}

#[tokio::test]
async fn ports_of_a_group() {
    let (service, node) = service().await;
    assert_eq!(add_port(&service, node, json!({})).await.status, 201);
    for path in [
        format!("/v1/portgroups/{UUID}/ports"),
        format!("/v1/portgroups/{UUID}/ports/detail"),
        "/v1/ports?portgroup=bond0".into(),
        format!("/v1/ports?portgroup={UUID}"),
    ] {
        let list = service.get(&path, 115).await.json();
        assert_eq!(list["ports"][0]["uuid"], PORT, "{path}");
    }
    for (path, minor, status, text) in [
        (
            "bond0/ports",
            115,
            404,
            "Portgroup bond0 could not be found.",
        ),
        ("bond0/ports", 23, 404, ""),
        ("bond0/ports/x", 115, 400, "Malformed request URI."),
        ("bond0/detail", 115, 404, "Resource could not be found."),
        ("bond0/nope", 115, 400, "Field(s) \"nope\" are not valid"),
    ] {
        let answer = service.get(&format!("/v1/portgroups/{path}"), minor).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text),
            "{path}"
        );
    }
}

#[tokio::test]
async fn ports_enter_groups_of_their_own_node_only() {
    let (service, node) = service().await;
    let other = Node::new(NodeId::generate(), "fake-hardware");
    let other = service.store_node(other).await.id;
    let foreign = add_port(&service, other, json!({})).await;
    let text = "Port can not be added to a portgroup belonging to a different node.";
    assert_eq!(
        (foreign.status.as_u16(), foreign.fault().as_str()),
        (400, text)
    );
    let booting = add_port(&service, node, json!({"pxe_enabled": true})).await;
    assert_eq!(booting.status.as_u16(), 409);
    assert!(booting.fault().contains("doesn't support standalone ports"));
    let alone = add_port(&service, other, json!({"portgroup_uuid": null})).await;
    assert_eq!(alone.status.as_u16(), 201, "{alone:?}");
    for (value, text) in [
        (UUID, text),
        ("bond0", "Portgroup bond0 could not be found."),
    ] {
        let ops = json!([{"op": "add", "path": "/portgroup_uuid", "value": value}]);
        let path = format!("/v1/ports/{PORT}");
        let refused = service.send("PATCH", &path, 115, ops).await;
        assert_eq!(
            (refused.status.as_u16(), refused.fault().as_str()),
            (400, text)
        );
    }
}

#[tokio::test]
async fn the_network_of_a_member_is_that_of_its_group() {
    let (service, node) = service().await;
    let made = add_port(&service, node, json!({"portgroup_uuid": null})).await;
    assert_eq!(made.status.as_u16(), 201, "{made:?}");
    let path = format!("/v1/ports/{PORT}");
    let join = json!([
        {"op": "add", "path": "/portgroup_uuid", "value": UUID},
        {"op": "add", "path": "/physical_network", "value": "pn"},
    ]);
    let joined = service.send("PATCH", &path, 115, join).await;
    assert_eq!(joined.status.as_u16(), 200, "{joined:?}");
    let other = json!([{"op": "add", "path": "/physical_network", "value": "other"}]);
    let refused = service.send("PATCH", &path, 115, other).await;
    assert_eq!(
        (refused.status.as_u16(), refused.fault().as_str()),
        (
            400,
            "physical_network cannot be changed while the port belongs to a portgroup."
        )
    );
}

#[tokio::test]
async fn patches_change_a_port_group() {
    let (service, node) = service().await;
    let path = "/v1/portgroups/bond0";
    let same = service.send("PATCH", path, 115, json!([])).await.json();
    assert_eq!(same["updated_at"], Value::Null);
    let ops = json!([
        {"op": "remove", "path": "/address"},
        {"op": "replace", "path": "/mode", "value": "802.3ad"},
        {"op": "add", "path": "/properties/miimon", "value": "100"},
        {"op": "replace", "path": "/standalone_ports_supported", "value": "yes"},
        {"op": "remove", "path": "/node_uuid"},
        {"op": "remove", "path": "/physical_network"},
    ]);
    let patched = service.send("PATCH", path, 115, ops).await;
    assert_eq!(patched.status.as_u16(), 200, "{patched:?}");
    let shown = patched.json();
    assert_eq!(shown["address"], Value::Null);
    assert_eq!(shown["mode"], "802.3ad");
    assert_eq!(shown["properties"], json!({"miimon": "100"}));
    assert_eq!(shown["standalone_ports_supported"], true);
    assert_eq!(shown["node_uuid"], node.to_string());
    assert_eq!(shown["physical_network"], Value::Null);
    let unset = json!([{"op": "replace", "path": "/mode", "value": null}]);
    service.send("PATCH", path, 115, unset).await;
    let shown = service.get(path, 115).await.json();
    assert_eq!(shown["mode"], Value::Null);
}

#[tokio::test]
async fn patches_are_refused_in_order() {
    let (service, _) = service().await;
    let replace =
        |path: &str, value: Value| json!([{"op": "replace", "path": path, "value": value}]);
    let invalid_name = format!("Portgroup {UUID}: Cannot change name to invalid name 'a b'");
    for (minor, ops, status, text) in [
        (
            115,
            replace("/uuid", json!("x")),
            400,
            "Cannot patch /uuid. Only the following can be updated: address, extra, mode, name, node_uuid, properties, standalone_ports_supported, physical_network, category",
        ),
        (
            25,
            json!([{"op": "remove", "path": "/mode"}]),
            406,
            "Request not acceptable.",
        ),
        (
            115,
            json!([{"op": "remove", "path": "/mode"}]),
            400,
            "'mode' is a mandatory attribute and can not be removed",
        ),
        (115, replace("/name", json!("a b")), 400, &invalid_name),
        (
            115,
            replace("/node_uuid", json!("nope")),
            400,
            "Unable to apply the requested node_uuid 'nope'. Requested value was invalid.",
        ),
        (
            115,
            replace("/properties", json!(5)),
            400,
            "Schema error for patch: 5 is not of type 'object', 'null'",
        ),
        (
            115,
            replace("/address", json!("zz")),
            400,
            "Expected valid MAC address for address: zz",
        ),
        (
            22,
            json!([]),
            404,
            "The API is not supported for this version",
        ),
    ] {
        let path = format!("/v1/portgroups/{UUID}");
        let answer = service.send("PATCH", &path, minor, ops.clone()).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text),
            "{ops}"
        );
    }
}

#[tokio::test]
async fn groups_of_a_node_under_inspection_stay_as_they_are() {
    let (service, _) = service().await;
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.provision_state = ProvisionState::Inspecting;
    let node = service.store_node(node).await.id;
    let body = json!({"node_uuid": node.to_string(), "name": "g"});
    service.send("POST", "/v1/portgroups", 115, body).await;
    let ops = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
    for (minor, status) in [(39, 409), (38, 200)] {
        let answer = service
            .send("PATCH", "/v1/portgroups/g", minor, ops.clone())
            .await;
        assert_eq!(answer.status.as_u16(), status, "1.{minor}");
    }
}

#[tokio::test]
async fn creation_is_refused_in_order() {
    let (service, node) = service().await;
    let node = node.to_string();
    for (minor, body, status, text) in [
        (
            22,
            json!({}),
            404,
            "The API is not supported for this version",
        ),
        (
            115,
            json!({}),
            400,
            "Schema error for portgroup: 'node_uuid' is a required property",
        ),
        (
            115,
            json!({"node_uuid": "n1"}),
            400,
            "Expected UUID for node_uuid: n1",
        ),
        (
            115,
            json!({"node_uuid": PORT}),
            400,
            "Node eeeeeeee-eeee-eeee-eeee-eeeeeeeeeeee could not be found.",
        ),
        (
            115,
            json!({"node_uuid": node, "name": "a b"}),
            400,
            "Cannot create portgroup with invalid name 'a b'",
        ),
        (
            25,
            json!({"node_uuid": node, "mode": "802.3ad"}),
            406,
            "Request not acceptable.",
        ),
        (
            115,
            json!({"node_uuid": node, "dynamic_portgroup": true}),
            400,
            "Schema error for portgroup: Additional properties are not allowed ('dynamic_portgroup' was unexpected)",
        ),
    ] {
        let answer = service
            .send("POST", "/v1/portgroups", minor, body.clone())
            .await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text),
            "{body}"
        );
    }
    let early = json!({"node_uuid": node, "properties": {}, "mode": null});
    let made = service.send("POST", "/v1/portgroups", 25, early).await;
    assert_eq!(made.status.as_u16(), 201);
}

#[tokio::test]
async fn deletion_takes_a_name() {
    let (service, _) = service().await;
    let path = "/v1/portgroups/bond0";
    let deleted = service.send("DELETE", path, 115, Value::Null).await;
    assert_eq!(deleted.status.as_u16(), 204);
    let again = service.send("DELETE", path, 115, Value::Null).await;
    assert_eq!(again.fault(), "Portgroup bond0 could not be found.");
}
