//! Who may point a node elsewhere, and what has to come along.

use crate::{settings::Settings, testing::Service};
use serde_json::{Value, json};
use types::{Node, NodeId};

async fn owned(service: &Service) -> String {
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.owner = Some("p1".into());
    node.driver_info = json!({
        "redfish_address": "https://bmc", "redfish_username": "root",
        "redfish_password": "hunter2", "redfish_verify_ca": true,
        "ipmi_address": "bmc", "ipmi_password": "hunter3", "ipmi_port": 623,
        "snmp_address": "strip",
        "vnc_address": "bmc", "vnc_password": "hunter4",
        "seamicro_api_endpoint": "http://bmc/v2.0", "seamicro_password": "hunter5",
        "cimc_address": "bmc", "cimc_password": "hunter6",
        "amt_address": "bmc", "amt_password": "hunter7", "drac_address": "bmc", "drac_password": "hunter8",
        "ssh_address": "bmc", "ssh_key_contents": "hunter7",
    })
    .as_object()
    .unwrap()
    .clone();
    format!("/v1/nodes/{}", service.store_node(node).await.id)
}

fn set(pairs: Value) -> Value {
    let operations = pairs.as_object().unwrap().iter().map(
        |(key, value)| json!({"op": "add", "path": format!("/driver_info/{key}"), "value": value}),
    );
    Value::Array(operations.collect())
}

#[tokio::test]
async fn whoever_moves_a_bmc_without_seeing_its_password_brings_it_along() {
    let service = Service::guarded();
    for (change, needed) in [
        (
            json!({"redfish_address": "http://evil"}),
            "redfish_password",
        ),
        (json!({"redfish_system_id": "/evil"}), "redfish_password"),
        (json!({"redfish_verify_ca": false}), "redfish_password"),
        (json!({"ipmi_port": 6230}), "ipmi_password"),
        (
            json!({"seamicro_api_endpoint": "http://evil/v2.0"}),
            "seamicro_password",
        ),
        (json!({"cimc_address": "evil"}), "cimc_password"),
        (json!({"amt_protocol": "http"}), "amt_password"),
        (json!({"drac_host": "evil"}), "drac_password"),
        (json!({"ssh_verify_host_key": false}), "ssh_key_contents"),
        (json!({"vnc_address": "evil"}), "vnc_password"),
        (
            json!({"redfish_address": "https://x", "redfish_password": "mine"}),
            "vnc_password",
        ),
        (
            json!({"ipmi_address": "evil", "redfish_password": "mine"}),
            "ipmi_password",
        ),
        (
            json!({
                "redfish_address": "https://x", "redfish_password": "mine",
                "vnc_password": "mine too",
            }),
            "",
        ),
        (
            json!({"redfish_username": "other", "snmp_address": "other"}),
            "",
        ),
        (json!({"redfish_address": "https://bmc"}), ""),
    ] {
        let node = owned(&service).await;
        for persona in ["member@p1", "admin@p1", "member@system"] {
            let answer = service
                .send_as(persona, "PATCH", &node, set(change.clone()))
                .await;
            if needed.is_empty() {
                assert_eq!(answer.status, 200, "{persona} {change}: {}", answer.text);
            } else {
                assert_eq!(answer.status, 400, "{persona} {change}");
                assert!(answer.fault().ends_with(needed), "{}", answer.fault());
            }
        }
        // Whoever enrols nodes for everybody is not asked.
        let answer = service
            .send_as("admin@system", "PATCH", &node, set(change))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let node = owned(&service).await;
    let whole =
        json!([{"op": "replace", "path": "/driver_info", "value": {"redfish_address": "x"}}]);
    let answer = service.send_as("member@p1", "PATCH", &node, whole).await;
    assert_eq!(answer.status, 200, "the secrets are gone with the rest");
}

/// The password of an address is sealed in the row and open in the request, and is no place.
#[tokio::test]
async fn another_password_in_the_same_address_moves_nothing() {
    let service = Service::guarded();
    let node = owned(&service).await;
    let place = |address: &str| set(json!({"redfish_address": address}));
    let first = place("https://root:one@bmc");
    let answer = service.send_as("admin@system", "PATCH", &node, first).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(
        answer.text.contains("https://root:******@bmc"),
        "{}",
        answer.text
    );
    for (address, status) in [
        ("https://root:one@bmc", 200),
        ("https://root:two@bmc", 200),
        ("https://other:two@bmc", 400),
        ("https://root:two@evil", 400),
    ] {
        let answer = service
            .send_as("member@p1", "PATCH", &node, place(address))
            .await;
        assert_eq!(answer.status, status, "{address}: {}", answer.text);
    }
}

#[tokio::test]
async fn moving_is_free_where_the_operator_wants_it_or_shows_passwords() {
    let change = set(json!({"redfish_address": "http://other"}));
    let shown = Service::guarded_by("show_password: \"role:member\"");
    let node = owned(&shown).await;
    let answer = shown
        .send_as("member@p1", "PATCH", &node, change.clone())
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let open = Service::with(Settings::default());
    let node = owned(&open).await;
    let answer = open.send("PATCH", &node, 115, change).await;
    assert_eq!(answer.status, 200, "nobody is a tenant here");
}

#[tokio::test]
async fn only_operators_name_files_of_authorities_anywhere() {
    let service = Service::guarded();
    for path in ["/dev", "/etc/shadow", "/etc/ssl/certs/../private", "../x"] {
        let info = json!({"driver": "fake-hardware", "driver_info": {"agent_verify_ca": path}});
        let new = service.send_as("admin@p1", "POST", "/v1/nodes", info).await;
        assert_eq!(new.status, 400, "{path}");
        assert!(new.fault().contains("[corten]verify_ca_paths"));
        let node = owned(&service).await;
        let change = set(json!({"redfish_verify_ca": path, "redfish_password": "x"}));
        for (persona, status) in [("member@p1", 400), ("admin@system", 200)] {
            let answer = service
                .send_as(persona, "PATCH", &node, change.clone())
                .await;
            assert_eq!(answer.status, status, "{persona} {path}");
        }
    }
    for word in [json!("/etc/ssl/certs/a.pem"), json!("no"), json!(false)] {
        let info = json!({"driver": "fake-hardware", "driver_info": {"redfish_verify_ca": word}});
        let new = service.send_as("admin@p1", "POST", "/v1/nodes", info).await;
        assert_eq!(new.status, 201, "{word}: {}", new.text);
    }
}
