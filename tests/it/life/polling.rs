//! Steps whose hardware works on by itself, and that are called again until it is done.

use super::{log_step, manageable};
use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use serde_json::{Value, json};
use std::time::Duration;
use types::ProvisionState as S;

every_engine!(
    a_step_is_called_again_until_it_is_done,
    another_conductor_calls_it_as_well,
    a_step_that_fails_later_fails_like_any_other,
    what_cannot_be_aborted_is_aborted_after_it,
);

fn options(interval: Duration) -> Options {
    let mut options = Options::default();
    options.conductor.step_poll_interval = interval;
    options
}

const OFTEN: Duration = Duration::from_millis(20);

fn clean() -> Value {
    json!({"target": "clean", "clean_steps": [log_step(), log_step()]})
}

/// Whether nothing is left of a step that was called again.
fn is_tidy(node: &Value) -> bool {
    let info = node["driver_internal_info"].as_object().unwrap();
    info.keys().all(|key| !key.starts_with("step_"))
}

async fn a_step_is_called_again_until_it_is_done(engine: Engine) {
    let lab = Lab::with(engine, options(OFTEN)).await;
    let machine = manageable(&lab).await;
    machine
        .behave("fake_poll", Some("clean.log_passthrough"))
        .await;
    machine.asks_with(clean()).await;
    let node = machine
        .until("cleaning is over", |node| {
            let state = node["provision_state"].as_str().unwrap();
            Some(state == "manageable" && node["reservation"].is_null())
        })
        .await;
    assert_eq!(node["last_error"], json!(null));
    assert_eq!(node["power_state"], "power on", "each was rebooted for");
    assert!(is_tidy(&node), "{node:#}");
    let told = lab.told(machine.id).await.join("\n");
    assert_eq!(told.matches("rebooted for a step").count(), 2, "{told}");
    let waits = machine.states().await;
    let waits = waits.iter().filter(|state| *state == "clean wait").count();
    assert_eq!(waits, 2);
    lab.stop().await;
}

async fn another_conductor_calls_it_as_well(engine: Engine) {
    // This one never looks.
    let lab = Lab::with(engine, options(Duration::ZERO)).await;
    let machine = manageable(&lab).await;
    let id = machine.id.to_string();
    machine
        .behave("fake_poll", Some("clean.log_passthrough"))
        .await;
    machine.asks_with(clean()).await.reaches(S::CleanWait).await;
    let database = lab.stop().await;
    let lab = Lab::on(database, options(OFTEN)).await;
    let node = lab.machine(&id).reaches(S::Manageable).await;
    assert_eq!(node["last_error"], json!(null));
    assert!(is_tidy(&node), "{node:#}");
    lab.stop().await;
}

async fn a_step_that_fails_later_fails_like_any_other(engine: Engine) {
    let lab = Lab::with(engine, options(OFTEN)).await;
    let machine = manageable(&lab).await;
    for what in ["fake_poll", "fake_fail"] {
        machine.behave(what, Some("clean.log_passthrough")).await;
    }
    machine.asks_with(clean()).await;
    let node = machine
        .until("'clean failed'", |node| {
            Some(node["provision_state"] == "clean failed" && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("fake hardware was told to fail"), "{error}");
    assert_eq!(node["maintenance"], true);
    assert!(is_tidy(&node), "{node:#}");
    assert!(machine.states().await.contains(&"clean wait".to_owned()));
    lab.stop().await;
}

async fn what_cannot_be_aborted_is_aborted_after_it(engine: Engine) {
    let lab = Lab::with(engine, options(Duration::ZERO)).await;
    let machine = manageable(&lab).await;
    let id = machine.id.to_string();
    machine
        .behave("fake_poll", Some("clean.log_passthrough"))
        .await;
    machine.asks_with(clean()).await.reaches(S::CleanWait).await;
    machine.asks("abort").await;
    let database = lab.stop().await;
    let lab = Lab::on(database, options(OFTEN)).await;
    let node = lab
        .machine(&id)
        .until("'clean failed'", |node| {
            Some(node["provision_state"] == "clean failed" && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("By request, the clean operation was aborted"),
        "{error}"
    );
    lab.stop().await;
}
