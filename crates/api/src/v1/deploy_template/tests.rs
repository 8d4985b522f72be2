//! Deploy templates over HTTP.

use crate::testing::Service;
use serde_json::{Value, json};

const UUID: &str = "55555555-5555-5555-5555-555555555555";

fn step(more: Value) -> Value {
    let mut step = json!({"interface": "bios", "step": "apply", "priority": 10,
        "args": {"password": "p"}});
    let map = step.as_object_mut().unwrap();
    map.extend(more.as_object().unwrap().clone());
    step
}

async fn service() -> Service {
    let service = Service::new();
    let body = json!({"uuid": UUID, "name": "CUSTOM_A", "description": "lost", "extra": {"e": 1},
        "steps": [step(json!({})), step(json!({"step": "two", "priority": "007"}))]});
    let made = service.send("POST", "/v1/deploy_templates", 55, body).await;
    assert_eq!(made.status.as_u16(), 201, "{made:?}");
    assert_eq!(made.json()["steps"][1]["priority"], "007");
    assert_eq!(
        made.header("location"),
        format!("http://h:6385/v1/deploy_templates/{UUID}")
    );
    service
}

#[tokio::test]
async fn a_template_is_shown_by_uuid_or_name() {
    let service = service().await;
    let path = format!("/v1/deploy_templates/{UUID}");
    let shown = service.get(&path, 55).await.json();
    assert_eq!(shown.as_object().unwrap().len(), 7);
    assert_eq!(shown["steps"][0]["args"], json!({"password": "******"}));
    assert_eq!(shown["steps"][1]["priority"], 7);
    let by_name = service.get("/v1/deploy_templates/CUSTOM_A", 55).await;
    assert_eq!(by_name.json(), shown);
    let suffix = service.get("/v1/deploy_templates/CUSTOM_A.json", 90).await;
    assert_eq!(suffix.json(), shown);
    let detail = service.get("/v1/deploy_templates?detail=true", 55).await;
    assert_eq!(detail.json()["deploy_templates"][0], shown);
    let list = service.get("/v1/deploy_templates?limit=1", 55).await.json();
    assert_eq!(list["deploy_templates"][0].as_object().unwrap().len(), 3);
    assert_eq!(
        list["next"],
        format!(
            "http://h:6385/v1/deploy_templates?sort_key=id&sort_dir=asc&fields=uuid,name&limit=1&marker={UUID}"
        )
    );
    let part = service.get(&format!("{path}/extra"), 55).await.json();
    assert_eq!(part["extra"], json!({"e": 1}));
}

#[tokio::test]
async fn older_versions_have_no_templates() {
    let service = Service::new();
    for (method, status) in [("GET", 404), ("PATCH", 405), ("DELETE", 405)] {
        let answer = service
            .send(method, "/v1/deploy_templates/x", 54, Value::Null)
            .await;
        assert_eq!(answer.status.as_u16(), status);
        let text = "The API version does not allow deploy templates";
        assert_eq!(answer.fault(), text);
    }
}

#[tokio::test]
async fn queries_are_refused() {
    let service = service().await;
    for (path, status, text) in [
        ("/nope", 404, "Deploy template nope could not be found."),
        (
            "/a%20b",
            400,
            "Expected UUID or name for template_ident: a b",
        ),
        ("?marker=zz", 404, "Deploy template zz could not be found."),
        ("?marker=a%20b", 400, "Expected name for marker: a b"),
        (
            "?fields=description",
            400,
            "Field(s) \"description\" are not valid",
        ),
        (
            "?fields=bogus",
            400,
            "Schema error: 'bogus' is not one of ['created_at', 'description', 'extra', 'links', 'name', 'steps', 'updated_at', 'uuid']",
        ),
        (
            "?sort_dir=up",
            400,
            "Schema error: 'up' is not one of ['asc', 'desc']",
        ),
        (
            "?sort_key=steps",
            400,
            "The sort_key value steps is an invalid field for sorting",
        ),
    ] {
        let path = format!("/v1/deploy_templates{path}");
        let answer = service.get(&path, 115).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text),
            "{path}"
        );
    }
}

#[tokio::test]
async fn creation_is_refused_in_order() {
    let service = service().await;
    for (body, status, text) in [
        (json!({}), 400, "'steps' is a required property"),
        (
            json!({"name": "CUSTOM_C", "steps": []}),
            400,
            "[] should be non-empty",
        ),
        (
            json!({"name": "bad", "steps": [step(json!({}))]}),
            400,
            "'bad' is not valid under any of the given schemas. Possible root cause: 'bad' does not match '^CUSTOM_[A-Z0-9_]+$'",
        ),
        (
            json!({"name": "CUSTOM_A", "steps": [step(json!({}))]}),
            409,
            "A deploy template with name CUSTOM_A already exists.",
        ),
        (
            json!({"uuid": UUID, "name": "CUSTOM_C", "steps": [step(json!({}))]}),
            409,
            "A deploy template with UUID 55555555-5555-5555-5555-555555555555 already exists.",
        ),
        (
            json!({"name": "CUSTOM_C", "steps": [step(json!({})), step(json!({}))]}),
            400,
            "Deploy template invalid: Duplicate deploy steps. A template cannot have multiple deploy steps with the same interface and step. Duplicates: interface: bios, step: apply.",
        ),
        (
            json!({"name": "CUSTOM_C", "steps": [step(json!({"interface": "boot"}))]}),
            400,
            "'boot' is not one of ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid']",
        ),
        (
            json!({"name": "CUSTOM_C", "steps": [step(json!({"priority": -1}))]}),
            400,
            "-1 is less than the minimum of 0",
        ),
        (
            json!({"name": "CUSTOM_C", "steps": [step(json!({"priority": "x"}))]}),
            400,
            "'x' does not match '^[0-9]+$'",
        ),
        (
            json!({"name": "CUSTOM_C", "steps": [step(json!({"priority": ""}))]}),
            400,
            "'' is not valid under any of the given schemas. Possible root cause: '' is not of type 'integer'",
        ),
        (
            json!({"name": "CUSTOM_C", "steps": [{}]}),
            400,
            "'interface' is a required property",
        ),
    ] {
        let answer = service
            .send("POST", "/v1/deploy_templates", 115, body.clone())
            .await;
        let fault = answer.fault();
        let fault = fault.strip_prefix("Schema error for template: ");
        let fault = fault.map_or_else(|| answer.fault(), str::to_owned);
        assert_eq!(
            (answer.status.as_u16(), fault.as_str()),
            (status, text),
            "{body}"
        );
    }
}

#[tokio::test]
async fn patches_change_a_template() {
    let service = service().await;
    let path = "/v1/deploy_templates/CUSTOM_A";
    let same = service.send("PATCH", path, 55, json!([])).await.json();
    assert_eq!(same["updated_at"], Value::Null);
    let ops = json!([
        {"op": "replace", "path": "/steps/1/priority", "value": "8"},
        {"op": "remove", "path": "/extra"},
        {"op": "replace", "path": "/name", "value": "HW_CPU_X86_VMX"},
    ]);
    let patched = service.send("PATCH", path, 55, ops).await.json();
    assert_eq!(patched["steps"][1]["priority"], 8);
    assert_eq!(patched["steps"][0]["args"], json!({"password": "******"}));
    assert_eq!(patched["extra"], json!({}));
    let path = format!("/v1/deploy_templates/{UUID}");
    for (ops, text) in [
        (
            json!([{"op": "replace", "path": "/uuid", "value": "x"}]),
            "Cannot patch /uuid. Only the following can be updated: extra, name, steps, description",
        ),
        (
            json!([{"op": "add", "path": "/description", "value": "x"}]),
            "Adding a new attribute (/description) to the root of the resource is not allowed",
        ),
        (
            json!([{"op": "remove", "path": "/name"}]),
            "Schema error for patch: 'name' is a required property",
        ),
        (
            json!([{"op": "replace", "path": "/steps", "value": null}]),
            "Schema error for patch: None is not of type 'array'",
        ),
    ] {
        let answer = service.send("PATCH", &path, 55, ops).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (400, text)
        );
    }
}

#[tokio::test]
async fn deletion_takes_a_name() {
    let service = service().await;
    let path = "/v1/deploy_templates/CUSTOM_A";
    let deleted = service.send("DELETE", path, 55, Value::Null).await;
    assert_eq!(deleted.status.as_u16(), 204);
    assert_eq!(service.get(path, 55).await.status.as_u16(), 404);
}
