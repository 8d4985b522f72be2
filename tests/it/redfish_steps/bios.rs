//! BIOS settings.

use super::machine::{Sim, clean, clean_well, enroll, lab, options, over, reboots};
use crate::{database::Engine, lab::Lab};
use serde_json::{Value, json};
use sim::fault::{Faults, Ignore};
use std::time::Duration;
use types::ProvisionState as S;

every_engine!(
    settings_are_shown_set_and_reset,
    every_maker_takes_settings,
    a_restart_in_the_middle_costs_nothing,
    what_is_not_kept_is_named,
);

fn settings() -> Value {
    json!({"settings": [
        {"name": "ProcTurboMode", "value": "Disabled"},
        {"name": "AcPwrRcvryUserDelay", "value": "120"},
        {"name": "NumLock", "value": "false"},
    ]})
}

async fn settings_are_shown_set_and_reset(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    // Of the type itself: nothing of it needs a ramdisk.
    let machine = enroll(&lab, &sim, "redfish").await;
    let path = machine.path("/bios?detail=true");
    let shown = lab.client.get(&path).await.expect(200).json();
    let all = shown["bios"].as_array().unwrap().clone();
    let one = |name: &str| all.iter().find(|s| s["name"] == name).unwrap().clone();
    let delay = one("AcPwrRcvryUserDelay");
    assert_eq!(delay["value"], "60");
    assert_eq!(delay["attribute_type"], "Integer");
    assert_eq!(
        (&delay["lower_bound"], &delay["upper_bound"]),
        (&json!(60), &json!(240))
    );
    let turbo = one("ProcTurboMode");
    assert_eq!(turbo["allowable_values"], json!(["Enabled", "Disabled"]));
    assert_eq!(turbo["reset_required"], true);
    assert_eq!(one("SystemBiosVersion")["read_only"], true);

    let step = json!({"interface": "bios", "step": "apply_configuration", "args": settings()});
    let body = json!({"target": "clean", "clean_steps": [step], "disable_ramdisk": true});
    machine.asks_with(body).await;
    let node = over(&machine).await;
    assert_eq!(node["last_error"], json!(null), "{node:#}");
    assert_eq!(reboots(&lab, &machine).await, 1);
    let bios = sim.show("/redfish/v1/Systems/1/Bios").await;
    assert_eq!(bios["Attributes"]["ProcTurboMode"], "Disabled");
    assert_eq!(bios["Attributes"]["AcPwrRcvryUserDelay"], 120);
    assert_eq!(bios["Attributes"]["NumLock"], false);
    let path = machine.path("/bios/AcPwrRcvryUserDelay");
    let shown = lab.client.get(&path).await.expect(200).json();
    assert_eq!(shown["AcPwrRcvryUserDelay"]["value"], "120");

    // What is so already needs no reboot, and what cannot be is refused before anything happens.
    clean_well(&machine, "bios", "apply_configuration", settings()).await;
    assert_eq!(reboots(&lab, &machine).await, 1);
    let bad = json!({"settings": [{"name": "ProcTurboMode", "value": "Perhaps"},
        {"name": "SystemBiosVersion", "value": "9"}, {"name": "EmbNic1", "value": "Disabled"}]});
    let node = clean(&machine, "bios", "apply_configuration", bad).await;
    let error = node["last_error"].as_str().unwrap();
    let names = "invalid value for setting(s): ProcTurboMode (allowed: Enabled, Disabled), SystemBiosVersion (it cannot be changed)";
    assert!(error.contains(names), "{error}");
    let bios = sim.show("/redfish/v1/Systems/1/Bios").await;
    assert_eq!(bios["Attributes"]["EmbNic1"], "Enabled");

    lab.client
        .delete(&machine.path("/maintenance"))
        .await
        .expect(202);
    machine.asks("manage").await.reaches(S::Manageable).await;
    clean_well(&machine, "bios", "factory_reset", json!({})).await;
    let bios = sim.show("/redfish/v1/Systems/1/Bios").await;
    assert_eq!(bios["Attributes"]["ProcTurboMode"], "Enabled");
    let path = machine.path("/bios/AcPwrRcvryUserDelay");
    let shown = lab.client.get(&path).await.expect(200).json();
    assert_eq!(shown["AcPwrRcvryUserDelay"]["value"], "60");
    lab.stop().await;
}

async fn every_maker_takes_settings(engine: Engine) {
    let lab = lab(engine).await;
    for maker in ["dell", "hpe", "supermicro", "lenovo", "fujitsu", "ami"] {
        let sim = Sim::start(maker).await;
        let machine = enroll(&lab, &sim, "fake-hardware").await;
        clean_well(&machine, "bios", "apply_configuration", settings()).await;
        let path = machine.path("/bios/ProcTurboMode");
        let shown = lab.client.get(&path).await.expect(200).json();
        assert_eq!(shown["ProcTurboMode"]["value"], "Disabled", "{maker}");
    }
    lab.stop().await;
}

async fn a_restart_in_the_middle_costs_nothing(engine: Engine) {
    let sim = Sim::start("generic").await;
    let mut patient = options();
    patient.conductor.step_poll_interval = Duration::ZERO;
    let first = Lab::with(engine, patient).await;
    let machine = enroll(&first, &sim, "fake-hardware").await;
    let id = machine.id.to_string();
    let step = json!({"interface": "bios", "step": "apply_configuration", "args": settings()});
    machine
        .asks_with(json!({"target": "clean", "clean_steps": [step]}))
        .await
        .reaches(S::CleanWait)
        .await;
    let database = first.stop().await;
    let lab = Lab::on(database, options()).await;
    let machine = lab.machine(&id);
    let node = over(&machine).await;
    assert_eq!(node["provision_state"], "manageable", "{node:#}");
    assert_eq!(reboots(&lab, &machine).await, 1);
    lab.stop().await;
}

async fn what_is_not_kept_is_named(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "fake-hardware").await;
    // Everything is ignored, so that the power must be somebody else's.
    let fake = json!([{"op": "add", "path": "/power_interface", "value": "fake"}]);
    machine.patch(fake).await.expect(200);
    sim.break_with(Faults {
        ignore: Ignore::Everything,
        ..Faults::default()
    });
    let node = clean(&machine, "bios", "apply_configuration", settings()).await;
    assert_eq!(node["provision_state"], "clean failed");
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("Redfish BIOS apply_configuration step failed. Attributes {")
            && error.contains("'ProcTurboMode': 'Disabled'")
            && error.contains("are not updated."),
        "{error}"
    );
    let told = lab.told(machine.id).await.join("\n");
    assert!(
        told.contains("does not show these as pending: ProcTurboMode"),
        "{told}"
    );
    lab.stop().await;
}
