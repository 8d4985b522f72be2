//! Machines that boot from the network: what they find, when, and that it goes again.

use super::{place::AgentHome, puppet, waits_for};
use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use drivers::boot_image::Configured;
use serde_json::{Value, json};
use std::fs;
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    a_machine_boots_from_a_volume_that_others_attach,
    a_machine_finds_its_ramdisk_and_its_image,
    a_machine_finds_its_ramdisk_by_tftp,
    an_instance_can_be_a_ramdisk,
    what_cannot_boot_is_refused_with_the_reason,
    steps_without_a_ramdisk_to_boot_are_refused_at_once,
    images_that_do_harm_are_refused,
    images_that_agents_fetch_are_checked_whole_where_operators_want_it,
    published_machines_outlive_a_restart,
    a_machine_is_restarted_from_what_is_made_here,
);

const MAC: &str = "52:54:00:bb:00:01";
const DASHED: &str = "52-54-00-bb-00-01";

async fn enrolled<'a>(lab: &'a Lab, boot: &str, deploy: &str, more: Value) -> Machine<'a> {
    let mut body = json!({
        "boot_interface": boot, "deploy_interface": deploy, "management_interface": "noop",
    });
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    let machine = lab.enroll(body).await;
    let port = json!({"address": MAC, "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

async fn set(machine: Machine<'_>, key: &str, value: Value) {
    let change = json!([{"op": "add", "path": format!("/instance_info/{key}"), "value": value}]);
    machine.patch(change).await.expect(200);
}

/// Cleans the machine with a step that ends at once.
async fn cleaned(lab: &Lab, machine: Machine<'_>, agent: &super::Puppet) {
    machine.asks("provide").await.reaches(S::CleanWait).await;
    agent.boots(lab, machine).await;
    for step in ["erase_devices_metadata", "erase_devices"] {
        waits_for(machine, "clean_step", step).await;
        agent.ends(Ok(json!({})));
        agent.reports(lab, machine).await;
    }
    machine.reaches(S::Available).await;
    agent.told();
}

/// A disk of two megabytes, as qcow2 without compression: one cluster of data at its start.
pub(crate) fn qcow2(data: &[u8], backing: bool) -> Vec<u8> {
    const CLUSTER: usize = 1 << 16;
    let mut image = vec![0; CLUSTER * 6];
    let mut put = |at: usize, bytes: &[u8]| image[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"QFI\xfb");
    put(4, &2u32.to_be_bytes());
    if backing {
        put(8, &1024u64.to_be_bytes());
        put(16, &11u32.to_be_bytes());
        put(1024, b"/etc/shadow");
    }
    put(20, &16u32.to_be_bytes());
    put(24, &(2u64 << 20).to_be_bytes());
    put(36, &1u32.to_be_bytes());
    put(40, &(3 * CLUSTER as u64).to_be_bytes());
    put(48, &(CLUSTER as u64).to_be_bytes());
    put(56, &1u32.to_be_bytes());
    // A table and a block of reference counts, both levels of the map, and the data.
    put(CLUSTER, &(2 * CLUSTER as u64).to_be_bytes());
    for cluster in 0..6 {
        put(2 * CLUSTER + 2 * cluster, &1u16.to_be_bytes());
    }
    let copied = 1u64 << 63;
    put(3 * CLUSTER, &(copied | (4 * CLUSTER as u64)).to_be_bytes());
    put(4 * CLUSTER, &(copied | (5 * CLUSTER as u64)).to_be_bytes());
    put(5 * CLUSTER, data);
    image
}

async fn a_machine_finds_its_ramdisk_and_its_image(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, place.options()).await;
    let info = json!({"driver_info": {"kernel_append_params": "console=ttyS0 %default%"}});
    let machine = enrolled(&lab, "ipxe", "autodetect", info).await;
    let id = machine.id.to_string();
    let agent = puppet().await;
    let config = format!("/pxelinux.cfg/{DASHED}");
    assert_eq!(place.get(&config).await, None);

    machine.asks("provide").await.reaches(S::CleanWait).await;
    let node = machine.show().await;
    assert_eq!(node["deploy_interface"], "direct");
    let text = place.text(&config).await.unwrap();
    let line = "text console=ttyS0 nofb vga=normal ipa-api-url=http://127.0.0.1:1";
    assert!(text.contains(line), "{text}");
    assert!(text.contains(&format!("{}/{id}/deploy_kernel", place.url())));
    let kernel = place.text(&format!("/{id}/deploy_kernel")).await;
    assert_eq!(kernel.as_deref(), Some("the kernel"));
    agent.boots(&lab, machine).await;
    for step in ["erase_devices_metadata", "erase_devices"] {
        waits_for(machine, "clean_step", step).await;
        agent.ends(Ok(json!({})));
        agent.reports(&lab, machine).await;
    }
    let node = machine.reaches(S::Available).await;
    assert_eq!(node["deploy_interface"], "autodetect");
    assert_eq!(place.get(&config).await, None);
    assert!(!place.exists(&format!("http/{id}")));
    agent.told();

    fs::write(place.path("disk.qcow2"), qcow2(b"the instance", false)).unwrap();
    set(machine, "image_source", place.file("disk.qcow2").into()).await;
    let drive = json!({"meta_data": {"hostname": "h1"}, "user_data": "#cloud-config"});
    machine
        .asks_with(json!({"target": "active", "configdrive": drive}))
        .await
        .reaches(S::DeployWait)
        .await;
    // The agent gets the image from here, and raw.
    let path = format!("/agent_images/{id}");
    let image = place.get(&path).await.unwrap();
    assert_eq!((image.len(), &image[..12]), (2 << 20, &b"the instance"[..]));
    agent.boots(&lab, machine).await;
    waits_for(machine, "deploy_step", "write_image").await;
    let told = agent.told();
    let args = &told.last().unwrap().1["step"]["args"];
    let info = &args["image_info"];
    assert_eq!(info["urls"], json!([format!("{}{path}", place.url())]));
    assert_eq!(
        (&info["disk_format"], &info["os_hash_algo"]),
        (&json!("raw"), &json!("sha256"))
    );
    assert_eq!(info["os_hash_value"].as_str().unwrap().len(), 64);
    assert_eq!(info.get("checksum"), None);
    let drive = image::configdrive::decode(args["configdrive"].as_str().unwrap()).unwrap();
    let drive = String::from_utf8_lossy(&drive);
    assert!(drive.contains(&id) && drive.contains("#cloud-config"));
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    let node = machine.reaches(S::Active).await;
    assert_eq!(node["deploy_interface"], "direct");
    assert_eq!(
        (place.get(&config).await, place.get(&path).await),
        (None, None)
    );
    assert!(!place.exists(&format!("images/{id}")));
    lab.stop().await;
}

async fn a_machine_finds_its_ramdisk_by_tftp(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, place.options()).await;
    let bios = json!({"properties": {"capabilities": "boot_mode:bios"}});
    let machine = enrolled(&lab, "pxe", "direct", bios).await;
    let id = machine.id.to_string();
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let config = place.tftp(&format!("pxelinux.cfg/01-{DASHED}")).await;
    let config = String::from_utf8(config.unwrap()).unwrap();
    assert!(config.starts_with("default deploy\n"), "{config}");
    assert!(
        config.contains(&format!("kernel {id}/deploy_kernel")),
        "{config}"
    );
    let ramdisk = place.tftp(&format!("{id}/deploy_ramdisk")).await;
    assert_eq!(ramdisk.as_deref(), Some(&b"the ramdisk"[..]));
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    agent.ends(Err("no"));
    agent.reports(&lab, machine).await;
    machine
        .until("clean failed", |node| {
            Some(node["provision_state"] == "clean failed" && node["reservation"].is_null())
        })
        .await;
    // What failed leaves nothing to boot from either.
    assert_eq!(place.tftp(&format!("pxelinux.cfg/01-{DASHED}")).await, None);
    lab.stop().await;
}

async fn an_instance_can_be_a_ramdisk(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, place.options()).await;
    let machine = enrolled(&lab, "ipxe", "autodetect", json!({})).await;
    let agent = puppet().await;
    cleaned(&lab, machine, &agent).await;
    for (key, value) in [
        ("kernel", place.file("kernel")),
        ("ramdisk", place.file("ramdisk")),
        ("ramdisk_kernel_arguments", "quiet".to_owned()),
        ("ironic_ramdisk_deploy", "true".to_owned()),
    ] {
        set(machine, key, value.into()).await;
    }
    machine.asks("active").await;
    let node = machine.reaches(S::Active).await;
    assert_eq!(node["deploy_interface"], "ramdisk");
    assert_eq!(node["power_state"], "power on");
    let config = place
        .text(&format!("/pxelinux.cfg/{DASHED}"))
        .await
        .unwrap();
    assert!(
        config.contains("\ngoto boot_ramdisk\n") && config.contains("quiet"),
        "{config}"
    );
    machine.asks("deleted").await.reaches(S::CleanWait).await;
    let config = place
        .text(&format!("/pxelinux.cfg/{DASHED}"))
        .await
        .unwrap();
    assert!(config.contains("\ngoto deploy\n"), "{config}");
    lab.stop().await;
}

async fn what_cannot_boot_is_refused_with_the_reason(engine: Engine) {
    let place = AgentHome::make().await;
    let mut options = place.options();
    options.hardware.boot_images = drivers::BootImageSettings::default();
    let lab = Lab::with(engine, options).await;
    let body = json!({"boot_interface": "ipxe", "deploy_interface": "ramdisk"});
    let machine = lab.enroll(body).await;
    let reason = async |kind: &str| {
        let all = lab
            .client
            .get(&machine.path("/validate"))
            .await
            .expect(200)
            .json();
        all[kind]["reason"].as_str().unwrap_or("").to_owned()
    };
    let no_port = format!(
        "Node {} does not have any port associated with it",
        machine.id
    );
    assert_eq!(
        (reason("boot").await, reason("deploy").await),
        (no_port.clone(), no_port)
    );
    let port = json!({"address": MAC, "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    let missing = reason("boot").await;
    assert!(
        missing.ends_with("Missing are: ['kernel', 'ramdisk']"),
        "{missing}"
    );
    set(machine, "kernel", "lab-kernel".into()).await;
    set(machine, "ramdisk", "http://h/r".into()).await;
    let by_name = reason("deploy").await;
    assert!(by_name.contains("is not a UUID"), "{by_name}");
    let fake = json!([{"op": "replace", "path": "/boot_interface", "value": "fake"}]);
    machine.patch(fake).await.expect(200);
    let fake = reason("deploy").await;
    assert!(fake.contains("`ramdisk_boot` capability"), "{fake}");
    lab.stop().await;
}

async fn images_that_do_harm_are_refused(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, place.options()).await;
    let machine = enrolled(&lab, "ipxe", "direct", json!({"automated_clean": false})).await;
    machine.asks("provide").await.reaches(S::Available).await;
    fs::write(place.path("bad.qcow2"), qcow2(b"", true)).unwrap();
    fs::write(place.path("http/served.qcow2"), qcow2(b"", true)).unwrap();
    fs::write(place.path("good.qcow2"), qcow2(b"x", false)).unwrap();
    let served = format!("{}/served.qcow2", place.url());
    let gone = format!("{}/gone.qcow2", place.url());
    let sum = "0".repeat(64);
    for (source, sum, word) in [
        (place.file("bad.qcow2"), None, "backing file"),
        (served, Some(sum.clone()), "backing file"),
        (gone, Some(sum.clone()), "404"),
        (place.file("good.qcow2"), Some(sum), "checksum"),
        ("file:///etc/passwd".to_owned(), None, "not permitted"),
    ] {
        set(machine, "image_source", source.clone().into()).await;
        set(machine, "image_checksum", sum.into()).await;
        machine.asks("active").await;
        let node = machine
            .until("deploy failed", |node| {
                Some(node["provision_state"] == "deploy failed" && node["reservation"].is_null())
            })
            .await;
        let error = node["last_error"].as_str().unwrap();
        assert!(error.contains(word), "{source}: {error}");
        // Nobody was switched on for it.
        assert_ne!(node["power_state"], "power on", "{source}");
        assert!(!place.exists(&format!("http/agent_images/{}", machine.id)));
    }
    lab.stop().await;
}

async fn images_that_agents_fetch_are_checked_whole_where_operators_want_it(engine: Engine) {
    for (validate, memory) in [(false, 0), (true, 0), (false, 2)] {
        let place = AgentHome::make().await;
        let mut options = place.options();
        options.conductor.images.always_validate = validate;
        options.conductor.images.agent_memory = memory;
        let lab = Lab::with(engine, options).await;
        let more = json!({"automated_clean": false, "properties": {"memory_mb": 2}});
        let machine = enrolled(&lab, "ipxe", "direct", more).await;
        machine.asks("provide").await.reaches(S::Available).await;
        fs::write(place.path("http/served.qcow2"), qcow2(b"x", false)).unwrap();
        let source = format!("{}/served.qcow2", place.url());
        set(machine, "image_source", source.into()).await;
        // A look at its head finds nothing wrong.
        set(machine, "image_checksum", "0".repeat(64).into()).await;
        machine.asks("active").await;
        let node = machine
            .until("waits or failed", |node| {
                let state = node["provision_state"].as_str()?;
                Some(
                    ["wait call-back", "deploy failed"].contains(&state)
                        && node["reservation"].is_null(),
                )
            })
            .await;
        let error = node["last_error"].as_str().unwrap_or_default().to_owned();
        let expected = match (validate, memory) {
            (true, _) => "checksum",
            (_, 2) => "Memory size is too small for requested image",
            _ => "",
        };
        assert!(error.contains(expected), "{error}");
        assert_eq!(error.is_empty(), expected.is_empty(), "{error}");
        // What was only looked at does not stay.
        assert!(!place.exists(&format!("images/{}/disk", machine.id)));
        lab.stop().await;
    }
}

async fn published_machines_outlive_a_restart(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, place.options()).await;
    let machine = enrolled(&lab, "http-ipxe", "direct", json!({})).await;
    let id = machine.id.to_string();
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let database = lab.stop().await;
    let config = format!("/pxelinux.cfg/{DASHED}");
    assert!(place.get(&config).await.is_some());
    let lab = Lab::on(database, place.options()).await;
    let machine = lab.machine(&id);
    agent.boots(&lab, machine).await;
    for step in ["erase_devices_metadata", "erase_devices"] {
        waits_for(machine, "clean_step", step).await;
        agent.ends(Ok(json!({})));
        agent.reports(&lab, machine).await;
    }
    machine.reaches(S::Available).await;
    assert_eq!(place.get(&config).await, None);
    lab.stop().await;
}

/// An agent asks for a restart at a conductor that did not make its ramdisk.
async fn a_machine_is_restarted_from_what_is_made_here(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, place.options()).await;
    let machine = enrolled(&lab, "ipxe", "direct", json!({})).await;
    let step = json!({
        "step": "flash", "priority": 10, "interface": "deploy", "reboot_requested": true,
        "abortable": true,
    });
    let agent = super::Puppet::start(&[("clean", json!([step]))]).await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "flash").await;
    // As if another conductor had come so far.
    fs::remove_dir_all(place.path("http").join(machine.id.to_string())).unwrap();
    lab.database
        .execute("UPDATE nodes SET conductor_affinity = 'another'");
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    machine
        .until("the restart", |node| {
            let info = &node["driver_internal_info"];
            Some(info["cleaning_reboot"] == true && node["reservation"].is_null())
        })
        .await;
    let config = format!("/pxelinux.cfg/{DASHED}");
    assert!(place.text(&config).await.unwrap().contains("deploy_kernel"));
    let node = store::node::find(&lab.db, machine.id).await.unwrap();
    let serves = node.unwrap().conductor_affinity;
    assert_eq!(serves.as_deref(), Some(crate::lab::HOST));
    lab.stop().await;
}

/// A request that can only end in a failed state is refused, unless no ramdisk is needed.
async fn steps_without_a_ramdisk_to_boot_are_refused_at_once(engine: Engine) {
    let place = AgentHome::make().await;
    let mut options = place.options();
    options.hardware.boot_images.deploy = Configured::default();
    let lab = Lab::with(engine, options).await;
    let machine = enrolled(&lab, "ipxe", "direct", json!({})).await;
    let step = |name: &str| json!([{"interface": "vendor", "step": name}]);
    let clean = json!({"target": "clean", "clean_steps": step("log_passthrough")});
    let answer = machine.provision(clean.clone()).await;
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert_eq!(answer.status, 400, "{text}");
    for part in [
        &format!("Validation of node {} for cleaning failed: ", machine.id),
        "deploy_kernel",
        "[conductor]deploy_kernel",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let node = machine.show().await;
    assert_eq!(node["provision_state"], "manageable");
    assert_eq!(node["last_error"], Value::Null);

    // Named for this node, it is enough.
    machine
        .patch(json!([
            {"op": "add", "path": "/driver_info/deploy_kernel", "value": place.file("kernel")},
            {"op": "add", "path": "/driver_info/deploy_ramdisk", "value": place.file("ramdisk")},
        ]))
        .await
        .expect(200);
    machine.asks_with(clean).await.reaches(S::CleanWait).await;
    lab.stop().await;
}

/// The storage interface `external`: the volume is where its target says, and nothing is installed.
async fn a_machine_boots_from_a_volume_that_others_attach(engine: Engine) {
    let place = AgentHome::make().await;
    let mut options = place.options();
    let storage = vec!["noop".to_owned(), "external".to_owned()];
    options.hardware.enable_interfaces(K::Storage, storage);
    options.conductor.automated_clean = false;
    let lab = Lab::with(engine, options).await;
    let body = json!({
        "storage_interface": "external",
        "properties": {"capabilities": "boot_mode:bios,iscsi_boot:True"},
    });
    let machine = enrolled(&lab, "ipxe", "direct", body).await;
    let id = machine.id.to_string();
    let connector = json!({
        "node_uuid": id, "type": "iqn", "connector_id": "iqn.2026-01.org.example:machine",
    });
    let created = lab.client.post("/v1/volume/connectors", connector).await;
    created.expect(201);
    let target = json!({
        "node_uuid": id, "volume_type": "iscsi", "boot_index": 0, "volume_id": "v-1",
        "properties": {
            "target_portal": "192.0.2.10:3260", "target_iqn": "iqn.2026-01.org.example:root",
            "target_lun": 1, "auth_username": "machine", "auth_password": "of-the-volume",
        },
    });
    let created = lab.client.post("/v1/volume/targets", target).await;
    created.expect(201);
    machine.asks("provide").await.reaches(S::Available).await;
    let node = machine.asks("active").await.reaches(S::Active).await;
    assert_eq!(node["power_state"], "power on");
    let config = format!("/pxelinux.cfg/{DASHED}");
    let script = place.text(&config).await.unwrap();
    for part in [
        "set initiator-iqn iqn.2026-01.org.example:machine",
        "set username machine",
        "set password of-the-volume",
        "sanhook --drive 0x80 iscsi:192.0.2.10::3260:1:iqn.2026-01.org.example:root",
    ] {
        assert!(script.contains(part), "{part}: {script}");
    }
    let told = lab.told(machine.id).await;
    assert!(!told.iter().any(|text| text.contains("of-the-volume")));
    machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(place.text(&config).await, None);
    lab.stop().await;
}
