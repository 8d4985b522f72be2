//! A conductor that stops in the middle, and the next one that goes on.

use super::{active, available, log_step, manageable};
use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use serde_json::json;
use std::time::Duration;
use types::{InterfaceKind, ProvisionState as S};

every_engine!(
    what_was_under_way_goes_on,
    what_cannot_be_repeated_fails_with_a_reason,
    what_waits_still_waits,
);

fn slow(kinds: &[InterfaceKind]) -> Options {
    let mut options = Options::default();
    for &kind in kinds {
        options
            .hardware
            .fake
            .set_delay(kind, "3600".parse().unwrap());
    }
    options.conductor.graceful_shutdown_timeout = Duration::from_millis(10);
    options
}

async fn what_was_under_way_goes_on(engine: Engine) {
    // Machines get where their flow starts, then the hardware becomes slow.
    let lab = Lab::start(engine).await;
    let inspecting = manageable(&lab).await.id;
    let deploying = available(&lab).await.id;
    let cleaning = manageable(&lab).await.id;
    let rescuing = active(&lab).await.id;
    let deleting = active(&lab).await.id;
    let powering = manageable(&lab).await.id;
    let database = lab.stop().await;

    use InterfaceKind as K;
    let slow = slow(&[K::Inspect, K::Deploy, K::Rescue, K::Power]);
    let lab = Lab::on(database, slow).await;
    let at = |id: types::NodeId| lab.machine(&id.to_string());
    at(inspecting).asks("inspect").await;
    at(deploying).asks("active").await;
    let clean = json!({"target": "clean", "clean_steps": [log_step()]});
    at(cleaning).asks_with(clean).await;
    let rescue = json!({"target": "rescue", "rescue_password": "pw"});
    at(rescuing).asks_with(rescue).await;
    at(deleting).asks("deleted").await;
    let power = at(powering).path("/states/power");
    lab.client
        .put(&power, json!({"target": "power on"}))
        .await
        .expect(202);
    for id in [
        inspecting, deploying, cleaning, rescuing, deleting, powering,
    ] {
        assert!(!at(id).show().await["reservation"].is_null());
    }
    let database = lab.stop().await;

    let lab = Lab::on(database, Options::default()).await;
    for (id, state) in [
        (inspecting, S::Manageable),
        (deploying, S::Active),
        (cleaning, S::Manageable),
        (rescuing, S::Rescue),
        (deleting, S::Available),
        (powering, S::Manageable),
    ] {
        let machine = lab.machine(&id.to_string());
        let node = machine.reaches(state).await;
        assert_eq!(node["last_error"], json!(null), "{node:#}");
        let told = lab.told(id).await.join("\n");
        assert!(told.contains("resumed going on with"), "{told}");
    }
    let node = lab.machine(&powering.to_string()).show().await;
    assert_eq!(node["power_state"], "power on");
    lab.stop().await;
}

async fn what_cannot_be_repeated_fails_with_a_reason(engine: Engine) {
    let lab = Lab::with(engine, slow(&[InterfaceKind::Power])).await;
    let rebooting = lab.enroll(json!({})).await.id;
    let power = format!("/v1/nodes/{rebooting}/states/power");
    lab.client
        .put(&power, json!({"target": "rebooting"}))
        .await
        .expect(202);
    let database = lab.stop().await;

    let lab = Lab::on(database, Options::default()).await;
    let node = lab.machine(&rebooting.to_string()).rests().await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.starts_with(
            "Pending power operation (rebooting) was aborted due to conductor restart"
        ),
        "{error}"
    );
    assert_eq!(node["target_power_state"], json!(null));
    assert_eq!(node["provision_state"], "enroll");
    lab.stop().await;
}

async fn what_waits_still_waits(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = active(&lab).await;
    let hold = json!({"interface": "deploy", "step": "hold"});
    let service = json!({"target": "service", "service_steps": [hold, log_step()]});
    machine
        .asks_with(service)
        .await
        .reaches(S::ServiceHold)
        .await;
    let (id, before) = (machine.id, machine.show().await);
    let database = lab.stop().await;
    let lab = Lab::on(database, Options::default()).await;
    let machine = lab.machine(&id.to_string());
    let after = machine.show().await;
    for key in [
        "provision_state",
        "service_step",
        "driver_internal_info",
        "reservation",
    ] {
        assert_eq!(after[key], before[key]);
    }
    machine.asks("unhold").await.reaches(S::Active).await;
    lab.stop().await;
}
