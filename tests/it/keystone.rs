//! The service behind a real Keystone: who gets in, who sees what, and what happens while Keystone
//! is away.
//!
//! Keystone comes from `scripts/with-keystone` and is shared by all tests, so each makes users and
//! projects of its own. A test that stops Keystone, or wants another configuration, starts one more
//! on the same database.

mod cloud;

use crate::{
    database::Engine,
    http::{Answer, Request},
    lab::{Lab, Options},
};
use api::{
    Auth,
    auth::keystone::{Keystone, KeystoneSettings},
    policy::{Policy, PolicyOptions},
};
use cloud::{Cloud, Scope};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// How long to wait between two looks at something that takes its time.
const MOMENT: Duration = Duration::from_millis(100);

/// A service that asks Keystone.
async fn guarded(settings: KeystoneSettings) -> Lab {
    let mut options = Options::default();
    options.api.auth = Auth::Keystone(Arc::new(Keystone::new(settings).unwrap()));
    options.api.policy = Arc::new(Policy::load(None, &PolicyOptions::default()).unwrap());
    Lab::with(Engine::Sqlite, options).await
}

async fn send(lab: &Lab, token: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
    let request = Request::new(method, path).header("X-Auth-Token", token);
    lab.client
        .send(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
}

async fn status(lab: &Lab, token: &str) -> u16 {
    send(lab, token, "GET", "/v1/nodes", None).await.status
}

async fn names(lab: &Lab, token: &str) -> Vec<String> {
    let list = send(lab, token, "GET", "/v1/nodes", None).await;
    let list = list.expect(200).json();
    let nodes = list["nodes"].as_array().unwrap().iter();
    nodes
        .map(|node| node["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn everybody_sees_what_their_token_is_good_for() {
    let Some(cloud) = Cloud::find().await else {
        return;
    };
    let (red, blue) = (cloud.project().await, cloud.project().await);
    let lab = guarded(cloud.settings().await).await;
    let [operator, auditor] = [
        cloud.user(&[("admin", Scope::System)]).await,
        cloud.user(&[("reader", Scope::System)]).await,
    ];
    let [owner, member, reader] = [
        cloud.user(&[("admin", Scope::Project(&red))]).await,
        cloud.user(&[("member", Scope::Project(&red))]).await,
        cloud.user(&[("reader", Scope::Project(&red))]).await,
    ];
    let stranger = cloud.user(&[("admin", Scope::Project(&blue))]).await;
    let operator = cloud.login(&operator, Scope::System).await;
    let auditor = cloud.login(&auditor, Scope::System).await;
    let [owner, member, reader] = [
        cloud.login(&owner, Scope::Project(&red)).await,
        cloud.login(&member, Scope::Project(&red)).await,
        cloud.login(&reader, Scope::Project(&red)).await,
    ];
    let unscoped = cloud.login(&stranger, Scope::None).await;
    let stranger = cloud.login(&stranger, Scope::Project(&blue)).await;

    let node = |name: &str| json!({"driver": "fake-hardware", "name": name});
    for (name, project) in [("r", &red), ("b", &blue)] {
        let mut body = node(name);
        body["owner"] = json!(project);
        let made = send(&lab, &operator, "POST", "/v1/nodes", Some(body)).await;
        assert_eq!(made.expect(201).json()["owner"], **project);
    }
    // The administrator of a project makes nodes of that project, and of no other.
    let own = send(&lab, &owner, "POST", "/v1/nodes", Some(node("r2"))).await;
    assert_eq!(own.expect(201).json()["owner"], *red);
    for token in [&member, &reader, &auditor] {
        let refused = send(&lab, token, "POST", "/v1/nodes", Some(node("x"))).await;
        refused.expect(403);
    }
    for (token, expected) in [
        (&operator, &["b", "r", "r2"][..]),
        (&auditor, &["b", "r", "r2"]),
        (&owner, &["r", "r2"]),
        (&member, &["r", "r2"]),
        (&reader, &["r", "r2"]),
        (&stranger, &["b"]),
    ] {
        let mut seen = names(&lab, token).await;
        seen.sort();
        assert_eq!(seen, expected);
    }
    let there = async |token: &str, path: &str| send(&lab, token, "GET", path, None).await.status;
    assert_eq!(there(&member, "/v1/nodes/r").await, 200);
    assert_eq!(there(&member, "/v1/nodes/b").await, 404);
    assert_eq!(there(&stranger, "/v1/nodes/b").await, 200);
    assert_eq!(there(&stranger, "/v1/nodes/r").await, 404);
    // A token without any scope buys nothing.
    assert_ne!(there(&unscoped, "/v1/nodes").await, 200);
    lab.stop().await;
}

#[tokio::test]
async fn without_a_good_token_nobody_gets_in() {
    let Some(cloud) = Cloud::find().await else {
        return;
    };
    let mut settings = cloud.settings().await;
    settings.www_authenticate_uri = Some("http://public:5000".into());
    let lab = guarded(settings).await;
    let claims = Request::new("GET", "/v1/nodes")
        .header("X-Roles", "admin")
        .header("OpenStack-System-Scope", "all");
    for request in [
        claims.clone(),
        claims.clone().header("X-Auth-Token", ""),
        claims.header("X-Auth-Token", "gAAAAABnot-a-token"),
    ] {
        let refused = lab.client.send(request).await.expect(401);
        let challenge = refused.header("www-authenticate");
        assert_eq!(challenge, Some("Keystone uri=\"http://public:5000\""));
        assert_eq!(
            refused.text(),
            r#"{"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}"#
        );
    }
    lab.client.get("/v1").await.expect(200);
    lab.stop().await;
}

#[tokio::test]
async fn a_revoked_token_is_refused_once_the_window_is_over() {
    let Some(cloud) = Cloud::find().await else {
        return;
    };
    let mut settings = cloud.settings().await;
    settings.cache_time = Some(Duration::from_secs(1));
    let short = guarded(settings).await;
    let long = guarded(cloud.settings().await).await;
    let user = cloud.user(&[("reader", Scope::System)]).await;
    let token = cloud.login(&user, Scope::System).await;
    assert_eq!(status(&short, &token).await, 200);
    assert_eq!(status(&long, &token).await, 200);
    cloud.revoke(&token).await;
    while status(&short, &token).await == 200 {
        tokio::time::sleep(MOMENT).await;
    }
    assert_eq!(status(&short, &token).await, 401);
    assert_eq!(status(&long, &token).await, 200);
    // Who has never shown it here does not get in at all.
    let fresh = guarded(cloud.settings().await).await;
    assert_eq!(status(&fresh, &token).await, 401);
    for lab in [short, long, fresh] {
        lab.stop().await;
    }
}

#[tokio::test]
async fn a_wrong_password_of_our_own_is_no_reason_to_believe_anybody() {
    let Some(cloud) = Cloud::find().await else {
        return;
    };
    let user = cloud.user(&[("admin", Scope::System)]).await;
    let token = cloud.login(&user, Scope::System).await;
    let lab = guarded(cloud.settings_with("wrong").await).await;
    let refused = send(&lab, &token, "GET", "/v1/nodes", None)
        .await
        .expect(503);
    let text = "The Keystone service is temporarily unavailable.";
    assert!(refused.text().contains(text), "{}", refused.text());
    lab.client.get("/v1").await.expect(200);
    lab.stop().await;
}

#[tokio::test]
async fn an_expired_token_passes_only_with_a_service_that_speaks_for_it() {
    let Some(cloud) = Cloud::find().await else {
        return;
    };
    let hasty = cloud.another("[token]\nexpiration = 2\n", 0).await;
    let lab = guarded(cloud.settings().await).await;
    let user = cloud.user(&[("reader", Scope::System)]).await;
    let project = cloud.project().await;
    let service = cloud.user(&[("service", Scope::Project(&project))]).await;
    let stranger = cloud.user(&[("member", Scope::Project(&project))]).await;
    let service = cloud.login(&service, Scope::Project(&project)).await;
    let stranger = cloud.login(&stranger, Scope::Project(&project)).await;
    let token = hasty.login(&user, Scope::System).await;
    while status(&lab, &token).await == 200 {
        tokio::time::sleep(MOMENT).await;
    }
    assert_eq!(status(&lab, &token).await, 401);
    let with = async |lab: &Lab, service: &str| {
        let request = Request::new("GET", "/v1/nodes").header("X-Auth-Token", &token);
        let request = request.header("X-Service-Token", service);
        lab.client.send(request).await.status
    };
    assert_eq!(with(&lab, &stranger).await, 401);
    assert_eq!(with(&lab, &service).await, 200);
    // Also where nobody has seen the token before.
    let fresh = guarded(cloud.settings().await).await;
    assert_eq!(with(&fresh, &service).await, 200);
    assert_eq!(status(&fresh, &token).await, 401);
    lab.stop().await;
    fresh.stop().await;
}

#[tokio::test]
async fn while_keystone_is_away_only_known_tokens_are_good() {
    let Some(cloud) = Cloud::find().await else {
        return;
    };
    let mut other = cloud.another("", 0).await;
    let mut settings = cloud.settings().await;
    settings.auth_url = other.url();
    settings.retries = 0;
    settings.region = Some(cloud.region_of(&other).await);
    let lab = guarded(settings).await;
    let user = cloud.user(&[("reader", Scope::System)]).await;
    let known = cloud.login(&user, Scope::System).await;
    let unknown = cloud.login(&user, Scope::System).await;
    // Without retries a busy Keystone is soon taken for one that is away.
    while status(&lab, &known).await == 503 {
        tokio::time::sleep(MOMENT).await;
    }
    assert_eq!(status(&lab, &known).await, 200);
    let port = other.stop();
    assert_eq!(status(&lab, &known).await, 200);
    assert_eq!(status(&lab, &unknown).await, 503);
    assert_eq!(lab.client.get("/v1/nodes").await.status, 401);
    let _back = cloud.another("", port).await;
    while status(&lab, &unknown).await == 503 {
        tokio::time::sleep(MOMENT).await;
    }
    assert_eq!(status(&lab, &unknown).await, 200);
    lab.stop().await;
}
