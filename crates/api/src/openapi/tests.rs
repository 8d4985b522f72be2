//! The document against the tables and handlers that it tells about.

use super::{
    document,
    operation::{Body, OPERATIONS, Operation},
    resource::RESOURCES,
    shape,
};
use crate::{
    route::Method,
    route_table::ROUTES,
    testing::{Service, allowed},
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use types::{PowerTarget, Verb};

/// A service with one of everything, and what each placeholder of a path may stand for.
async fn sample() -> (Service, Vec<(&'static str, String)>) {
    let service = Service::new();
    let mut idents = vec![
        ("vif", "7c3c4e4e-3c1f-4a5d-8f43-0f1d7c6f0001".to_owned()),
        ("trait", "CUSTOM_A".to_owned()),
        ("method", "first".to_owned()),
        ("event", "7c3c4e4e-3c1f-4a5d-8f43-0f1d7c6f0001".to_owned()),
        ("setting", "virt".to_owned()),
        ("component", "bmc".to_owned()),
        ("device", "cdrom".to_owned()),
        ("indicator", "led@chassis".to_owned()),
        ("fields", "uuid".to_owned()),
        ("part", "uuid".to_owned()),
        ("driver", "fake-hardware".to_owned()),
        ("conductor", "cond1".to_owned()),
        ("shard", "s".to_owned()),
    ];
    let mut create = async |name: &'static str, path: &str, body: Value| {
        let created = service.send("POST", path, 115, body).await;
        assert_eq!(created.status, 201, "{path}: {created:?}");
        let made = created.json();
        // Users and groups are known by their names.
        let ident = made.get("uuid").unwrap_or(&made["name"]).as_str();
        let ident = ident.unwrap().to_owned();
        idents.push((name, ident.clone()));
        ident
    };
    let node = json!({"driver": "fake-hardware", "name": "n1"});
    let node = create("node", "/v1/nodes", node).await;
    create("chassis", "/v1/chassis", json!({})).await;
    let address = "52:54:00:00:00:01";
    create(
        "port",
        "/v1/ports",
        json!({"node_uuid": node, "address": address}),
    )
    .await;
    create("portgroup", "/v1/portgroups", json!({"node_uuid": node})).await;
    let connector = json!({"node_uuid": node, "type": "iqn", "connector_id": "iqn.1"});
    create("connector", "/v1/volume/connectors", connector).await;
    let target =
        json!({"node_uuid": node, "volume_type": "iscsi", "volume_id": "v", "boot_index": 0});
    create("target", "/v1/volume/targets", target).await;
    let step = json!({"interface": "deploy", "step": "s", "args": {}, "priority": 1});
    create(
        "template",
        "/v1/deploy_templates",
        json!({"name": "CUSTOM_T", "steps": [step]}),
    )
    .await;
    let step = json!({"interface": "deploy", "step": "s", "args": {}, "order": 1});
    create(
        "runbook",
        "/v1/runbooks",
        json!({"name": "CUSTOM_R", "steps": [step]}),
    )
    .await;
    let rule = json!({"actions": [{"op": "fail", "args": {"msg": "m"}}]});
    create("rule", "/v1/inspection_rules", rule).await;
    create(
        "allocation",
        "/v1/allocations",
        json!({"resource_class": "c"}),
    )
    .await;
    let webhook = json!({"url": "http://127.0.0.1:9/"});
    create("webhook", "/corten/v1/webhooks", webhook).await;
    let image = json!({"name": "debian", "url": "http://127.0.0.1:9/"});
    create("image", "/corten/v1/images", image).await;
    let network = json!({"name": "rack1", "prefix": "10.0.0.0/24"});
    let made = service
        .send("POST", "/corten/v1/networks", 115, network)
        .await;
    assert_eq!(made.status, 201, "{made:?}");
    let wanted = json!({"port": "52:54:00:00:00:99", "address": "10.0.0.9"});
    let path = "/corten/v1/networks/rack1/reservations";
    let made = service.send("POST", path, 115, wanted).await;
    assert_eq!(made.status, 201, "{made:?}");
    let batch = json!({"action": "power", "arguments": {"target": "power on"}, "nodes": [node]});
    create("batch", "/corten/v1/batches", batch).await;
    create("user", "/corten/v1/users", json!({"name": "ada"})).await;
    create("group", "/corten/v1/groups", json!({"name": "ops"})).await;
    let role = json!({"user": "ada", "role": "admin", "system": true});
    service.send("PUT", "/corten/v1/roles", 115, role).await;
    let member = "/corten/v1/groups/ops/members/ada";
    service.send("PUT", member, 115, Value::Null).await;
    let token = json!({"user": "ada", "name": "ci"});
    create("token", "/corten/v1/tokens", token).await;
    idents.push(("certificate", certificate(&service, &node).await));
    let path = "/corten/v1/baselines/gold";
    let baseline = json!({"firmware": {"bmc": "1"}});
    let made = service.send("PUT", path, 115, baseline).await;
    assert_eq!(made.status, 200, "{made:?}");
    idents.push(("resource_class", "gold".to_owned()));
    idents.push(("network", "rack1".to_owned()));
    idents.push(("address", "10.0.0.9".to_owned()));
    (service, idents)
}

/// An erase certificate of the node.
async fn certificate(service: &Service, node: &str) -> String {
    let node = store::node::find(&service.db, node.parse().unwrap()).await;
    let node = node.unwrap().unwrap();
    let signature = service.db.keys().sign(b"{}").unwrap();
    let certificate = types::erasure::EraseCertificate {
        row: 0,
        id: types::CertificateId::generate(),
        node: node.id,
        node_name: None,
        issued_at: types::Timestamp::now(),
        document: "{}".to_owned(),
        signature,
    };
    let id = certificate.id.to_string();
    let log = store::node::Log {
        certificates: vec![certificate],
        ..store::node::Log::default()
    };
    let saved = store::node::save(&service.db, node, store::node::Fence::Free, log);
    saved.await.unwrap();
    id
}

fn filled(path: &str, idents: &[(&'static str, String)]) -> String {
    let mut path = path.to_owned();
    for (name, ident) in idents {
        path = path.replace(&format!("{{{name}}}"), ident);
    }
    assert!(!path.contains('{'), "{path}");
    path
}

fn operations() -> impl Iterator<Item = &'static Operation> {
    OPERATIONS.iter().copied().flatten()
}

/// Rows that only refuse, or repeat another row in an odd way of Ironic.
fn is_left_out(method: Method, path: &str) -> bool {
    let odd = [
        "nodes/{node}/detail",
        "chassis/nodes",
        "drivers/properties",
        "drivers/{driver}/vendor_passthru",
        "events/{event}",
        "shards/{shard}",
        "corten/v1/openapi",
        "chassis/{chassis}/nodes/{fields}",
        "heartbeat",
        "portgroups/{portgroup}/detail",
        "portgroups/{portgroup}/ports/{port}",
    ];
    let collections = [
        "nodes",
        "ports",
        "portgroups",
        "chassis",
        "volume/connectors",
        "volume/targets",
        "deploy_templates",
        "runbooks",
        "inspection_rules",
        "allocations",
    ];
    let (parent, last) = path.rsplit_once('/').unwrap_or(("", path));
    let is_collection = collections.contains(&path);
    odd.contains(&path)
        || (is_collection && matches!(method, Method::Patch | Method::Delete))
        // Creation at the address of a resource.
        || (collections.contains(&parent) && last.starts_with('{') && method == Method::Post)
        // The rest of a path taken for fields.
        || last == "{part}"
        || last == "{fields}"
        // What stands below a node is changed at its own address.
        || path.starts_with("nodes/{node}/ports/{")
        || path.starts_with("nodes/{node}/portgroups/{")
        || path.starts_with("nodes/{node}/volume/connectors/{")
        || path.starts_with("nodes/{node}/volume/targets/{")
        || (method == Method::Post && path == "nodes/{node}/vmedia/{device}")
        || (method == Method::Post && path == "nodes/{node}/vifs/{vif}")
        || (method == Method::Delete && path == "nodes/{node}/vifs")
        || (matches!(method, Method::Patch | Method::Delete)
            && ["ports", "portgroups", "volume/connectors", "volume/targets"]
                .iter()
                .any(|list| path.strip_prefix("nodes/{node}/") == Some(*list)))
        || (method == Method::Post
            && (path.starts_with("nodes/{node}/port") || path.starts_with("nodes/{node}/volume")))
        || (method != Method::Get && path == "portgroups/{portgroup}/ports")
        || (method != Method::Get && path == "chassis/{chassis}/nodes")
}

#[test]
fn every_route_is_told_about_once() {
    let rows: BTreeSet<(Method, &str)> = ROUTES
        .iter()
        .flat_map(|route| {
            route
                .methods
                .iter()
                .map(|(method, _)| (*method, route.path))
        })
        .filter(|(method, path)| !is_left_out(*method, path))
        .collect();
    let told: Vec<(Method, &str)> = operations()
        .map(|operation| (operation.method, operation.path))
        .filter(|(_, path)| !matches!(*path, "" | "v1"))
        .collect();
    let unique: BTreeSet<(Method, &str)> = told.iter().copied().collect();
    assert_eq!(unique.len(), told.len(), "an operation is there twice");
    let missing: Vec<_> = rows.difference(&unique).collect();
    let invented: Vec<_> = unique.difference(&rows).collect();
    assert!(missing.is_empty(), "not in the document: {missing:?}");
    assert!(invented.is_empty(), "not in the route table: {invented:?}");
}

#[tokio::test]
async fn arguments_are_those_that_handlers_take() {
    let (service, idents) = sample().await;
    let mut wrong = BTreeMap::new();
    // What removes things comes last.
    let (last, first): (Vec<&Operation>, Vec<_>) =
        operations().partition(|o| o.method == Method::Delete);
    for operation in first.into_iter().chain(last) {
        let path = filled(&operation.full_path(), &idents);
        // This one looks for the allocation first, and the sample has none for the node.
        if operation.path == "nodes/{node}/allocation" {
            continue;
        }
        allowed();
        let method = operation.method.as_str();
        let answer = service.send(method, &path, 115, Value::Null).await;
        let mut taken = allowed();
        // Lists of volumes know this one only to refuse it as a value, as Ironic does.
        if operation.path.contains("volume/") {
            taken.remove("project");
        }
        let body: &[&str] = match operation.body {
            Body::Named { names, .. } => names,
            _ => &[],
        };
        let named = operation.query.iter().chain(body);
        let named: BTreeSet<String> = named.map(|&name| name.to_owned()).collect();
        if taken != named {
            wrong.insert(format!("{method} {path}: {}", answer.text), (taken, named));
        }
    }
    assert!(wrong.is_empty(), "taken and documented: {wrong:#?}");
}

#[tokio::test]
async fn unknown_arguments_are_refused_and_known_ones_are_not() {
    let (service, idents) = sample().await;
    for operation in operations().filter(|operation| operation.method == Method::Get) {
        let path = filled(&operation.full_path(), &idents);
        for name in operation.query {
            let answer = service.get(&format!("{path}?{name}=1"), 115).await;
            let refused = answer.text.contains("Unexpected arguments");
            assert!(!refused, "{path} {name}: {answer:?}");
        }
        // The version documents and a few others take no notice.
        let careless = ["", "v1", "nodes/{node}/management/indicators"];
        if careless.contains(&operation.path) || operation.path.contains("vendor_passthru") {
            continue;
        }
        let answer = service.get(&format!("{path}?zzz=1"), 115).await;
        let is_missing = service.get(&path, 115).await.status == 404;
        assert!(answer.status == 400 || is_missing, "{path}: {answer:?}");
    }
}

#[test]
fn every_field_has_a_type_and_every_argument_a_form() {
    for resource in RESOURCES {
        for (name, _) in (resource.fields)() {
            assert!(
                shape::field(resource.name, &name).is_some(),
                "{}: {name}",
                resource.name
            );
        }
    }
    for operation in operations() {
        let body: &[&str] = match operation.body {
            Body::Named { names, .. } => names,
            _ => &[],
        };
        for name in operation.query.iter().chain(body) {
            assert!(
                super::argument::schema(operation.path, name).is_some(),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn the_document_is_whole_and_open_to_everybody() {
    let service = Service::new();
    for (path, minor) in [
        ("/corten/v1/openapi.json", 1),
        ("/corten/v1/openapi.json", 115),
    ] {
        let answer = service.get(path, minor).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert_eq!(answer.json(), document());
    }
    let document = document();
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id), "{method} {path}: {id} is there twice");
        }
    }
    assert_eq!(ids.len(), operations().count());
    // Every reference leads somewhere.
    let text = document.to_string();
    for rest in text.split(r##""$ref":"#"##).skip(1) {
        let pointer = rest.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}

#[test]
fn words_are_those_of_the_service() {
    let targets: Vec<&str> = PowerTarget::ALL.iter().map(|t| t.as_str()).collect();
    assert_eq!(super::argument::POWER_TARGETS, targets);
    // Two verbs have other words here, as states to be reached.
    let verbs = super::argument::VERBS.iter().copied();
    let spoken: BTreeSet<&str> = verbs
        .filter(|word| !matches!(*word, "active" | "deleted" | "undeploy"))
        .collect();
    let user_verbs = Verb::ALL.iter().filter(|verb| verb.is_user_verb());
    let known: BTreeSet<&str> = user_verbs
        .map(|verb| verb.as_str())
        .filter(|word| *word != "delete")
        .collect();
    assert_eq!(spoken, known);
}
