//! Machines whose firmware fetches its disc by HTTP (`redfish-https`): what the BMC is told, that the
//! disc can be fetched, and that nothing of it stays.

use super::{
    discs::{Bmc, affinity, enrolled, options, place_token, text, unreachable},
    place::AgentHome,
    puppet, waits_for,
};
use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use drivers::redfish::{Redfish, RedfishSettings};
use serde_json::{Value, json};
use sim::machine::boot::{Device, Enabled};
use std::fs;
use types::{InterfaceKind as K, Node, NodeId, ProvisionState as S};

every_engine!(
    a_machine_boots_its_disc_by_http,
    an_instance_by_http_is_asked_for_again_at_every_power_on,
    a_machine_by_http_is_rescued_as_by_media,
    a_disc_by_http_moves_with_its_machine,
    only_uefi_boots_by_http,
);

fn by_http(place: &AgentHome) -> Options {
    let mut options = options(place);
    let hardware = &mut options.hardware;
    hardware.enable_interfaces(K::Boot, vec!["redfish-https".into()]);
    hardware.enable_interfaces(K::Rescue, vec!["agent".into(), "no-rescue".into()]);
    options
}

/// The address that the firmware boots from, as the BMC shows it.
async fn address(bmc: &Bmc) -> Option<String> {
    let Value::Object(info) = json!({
        "redfish_address": bmc.address, "redfish_username": "admin",
        "redfish_password": "secret", "redfish_verify_ca": false,
    }) else {
        unreachable!()
    };
    let redfish = Redfish::new(RedfishSettings::default());
    let mut node = Node::new(NodeId::generate(), "redfish");
    let info = redfish.info(&drivers::iface::Machine::new(&mut node, &info, &[]));
    let info = info.unwrap();
    let talk = redfish.talk(&info, "looking").await.unwrap();
    let system = talk.system().await.unwrap();
    system.str("Boot/HttpBootUri").map(str::to_owned)
}

/// What the machine booted from last.
fn booted(bmc: &Bmc) -> Option<Device> {
    bmc.machines[0].last_boot().map(|(_, device)| device)
}

/// What the machine boots from, and for how long.
fn device(bmc: &Bmc) -> (Device, Enabled) {
    let boot = bmc.machines[0].boot();
    (boot.device, boot.enabled)
}

async fn a_machine_boots_its_disc_by_http(engine: Engine) {
    let (place, bmc) = (AgentHome::make().await, Bmc::made_by("generic").await);
    let lab = Lab::with(engine, by_http(&place)).await;
    let machine = enrolled(&lab, &bmc, "direct", json!({})).await;
    let verdicts = lab.client.get(&machine.path("/validate")).await;
    let verdicts = verdicts.expect(200).json();
    assert_eq!(verdicts["boot"]["result"], true, "{verdicts}");
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;

    let url = address(&bmc).await.unwrap();
    let name = url.strip_prefix(&place.url()).unwrap().to_owned();
    assert!(name.starts_with(&format!("/redfish/boot-{}-", machine.id)));
    // The machine was started, so what counted once is over.
    assert_eq!(booted(&bmc), Some(Device::UefiHttp));
    let node = machine.show().await;
    let noted = &node["driver_internal_info"];
    assert_eq!(noted.get("redfish_uefi_http_url"), None, "{noted}");
    let drives = lab.client.get(&machine.path("/vmedia")).await;
    assert!(
        !drives
            .expect(200)
            .body
            .windows(5)
            .any(|part| part == b"boot-")
    );

    // The firmware fetches the disc; the token on it is the one that the service takes.
    let disc = place.path("fetched.iso");
    fs::write(&disc, place.get(&name).await.unwrap()).unwrap();
    let token = place_token(&place, &name).await;
    if let Some(config) = text(&disc, "/EFI/BOOT/grub.cfg") {
        for word in ["ipa-api-url=http://127.0.0.1:1", "boot_method=vmedia"] {
            assert!(config.contains(word), "{word} in {config}");
        }
    }
    agent.knows(token);
    agent.reports(&lab, machine).await;
    assert_eq!(place.get(&name).await, None, "it is all in memory now");
    for step in ["erase_devices_metadata", "erase_devices"] {
        waits_for(machine, "clean_step", step).await;
        agent.ends(Ok(json!({})));
        agent.reports(&lab, machine).await;
    }
    machine.reaches(S::Available).await;
    assert_eq!(fs::read_dir(place.path("http/redfish")).unwrap().count(), 0);
    lab.stop().await;
}

/// The BMC takes the device for one boot only, so that the address must be told with it each time.
async fn an_instance_by_http_is_asked_for_again_at_every_power_on(engine: Engine) {
    let (place, bmc) = (AgentHome::make().await, Bmc::made_by("fujitsu").await);
    let mut options = by_http(&place);
    options.conductor.automated_clean = false;
    options.hardware.boot_images.automated_clean = false;
    let lab = Lab::with(engine, options).await;
    let machine = enrolled(&lab, &bmc, "ramdisk", json!({})).await;
    machine.asks("provide").await.reaches(S::Available).await;
    fs::write(place.path("live.iso"), "a live system").unwrap();
    let iso =
        json!([{"op": "add", "path": "/instance_info/boot_iso", "value": place.file("live.iso")}]);
    machine.patch(iso).await.expect(200);
    machine.asks("active").await.reaches(S::Active).await;
    let url = address(&bmc).await.unwrap();
    let served = place.text(url.strip_prefix(&place.url()).unwrap()).await;
    assert_eq!(served.as_deref(), Some("a live system"));
    assert_eq!(booted(&bmc), Some(Device::UefiHttp));

    let power = async |target: &str, reached: &str| {
        let body = json!({"target": target});
        let path = machine.path("/states/power");
        lab.client.put(&path, body).await.expect(202);
        machine
            .until(reached, |node| {
                Some(node["power_state"] == reached && node["reservation"].is_null())
            })
            .await;
    };
    power("power off", "power off").await;
    assert_eq!(device(&bmc).1, Enabled::Disabled);
    power("power on", "power on").await;
    assert_eq!(booted(&bmc), Some(Device::UefiHttp));
    assert_eq!(address(&bmc).await.as_deref(), Some(url.as_str()));

    machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(fs::read_dir(place.path("http/redfish")).unwrap().count(), 0);
    lab.stop().await;
}

async fn a_machine_by_http_is_rescued_as_by_media(engine: Engine) {
    let (place, bmc) = (AgentHome::make().await, Bmc::made_by("generic").await);
    let lab = Lab::with(engine, by_http(&place)).await;
    let more = json!({"driver_info": {"rescue_kernel": place.file("kernel"), "rescue_ramdisk": place.file("ramdisk")}});
    let machine = enrolled(&lab, &bmc, "direct", more).await;
    let verdicts = lab.client.get(&machine.path("/validate")).await;
    let verdicts = verdicts.expect(200).json();
    assert_eq!(verdicts["boot"]["result"], true, "{verdicts}");
    let add = |path: &str, value: &str| json!({"op": "add", "path": path, "value": value});
    let rescue = json!([
        add("/rescue_interface", "agent"),
        add("/instance_info/rescue_password", "let me in"),
    ]);
    machine.patch(rescue).await.expect(200);
    let verdicts = lab.client.get(&machine.path("/validate")).await;
    let verdicts = verdicts.expect(200).json();
    assert_eq!(verdicts["rescue"]["result"], true, "{verdicts}");
    lab.stop().await;
}

/// The conductor that made a disc is gone with it: another one makes it again and tells the BMC.
async fn a_disc_by_http_moves_with_its_machine(engine: Engine) {
    let bmc = Bmc::made_by("generic").await;
    let (here, there) = (AgentHome::make().await, AgentHome::make().await);
    let lab = Lab::with(engine, by_http(&here)).await;
    let machine = enrolled(&lab, &bmc, "direct", json!({})).await;
    let (id, agent) = (machine.id, puppet().await);
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let first = address(&bmc).await.unwrap();
    let made = place_token(&here, first.strip_prefix(&here.url()).unwrap()).await;
    let database = lab.stop().await;
    here.close();
    unreachable(&here).await;

    let mut options = by_http(&there);
    options.conductor.host = "second".to_owned();
    let lab = Lab::on(database, options).await;
    affinity(&lab, id, "second").await;
    let second = address(&bmc).await.unwrap();
    let name = second.strip_prefix(&there.url()).unwrap();
    assert_eq!(place_token(&there, name).await, made, "the ramdisk's token");
    assert_eq!(device(&bmc), (Device::UefiHttp, Enabled::Once));
    let machine = lab.machine(&id.to_string());
    agent.knows(made);
    agent.reports(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    lab.stop().await;
}

async fn only_uefi_boots_by_http(engine: Engine) {
    let (place, bmc) = (AgentHome::make().await, Bmc::made_by("generic").await);
    let lab = Lab::with(engine, by_http(&place)).await;
    let machine = enrolled(&lab, &bmc, "direct", json!({})).await;
    let bios =
        json!([{"op": "add", "path": "/properties/capabilities", "value": "boot_mode:bios"}]);
    machine.patch(bios).await.expect(200);
    let verdicts = lab.client.get(&machine.path("/validate")).await;
    let verdicts = verdicts.expect(200).json();
    let reason = verdicts["boot"]["reason"].as_str().unwrap();
    assert!(reason.contains("needs UEFI"), "{reason}");
    lab.stop().await;
}
