//! The real `ansible-playbook`, over SSH to this machine, with a playbook that writes to a file.
//!
//! Where it or an SSH server cannot be had the test says so and does nothing, except in CI, where it
//! fails.

use super::{ansible::options, place::AgentHome, puppet};
use crate::{database::Engine, lab::Lab, sshd};
use drivers::{
    ansible::{Action, AnsibleSettings, PlaybookInput, Playbooks, bundled, variables},
    iface,
};
use ring::digest;
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};
use types::{JsonMap, Node, NodeId, ProvisionState as S};

fn missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what} is not installed");
    println!("SKIPPED: {what} is not installed");
}

/// The program, in an environment of the tests' own.
fn ansible() -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/with-ansible");
    let done = Command::new(script).output().ok()?;
    let path = String::from_utf8(done.stdout).ok()?;
    let path = PathBuf::from(path.trim_end());
    (done.status.success() && path.exists()).then_some(path)
}

/// Its own playbook beside the parts that come with the service.
const PLAYBOOK: &str = r#"
- import_playbook: add-ironic-nodes.yaml
- hosts: ironic
  gather_facts: false
  tasks:
    - name: write the image
      stream_url:
        url: "{{ ironic_extra.source }}"
        dest: "{{ ironic_extra.disk }}"
        checksum: "{{ ironic_extra.sum }}"
    - name: write the config drive
      unpack_to:
        src: "{{ ironic.configdrive.location }}"
        dest: "{{ ironic_extra.drive }}"
"#;

#[tokio::test]
async fn the_real_ansible_deploys_over_ssh() {
    let Some(program) = ansible() else {
        return missing("ansible (it needs python3 with venv, and PyPI)");
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(server) = sshd::start(folder.path(), "").await else {
        return missing("sshd (Debian: openssh-server)");
    };
    let place = AgentHome::make().await;
    let image: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
    fs::create_dir_all(place.path("http")).unwrap();
    fs::write(place.path("http/disk.img"), &image).unwrap();
    let playbooks = folder.path().join("playbooks");
    bundled::write(&playbooks).unwrap();
    fs::write(playbooks.join("own.yaml"), PLAYBOOK).unwrap();
    let (disk, drive) = (folder.path().join("disk"), folder.path().join("drive"));
    fs::write(&drive, "empty").unwrap();
    let python = program.with_file_name("python");
    let settings = AnsibleSettings {
        config_file: Some(playbooks.join("ansible.cfg")),
        program: program.display().to_string(),
        extra_args: vec!["-e".to_owned(), format!("ansible_port={}", server.port)],
        state: folder.path().join("state"),
        folder: Some(playbooks),
        deploy_playbook: "own.yaml".to_owned(),
        user: sshd::user(),
        key_file: Some(folder.path().join("user")),
        python: Some(python.display().to_string()),
        ..AnsibleSettings::default()
    };
    let mut options = options(settings);
    options.conductor.automated_clean = false;
    let lab = Lab::with(Engine::Sqlite, options).await;
    let sum = digest::digest(&digest::SHA256, &image);
    let sum: String = sum
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    for (sum, state) in [("0".repeat(64), S::DeployFailed), (sum, S::Active)] {
        let machine = lab
            .enroll(json!({
                "deploy_interface": "ansible", "management_interface": "noop",
                // The stand-in for hardware has no system that could be shut down.
                "driver_info": {"deploy_forces_oob_reboot": true},
                "extra": {
                    "source": format!("{}/disk.img", place.url()), "disk": disk,
                    "sum": format!("sha256:{sum}"), "drive": drive,
                },
            }))
            .await;
        machine.asks("manage").await.reaches(S::Manageable).await;
        machine.asks("provide").await.reaches(S::Available).await;
        super::has_image(machine).await;
        let meta = json!({"meta_data": {"hostname": "h1"}});
        let deploy = json!({"target": "active", "configdrive": meta});
        machine.asks_with(deploy).await.reaches(S::DeployWait).await;
        puppet().await.boots(&lab, machine).await;
        let node = machine
            .until("the end", |node| {
                let over = node["provision_state"] == state.as_str();
                Some(over && node["reservation"].is_null())
            })
            .await;
        if state == S::DeployFailed {
            let error = node["last_error"].as_str().unwrap();
            assert!(error.contains("the checksum is"), "{error}");
        }
    }
    assert_eq!(fs::read(&disk).unwrap(), image);
    let drive = fs::read(&drive).unwrap();
    assert!(drive.len() > 10_000 && drive.windows(2).any(|part| part == b"h1"));
    lab.stop().await;
}

/// Uses what users said in every way that evaluates templates, and keeps what it was.
const CURIOUS: &str = r#"
- import_playbook: add-ironic-nodes.yaml
- hosts: ironic
  gather_facts: false
  connection: local
  vars:
    again: "{{ ironic.image.url }}"
  tasks:
    - name: lookups work here
      debug:
        msg: "{{ lookup('pipe', 'touch ' ~ playbook_dir ~ '/control') }}"
    - debug: var=ironic
    - debug: var=ironic_extra
    - set_fact:
        fact: "{{ ironic_extra }} {{ ironic.image.url }}"
        url: "{{ again }}"
        first: "{{ ironic_extra.deep[0].deeper }}"
    - debug:
        msg: "{{ fact }} {{ url }} {{ first }} {{ hostvars[inventory_hostname].url }}"
      when: url is defined and ironic.image.disk_format != 'raw'
    - debug:
        msg: "{{ item }}"
      loop: "{{ ironic.nodes + [ironic.root_device_hints, ironic.raid_config, ironic.configdrive] }}"
    - command:
        argv: [echo, "{{ url }}", "{{ first }}", "{{ ironic.partition_info.label }}"]
    - copy:
        content: "{{ url }}"
        dest: "{{ playbook_dir }}/seen"
"#;

#[tokio::test]
async fn what_users_say_is_not_evaluated_on_the_conductor() {
    let Some(program) = ansible() else {
        return missing("ansible (it needs python3 with venv, and PyPI)");
    };
    let folder = tempfile::tempdir().unwrap();
    let playbooks = folder.path().join("playbooks");
    bundled::write(&playbooks).unwrap();
    fs::write(playbooks.join("own.yaml"), CURIOUS).unwrap();
    let python = program.with_file_name("python");
    let runner = Playbooks(AnsibleSettings {
        config_file: Some(playbooks.join("ansible.cfg")),
        program: program.display().to_string(),
        state: folder.path().join("state"),
        folder: Some(playbooks.clone()),
        deploy_playbook: "own.yaml".to_owned(),
        python: Some(python.display().to_string()),
        ..AnsibleSettings::default()
    });
    let made = folder.path().join("made");
    let evil = format!("{{{{ lookup('pipe', 'touch {}') }}}}", made.display());
    let object = |value: Value| value.as_object().cloned().unwrap();
    let mut node = Node::new(NodeId::generate(), "ipmi");
    node.extra = object(json!({"a": evil, "deep": [{"deeper": evil}], "n": 1e20}));
    node.instance_info = object(json!({
        "image_url": evil, "image_name": evil, "image_disk_format": evil, "root_gb": 1,
        "capabilities": {"disk_label": evil},
    }));
    let image = variables::image(&node.instance_info, &JsonMap::new());
    let variables = object(json!({
        "nodes": variables::nodes(&node, "127.0.0.1", "me"), "image": image,
        "partition_info": variables::partitions(&node, true).unwrap(),
        "root_device_hints": {"model": evil}, "raid_config": {"logical_disks": [{"name": evil}]},
        "configdrive": {"type": "url", "location": evil},
    }));
    let told = PlaybookInput {
        variables,
        drive: None,
    };
    let info = JsonMap::new();
    let machine = iface::Machine::new(&mut node, &info, &[]);
    let played = runner.run(&machine, Action::Deploy, told, &[]).await;
    played.unwrap();
    assert_eq!(fs::read_to_string(playbooks.join("seen")).unwrap(), evil);
    assert!(playbooks.join("control").exists());
    assert!(!made.exists());
}

/// Partitions a disk that is none, with programs that note how they were called.
const PARTS: &str = r#"
- import_playbook: add-ironic-nodes.yaml
- hosts: ironic
  gather_facts: false
  connection: local
  environment:
    PATH: "{{ playbook_dir }}/bin"
  vars:
    ironic_root_device: /dev/none
    ironic_partition_prefix: /dev/none
  roles: [prepare]
"#;

#[tokio::test]
async fn what_users_say_is_one_argument() {
    let Some(program) = ansible() else {
        return missing("ansible (it needs python3 with venv, and PyPI)");
    };
    let folder = tempfile::tempdir().unwrap();
    let playbooks = folder.path().join("playbooks");
    bundled::write(&playbooks).unwrap();
    fs::write(playbooks.join("own.yaml"), PARTS).unwrap();
    let calls = folder.path().join("calls");
    let script = format!(
        "#!/bin/sh\nprintf '%s|' \"${{0##*/}}\" \"$@\" >> '{0}'\necho >> '{0}'\n",
        calls.display()
    );
    fs::create_dir(playbooks.join("bin")).unwrap();
    for name in ["dd", "parted", "udevadm", "mkswap", "mkfs"] {
        let path = playbooks.join("bin").join(name);
        fs::write(&path, &script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let python = program.with_file_name("python");
    let runner = Playbooks(AnsibleSettings {
        config_file: Some(playbooks.join("ansible.cfg")),
        program: program.display().to_string(),
        extra_args: ["-e", "ansible_become=false"].map(str::to_owned).to_vec(),
        state: folder.path().join("state"),
        folder: Some(playbooks.clone()),
        deploy_playbook: "own.yaml".to_owned(),
        python: Some(python.display().to_string()),
        ..AnsibleSettings::default()
    });
    let object = |value: Value| value.as_object().cloned().unwrap();
    let mut node = Node::new(NodeId::generate(), "ipmi");
    node.instance_info = object(json!({
        "root_gb": 1, "swap_mb": 1, "ephemeral_mb": 1, "ephemeral_format": "ext4 /dev/sdb",
        "capabilities": {"disk_label": "msdos rm 1 $(id)"},
    }));
    let variables = object(json!({
        "nodes": variables::nodes(&node, "127.0.0.1", "me"),
        "partition_info": variables::partitions(&node, false).unwrap(),
    }));
    let told = PlaybookInput {
        variables,
        drive: None,
    };
    let info = JsonMap::new();
    let machine = iface::Machine::new(&mut node, &info, &[]);
    let played = runner.run(&machine, Action::Deploy, told, &[]).await;
    played.unwrap();
    let calls = fs::read_to_string(calls).unwrap();
    let calls: Vec<&str> = calls.lines().collect();
    assert_eq!(
        calls,
        [
            "dd|if=/dev/zero|of=/dev/none|bs=512|count=36|",
            "parted|--script|--|/dev/none|mklabel|msdos rm 1 $(id)|",
            "parted|--script|--align|optimal|--|/dev/none|mkpart|primary|1MiB|2MiB|",
            "parted|--script|--align|optimal|--|/dev/none|mkpart|primary|2MiB|3MiB|",
            "parted|--script|--align|optimal|--|/dev/none|mkpart|primary|3MiB|1027MiB|",
            "parted|--script|--|/dev/none|set|3|boot|on|",
            "udevadm|settle|",
            "mkswap|-L|swap1|/dev/none2|",
            "mkfs|-t|ext4 /dev/sdb|-L|ephemeral0|/dev/none1|",
        ]
    );
}
