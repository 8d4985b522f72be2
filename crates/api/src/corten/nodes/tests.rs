//! Lists, counts, maps and failures over HTTP.

use crate::{
    Settings, WaitLimits,
    testing::{Answer, Service},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::node::Log;
use types::{Node, NodeId, Port, PortId, ProvisionState, Timestamp};

const LATE: i64 = 1_000_000_000;

fn node(name: &str, state: ProvisionState) -> Node {
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.name = Some(name.into());
    node.provision_state = state;
    node.provision_updated_at = Some(Timestamp(Timestamp::now().0 - LATE));
    node.driver_info = types::JsonMap::from_iter([("ipmi_address".into(), json!("10.9.9.9"))]);
    node
}

fn with_error(mut node: Node, text: &str) -> Node {
    node.last_error = Some(text.into());
    node
}

/// Four nodes: one of `p1` that is leased to `p2` and failed, and three without an owner.
async fn fill(service: &Service) {
    let mut shared = node("Gpu-1", ProvisionState::DeployFailed);
    (shared.owner, shared.lessee) = (Some("p1".into()), Some("p2".into()));
    shared.resource_class = Some("gpu".into());
    let shared = with_error(shared, "the secret broke at 10.9.9.9");
    let shared = service.store_node(shared).await;
    let mac = "52:54:00:00:00:01".parse().unwrap();
    let port = Port::new(PortId::generate(), shared.id, mac);
    store::port::insert(&service.db, port, Log::default())
        .await
        .unwrap();
    service
        .store_node(node("web-1", ProvisionState::Active))
        .await;
    service
        .store_node(node("web-2", ProvisionState::DeployWait))
        .await;
    let other = with_error(
        node("web-3", ProvisionState::CleanFailed),
        "the secret broke at 7",
    );
    service.store_node(other).await;
}

fn limits() -> WaitLimits {
    WaitLimits(BTreeMap::from([(ProvisionState::DeployWait, 1800)]))
}

async fn service() -> Service {
    let service = Service::with(Settings {
        wait_limits: limits(),
        ..Settings::default()
    });
    fill(&service).await;
    service
}

fn names(answer: &Answer) -> Vec<String> {
    let document = answer.json();
    let nodes = document["nodes"].as_array();
    let nodes = nodes.unwrap_or_else(|| panic!("{}", answer.text));
    let name = |node: &Value| node["name"].as_str().unwrap().to_owned();
    nodes.iter().map(name).collect()
}

#[tokio::test]
async fn nodes_are_found_sorted_and_cut() {
    let service = service().await;
    for (query, expected, total) in [
        ("", "Gpu-1 web-1 web-2 web-3", 4),
        ("?q=web", "web-1 web-2 web-3", 3),
        ("?q=web&limit=1&offset=1", "web-2", 3),
        ("?sort=-name&limit=2", "web-3 web-2", 4),
        ("?q=state:failed&sort=provision_state", "web-3 Gpu-1", 2),
        ("?q=nothing", "", 0),
    ] {
        let answer = service.get(&format!("/corten/v1/nodes{query}"), 1).await;
        assert_eq!(answer.json()["total"], total, "{query}");
        assert_eq!(names(&answer).join(" "), expected, "{query}");
    }
    let fields = "/corten/v1/nodes?q=gpu&fields=name,macs,bmc,cause,last_error,look,conductor";
    let shown = service.get(fields, 1).await.json();
    assert_eq!(
        shown["nodes"][0],
        json!({
            "name": "Gpu-1",
            "macs": ["52:54:00:00:00:01"],
            "bmc": "10.9.9.9",
            "cause": {
                "kind": "failed",
                "code": shown["nodes"][0]["cause"]["code"],
                "sentence": "the secret broke at …",
            },
            "last_error": "the secret broke at 10.9.9.9",
            "look": "failed",
            "conductor": "cond1",
        })
    );
    for wrong in [
        "sort=colour",
        "fields=colour",
        "limit=x",
        "offset=x",
        "colour=1",
    ] {
        let answer = service.get(&format!("/corten/v1/nodes?{wrong}"), 1).await;
        assert_eq!(answer.status, 400, "{wrong}");
    }
}

#[tokio::test]
async fn a_mistake_in_a_query_is_named_with_its_place() {
    let service = service().await;
    for path in ["nodes", "fleet", "fleet/map", "failures"] {
        let path = format!("/corten/v1/{path}?q=class:gpu%20stat:failed");
        let answer = service.get(&path, 1).await;
        assert_eq!(answer.status, 400, "{path}");
        let wrong = &answer.json()["query_error"];
        assert_eq!(wrong["word"], "stat:failed");
        assert_eq!((&wrong["start"], &wrong["end"]), (&json!(10), &json!(21)));
        assert_eq!(wrong["suggestion"], "state:failed");
        assert!(answer.fault().contains("\"state\" was probably meant"));
    }
}

#[tokio::test]
async fn a_fleet_is_counted_and_drawn() {
    let service = service().await;
    let fleet = service
        .get("/corten/v1/fleet?by=resource_class", 1)
        .await
        .json();
    assert_eq!(
        (&fleet["total"], &fleet["looks"]["failed"]),
        (&json!(4), &json!(2))
    );
    assert_eq!(fleet["states"]["wait call-back"], 1);
    let groups = fleet["groups"].as_array().unwrap();
    let of = |at: usize| (&groups[at]["name"], &groups[at]["q"], &groups[at]["total"]);
    assert_eq!(of(0), (&json!("gpu"), &json!("class:gpu"), &json!(1)));
    assert_eq!(of(1), (&Value::Null, &json!("class:\"\""), &json!(3)));
    let none = service.get("/corten/v1/fleet", 1).await.json();
    assert_eq!((&none["by"], &none["groups"]), (&Value::Null, &json!([])));
    let map = service.get("/corten/v1/fleet/map", 1).await;
    let groups = &map.json()["groups"];
    assert_eq!(groups[0]["cells"], "f1");
    assert_eq!(groups[1]["cells"], "u1q1f1");
    let wrong = service.get("/corten/v1/fleet/map?by=colour", 1).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.fault().contains("resource_class"), "{}", wrong.text);
}

#[tokio::test]
async fn a_map_that_did_not_change_is_not_sent_again() {
    let service = service().await;
    let ask = async |tag: &str| {
        let request = axum::http::Request::builder()
            .uri("/corten/v1/fleet/map")
            .header("if-none-match", tag)
            .body(axum::body::Body::empty());
        service.request(request.unwrap()).await
    };
    let first = ask("").await;
    let tag = first.header("etag").to_owned();
    assert!(!tag.is_empty());
    let again = ask(&tag).await;
    assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""));
    service
        .store_node(node("web-4", ProvisionState::Active))
        .await;
    assert_eq!(ask(&tag).await.status, 200);
}

#[tokio::test]
async fn failures_are_grouped_by_cause() {
    let service = service().await;
    let failures = service.get("/corten/v1/failures", 1).await.json();
    assert_eq!(failures["total"], 3);
    assert_eq!(
        failures["kinds"],
        json!({"failed": 2, "fault": 0, "stuck": 1, "error": 0})
    );
    let causes = failures["causes"].as_array().unwrap();
    assert_eq!(causes.len(), 2);
    assert_eq!(causes[0]["sentence"], "the secret broke at …");
    assert_eq!(
        (&causes[0]["count"], &causes[0]["nodes"][0]["name"]),
        (&json!(2), &json!("Gpu-1"))
    );
    assert_eq!(causes[1]["code"], "stuck_deploy");
    assert!(causes[1]["advice"].as_str().unwrap().contains("boot log"));
    for cause in causes {
        let query = cause["q"].as_str().unwrap();
        let path = format!("/corten/v1/nodes?q={query}");
        let listed = service.get(&path, 1).await.json();
        assert_eq!(listed["total"], cause["count"], "{query}");
    }
}

#[tokio::test]
async fn a_project_sees_its_own_and_a_lessee_no_errors_and_no_addresses() {
    let service = Service::guarded();
    fill(&service).await;
    let get = async |persona: &str, path: &str| {
        let answer = service.get_as(persona, &format!("/corten/v1/{path}")).await;
        assert_eq!(answer.status, 200, "{persona} {path}: {}", answer.text);
        answer
    };
    assert_eq!(get("reader@system", "nodes").await.json()["total"], 4);
    for project in ["reader@p1", "reader@p2"] {
        assert_eq!(names(&get(project, "nodes").await), ["Gpu-1"]);
        assert_eq!(get(project, "fleet").await.json()["total"], 1);
        let map = get(project, "fleet/map?by=resource_class").await.json();
        assert_eq!(map["total"], 1);
        assert_eq!(get(project, "failures").await.json()["total"], 1);
    }
    assert_eq!(get("reader@p3", "nodes").await.json()["total"], 0);
    let asked = "nodes?fields=name,bmc,last_error,cause";
    let owner = get("reader@p1", asked).await.json();
    assert_eq!(owner["nodes"][0]["bmc"], "10.9.9.9");
    for path in [asked, "failures"] {
        let lessee = get("reader@p2", path).await;
        assert!(
            !lessee.text.contains("secret") && !lessee.text.contains("10.9"),
            "{}",
            lessee.text
        );
    }
    let hidden = get("reader@p2", "failures").await.json();
    assert_eq!(hidden["causes"][0]["code"], "hidden");
    assert_eq!(hidden["causes"][0]["count"], 1);
    for query in ["error:*secret*", "bmc:10.9*", "10.9.9", "cause:other*"] {
        let path = format!("nodes?q={query}");
        assert_eq!(get("reader@p1", &path).await.json()["total"], 1, "{query}");
        assert_eq!(get("reader@p2", &path).await.json()["total"], 0, "{query}");
    }
    for path in ["nodes", "fleet", "fleet/map", "failures"] {
        let path = format!("/corten/v1/{path}");
        assert_eq!(
            service.get_as("nothing@p1", &path).await.status,
            403,
            "{path}"
        );
    }
}
