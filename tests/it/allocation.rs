//! Allocations: a machine for whoever describes one.

use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use std::time::Duration;
use types::ProvisionState as S;

every_engine!(
    a_machine_that_fits_is_bound_and_given_back,
    nothing_that_fits_is_an_error_with_its_reason,
    the_machine_of_the_same_name_comes_first,
    two_claims_never_share_a_machine,
    an_active_machine_can_be_claimed_afterwards,
    a_claim_can_be_changed_and_given_up_while_its_machine_is_looked_for,
);

async fn available<'a>(lab: &'a Lab, name: &str, extra: Value) -> Machine<'a> {
    let mut body = json!({"name": name, "resource_class": "gold"});
    for (key, value) in extra.as_object().unwrap() {
        body[key] = value.clone();
    }
    let machine = lab.enroll(body).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    // A machine whose power nobody knows is never given away.
    let path = machine.path("/states/power");
    lab.client
        .put(&path, json!({"target": "power off"}))
        .await
        .expect(202);
    machine.rests().await;
    machine.asks("provide").await.reaches(S::Available).await;
    machine
}

async fn settled(lab: &Lab, id: &str) -> Value {
    loop {
        let cursor = store::event::newest(&lab.db).await.unwrap();
        let found = lab
            .client
            .get(&format!("/v1/allocations/{id}"))
            .await
            .expect(200)
            .json();
        if found["state"] != "allocating" {
            return found;
        }
        // A claim that fails tells nobody: look again after a moment.
        store::event::wait(&lab.db, cursor, Duration::from_millis(50))
            .await
            .unwrap();
    }
}

async fn claim(lab: &Lab, body: Value) -> Value {
    let made = lab
        .client
        .post("/v1/allocations", body)
        .await
        .expect(201)
        .json();
    assert_eq!(made["state"], "allocating");
    settled(lab, made["uuid"].as_str().unwrap()).await
}

async fn a_machine_that_fits_is_bound_and_given_back(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = available(&lab, "m1", json!({})).await;
    let found = claim(&lab, json!({"resource_class": "gold", "name": "a1"})).await;
    assert_eq!(found["state"], "active", "{found}");
    assert_eq!(found["node_uuid"], machine.id.to_string());
    let node = machine.show().await;
    assert_eq!(node["instance_uuid"], found["uuid"]);
    assert_eq!(node["allocation_uuid"], found["uuid"]);
    assert_eq!(node["instance_info"]["traits"], json!([]));
    let of_node = lab
        .client
        .get(&machine.path("/allocation"))
        .await
        .expect(200)
        .json();
    assert_eq!(of_node["uuid"], found["uuid"]);
    lab.client
        .patch(
            "/v1/allocations/a1",
            json!([{"op": "add", "path": "/extra/k", "value": 1}]),
        )
        .await
        .expect(200);
    lab.client.delete("/v1/allocations/a1").await.expect(204);
    let node = machine.show().await;
    assert_eq!(node["instance_uuid"], json!(null));
    assert_eq!(node["allocation_uuid"], json!(null));
    lab.client.get("/v1/allocations/a1").await.expect(404);
    lab.stop().await;
}

async fn nothing_that_fits_is_an_error_with_its_reason(engine: Engine) {
    let lab = Lab::start(engine).await;
    available(&lab, "m1", json!({})).await;
    for (body, reason) in [
        (
            json!({"resource_class": "tin"}),
            "no available nodes match the resource class tin",
        ),
        (
            json!({"resource_class": "gold", "traits": ["CUSTOM_X"]}),
            "no suitable nodes have the requested traits CUSTOM_X",
        ),
        (
            json!({"resource_class": "tin", "candidate_nodes": ["m1"]}),
            "none of the requested nodes are available and match the resource class tin",
        ),
    ] {
        let found = claim(&lab, body).await;
        let uuid = found["uuid"].as_str().unwrap();
        assert_eq!(found["state"], "error");
        assert_eq!(
            found["last_error"],
            format!("Failed to process allocation {uuid}: {reason}.")
        );
        assert_eq!(found["node_uuid"], json!(null));
    }
    let unknown = json!({"resource_class": "gold", "candidate_nodes": ["nope"]});
    let refused = lab
        .client
        .post("/v1/allocations", unknown)
        .await
        .expect(400);
    assert_eq!(refused.fault(), "Nodes cannot be found: nope");
    lab.stop().await;
}

async fn the_machine_of_the_same_name_comes_first(engine: Engine) {
    let lab = Lab::start(engine).await;
    for name in ["m1", "m2", "m3", "m4"] {
        available(&lab, name, json!({})).await;
    }
    let found = claim(&lab, json!({"resource_class": "gold", "name": "m3"})).await;
    let node = lab.client.get("/v1/nodes/m3").await.expect(200).json();
    assert_eq!(found["node_uuid"], node["uuid"]);
    lab.stop().await;
}

async fn two_claims_never_share_a_machine(engine: Engine) {
    let lab = Lab::start(engine).await;
    for name in ["m1", "m2", "m3"] {
        available(&lab, name, json!({})).await;
    }
    let mut ids = Vec::new();
    for _ in 0..5 {
        let body = json!({"resource_class": "gold"});
        let made = lab
            .client
            .post("/v1/allocations", body)
            .await
            .expect(201)
            .json();
        ids.push(made["uuid"].as_str().unwrap().to_owned());
    }
    let (mut nodes, mut failed) = (std::collections::BTreeSet::new(), 0);
    for id in &ids {
        let found = settled(&lab, id).await;
        match found["state"].as_str() {
            Some("active") => assert!(nodes.insert(found["node_uuid"].to_string()), "{found}"),
            _ => failed += 1,
        }
    }
    assert_eq!((nodes.len(), failed), (3, 2));
    lab.stop().await;
}

async fn an_active_machine_can_be_claimed_afterwards(engine: Engine) {
    let lab = Lab::with(engine, Options::default()).await;
    let machine = available(&lab, "m1", json!({})).await;
    let early = json!({"node": "m1"});
    lab.client
        .post("/v1/allocations", early.clone())
        .await
        .expect(400);
    machine.asks("active").await.reaches(S::Active).await;
    let made = lab
        .client
        .post("/v1/allocations", early)
        .await
        .expect(201)
        .json();
    assert_eq!(made["state"], "active");
    assert_eq!(made["resource_class"], "gold");
    assert_eq!(machine.show().await["instance_uuid"], made["uuid"]);
    // The machine is in use: it keeps its claim until it is torn down.
    let path = format!("/v1/allocations/{}", made["uuid"].as_str().unwrap());
    lab.client.delete(&path).await.expect(409);
    machine.asks("deleted").await.reaches(S::Available).await;
    lab.client.get(&path).await.expect(404);
    lab.stop().await;
}

/// The search writes the claim at a moment of its own: whoever changes or removes it must not
/// notice.
async fn a_claim_can_be_changed_and_given_up_while_its_machine_is_looked_for(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = available(&lab, "m1", json!({})).await;
    for turn in 0..40 {
        let body = json!({"resource_class": "gold"});
        let made = lab.client.post("/v1/allocations", body).await.expect(201);
        let id = made.json()["uuid"].as_str().unwrap().to_owned();
        let path = format!("/v1/allocations/{id}");
        if turn % 2 == 0 {
            let patch = json!([{"op": "add", "path": "/extra/turn", "value": turn}]);
            let changed = lab.client.patch(&path, patch).await.expect(200);
            assert_eq!(changed.json()["extra"], json!({"turn": turn}));
        }
        lab.client.delete(&path).await.expect(204);
        lab.client.get(&path).await.expect(404);
        assert_eq!(machine.show().await["instance_uuid"], Value::Null);
    }
    lab.stop().await;
}
