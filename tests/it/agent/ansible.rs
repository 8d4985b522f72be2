//! Machines that playbooks deploy and clean: with a stand-in for `ansible-playbook` that notes how it
//! was called, and with the real one over SSH where both can be had.

use super::{has_image, puppet};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use drivers::ansible::AnsibleSettings;
use serde_json::{Value, json};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    a_machine_is_deployed_and_cleaned_by_playbooks,
    a_playbook_that_fails_fails_its_step,
    a_service_without_ansible_says_so,
);

/// A folder with a stand-in for the program.
struct Stage(tempfile::TempDir);

impl Stage {
    /// The stand-in does this besides noting its arguments and variables.
    fn new(script: &str) -> Self {
        let stage = Self(tempfile::tempdir().unwrap());
        let text = format!(
            "#!/bin/sh\ncd '{}'\nname=$(basename \"$1\" .yaml)\nprintf '%s\\n' \"$@\" > \"$name.args\"\n\
             for word; do case $word in @*) cp \"${{word#@}}\" \"$name.vars\";; esac; done\n{script}\n",
            stage.0.path().display()
        );
        let path = stage.0.path().join("ansible-playbook");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        stage
    }

    fn settings(&self) -> AnsibleSettings {
        AnsibleSettings {
            program: self.0.path().join("ansible-playbook").display().to_string(),
            state: self.0.path().join("state"),
            key_folders: vec!["/keys".into()],
            power_off_looks: 0,
            power_off_pause: Duration::from_millis(1),
            ..AnsibleSettings::default()
        }
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap_or_default()
    }

    fn told(&self, playbook: &str) -> Value {
        let told = self.read(&format!("{playbook}.vars"));
        // Without the marks it is JSON.
        let told = told.replace("? !unsafe ", "").replace("!unsafe ", "");
        let told: Value = serde_json::from_str(&told).unwrap();
        told["ironic"].clone()
    }
}

pub(super) fn options(settings: AnsibleSettings) -> Options {
    let mut options = super::options();
    let deploy = ["ansible", "direct"].map(str::to_owned).to_vec();
    options.hardware.enable_interfaces(K::Deploy, deploy);
    options.hardware.ansible = settings;
    options
}

async fn enrolled(lab: &Lab) -> Machine<'_> {
    let machine = lab
        .enroll(json!({
            "deploy_interface": "ansible", "management_interface": "noop",
            "driver_info": {"ansible_username": "me", "ansible_key_file": "/keys/k"},
            "extra": {"rack": 7},
        }))
        .await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

async fn a_machine_is_deployed_and_cleaned_by_playbooks(engine: Engine) {
    let stage = Stage::new("echo done");
    let lab = Lab::with(engine, options(stage.settings())).await;
    let machine = enrolled(&lab).await;
    let agent = puppet().await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    agent.boots(&lab, machine).await;
    machine.reaches(S::Available).await;
    // The last of the two steps.
    assert!(
        stage.read("clean.args").contains("--tags=shred"),
        "{}",
        stage.read("clean.args")
    );
    assert!(stage.read("clean.args").contains("--private-key=/keys/k"));
    let told = stage.told("clean");
    let node = json!({"name": machine.id.to_string(), "ip": "127.0.0.1", "user": "me", "extra": {"rack": 7}});
    assert_eq!(told, json!({"nodes": [node]}));

    has_image(machine).await;
    let drive = json!({"target": "active", "configdrive": "H4sIAAAAAAAAAwMAAAAAAAAAAAA="});
    machine.asks_with(drive).await.reaches(S::DeployWait).await;
    agent.boots(&lab, machine).await;
    let active = machine.reaches(S::Active).await;
    assert_eq!(active["power_state"], "power on");
    let told = stage.told("deploy");
    assert_eq!(told["nodes"], json!([node]));
    assert_eq!(told["image"]["url"], "http://images.example/a.qcow2");
    assert_eq!(
        told["image"]["checksum"],
        "md5:00112233445566778899aabbccddeeff"
    );
    assert_eq!(told["image"]["type"], "whole-disk");
    assert_eq!(told["image"]["validate_certs"], "yes");
    assert_eq!(told["configdrive"]["type"], "file");
    // It is gone with the playbook that copied it.
    let drive = told["configdrive"]["location"].as_str().unwrap();
    assert!(!Path::new(drive).exists());
    assert_eq!(stage.told("shutdown"), json!({"nodes": [node]}));
    // The agent was told nothing: it only reported.
    assert!(agent.told().is_empty());
    lab.stop().await;
}

async fn a_playbook_that_fails_fails_its_step(engine: Engine) {
    let stage = Stage::new("echo 'fatal: no disk is large enough' >&2; exit 2");
    let mut options = options(stage.settings());
    options.conductor.automated_clean = false;
    let lab = Lab::with(engine, options).await;
    let machine = enrolled(&lab).await;
    machine.asks("provide").await.reaches(S::Available).await;
    has_image(machine).await;
    let agent = puppet().await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    agent.boots(&lab, machine).await;
    let node = machine
        .until("deploy failed", |node| {
            Some(node["provision_state"] == "deploy failed" && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.starts_with("Deploy step deploy.write_image failed: "),
        "{error}"
    );
    assert!(error.contains("fatal: no disk is large enough"), "{error}");
    // Steps of a cleaning fail the same way.
    machine.asks("deleted").await.reaches(S::Available).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let steps = json!([{"interface": "deploy", "step": "erase_devices_metadata", "args": {"tags": ["zap"]}}]);
    machine
        .asks_with(json!({"target": "clean", "clean_steps": steps}))
        .await
        .reaches(S::CleanWait)
        .await;
    agent.boots(&lab, machine).await;
    let node = machine
        .until("clean failed", |node| {
            Some(node["provision_state"] == "clean failed" && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("fatal: no disk is large enough"), "{error}");
    assert!(stage.read("clean.args").contains("--tags=zap"));
    lab.stop().await;
}

async fn a_service_without_ansible_says_so(engine: Engine) {
    let stage = Stage::new("");
    let settings = AnsibleSettings {
        program: "no-such-ansible-playbook".to_owned(),
        ..stage.settings()
    };
    let mut options = options(settings);
    options.conductor.automated_clean = false;
    let lab = Lab::with(engine, options).await;
    let machine = enrolled(&lab).await;
    machine.asks("provide").await.reaches(S::Available).await;
    has_image(machine).await;
    let refused = machine
        .provision(json!({"target": "active"}))
        .await
        .expect(400);
    let told = refused.text();
    assert!(told.contains("which is not installed here"), "{told}");
    let change =
        json!([{"op": "add", "path": "/properties/root_device", "value": {"size": ">= 10"}}]);
    machine.patch(change).await.expect(200);
    let refused = machine
        .provision(json!({"target": "active"}))
        .await
        .expect(400);
    let told = refused.text();
    assert!(
        told.contains("does not support advanced root device hints"),
        "{told}"
    );
    lab.stop().await;
}
