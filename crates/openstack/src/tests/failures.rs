//! What becomes of bad answers.

use crate::{
    Caller, ConflictCode, Deadline, Error, Outage, Reason, TokenScope,
    neutron::{Port, body},
    testing::{Cloud, Received, Reply, by_the_cloud, services, soon},
};
use bytes::Bytes;
use serde_json::json;
use std::time::Duration;

fn good() -> Reply {
    Reply::json(200, &json!({"port": {"id": "p", "network_id": "n"}}))
}

/// A cloud whose Neutron answers by `replies` in turn, then well.
async fn cloud(replies: &[Reply]) -> Cloud {
    let replies = replies.to_vec();
    Cloud::start(move |request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        _ => replies.get(request.earlier).cloned().unwrap_or_else(good),
    })
    .await
}

async fn show(cloud: &Cloud) -> Result<Port, Error> {
    let neutron = cloud.services().neutron().clone();
    neutron.port("p", &Caller::service(), soon()).await
}

async fn create(cloud: &Cloud) -> Result<Port, Error> {
    let neutron = cloud.services().neutron().clone();
    neutron.create_port(&body::unbind(), soon()).await
}

#[tokio::test]
async fn every_status_has_its_reason() {
    let bound = json!({"NeutronError": {"type": "PortBound", "message": "m", "detail": ""}});
    for (status, body) in [
        (
            400,
            json!({"NeutronError": {"type": "Bad", "message": "m"}}),
        ),
        (
            403,
            json!({"NeutronError": {"type": "PolicyNotAuthorized", "message": "m"}}),
        ),
        (
            404,
            json!({"NeutronError": {"type": "PortNotFound", "message": "m"}}),
        ),
        (409, bound),
        (413, json!({})),
        (
            500,
            json!({"NeutronError": {"type": "Lab", "message": "m"}}),
        ),
    ] {
        let cloud = cloud(&[Reply::json(status, &body)]).await;
        let error = show(&cloud).await.unwrap_err();
        let fits = match status {
            403 => matches!(error.reason, Reason::Refused(_)),
            404 => error.is_not_found(),
            409 => matches!(
                error.reason,
                Reason::Conflict {
                    code: ConflictCode::PortBound,
                    ..
                }
            ),
            500 => matches!(error.reason, Reason::Unavailable(Outage::Answered(_))),
            _ => matches!(error.reason, Reason::Rejected(_)),
        };
        assert!(fits, "{status}: {error:?}");
        assert_eq!(cloud.lines().len(), 1, "{status} is not repeated");
    }
}

#[tokio::test]
async fn busy_services_are_asked_again_where_that_is_safe() {
    let busy = Reply::text(503, "text/plain", "busy");
    let later = busy.clone().with("retry-after", "0");
    show(&cloud(&[busy.clone(), busy.clone()]).await)
        .await
        .unwrap();
    // Three attempts, and no more.
    let stubborn = cloud(&vec![busy.clone(); 5]).await;
    let error = show(&stubborn).await.unwrap_err();
    assert_eq!(stubborn.lines().len(), 3);
    let url = format!("{}/network/v2.0/ports/p", stubborn.url);
    assert_eq!(
        error.sdk_text(),
        format!("HttpException: 503: Server Error for url: {url}, busy")
    );
    create(&cloud(&[later.clone(), later]).await).await.unwrap();
    create(&cloud(&[Reply::status(429)]).await).await.unwrap();
    let once = cloud(std::slice::from_ref(&busy)).await;
    let error = create(&once).await.unwrap_err();
    assert!(error.may_have_been_done());
    assert_eq!(once.lines().len(), 1);
    // With the option, every method is repeated, as with Ironic.
    let cloud = cloud(&[busy.clone(), busy]).await;
    let mut section = cloud.section();
    section.status_code_retries = Some(2);
    let neutron = services(&section).neutron().clone();
    neutron.create_port(&body::unbind(), soon()).await.unwrap();
    assert_eq!(cloud.lines().len(), 3);
}

#[tokio::test]
async fn lost_connections_are_made_again_where_that_is_safe() {
    show(&cloud(&[Reply::Closed]).await).await.unwrap();
    let cloud = cloud(&[Reply::Closed]).await;
    let error = create(&cloud).await.unwrap_err();
    assert!(
        matches!(error.reason, Reason::Unavailable(Outage::Broken(_))),
        "{error:?}"
    );
    assert!(error.may_have_been_done());
    assert_eq!(cloud.lines().len(), 1);
}

#[tokio::test]
async fn silence_ends_at_the_deadline() {
    let cloud = Cloud::start(|request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        _ if request.method == "POST" => Reply::Silence,
        _ => good(),
    })
    .await;
    let neutron = cloud.services().neutron().clone();
    // Logged in, so that the deadline is for the call alone.
    neutron.port("p", &Caller::service(), soon()).await.unwrap();
    let short = Deadline::after(Duration::from_millis(200));
    let error = neutron
        .create_port(&body::unbind(), short)
        .await
        .unwrap_err();
    assert!(
        matches!(error.reason, Reason::Timeout { was_sent: true, .. }),
        "{error:?}"
    );
    assert!(error.may_have_been_done());
}

#[tokio::test]
async fn answers_that_make_no_sense_are_refused() {
    let bomb = format!("{{\"port\": [{}0]}}", "[0],".repeat(400_000));
    let cut = Reply::CutOff {
        announced: 1000,
        body: Bytes::from_static(b"{\"port\":"),
    };
    for (reply, expected) in [
        (Reply::Endless, "TooLarge"),
        (Reply::text(200, "application/json", &bomb), "TooLarge"),
        (Reply::text(200, "application/json", "{"), "Protocol"),
        (Reply::text(200, "text/html", "<html>"), "Protocol"),
        (Reply::json(200, &json!({"port": {}})), "Protocol"),
        (Reply::status(204), "Protocol"),
        (
            Reply::status(302).with("location", "http://127.0.0.1:9/steal"),
            "Protocol",
        ),
        (cut, "Unavailable"),
    ] {
        let cloud = cloud(&[reply]).await;
        let error = show(&cloud).await.unwrap_err();
        let name = format!("{:?}", error.reason);
        assert!(name.starts_with(expected), "{name}");
        assert_eq!(cloud.lines().len(), 1);
    }
}

#[tokio::test]
async fn identifiers_of_users_cannot_reach_other_objects() {
    let cloud = cloud(&[]).await;
    let neutron = cloud.services().neutron().clone();
    for id in ["..", "../agents", "a%2fb", "p?x=y", "", "p#x", "p\r\nx"] {
        let error = neutron
            .port(id, &Caller::service(), soon())
            .await
            .unwrap_err();
        assert!(error.is_not_found(), "{error:?}");
        let deleted = neutron.delete_port(id, soon()).await.unwrap();
        assert!(!deleted);
    }
    assert!(cloud.lines().is_empty() && cloud.logins() == 0);
}

/// As the error pages of some frameworks do.
#[tokio::test]
async fn services_that_repeat_the_request_give_no_secret_away() {
    let cloud = Cloud::start(|request: &Received| {
        let header = |name| request.header(name).unwrap_or_default().to_owned();
        let tokens = [header("x-auth-token"), header("x-service-token")].join(" and ");
        match request.path.as_str() {
            "/v3/auth/tokens" if request.earlier == 0 => by_the_cloud(),
            "/v3/auth/tokens" => Reply::text(400, "text/plain", "no hunter2 here"),
            _ => Reply::text(400, "text/html", &format!("<p>{tokens} are wrong</p>")),
        }
    })
    .await;
    let caller = Caller::user("users-token".into(), TokenScope::Project);
    let glance = cloud.services().glance().clone();
    let shown = glance.image("i", &caller, soon()).await;
    let text = types::error::chain(&shown.unwrap_err());
    let sent = cloud.received();
    let own = sent.iter().find_map(|one| one.header("x-service-token"));
    assert!(text.contains("****** and ****** are wrong"), "{text}");
    assert!(!text.contains(own.unwrap()) && !text.contains("users-token"));
    let glance = cloud.services().glance().clone();
    let refused = glance.image("i", &Caller::service(), soon()).await;
    let text = types::error::chain(&refused.unwrap_err());
    assert!(text.contains("no ****** here"), "{text}");
}
