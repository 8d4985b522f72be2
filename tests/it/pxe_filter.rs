//! A dnsmasq of the operator is told whom to answer while machines are inspected.

use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use conductor::inspection::PxeFilter;
use serde_json::json;
use std::{fs, path::Path, time::Duration};
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    only_machines_that_are_inspected_are_answered,
    unknown_machines_are_answered_where_they_are_wanted,
);

fn options(folder: &Path) -> Options {
    let mut options = Options::default();
    let names = ["agent", "fake"].map(str::to_owned).to_vec();
    options.hardware.enable_interfaces(K::Inspect, names);
    options.hardware.agent.require_managed_boot = false;
    options.conductor.inspection.pxe_filter = Some(PxeFilter {
        folder: folder.to_owned(),
        interfaces: vec!["agent".to_owned()],
        sync_period: Duration::from_millis(50),
    });
    options
}

async fn enrolled<'l>(lab: &'l Lab, inspect: &str, mac: &str) -> Machine<'l> {
    let machine = lab.enroll(json!({"inspect_interface": inspect})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let port = json!({"address": mac, "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine
}

const FIRST: &str = "52:54:00:00:00:01";
const SECOND: &str = "52:54:00:00:00:02";
const OTHERS: &str = "unknown_hosts_filter";

async fn only_machines_that_are_inspected_are_answered(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab::with(engine, options(folder.path())).await;
    let first = enrolled(&lab, "agent", FIRST).await;
    let second = enrolled(&lab, "fake", SECOND).await;
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    lab.goes_round("pxe_filter").await;
    assert_eq!(read(FIRST), format!("{FIRST},ignore\n"));
    assert_eq!(read(SECOND), format!("{SECOND},ignore\n"));
    assert_eq!(read(OTHERS), "*:*:*:*:*:*,ignore\n");

    // It is told before the machine is switched on, and the pass agrees.
    first.asks("inspect").await.reaches(S::InspectWait).await;
    assert_eq!(read(FIRST), format!("{FIRST}\n"));
    assert_eq!(read(OTHERS), "*:*:*:*:*:*\n");
    lab.goes_round("pxe_filter").await;
    assert_eq!(read(FIRST), format!("{FIRST}\n"));
    assert_eq!(read(SECOND), format!("{SECOND},ignore\n"));

    first.asks("abort").await;
    first
        .until("inspect failed", |node| {
            Some(node["provision_state"] == "inspect failed" && node["reservation"].is_null())
        })
        .await;
    let path = format!("/v1/nodes/{}", second.id);
    lab.client.delete(&path).await.expect(204);
    lab.goes_round("pxe_filter").await;
    for mac in [FIRST, SECOND] {
        assert_eq!(read(mac), format!("{mac},ignore\n"), "nothing is removed");
    }
    assert_eq!(read(OTHERS), "*:*:*:*:*:*,ignore\n");
    let count = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(count, 3, "dnsmasq reads every file");
    lab.stop().await;
}

async fn unknown_machines_are_answered_where_they_are_wanted(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path());
    options.conductor.inspection.auto_discovery = true;
    let lab = Lab::with(engine, options).await;
    lab.goes_round("pxe_filter").await;
    let others = fs::read_to_string(folder.path().join(OTHERS)).unwrap();
    assert_eq!(others, "*:*:*:*:*:*\n");
    lab.stop().await;
}
