//! A conversation that was recorded, held once more with the recording.

use super::{
    peer::{Bench, Bmc, PASSWORD, has, settings},
    state, switch,
};
use crate::program;
use drivers::{
    Recorder,
    iface::{Machine, Management, Power},
    ipmi::Ipmi,
    redfish::{Redfish, RedfishManagement, RedfishPower, RedfishSettings},
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Child,
};
use types::{
    JsonMap, LeaseProof, Node, NodeId, PowerTarget,
    recording::{FORMAT, Header, VERSION},
};

/// What `corten node recorder export` writes.
fn export(recorder: &Recorder, node: NodeId, file: &Path) -> String {
    let recording = recorder.read(node);
    let header = Header {
        format: FORMAT.into(),
        version: VERSION,
        node: node.to_string(),
        driver: String::new(),
        at: String::new(),
        dropped: recording.dropped,
    };
    let mut text = serde_json::to_string(&header).unwrap();
    for entry in &recording.exchanges {
        text.push('\n');
        text.push_str(&serde_json::to_string(entry).unwrap());
    }
    std::fs::write(file, &text).unwrap();
    text
}

/// A simulator that runs as a program of its own.
struct Simulator {
    /// The first line that it prints.
    place: Value,
    notes: PathBuf,
    _process: Child,
}

impl Simulator {
    async fn start(arguments: &[&str], folder: &Path) -> Self {
        let notes = tempfile::NamedTempFile::new_in(folder).unwrap();
        let (file, notes) = notes.keep().unwrap();
        let mut process = tokio::process::Command::new(program::path())
            .arg("sim")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(file)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let begun = async {
            let first = lines.next_line().await.unwrap();
            while lines.next_line().await.unwrap().unwrap() != "ready" {}
            first.unwrap()
        };
        let first = tokio::time::timeout(Duration::from_secs(60), begun).await;
        Self {
            place: serde_json::from_str(&first.unwrap()).unwrap(),
            notes,
            _process: process,
        }
    }

    async fn replay(file: &Path, folder: &Path) -> Self {
        let file = file.to_str().unwrap();
        let arguments = ["replay", file, "--format", "json", "--password", PASSWORD];
        Self::start(&arguments, folder).await
    }

    fn notes(&self) -> String {
        std::fs::read_to_string(&self.notes).unwrap()
    }
}

/// Asks this and that, and returns all answers.
async fn tour(bench: &mut Bench) -> Vec<String> {
    let mut heard = vec![format!("{:?}", state(bench).await)];
    switch(bench, PowerTarget::On).await.unwrap();
    heard.push(format!("{:?}", state(bench).await));
    let (management, lease) = (bench.management(), bench.lease.clone());
    let machine = &mut bench.machine();
    let set = management
        .set_boot_device(&lease, machine, "pxe", true)
        .await;
    heard.push(format!("{set:?} {:?}", machine.found.warnings));
    heard.push(format!("{:?}", management.boot_device(machine).await));
    heard.push(format!("{:?}", management.sensors(machine).await));
    heard.push(format!("{:?}", management.vendor(machine).await));
    // Ports differ, and so do addresses in messages.
    let own = machine.driver_info["ipmi_port"].to_string();
    heard
        .into_iter()
        .map(|text| text.replace(&own, "PORT"))
        .collect()
}

#[tokio::test]
async fn an_ipmi_conversation_is_replayed() {
    let Some(bmc) = Bmc::sim() else { return };
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::default();
    let mut bench = bmc.bench();
    bench.ipmi = Arc::new(Ipmi::new(settings()).recorded(recorder.clone()));
    let heard = tour(&mut bench).await;
    let file = folder.path().join("bmc.jsonl");
    export(&recorder, bench.node.id, &file);
    drop(bmc);

    let sim = Simulator::replay(&file, folder.path()).await;
    let port = sim.place["ipmi_port"].as_u64().unwrap();
    assert_eq!(sim.place["redfish_address"], Value::Null);
    let user = sim.place["ipmi_username"].as_str().unwrap();
    let mut info = bench.info.clone();
    info.insert("ipmi_port".into(), json!(port));
    let mut again = Bench::new(info, settings());
    assert_eq!(tour(&mut again).await, heard);
    let notes = sim.notes();
    assert!(!notes.contains("not in the recording"), "{notes}");

    if !has("ipmitool") {
        return;
    }
    let other = Simulator::replay(&file, folder.path()).await;
    let port = other.place["ipmi_port"].to_string();
    let ipmitool = |arguments: &[&str]| {
        let output = Command::new("ipmitool")
            .args(["-I", "lanplus", "-C", "3", "-H", "127.0.0.1", "-p", &port])
            .args(["-U", user, "-P", PASSWORD])
            .args(arguments)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(ipmitool(&["power", "status"]), "Chassis Power is off\n");
    let on = ipmitool(&["power", "on"]);
    assert_eq!(on, "Chassis Power Control: Up/On\n");
    assert_eq!(ipmitool(&["power", "status"]), "Chassis Power is on\n");
    assert_eq!(ipmitool(&["chassis", "identify", "9"]), "");
    let notes = other.notes();
    let asked = "not in the recording: IPMI request 0x00 0x04 0x09";
    assert!(notes.contains(asked), "{notes}");
}

/// The same for Redfish.
async fn redfish_tour(recorder: &Recorder, node: &mut Node, address: &Value) -> Vec<String> {
    let info = json!({
        "redfish_address": address, "redfish_username": "admin",
        "redfish_password": "password",
    });
    let info: JsonMap = info.as_object().unwrap().clone();
    let settings = RedfishSettings::default();
    let redfish = Arc::new(Redfish::new(settings).recorded(recorder.clone()));
    let name = "redfish";
    let lease = LeaseProof::granted(node.id, 1);
    let power = RedfishPower {
        redfish: Arc::clone(&redfish),
        name,
    };
    let management = RedfishManagement::new(&redfish, name);
    let machine = &mut Machine::new(node, &info, &[]);
    let mut heard = vec![format!("{:?}", power.get(machine).await)];
    let on = power.set(&lease, machine, PowerTarget::On, None).await;
    heard.push(format!("{on:?} {:?}", power.get(machine).await));
    let set = management
        .set_boot_device(&lease, machine, "pxe", true)
        .await;
    heard.push(format!("{set:?} {:?}", machine.found.warnings));
    heard.push(format!("{:?}", management.boot_device(machine).await));
    heard.push(format!("{:?}", management.sensors(machine).await));
    let own = address.as_str().unwrap();
    heard
        .into_iter()
        .map(|text| text.replace(own, "ADDRESS"))
        .collect()
}

#[tokio::test]
async fn a_redfish_conversation_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--machines", "1", "--format", "json"];
    let sim = Simulator::start(&arguments, folder.path()).await;
    let address = &sim.place["machines"][0]["redfish_address"];
    let recorder = Recorder::default();
    let mut node = Node::new(NodeId::generate(), "redfish");
    let heard = redfish_tour(&recorder, &mut node, address).await;
    assert!(
        heard.iter().all(|text| !text.contains("Err(")),
        "{heard:#?}"
    );
    let file = folder.path().join("bmc.jsonl");
    let text = export(&recorder, node.id, &file);
    assert!(!text.contains(r#""Password":"password""#), "{text}");
    assert!(text.contains(r#""Password":"******""#), "{text}");

    let replay = Simulator::replay(&file, folder.path()).await;
    assert_eq!(replay.place["ipmi_port"], Value::Null);
    let address = &replay.place["redfish_address"];
    let mut node = Node::new(NodeId::generate(), "redfish");
    let again = redfish_tour(&Recorder::default(), &mut node, address).await;
    let notes = replay.notes();
    assert!(!notes.contains("not in the recording"), "{notes}");
    assert_eq!(again, heard);
}
