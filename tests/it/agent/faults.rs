//! What can go wrong on a machine: the state it leads to, what the operator reads, and the way out.

use super::{Puppet, has_image, options, puppet, waits_for, without_cleaning, writing};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use boot::{Boot, BootFiles};
use serde_json::{Value, json};
use std::time::Duration;
use types::ProvisionState as S;

every_engine!(
    an_agent_that_never_calls_is_given_up,
    an_agent_that_dies_while_writing_is_given_up,
    an_inspection_that_never_reports_is_given_up,
    what_the_agent_cannot_do_fails_the_deployment,
    a_stranger_changes_nothing,
    an_abort_waits_for_the_step_under_way,
);

/// A conductor that gives up soon.
fn impatient(mut options: Options, patience: Duration) -> Options {
    let conductor = &mut options.conductor;
    conductor.check_provision_state_interval = Duration::from_millis(50);
    conductor.deploy_callback_timeout = patience;
    conductor.inspect_wait_timeout = patience;
    options
}

const AT_ONCE: Duration = Duration::from_nanos(1);

/// Waits until the machine has failed and nobody works on it.
async fn fails(machine: Machine<'_>, state: &str) -> (Value, String) {
    let node = machine
        .until(state, |node| {
            Some(node["provision_state"] == state && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap().to_owned();
    (node, error)
}

#[track_caller]
fn says(error: &str, parts: &[&str]) {
    for part in parts {
        assert!(error.contains(part), "no '{part}' in: {error}");
    }
}

async fn an_agent_that_never_calls_is_given_up(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let files = BootFiles {
        tftp_root: folder.path().join("tftp"),
        http_root: folder.path().join("http"),
        ..BootFiles::default()
    };
    let mut options = impatient(without_cleaning(), AT_ONCE);
    options.hardware.boot = Some(Boot::open(files, &folder.path().join("state")).unwrap());
    let lab = Lab::with(engine, options).await;
    let machine = super::enrolled(&lab).await;
    machine.asks("provide").await.reaches(S::Available).await;
    has_image(machine).await;
    machine.asks("active").await;
    let (_, error) = fails(machine, "deploy failed").await;
    says(
        &error,
        &[
            "Timeout reached while waiting for callback for node",
            "Waited for the ramdisk's first heartbeat.",
            "Boot log: ",
        ],
    );
    // The way out.
    machine.asks("deleted").await.reaches(S::Available).await;
    lab.stop().await;
}

async fn an_agent_that_dies_while_writing_is_given_up(engine: Engine) {
    let patience = Duration::from_secs(10);
    let lab = Lab::with(engine, impatient(without_cleaning(), patience)).await;
    let agent = puppet().await;
    let machine = writing(&lab, &agent).await;
    let told = json!({"phase": "writing image", "bytes": 123_456, "total": 1_000_000});
    assert_eq!(agent.tells(&lab, machine, told).await, 202);
    let (_, error) = fails(machine, "deploy failed").await;
    says(
        &error,
        &[
            "Timeout reached",
            "Waited for agent command write_image.",
            "writing image, 123456 of 1000000 bytes",
        ],
    );
    let path = format!("/corten/v1/nodes/{}/timeline", machine.id);
    lab.log_settles().await;
    let timeline = lab.client.get(&path).await.expect(200).json();
    let flow = &timeline["flows"][0];
    assert_eq!(flow["state"], "failed");
    says(flow["error"].as_str().unwrap(), &["123456 of 1000000"]);
    assert_eq!(flow["steps"][1]["state"], "failed");
    // What it has written is written over.
    machine.asks("active").await.reaches(S::DeployWait).await;
    lab.stop().await;
}

async fn an_inspection_that_never_reports_is_given_up(engine: Engine) {
    let mut options = impatient(options(), AT_ONCE);
    let kind = types::InterfaceKind::Inspect;
    options
        .hardware
        .enable_interfaces(kind, vec!["agent".to_owned()]);
    let lab = Lab::with(engine, options).await;
    let body = json!({"inspect_interface": "agent", "driver_info": {"fake_boots_ramdisks": true}});
    let machine = lab.enroll(body).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("inspect").await;
    let (node, error) = fails(machine, "inspect failed").await;
    says(
        &error,
        &[
            "Timeout reached",
            "Waited for the ramdisk's inspection data.",
        ],
    );
    assert_eq!(node["power_state"], "power off");
    assert_eq!(node["driver_internal_info"].get("fake_ramdisk"), None);
    machine.asks("manage").await.reaches(S::Manageable).await;
    lab.stop().await;
}

async fn what_the_agent_cannot_do_fails_the_deployment(engine: Engine) {
    let lab = Lab::with(engine, without_cleaning()).await;
    let agent = puppet().await;
    let mut machine = writing(&lab, &agent).await;
    let complaints = [
        "Error downloading image: Download of image a.qcow2 failed: connection refused",
        "Error writing image to device: No space left on device /dev/sda",
        "Error finding the disk or partition device to deploy the image onto: No suitable device was found for deployment using these hints {'serial': 's== x'}",
    ];
    for (turn, complaint) in complaints.into_iter().enumerate() {
        agent.ends(Err(complaint));
        agent.reports(&lab, machine).await;
        let (node, error) = fails(machine, "deploy failed").await;
        says(&error, &["deploy.write_image", complaint]);
        assert_eq!(node["maintenance"], false);
        assert_eq!(node["power_state"], "power off");
        // Trying again, and starting from the beginning, are both ways out.
        if turn == 0 {
            machine = machine.asks("active").await;
        } else {
            machine.asks("deleted").await.reaches(S::Available).await;
            has_image(machine).await;
            machine = machine.asks("active").await;
        }
        machine.reaches(S::DeployWait).await;
        agent.boots(&lab, machine).await;
        waits_for(machine, "deploy_step", "write_image").await;
    }
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    let node = machine.reaches(S::Active).await;
    assert_eq!(node["last_error"], json!(null));
    lab.stop().await;
}

async fn a_stranger_changes_nothing(engine: Engine) {
    let lab = Lab::with(engine, without_cleaning()).await;
    let agent = puppet().await;
    let machine = writing(&lab, &agent).await;
    let before = machine.show().await["driver_internal_info"].clone();
    let path = format!("/v1/heartbeat/{}", machine.id);
    for token in [json!("wrong"), json!("")] {
        let body = json!({"callback_url": before["agent_url"], "agent_version": "13.0.0",
            "agent_token": token});
        lab.client.post(&path, body).await.expect(400);
    }
    assert_eq!(machine.show().await["driver_internal_info"], before);
    // A second ramdisk on the same network learns no token.
    let path = format!("/v1/lookup?node_uuid={}", machine.id);
    let found = lab.client.get(&path).await.expect(200).json();
    assert_eq!(found["config"]["agent_token"], "******");
    ends_well(&lab, machine, &agent).await;
    lab.stop().await;
}

async fn ends_well(lab: &Lab, machine: Machine<'_>, agent: &Puppet) {
    agent.ends(Ok(json!({})));
    agent.reports(lab, machine).await;
    machine.reaches(S::Active).await;
}

async fn an_abort_waits_for_the_step_under_way(engine: Engine) {
    let lab = Lab::with(engine, without_cleaning()).await;
    let agent = puppet().await;
    let machine = writing(&lab, &agent).await;
    machine.asks("abort").await;
    // A report while somebody has the node is not heard.
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "wait call-back");
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    let (_, error) = fails(machine, "deploy failed").await;
    says(
        &error,
        &[
            "By request, the deploy operation was aborted",
            "write_image",
        ],
    );
    machine.asks("deleted").await.reaches(S::Available).await;
    lab.stop().await;
}
