//! Other wires than a plain port: port groups, smart NICs, and networks with stateful DHCPv6.

use super::{
    MAC, add_port, attached, cleaned,
    cloud::{Cloud, SWITCH},
    deployed, manageable, options, port_body, rescued, vifs,
};
use crate::{
    agent,
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(
    a_bond_lives_on_the_networks_of_neutron_as_one,
    another_address_of_a_bond_reaches_neutron,
    a_smart_nic_is_plugged_in_by_its_agent,
    a_smart_nic_whose_agent_is_away_is_told_of,
    a_port_has_an_address_for_each_stage_of_a_boot_by_dhcpv6,
);

const GROUP_MAC: &str = "52:54:00:00:00:0f";
const SECOND: &str = "52:54:00:00:00:02";

/// Bonds two ports of a machine; returns the path of the group.
async fn bonded(lab: &Lab, machine: Machine<'_>) -> String {
    let group = json!({
        "node_uuid": machine.id, "name": "bond0", "address": GROUP_MAC, "mode": "802.3ad",
        "properties": {"miimon": 100, "bond_lacp_rate": "fast"},
    });
    let group = lab.client.post("/v1/portgroups", group).await.expect(201);
    let group = group.json()["uuid"].clone();
    for (mac, link) in [(MAC, "e1"), (SECOND, "e2")] {
        let mut port = port_body(machine.id, mac, SWITCH);
        port["portgroup_uuid"] = group.clone();
        port["local_link_connection"]["port_id"] = json!(link);
        lab.client.post("/v1/ports", port).await.expect(201);
    }
    format!("/v1/portgroups/{}", group.as_str().unwrap())
}

async fn a_bond_lives_on_the_networks_of_neutron_as_one(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let machine = agent::flows::manageable(&lab).await;
    let group = bonded(&lab, machine).await;
    let agent = agent::puppet().await;
    machine.asks("provide").await;
    cleaned(&lab, machine, &agent).await;
    let boot = ["create on cleaning", "bind boot port"];
    let gone = ["delete on cleaning", "delete on cleaning"];
    assert_eq!(cloud.writes(), [boot, boot, gone].concat());

    // The group gets the instance's port, and none of its members does.
    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    assert_eq!(cloud.show(&vif)["mac_address"], GROUP_MAC);
    let noted = lab.client.get(&group).await.json();
    assert_eq!(noted["internal_info"], json!({"tenant_vif_port_id": vif}));
    deployed(&lab, machine, &agent).await;
    let port = cloud.show(&vif);
    assert_eq!(port["status"], "ACTIVE");
    let profile = &port["binding:profile"];
    let links = profile["local_link_information"].as_array().unwrap();
    let mut links: Vec<&str> = links
        .iter()
        .map(|l| l["port_id"].as_str().unwrap())
        .collect();
    links.sort_unstable();
    assert_eq!(links, ["e1", "e2"]);
    assert_eq!(
        profile["local_group_information"],
        json!({
            "id": noted["uuid"], "name": "bond0", "bond_mode": "802.3ad",
            "bond_properties": {"bond_miimon": 100, "bond_lacp_rate": "fast"},
        })
    );
    rescued(&lab, machine, &agent).await;
    machine.asks("unrescue").await.reaches(S::Active).await;
    assert_eq!(cloud.show(&vif)["status"], "ACTIVE");

    machine.asks("deleted").await;
    cleaned(&lab, machine, &agent).await;
    assert_eq!(vifs(&lab, machine).await, Vec::<String>::new());
    assert_eq!(cloud.ports().len(), 1, "only the tenant's is left");
    assert_eq!(cloud.show(&vif)["binding:host_id"], "");
    let noted = lab.client.get(&group).await.json();
    assert_eq!(noted["internal_info"], json!({}));
    cloud.is_content();
    lab.stop().await;
}

async fn another_address_of_a_bond_reaches_neutron(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let machine = agent::flows::manageable(&lab).await;
    let group = bonded(&lab, machine).await;
    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    let other = "52:54:00:00:00:aa";
    let change = json!([{"op": "replace", "path": "/address", "value": other}]);
    lab.client.patch(&group, change).await.expect(200);
    assert_eq!(cloud.show(&vif)["mac_address"], other);
    cloud.is_content();
    lab.stop().await;
}

/// A machine whose only port is a smart NIC.
async fn smart<'l>(lab: &'l Lab) -> Machine<'l> {
    let machine = agent::flows::manageable(lab).await;
    let mut port = port_body(machine.id, MAC, SWITCH);
    port["is_smartnic"] = json!(true);
    port["local_link_connection"] = json!({"hostname": "nic-host", "port_id": "rep0-0"});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine
}

async fn a_smart_nic_is_plugged_in_by_its_agent(engine: Engine) {
    let cloud = Cloud::start().await;
    cloud.has_agent("nic-host");
    let mut options = options(&cloud, "neutron");
    options.hardware.networks.poll_interval = std::time::Duration::ZERO;
    let lab = Lab::with(engine, options).await;
    let machine = smart(&lab).await;
    let agent = agent::puppet().await;
    machine.asks("provide").await;
    machine.reaches(S::CleanWait).await;
    let made = cloud.ports();
    let made = cloud.show(made.first().unwrap());
    assert_eq!(made["binding:vnic_type"], "smart-nic");
    assert_eq!(made["binding:host_id"], "nic-host");
    assert_eq!(made["status"], "ACTIVE");
    let link = &made["binding:profile"]["local_link_information"][0];
    assert_eq!(link["port_id"], "rep0-0");
    cleaned(&lab, machine, &agent).await;
    assert_eq!(cloud.ports().len(), 0);
    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    deployed(&lab, machine, &agent).await;
    let port = cloud.show(&vif);
    assert_eq!(port["binding:host_id"], "nic-host");
    assert_eq!(port["status"], "ACTIVE");
    machine.asks("deleted").await;
    cleaned(&lab, machine, &agent).await;
    assert_eq!(cloud.show(&vif)["binding:host_id"], "");
    cloud.is_content();
    lab.stop().await;
}

async fn a_smart_nic_whose_agent_is_away_is_told_of(engine: Engine) {
    let cloud = Cloud::start().await;
    let mut options = options(&cloud, "neutron");
    options.hardware.networks.poll_interval = std::time::Duration::ZERO;
    let lab = Lab::with(engine, options).await;
    let machine = smart(&lab).await;
    machine.asks("provide").await;
    let node = machine.reaches(S::CleanFailed).await;
    let error = node["last_error"].as_str().unwrap();
    let told = "Agent on host nic-host failed to reach state up";
    assert!(error.contains(told), "{error}");
    assert_eq!(cloud.ports().len(), 0);
    assert_eq!(node["driver_internal_info"].get("corten_networks"), None);
    lab.stop().await;
}

async fn a_port_has_an_address_for_each_stage_of_a_boot_by_dhcpv6(engine: Engine) {
    let cloud = Cloud::start().await;
    cloud.add_stateful_v6_network("v6");
    let mut options = options(&cloud, "neutron");
    options.hardware.networks.cleaning.network = Some("v6".into());
    options.hardware.networks.dhcpv6_address_count = 3;
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab, SWITCH).await;
    add_port(&lab, machine, SECOND, SWITCH).await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let made = cloud.ports();
    assert_eq!(made.len(), 2);
    for id in made {
        let port = cloud.show(&id);
        let addresses: &Vec<Value> = port["fixed_ips"].as_array().unwrap();
        assert_eq!(addresses.len(), 3, "{port}");
        assert_eq!(addresses[0]["ip_address"], "2001:db8::77");
    }
    let agent = agent::puppet().await;
    cleaned(&lab, machine, &agent).await;
    assert_eq!(cloud.ports().len(), 0);
    cloud.is_content();
    lab.stop().await;
}
