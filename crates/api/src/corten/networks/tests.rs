//! Networks as administrators see them, without a conductor that serves them.

use crate::testing::{Answer, Service};
use serde_json::{Value, json};
use store::dhcp_lease;
use types::{Timestamp, site_network::DhcpLease};

const ROOT: &str = "/corten/v1/networks";

async fn create(service: &Service, body: Value) -> Answer {
    service.send("POST", ROOT, 1, body).await
}

async fn with_rack1() -> Service {
    let service = Service::new();
    let body = json!({
        "name": "rack1", "prefix": "10.0.1.0/24", "vlan": 101, "ranges": ["10.0.1.100-10.0.1.199"],
        "gateway": "10.0.1.1", "dns_servers": ["10.0.0.53"], "domain": "rack1.example.org",
        "mtu": 1500, "interface": "eth1",
    });
    let made = create(&service, body).await;
    assert_eq!(made.status, 201, "{made:?}");
    service
}

#[tokio::test]
async fn a_network_is_made_changed_and_removed() {
    let service = with_rack1().await;
    let shown = service.get(&format!("{ROOT}/rack1"), 1).await.json();
    assert_eq!(shown["prefix"], "10.0.1.0/24");
    assert_eq!(shown["lease_seconds"], 3600);
    assert_eq!(shown["served_by"], Value::Null);
    let path = format!("{ROOT}/rack1");
    let changes = json!({"gateway": null, "lease_seconds": 600, "ranges": ["10.0.1.50-10.0.1.59"]});
    let changed = service.send("PATCH", &path, 1, changes).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let changed = changed.json();
    assert_eq!(
        (
            &changed["gateway"],
            &changed["lease_seconds"],
            &changed["ranges"]
        ),
        (&Value::Null, &json!(600), &json!(["10.0.1.50-10.0.1.59"]))
    );
    let listed = service.get(ROOT, 1).await.json();
    assert_eq!(listed["networks"].as_array().unwrap().len(), 1);
    let removed = service.send("DELETE", &path, 1, Value::Null).await;
    assert_eq!(removed.status, 204, "{removed:?}");
    assert_eq!(service.get(&path, 1).await.status, 404);
}

#[tokio::test]
async fn conflicts_and_mistakes_are_named_and_change_nothing() {
    let service = with_rack1().await;
    for (body, status, why) in [
        (
            json!({"name": "rack1", "prefix": "10.0.9.0/24"}),
            409,
            "rack1 already exists",
        ),
        (
            json!({"name": "a", "prefix": "10.0.0.0/16"}),
            409,
            "overlaps 10.0.1.0/24",
        ),
        (
            json!({"name": "a", "prefix": "10.0.1.128/25"}),
            409,
            "network rack1",
        ),
        (
            json!({"name": "A", "prefix": "10.0.9.0/24"}),
            400,
            "cannot be the name",
        ),
        (
            json!({"name": "a", "prefix": "10.0.9.7/24"}),
            400,
            "say 10.0.9.0/24",
        ),
        (json!({"name": "a"}), 400, "prefix"),
        (
            json!({"name": "a", "prefix": "10.0.9.0/24", "ranges": ["10.0.8.1-10.0.8.9"]}),
            400,
            "is not inside prefix",
        ),
        (
            json!({"name": "a", "prefix": "10.0.9.0/24", "gateway": "10.0.8.1"}),
            400,
            "gateway 10.0.8.1 is not inside",
        ),
        (
            json!({"name": "a", "prefix": "10.0.9.0/24", "dns_servers": ["x"]}),
            400,
            "dns_servers: ",
        ),
        (
            json!({"name": "a", "prefix": "10.0.9.0/24", "more": 1}),
            400,
            "more",
        ),
        (
            json!({"name": "a", "prefix": "fd00::/64", "mtu": 1500}),
            400,
            "mtu",
        ),
    ] {
        let refused = create(&service, body.clone()).await;
        assert_eq!(refused.status, status, "{body}: {refused:?}");
        assert!(refused.fault().contains(why), "{body}: {refused:?}");
    }
    let path = format!("{ROOT}/rack1");
    let wrong = json!({"prefix": "10.0.2.0/24"});
    let refused = service.send("PATCH", &path, 1, wrong).await;
    assert_eq!(
        refused.status, 400,
        "the range is outside then: {refused:?}"
    );
    let shown = service.get(&path, 1).await.json();
    assert_eq!(shown["prefix"], "10.0.1.0/24");
    let listed = service.get(ROOT, 1).await.json();
    assert_eq!(listed["networks"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn networks_of_the_configuration_are_not_overlapped() {
    let service = Service::with(crate::Settings {
        configured_networks: vec!["10.0.0.0/16".parse().unwrap()],
        ..crate::Settings::default()
    });
    let refused = create(&service, json!({"name": "a", "prefix": "10.0.7.0/24"})).await;
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(refused.fault().contains("dhcp_networks"), "{refused:?}");
    let made = create(&service, json!({"name": "a", "prefix": "10.1.0.0/24"})).await;
    assert_eq!(made.status, 201, "{made:?}");
}

#[tokio::test]
async fn addresses_are_reserved_once() {
    let service = with_rack1().await;
    let path = format!("{ROOT}/rack1/reservations");
    let reserve = async |port: &str, address: &str| {
        let body = json!({"port": port, "address": address});
        service.send("POST", &path, 1, body).await
    };
    let (one, two) = ("52:54:00:00:00:01", "52:54:00:00:00:02");
    let taken = DhcpLease {
        address: "10.0.1.120".parse().unwrap(),
        mac: "52:54:00:00:00:07".parse().unwrap(),
        until: Timestamp::now().plus_seconds(600),
    };
    let written = dhcp_lease::apply(&service.db, "c1", vec![taken], Vec::new());
    written.await.unwrap();
    for _ in 0..2 {
        assert_eq!(reserve(one, "10.0.1.20").await.status, 201);
    }
    for (port, address, status, why) in [
        (
            one,
            "10.0.1.21",
            409,
            "10.0.1.20 is reserved for 52:54:00:00:00:01",
        ),
        (two, "10.0.1.20", 409, "is reserved for 52:54:00:00:00:01"),
        (two, "10.0.1.120", 409, "52:54:00:00:00:07 has 10.0.1.120"),
        (two, "10.0.2.20", 400, "not inside 10.0.1.0/24"),
        (two, "10.0.1.1", 400, "its gateway"),
        (two, "10.0.1.255", 400, "no machine's"),
        (two, "x", 400, "no IP address"),
        ("nothing", "10.0.1.22", 404, "nothing"),
    ] {
        let refused = reserve(port, address).await;
        assert_eq!(refused.status, status, "{address}: {refused:?}");
        assert!(refused.fault().contains(why), "{address}: {refused:?}");
    }
    let listed = service.get(&path, 1).await.json();
    assert_eq!(listed["reservations"][0]["address"], "10.0.1.20");
    assert_eq!(listed["reservations"].as_array().unwrap().len(), 1);
    let wrong = json!({"prefix": "10.0.2.0/24", "ranges": [], "gateway": null});
    let refused = service
        .send("PATCH", &format!("{ROOT}/rack1"), 1, wrong)
        .await;
    assert_eq!(refused.status, 409, "{refused:?}");
    let one_path = format!("{path}/10.0.1.20");
    assert_eq!(
        service
            .send("DELETE", &one_path, 1, Value::Null)
            .await
            .status,
        204
    );
    assert_eq!(
        service
            .send("DELETE", &one_path, 1, Value::Null)
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn leases_are_listed_page_by_page() {
    let service = with_rack1().await;
    let made = create(&service, json!({"name": "rack2", "prefix": "10.0.2.0/24"})).await;
    assert_eq!(made.status, 201, "{made:?}");
    let node = types::Node::new(types::NodeId::generate(), "fake-hardware");
    let node = service
        .store_node(types::Node {
            name: Some("n1".into()),
            ..node
        })
        .await;
    let port = types::Port::new(
        types::PortId::generate(),
        node.id,
        "02:00:00:00:00:05".parse().unwrap(),
    );
    let log = store::node::Log::default();
    store::port::insert(&service.db, port, log).await.unwrap();
    let lease = |net: u8, number: u8, seconds: i64| DhcpLease {
        address: [10, 0, net, number].into(),
        mac: [2, 0, 0, 0, 0, number].into(),
        until: Timestamp::now().plus_seconds(seconds),
    };
    let mut all: Vec<_> = (5..25).map(|number| lease(1, number, 600)).collect();
    // Others: of another network, and one that ended.
    all.extend([lease(2, 5, 600), lease(1, 4, -1)]);
    dhcp_lease::apply(&service.db, "c1", all, Vec::new())
        .await
        .unwrap();
    // A conductor that had the network before.
    let older = vec![lease(1, 6, 60)];
    dhcp_lease::apply(&service.db, "c0", older, Vec::new())
        .await
        .unwrap();
    let path = format!("{ROOT}/rack1/leases");
    let mut after = String::new();
    let mut seen = Vec::new();
    loop {
        let page = service
            .get(&format!("{path}?limit=7{after}"), 1)
            .await
            .json();
        let rows = page["leases"].as_array().unwrap().clone();
        let Some(next) = page["next"].as_str() else {
            assert!(rows.is_empty());
            break;
        };
        after = format!("&marker={next}");
        seen.extend(rows);
    }
    assert_eq!(seen.len(), 20, "{seen:?}");
    assert_eq!(
        (&seen[0]["address"], &seen[0]["node_name"]),
        (&json!("10.0.1.5"), &json!("n1"))
    );
    assert_eq!(
        (&seen[0]["kind"], &seen[1]["conductor"]),
        (&json!("leased"), &json!("c1"))
    );
    assert_eq!(seen[1]["port_uuid"], Value::Null);
    let all = service.get("/corten/v1/leases", 1).await.json();
    assert_eq!(all["leases"].as_array().unwrap().len(), 21);
    assert_eq!(service.get(&format!("{path}?limit=0"), 1).await.status, 400);
    let removed = service
        .send("DELETE", &format!("{ROOT}/rack1"), 1, Value::Null)
        .await;
    assert_eq!(removed.status, 409, "{removed:?}");
    let forced = format!("{ROOT}/rack1?force=true");
    assert_eq!(
        service.send("DELETE", &forced, 1, Value::Null).await.status,
        204
    );
}

#[tokio::test]
async fn readers_of_the_system_see_networks_and_others_do_not() {
    let service = Service::guarded();
    for (persona, get, post) in [
        ("admin@system", 200, 201),
        ("reader@system", 200, 403),
        ("reader@p1", 403, 403),
    ] {
        let seen = service.send_as(persona, "GET", ROOT, Value::Null).await;
        assert_eq!(seen.status, get, "{persona}: {seen:?}");
        let body = json!({"name": "a", "prefix": "10.0.0.0/24"});
        let made = service.send_as(persona, "POST", ROOT, body).await;
        assert_eq!(made.status, post, "{persona}: {made:?}");
    }
}
