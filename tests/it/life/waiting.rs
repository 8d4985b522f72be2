//! Waiting, holding, going on, giving up, and running out of time.

use super::{active, available, log_step, manageable};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use std::time::Duration;
use types::ProvisionState as S;

every_engine!(
    a_held_service_goes_on,
    a_held_service_can_be_aborted,
    a_waiting_service_can_be_aborted,
    a_held_manual_cleaning_keeps_its_target,
    a_held_deploy_goes_on_or_is_aborted,
    a_wait_step_with_seconds_goes_on_by_itself,
    a_waiting_deploy_can_be_aborted_or_deleted,
    a_waiting_inspection_or_rescue_can_be_aborted,
    a_step_that_cannot_be_aborted_is_marked,
    every_wait_ends_when_its_time_is_up,
);

fn hold() -> Value {
    json!({"interface": "deploy", "step": "hold"})
}

fn service(steps: Value) -> Value {
    json!({"target": "service", "service_steps": steps})
}

fn clean(steps: Value) -> Value {
    json!({"target": "clean", "clean_steps": steps})
}

async fn waits(machine: &Machine<'_>, operation: &str, request: Value, state: S) -> Value {
    machine.behave("fake_wait", Some(operation)).await;
    machine.asks_with(request).await.reaches(state).await
}

async fn a_held_service_goes_on(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = active(&lab).await;
    let steps = json!([log_step(), hold(), log_step()]);
    let node = machine
        .asks_with(service(steps))
        .await
        .reaches(S::ServiceHold)
        .await;
    assert_eq!(node["target_provision_state"], "active");
    assert_eq!(node["service_step"]["step"], "hold");
    let node = machine.asks("unhold").await.reaches(S::Active).await;
    assert_eq!(node["service_step"], json!({}));
    assert_eq!(node["last_error"], json!(null));
    let told = lab.told(machine.id).await;
    let ran: Vec<_> = told
        .iter()
        .filter(|line| line.starts_with("step service step"))
        .collect();
    assert_eq!(
        ran,
        [
            "step service step vendor.log_passthrough (1 of 3)",
            "step service step deploy.hold (2 of 3)",
            "step service step vendor.log_passthrough (3 of 3)",
        ]
    );
    lab.stop().await;
}

async fn a_held_service_can_be_aborted(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = active(&lab).await;
    let steps = json!([hold(), log_step()]);
    machine
        .asks_with(service(steps))
        .await
        .reaches(S::ServiceHold)
        .await;
    let node = machine.asks("abort").await.reaches(S::Active).await;
    assert_eq!(node["service_step"], json!({}));
    let told = lab.told(machine.id).await.join("\n");
    assert!(!told.contains("log_passthrough"), "{told}");
    lab.stop().await;
}

async fn a_waiting_service_can_be_aborted(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = active(&lab).await;
    let wait = json!({"interface": "deploy", "step": "wait"});
    let node = machine
        .asks_with(service(json!([wait, log_step()])))
        .await
        .reaches(S::ServiceWait)
        .await;
    assert_eq!(node["service_step"]["step"], "wait");
    machine.asks("abort").await.reaches(S::Active).await;
    // A machine that waits can also be given back.
    let trigger = json!({"interface": "vendor", "step": "trigger_servicewait"});
    machine
        .asks_with(service(json!([trigger])))
        .await
        .reaches(S::ServiceWait)
        .await;
    machine.asks("deleted").await.reaches(S::Available).await;
    lab.stop().await;
}

async fn a_held_manual_cleaning_keeps_its_target(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    let steps = json!([hold(), log_step()]);
    let node = machine
        .asks_with(clean(steps.clone()))
        .await
        .reaches(S::CleanHold)
        .await;
    assert_eq!(node["target_provision_state"], "manageable");
    let node = machine.asks("unhold").await.reaches(S::Manageable).await;
    assert_eq!(node["last_error"], json!(null));
    machine
        .asks_with(clean(steps))
        .await
        .reaches(S::CleanHold)
        .await;
    machine.asks("abort").await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "clean failed");
    assert_eq!(node["target_provision_state"], "manageable");
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.starts_with("By request, the clean operation was aborted"),
        "{error}"
    );
    lab.stop().await;
}

async fn a_held_deploy_goes_on_or_is_aborted(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = available(&lab).await;
    let mut step = hold();
    step["priority"] = json!(150);
    step["args"] = json!({});
    let deploy = json!({"target": "active", "deploy_steps": [step]});
    machine
        .asks_with(deploy.clone())
        .await
        .reaches(S::DeployHold)
        .await;
    machine.asks("unhold").await.reaches(S::Active).await;
    machine.asks("deleted").await.reaches(S::Available).await;
    machine.asks_with(deploy).await.reaches(S::DeployHold).await;
    machine.asks("abort").await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "deploy failed");
    machine.asks("deleted").await.reaches(S::Available).await;
    lab.stop().await;
}

async fn a_wait_step_with_seconds_goes_on_by_itself(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = active(&lab).await;
    let wait = json!({"interface": "deploy", "step": "wait", "args": {"seconds": 0}});
    let steps = service(json!([wait, log_step()]));
    machine.asks_with(steps).await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "active", "{node:#}");
    lab.stop().await;
}

async fn a_waiting_deploy_can_be_aborted_or_deleted(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = available(&lab).await;
    let deploy = json!({"target": "active"});
    let node = waits(&machine, "deploy.deploy", deploy.clone(), S::DeployWait).await;
    assert_eq!(node["deploy_step"]["step"], "deploy");
    assert_eq!(node["target_provision_state"], "active");
    machine.asks("abort").await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "deploy failed");
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.starts_with("By request, the deploy operation was aborted"),
        "{error}"
    );
    machine.asks_with(deploy).await.reaches(S::DeployWait).await;
    machine.asks("deleted").await.reaches(S::Available).await;
    lab.stop().await;
}

async fn a_waiting_inspection_or_rescue_can_be_aborted(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    waits(
        &machine,
        "inspect.inspect",
        json!({"target": "inspect"}),
        S::InspectWait,
    )
    .await;
    machine.asks("abort").await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "inspect failed");
    assert_eq!(node["last_error"], "Inspection was aborted by request.");

    let machine = active(&lab).await;
    let rescue = json!({"target": "rescue", "rescue_password": "pw"});
    waits(&machine, "rescue.rescue", rescue, S::RescueWait).await;
    machine.asks("abort").await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "rescue failed");
    assert_eq!(node["instance_info"].get("rescue_password"), None);
    machine.behave("fake_wait", None).await;
    machine.asks("unrescue").await.reaches(S::Active).await;
    lab.stop().await;
}

async fn a_step_that_cannot_be_aborted_is_marked(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    let request = clean(json!([log_step()]));
    waits(&machine, "clean.log_passthrough", request, S::CleanWait).await;
    machine.asks("abort").await;
    let node = machine.rests().await;
    assert_eq!(
        node["provision_state"], "clean wait",
        "the step must end first"
    );
    assert_eq!(node["clean_step"]["abort_after"], true);
    lab.stop().await;
}

async fn every_wait_ends_when_its_time_is_up(engine: Engine) {
    let mut options = Options::default();
    let settings = &mut options.conductor;
    settings.check_provision_state_interval = Duration::from_millis(100);
    settings.check_rescue_state_interval = Duration::from_millis(100);
    let limit = Duration::from_secs(1);
    settings.deploy_callback_timeout = limit;
    settings.clean_callback_timeout = limit;
    settings.service_callback_timeout = limit;
    settings.rescue_callback_timeout = limit;
    settings.inspect_wait_timeout = limit;
    let lab = Lab::with(engine, options).await;

    let deploying = available(&lab).await;
    let cleaning = manageable(&lab).await;
    let inspecting = manageable(&lab).await;
    let rescuing = active(&lab).await;
    let servicing = active(&lab).await;
    let rescue = json!({"target": "rescue", "rescue_password": "pw"});
    let trigger = json!({"interface": "vendor", "step": "trigger_servicewait"});
    for (machine, operation, request) in [
        (deploying, "deploy.deploy", json!({"target": "active"})),
        (
            cleaning,
            "clean.log_passthrough",
            clean(json!([log_step()])),
        ),
        (inspecting, "inspect.inspect", json!({"target": "inspect"})),
        (rescuing, "rescue.rescue", rescue),
        (servicing, "nothing", service(json!([trigger]))),
    ] {
        machine.behave("fake_wait", Some(operation)).await;
        machine.asks_with(request).await;
    }
    for (machine, waiting, failed, text, maintenance) in [
        (
            deploying,
            S::DeployWait,
            S::DeployFailed,
            "Timeout reached while waiting for callback for node",
            false,
        ),
        (
            cleaning,
            S::CleanWait,
            S::CleanFailed,
            "Timeout reached while cleaning the node. Please check if the ramdisk responsible for \
             the cleaning is running on the node. Failed on step vendor.",
            true,
        ),
        (
            inspecting,
            S::InspectWait,
            S::InspectFailed,
            "Timeout reached while inspecting the node",
            false,
        ),
        (
            rescuing,
            S::RescueWait,
            S::RescueFailed,
            "Timeout reached while waiting for rescue ramdisk callback for node",
            false,
        ),
        (
            servicing,
            S::ServiceWait,
            S::ServiceFailed,
            "Timeout reached while servicing the node",
            true,
        ),
    ] {
        let node = machine
            .until(failed.as_str(), |node| {
                Some(node["provision_state"] == failed.as_str() && node["reservation"].is_null())
            })
            .await;
        let error = node["last_error"].as_str().unwrap_or_default();
        assert!(error.starts_with(text), "{failed}: {error}");
        assert_eq!(node["maintenance"], maintenance, "{failed}");
        let states = machine.states().await;
        assert_eq!(
            states[states.len() - 2..],
            [waiting.as_str(), failed.as_str()]
        );
    }
    lab.stop().await;
}
