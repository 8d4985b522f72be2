//! Runbooks over HTTP.

use crate::testing::{Answer, Service};
use axum::{body::Body, http::Request};
use serde_json::{Value, json};

const UUID: &str = "66666666-6666-6666-6666-666666666666";

fn steps() -> Value {
    json!([{"interface": "bios", "step": "apply", "order": "007", "args": {"token": "t"}}])
}

async fn service() -> Service {
    let service = Service::new();
    let body = json!({"uuid": UUID, "name": "rb-1", "description": "d", "steps": steps()});
    let made = service.send("POST", "/v1/runbooks", 115, body).await;
    assert_eq!(made.status.as_u16(), 201, "{made:?}");
    assert_eq!(
        made.header("location"),
        format!("http://h:6385/v1/runbooks/{UUID}")
    );
    service
}

/// Sends a body with one more header.
async fn post_as(service: &Service, header: (&str, &str), body: Value) -> Answer {
    let request = Request::builder()
        .method("POST")
        .uri("/v1/runbooks")
        .header("host", "h:6385")
        .header("x-openstack-ironic-api-version", "1.115")
        .header("content-type", "application/json")
        .header(header.0, header.1)
        .body(Body::from(body.to_string()))
        .unwrap();
    service.request(request).await
}

#[tokio::test]
async fn a_runbook_is_shown_by_uuid_or_name() {
    let service = service().await;
    let shown = service.get("/v1/runbooks/rb-1", 115).await.json();
    assert_eq!(shown.as_object().unwrap().len(), 12);
    assert_eq!(
        shown["steps"],
        json!([{"interface": "bios", "step": "apply", "order": 7, "args": {"token": "******"}}])
    );
    let early = service.get(&format!("/v1/runbooks/{UUID}"), 111).await;
    assert_eq!(early.json().as_object().unwrap().len(), 10);
    let list = service.get("/v1/runbooks?detail=true", 115).await.json();
    assert_eq!(list["runbooks"][0], shown);
    let part = service.get("/v1/runbooks/rb-1/steps", 115).await.json();
    assert_eq!(part["steps"], shown["steps"]);
    for (query, count) in [("", 1), ("?project=true", 0), ("?project=false", 1)] {
        let list = service.get(&format!("/v1/runbooks{query}"), 115).await;
        let found = list.json()["runbooks"].as_array().unwrap().len();
        assert_eq!(found, count, "{query}");
    }
}

#[tokio::test]
async fn queries_are_refused() {
    let service = service().await;
    for (minor, path, status, text) in [
        (91, "", 404, "The API version does not allow runbooks"),
        (115, "/nope", 404, "Runbook nope could not be found."),
        (
            115,
            "/a%20b",
            400,
            "Expected UUID or name for runbook_ident: a b",
        ),
        (115, "?marker=zz", 404, "Runbook zz could not be found."),
        (
            115,
            "?sort_dir=up",
            400,
            "Invalid sort direction: up. Acceptable values are 'asc' or 'desc'",
        ),
        (
            115,
            "?fields=bogus",
            400,
            "Field(s) \"bogus\" are not valid",
        ),
        (
            111,
            "?fields=traits",
            400,
            "Field(s) \"traits\" are not valid",
        ),
        (
            115,
            "?sort_key=traits",
            400,
            "The sort_key value traits is an invalid field for sorting",
        ),
        (
            111,
            "/rb-1/traits",
            404,
            "The API version does not allow runbook traits",
        ),
        (
            115,
            "/a%20b/traits",
            400,
            "Expected a logical name or UUID but received a b.",
        ),
    ] {
        let answer = service.get(&format!("/v1/runbooks{path}"), minor).await;
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
    for (minor, body, status, text) in [
        (
            91,
            json!({}),
            405,
            "The API version does not allow runbooks",
        ),
        (
            115,
            json!({"name": "a b", "steps": steps()}),
            400,
            r"Schema error for runbook: 'a b' does not match '^[A-Za-z0-9\\-._~]+$'",
        ),
        (
            111,
            json!({"name": "rb", "steps": steps()}),
            400,
            "Schema error for runbook: 'rb' is not valid under any of the given schemas. Possible root cause: 'rb' does not match '^CUSTOM_[A-Z0-9_]+$'",
        ),
        (
            111,
            json!({"name": "CUSTOM_A", "steps": steps(), "description": "x"}),
            400,
            "Schema error for runbook: Additional properties are not allowed ('description' was unexpected)",
        ),
        (
            115,
            json!({"name": "c", "steps": steps(), "traits": []}),
            400,
            "Schema error for runbook: Additional properties are not allowed ('traits' was unexpected)",
        ),
        (
            115,
            json!({"name": "rb-1", "steps": steps()}),
            409,
            "A runbook with name rb-1 already exists.",
        ),
        (
            115,
            json!({"name": "c", "steps": steps(), "owner": "p"}),
            400,
            "Cannot create a runbook as a project scoped admin with an owner other than your own project.",
        ),
    ] {
        let answer = service
            .send("POST", "/v1/runbooks", minor, body.clone())
            .await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (status, text),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_project_owns_what_it_creates() {
    let service = Service::new();
    let project = ("x-project-id", "p1");
    let body = json!({"name": "mine", "steps": steps()});
    let mine = post_as(&service, project, body).await.json();
    assert_eq!(mine["owner"], "p1");
    let body = json!({"name": "all", "steps": steps(), "public": true});
    let refused = post_as(&service, project, body.clone()).await;
    assert_eq!(
        refused.fault(),
        "Cannot create a public runbook as a project scoped admin."
    );
    let system = ("openstack-system-scope", "all");
    let public = post_as(&service, system, body).await.json();
    assert_eq!(
        (&public["public"], &public["owner"]),
        (&json!(true), &Value::Null)
    );
}

#[tokio::test]
async fn a_public_runbook_has_no_owner() {
    let service = service().await;
    let path = format!("/v1/runbooks/{UUID}");
    let patch = |ops: Value| service.send("PATCH", &path, 115, ops);
    let owned = patch(json!([{"op": "replace", "path": "/owner", "value": "p"}])).await;
    assert_eq!(owned.json()["owner"], "p");
    let public = json!([{"op": "replace", "path": "/public", "value": true}]);
    let shown = patch(public).await.json();
    assert_eq!(
        (&shown["public"], &shown["owner"]),
        (&json!(true), &Value::Null)
    );
    let refused = patch(json!([{"op": "replace", "path": "/owner", "value": "p"}])).await;
    assert_eq!(
        refused.fault(),
        "Couldn't apply patch '[{'op': 'replace', 'path': '/owner', 'value': 'p'}]'. Reason: There cannot be an owner for a public runbook"
    );
    let private = patch(json!([{"op": "remove", "path": "/public"}])).await;
    assert_eq!(private.json()["public"], false);
}

#[tokio::test]
async fn patches_are_refused() {
    let service = service().await;
    for (minor, path, value, text) in [
        (
            111,
            "/description",
            json!("x"),
            "Cannot patch /description. Only the following can be updated: disable_ramdisk, extra, name, owner, public, steps",
        ),
        (
            115,
            "/traits",
            json!([]),
            "Cannot patch /traits. Only the following can be updated: disable_ramdisk, extra, name, owner, public, steps, description",
        ),
        (
            115,
            "/disable_ramdisk",
            json!("yes"),
            "Schema error for patch: 'yes' is not of type 'boolean', 'null'",
        ),
    ] {
        let ops = json!([{"op": "replace", "path": path, "value": value}]);
        let answer = service.send("PATCH", "/v1/runbooks/rb-1", minor, ops).await;
        assert_eq!(
            (answer.status.as_u16(), answer.fault().as_str()),
            (400, text)
        );
    }
    let same = service
        .send("PATCH", "/v1/runbooks/rb-1", 115, json!([]))
        .await;
    assert_eq!(same.json()["updated_at"], Value::Null);
}

#[tokio::test]
async fn traits_come_and_go() {
    let service = service().await;
    let base = "/v1/runbooks/rb-1/traits";
    let traits = || async { service.get(base, 112).await.json()["traits"].clone() };
    let body = json!({"traits": ["CUSTOM_B", "CUSTOM_A", "CUSTOM_A"]});
    let put = service.send("PUT", base, 112, body).await;
    assert_eq!(put.status.as_u16(), 204);
    assert_eq!(traits().await, json!(["CUSTOM_A", "CUSTOM_B"]));
    let one = format!("{base}/CUSTOM_C");
    let added = service.send("PUT", &one, 112, Value::Null).await;
    assert_eq!(added.status.as_u16(), 204);
    assert_eq!(added.header("location"), format!("http://h:6385{one}"));
    for _ in 0..2 {
        let gone = service.send("DELETE", &one, 112, Value::Null).await;
        assert_eq!(gone.status.as_u16(), 204);
    }
    assert_eq!(traits().await, json!(["CUSTOM_A", "CUSTOM_B"]));
    let none = service.send("PUT", base, 112, json!({})).await;
    assert!(none.fault().starts_with("A single runbook trait may be"));
    let bad = service
        .send("PUT", &format!("{base}/bad"), 112, Value::Null)
        .await;
    assert!(bad.fault().starts_with("Schema error for trait: 'bad'"));
    service.send("DELETE", base, 112, Value::Null).await;
    assert_eq!(traits().await, json!([]));
    let shown = service.get("/v1/runbooks/rb-1", 112).await.json();
    assert_eq!(shown["updated_at"], Value::Null);
}
