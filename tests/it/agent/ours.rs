//! Our own agent, on a made-up machine, without a permit: whatever would change the machine it
//! refuses, and everything before that is as it is in a ramdisk.

use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use agent::{
    config::{Args, Config},
    journal::Journal,
    start,
};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use types::ProvisionState as S;

every_engine!(
    our_agent_is_found_and_told_what_to_do,
    our_agent_offers_what_a_program_adds,
    two_agents_of_one_node_are_one_too_many,
);

const MAC: &str = "52:54:00:00:00:01";

/// An agent that runs until it is dropped.
struct Running {
    task: JoinHandle<anyhow::Result<start::End>>,
    root: TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A folder that looks like a machine with one network interface.
fn made_up() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let interface = root.path().join("sys/class/net/eth0");
    // Only what has a device behind it is a card.
    fs::create_dir_all(interface.join("device")).unwrap();
    fs::write(interface.join("address"), MAC).unwrap();
    fs::create_dir_all(root.path().join("proc")).unwrap();
    fs::write(root.path().join("proc/cmdline"), "quiet").unwrap();
    root
}

fn boots(lab: &Lab, root: TempDir) -> Running {
    let args = Args {
        api_url: Some(format!("http://{}", lab.client.address)),
        listen: Some("127.0.0.1:0".into()),
        advertise: Some("127.0.0.1:0".into()),
        root: root.path().to_owned(),
        ..Args::default()
    };
    let config = Config::read(&args, None).unwrap();
    let task = tokio::spawn(start::run(config, None, Journal::default()));
    Running { task, root }
}

async fn enrolled(lab: &Lab) -> Machine<'_> {
    let machine = super::enrolled(lab).await;
    let port = json!({"node_uuid": machine.id, "address": MAC});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine
}

async fn our_agent_is_found_and_told_what_to_do(engine: Engine) {
    let lab = lab(engine).await;
    let machine = enrolled(&lab).await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let running = boots(&lab, made_up());
    let node = machine.reaches(S::CleanFailed).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("erase_devices_metadata"), "{error}");
    assert!(error.contains("--allow-destructive"), "{error}");
    let about = &node["driver_internal_info"];
    assert_eq!(about["agent_version"], agent::VERSION);
    assert!(!running.task.is_finished());
    drop(running);
    lab.stop().await;
}

async fn our_agent_offers_what_a_program_adds(engine: Engine) {
    use std::os::unix::fs::PermissionsExt as _;
    let lab = lab(engine).await;
    let machine = enrolled(&lab).await;
    let root = made_up();
    let managers = root.path().join("etc/corten-agent/managers.d");
    fs::create_dir_all(&managers).unwrap();
    let program = managers.join("acme");
    let text = r#"#!/bin/sh
while read -r call; do
  case $call in
  *'"method":"hello"'*) echo '{"id": 1, "result": {"protocol": 1, "support": 3, "version": "2"}}' ;;
  *'"method":"manager.steps"'*) echo '{"id": 2, "result": {"steps": [{"step": "tune", "priority": 100}]}}' ;;
  esac
done
"#;
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let running = boots(&lab, root);
    let node = machine.reaches(S::CleanFailed).await;
    // The highest priority is tried first; it needs a permit like any other.
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("tune"), "{error}");
    assert!(running.root.path().exists());
    drop(running);
    lab.stop().await;
}

async fn two_agents_of_one_node_are_one_too_many(engine: Engine) {
    let lab = lab(engine).await;
    let machine = enrolled(&lab).await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    let path = format!("/v1/lookup?addresses={MAC}");
    let found: Value = lab.client.get(&path).await.expect(200).json();
    assert_ne!(found["config"]["agent_token"], "******");
    let mut late = boots(&lab, made_up());
    let end = (&mut late.task).await.unwrap().unwrap();
    assert_eq!(end, start::End::LockedDown);
    drop(late);
    lab.stop().await;
}

/// The usual service, which insists on TLS.
async fn lab(engine: Engine) -> Lab {
    let mut options = super::options();
    options.conductor.agent_require_tls = true;
    Lab::with(engine, options).await
}
