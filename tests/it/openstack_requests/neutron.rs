//! Networks of Neutron: virtual interfaces, the networks of ramdisks, and the order of writes.

use super::Theatre;
use crate::{
    agent::puppet::Puppet,
    database::Engine,
    http::Answer,
    lab::{Lab, Machine, Options},
};
use drivers::network::{NeutronDhcp, PurposeNetwork};
use serde_json::{Value, json};
use std::time::Duration;
use types::{InterfaceKind as K, ProvisionState as S};

const RECORDING: &str = include_str!("../../golden/openstack/neutron.jsonl");

pub(super) fn options(theatre: &Theatre) -> Options {
    let mut options = theatre.options();
    let hardware = &mut options.hardware;
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    hardware.enable_interfaces(K::Network, named(&["noop", "flat", "neutron"]));
    hardware.enable_interfaces(K::Rescue, named(&["agent", "no-rescue"]));
    hardware.enable_interfaces(K::Inspect, named(&["agent", "no-inspect"]));
    let network = |name: &str| PurposeNetwork {
        network: Some(name.to_owned()),
        security_groups: Vec::new(),
    };
    hardware.networks.cleaning = network("cleaning-net");
    hardware.networks.provisioning = network("prov-net");
    hardware.networks.rescuing = network("rescue-net");
    hardware.networks.inspection = network("inspect-net");
    hardware.networks.servicing = network("service-net");
    let services = hardware.openstack.clone().unwrap();
    hardware.netboot.neutron = Some(NeutronDhcp {
        services,
        port_setup_delay: Duration::ZERO,
    });
    hardware.boot_images.rescue = hardware.boot_images.deploy.clone();
    theatre
        .stage
        .calls(theatre.home.url(), "http://httpd.example:8080");
    // Only where it is the whole value.
    let tftp = "\"127.0.0.1\"".to_owned();
    theatre.stage.calls(tftp, "\"192.0.2.1\"");
    let tftp = "tftp://127.0.0.1/".to_owned();
    theatre.stage.calls(tftp, "tftp://192.0.2.1/");
    options
}

pub(super) async fn puppet() -> Puppet {
    let step = |name: &str, priority: i64| {
        json!([{
            "step": name, "priority": priority, "interface": "deploy", "reboot_requested": false,
        }])
    };
    Puppet::start(&[
        ("clean", step("erase_devices_metadata", 10)),
        ("deploy", step("write_image", 0)),
        ("service", step("wave", 0)),
    ])
    .await
}

/// A port of the recordings, on the lab's switch: its MAC address ends with the number.
pub(super) fn port(node: &str, number: u8) -> Value {
    json!({
        "node_uuid": node, "address": format!("52:54:00:00:10:{number:02x}"),
        "physical_network": "physnet1", "pxe_enabled": true,
        "local_link_connection": {
            "switch_id": "00:11:22:33:44:55", "port_id": format!("Ethernet1/{number}"),
            "switch_info": "lab-switch",
        },
    })
}

/// What a machine of the recordings is.
pub(super) fn node(uuid: &str, network: &str, boot: &str, mode: &str) -> Value {
    json!({
        "uuid": uuid, "network_interface": network, "boot_interface": boot,
        "deploy_interface": "direct", "management_interface": "noop",
        "rescue_interface": "agent", "inspect_interface": "agent",
        "properties": {"capabilities": format!("boot_mode:{mode}"), "cpu_arch": "x86_64"},
    })
}

/// Gives a machine something to deploy that asks nothing of Glance.
pub(super) async fn has_image(theatre: &Theatre, machine: Machine<'_>) {
    std::fs::write(theatre.home.path("disk.raw"), vec![0; 4096]).unwrap();
    let source = theatre.home.file("disk.raw");
    let info = json!({"image_source": source, "image_disk_format": "raw"});
    super::set_instance(machine, info).await;
}

/// A machine of the recordings on the lab's switch.
async fn machine<'l>(lab: &'l Lab, theatre: &Theatre, network: &str, boot: &str) -> Machine<'l> {
    let (uuid, number) = match network {
        "flat" => ("295e11d0-d204-4ba9-850a-1bd877ea1b0c", 3),
        _ => ("9c306ece-9213-4eed-87a4-dc0a1a023a10", 2),
    };
    let machine = lab.enroll(node(uuid, network, boot, "uefi")).await;
    lab.client
        .post("/v1/ports", port(uuid, number))
        .await
        .expect(201);
    machine.asks("manage").await.reaches(S::Manageable).await;
    theatre
        .stage
        .plays(RECORDING, if network == "flat" { "f02" } else { "n03" });
    machine.asks("provide").await.reaches(S::Available).await;
    has_image(theatre, machine).await;
    machine
}

/// Whatever is asked of the service meanwhile is compared with a scene.
pub(super) struct Scenes<'a> {
    pub(super) recording: &'static str,
    pub(super) theatre: &'a Theatre,
    pub(super) lab: &'a Lab,
    pub(super) machine: Machine<'a>,
    pub(super) agent: Puppet,
}

impl Scenes<'_> {
    pub(super) async fn attaches(&self, scene: &str, vif: &str) {
        self.attaches_with(scene, json!({"id": vif}))
            .await
            .expect(204);
    }

    pub(super) async fn attaches_with(&self, scene: &str, body: Value) -> Answer {
        self.theatre.stage.plays(self.recording, scene);
        let path = self.machine.path("/vifs");
        let answer = self.lab.client.post(&path, body).await;
        self.theatre.stage.is_as_ironic(scene);
        answer
    }

    async fn detaches(&self, scene: &str, vif: &str) {
        self.theatre.stage.plays(self.recording, scene);
        let path = self.machine.path(&format!("/vifs/{vif}"));
        self.lab.client.delete(&path).await.expect(204);
        self.theatre.stage.is_as_ironic(scene);
    }

    /// Asks for something that an agent carries out, in one step or none.
    pub(super) async fn works(
        &self,
        scene: &str,
        ask: Value,
        waits: S,
        step: Option<&str>,
        end: S,
    ) {
        self.theatre.stage.plays(self.recording, scene);
        self.machine.asks_with(ask).await.reaches(waits).await;
        self.agent.boots(self.lab, self.machine).await;
        if let Some(step) = step {
            self.machine.until(step, |_| Some(self.agent.works())).await;
            self.machine.rests().await;
            self.agent.ends(Ok(json!({})));
            self.agent.reports(self.lab, self.machine).await;
        }
        self.machine.reaches(end).await;
        self.theatre.stage.is_as_ironic(scene);
    }

    pub(super) async fn ends(&self, scene: &str, target: &str, end: S) {
        self.theatre.stage.plays(self.recording, scene);
        self.machine.asks(target).await.reaches(end).await;
        self.theatre.stage.is_as_ironic(scene);
    }

    pub(super) async fn cleans(&self, scene: &str) {
        let steps = json!([{"interface": "deploy", "step": "erase_devices_metadata"}]);
        let ask = json!({"target": "clean", "clean_steps": steps});
        let step = Some("erase_devices_metadata");
        self.works(scene, ask, S::CleanWait, step, S::Manageable)
            .await;
    }

    async fn inspects(&self, scene: &str, mac: &str) {
        self.theatre.stage.plays(self.recording, scene);
        self.machine
            .asks("inspect")
            .await
            .reaches(S::InspectWait)
            .await;
        let report = json!({"inventory": {
            "interfaces": [{"name": "eth0", "mac_address": mac}], "disks": [],
            "cpu": {"count": 1, "architecture": "x86_64"}, "memory": {"physical_mb": 1024},
            "boot": {"pxe_interface": mac},
        }});
        self.lab
            .client
            .post("/v1/continue_inspection", report)
            .await
            .expect(202);
        self.machine.reaches(S::Manageable).await;
        self.theatre.stage.is_as_ironic(scene);
    }
}

fn rescue() -> Value {
    json!({"target": "rescue", "rescue_password": "a-password"})
}

fn service() -> Value {
    json!({"target": "service", "service_steps": [{"interface": "deploy", "step": "wave"}]})
}

pub(super) fn active() -> Value {
    json!({"target": "active"})
}

#[tokio::test]
async fn a_life_on_networks_of_its_own_is_asked_for_as_by_ironic() {
    let theatre = Theatre::open().await;
    let lab = Lab::with(Engine::Sqlite, options(&theatre)).await;
    let scenes = Scenes {
        recording: RECORDING,
        machine: machine(&lab, &theatre, "neutron", "ipxe").await,
        agent: puppet().await,
        theatre: &theatre,
        lab: &lab,
    };
    let vif = "19383326-8433-4e09-964d-3619eeead216";
    scenes.attaches("n02", vif).await;
    scenes
        .works(
            "n03",
            active(),
            S::DeployWait,
            Some("write_image"),
            S::Active,
        )
        .await;
    scenes.detaches("n06", vif).await;
    scenes
        .attaches("n08", "16e753de-05d1-4f7e-bd48-00d8b524ca8f")
        .await;
    scenes
        .works("n10", rescue(), S::RescueWait, None, S::Rescue)
        .await;
    scenes.ends("n11", "unrescue", S::Active).await;
    scenes
        .works("n12", service(), S::ServiceWait, Some("wave"), S::Active)
        .await;
    scenes.ends("n15", "deleted", S::Available).await;
    scenes
        .machine
        .asks("manage")
        .await
        .reaches(S::Manageable)
        .await;
    scenes.cleans("n16").await;
    scenes.inspects("n17", "52:54:00:00:10:02").await;
    drop(scenes);
    lab.stop().await;
}

#[tokio::test]
async fn a_life_on_the_networks_of_the_tenant_is_asked_for_as_by_ironic() {
    let theatre = Theatre::open().await;
    let lab = Lab::with(Engine::Sqlite, options(&theatre)).await;
    let scenes = Scenes {
        recording: RECORDING,
        machine: machine(&lab, &theatre, "flat", "pxe").await,
        agent: puppet().await,
        theatre: &theatre,
        lab: &lab,
    };
    scenes
        .attaches("f01", "c5cb6d50-e353-44a4-9105-7c800552a08f")
        .await;
    scenes
        .works(
            "f02",
            active(),
            S::DeployWait,
            Some("write_image"),
            S::Active,
        )
        .await;
    scenes
        .works("f03", rescue(), S::RescueWait, None, S::Rescue)
        .await;
    scenes.ends("f04", "unrescue", S::Active).await;
    scenes
        .works("f05", service(), S::ServiceWait, Some("wave"), S::Active)
        .await;
    scenes.ends("f06", "deleted", S::Available).await;
    scenes
        .machine
        .asks("manage")
        .await
        .reaches(S::Manageable)
        .await;
    scenes.cleans("f07").await;
    scenes.inspects("f08", "52:54:00:00:10:03").await;
    drop(scenes);
    lab.stop().await;
}
