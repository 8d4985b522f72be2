//! Machines that boot from virtual media: what Neutron says about the network that is written on their
//! disc.

use super::{
    Theatre,
    neutron::{self, port},
};
use crate::{
    agent::discs::{self, Bmc},
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use types::{InterfaceKind as K, ProvisionState as S};

const DHCP: &str = include_str!("../../golden/openstack/neutron-dhcp.jsonl");

const NODE: &str = "bd3f4ea2-e7f6-4de7-a90d-33de349dd227";

/// What both services of a theatre and discs need.
fn options(theatre: &Theatre) -> Options {
    let mut options = discs::options(&theatre.home);
    let networks = neutron::options(theatre).hardware;
    options.hardware.openstack = networks.openstack;
    options.hardware.networks = networks.networks;
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    options
        .hardware
        .enable_interfaces(K::Network, named(&["noop", "neutron"]));
    options
}

async fn manageable<'l>(lab: &'l Lab, bmc: &Bmc, network: &str, data: Value) -> Machine<'l> {
    let machine = lab
        .enroll(json!({
            "uuid": NODE, "driver": "redfish", "deploy_interface": "direct",
            "network_interface": network, "network_data": data,
            "driver_info": {
                "redfish_address": bmc.address, "redfish_username": "admin",
                "redfish_password": "secret", "redfish_verify_ca": false,
            },
        }))
        .await;
    lab.client
        .post("/v1/ports", port(NODE, 9))
        .await
        .expect(201);
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

async fn waits_for_its_agent(machine: Machine<'_>) {
    let steps = json!([{"interface": "deploy", "step": "erase_devices_metadata"}]);
    let ask = json!({"target": "clean", "clean_steps": steps});
    machine.asks_with(ask).await.reaches(S::CleanWait).await;
}

#[tokio::test]
async fn the_network_of_a_disc_is_asked_for_as_by_ironic() {
    let (theatre, bmc) = (Theatre::open().await, Bmc::start().await);
    let lab = Lab::with(Engine::Sqlite, options(&theatre)).await;
    let machine = manageable(&lab, &bmc, "neutron", json!({})).await;
    theatre.stage.plays(DHCP, "d-vmedia");
    waits_for_its_agent(machine).await;
    machine.asks("abort").await;
    machine
        .until("clean failed", |node| {
            Some(node["provision_state"] == "clean failed" && node["reservation"].is_null())
        })
        .await;
    theatre.stage.is_as_ironic("d-vmedia");
    lab.stop().await;
}
