//! Finding networks and groups, and taking ports apart.

use crate::{
    Caller, Reason, TokenScope,
    neutron::{PortFilter, Unbinding},
    testing::{Cloud, Received, Reply, by_the_cloud, soon},
};
use serde_json::{Value, json};

const UUID: &str = "dd3ad833-7c73-4acc-8ae5-303acbc0acf2";

fn networks(request: &Received) -> Reply {
    let network = |id: &str| json!({"id": id, "name": "x"});
    let list = |networks: Value| Reply::json(200, &json!({"networks": networks}));
    match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        "/network/v2.0/networks?name=once" => list(json!([network(UUID)])),
        "/network/v2.0/networks?name=in+the+cellar" => list(json!([network(UUID)])),
        "/network/v2.0/networks?name=twice" => list(json!([network("a"), network("b")])),
        path if path.starts_with("/network/v2.0/networks?") => list(json!([])),
        path if path.ends_with(UUID) => Reply::json(200, &json!({"network": network(UUID)})),
        _ => {
            let error = json!({"type": "NetworkNotFound", "message": "m", "detail": ""});
            Reply::json(404, &json!({"NeutronError": error}))
        }
    }
}

#[tokio::test]
async fn networks_are_found_by_uuid_or_name() {
    let cloud = Cloud::start(networks).await;
    let neutron = cloud.services().neutron().clone();
    let caller = Caller::service();
    for name in [UUID, "once", "in the cellar"] {
        let network = neutron.network(name, &caller, soon()).await.unwrap();
        assert_eq!(network.id, UUID);
    }
    assert_eq!(
        cloud.lines(),
        [
            format!("GET /network/v2.0/networks/{UUID}"),
            "GET /network/v2.0/networks/once".into(),
            "GET /network/v2.0/networks?name=once".into(),
            // Not a name that may be in a path.
            "GET /network/v2.0/networks?name=in+the+cellar".into(),
        ]
    );
    let error = neutron.network("twice", &caller, soon()).await.unwrap_err();
    assert_eq!(
        error.reason,
        Reason::Ambiguous(vec!["a".into(), "b".into()])
    );
    for absent in ["absent", "../ports"] {
        let error = neutron.network(absent, &caller, soon()).await.unwrap_err();
        assert!(error.is_not_found(), "{error:?}");
    }
}

#[tokio::test]
async fn missing_security_groups_are_named() {
    let cloud = Cloud::start(|request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        _ => Reply::json(200, &json!({"security_groups": [{"id": "a"}]})),
    })
    .await;
    let neutron = cloud.services().neutron().clone();
    let ids = ["a".to_owned(), "b".to_owned()];
    let missing = neutron.missing_security_groups(&ids, soon()).await;
    assert_eq!(missing.unwrap(), ["b"]);
    assert_eq!(
        cloud.lines(),
        ["GET /network/v2.0/security-groups?id=a&id=b"]
    );
    neutron.missing_security_groups(&[], soon()).await.unwrap();
    assert_eq!(cloud.lines().len(), 1);
}

#[tokio::test]
async fn ports_are_unbound_before_their_address_is_reset() {
    let cloud = Cloud::start(|request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        "/network/v2.0/ports/gone" => Reply::status(404),
        path if path.contains('?') => Reply::json(200, &json!({"ports": []})),
        _ => Reply::json(200, &json!({"port": {"id": "p", "network_id": "n"}})),
    })
    .await;
    let neutron = cloud.services().neutron().clone();
    let caller = Caller::service();
    let mac = "52:54:00:00:10:0a".parse().ok();
    let unbound = neutron.unbind_port("p", "a", mac, &caller, soon()).await;
    assert_eq!(unbound.unwrap(), Unbinding::Done);
    let received = cloud.received();
    let bodies: Vec<Value> = received
        .iter()
        .filter(|request| request.method == "PUT")
        .map(Received::json)
        .collect();
    assert_eq!(
        bodies,
        [
            json!({"port": {"binding:host_id": "", "binding:profile": {}}}),
            json!({"port": {"mac_address": null}}),
        ]
    );
    let unbound = neutron.unbind_port("gone", "a", mac, &caller, soon()).await;
    assert_eq!(unbound.unwrap(), Unbinding::Gone);
    assert!(!neutron.delete_port("gone", soon()).await.unwrap());
    assert!(neutron.delete_port("p", soon()).await.unwrap());
    let filter = PortFilter {
        mac_addresses: mac.into_iter().collect(),
        network: Some(UUID.into()),
        device: None,
    };
    assert!(neutron.ports(&filter, soon()).await.unwrap().is_empty());
    assert_eq!(
        cloud.last().line(),
        format!(
            "GET /network/v2.0/ports?mac_address=52%3A54%3A00%3A00%3A10%3A0a&network_id={UUID}"
        )
    );
}

#[tokio::test]
async fn a_port_that_another_host_has_is_left_alone() {
    let cloud = Cloud::start(|request: &Received| {
        let mut port = json!({"id": "p", "network_id": "n", "mac_address": "fa:16:3e:00:00:01"});
        // Users who are no administrators do not see how ports are bound.
        if request.header("x-auth-token") != Some("user-token") {
            port["binding:host_id"] = json!("b");
        }
        match request.path.as_str() {
            "/v3/auth/tokens" => by_the_cloud(),
            _ => Reply::json(200, &json!({"port": port})),
        }
    })
    .await;
    let neutron = cloud.services().neutron().clone();
    let mac = "52:54:00:00:10:0a".parse().ok();
    let user = Caller::user("user-token".into(), TokenScope::Project);
    for caller in [Caller::service(), user] {
        let unbound = neutron.unbind_port("p", "a", mac, &caller, soon()).await;
        assert_eq!(unbound.unwrap(), Unbinding::Elsewhere("b".into()));
    }
    assert!(cloud.lines().iter().all(|line| line.starts_with("GET ")));
    let service = Caller::service();
    let unbound = neutron.unbind_port("p", "b", mac, &service, soon()).await;
    assert_eq!(unbound.unwrap(), Unbinding::Done);
}
