//! Inspection rules over HTTP.

use crate::{
    schema::inspection_rule::{ACTIONS, CONDITIONS},
    testing::{Answer, Service},
};
use serde_json::{Value, json};

const UUID: &str = "77777777-7777-7777-7777-777777777777";
const OTHER: &str = "88888888-8888-8888-8888-888888888888";

async fn post(service: &Service, body: Value) -> Answer {
    service
        .send("POST", "/v1/inspection_rules", 115, body)
        .await
}

async fn service() -> Service {
    let service = Service::new();
    let body = json!({"uuid": UUID, "description": "d", "priority": 5,
        "actions": [{"op": "fail", "args": {"msg": "m"}, "loop": [], "bogus": 1}],
        "conditions": [{"op": "!eq", "args": {"values": [1, 2]}, "loop": [1]}]});
    let made = post(&service, body).await;
    assert_eq!(made.status.as_u16(), 201, "{made:?}");
    assert_eq!(
        made.header("location"),
        format!("http://h:6385/v1/inspection_rules/{UUID}")
    );
    let secret = json!({"uuid": OTHER, "sensitive": true,
        "actions": [{"op": "log", "args": ["the password"]}]});
    assert_eq!(post(&service, secret).await.status.as_u16(), 201);
    service
}

async fn patch(service: &Service, uuid: &str, ops: Value) -> Answer {
    let path = format!("/v1/inspection_rules/{uuid}");
    service.send("PATCH", &path, 115, ops).await
}

#[tokio::test]
async fn rules_are_shown_without_what_means_nothing() {
    let service = service().await;
    let path = format!("/v1/inspection_rules/{UUID}");
    let shown = service.get(&path, 96).await.json();
    assert_eq!(shown.as_object().unwrap().len(), 10);
    assert_eq!(
        shown["actions"],
        json!([{"op": "fail", "args": {"msg": "m"}}])
    );
    assert_eq!(
        shown["conditions"],
        json!([{"op": "!eq", "args": {"values": [1, 2]}, "loop": [1], "multiple": "any"}])
    );
    assert_eq!(
        shown["links"][0]["href"],
        format!("http://h:6385/v1/inspection/{UUID}")
    );
    let list = service.get("/v1/inspection_rules?limit=1", 96).await.json();
    assert_eq!(list["inspection_rules"][0].as_object().unwrap().len(), 5);
    assert_eq!(
        list["next"],
        format!(
            "http://h:6385/v1/inspection?filters={{}}&sort_key=id&sort_dir=asc&fields=uuid,priority,phase,description&limit=1&marker={UUID}"
        )
    );
}

#[tokio::test]
async fn a_sensitive_rule_hides_what_it_does_for_ever() {
    let service = service().await;
    let path = format!("/v1/inspection_rules/{OTHER}");
    let shown = service.get(&path, 96).await;
    assert!(!shown.text.contains("password"));
    assert_eq!(shown.json()["actions"], Value::Null);
    let ops = json!([{"op": "replace", "path": "/actions/0/op", "value": "fail"}]);
    let patched = patch(&service, OTHER, ops).await;
    assert_eq!(patched.status.as_u16(), 200, "{patched:?}");
    assert_eq!(patched.json()["actions"], Value::Null);
    for ops in [
        json!([{"op": "replace", "path": "/sensitive", "value": false}]),
        json!([{"op": "remove", "path": "/sensitive"}]),
    ] {
        let refused = patch(&service, OTHER, ops).await;
        assert_eq!(refused.status.as_u16(), 400);
        assert!(
            refused
                .fault()
                .ends_with("Inspection rules cannot have the sensitive flag unset.")
        );
    }
}

#[tokio::test]
async fn every_operator_judges_its_arguments() {
    let service = Service::new();
    let as_action = |item: Value| json!({"actions": [item], "conditions": []});
    let as_condition =
        |item: Value| json!({"actions": [{"op": "fail", "args": ["m"]}], "conditions": [item]});
    let rule = |is_action: bool, item: Value| {
        if is_action {
            as_action(item)
        } else {
            as_condition(item)
        }
    };
    let all = ACTIONS.iter().map(|op| (true, op));
    let all = all.chain(CONDITIONS.iter().map(|op| (false, op)));
    for (is_action, (op, needed, also)) in all {
        let names = needed.iter().chain(*also);
        let full: Value = names.map(|n| ((*n).to_owned(), json!("x"))).collect();
        let enough = vec!["x"; needed.len()];
        for args in [full.clone(), json!(enough)] {
            let answer = post(&service, rule(is_action, json!({"op": op, "args": args}))).await;
            assert_eq!(answer.status.as_u16(), 201, "{op}: {answer:?}");
        }
        let missing = format!("missing required argument(s): {}", needed.join(", "));
        let mut more = full.clone();
        more["bogus"] = json!(1);
        for (args, text) in [
            (json!({}), missing.clone()),
            (json!([]), missing),
            (more, "unexpected argument(s): bogus".to_owned()),
        ] {
            let answer = post(&service, rule(is_action, json!({"op": op, "args": args}))).await;
            assert_eq!(
                (answer.status.as_u16(), answer.fault()),
                (400, text),
                "{op}"
            );
        }
    }
}

#[tokio::test]
async fn creation_is_refused_in_order() {
    let service = service().await;
    let actions = json!([{"op": "fail", "args": ["m"]}]);
    let with = |more: Value| {
        let mut body = json!({"actions": actions, "conditions": []});
        let map = body.as_object_mut().unwrap();
        map.extend(more.as_object().unwrap().clone());
        body
    };
    for (body, status, text) in [
        (
            json!({}),
            400,
            "Schema error: 'actions' is a required property",
        ),
        (
            with(json!({"actions": []})),
            400,
            "Schema error: [] should be non-empty",
        ),
        (
            with(json!({"phase": "zz"})),
            400,
            "Invalid phase: zz. Valid phases are: main",
        ),
        (
            with(json!({"phase": null})),
            400,
            "Invalid phase: None. Valid phases are: main",
        ),
        (
            with(json!({"priority": 10000})),
            400,
            "Priority must be between 0 and 9999 for user-defined rules.",
        ),
        (
            with(json!({"priority": -1})),
            400,
            "Schema error: -1 is less than the minimum of 0",
        ),
        (
            with(json!({"conditions": [{"op": "eq", "args": [1], "multiple": "zz"}]})),
            400,
            "Schema error: 'zz' is not one of ['any', 'all', 'first', 'last']",
        ),
        (
            with(json!({"uuid": UUID})),
            409,
            "A rule with UUID 77777777-7777-7777-7777-777777777777 already exists.",
        ),
    ] {
        let answer = post(&service, body.clone()).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text),
            "{body}"
        );
    }
    for (method, status) in [("GET", 404), ("POST", 405)] {
        let early = service
            .send(method, "/v1/inspection_rules", 95, Value::Null)
            .await;
        assert_eq!(early.status.as_u16(), status);
        let text = "The API version does not allow inspection rules";
        assert_eq!(early.fault(), text);
    }
}

#[tokio::test]
async fn queries_are_refused() {
    let service = service().await;
    for (path, status, text) in [
        ("/nope", 400, "Schema error: 'nope' is not a 'uuid'"),
        (
            "/00000000-0000-0000-0000-000000000000",
            404,
            "Rule 00000000-0000-0000-0000-000000000000 could not be found.",
        ),
        ("?marker=a%20b", 404, "Rule a b could not be found."),
        (
            "?sort_key=actions",
            400,
            "Schema error: 'actions' should not be valid under {'type': 'string', 'enum': ['actions', 'conditions']}",
        ),
        ("?fields=scope", 400, "Field(s) \"scope\" are not valid"),
    ] {
        let path = format!("/v1/inspection_rules{path}");
        let answer = service.get(&path, 115).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text)
        );
    }
}

#[tokio::test]
async fn patches_change_a_rule() {
    let service = service().await;
    let same = patch(&service, UUID, json!([])).await.json();
    assert_eq!(same["updated_at"], Value::Null);
    let ops = json!([
        {"op": "remove", "path": "/description"},
        {"op": "remove", "path": "/priority"},
        {"op": "add", "path": "/actions/-", "value": {"op": "add-trait", "args": ["CUSTOM_X"]}},
    ]);
    let patched = patch(&service, UUID, ops).await.json();
    assert_eq!(
        (&patched["description"], &patched["priority"]),
        (&Value::Null, &json!(0))
    );
    assert_eq!(patched["actions"][1]["op"], "add-trait");
    let action = json!({"op": "unset-plugin-data", "args": {"path": "a"}});
    for value in [action.clone(), action] {
        let ops = json!([{"op": "add", "path": "/actions/-", "value": value}]);
        let patched = patch(&service, UUID, ops).await.json();
        let shown = json!({"path": "a", "plugin_data": {}});
        assert_eq!(patched["actions"][2]["args"], shown);
    }
    for (ops, status, text) in [
        (
            json!([{"op": "replace", "path": "/uuid", "value": OTHER}]),
            404,
            "Rule 88888888-8888-8888-8888-888888888888 could not be found.",
        ),
        (
            json!([{"op": "remove", "path": "/actions"}]),
            400,
            "Schema error for patch: 'actions' is a required property",
        ),
        (
            json!([{"op": "add", "path": "/bogus", "value": 1}]),
            400,
            "Adding a new attribute (/bogus) to the root of the resource is not allowed",
        ),
        (
            json!([{"op": "replace", "path": "/actions/0/args", "value": {}}]),
            400,
            "missing required argument(s): msg",
        ),
    ] {
        let answer = patch(&service, UUID, ops).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text)
        );
    }
    let nowhere = patch(&service, "nope", json!([])).await;
    assert_eq!(
        nowhere.fault(),
        "Expected UUID for inspection_rule_uuid: nope"
    );
}

#[tokio::test]
async fn deletion() {
    let service = service().await;
    let path = format!("/v1/inspection_rules/{UUID}");
    let deleted = service.send("DELETE", &path, 96, Value::Null).await;
    assert_eq!(deleted.status.as_u16(), 204);
    let again = service.send("DELETE", &path, 96, Value::Null).await;
    assert_eq!(again.status.as_u16(), 404);
}
