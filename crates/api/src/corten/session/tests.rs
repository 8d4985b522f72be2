//! Sessions over HTTP.

use crate::{
    Settings,
    auth::{Auth, HttpBasic},
    testing::{Answer, Service},
};
use axum::{body::Body, http::Request};
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};

const KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const OTHER_KEY: &str = "BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A service with one user, and the file with it.
fn service() -> (Service, PathBuf) {
    let file = std::env::temp_dir().join(format!("session-users-{}", uuid::Uuid::new_v4()));
    write(&file, "right");
    let users = HttpBasic::open(&file).unwrap();
    let service = Service::with(Settings {
        auth: Auth::HttpBasic(Arc::new(users)),
        ..Settings::default()
    });
    (service, file)
}

fn write(file: &PathBuf, password: &str) {
    let hash = bcrypt::hash(password, 4).unwrap();
    std::fs::write(file, format!("ada:{hash}\n")).unwrap();
}

async fn ask(
    service: &Service,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Value,
) -> Answer {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "h:6385")
        .header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = match body {
        Value::Null => Body::empty(),
        body => Body::from(body.to_string()),
    };
    service.request(request.body(body).unwrap()).await
}

const PATH: &str = "/corten/v1/session";

async fn sign_in(service: &Service, password: &str, headers: &[(&str, &str)]) -> Answer {
    let body = json!({"username": "ada", "password": password});
    ask(service, "POST", PATH, headers, body).await
}

#[tokio::test]
async fn a_password_is_traded_for_a_cookie_that_needs_its_key() {
    let (service, file) = service();
    let key = ("x-corten-key", KEY);
    let wrong = sign_in(&service, "wrong", &[key]).await;
    assert_eq!(wrong.status, 401);
    assert_eq!(wrong.header("www-authenticate"), "");
    // The key is judged before anybody is asked about the password.
    assert_eq!(sign_in(&service, "right", &[]).await.status, 400);
    assert_eq!(sign_in(&service, "wrong", &[]).await.status, 400);
    let signed_in = sign_in(&service, "right", &[key]).await;
    assert_eq!(signed_in.status, 204, "{}", signed_in.text);
    let cookie = signed_in.header("set-cookie").to_owned();
    let cookie = ("cookie", cookie.split(';').next().unwrap());
    let me = ask(
        &service,
        "GET",
        "/corten/v1/me",
        &[key, cookie],
        Value::Null,
    )
    .await;
    assert_eq!(me.status, 200, "{}", me.text);
    let me = me.json();
    assert_eq!(
        (&me["user"], &me["mode"]),
        (&json!("ada"), &json!("http_basic"))
    );
    assert!(me["session"]["expires_at"].is_string());
    let shown = ask(&service, "GET", PATH, &[key, cookie], Value::Null).await;
    assert_eq!(
        shown.json(),
        json!({"mode": "http_basic", "is_signed_in": true})
    );
    for (headers, asks_browser) in [
        (vec![cookie], true),
        (vec![key], false),
        (vec![cookie, ("x-corten-key", OTHER_KEY)], false),
    ] {
        let refused = ask(&service, "GET", "/v1/nodes", &headers, Value::Null).await;
        assert_eq!(refused.status, 401, "{headers:?}");
        let challenge = refused.header("www-authenticate");
        assert_eq!(!challenge.is_empty(), asks_browser, "{headers:?}");
    }
    let nodes = ask(&service, "GET", "/v1/nodes", &[key, cookie], Value::Null).await;
    assert_eq!(nodes.status, 200);
    let out = ask(&service, "DELETE", PATH, &[key, cookie], Value::Null).await;
    assert_eq!(out.status, 204);
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    // A new password ends the session.
    write(&file, "another");
    let ended = ask(&service, "GET", "/v1/nodes", &[key, cookie], Value::Null).await;
    assert_eq!(ended.status, 401);
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn without_authentication_there_is_nothing_to_trade() {
    let service = Service::new();
    let shown = ask(&service, "GET", PATH, &[], Value::Null).await;
    assert_eq!(
        shown.json(),
        json!({"mode": "noauth", "is_signed_in": true})
    );
    let nothing = ask(&service, "POST", PATH, &[], json!({})).await;
    assert_eq!(nothing.status, 204);
    assert_eq!(nothing.header("set-cookie"), "");
    let unknown = ask(&service, "POST", PATH, &[], json!({"colour": "red"})).await;
    assert_eq!(unknown.status, 400);
}

#[tokio::test]
async fn who_is_asking_is_told_with_the_rules_that_are_granted() {
    let service = Service::guarded();
    let mut node = types::Node::new(types::NodeId::generate(), "fake-hardware");
    node.name = Some("n1".into());
    (node.owner, node.lessee) = (Some("p1".into()), Some("p2".into()));
    let node = service.store_node(node).await;
    let rules = async |persona: &str, query: &str| {
        let path = format!("/corten/v1/me{query}");
        let me = service.get_as(persona, &path).await;
        assert_eq!(me.status, 200, "{persona}: {}", me.text);
        let me = me.json();
        let rules = me["rules"].as_array().unwrap().clone();
        (me, rules)
    };
    let (_, all) = rules("admin@system", "").await;
    assert!(all.contains(&json!("baremetal:node:create")));
    assert!(all.contains(&json!("corten:status:get")));
    let (_, few) = rules("reader@p1", "").await;
    assert!(!few.contains(&json!("baremetal:node:create")));
    let (me, of_node) = rules("member@p1", "?node=n1").await;
    assert_eq!(me["node"], node.id.to_string());
    assert!(of_node.contains(&json!("baremetal:node:set_power_state")));
    let (_, lessee) = rules("reader@p2", "?node=n1").await;
    assert!(lessee.contains(&json!("baremetal:node:get")));
    assert!(!lessee.contains(&json!("baremetal:node:get:last_error")));
    let hidden = service.get_as("admin@p3", "/corten/v1/me?node=n1").await;
    assert_eq!(hidden.status, 404);
}
