//! Ports that ramdisks boot with: the DHCP options of each boot interface, firmware and IP version,
//! ports that are left out, and smart NICs.

use super::{
    Theatre, fails,
    neutron::{node, options, port},
};
use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use std::time::Duration;
use types::ProvisionState as S;

const DHCP: &str = include_str!("../../golden/openstack/neutron-dhcp.jsonl");
const PORTS: &str = include_str!("../../golden/openstack/neutron-ports.jsonl");

fn clean() -> Value {
    let steps = json!([{"interface": "deploy", "step": "erase_devices_metadata"}]);
    json!({"target": "clean", "clean_steps": steps})
}

async fn manageable<'l>(lab: &'l Lab, body: Value, ports: Vec<Value>) -> Machine<'l> {
    let machine = lab.enroll(body).await;
    for port in ports {
        lab.client.post("/v1/ports", port).await.expect(201);
    }
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

#[tokio::test]
async fn dhcp_options_of_each_way_to_boot_are_those_of_ironic() {
    let id = "bd3f4ea2-e7f6-4de7-a90d-33de349dd227";
    let v6 = Some("39dacd05-6c12-400e-8e8a-0319ae1eeca4");
    for (scene, boot, mode, network) in [
        ("d-pxe-bios", "pxe", "bios", None),
        ("d-pxe-uefi", "pxe", "uefi", None),
        ("d-ipxe-bios", "ipxe", "bios", None),
        ("d-ipxe-uefi", "ipxe", "uefi", None),
        ("d-http-bios", "http", "bios", None),
        ("d-http-uefi", "http", "uefi", None),
        ("d-http-ipxe-bios", "http-ipxe", "bios", None),
        ("d-http-ipxe-uefi", "http-ipxe", "uefi", None),
        ("d-pxe-uefi-v6", "pxe", "uefi", v6),
        ("d-ipxe-uefi-v6", "ipxe", "uefi", v6),
        ("d-http-uefi-v6", "http", "uefi", v6),
        ("d-http-ipxe-uefi-v6", "http-ipxe", "uefi", v6),
        ("d-ipxe-uefi-slaac", "ipxe", "uefi", Some("v6-slaac")),
    ] {
        let theatre = Theatre::open().await;
        let lab = Lab::with(Engine::Sqlite, options(&theatre)).await;
        let mut body = node(id, "neutron", boot, mode);
        if let Some(network) = network {
            body["driver_info"] = json!({"cleaning_network": network});
        }
        let machine = manageable(&lab, body, vec![port(id, 9)]).await;
        theatre.stage.plays(DHCP, scene);
        machine.asks_with(clean()).await.reaches(S::CleanWait).await;
        theatre.stage.is_as_ironic(scene);
        lab.stop().await;
    }
}

/// A machine of the recordings with ports of other kinds.
const NODE: &str = "336e0b3b-3b50-49a3-bd4e-dc61f0766cca";

/// Tries to clean; returns the reason why it fails.
async fn cleans_in_vain(scene: &str, id: &str, ports: Vec<Value>) -> String {
    let theatre = Theatre::open().await;
    let mut options = options(&theatre);
    let networks = &mut options.hardware.networks;
    (networks.max_attempts, networks.retry_interval) = (3, Duration::ZERO);
    let lab = Lab::with(Engine::Sqlite, options).await;
    let machine = manageable(&lab, node(id, "neutron", "ipxe", "uefi"), ports).await;
    theatre.stage.plays(PORTS, scene);
    machine.asks_with(clean()).await;
    let error = fails(machine, S::CleanFailed).await;
    theatre.stage.is_as_ironic(scene);
    lab.stop().await;
    error
}

fn infiniband() -> Value {
    let mut port = port(NODE, 12);
    port["local_link_connection"] = json!({});
    port["extra"] =
        json!({"client-id": "ff:00:00:00:00:00:02:00:00:02:c9:00:7c:fe:90:03:00:29:24:4f"});
    port
}

#[tokio::test]
async fn ports_without_a_switch_are_made_with_their_client_id_or_left_out_as_by_ironic() {
    let mut later = port(NODE, 11);
    later["pxe_enabled"] = json!(false);
    let ports = vec![port(NODE, 10), later.clone(), infiniband()];
    let error = cleans_in_vain("p01", NODE, ports).await;
    assert!(error.contains("Binding failed for neutron port"), "{error}");

    let mut bare = port(NODE, 13);
    bare["local_link_connection"] = json!({});
    let ports = vec![port(NODE, 10), later, infiniband(), bare];
    let error = cleans_in_vain("p02", NODE, ports).await;
    assert!(error.contains("Binding failed for neutron port"), "{error}");
}

#[tokio::test]
async fn the_agent_of_a_smart_nic_is_waited_for_as_by_ironic() {
    let id = "7b0e3b6e-7c53-4b4e-9d4a-0a6a5d6a6f01";
    let mut smart = port(id, 14);
    smart["is_smartnic"] = json!(true);
    smart["local_link_connection"] = json!({"hostname": "smart-host", "port_id": "rep0-0"});
    let error = cleans_in_vain("p03", id, vec![smart]).await;
    assert!(
        error.contains("Agent on host smart-host failed to reach state up"),
        "{error}"
    );
}

#[tokio::test]
async fn a_machine_without_a_port_to_boot_from_is_refused_as_by_ironic() {
    let mut later = port(NODE, 11);
    later["pxe_enabled"] = json!(false);
    let error = cleans_in_vain("p04", NODE, vec![later]).await;
    assert!(error.contains("No available PXE-enabled"), "{error}");
}
