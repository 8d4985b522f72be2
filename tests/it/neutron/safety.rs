//! What must not happen to machines that are in use: they keep their ports when they cannot be switched
//! off, when another machine is given one of theirs, and when a change of an address fails.

use super::{
    MAC, add_port, attached, cleaned,
    cloud::{Cloud, SWITCH},
    deployed, manageable, options, vifs,
};
use crate::{
    agent,
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(
    a_machine_that_cannot_be_switched_off_keeps_its_ports,
    a_port_that_another_machine_uses_is_left_alone,
    a_port_that_a_machine_uses_is_not_attached_to_another,
    another_address_of_a_machine_in_use_is_bound_or_taken_back,
    another_address_that_cannot_be_stored_is_taken_back,
);

const SECOND: &str = "52:54:00:00:00:09";

fn without_cleaning(cloud: &Cloud) -> Options {
    let mut options = options(cloud, "neutron");
    options.conductor.automated_clean = false;
    options
}

/// Another machine.
async fn second<'l>(lab: &'l Lab) -> (Machine<'l>, String) {
    let machine = agent::flows::manageable(lab).await;
    let port = add_port(lab, machine, SECOND, SWITCH).await;
    (machine, format!("/v1/ports/{port}"))
}

/// Gives a machine an instance with this virtual interface.
async fn instance(lab: &Lab, machine: Machine<'_>, vif: &str) {
    machine.asks("provide").await.reaches(S::Available).await;
    attached(lab, machine, vif).await;
    deployed(lab, machine, &agent::puppet().await).await;
}

fn new_address(address: &str) -> Value {
    json!([{"op": "replace", "path": "/address", "value": address}])
}

async fn a_machine_that_cannot_be_switched_off_keeps_its_ports(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let machine = manageable(&lab, SWITCH).await;
    let agent = agent::puppet().await;
    machine.asks("provide").await;
    cleaned(&lab, machine, &agent).await;
    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    deployed(&lab, machine, &agent).await;
    cloud.writes();

    machine.behave("fake_fail", Some("power.set")).await;
    machine.asks("deleted").await;
    let node = machine.reaches(S::Error).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.starts_with("Failed to tear down: "), "{error}");
    assert_eq!(cloud.writes(), Vec::<String>::new(), "it still runs");
    assert_eq!(cloud.show(&vif)["status"], "ACTIVE");
    assert_eq!(vifs(&lab, machine).await, std::slice::from_ref(&vif));

    machine.behave("fake_fail", None).await;
    machine.asks("deleted").await;
    cleaned(&lab, machine, &agent).await;
    assert_eq!(cloud.show(&vif)["binding:host_id"], "");
    assert_eq!(vifs(&lab, machine).await, Vec::<String>::new());
    cloud.is_content();
    lab.stop().await;
}

async fn a_port_that_another_machine_uses_is_left_alone(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, without_cleaning(&cloud)).await;
    let first = manageable(&lab, SWITCH).await;
    let (second, _) = second(&lab).await;
    let vif = cloud.port("red");
    first.asks("provide").await.reaches(S::Available).await;
    // Nothing is plugged in with it yet: as in Ironic, whoever comes last has it.
    attached(&lab, first, &vif).await;
    instance(&lab, second, &vif).await;
    let in_use = cloud.show(&vif);
    assert_eq!(in_use["binding:host_id"], second.id.to_string());
    assert_eq!(in_use["status"], "ACTIVE");

    let agent = agent::puppet().await;
    agent::has_image(first).await;
    first.asks("active").await.reaches(S::DeployWait).await;
    agent.boots(&lab, first).await;
    agent::waits_for(first, "deploy_step", "write_image").await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, first).await;
    let node = first.reaches(S::DeployFailed).await;
    let error = node["last_error"].as_str().unwrap();
    let told = format!("Neutron has port {vif} bound for host {}", second.id);
    assert!(error.contains(&told), "{error}");
    assert_eq!(cloud.show(&vif), in_use);
    first.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(cloud.show(&vif), in_use);
    assert_eq!(vifs(&lab, first).await, Vec::<String>::new());
    assert_eq!(vifs(&lab, second).await, [vif]);
    cloud.is_content();
    lab.stop().await;
}

async fn a_port_that_a_machine_uses_is_not_attached_to_another(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, without_cleaning(&cloud)).await;
    let first = manageable(&lab, SWITCH).await;
    let (second, _) = second(&lab).await;
    let vif = cloud.port("red");
    instance(&lab, first, &vif).await;
    cloud.writes();
    let path = second.path("/vifs");
    let refused = lab.client.post(&path, json!({"id": vif})).await.expect(500);
    let text = format!(
        "Unable to attach VIF {vif} because Ironic can not update Neutron port {vif} MAC address to match physical MAC address {SECOND}: Neutron has port {vif} bound for host {}",
        first.id
    );
    assert!(refused.fault().starts_with(&text), "{}", refused.fault());
    assert_eq!(cloud.writes(), Vec::<String>::new());
    assert_eq!(vifs(&lab, second).await, Vec::<String>::new());
    lab.stop().await;
}

async fn another_address_of_a_machine_in_use_is_bound_or_taken_back(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, without_cleaning(&cloud)).await;
    let (machine, port) = second(&lab).await;
    let vif = cloud.port("red");
    instance(&lab, machine, &vif).await;
    let path = machine.path("/maintenance");
    lab.client.put(&path, json!({})).await.expect(202);
    let taken = "52:54:00:00:00:0d";
    cloud.bound_port("red", taken, "compute:nova", "a hypervisor");
    cloud.writes();

    let other = "52:54:00:00:00:0c";
    let changed = lab.client.patch(&port, new_address(other)).await;
    changed.expect(200);
    assert_eq!(cloud.writes(), ["unbind", "plug"]);
    let plugged = cloud.show(&vif);
    assert_eq!(plugged["mac_address"], other);
    assert_eq!(plugged["status"], "ACTIVE");
    // Neutron refuses the next one, for another port of the network has it.
    let refused = lab.client.patch(&port, new_address(taken)).await;
    let refused = refused.expect(500);
    let text = format!("Update MAC address on port: {vif} failed.");
    assert!(refused.fault().starts_with(&text), "{}", refused.fault());
    assert_eq!(cloud.writes(), ["unbind", "plug"]);
    assert_eq!(cloud.show(&vif), plugged, "as before");
    assert_eq!(lab.client.get(&port).await.json()["address"], other);
    cloud.is_content();
    lab.stop().await;
}

async fn another_address_that_cannot_be_stored_is_taken_back(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    manageable(&lab, SWITCH).await;
    let (machine, port) = second(&lab).await;
    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    cloud.writes();
    // The other machine has it, which only the database knows.
    let refused = lab.client.patch(&port, new_address(MAC)).await;
    refused.expect(409);
    assert_eq!(cloud.writes(), ["set address", "set address"]);
    assert_eq!(cloud.show(&vif)["mac_address"], SECOND);
    lab.stop().await;
}
