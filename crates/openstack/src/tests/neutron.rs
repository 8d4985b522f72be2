//! Finding networks and groups, and taking ports apart.

use crate::{
    Caller, Reason,
    neutron::PortFilter,
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
    assert!(
        neutron
            .unbind_port("p", true, &caller, soon())
            .await
            .unwrap()
    );
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
    assert!(
        !neutron
            .unbind_port("gone", true, &caller, soon())
            .await
            .unwrap()
    );
    assert!(!neutron.delete_port("gone", soon()).await.unwrap());
    assert!(neutron.delete_port("p", soon()).await.unwrap());
    let filter = PortFilter {
        mac_addresses: vec!["52:54:00:00:10:0a".parse().unwrap()],
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
