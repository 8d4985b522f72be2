//! Power, and the small switches beside it.

use super::{active, manageable};
use crate::{database::Engine, lab::Lab};
use serde_json::json;
use types::ProvisionState as S;

every_engine!(
    every_power_action_ends_in_its_state,
    a_power_action_that_fails_says_so,
    powering_off_can_be_forbidden,
    the_console_is_switched,
    boot_mode_and_secure_boot_are_refused_by_the_hardware,
);

async fn every_power_action_ends_in_its_state(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    let before = machine.show().await;
    assert_eq!(before["power_state"], json!(null));
    for (target, state) in [
        ("power on", "power on"),
        ("power off", "power off"),
        ("rebooting", "power on"),
        ("soft rebooting", "power on"),
        ("soft power off", "power off"),
    ] {
        let path = machine.path("/states/power");
        lab.client
            .put(&path, json!({"target": target}))
            .await
            .expect(202);
        let node = machine.rests().await;
        assert_eq!(node["power_state"], state, "{target}");
        assert_eq!(node["target_power_state"], json!(null));
        assert_eq!(node["last_error"], json!(null));
        let stamp = node["driver_internal_info"]["last_power_state_change"]
            .as_str()
            .unwrap();
        assert!(stamp.len() == 26 && !stamp.contains('+'), "{stamp}");
        assert_eq!(node["provision_updated_at"], before["provision_updated_at"]);
    }
    let told = lab.told(machine.id).await;
    let power = told.iter().filter(|line| line.starts_with("power "));
    assert_eq!(power.count(), 10, "asked and done, five times: {told:#?}");
    lab.stop().await;
}

async fn a_power_action_that_fails_says_so(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    machine.behave("fake_fail", Some("power.set")).await;
    let path = machine.path("/states/power");
    lab.client
        .put(&path, json!({"target": "power on"}))
        .await
        .expect(202);
    let node = machine.rests().await;
    assert_eq!(node["power_state"], json!(null));
    assert_eq!(node["target_power_state"], json!(null));
    let error = node["last_error"].as_str().unwrap();
    assert_eq!(
        error,
        "Failed to change power state to 'power on' by 'power on': fake hardware was told to fail \
         power.set"
    );
    machine.behave("fake_fail", None).await;
    lab.client
        .put(&path, json!({"target": "power on"}))
        .await
        .expect(202);
    let node = machine.rests().await;
    assert_eq!(
        (&node["power_state"], &node["last_error"]),
        (&json!("power on"), &json!(null))
    );
    lab.stop().await;
}

async fn powering_off_can_be_forbidden(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({"disable_power_off": true})).await;
    let path = machine.path("/states/power");
    for target in ["power off", "soft power off"] {
        let refused = lab
            .client
            .put(&path, json!({"target": target}))
            .await
            .expect(409);
        assert_eq!(
            refused.fault(),
            format!("Failed to set node power state to {target}.")
        );
    }
    lab.client
        .put(&path, json!({"target": "rebooting"}))
        .await
        .expect(202);
    assert_eq!(machine.rests().await["power_state"], "power on");
    lab.stop().await;
}

async fn the_console_is_switched(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = active(&lab).await;
    let path = machine.path("/states/console");
    let shown = lab.client.get(&path).await.expect(200).json();
    assert_eq!(
        shown,
        json!({"console_enabled": false, "console_info": null})
    );
    lab.client
        .put(&path, json!({"enabled": true}))
        .await
        .expect(202);
    assert_eq!(machine.rests().await["console_enabled"], true);
    let shown = lab.client.get(&path).await.expect(200).json();
    assert_eq!(shown, json!({"console_enabled": true, "console_info": {}}));
    // Tearing down switches it off.
    machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(machine.show().await["console_enabled"], false);
    lab.stop().await;
}

async fn boot_mode_and_secure_boot_are_refused_by_the_hardware(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    for (what, target, text) in [
        (
            "boot_mode",
            json!("uefi"),
            "Failed to change boot mode to 'uefi: Driver fake-hardware does not support \
             set_boot_mode (disabled or not implemented).",
        ),
        (
            "secure_boot",
            json!(true),
            "Failed to change secure_boot state to 'True': Driver fake-hardware does not support \
             set_secure_boot_state (disabled or not implemented).",
        ),
    ] {
        let path = machine.path(&format!("/states/{what}"));
        lab.client
            .put(&path, json!({"target": target}))
            .await
            .expect(202);
        let node = machine.rests().await;
        assert_eq!(node["last_error"], text);
        assert_eq!(node[what], json!(null));
    }
    assert!(machine.history().await.is_empty());
    lab.stop().await;
}
