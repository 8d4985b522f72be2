//! Firmware versions and updates.

use super::machine::{Sim, clean, clean_well, enroll, lab, reboots};
use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};

every_engine!(
    components_are_shown_and_updated,
    a_maker_that_waits_for_a_start_gets_one,
    a_bad_image_is_told,
    the_older_step_works_as_well,
);

async fn versions(lab: &Lab, machine: &Machine<'_>) -> Vec<(String, Value)> {
    let path = machine.path("/firmware");
    let shown = lab.client.get(&path).await.expect(200).json();
    let all = shown["firmware"].as_array().unwrap().iter();
    all.map(|c| (c["component"].as_str().unwrap().to_owned(), c.clone()))
        .collect()
}

fn version<'v>(all: &'v [(String, Value)], name: &str) -> &'v str {
    let found = all
        .iter()
        .find(|(component, _)| component.starts_with(name));
    found.unwrap().1["current_version"].as_str().unwrap()
}

async fn components_are_shown_and_updated(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "fake-hardware").await;
    let before = versions(&lab, &machine).await;
    let nic = before.iter().find(|(name, _)| name.starts_with("nic:"));
    let nic = nic.unwrap().0.clone();
    assert_eq!(version(&before, "nic:"), "22.31.6");
    let settings = json!({"settings": [
        {"component": "bmc", "url": "http://h/bmc-9.8.7.bin"},
        {"component": "bios", "url": "http://h/bios-2.99.1.bin", "wait": 1},
        {"component": nic, "url": "http://h/nic-23.1.1.bin"},
    ]});
    clean_well(&machine, "firmware", "update", settings).await;
    let after = versions(&lab, &machine).await;
    assert_eq!(version(&after, "bmc"), "9.8.7");
    assert_eq!(version(&after, "bios"), "2.99.1");
    assert_eq!(version(&after, "nic:"), "23.1.1");
    let bmc = &after.iter().find(|(name, _)| name == "bmc").unwrap().1;
    assert_eq!(bmc["initial_version"], version(&before, "bmc"));
    assert_eq!(bmc["last_version_flashed"], "9.8.7");
    // The BMC's own asks for a reboot before the next, the others for theirs.
    assert_eq!(reboots(&lab, &machine).await, 3);
    lab.stop().await;
}

async fn a_maker_that_waits_for_a_start_gets_one(engine: Engine) {
    let sim = Sim::start("dell").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "fake-hardware").await;
    let settings = json!({"settings": [{"component": "bios", "url": "http://h/bios-2.99.1.bin"}]});
    clean_well(&machine, "firmware", "update", settings).await;
    assert_eq!(version(&versions(&lab, &machine).await, "bios"), "2.99.1");
    assert_eq!(reboots(&lab, &machine).await, 1);
    lab.stop().await;
}

async fn a_bad_image_is_told(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "fake-hardware").await;
    let settings = json!({"settings": [{"component": "bios", "url": "http://h/corrupt-9.9.bin"}]});
    let node = clean(&machine, "firmware", "update", settings).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("Firmware update failed for node")
            && error.contains("http://h/corrupt-9.9.bin")
            && error.contains("BMC http://127.0.0.1:")
            && error.contains("is corrupt"),
        "{error}"
    );
    lab.client
        .delete(&machine.path("/maintenance"))
        .await
        .expect(202);
    machine.asks("manage").await;
    super::machine::over(&machine).await;
    let node = clean(&machine, "firmware", "update", json!({"settings": []})).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("Invalid firmware update []. Errors: [] should be non-empty"),
        "{error}"
    );
    lab.stop().await;
}

async fn the_older_step_works_as_well(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "fake-hardware").await;
    let images = json!({"firmware_images": [
        {"url": "http://h/bios-2.99.1.bin", "checksum": "da39a3ee"},
        {"url": "http://h/bmc-9.8.7.bin", "checksum": "da39a3ee"},
    ]});
    clean_well(&machine, "management", "update_firmware", images).await;
    let after = versions(&lab, &machine).await;
    assert_eq!(
        (version(&after, "bios"), version(&after, "bmc")),
        ("2.99.1", "9.8.7")
    );
    lab.stop().await;
}
