//! Tokens: how many logins there are, and which token goes where.

use crate::{
    Caller, Deadline, Outage, Reason, Secret, Service, TokenScope,
    neutron::body,
    testing::{Cloud, PASSWORD, Received, Reply, by_the_cloud, services, soon},
};
use serde_json::json;
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::sync::Notify;
use types::error::chain;

fn port_reply(_: &Received) -> Reply {
    Reply::json(
        200,
        &json!({"port": {"id": "p", "network_id": "n", "status": "ACTIVE"}}),
    )
}

fn by_path(request: &Received) -> Reply {
    match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        _ => port_reply(request),
    }
}

#[tokio::test]
async fn concurrent_calls_share_one_login() {
    let cloud = Cloud::start(by_path).await;
    let services = cloud.services();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let neutron = services.neutron().clone();
        calls.spawn(async move { neutron.port("p", &Caller::service(), soon()).await });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap().unwrap();
    }
    assert_eq!((cloud.logins(), cloud.lines().len()), (1, 200));
    // Sections that log in alike share it too.
    let _ = services
        .glance()
        .image("i", &Caller::service(), soon())
        .await;
    assert_eq!(cloud.logins(), 1);
    let url = services.baremetal_url(soon()).await.unwrap();
    assert_eq!(url, format!("{}/baremetal", cloud.url));
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let cloud = Cloud::start(|request: &Received| match request.header("x-auth-token") {
        None => by_the_cloud(),
        Some("own-token-0") => Reply::status(401),
        Some(_) => port_reply(request),
    })
    .await;
    let neutron = cloud.services().neutron().clone();
    // Writes are repeated as well: 401 proves that nothing was done.
    neutron.create_port(&body::unbind(), soon()).await.unwrap();
    neutron.port("p", &Caller::service(), soon()).await.unwrap();
    assert_eq!(cloud.logins(), 2);
    assert_eq!(
        cloud.lines(),
        [
            "POST /network/v2.0/ports",
            "POST /network/v2.0/ports",
            "GET /network/v2.0/ports/p"
        ]
    );

    let cloud = Cloud::start(|request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        _ => Reply::text(401, "text/plain", "token own-token-0 is bad"),
    })
    .await;
    let neutron = cloud.services().neutron().clone();
    let error = neutron
        .port("p", &Caller::service(), soon())
        .await
        .unwrap_err();
    assert!(matches!(error.reason, Reason::Refused(_)), "{error:?}");
    assert_eq!((cloud.logins(), cloud.lines().len()), (2, 2));
}

#[tokio::test]
async fn a_token_is_replaced_before_it_expires() {
    let cloud = Cloud::start(by_path).await;
    cloud.lifetime.store(0, Ordering::Relaxed);
    let neutron = cloud.services().neutron().clone();
    neutron.port("p", &Caller::service(), soon()).await.unwrap();
    cloud.lifetime.store(3600, Ordering::Relaxed);
    for _ in 0..3 {
        neutron.port("p", &Caller::service(), soon()).await.unwrap();
    }
    assert_eq!(cloud.logins(), 2);
    assert_eq!(cloud.last().header("x-auth-token"), Some("own-token-1"));
}

#[tokio::test]
async fn each_request_carries_the_tokens_that_it_needs() {
    let cloud = Cloud::start(by_path).await;
    let services = cloud.services();
    let user =
        Caller::user(Secret::from("user-token"), TokenScope::Project).with_request_id("req-1234");
    let tokens = || {
        let last = cloud.last();
        let header = |name: &str| last.header(name).map(str::to_owned);
        (header("x-auth-token"), header("x-service-token"))
    };
    let own = Some("own-token-0".to_owned());
    let users = Some("user-token".to_owned());
    let neutron = services.neutron();
    neutron.port("p", &user, soon()).await.unwrap();
    assert_eq!(tokens(), (users.clone(), own.clone()));
    assert_eq!(
        cloud.last().header("x-openstack-request-id"),
        Some("req-1234")
    );
    // Read as the user, written as ourselves.
    neutron
        .change_port("p", &body::unbind(), &user, soon())
        .await
        .unwrap();
    assert_eq!(tokens(), (own.clone(), None));
    let lines = cloud.lines();
    assert_eq!(
        lines[lines.len() - 2..],
        ["GET /network/v2.0/ports/p", "PUT /network/v2.0/ports/p"]
    );
    let _ = services.glance().image("i", &user, soon()).await;
    assert_eq!(tokens(), (users, own.clone()));
    let system = Caller::user(Secret::from("user-token"), TokenScope::System);
    neutron.port("p", &system, soon()).await.unwrap();
    assert_eq!(tokens(), (own, None));
}

#[tokio::test]
async fn a_refused_login_is_not_repeated_at_once() {
    let cloud = Cloud::start(|_: &Received| {
        let body = json!({"error": {"code": 401, "message": "It requires authentication."}});
        Reply::json(401, &body)
    })
    .await;
    let neutron = cloud.services().neutron().clone();
    for _ in 0..5 {
        let error = neutron
            .port("p", &Caller::service(), soon())
            .await
            .unwrap_err();
        assert_eq!(error.request.service, Service::Keystone);
        assert_eq!(
            chain(&error),
            format!(
                "Keystone could not log in user ironic (POST {}/v3/auth/tokens): HTTP 401 \
                 Unauthorized: It requires authentication.",
                cloud.url
            )
        );
        assert!(error.remedy().contains("[neutron]"), "{}", error.remedy());
        assert_eq!(error.sdk_text(), "It requires authentication. (HTTP 401)");
        assert!(!error.may_have_been_done());
    }
    assert_eq!(cloud.logins(), 1);
}

#[tokio::test]
async fn a_login_outlives_whoever_asked_for_it() {
    let gate = Arc::new(Notify::new());
    let held = Arc::clone(&gate);
    let cloud = Cloud::start(move |request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => Reply::Held(Arc::clone(&held), Box::new(by_the_cloud())),
        _ => port_reply(request),
    })
    .await;
    let neutron = cloud.services().neutron().clone();
    let first = tokio::spawn({
        let neutron = neutron.clone();
        async move { neutron.port("p", &Caller::service(), soon()).await }
    });
    while cloud.logins() == 0 {
        tokio::task::yield_now().await;
    }
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    let short = Deadline::after(Duration::from_millis(1));
    let late = neutron.port("p", &Caller::service(), short).await;
    let late = late.unwrap_err();
    assert!(matches!(late.reason, Reason::Timeout { .. }), "{late:?}");
    gate.notify_one();
    neutron.port("p", &Caller::service(), soon()).await.unwrap();
    assert_eq!(cloud.logins(), 1);
}

/// Whether a refusal is to our token or to the user's, no service tells.
#[tokio::test]
async fn a_refused_user_does_not_cost_our_token() {
    let cloud = Cloud::start(|request: &Received| match request.header("x-auth-token") {
        None => by_the_cloud(),
        Some("user-token") => Reply::status(401),
        Some(_) => port_reply(request),
    })
    .await;
    let neutron = cloud.services().neutron().clone();
    let user = Caller::user(Secret::from("user-token"), TokenScope::Project);
    for _ in 0..3 {
        let refused = neutron.port("p", &user, soon()).await.unwrap_err();
        assert!(matches!(refused.reason, Reason::Refused(_)), "{refused:?}");
    }
    assert_eq!((cloud.logins(), cloud.lines().len()), (1, 3));
    // One that has been in use for a while may be what was refused.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(61)).await;
    tokio::time::resume();
    for _ in 0..3 {
        neutron.port("p", &user, soon()).await.unwrap_err();
    }
    assert_eq!((cloud.logins(), cloud.lines().len()), (2, 7));
    assert_eq!(cloud.last().header("x-service-token"), Some("own-token-1"));
}

#[tokio::test]
async fn services_without_keystone_are_asked_at_their_override() {
    let cloud = Cloud::start(port_reply).await;
    let mut section = cloud.section();
    section.auth.auth_type = Some("none".into());
    let error = services(&section)
        .neutron()
        .port("p", &Caller::service(), soon())
        .await
        .unwrap_err();
    assert!(
        matches!(error.reason, Reason::NotConfigured(_)),
        "{error:?}"
    );
    section.endpoint_override = Some(format!("{}/plain", cloud.url));
    let user = Caller::user(Secret::from("user-token"), TokenScope::Project);
    let asked = services(&section);
    asked.neutron().port("p", &user, soon()).await.unwrap();
    assert_eq!(cloud.last().line(), "GET /plain/v2.0/ports/p");
    assert_eq!(cloud.last().header("x-auth-token"), Some("notused"));
    section.auth.auth_type = Some("http_basic".into());
    let asked = services(&section);
    asked.neutron().port("p", &user, soon()).await.unwrap();
    assert_eq!(
        cloud.last().header("authorization"),
        Some("Basic aXJvbmljOmh1bnRlcjI=")
    );
    assert_eq!(cloud.last().header("x-auth-token"), None);
    section.auth.auth_type = None;
    let error = services(&section)
        .neutron()
        .port("p", &user, soon())
        .await
        .unwrap_err();
    assert!(chain(&error).ends_with("auth_type is not set in [neutron]"));
    assert_eq!(cloud.logins(), 0);
}

#[tokio::test]
async fn a_service_that_is_not_in_the_catalogue_is_named() {
    let cloud = Cloud::start(|_: &Received| by_the_cloud()).await;
    let mut section = cloud.section();
    section.region_name = Some("Nowhere".into());
    let error = services(&section)
        .neutron()
        .port("p", &Caller::service(), soon())
        .await
        .unwrap_err();
    assert!(
        chain(&error).contains(
            "['internal', 'public'] endpoint for network service in Nowhere region not found"
        ),
        "{error:?}"
    );
    assert!(error.remedy().contains("region_name"));
}

#[tokio::test]
async fn garbage_from_keystone_is_no_login() {
    for reply in [
        Reply::text(201, "text/html", "<html>").with("x-subject-token", "t"),
        Reply::json(201, &json!({"token": {}})).with("x-subject-token", "t"),
        Reply::json(
            201,
            &json!({"token": {"expires_at": "2030-01-01T00:00:00Z"}}),
        ),
        Reply::status(302).with("location", "http://elsewhere/"),
    ] {
        let cloud = Cloud::start(move |_: &Received| reply.clone()).await;
        let neutron = cloud.services().neutron().clone();
        let error = neutron
            .port("p", &Caller::service(), soon())
            .await
            .unwrap_err();
        assert!(matches!(error.reason, Reason::Protocol(_)), "{error:?}");
    }
    let cloud = Cloud::start(|_: &Received| Reply::Silence).await;
    let neutron = cloud.services().neutron().clone();
    let short = Deadline::after(Duration::from_millis(100));
    let error = neutron
        .port("p", &Caller::service(), short)
        .await
        .unwrap_err();
    assert!(matches!(error.reason, Reason::Timeout { .. }), "{error:?}");
}

#[tokio::test]
async fn nothing_shows_a_secret() {
    let cloud = Cloud::start(by_path).await;
    let services = cloud.services();
    services
        .neutron()
        .port("p", &Caller::service(), soon())
        .await
        .unwrap();
    let shown = format!("{services:?}");
    assert!(
        !shown.contains(PASSWORD) && !shown.contains("own-token"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_closed_port_is_no_connection() {
    let cloud = Cloud::start(by_path).await;
    let mut section = cloud.section();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    section.endpoint_override = Some(format!("http://{}", listener.local_addr().unwrap()));
    drop(listener);
    section.connect_retries = Some(1);
    let asked = services(&section);
    let error = asked
        .neutron()
        .create_port(&body::unbind(), soon())
        .await
        .unwrap_err();
    assert!(
        matches!(error.reason, Reason::Unavailable(Outage::NotConnected(_))),
        "{error:?}"
    );
    assert!(!error.may_have_been_done() && error.is_temporary());
}
