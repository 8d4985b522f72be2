//! `corten discover` on simulated BMCs and on what is none.

use super::{
    namespace::{Host, alone, has, written},
    strange::{self, Manner},
};
use crate::program::Program;
use serde_json::Value;
use std::{
    fs,
    net::Ipv4Addr,
    os::unix::fs::PermissionsExt,
    process::{Child, Stdio},
};

const NUMBER: usize = 40;
/// Their addresses, all of them taken: a silent one would be waited for. Patient, because the machine
/// may be busy with other tests.
const RACK: &str = "--range 127.1.0.1-127.1.0.40 --timeout 20000";

/// Simulated BMCs on their usual ports.
async fn rack(host: &Host, machines: &str) -> Child {
    let ready = host.path("ready");
    let line = format!(
        "sim {machines} --ipmi-port 623 --redfish-port 443 --personality dell --ready-file @/ready"
    );
    let mut command = host.command(&line);
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    written(&ready).await;
    child
}

pub(super) fn credentials(host: &Host, mode: u32) {
    let file = host.path("bmcs.yaml");
    fs::write(&file, "default: {username: admin, password: password}\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
}

pub(super) fn bmcs(report: &Value) -> &Vec<Value> {
    report["bmcs"].as_array().unwrap()
}

#[test]
fn bmcs_are_found_described_and_enrolled_once() {
    let name = "first_day::scan::bmcs_are_found_described_and_enrolled_once";
    if !has("ip") {
        return;
    }
    alone(name, async || {
        let host = Host::new();
        let mut sim = rack(&host, &format!("--machines {NUMBER} --by-address")).await;

        // Without a login: who is there, and nothing more.
        let (report, content) = host.json(&format!("discover {RACK} -f json"));
        assert!(content);
        assert_eq!(bmcs(&report).len(), NUMBER);
        let first = &bmcs(&report)[0];
        assert_eq!(first["address"], "127.1.0.1");
        assert_eq!(first["redfish"], "https://127.1.0.1");
        assert_eq!(first["ipmi"]["version"], "2.0");
        assert_eq!(first["systems"].as_array().unwrap().len(), 0);

        // A password goes to no certificate that is not trusted, unless it may.
        credentials(&host, 0o600);
        let scan = format!("discover {RACK} -f json --credentials @/bmcs.yaml");
        let (report, _) = host.json(&scan);
        let notes = bmcs(&report)[0]["notes"].to_string();
        assert!(notes.contains("the password was not sent"), "{notes}");
        assert!(!notes.contains("\"password\""));
        let (report, _) = host.json(&format!("{scan} --verify-ca false"));
        let system = &bmcs(&report)[0]["systems"][0];
        assert_eq!(system["maker"], "Dell Inc.");
        assert_eq!(system["model"], "PowerEdge R640");
        assert_eq!(system["power"], "off");
        assert!(
            system["serial"].as_str().unwrap().starts_with("DL"),
            "{system}"
        );
        assert!(!system["macs"].as_array().unwrap().is_empty(), "{system}");
        assert!(!bmcs(&report)[0]["firmware"].is_null());

        // By IPMI alone, as where Redfish is switched off.
        let (report, _) = host.json(&format!("{scan} --redfish-port 444"));
        let system = &bmcs(&report)[0]["systems"][0];
        assert_eq!(
            (&system["maker"], &system["power"]),
            (&"Dell Inc.".into(), &"off".into())
        );

        // A file of passwords that others can read is not used.
        credentials(&host, 0o644);
        let refused = host.corten(&scan);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            !refused.status.success() && said.contains("chmod 600"),
            "{said}"
        );
        credentials(&host, 0o600);

        let log = host.path("log");
        let data = host.path("data").display().to_string();
        let arguments = ["serve", "--data-dir", &data, "--set", "api.port=6385"]
            .into_iter()
            .chain(["--set", "conductor.automated_clean=false"]);
        let service = Program::start(arguments, &log).await;
        let enrol = format!("discover {RACK} --credentials @/bmcs.yaml --verify-ca false --enrol");
        let first = host.corten(&enrol);
        assert!(first.status.success(), "{first:?}");
        let again = host.corten(&enrol);
        assert!(again.status.success(), "{again:?}");
        let text = String::from_utf8(again.stdout).unwrap();
        assert_eq!(text.matches("is enrolled").count(), NUMBER, "{text}");
        assert!(!text.contains("password"), "{text}");
        let nodes = host.json("node list -f json --limit 0").0;
        assert_eq!(nodes.as_array().unwrap().len(), NUMBER);
        let ports = host.json("port list -f json --limit 0").0;
        assert!(ports.as_array().unwrap().len() >= NUMBER);
        // One that somebody brought further is left there.
        let name = nodes[0]["name"].as_str().unwrap();
        let managed = host.corten(&format!("node manage {name} --wait"));
        assert!(managed.status.success(), "{managed:?}");
        let provided = host.corten(&format!("{enrol} --provide"));
        assert!(provided.status.success(), "{provided:?}");
        let text = String::from_utf8(provided.stdout).unwrap();
        assert_eq!(
            text.matches(" is available\n").count(),
            NUMBER - 1,
            "{text}"
        );
        let state = host.corten(&format!(
            "node show {name} -f value --fields provision_state"
        ));
        assert_eq!(state.stdout, b"manageable\n");

        // The doctor reaches them; one that is gone is named.
        let doctor = format!("doctor -f json --dhcp-wait 0 --data-dir {data} --set api.port=6385");
        let found = |report: &Value| super::namespace::of_check(report, "BMCs");
        let (report, _) = host.json(&doctor);
        assert!(
            found(&report)[0]
                .1
                .contains(&format!("all {NUMBER} answer")),
            "{report}"
        );
        sim.kill().unwrap();
        sim.wait().unwrap();
        let (report, content) = host.json(&doctor);
        assert!(!content);
        assert_eq!(found(&report)[0].0, "broken");
        service.stop().await;
    });
}

#[test]
fn what_is_no_bmc_is_told_apart_and_hardly_noticed() {
    let name = "first_day::scan::what_is_no_bmc_is_told_apart_and_hardly_noticed";
    if !has("ip") {
        return;
    }
    alone(name, async || {
        let host = Host::new();
        let mut sim = rack(&host, "--machines 1").await;
        let mut strange = Vec::new();
        for (number, manner) in (1..).zip(Manner::ALL) {
            let address = Ipv4Addr::new(127, 1, 1, number);
            strange.push((manner, strange::listen(address, manner).await));
        }
        credentials(&host, 0o600);
        for scheme in ["", "--plain-http --redfish-port 443"] {
            let before: Vec<_> = strange.iter().map(|(_, asked)| asked.counts()).collect();
            let line = format!(
                "discover --range 127.0.0.1 --range 127.1.1.1-127.1.1.5 --timeout 4000 -f json --credentials @/bmcs.yaml --verify-ca false {scheme}"
            );
            // The listeners run here, so this waits elsewhere.
            let mut command = host.command(&line);
            let output = tokio::task::spawn_blocking(move || command.output()).await;
            let output = output.unwrap().unwrap();
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(bmcs(&report).len(), 1, "{report}");
            let others = report["others"].as_array().unwrap();
            assert_eq!(others.len(), Manner::ALL.len(), "{report}");
            for other in others {
                assert!(!other["why"].as_str().unwrap().is_empty());
                assert!(!other.to_string().contains("password"));
            }
            for ((manner, asked), before) in strange.iter().zip(before) {
                let (connections, datagrams) = asked.counts();
                let (connections, datagrams) = (connections - before.0, datagrams - before.1);
                assert!((1..=2).contains(&connections), "{manner:?}: {connections}");
                assert!((1..=2).contains(&datagrams), "{manner:?}: {datagrams}");
            }
        }
        sim.kill().unwrap();
        sim.wait().unwrap();
    });
}
