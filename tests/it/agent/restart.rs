//! A conductor that goes away in the middle of its conversation with an agent.
//!
//! The agent takes a command and does not answer; the conductor ends with the question open, as one
//! that is killed does, and another one starts on what it left. Each command of a deployment has its
//! turn, and so have the moments between them. Nothing may stay as it is for ever.

use super::{Puppet, has_image, puppet, without_cleaning};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use std::time::Duration;
use types::ProvisionState as S;

every_engine!(
    a_deployment_survives_at_each_command,
    a_deployment_survives_between_commands,
    a_rescue_survives_at_its_command
);

fn options() -> Options {
    let mut options = without_cleaning();
    options.conductor.graceful_shutdown_timeout = Duration::from_millis(10);
    options
}

/// The agent does its part until the machine rests; returns its document.
pub(super) async fn carries_on(lab: &Lab, machine: Machine<'_>, agent: &Puppet) -> Value {
    loop {
        let node = machine
            .until("a moment to report", |node| {
                Some(node["reservation"].is_null())
            })
            .await;
        if node["provision_state"] != "wait call-back" {
            return node;
        }
        if node["driver_internal_info"].get("agent_url").is_none() {
            agent.boots(lab, machine).await;
            continue;
        }
        if agent.works() {
            agent.ends(Ok(json!({})));
        }
        agent.reports(lab, machine).await;
    }
}

async fn available(lab: &Lab) -> Machine<'_> {
    let machine = super::enrolled(lab).await;
    machine.asks("provide").await.reaches(S::Available).await;
    has_image(machine).await;
    machine
}

async fn a_deployment_survives_at_each_command(engine: Engine) {
    for command in [
        "get_deploy_steps",
        "execute_deploy_step",
        "get_partition_uuids",
        "install_bootloader",
        "power_off",
    ] {
        let lab = Lab::with(engine, options()).await;
        let agent = puppet().await;
        let machine = available(&lab).await;
        let id = machine.id.to_string();
        agent.falls_silent_at(command);
        machine.asks("active").await.reaches(S::DeployWait).await;
        tokio::select! {
            () = agent.is_silent() => {}
            node = carries_on(&lab, machine, &agent) => panic!("{command}: {node:#}"),
        }
        let database = lab.stop().await;

        let lab = Lab::on(database, options()).await;
        let machine = lab.machine(&id);
        let node = carries_on(&lab, machine, &agent).await;
        assert_eq!(node["provision_state"], "active", "{command}: {node:#}");
        assert_eq!(node["power_state"], "power on", "{command}");
        assert_eq!(node["last_error"], json!(null), "{command}");
        lab.stop().await;
    }
}

async fn a_deployment_survives_between_commands(engine: Engine) {
    let agent = puppet().await;
    let lab = Lab::with(engine, options()).await;
    let machine = available(&lab).await;
    let id = machine.id.to_string();
    machine.asks("active").await.reaches(S::DeployWait).await;
    let database = lab.stop().await;

    // Nobody was there when the ramdisk came up.
    let lab = Lab::on(database, options()).await;
    let machine = lab.machine(&id);
    agent.boots(&lab, machine).await;
    super::waits_for(machine, "deploy_step", "write_image").await;
    let database = lab.stop().await;

    // Nor when the image was written.
    agent.ends(Ok(json!({})));
    let lab = Lab::on(database, options()).await;
    let machine = lab.machine(&id);
    let node = carries_on(&lab, machine, &agent).await;
    assert_eq!(node["provision_state"], "active", "{node:#}");
    lab.stop().await;
}

async fn a_rescue_survives_at_its_command(engine: Engine) {
    let enabled = || {
        let mut options = options();
        let kind = types::InterfaceKind::Rescue;
        let names = vec!["agent".to_owned()];
        options.hardware.enable_interfaces(kind, names);
        options
    };
    let lab = Lab::with(engine, enabled()).await;
    let agent = puppet().await;
    let machine = available(&lab).await;
    let id = machine.id.to_string();
    machine.asks("active").await.reaches(S::DeployWait).await;
    carries_on(&lab, machine, &agent).await;
    machine.behave("fake_boots_ramdisks", Some("yes")).await;
    agent.falls_silent_at("finalize_rescue");
    let rescue = json!({"target": "rescue", "rescue_password": "let me in"});
    machine.asks_with(rescue).await.reaches(S::RescueWait).await;
    agent.boots(&lab, machine).await;
    agent.is_silent().await;
    let database = lab.stop().await;

    // Whether the password was set cannot be told: the ramdisk is booted again.
    let lab = Lab::on(database, enabled()).await;
    let machine = lab.machine(&id);
    let node = machine.rests().await;
    if node["provision_state"] == "rescue wait" {
        agent.boots(&lab, machine).await;
    }
    let node = machine.reaches(S::Rescue).await;
    assert_eq!(node["instance_info"].get("rescue_password"), None);
    lab.stop().await;
}
