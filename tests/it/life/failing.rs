//! Hardware that does not do what it is asked: where nodes end up, and that they come back.

use super::{active, available, log_step, manageable};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(
    a_failed_deploy_can_be_repeated,
    a_failed_tear_down_can_be_repeated,
    a_failed_inspection_can_be_repeated_or_left,
    a_failed_adoption_can_be_repeated_or_left,
    a_failed_rescue_and_unrescue_can_be_repeated,
    a_failed_cleaning_is_left_by_manage,
    a_failed_preparation_ends_every_flow,
    why_a_deploy_failed_is_still_known_after_a_power_action,
    what_would_not_be_accepted_by_the_hardware_is_refused_at_once,
    a_machine_is_switched_off_after_a_failure_where_operators_want_it,
);

/// Makes an operation fail, asks, and waits for the end.
async fn fails(machine: &Machine<'_>, operation: &str, request: Value) -> Value {
    machine.behave("fake_fail", Some(operation)).await;
    machine.asks_with(request).await;
    let node = machine.rests().await;
    let error = node["last_error"].as_str().unwrap_or_default();
    let reason = format!("fake hardware was told to fail {operation}");
    assert!(error.contains(&reason), "{operation}: {error}");
    machine.behave("fake_fail", None).await;
    node
}

#[track_caller]
fn assert_state(node: &Value, state: S, target: Option<S>) {
    assert_eq!(node["provision_state"], state.as_str());
    assert_eq!(node["target_provision_state"], json!(target.map(S::as_str)));
}

async fn a_failed_deploy_can_be_repeated(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = available(&lab).await;
    for operation in ["deploy.prepare", "deploy.deploy"] {
        let node = fails(&machine, operation, json!({"target": "active"})).await;
        assert_state(&node, S::DeployFailed, Some(S::Active));
        assert_eq!(node["deploy_step"], json!({}));
    }
    let node = machine.asks("active").await.reaches(S::Active).await;
    assert_eq!(node["last_error"], json!(null));
    let node = fails(&machine, "deploy.deploy", json!({"target": "rebuild"})).await;
    assert_state(&node, S::DeployFailed, Some(S::Active));
    machine.asks("deleted").await.reaches(S::Available).await;
    lab.stop().await;
}

async fn a_failed_tear_down_can_be_repeated(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = active(&lab).await;
    for operation in ["deploy.clean_up", "deploy.tear_down"] {
        let node = fails(&machine, operation, json!({"target": "deleted"})).await;
        assert_state(&node, S::Error, None);
        assert_eq!(
            node["instance_info"],
            json!({}),
            "the instance is gone all the same"
        );
    }
    let node = machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(node["last_error"], json!(null));
    lab.stop().await;
}

async fn a_failed_inspection_can_be_repeated_or_left(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    let inspect = json!({"target": "inspect"});
    let node = fails(&machine, "inspect.inspect", inspect.clone()).await;
    assert_state(&node, S::InspectFailed, Some(S::Manageable));
    assert!(node["inspection_started_at"].is_null());
    machine.asks("inspect").await.reaches(S::Manageable).await;
    fails(&machine, "inspect.inspect", inspect).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    lab.stop().await;
}

async fn a_failed_adoption_can_be_repeated_or_left(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    for operation in ["deploy.prepare", "deploy.take_over", "boot.validate"] {
        let node = fails(&machine, operation, json!({"target": "adopt"})).await;
        assert_state(&node, S::AdoptFailed, Some(S::Active));
        assert_eq!(node["power_state"], json!(null));
    }
    machine.asks("manage").await.reaches(S::Manageable).await;
    fails(&machine, "deploy.prepare", json!({"target": "adopt"})).await;
    let node = machine.asks("adopt").await.reaches(S::Active).await;
    assert_eq!(node["last_error"], json!(null));
    lab.stop().await;
}

async fn a_failed_rescue_and_unrescue_can_be_repeated(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = active(&lab).await;
    let rescue = json!({"target": "rescue", "rescue_password": "pw"});
    let node = fails(&machine, "rescue.rescue", rescue.clone()).await;
    assert_state(&node, S::RescueFailed, Some(S::Rescue));
    assert_eq!(node["instance_info"].get("rescue_password"), None);
    let node = machine.asks_with(rescue).await.reaches(S::Rescue).await;
    assert_eq!(node["instance_info"]["rescue_password"], "******");
    assert_eq!(node["instance_info"]["hashed_rescue_password"], "******");
    let node = fails(&machine, "rescue.unrescue", json!({"target": "unrescue"})).await;
    assert_state(&node, S::UnrescueFailed, Some(S::Active));
    machine.asks("unrescue").await.reaches(S::Active).await;
    lab.stop().await;
}

async fn a_failed_cleaning_is_left_by_manage(engine: Engine) {
    let mut options = Options::default();
    options.conductor.automated_clean = true;
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab).await;
    let node = fails(
        &machine,
        "clean.log_passthrough",
        json!({"target": "provide"}),
    )
    .await;
    assert_state(&node, S::CleanFailed, Some(S::Available));
    assert_eq!(
        (&node["maintenance"], &node["fault"]),
        (&json!(true), &json!("clean failure"))
    );
    machine.asks("manage").await.reaches(S::Manageable).await;
    lab.client
        .delete(&machine.path("/maintenance"))
        .await
        .expect(202);
    let node = machine.asks("provide").await.reaches(S::Available).await;
    assert_eq!(
        (&node["maintenance"], &node["fault"]),
        (&json!(false), &json!(null))
    );
    machine.asks("active").await.reaches(S::Active).await;
    let node = fails(
        &machine,
        "clean.log_passthrough",
        json!({"target": "deleted"}),
    )
    .await;
    assert_state(&node, S::CleanFailed, Some(S::Available));
    lab.stop().await;
}

async fn switched_on(lab: &Lab, machine: &Machine<'_>) {
    let path = machine.path("/states/power");
    let asked = lab.client.put(&path, json!({"target": "power on"}));
    asked.await.expect(202);
    let node = machine.rests().await;
    assert_eq!(node["power_state"], "power on");
}

async fn a_machine_is_switched_off_after_a_failure_where_operators_want_it(engine: Engine) {
    for off in [false, true] {
        let mut options = Options::default();
        options.conductor.poweroff_in_cleanfail = off;
        options.conductor.poweroff_in_servicefail = off;
        let lab = Lab::with(engine, options).await;
        let state = if off { "power off" } else { "power on" };
        let clean = json!({"target": "clean", "clean_steps": [log_step()]});
        let machine = manageable(&lab).await;
        switched_on(&lab, &machine).await;
        let node = fails(&machine, "clean.log_passthrough", clean).await;
        assert_state(&node, S::CleanFailed, Some(S::Manageable));
        assert_eq!(node["power_state"], state);

        let machine = active(&lab).await;
        switched_on(&lab, &machine).await;
        let service = json!({"target": "service", "service_steps": [log_step()]});
        let node = fails(&machine, "service.log_passthrough", service).await;
        assert_eq!(node["provision_state"], "service failed");
        assert_eq!(node["power_state"], state);
        lab.stop().await;
    }
}

async fn a_failed_preparation_ends_every_flow(engine: Engine) {
    let lab = Lab::start(engine).await;
    let clean = json!({"target": "clean", "clean_steps": [log_step()]});
    let machine = manageable(&lab).await;
    for operation in ["deploy.prepare_cleaning", "deploy.tear_down_cleaning"] {
        let node = fails(&machine, operation, clean.clone()).await;
        assert_state(&node, S::CleanFailed, Some(S::Manageable));
        machine.asks("manage").await.reaches(S::Manageable).await;
        lab.client
            .delete(&machine.path("/maintenance"))
            .await
            .expect(202);
    }
    let machine = active(&lab).await;
    // A step that no interface knows could only be the ramdisk's, so the machine is made ready.
    let unknown = json!({"interface": "bios", "step": "nope"});
    let service = json!({"target": "service", "service_steps": [unknown]});
    let node = fails(&machine, "deploy.prepare_service", service).await;
    assert_state(&node, S::ServiceFailed, Some(S::Active));
    lab.client
        .delete(&machine.path("/maintenance"))
        .await
        .expect(202);
    machine.asks("abort").await.reaches(S::Active).await;
    let service = json!({"target": "service", "service_steps": [log_step()]});
    let node = fails(&machine, "deploy.tear_down_service", service).await;
    assert_state(&node, S::ServiceFailed, Some(S::Active));
    lab.stop().await;
}

async fn why_a_deploy_failed_is_still_known_after_a_power_action(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = available(&lab).await;
    let failed = fails(&machine, "deploy.deploy", json!({"target": "active"})).await;
    for target in ["power on", "rebooting", "power off"] {
        let path = machine.path("/states/power");
        let body = json!({"target": target});
        lab.client.put(&path, body).await.expect(202);
        let node = machine.rests().await;
        assert_eq!(node["last_error"], failed["last_error"], "{target}");
    }
    let node = machine.asks("active").await.reaches(S::Active).await;
    assert_eq!(node["last_error"], json!(null));
    lab.stop().await;
}

async fn what_would_not_be_accepted_by_the_hardware_is_refused_at_once(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    let clean = json!({"target": "clean", "clean_steps": [log_step()]});
    let service = json!({"target": "service", "service_steps": [log_step()]});
    let refused = async |machine: &Machine<'_>, request: Value, what: &str| {
        machine.behave("fake_fail", Some("power.validate")).await;
        let before = machine.show().await;
        let answer = machine.provision(request).await;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status, 400, "{text}");
        let reason = format!("Validation of node {} for {what} failed: ", machine.id);
        assert!(text.contains(&reason), "{text}");
        let after = machine.show().await;
        assert_eq!(after["provision_state"], before["provision_state"]);
        machine.behave("fake_fail", None).await;
    };
    refused(&machine, clean, "cleaning").await;
    let machine = active(&lab).await;
    refused(&machine, service, "servicing").await;
    lab.stop().await;
}
