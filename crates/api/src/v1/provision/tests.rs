//! Which requests for a provision state are refused, and with what the others reach the conductor.

use super::*;
use crate::testing::Service;
use serde_json::json;

const STEP: &str = r#"{"interface": "deploy", "step": "x", "args": {}, "priority": 1}"#;

fn step() -> Value {
    serde_json::from_str(STEP).unwrap()
}

fn short_step() -> Value {
    json!({"interface": "deploy", "step": "x"})
}

async fn node(service: &Service, state: ProvisionState) -> Node {
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.name = Some("n1".into());
    node.provision_state = state;
    node.target_provision_state = state.default_target();
    service.store_node(node).await
}

async fn send(service: &Service, minor: u16, body: Value) -> crate::testing::Answer {
    let path = "/v1/nodes/n1/states/provision";
    service.send("PUT", path, minor, body).await
}

#[tokio::test]
async fn every_verb_reaches_the_conductor_with_its_arguments() {
    use ProvisionState as S;
    for (state, body, expected) in [
        (
            S::Enroll,
            json!({"target": "manage"}),
            r#""manage" {"verb":"manage"}"#,
        ),
        (
            S::Manageable,
            json!({"target": "provide"}),
            r#""provide" {"verb":"provide"}"#,
        ),
        (
            S::Manageable,
            json!({"target": "inspect"}),
            r#""inspect" {"verb":"inspect"}"#,
        ),
        (
            S::Manageable,
            json!({"target": "adopt"}),
            r#""adopt" {"verb":"adopt"}"#,
        ),
        (
            S::Available,
            json!({"target": "active", "configdrive": "aGk=", "deploy_steps": [step()]}),
            r#""active" {"verb":"deploy","configdrive":"aGk=","steps":[{"#,
        ),
        (
            S::Available,
            json!({"target": "deploy", "configdrive": ""}),
            r#""deploy" {"verb":"deploy","configdrive":null,"steps":[]}"#,
        ),
        (
            S::Active,
            json!({"target": "rebuild"}),
            r#""rebuild" {"verb":"rebuild""#,
        ),
        (
            S::Active,
            json!({"target": "deleted"}),
            r#""deleted" {"verb":"tear_down"}"#,
        ),
        (
            S::Active,
            json!({"target": "undeploy"}),
            r#""undeploy" {"verb":"tear_down"}"#,
        ),
        (
            S::Active,
            json!({"target": "rescue", "rescue_password": "p"}),
            r#""rescue" {"verb":"rescue""#,
        ),
        (
            S::Rescue,
            json!({"target": "unrescue"}),
            r#""unrescue" {"verb":"unrescue"}"#,
        ),
        (
            S::CleanWait,
            json!({"target": "abort"}),
            r#""abort" {"verb":"abort"}"#,
        ),
        (
            S::CleanHold,
            json!({"target": "unhold"}),
            r#""unhold" {"verb":"unhold"}"#,
        ),
        (
            S::Manageable,
            json!({"target": "clean", "clean_steps": [short_step()], "disable_ramdisk": "yes"}),
            r#""clean" {"verb":"clean","steps":[{"#,
        ),
        (
            S::Active,
            json!({"target": "service", "service_steps": [short_step()]}),
            r#""service" {"verb":"service","steps":[{"#,
        ),
    ] {
        let service = Service::new();
        node(&service, state).await;
        let answer = send(&service, 115, body.clone()).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{body}: {answer:?}");
        assert_eq!(
            answer.header("location"),
            "http://h:6385/v1/nodes/n1/states"
        );
        assert_eq!(answer.text, "");
        let asked = service.conductor.asked.lock().unwrap().join("|");
        assert!(
            asked.starts_with(&format!("provision {expected}")),
            "{body}: {asked}"
        );
    }
}

#[tokio::test]
async fn what_is_refused_first_is_told() {
    use ProvisionState as S;
    let cases = [
        // A wrong state comes before misplaced arguments …
        (
            S::Enroll,
            115,
            json!({"target": "clean", "rescue_password": "x"}),
            400,
            "while it is in state \"enroll\"",
        ),
        (
            S::Enroll,
            115,
            json!({"target": null}),
            400,
            "The requested action \"None\" can not be performed",
        ),
        (
            S::Enroll,
            84,
            json!({"target": "unhold"}),
            400,
            "in state \"enroll\"",
        ),
        // … but after the version of the verb.
        (
            S::Enroll,
            14,
            json!({"target": "clean"}),
            406,
            "Request not acceptable.",
        ),
        (
            S::Active,
            72,
            json!({"target": "delete"}),
            406,
            "Request not acceptable.",
        ),
        (
            S::Active,
            115,
            json!({"target": "delete"}),
            400,
            "The requested action \"delete\" could not be understood.",
        ),
        (
            S::CleanWait,
            115,
            json!({"target": "resume"}),
            400,
            "could not be understood.",
        ),
        (
            S::CleanHold,
            84,
            json!({"target": "unhold"}),
            406,
            "Request not acceptable.",
        ),
        (
            S::InspectWait,
            40,
            json!({"target": "abort"}),
            406,
            "Request not acceptable.",
        ),
        (
            S::DeployWait,
            109,
            json!({"target": "abort"}),
            406,
            "Request not acceptable.",
        ),
        (
            S::Active,
            86,
            json!({"target": "service", "service_steps": [short_step()]}),
            406,
            "Request not acceptable.",
        ),
        // Arguments of other verbs.
        (
            S::Manageable,
            115,
            json!({"target": "provide", "clean_steps": [short_step()]}),
            400,
            "\"clean_steps\" is only valid when setting target provision state to clean",
        ),
        (
            S::Active,
            115,
            json!({"target": "deleted", "service_steps": [short_step()]}),
            400,
            "\"service_steps\" is only valid",
        ),
        (
            S::Active,
            115,
            json!({"target": "deleted", "rescue_password": ""}),
            400,
            "\"rescue_password\" is only valid",
        ),
        (
            S::Available,
            115,
            json!({"target": "deploy", "deploy_steps": [step()]}),
            400,
            "to active or rebuild",
        ),
        (
            S::Available,
            68,
            json!({"target": "active", "deploy_steps": [step()]}),
            406,
            "should be 1.69",
        ),
        (
            S::Manageable,
            115,
            json!({"target": "provide", "disable_ramdisk": false}),
            400,
            "disable_ramdisk is supported only",
        ),
        (
            S::Manageable,
            91,
            json!({"target": "clean", "runbook": "r"}),
            406,
            "Request not acceptable.",
        ),
        (
            S::Manageable,
            115,
            json!({"target": "clean", "runbook": "r"}),
            404,
            "Runbook r could not be found.",
        ),
        // What the verb needs.
        (
            S::Manageable,
            115,
            json!({"target": "clean", "clean_steps": []}),
            400,
            "\"clean_steps\" is required when setting",
        ),
        (
            S::Active,
            115,
            json!({"target": "rescue", "rescue_password": " "}),
            400,
            "A non-empty \"rescue_password\" is required",
        ),
        (
            S::Manageable,
            115,
            json!({"target": "clean", "clean_steps": [{"interface": "vendor", "step": "send_raw"}]}),
            400,
            "[api]disallow_clean_steps",
        ),
        (
            S::Enroll,
            115,
            json!({}),
            400,
            "Missing mandatory parameter: target",
        ),
        (
            S::Manageable,
            115,
            json!({"target": "clean", "clean_steps": {}}),
            400,
            "Expected types <class 'NoneType'>, <class 'list'> for clean_steps: {}",
        ),
    ];
    for (state, minor, body, status, text) in cases {
        let service = Service::new();
        node(&service, state).await;
        let answer = send(&service, minor, body.clone()).await;
        assert_eq!(answer.status.as_u16(), status, "{body}: {answer:?}");
        assert!(answer.fault().contains(text), "{body}: {}", answer.fault());
        assert!(service.conductor.asked.lock().unwrap().is_empty(), "{body}");
    }
}

#[tokio::test]
async fn a_reserved_node_is_a_conflict_where_the_verb_is_illegal() {
    let service = Service::new();
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.name = Some("n1".into());
    node.provision_state = ProvisionState::Deploying;
    node.reservation = Some("cond1".into());
    service.store_node(node).await;
    let answer = send(&service, 115, json!({"target": "manage"})).await;
    assert_eq!(answer.status, StatusCode::CONFLICT);
    assert!(answer.fault().contains("is locked by host cond1"));
}

#[tokio::test]
async fn maintenance_stops_deployments_only() {
    for (target, status) in [("active", 400), ("deploy", 202), ("manage", 202)] {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        node.provision_state = ProvisionState::Available;
        node.maintenance = true;
        service.store_node(node).await;
        let answer = send(&service, 115, json!({"target": target})).await;
        assert_eq!(answer.status.as_u16(), status, "{target}");
    }
}

#[tokio::test]
async fn steps_for_unknown_children_are_refused() {
    let service = Service::new();
    node(&service, ProvisionState::Manageable).await;
    let child = NodeId::generate().to_string();
    let mut step = short_step();
    step["execute_on_child_nodes"] = json!(true);
    step["limit_child_node_execution"] = json!([child]);
    let body = json!({"target": "clean", "clean_steps": [step]});
    let answer = send(&service, 115, body).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.fault(), format!("Node {child} could not be found."));
}

#[tokio::test]
async fn a_driver_without_a_conductor_is_not_found() {
    let service = Service::new();
    let mut node = Node::new(NodeId::generate(), "other-hardware");
    node.name = Some("n1".into());
    service.store_node(node).await;
    let answer = send(&service, 115, json!({"target": "manage"})).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert!(answer.fault().starts_with("No valid host was found."));
}
