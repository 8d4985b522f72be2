//! Events of power that Nova gets.

use super::Theatre;
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::json;
use std::time::Duration;
use types::ProvisionState as S;

const RECORDING: &str = include_str!("../../golden/openstack/nova.jsonl");

fn enable_fake_deploy(options: &mut Options) {
    let deploy = vec!["direct".to_owned(), "fake".to_owned()];
    options
        .hardware
        .enable_interfaces(types::InterfaceKind::Deploy, deploy);
}

/// An instance of Nova.
async fn instance<'l>(lab: &'l Lab, server: &str) -> Machine<'l> {
    let machine = lab.enroll(json!({"deploy_interface": "fake"})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    let change = json!([{"op": "add", "path": "/instance_uuid", "value": server}]);
    machine.patch(change).await.expect(200);
    machine
}

async fn switch(lab: &Lab, machine: Machine<'_>, target: &str, state: &str) {
    let path = machine.path("/states/power");
    lab.client
        .put(&path, json!({"target": target}))
        .await
        .expect(202);
    machine
        .until(target, |node| {
            let is_done = node["target_power_state"].is_null() && node["reservation"].is_null();
            Some(is_done && node["power_state"] == state)
        })
        .await;
}

#[tokio::test]
async fn nova_hears_of_power_as_from_ironic() {
    let theatre = Theatre::open().await;
    let mut options = theatre.options();
    enable_fake_deploy(&mut options);
    // Nobody looks at the machines: what Nova hears comes from the change itself.
    options.conductor.sync_power_state_interval = Duration::ZERO;
    let lab = Lab::with(Engine::Sqlite, options).await;
    for (server, scenes) in [
        (
            "16407ab3-d88f-4b4b-905b-08576f306dd5",
            &[
                ("o03", "power on", "power on"),
                ("o05", "rebooting", "power on"),
                ("o13", "power off", "power off"),
            ][..],
        ),
        // Nova does not know the server, and then it is away, which passes: both are told in the log
        // alone.
        (
            "11111111-2222-3333-4444-555555555555",
            &[("o18", "power on", "power on")],
        ),
        (
            "ef2c5fd5-e418-483a-a222-361471a5448d",
            &[("o17", "power off", "power off")],
        ),
    ] {
        let machine = instance(&lab, server).await;
        for (scene, target, state) in scenes {
            theatre.stage.plays(RECORDING, scene);
            switch(&lab, machine, target, state).await;
            theatre.stage.was_asked(1).await;
            theatre.stage.is_as_ironic(scene);
        }
    }
    lab.stop().await;
}

#[tokio::test]
async fn nova_hears_of_power_that_a_look_corrected() {
    let theatre = Theatre::open().await;
    let mut options = theatre.options();
    enable_fake_deploy(&mut options);
    options.conductor.sync_power_state_interval = Duration::from_millis(20);
    let lab = Lab::with(Engine::Sqlite, options).await;
    let machine = instance(&lab, "16407ab3-d88f-4b4b-905b-08576f306dd5").await;
    theatre.stage.plays(RECORDING, "o03");
    switch(&lab, machine, "power on", "power on").await;
    theatre.stage.was_asked(1).await;
    theatre.stage.plays(RECORDING, "o15");
    // Somebody pushed the button.
    machine.behave("fake_power", Some("power off")).await;
    theatre.stage.was_asked(1).await;
    theatre.stage.is_as_ironic("o15");
    lab.stop().await;
}
