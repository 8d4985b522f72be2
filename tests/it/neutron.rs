//! The network interfaces `flat` and `neutron`, with a Neutron in this process.

mod cloud;
mod imported;
mod killed;
mod kinds;
mod safety;
mod vifs;

use crate::{
    agent::{self, puppet::Puppet},
    database::Engine,
    lab::{Lab, Machine, Options},
};
use axum::http::Method;
use cloud::{Cloud, SWITCH};
use openstack::{ServiceSettings, Services, ServicesSettings, login::AuthOptions};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    a_machine_lives_on_the_networks_of_neutron,
    a_machine_lives_on_a_flat_network,
    a_machine_that_cannot_be_plugged_in_is_told_of_at_once,
    a_neutron_that_fails_leaves_nothing_behind,
    a_network_that_is_not_there_is_told_of_before_anything_is_done,
    a_machine_is_attached_anew_by_a_step_of_service,
);

const MAC: &str = "52:54:00:00:00:01";

fn options(cloud: &Cloud, interface: &str) -> Options {
    let mut options = agent::flows::enabled();
    let hardware = &mut options.hardware;
    hardware.enable_interfaces(K::Network, vec![interface.into(), "noop".into()]);
    hardware.set_default(K::Network, Some(interface.into()));
    hardware.openstack = Some(Arc::new(services(cloud)));
    let networks = &mut hardware.networks;
    for (network, name) in [
        (&mut networks.cleaning, "cleaning"),
        (&mut networks.provisioning, "provisioning"),
        (&mut networks.rescuing, "rescuing"),
        (&mut networks.inspection, "inspection"),
        (&mut networks.servicing, "servicing"),
    ] {
        network.network = Some(name.into());
    }
    networks.max_attempts = 2;
    networks.retry_interval = Duration::from_millis(1);
    options
}

fn services(cloud: &Cloud) -> Services {
    let neutron = ServiceSettings {
        auth: AuthOptions {
            auth_type: Some("password".into()),
            auth_url: Some(cloud.url().into()),
            username: Some("ironic".into()),
            password: Some("p".into()),
            project_name: Some("service".into()),
            default_domain_id: Some("default".into()),
            ..AuthOptions::default()
        },
        status_code_retries: Some(0),
        connect_retries: Some(0),
        ..ServiceSettings::default()
    };
    Services::from_settings(&ServicesSettings {
        neutron,
        ..ServicesSettings::default()
    })
    .unwrap()
}

fn port_body(machine: types::NodeId, mac: &str, switch: &str) -> Value {
    json!({
        "node_uuid": machine, "address": mac, "physical_network": "physnet1",
        "local_link_connection": {"switch_id": switch, "port_id": "e1", "switch_info": "s"},
    })
}

async fn add_port(lab: &Lab, machine: Machine<'_>, mac: &str, switch: &str) -> String {
    let body = port_body(machine.id, mac, switch);
    let answer = lab.client.post("/v1/ports", body).await.expect(201).json();
    answer["uuid"].as_str().unwrap().to_owned()
}

async fn manageable<'l>(lab: &'l Lab, switch: &str) -> Machine<'l> {
    let machine = agent::flows::manageable(lab).await;
    add_port(lab, machine, MAC, switch).await;
    machine
}

async fn vifs(lab: &Lab, machine: Machine<'_>) -> Vec<String> {
    let answer = lab.client.get(&machine.path("/vifs")).await.expect(200);
    let list = answer.json()["vifs"].as_array().cloned().unwrap();
    list.iter()
        .map(|vif| vif["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Has the agent do its steps.
async fn cleans(lab: &Lab, machine: Machine<'_>, agent: &Puppet) {
    machine.reaches(S::CleanWait).await;
    agent.boots(lab, machine).await;
    for step in ["erase_devices_metadata", "erase_devices"] {
        agent::waits_for(machine, "clean_step", step).await;
        agent.ends(Ok(json!({})));
        agent.reports(lab, machine).await;
    }
}

async fn cleaned(lab: &Lab, machine: Machine<'_>, agent: &Puppet) {
    cleans(lab, machine, agent).await;
    machine.reaches(S::Available).await;
}

async fn deployed(lab: &Lab, machine: Machine<'_>, agent: &Puppet) {
    agent::has_image(machine).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    agent.boots(lab, machine).await;
    agent::waits_for(machine, "deploy_step", "write_image").await;
    agent.ends(Ok(json!({})));
    agent.reports(lab, machine).await;
    machine.reaches(S::Active).await;
}

async fn rescued(lab: &Lab, machine: Machine<'_>, agent: &Puppet) {
    let body = json!({"target": "rescue", "rescue_password": "correct horse"});
    machine.asks_with(body).await.reaches(S::RescueWait).await;
    agent.boots(lab, machine).await;
    machine.reaches(S::Rescue).await;
}

async fn attached(lab: &Lab, machine: Machine<'_>, vif: &str) {
    let path = machine.path("/vifs");
    let attach = lab.client.post(&path, json!({"id": vif}));
    attach.await.expect(204);
}

/// Out of a failure.
async fn managed(machine: Machine<'_>) {
    machine.asks("manage").await.reaches(S::Manageable).await;
}

const CLEAN: [&str; 3] = ["create on cleaning", "bind boot port", "delete on cleaning"];

async fn a_machine_lives_on_the_networks_of_neutron(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let machine = manageable(&lab, SWITCH).await;
    let agent = agent::puppet().await;
    machine.asks("provide").await;
    cleaned(&lab, machine, &agent).await;
    assert_eq!(cloud.writes(), CLEAN);
    assert_eq!(cloud.ports().len(), 0);

    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    assert_eq!(cloud.writes(), ["set address", "claim"]);
    assert_eq!(vifs(&lab, machine).await, std::slice::from_ref(&vif));
    deployed(&lab, machine, &agent).await;
    let switched = |network: &str| {
        [
            "unbind".to_owned(),
            "reset address".to_owned(),
            format!("create on {network}"),
            "bind boot port".to_owned(),
            format!("delete on {network}"),
            "plug".to_owned(),
        ]
    };
    assert_eq!(cloud.writes(), switched("provisioning"));
    let port = cloud.show(&vif);
    assert_eq!(port["mac_address"], MAC);
    assert_eq!(port["status"], "ACTIVE");
    assert_eq!(port["binding:profile"]["physical_network"], "physnet1");

    rescued(&lab, machine, &agent).await;
    assert_eq!(cloud.writes(), switched("rescuing"));
    machine.asks("unrescue").await.reaches(S::Active).await;
    assert_eq!(cloud.writes(), ["plug"]);

    machine.asks("deleted").await;
    cleaned(&lab, machine, &agent).await;
    // Once because the instance goes, once because its virtual interface is detached.
    let gone = ["unbind", "reset address", "unbind", "reset address"];
    assert_eq!(cloud.writes(), [&gone[..], &CLEAN[..]].concat());
    let node = machine.show().await;
    assert_eq!(node["last_error"], Value::Null);
    assert_eq!(node["driver_internal_info"].get("corten_networks"), None);
    assert_eq!(vifs(&lab, machine).await, Vec::<String>::new());
    assert_eq!(cloud.ports().len(), 1, "only the tenant's is left");
    assert_eq!(cloud.show(&vif)["binding:host_id"], "");
    cloud.is_content();
    lab.stop().await;
}

async fn a_machine_lives_on_a_flat_network(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "flat")).await;
    let machine = manageable(&lab, SWITCH).await;
    let agent = agent::puppet().await;
    machine.asks("provide").await;
    cleaned(&lab, machine, &agent).await;
    assert_eq!(cloud.writes(), CLEAN);

    agent::has_image(machine).await;
    machine.asks("active").await;
    let node = machine.reaches(S::DeployFailed).await;
    let text = format!(
        "Failed to prepare to deploy: Failed to bind any flat network ports for node {}",
        machine.id
    );
    assert_eq!(node["last_error"], text);

    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    cloud.writes();
    deployed(&lab, machine, &agent).await;
    let bound = ["unbind", "reset address", "bind"];
    assert_eq!(cloud.writes(), [bound, bound].concat());
    rescued(&lab, machine, &agent).await;
    assert_eq!(cloud.writes(), [bound, bound].concat());
    machine.asks("unrescue").await.reaches(S::Active).await;
    assert_eq!(cloud.writes(), bound);
    machine.asks("deleted").await;
    cleaned(&lab, machine, &agent).await;
    assert_eq!(cloud.ports().len(), 1);
    assert_eq!(vifs(&lab, machine).await, Vec::<String>::new());
    cloud.is_content();
    lab.stop().await;
}

async fn a_machine_that_cannot_be_plugged_in_is_told_of_at_once(engine: Engine) {
    let cloud = Cloud::start().await;
    let mut options = options(&cloud, "neutron");
    // Whoever waits for such a port waits for ever.
    options.hardware.networks.retry_interval = Duration::from_secs(3600);
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab, "aa:aa:aa:aa:aa:aa").await;
    machine.asks("provide").await;
    let node = machine.reaches(S::CleanFailed).await;
    let error = node["last_error"].as_str().unwrap();
    let begins = format!(
        "Failed to prepare node {} for cleaning: Binding failed",
        machine.id
    );
    assert!(error.starts_with(&begins), "{error}");
    assert!(error.contains("local_link_connection"), "{error}");
    assert_eq!(cloud.ports().len(), 0);
    assert_eq!(node["driver_internal_info"].get("corten_networks"), None);
    cloud.is_content();
    lab.stop().await;
}

async fn a_neutron_that_fails_leaves_nothing_behind(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let machine = manageable(&lab, SWITCH).await;
    for status in [401, 403, 409, 500, 503] {
        cloud.fails(Method::POST, "ports", status);
        machine.asks("provide").await;
        let node = machine.reaches(S::CleanFailed).await;
        let error = node["last_error"].as_str().unwrap();
        let text = format!(
            "Failed to create neutron ports for node's {} ports [{MAC}].",
            machine.id
        );
        assert!(error.contains(&text), "{error}");
        assert_eq!(cloud.ports().len(), 0);
        cloud.recovers();
        managed(machine).await;
    }
    // A port that cannot be deleted stays noted, and is deleted by the next attempt.
    let agent = agent::puppet().await;
    cloud.fails(Method::DELETE, "ports", 500);
    machine.asks("provide").await;
    cleans(&lab, machine, &agent).await;
    let node = machine.reaches(S::CleanFailed).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("Could not remove VIF"), "{error}");
    assert_eq!(cloud.ports().len(), 1);
    cloud.recovers();
    managed(machine).await;
    machine.asks("provide").await;
    cleaned(&lab, machine, &agent).await;
    assert_eq!(cloud.ports().len(), 0);
    cloud.is_content();
    lab.stop().await;
}

async fn a_network_that_is_not_there_is_told_of_before_anything_is_done(engine: Engine) {
    let cloud = Cloud::start().await;
    let mut options = options(&cloud, "neutron");
    options.hardware.networks.cleaning.network = Some("nowhere".into());
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab, SWITCH).await;
    let remedy = "set cleaning_network in [neutron], or in driver_info of the node";
    let is_refused = async |text: &str| {
        let refused = machine.provision(json!({"target": "provide"})).await;
        let refused = refused.expect(400);
        let text = format!(
            "Validation of node {} for cleaning failed: {text}",
            machine.id
        );
        let fault = refused.fault();
        assert!(fault.starts_with(&text), "{fault}");
        assert!(fault.contains("Neutron"), "{fault}");
        assert!(fault.ends_with(remedy), "{fault}");
    };
    is_refused("cleaning_network with name or UUID nowhere was not found; ").await;
    cloud.add_network("twice");
    cloud.add_network("twice");
    machine.behave("cleaning_network", Some("twice")).await;
    is_refused("More than one cleaning_network was found for name twice: ").await;
    machine.behave("cleaning_network", Some("cleaning")).await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    cloud.fails(Method::GET, "networks", 503);
    let refused = lab.client.get(&machine.path("/vifs")).await.expect(500);
    let fault = refused.fault();
    let begins = "Could not retrieve network: HttpException: 503";
    assert!(fault.starts_with(begins), "{fault}");
    lab.stop().await;
}

async fn a_machine_is_attached_anew_by_a_step_of_service(engine: Engine) {
    let cloud = Cloud::start().await;
    let mut options = options(&cloud, "neutron");
    options.conductor.automated_clean = false;
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab, SWITCH).await;
    let agent = agent::puppet().await;
    machine.asks("provide").await.reaches(S::Available).await;
    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    deployed(&lab, machine, &agent).await;
    cloud.writes();
    let steps = json!([{"interface": "network", "step": "reattach_networking"}]);
    let service = json!({"target": "service", "service_steps": steps});
    machine.asks_with(service).await;
    machine.reaches(S::Active).await;
    assert_eq!(cloud.writes(), ["unbind", "reset address", "plug"]);
    cloud.is_content();
    lab.stop().await;
}
