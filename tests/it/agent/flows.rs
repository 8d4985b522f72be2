//! Inspection, rescue and RAID by an agent, with an agent that does as the test says.

use super::{enrolled, names, options, puppet, waits_for};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    a_machine_is_booted_for_its_inspection,
    an_inspection_that_does_not_start_leaves_nothing_behind,
    an_aborted_inspection_is_put_away,
    a_machine_is_rescued_and_comes_back,
    a_rescue_without_a_ramdisk_is_refused,
    operators_may_boot_the_agent_themselves,
    disks_are_put_together_by_the_agent,
    an_agent_that_is_there_is_not_booted_again,
    an_agent_of_ours_starts_the_instance,
    logs_are_kept_when_something_fails,
);

const MAC: &str = "52:54:00:00:00:01";

pub(crate) fn enabled() -> Options {
    let mut options = options();
    let hardware = &mut options.hardware;
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    hardware.enable_interfaces(K::Inspect, named(&["agent", "no-inspect"]));
    hardware.enable_interfaces(K::Rescue, named(&["agent", "no-rescue"]));
    hardware.enable_interfaces(K::Raid, named(&["agent", "no-raid"]));
    options
}

/// A node that everything is done to by an agent.
pub(crate) fn node_body() -> Value {
    json!({
        "driver": "fake-hardware",
        "deploy_interface": "direct", "management_interface": "noop",
        "inspect_interface": "agent", "rescue_interface": "agent", "raid_interface": "agent",
        "driver_info": {"fake_boots_ramdisks": true, "ipmi_address": "192.0.2.77"},
    })
}

pub(crate) async fn manageable(lab: &Lab) -> Machine<'_> {
    let machine = lab.enroll(node_body()).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

/// What the machine was last booted with.
fn parameters(node: &Value) -> Vec<String> {
    let told = &node["driver_internal_info"]["fake_ramdisk"]["parameters"];
    let told = told.as_array().cloned().unwrap_or_default();
    told.iter()
        .map(|p| p.as_str().unwrap().to_owned())
        .collect()
}

/// Sends what the ramdisk found, and returns the token that it gets for it.
async fn sends_data(lab: &Lab) -> String {
    let inventory = json!({
        "interfaces": [{"name": "eth0", "mac_address": MAC, "ipv4_address": "192.0.2.5"}],
        "cpu": {"architecture": "x86_64", "count": 2}, "memory": {"physical_mb": 1024},
        "boot": {"pxe_interface": MAC}, "disks": [], "bmc_address": "192.0.2.77",
    });
    let body = json!({"inventory": inventory});
    let path = "/v1/continue_inspection";
    let answer = lab.client.post(path, body).await.expect(202).json();
    answer["config"]["agent_token"].as_str().unwrap().to_owned()
}

async fn a_machine_is_booted_for_its_inspection(engine: Engine) {
    let mut options = enabled();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    options.conductor.inspection.extra_kernel_params = vec![pair("console", "ttyS0")];
    options.conductor.inspection.force_dhcp = true;
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab).await;
    machine.asks("inspect").await;
    let node = machine.reaches(S::InspectWait).await;
    assert_eq!(node["power_state"], "power on");
    assert_eq!(node["driver_internal_info"]["inspector_manage_boot"], true);
    assert_eq!(
        parameters(&node),
        [
            "console=ttyS0",
            "ipa-inspection-callback-url=http://127.0.0.1:1/v1/continue_inspection",
            "ipa-collect-lldp=1",
            "ipa-corten-progress=1",
        ]
    );
    sends_data(&lab).await;
    let node = machine.reaches(S::Manageable).await;
    assert_eq!(node["last_error"], json!(null));
    assert_eq!(node["power_state"], "power off");
    let info = &node["driver_internal_info"];
    assert_eq!(info.get("inspector_manage_boot"), None);
    assert_eq!(info.get("fake_ramdisk"), None, "its ramdisk was taken away");
    assert_eq!(node["properties"], json!({"cpu_arch": "x86_64"}));
    lab.stop().await;
}

async fn an_inspection_that_does_not_start_leaves_nothing_behind(engine: Engine) {
    let lab = Lab::with(engine, enabled()).await;
    let machine = manageable(&lab).await;
    machine
        .behave("fake_fail", Some("boot.prepare_ramdisk"))
        .await;
    machine.asks("inspect").await;
    let node = machine.reaches(S::InspectFailed).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("unable to start inspection"), "{error}");
    assert!(error.contains("boot.prepare_ramdisk"), "{error}");
    let info = &node["driver_internal_info"];
    assert_eq!(info.get("inspector_manage_boot"), None);
    assert_eq!(info.get("lookup_bmc_addresses"), None);
    // Trying again is all it takes.
    machine.behave("fake_fail", None).await;
    machine.asks("inspect").await.reaches(S::InspectWait).await;
    lab.stop().await;
}

async fn an_aborted_inspection_is_put_away(engine: Engine) {
    let lab = Lab::with(engine, enabled()).await;
    let machine = manageable(&lab).await;
    machine.asks("inspect").await.reaches(S::InspectWait).await;
    machine.asks("abort").await;
    let node = machine.reaches(S::InspectFailed).await;
    assert_eq!(node["power_state"], "power off");
    assert_eq!(node["driver_internal_info"].get("fake_ramdisk"), None);
    lab.stop().await;
}

async fn deployed<'l>(lab: &'l Lab, agent: &super::Puppet) -> Machine<'l> {
    let machine = manageable(lab).await;
    machine.asks("provide").await.reaches(S::Available).await;
    super::has_image(machine).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    agent.boots(lab, machine).await;
    waits_for(machine, "deploy_step", "write_image").await;
    agent.ends(Ok(json!({})));
    agent.reports(lab, machine).await;
    machine.reaches(S::Active).await;
    agent.told();
    machine
}

fn without_cleaning() -> Options {
    let mut options = enabled();
    options.conductor.automated_clean = false;
    options
}

async fn a_machine_is_rescued_and_comes_back(engine: Engine) {
    let lab = Lab::with(engine, without_cleaning()).await;
    let agent = puppet().await;
    let machine = deployed(&lab, &agent).await;
    let rescue = json!({"target": "rescue", "rescue_password": "let me in"});
    machine.asks_with(rescue.clone()).await;
    let node = machine.reaches(S::RescueWait).await;
    assert_eq!(
        node["driver_internal_info"]["fake_ramdisk"]["kind"],
        "rescue"
    );
    agent.boots(&lab, machine).await;
    let node = machine.reaches(S::Rescue).await;
    assert_eq!(node["instance_info"].get("rescue_password"), None);
    assert_eq!(node["driver_internal_info"].get("fake_ramdisk"), None);
    let told = agent.told();
    assert_eq!(names(&told), ["rescue.finalize_rescue"]);
    let password = told[0].1["rescue_password"].as_str().unwrap();
    assert!(password.starts_with("$5$"), "{password}");
    assert_eq!(told[0].1["hashed"], true);
    // People are told where to log in.
    let path = format!("/corten/v1/nodes/{}/timeline", machine.id);
    let timeline = lab.client.get(&path).await.expect(200).json();
    assert_eq!(timeline["flows"][0]["address"], "127.0.0.1", "{timeline:#}");
    machine.asks("unrescue").await;
    let node = machine.reaches(S::Active).await;
    assert_eq!(node["power_state"], "power on");

    // A ramdisk that never calls is given up on request.
    machine.asks_with(rescue).await.reaches(S::RescueWait).await;
    machine.asks("abort").await;
    let node = machine.reaches(S::RescueFailed).await;
    assert_eq!(node["instance_info"].get("rescue_password"), None);
    assert_eq!(node["driver_internal_info"].get("fake_ramdisk"), None);
    machine.asks("unrescue").await.reaches(S::Active).await;
    lab.stop().await;
}

async fn a_rescue_without_a_ramdisk_is_refused(engine: Engine) {
    let lab = Lab::with(engine, without_cleaning()).await;
    let agent = puppet().await;
    let machine = deployed(&lab, &agent).await;
    machine.behave("fake_boots_ramdisks", None).await;
    let rescue = json!({"target": "rescue", "rescue_password": "let me in"});
    let refused = machine.provision(rescue).await.expect(400);
    let text = "does not support validate_rescue";
    assert!(refused.fault().contains(text), "{}", refused.fault());
    let verdicts = lab.client.get(&machine.path("/validate")).await;
    let verdicts = verdicts.expect(200).json();
    assert_eq!(verdicts["rescue"]["result"], false);
    assert_eq!(machine.show().await["provision_state"], "active");
    lab.stop().await;
}

/// With `[agent]manage_agent_boot = false`, the boot interface has nothing to do with the agent: it
/// is neither asked whether it can boot one, nor to do so, nor to take it away.
async fn operators_may_boot_the_agent_themselves(engine: Engine) {
    let mut options = without_cleaning();
    options.conductor.ramdisk.manages_boot = false;
    let lab = Lab::with(engine, options).await;
    let agent = puppet().await;
    let machine = manageable(&lab).await;
    machine.behave("fake_boots_ramdisks", None).await;
    machine.asks("provide").await.reaches(S::Available).await;
    super::has_image(machine).await;
    // What is written boots from disk, whatever the boot interface thinks.
    let fail = "boot.prepare_ramdisk,boot.prepare_instance,boot.clean_up_ramdisk";
    machine.behave("fake_fail", Some(fail)).await;
    machine.asks("active").await;
    let node = machine.reaches(S::DeployWait).await;
    assert_eq!(node["power_state"], "power on");
    agent.boots(&lab, machine).await;
    waits_for(machine, "deploy_step", "write_image").await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Active).await;
    let told = names(&agent.told());
    assert!(
        !told.iter().any(|one| one.contains("install_bootloader")),
        "{told:?}"
    );

    let verdicts = lab.client.get(&machine.path("/validate")).await;
    let verdicts = verdicts.expect(200).json();
    let reason = verdicts["rescue"]["reason"].as_str().unwrap();
    assert!(reason.contains("rescue_password"), "{reason}");
    let rescue = json!({"target": "rescue", "rescue_password": "let me in"});
    machine.asks_with(rescue).await.reaches(S::RescueWait).await;
    agent.boots(&lab, machine).await;
    machine.reaches(S::Rescue).await;
    lab.stop().await;
}

fn raid_agent() -> Value {
    let step = |name: &str| {
        json!({
            "step": name, "priority": 0, "interface": "raid",
            "reboot_requested": false, "abortable": true,
        })
    };
    json!([step("create_configuration"), step("delete_configuration")])
}

async fn disks_are_put_together_by_the_agent(engine: Engine) {
    let lab = Lab::with(engine, enabled()).await;
    let machine = manageable(&lab).await;
    let agent = super::Puppet::start(&[("clean", raid_agent())]).await;
    let clean = |args: Value| {
        json!({"target": "clean", "clean_steps": [
            {"interface": "raid", "step": "create_configuration", "args": args},
        ]})
    };
    let wanted = json!({"logical_disks": [
        {"size_gb": 100, "raid_level": "1", "controller": "software", "is_root_volume": true},
        {"size_gb": "MAX", "raid_level": "0", "controller": "software"},
    ]});
    let path = machine.path("/states/raid");
    lab.client.put(&path, wanted.clone()).await.expect(204);

    let made = json!({"logical_disks": [{"size_gb": 100, "raid_level": "1",
        "is_root_volume": true, "root_device_hint": {"wwn": "0x1"}}]});
    machine
        .asks_with(clean(json!({})))
        .await
        .reaches(S::CleanWait)
        .await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "create_configuration").await;
    let told = agent.told();
    let node = &told.last().unwrap().1["node"];
    assert_eq!(node["driver_internal_info"]["target_raid_config"], wanted);
    agent.ends(Ok(json!({"clean_result": made})));
    agent.reports(&lab, machine).await;
    let node = machine.reaches(S::Manageable).await;
    assert_eq!(node["raid_config"]["logical_disks"], made["logical_disks"]);
    assert_eq!(node["properties"]["root_device"], json!({"wwn": "0x1"}));
    assert_eq!(node["properties"]["local_gb"], 100);

    // An answer that says nothing is no success.
    machine
        .asks_with(clean(json!({})))
        .await
        .reaches(S::CleanWait)
        .await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "create_configuration").await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    let node = machine.reaches(S::CleanFailed).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("didn't return a proper command result"),
        "{error}"
    );

    let off = json!([{"op": "replace", "path": "/maintenance", "value": false}]);
    machine.patch(off).await.expect(200);
    machine.asks("manage").await.reaches(S::Manageable).await;
    let delete = json!({"target": "clean", "clean_steps": [
        {"interface": "raid", "step": "delete_configuration"},
    ]});
    machine.asks_with(delete).await.reaches(S::CleanWait).await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "delete_configuration").await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    let node = machine.reaches(S::Manageable).await;
    assert_eq!(node["raid_config"], json!({}));
    assert_eq!(node["properties"].get("root_device"), None);
    lab.stop().await;
}

async fn an_agent_that_is_there_is_not_booted_again(engine: Engine) {
    let mut options = enabled();
    options.conductor.fast_track = true;
    options.api.fast_track = true;
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab).await;
    let agent = puppet().await;
    machine.asks("inspect").await;
    let node = machine.reaches(S::InspectWait).await;
    let api = "ipa-api-url=http://127.0.0.1:1";
    assert!(parameters(&node).iter().any(|parameter| parameter == api));
    agent.knows(sends_data(&lab).await);
    let node = machine.reaches(S::Manageable).await;
    assert_eq!(node["power_state"], "power on", "the agent stays");
    let powered = node["driver_internal_info"]["last_power_state_change"].clone();
    agent.reports(&lab, machine).await;

    // Cleaning begins at once, and leaves the agent where it is.
    machine.asks("provide").await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    for _ in 0..2 {
        agent.ends(Ok(json!({})));
        agent.reports(&lab, machine).await;
        machine.rests().await;
    }
    let node = machine.reaches(S::Available).await;
    let unchanged = &node["driver_internal_info"]["last_power_state_change"];
    assert_eq!(unchanged, &powered, "nobody touched the power");
    agent.told();

    super::has_image(machine).await;
    agent.reports(&lab, machine).await;
    machine.asks("active").await;
    waits_for(machine, "deploy_step", "write_image").await;
    let node = machine.show().await;
    let unchanged = &node["driver_internal_info"]["last_power_state_change"];
    assert_eq!(unchanged, &powered, "nobody touched the power");
    assert_eq!(
        names(&agent.told()),
        [
            "deploy.get_deploy_steps",
            "deploy.execute_deploy_step write_image"
        ]
    );
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Active).await;
    lab.stop().await;
}

async fn an_agent_of_ours_starts_the_instance(engine: Engine) {
    let mut options = without_cleaning();
    options.conductor.ramdisk.kexec = true;
    let lab = Lab::with(engine, options).await;
    let agent = puppet().await;
    // A stock agent does not know how.
    let other = deployed(&lab, &agent).await;
    assert_eq!(other.show().await["power_state"], "power on");
    for (refuses, ended) in [(false, None), (true, Some("standby.power_off"))] {
        let agent = puppet().await;
        agent.is("13.0.0+corten.0.1.0");
        if refuses {
            agent.refuses("kexec");
        }
        let machine = manageable(&lab).await;
        machine.asks("provide").await.reaches(S::Available).await;
        super::has_image(machine).await;
        machine.asks("active").await.reaches(S::DeployWait).await;
        agent.boots(&lab, machine).await;
        waits_for(machine, "deploy_step", "write_image").await;
        let before = machine.show().await;
        agent.ends(Ok(json!({})));
        agent.reports(&lab, machine).await;
        let node = machine.reaches(S::Active).await;
        assert_eq!(node["power_state"], "power on");
        let told = names(&agent.told());
        assert!(told.contains(&"standby.kexec".to_owned()), "{told:?}");
        let last = told.last().unwrap();
        assert_eq!(last, ended.unwrap_or("standby.kexec"));
        let changed =
            |node: &Value| node["driver_internal_info"]["last_power_state_change"].clone();
        assert_eq!(changed(&before) == changed(&node), !refuses);
        let warned = lab.told(machine.id).await;
        let warned = warned
            .iter()
            .any(|line| line.starts_with("warning the agent could not"));
        assert_eq!(warned, refuses);
        assert_eq!(node["driver_internal_info"].get("corten_kexec"), None);
    }
    lab.stop().await;
}

async fn logs_are_kept_when_something_fails(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let mut options = enabled();
    let logs = folder.path().join("deploy");
    options.conductor.ramdisk.logs_folder = logs.clone();
    let lab = Lab::with(engine, options).await;
    let machine = enrolled(&lab).await;
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    agent.ends(Err("disk /dev/sda is on fire"));
    agent.reports(&lab, machine).await;
    machine.reaches(S::CleanFailed).await;
    let files: Vec<_> = std::fs::read_dir(&logs).unwrap().collect();
    assert_eq!(files.len(), 1);
    let file = files.into_iter().next().unwrap().unwrap();
    let name = file.file_name().into_string().unwrap();
    let start = format!("{}_cleaning_", machine.id);
    assert!(
        name.starts_with(&start) && name.ends_with(".tar.gz"),
        "{name}"
    );
    assert_eq!(std::fs::read(file.path()).unwrap(), b"logs of a ramdisk");
    let told = lab.told(machine.id).await;
    let line = format!("step the ramdisk's logs were kept as {name}");
    assert!(told.contains(&line), "{told:#?}");
    lab.stop().await;
}
