//! Flows that an agent carries out, with an agent that does as the test says.

mod anaconda;
mod ansible;
mod ansible_peer;
mod bash;
mod bootc;
mod burnin;
mod certificate;
pub(crate) mod discs;
mod faults;
pub(crate) mod flows;
mod http_boot;
mod iscsi;
mod killed;
pub(crate) mod netboot;
mod ours;
pub(crate) mod place;
mod portal;
mod progress;
pub(crate) mod puppet;
pub(crate) mod rebuild;
mod restart;
mod sequence;

use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use puppet::Puppet;
use serde_json::{Value, json};
use std::time::Duration;
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    a_machine_is_cleaned_and_deployed_by_its_agent,
    a_step_that_fails_on_the_machine_fails_the_node,
    a_step_under_way_is_asked_about_after_a_restart,
    steps_of_the_user_are_judged_by_what_the_agent_offers,
    a_large_config_drive_is_kept_beside_the_node,
);

fn options() -> Options {
    let mut options = Options::default();
    let deploy = vec!["direct".to_owned()];
    options.hardware.enable_interfaces(K::Deploy, deploy);
    // The fake one knows no disks.
    let management = vec!["noop".to_owned(), "fake".to_owned()];
    options
        .hardware
        .enable_interfaces(K::Management, management);
    let conductor = &mut options.conductor;
    conductor.agent_require_tls = false;
    conductor.automated_clean = true;
    conductor.ramdisk.api_url = Some("http://127.0.0.1:1".into());
    conductor.ramdisk.client.wait_interval = Duration::from_millis(10);
    conductor.ramdisk.power_off_looks = 0;
    conductor.ramdisk.power_off_pause = Duration::from_millis(1);
    options
}

fn clean_steps() -> Value {
    let step = |name: &str, priority: i64| {
        json!({
            "step": name, "priority": priority, "interface": "deploy",
            "reboot_requested": false, "abortable": true,
        })
    };
    json!([
        step("erase_devices", 10),
        step("erase_devices_metadata", 99),
        step("burnin_cpu", 0)
    ])
}

fn deploy_steps() -> Value {
    json!([{
        "step": "write_image", "priority": 0, "interface": "deploy", "reboot_requested": false,
        "argsinfo": {"image_info": {"required": true, "description": "x"}},
    }])
}

pub(crate) async fn puppet() -> Puppet {
    Puppet::start(&[("clean", clean_steps()), ("deploy", deploy_steps())]).await
}

async fn enrolled(lab: &Lab) -> Machine<'_> {
    let machine = lab
        .enroll(json!({"deploy_interface": "direct", "management_interface": "noop"}))
        .await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

pub(crate) fn names(told: &[(String, Value)]) -> Vec<String> {
    let name = |(name, params): &(String, Value)| match params["step"]["step"].as_str() {
        Some(step) => format!("{name} {step}"),
        None => name.clone(),
    };
    told.iter().map(name).collect()
}

/// An instance that can be deployed.
pub(crate) async fn has_image(machine: Machine<'_>) {
    let instance = json!([
        {"op": "add", "path": "/instance_info/image_source", "value": "http://images.example/a.qcow2"},
        {"op": "add", "path": "/instance_info/image_checksum", "value": "00112233445566778899aabbccddeeff"},
    ]);
    machine.patch(instance).await.expect(200);
}

/// A machine whose agent is writing the image.
async fn writing<'l>(lab: &'l Lab, agent: &Puppet) -> Machine<'l> {
    let machine = enrolled(lab).await;
    machine.asks("provide").await.reaches(S::Available).await;
    has_image(machine).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    agent.boots(lab, machine).await;
    waits_for(machine, "deploy_step", "write_image").await;
    machine
}

fn without_cleaning() -> Options {
    let mut options = options();
    options.conductor.automated_clean = false;
    options
}

pub(crate) async fn waits_for(machine: Machine<'_>, field: &str, step: &str) {
    machine
        .until(step, |node| {
            Some(node[field]["step"] == step && node["reservation"].is_null())
        })
        .await;
}

async fn a_machine_is_cleaned_and_deployed_by_its_agent(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let machine = enrolled(&lab).await;
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    assert_eq!(machine.show().await["power_state"], "power on");

    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    // A report in between changes nothing.
    agent.reports(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices").await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    let node = machine.reaches(S::Available).await;
    assert_eq!(node["power_state"], "power off");
    let told = agent.told();
    assert_eq!(
        names(&told),
        [
            "clean.get_clean_steps",
            "clean.execute_clean_step erase_devices_metadata",
            "clean.execute_clean_step erase_devices",
        ]
    );
    assert_eq!(told[1].1["node"]["uuid"], machine.id.to_string());
    let version = json!({"generic_hardware_manager": "1.2"});
    assert_eq!(told[1].1["clean_version"], version);

    has_image(machine).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "deploy_step", "write_image").await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    let node = machine.reaches(S::Active).await;
    assert_eq!(node["power_state"], "power on");
    assert_eq!(
        node["driver_internal_info"]["root_uuid_or_disk_id"],
        "0xdeadbeef"
    );
    assert_eq!(node["driver_internal_info"]["agent_url"], json!(null));
    let told = agent.told();
    assert_eq!(
        names(&told),
        [
            "deploy.get_deploy_steps",
            "deploy.execute_deploy_step write_image",
            "standby.get_partition_uuids",
            "image.install_bootloader",
            "standby.power_off",
        ]
    );
    let image = &told[1].1["step"]["args"]["image_info"];
    assert_eq!(image["urls"], json!(["http://images.example/a.qcow2"]));
    assert_eq!(image["id"], "a.qcow2");
    assert_eq!(told[3].1["target_boot_mode"], "uefi");
    lab.stop().await;
}

async fn a_step_that_fails_on_the_machine_fails_the_node(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let machine = enrolled(&lab).await;
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    agent.ends(Err("disk /dev/sda is on fire"));
    agent.reports(&lab, machine).await;
    let node = machine
        .until("clean failed", |node| {
            Some(node["provision_state"] == "clean failed" && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("disk /dev/sda is on fire"), "{error}");
    assert!(error.contains("erase_devices_metadata"), "{error}");
    assert_eq!(node["maintenance"], true);
    lab.stop().await;
}

async fn a_step_under_way_is_asked_about_after_a_restart(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let machine = enrolled(&lab).await;
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    let id = machine.id.to_string();
    let database = lab.stop().await;

    // The agent ends while nobody listens, and says so when somebody does.
    agent.ends(Ok(json!({})));
    agent.told();
    let lab = Lab::on(database, options()).await;
    let machine = lab.machine(&id);
    agent.reports(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices").await;
    assert_eq!(
        names(&agent.told()),
        ["clean.execute_clean_step erase_devices"]
    );
    lab.stop().await;
}

async fn steps_of_the_user_are_judged_by_what_the_agent_offers(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let machine = enrolled(&lab).await;
    let agent = puppet().await;
    let clean = |step: &str| json!({"target": "clean", "clean_steps": [{"interface": "deploy", "step": step}]});
    machine
        .asks_with(clean("burnin_cpu"))
        .await
        .reaches(S::CleanWait)
        .await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "burnin_cpu").await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Manageable).await;

    machine
        .asks_with(clean("polish"))
        .await
        .reaches(S::CleanWait)
        .await;
    agent.boots(&lab, machine).await;
    let node = machine
        .until("clean failed", |node| {
            Some(node["provision_state"] == "clean failed" && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("node does not support this clean step"),
        "{error}"
    );
    lab.stop().await;
}

/// How much of stored config drives there is.
async fn stored_parts(lab: &Lab) -> i64 {
    let later = types::Timestamp::now().plus_seconds(3600);
    // What no node refers to is not counted.
    store::config_drive::purge(&lab.db, later).await.unwrap();
    store::config_drive::count(&lab.db).await.unwrap()
}

async fn a_large_config_drive_is_kept_beside_the_node(engine: Engine) {
    let lab = Lab::with(engine, without_cleaning()).await;
    let machine = enrolled(&lab).await;
    machine.asks("provide").await.reaches(S::Available).await;
    has_image(machine).await;
    let agent = puppet().await;
    // More than a part, and more than MariaDB takes at once if it were not cut into parts.
    let drive = "c2VjcmV0".repeat((17 << 20) / 8);
    let ask = json!({"target": "active", "configdrive": drive});
    machine
        .asks_with(ask.clone())
        .await
        .reaches(S::DeployWait)
        .await;
    let node = machine.show().await;
    assert_eq!(node["instance_info"]["configdrive"], "******");
    let row = store::node::find(&lab.db, machine.id).await;
    let row = types::JsonMap::clone(&row.unwrap().unwrap().instance_info);
    assert!(
        json!(row).to_string().len() < 1000,
        "the row has a reference"
    );
    assert_eq!(stored_parts(&lab).await, 18);

    agent.boots(&lab, machine).await;
    waits_for(machine, "deploy_step", "write_image").await;
    let told = agent.told();
    let args = &told.last().unwrap().1["step"]["args"];
    assert!(args["configdrive"] == drive.as_str());
    assert!(args["image_info"]["configdrive"] == drive.as_str());
    // The agent repeats all of it in its list of commands.
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Active).await;

    // A request that is refused leaves nothing, one that is accepted replaces the drive.
    let path = machine.path("/states/provision");
    lab.client.put(&path, ask).await.expect(400);
    assert_eq!(stored_parts(&lab).await, 18);
    let rebuild = json!({"target": "rebuild", "configdrive": "c2VjcmV0".repeat(1 << 17)});
    machine
        .asks_with(rebuild)
        .await
        .reaches(S::DeployWait)
        .await;
    assert_eq!(stored_parts(&lab).await, 2);
    machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(store::config_drive::count(&lab.db).await.unwrap(), 0);
    lab.stop().await;
}
