//! Requests go to whom the ring says, and to somebody else when that one is gone.

use super::{Cluster, Process, S, asks, database, enroll, eventually, reaches};
use crate::database::Engine;
use serde_json::json;
use types::ring::{Ring, Shape};

every_server!(
    a_life_goes_through_an_api_and_a_conductor,
    every_node_is_served_by_whom_the_ring_names,
    the_nodes_of_whoever_stops_or_dies_are_served_by_the_others,
    groups_are_served_by_their_own_conductors,
    whole_services_form_a_cluster_too
);

pub(super) fn owner(hosts: &[&str], node: &str) -> String {
    let ring = Ring::new(hosts.iter().map(|&host| host.to_owned()), Shape::default());
    ring.owner(node.parse().unwrap()).unwrap().to_owned()
}

async fn a_life_goes_through_an_api_and_a_conductor(engine: Engine) {
    let cluster = Cluster::start(engine, &["c1"], &[]).await;
    let client = cluster.client();
    let node = enroll(
        client,
        json!({"driver_info": {"ipmi_password": "s3cret-canary"}}),
    )
    .await;
    for (verb, state) in [
        ("manage", S::Manageable),
        ("provide", S::Available),
        ("active", S::Active),
        ("deleted", S::Available),
    ] {
        asks(client, &node, verb).await.expect(202);
        reaches(client, &node, state).await;
    }
    let path = format!("/v1/nodes/{node}");
    let shown = client.get(&path).await.expect(200).json();
    assert_eq!(shown["conductor"], json!("c1"));
    assert_eq!(shown["driver_info"]["ipmi_password"], json!("******"));
    let port = json!({"node_uuid": node, "address": "52:54:00:00:00:01"});
    let port = client.post("/v1/ports", port).await.expect(201).json();
    let port = format!("/v1/ports/{}", port["uuid"].as_str().unwrap());
    let renamed = json!([{"op": "replace", "path": "/extra", "value": {"a": 1}}]);
    let changed = client.patch(&port, renamed).await.expect(200).json();
    assert_eq!(changed["extra"], json!({"a": 1}));
    client.delete(&port).await.expect(204);
    client.delete(&path).await.expect(204);
    client.get(&path).await.expect(404);
    for process in [&cluster.api, cluster.conductor("c1")] {
        assert!(!process.log().contains("s3cret-canary"));
    }
    cluster.stop().await;
}

async fn every_node_is_served_by_whom_the_ring_names(engine: Engine) {
    let hosts = ["c1", "c2", "c3"];
    let cluster = Cluster::start(engine, &hosts, &[]).await;
    let second = Process::start(&cluster.database, "api", "api-2", &[]).await;
    cluster.sees(&second, &hosts).await;
    let mut nodes = Vec::new();
    for _ in 0..30 {
        nodes.push(enroll(cluster.client(), json!({})).await);
    }
    for node in &nodes {
        let expected = owner(&hosts, node);
        let path = format!("/v1/nodes/{node}");
        for client in [cluster.client(), &second.client] {
            let shown = client.get(&path).await.expect(200).json();
            assert_eq!(shown["conductor"], json!(expected));
        }
        // Who wrote the row has told so in its log.
        for conductor in &cluster.conductors {
            let wrote = conductor.log().contains(node.as_str());
            assert_eq!(
                wrote,
                conductor.name == expected,
                "{} {node}",
                conductor.name
            );
        }
        asks(&second.client, node, "manage").await.expect(202);
    }
    for node in &nodes {
        reaches(&second.client, node, S::Manageable).await;
    }
    let drivers = second.client.get("/v1/drivers").await.expect(200).json();
    assert_eq!(drivers["drivers"][0]["hosts"], json!(hosts));
    let of_c2 = second
        .client
        .get("/v1/nodes?conductor=c2")
        .await
        .expect(200);
    let of_c2 = of_c2.json()["nodes"].as_array().unwrap().len();
    let expected = nodes.iter().filter(|node| owner(&hosts, node) == "c2");
    assert_eq!(of_c2, expected.count());
    second.stop().await;
    cluster.stop().await;
}

async fn the_nodes_of_whoever_stops_or_dies_are_served_by_the_others(engine: Engine) {
    let hosts = ["c1", "c2", "c3"];
    let sets = ["corten.membership_ttl=10"];
    let mut cluster = Cluster::start(engine, &hosts, &sets).await;
    let mut nodes = Vec::new();
    for _ in 0..20 {
        nodes.push(enroll(cluster.client(), json!({})).await);
    }
    // One that stops says so: nobody notices.
    let gone = cluster.conductors.remove(0);
    gone.stop().await;
    for node in &nodes {
        let path = format!("/v1/nodes/{node}/maintenance");
        let reason = json!({"reason": "because"});
        cluster.client().put(&path, reason).await.expect(202);
    }
    cluster.sees(&cluster.api, &["c2", "c3"]).await;
    // One that is killed does not: its nodes cannot be asked for until it counts as dead.
    cluster.conductors.remove(0).kill().await;
    for node in &nodes {
        let path = format!("/v1/nodes/{node}/maintenance");
        eventually("the last one serves all", async || {
            let answer = cluster.client().delete(&path).await;
            assert!(matches!(answer.status, 202 | 503), "{}", answer.text());
            answer.status == 202
        })
        .await;
        let shown = cluster.client().get(&format!("/v1/nodes/{node}")).await;
        let shown = shown.expect(200).json();
        assert_eq!(shown["conductor"], json!("c3"));
        assert_eq!(shown["maintenance"], json!(false));
    }
    // With nobody left there is nobody to ask.
    cluster.conductors.remove(0).stop().await;
    let path = format!("/v1/nodes/{}/maintenance", nodes[0]);
    let answer = cluster.client().put(&path, json!({})).await.expect(503);
    assert!(
        answer.fault().contains("temporarily unavailable"),
        "{}",
        answer.fault()
    );
    let shown = cluster
        .client()
        .get(&format!("/v1/nodes/{}", nodes[0]))
        .await;
    assert_eq!(shown.expect(200).json()["conductor"], json!(null));
    let drivers = cluster.client().get("/v1/drivers").await.expect(200).json();
    assert_eq!(drivers["drivers"], json!([]));
    // And whoever comes back serves them all again.
    cluster.join("c1", &sets).await;
    cluster.client().put(&path, json!({})).await.expect(202);
    cluster.stop().await;
}

async fn groups_are_served_by_their_own_conductors(engine: Engine) {
    let mut cluster = Cluster::start(engine, &["c1"], &[]).await;
    let east = ["conductor.conductor_group=East"];
    cluster.join("c-east", &east).await;
    cluster.sees(&cluster.api, &["c1", "c-east"]).await;
    let client = cluster.client();
    let in_group = |group: &str| json!({"driver": "fake-hardware", "conductor_group": group});
    for (group, host) in [("", "c1"), ("east", "c-east")] {
        let node = enroll(client, in_group(group)).await;
        let shown = client
            .get(&format!("/v1/nodes/{node}"))
            .await
            .expect(200)
            .json();
        assert_eq!(shown["conductor"], json!(host));
        assert_eq!(shown["conductor_group"], json!(group));
    }
    // Ironic lower-cases the group of a new node too late to find its conductor.
    for group in ["West", "EAST"] {
        let refused = client.post("/v1/nodes", in_group(group)).await.expect(400);
        let expected = format!(
            "No valid host was found. Reason: No conductor service registered which supports \
             driver fake-hardware for conductor group \"{group}\". Ensure the driver is valid and \
             enabled."
        );
        assert_eq!(refused.fault(), expected);
    }
    // A node that changes its group changes its conductor.
    let node = enroll(client, in_group("")).await;
    let path = format!("/v1/nodes/{node}");
    let moved = json!([{"op": "replace", "path": "/conductor_group", "value": "East"}]);
    let shown = client.patch(&path, moved).await.expect(200).json();
    assert_eq!(shown["conductor"], json!("c-east"));
    asks(client, &node, "manage").await.expect(202);
    reaches(client, &node, S::Manageable).await;
    let shown = client.get("/v1/conductors/c-east").await.expect(200).json();
    assert_eq!(shown["conductor_group"], json!("east"));
    cluster.stop().await;
}

/// `corten serve` is an API and a conductor of the same cluster.
async fn whole_services_form_a_cluster_too(engine: Engine) {
    let database = database(engine);
    let hosts = ["s1", "s2"];
    let first = Process::start(&database, "serve", "s1", &[]).await;
    let second = Process::start(&database, "serve", "s2", &[]).await;
    for process in [&first, &second] {
        eventually("both see both", async || {
            let shown = process.client.get("/v1/drivers").await.expect(200).json();
            shown["drivers"][0]["hosts"] == json!(hosts)
        })
        .await;
    }
    for at in 0..10 {
        let (client, other) = match at % 2 {
            0 => (&first.client, &second.client),
            _ => (&second.client, &first.client),
        };
        let node = enroll(client, json!({})).await;
        let shown = client
            .get(&format!("/v1/nodes/{node}"))
            .await
            .expect(200)
            .json();
        assert_eq!(shown["conductor"], json!(owner(&hosts, &node)));
        asks(client, &node, "manage").await.expect(202);
        reaches(other, &node, S::Manageable).await;
    }
    first.stop().await;
    second.stop().await;
}
