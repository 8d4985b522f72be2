//! Volumes over HTTP, with a conductor that agrees to everything.

use crate::testing::Service;
use serde_json::{Value, json};
use types::{Fault, Node, NodeId};

const UUID: &str = "44444444-4444-4444-4444-444444444444";
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

async fn service() -> (Service, NodeId) {
    let service = Service::new();
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.name = Some("n1".into());
    let node = service.store_node(node).await.id;
    for (kind, body) in [
        (
            "connectors",
            json!({"uuid": UUID, "node_uuid": node.to_string(), "type": "iqn",
                "connector_id": "iqn.x:1"}),
        ),
        (
            "targets",
            json!({"uuid": UUID, "node_uuid": node.to_string(), "volume_type": "iscsi",
                "boot_index": 0, "volume_id": "v1",
                "properties": {"auth_password": "x", "target_iqn": "q"}}),
        ),
    ] {
        let path = format!("/v1/volume/{kind}");
        let made = service.send("POST", &path, 32, body).await;
        assert_eq!(made.status.as_u16(), 201, "{made:?}");
        assert_eq!(
            made.header("location"),
            format!("http://h:6385/v1/volume/{kind}/{UUID}")
        );
    }
    (service, node)
}

#[tokio::test]
async fn the_root_links_to_both() {
    let service = Service::new();
    let root = service.get("/v1/volume", 32).await.json();
    assert_eq!(root["links"][0]["href"], "http://h:6385/v1/volume/");
    assert_eq!(root["targets"][1]["href"], "http://h:6385/volume/targets");
    let below = service.get("/v1/nodes/nobody/volume", 32).await.json();
    assert_eq!(
        below["connectors"][0]["href"],
        "http://h:6385/v1/nodes/nobody/volume/connectors"
    );
    for path in ["/v1/volume", "/v1/nodes/n/volume"] {
        let early = service.get(path, 31).await;
        assert_eq!(early.status.as_u16(), 404);
        assert_eq!(early.fault(), "The API is not supported for this version");
    }
    assert_eq!(service.get("/v1/volume/targets", 31).await.fault(), "");
}

#[tokio::test]
async fn rows_are_shown_and_listed() {
    let (service, node) = service().await;
    for (kind, keys, default) in [("connectors", 8, 5), ("targets", 10, 6)] {
        let base = format!("/v1/volume/{kind}");
        let one = service.get(&format!("{base}/{UUID}"), 32).await.json();
        assert_eq!(one.as_object().unwrap().len(), keys);
        let list = service.get(&format!("{base}?limit=1"), 32).await.json();
        assert_eq!(list[kind][0].as_object().unwrap().len(), default);
        assert!(list["next"].as_str().unwrap().starts_with(&format!(
            "http://h:6385/v1/volume/{kind}?sort_key=id&sort_dir=asc&fields=uuid,node_uuid,"
        )));
        for path in [
            format!("{base}?detail=true"),
            format!("{base}?detail=true&node=n1"),
            format!("/v1/nodes/{node}/volume/{kind}?detail=true&node=nobody"),
        ] {
            let list = service.get(&path, 32).await.json();
            assert_eq!(list[kind][0], one, "{path}");
        }
        let part = service.get(&format!("{base}/{UUID}/extra"), 32).await;
        assert_eq!(part.json()["extra"], json!({}));
    }
    let target = service.get(&format!("/v1/volume/targets/{UUID}"), 32).await;
    assert_eq!(
        target.json()["properties"],
        json!({"auth_password": "******", "target_iqn": "q"})
    );
}

#[tokio::test]
async fn how_to_get_at_a_volume_is_for_administrators() {
    let service = Service::guarded();
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    (node.owner, node.lessee) = (Some("p1".into()), Some("p2".into()));
    let node = service.store_node(node).await.id.to_string();
    let body = json!({"uuid": UUID, "node_uuid": node, "volume_type": "iscsi", "boot_index": 0,
        "volume_id": "v1", "properties": {"target_iqn": "s3cret"}});
    let made = service.send_as("manager@p1", "POST", "/v1/volume/targets", body);
    assert_eq!(made.await.status, 201);
    let one = format!("/v1/volume/targets/{UUID}");
    for path in [
        one.clone(),
        format!("{one}?fields=properties"),
        "/v1/volume/targets?detail=true".into(),
        "/v1/volume/targets?fields=uuid,properties".into(),
        format!("/v1/nodes/{node}/volume/targets?detail=true"),
    ] {
        for (persona, shown) in [
            ("reader@system", true),
            ("admin@p1", true),
            ("manager@p1", false),
            ("member@p1", false),
            ("reader@p2", false),
        ] {
            let answer = service.get_as(persona, &path).await;
            assert_eq!(answer.status, 200, "{persona} {path}: {}", answer.text);
            let seen = answer.text.contains("s3cret");
            assert_eq!(seen, shown, "{persona} {path}: {}", answer.text);
            assert_ne!(seen, answer.text.contains("redacted_contents"));
        }
    }
    let patch = json!([{"op": "replace", "path": "/volume_id", "value": "v2"}]);
    let answer = service.send_as("member@p1", "PATCH", &one, patch).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(!answer.text.contains("s3cret"), "{}", answer.text);
    // What is not shown is kept all the same.
    let kept = service.get_as("admin@p1", &one).await.json();
    assert_eq!(kept["properties"]["target_iqn"], "s3cret");
}

#[tokio::test]
async fn queries_are_refused() {
    let (service, node) = service().await;
    let missing = format!("Volume target {NOBODY} could not be found.");
    let of_name = "Node n1 could not be found.".to_owned();
    for (path, status, text) in [
        (
            "volume/targets/n1",
            400,
            "Expected UUID for target_uuid: n1",
        ),
        (
            "volume/targets/00000000-0000-0000-0000-000000000000",
            404,
            &missing,
        ),
        (
            "volume/targets?marker=00000000-0000-0000-0000-000000000000",
            404,
            &missing,
        ),
        (
            "volume/connectors?detail=true&fields=uuid",
            400,
            "Can't fetch a subset of fields with 'detail' set",
        ),
        (
            "volume/connectors?fields=bogus",
            400,
            "Schema error: 'bogus' is not one of ['connector_id', 'created_at', 'extra', 'links', 'node_uuid', 'type', 'updated_at', 'uuid']",
        ),
        (
            "volume/connectors?sort_dir=up",
            400,
            "Schema error: 'up' is not one of ['asc', 'desc']",
        ),
        (
            "volume/targets?sort_key=properties",
            400,
            "The sort_key value properties is an invalid field for sorting",
        ),
        (
            "volume/connectors?sort_key=node_uuid",
            400,
            "The sort_key value \"node_uuid\" is an invalid field for sorting",
        ),
        ("nodes/n1/volume/targets", 404, &of_name),
        (
            &format!("nodes/{node}/volume/targets/{UUID}"),
            400,
            "Malformed request URI.",
        ),
    ] {
        let answer = service.get(&format!("/v1/{path}"), 115).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text),
            "{path}"
        );
    }
}

#[tokio::test]
async fn creation_is_refused_in_order() {
    let (service, node) = service().await;
    let node = node.to_string();
    for (kind, body, text) in [
        (
            "connectors",
            json!({}),
            "Schema error for connector: 'connector_id' is a required property".to_owned(),
        ),
        (
            "targets",
            json!({}),
            "Schema error for target: 'boot_index' is a required property".to_owned(),
        ),
        (
            "targets",
            json!({"node_uuid": node, "volume_type": "a", "volume_id": "b", "boot_index": "0"}),
            "Schema error for target: '0' is not of type 'integer'".to_owned(),
        ),
        (
            "connectors",
            json!({"node_uuid": "n1", "type": "a", "connector_id": "b"}),
            "Expected UUID for node_uuid: n1".to_owned(),
        ),
        (
            "connectors",
            json!({"node_uuid": NOBODY, "type": "a", "connector_id": "b"}),
            format!("Invalid input for field/attribute node_uuid. Value: '{NOBODY}'. "),
        ),
    ] {
        let path = format!("/v1/volume/{kind}");
        let answer = service.send("POST", &path, 115, body.clone()).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault()),
            (400, text),
            "{body}"
        );
    }
}

#[tokio::test]
async fn patches_change_all_but_the_uuid() {
    let (service, _) = service().await;
    let target = format!("/v1/volume/targets/{UUID}");
    let ops = json!([
        {"op": "replace", "path": "/boot_index", "value": 3.0},
        {"op": "add", "path": "/properties/c", "value": 1},
        {"op": "remove", "path": "/node_uuid"},
        {"op": "remove", "path": "/extra"},
    ]);
    let patched = service.send("PATCH", &target, 32, ops).await.json();
    assert_eq!(patched["boot_index"], 3);
    assert_eq!(
        patched["properties"],
        json!({"auth_password": "******", "target_iqn": "q", "c": 1})
    );
    let connector = format!("/v1/volume/connectors/{UUID}");
    let other = Node::new(NodeId::generate(), "fake-hardware");
    let other = service.store_node(other).await.id.to_string();
    let ops = json!([
        {"op": "replace", "path": "/type", "value": "mac"},
        {"op": "replace", "path": "/node_uuid", "value": other},
    ]);
    let patched = service.send("PATCH", &connector, 32, ops).await.json();
    assert_eq!(
        (&patched["type"], &patched["node_uuid"]),
        (&json!("mac"), &json!(other))
    );
    for (path, value, text) in [
        (
            "/uuid",
            json!("x"),
            "Cannot patch /uuid. Only the following can be updated: connector_id, extra, node_uuid, type",
        ),
        (
            "/node_uuid",
            json!("n1"),
            "Expected a UUID for node_uuid, but received n1.",
        ),
        (
            "/node_uuid",
            json!(NOBODY),
            "Unable to apply the requested node_uuid '00000000-0000-0000-0000-000000000000'. Requested value was invalid.",
        ),
        (
            "/type",
            Value::Null,
            "Schema error for patch: None is not of type 'string'",
        ),
    ] {
        let ops = json!([{"op": "replace", "path": path, "value": value}]);
        let answer = service.send("PATCH", &connector, 32, ops).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (400, text)
        );
    }
}

#[tokio::test]
async fn a_patch_is_tried_again_when_somebody_was_faster() {
    let (service, node) = service().await;
    let stale = Fault::Stale(node);
    service.conductor.refusals.lock().unwrap().push(stale);
    let path = format!("/v1/volume/connectors/{UUID}");
    let ops = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
    let patched = service.send("PATCH", &path, 32, ops).await;
    assert_eq!(patched.status.as_u16(), 200);
}

#[tokio::test]
async fn deletion() {
    let (service, _) = service().await;
    for kind in ["connectors", "targets"] {
        let base = format!("/v1/volume/{kind}");
        let path = format!("{base}/{UUID}");
        let deleted = service.send("DELETE", &path, 32, Value::Null).await;
        assert_eq!(deleted.status.as_u16(), 204);
        assert_eq!(service.get(&path, 32).await.status.as_u16(), 404);
        let all = service.send("DELETE", &base, 32, Value::Null).await;
        assert!(all.fault().starts_with("Missing mandatory parameter: "));
    }
}
