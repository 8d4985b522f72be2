//! What is refused, and to whom: locks, limits, maintenance, protection, retirement.

use super::{active, available, log_step, manageable};
use crate::{
    database::Engine,
    lab::{HOST, Lab, Options},
};
use serde_json::json;
use std::time::Duration;
use store::node::{Fence, Log};
use types::{InterfaceKind, ProvisionState as S};

every_engine!(
    a_locked_node_is_a_conflict,
    too_many_deploys_and_cleanings_are_refused,
    limits_can_be_those_of_a_conductor_group,
    boot_modes_that_operators_forbid_are_not_deployed,
    a_conductor_without_free_workers_says_so,
    maintenance_stops_what_it_should,
    a_protected_node_stays,
    a_retired_node_does_not_come_back,
    of_many_who_ask_at_once_one_is_accepted,
);

/// A hardware operation that takes longer than any test.
fn slow(kind: InterfaceKind) -> Options {
    let mut options = Options::default();
    options
        .hardware
        .fake
        .set_delay(kind, "3600".parse().unwrap());
    // The worker never ends, so nobody should wait for it.
    options.conductor.graceful_shutdown_timeout = Duration::from_millis(10);
    options
}

async fn a_locked_node_is_a_conflict(engine: Engine) {
    // Switching the console takes the lease and changes no state that would be refused for itself.
    let lab = Lab::with(engine, slow(InterfaceKind::Console)).await;
    let machine = manageable(&lab).await;
    let console = machine.path("/states/console");
    lab.client
        .put(&console, json!({"enabled": true}))
        .await
        .expect(202);
    assert_eq!(machine.show().await["reservation"], HOST);
    let text = format!(
        "Node {} is locked by host {HOST}, please retry after the current operation is completed.",
        machine.id
    );
    let client = &lab.client;
    let patch = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
    for (what, answer) in [
        ("patch", machine.patch(patch).await),
        ("verb", machine.provision(json!({"target": "manage"})).await),
        (
            "power",
            client
                .put(
                    &machine.path("/states/power"),
                    json!({"target": "power on"}),
                )
                .await,
        ),
        ("delete", client.delete(&machine.path("")).await),
        (
            "maintenance",
            client.put(&machine.path("/maintenance"), json!({})).await,
        ),
        (
            "traits",
            client
                .put(&machine.path("/traits"), json!({"traits": ["CUSTOM_A"]}))
                .await,
        ),
        (
            "boot device",
            client.get(&machine.path("/management/boot_device")).await,
        ),
    ] {
        assert_eq!((what, answer.status), (what, 409), "{}", answer.text());
        assert_eq!(answer.fault(), text, "{what}");
    }
    // Looking is free.
    for path in ["", "/states", "/validate", "/history", "/states/console"] {
        client.get(&machine.path(path)).await.expect(200);
    }
    lab.stop().await;
}

async fn too_many_deploys_and_cleanings_are_refused(engine: Engine) {
    let mut options = Options::default();
    options.conductor.max_concurrent_deploy = 1;
    options.conductor.max_concurrent_clean = 1;
    let lab = Lab::with(engine, options).await;
    let first = available(&lab).await;
    let second = available(&lab).await;
    let limit = |word: &str| {
        format!(
            "Unable to process request at this time. The concurrent action limit for {word} has \
             been reached. Please contact your administrator and try again later."
        )
    };
    first.behave("fake_wait", Some("deploy.deploy")).await;
    first.asks("active").await.reaches(S::DeployWait).await;
    let refused = second
        .provision(json!({"target": "active"}))
        .await
        .expect(503);
    assert_eq!(refused.fault(), limit("provisioning"));
    assert_eq!(second.show().await["provision_state"], "available");
    first.asks("deleted").await.reaches(S::Available).await;
    second.asks("active").await.reaches(S::Active).await;

    let third = manageable(&lab).await;
    third
        .behave("fake_wait", Some("clean.log_passthrough"))
        .await;
    let clean = json!({"target": "clean", "clean_steps": [log_step()]});
    third
        .asks_with(clean.clone())
        .await
        .reaches(S::CleanWait)
        .await;
    let refused = second
        .provision(json!({"target": "deleted"}))
        .await
        .expect(503);
    assert_eq!(refused.fault(), limit("unprovisioning"));
    let fourth = manageable(&lab).await;
    let refused = fourth.provision(clean).await.expect(503);
    assert_eq!(refused.fault(), limit("cleaning"));
    lab.stop().await;
}

async fn limits_can_be_those_of_a_conductor_group(engine: Engine) {
    let mut options = Options::default();
    options.conductor.max_concurrent_deploy = 1;
    options.conductor.max_concurrent_per_conductor_group = true;
    let lab = Lab::with(engine, options).await;
    let (first, second, third) = (
        available(&lab).await,
        available(&lab).await,
        available(&lab).await,
    );
    first.behave("fake_wait", Some("deploy.deploy")).await;
    first.asks("active").await.reaches(S::DeployWait).await;
    second
        .provision(json!({"target": "active"}))
        .await
        .expect(503);
    // A node of another group does not count, wherever it is served.
    let mut node = store::node::find(&lab.db, first.id).await.unwrap().unwrap();
    node.conductor_group = "elsewhere".into();
    store::node::save(&lab.db, node, Fence::Free, Log::default())
        .await
        .unwrap();
    third.asks("active").await.reaches(S::Active).await;
    lab.stop().await;
}

async fn boot_modes_that_operators_forbid_are_not_deployed(engine: Engine) {
    let mut options = Options::default();
    options.conductor.disallowed_deployment_boot_modes = vec!["bios".to_owned()];
    let lab = Lab::with(engine, options).await;
    let machine = available(&lab).await;
    let mode = |mode: &str| json!([{"op": "add", "path": "/properties/boot_mode", "value": mode}]);
    machine.patch(mode("BIOS ")).await.expect(200);
    let refused = machine
        .provision(json!({"target": "active"}))
        .await
        .expect(400);
    assert_eq!(
        refused.fault(),
        "'bios ' boot mode is not allowed for provisioning operation."
    );
    assert_eq!(machine.show().await["provision_state"], "available");
    machine.patch(mode("uefi")).await.expect(200);
    machine.asks("active").await.reaches(S::Active).await;
    lab.stop().await;
}

async fn a_conductor_without_free_workers_says_so(engine: Engine) {
    let mut options = slow(InterfaceKind::Inspect);
    options.conductor.workers_pool_size = 1;
    options.conductor.reserved_workers_pool_percentage = 0;
    let lab = Lab::with(engine, options).await;
    let (busy, other) = (lab.enroll(json!({})).await, lab.enroll(json!({})).await);
    for (machine, verb) in [(busy, "manage"), (other, "manage"), (busy, "inspect")] {
        // The place of the worker before is free a moment after the worker has let go of its node.
        loop {
            let answer = machine.provision(json!({"target": verb})).await;
            if answer.status != 503 {
                answer.expect(202);
                break;
            }
        }
        if verb == "manage" {
            machine.reaches(S::Manageable).await;
        }
    }
    let refused = other
        .provision(json!({"target": "inspect"}))
        .await
        .expect(503);
    assert_eq!(
        refused.fault(),
        "Requested action cannot be performed due to lack of free conductor workers."
    );
    let node = other.show().await;
    assert_eq!(node["provision_state"], "manageable");
    assert_eq!(node["reservation"], json!(null));
    lab.stop().await;
}

async fn maintenance_stops_what_it_should(engine: Engine) {
    let lab = Lab::start(engine).await;
    let client = &lab.client;
    let machine = available(&lab).await;
    let path = machine.path("/maintenance");
    client
        .put(&path, json!({"reason": "disk swap"}))
        .await
        .expect(202);
    let node = machine.show().await;
    assert_eq!(node["maintenance"], true);
    assert_eq!(node["maintenance_reason"], "disk swap");
    let refused = machine
        .provision(json!({"target": "active"}))
        .await
        .expect(400);
    let text = format!(
        "The provisioning operation can't be performed on node {} because it's in maintenance mode.",
        machine.id
    );
    assert_eq!(refused.fault(), text);
    machine.asks("manage").await.reaches(S::Manageable).await;
    let clean = json!({"target": "clean", "clean_steps": [log_step()]});
    machine.provision(clean).await.expect(400);
    machine.asks("inspect").await.rests().await;
    client.put(&path, json!({})).await.expect(202);
    assert_eq!(machine.show().await["maintenance_reason"], json!(null));
    client.delete(&path).await.expect(202);
    let node = machine.show().await;
    assert_eq!(
        (&node["maintenance"], &node["fault"]),
        (&json!(false), &json!(null))
    );
    // In maintenance a node goes in any state.
    let busy = active(&lab).await;
    client.delete(&busy.path("")).await.expect(409);
    client
        .put(&busy.path("/maintenance"), json!({}))
        .await
        .expect(202);
    client.delete(&busy.path("")).await.expect(204);
    lab.stop().await;
}

async fn a_protected_node_stays(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = active(&lab).await;
    let protect = json!([{"op": "replace", "path": "/protected", "value": true}]);
    machine.patch(protect).await.expect(200);
    let text = format!(
        "Node {} is protected and cannot be undeployed, rebuilt or deleted",
        machine.id
    );
    for target in ["deleted", "rebuild"] {
        let refused = machine
            .provision(json!({"target": target}))
            .await
            .expect(403);
        assert_eq!(refused.fault(), text);
    }
    lab.client
        .put(&machine.path("/maintenance"), json!({}))
        .await
        .expect(202);
    lab.client.delete(&machine.path("")).await.expect(403);
    lab.client
        .delete(&machine.path("/maintenance"))
        .await
        .expect(202);
    let release = json!([{"op": "replace", "path": "/protected", "value": false}]);
    machine.patch(release).await.expect(200);
    machine.asks("deleted").await.reaches(S::Available).await;
    // Only machines in use can be protected.
    let protect = json!([{"op": "replace", "path": "/protected", "value": true}]);
    machine.patch(protect).await.expect(409);
    lab.stop().await;
}

async fn a_retired_node_does_not_come_back(engine: Engine) {
    let mut options = Options::default();
    options.conductor.automated_clean = true;
    let lab = Lab::with(engine, options).await;
    let machine = active(&lab).await;
    let retire = json!([
        {"op": "replace", "path": "/retired", "value": true},
        {"op": "add", "path": "/retired_reason", "value": "old"},
    ]);
    machine.patch(retire).await.expect(200);
    machine.asks("deleted").await.reaches(S::Manageable).await;
    let refused = machine
        .provision(json!({"target": "provide"}))
        .await
        .expect(400);
    let text = format!(
        "The providing operation can't be performed on node {} because it is retired.",
        machine.id
    );
    assert_eq!(refused.fault(), text);
    let back = json!([{"op": "replace", "path": "/retired", "value": false}]);
    let node = machine.patch(back).await.expect(200).json();
    assert_eq!(node["retired_reason"], json!(null));
    machine.asks("provide").await.reaches(S::Available).await;
    lab.stop().await;
}

async fn of_many_who_ask_at_once_one_is_accepted(engine: Engine) {
    let lab = Lab::with(engine, slow(InterfaceKind::Deploy)).await;
    let machine = available(&lab).await;
    let requests = (0..12).map(|_| {
        let (client, path) = (lab.client.clone(), machine.path("/states/provision"));
        tokio::spawn(async move { client.put(&path, json!({"target": "active"})).await })
    });
    let mut accepted = 0;
    for request in requests.collect::<Vec<_>>() {
        let answer = request.await.unwrap();
        match answer.status {
            202 => accepted += 1,
            409 => {}
            other => panic!("{other}: {}", answer.text()),
        }
    }
    assert_eq!(accepted, 1);
    assert_eq!(machine.show().await["provision_state"], "deploying");
    lab.stop().await;
}
