//! The storage interface `external`: an operator connects the volumes and says where they are, and no
//! service of OpenStack is asked.

use super::{Theatre, available};
use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use types::{InterfaceKind as K, ProvisionState as S};

const SCRIPT: &str = "/pxelinux.cfg/52-54-00-00-10-01";
const INITIATOR: &str = "iqn.2017-05.org.openstack:lab-initiator";

async fn lab(theatre: &Theatre) -> Lab {
    let mut options = theatre.options();
    let storage = vec!["noop".to_owned(), "external".to_owned()];
    options.hardware.enable_interfaces(K::Storage, storage);
    Lab::with(Engine::Sqlite, options).await
}

/// A machine with a volume that an operator described.
async fn machine<'l>(lab: &'l Lab, boot: &str) -> Machine<'l> {
    let body = json!({
        "boot_interface": boot, "storage_interface": "external",
        "properties": {"capabilities": "iscsi_boot:true,boot_mode:uefi"},
    });
    let machine = available(lab, body).await;
    let connector = json!({"node_uuid": machine.id, "type": "iqn", "connector_id": INITIATOR});
    let target = json!({
        "node_uuid": machine.id, "volume_type": "iscsi", "volume_id": "shelf-7", "boot_index": 0,
        "properties": {
            "target_portal": "192.0.2.9:3261", "target_iqn": "iqn.2026-01.example:shelf-7",
            "target_lun": 18, "auth_method": "CHAP", "auth_username": "operator",
            "auth_password": "chap-password",
        },
    });
    for (kind, body) in [("connectors", connector), ("targets", target)] {
        let path = format!("/v1/volume/{kind}");
        lab.client.post(&path, body).await.expect(201);
    }
    machine
}

#[tokio::test]
async fn a_machine_boots_from_the_volume_that_its_operator_described() {
    let theatre = Theatre::open().await;
    let lab = lab(&theatre).await;
    let machine = machine(&lab, "ipxe").await;
    let node = machine.asks("active").await.reaches(S::Active).await;
    assert_eq!(node["power_state"], "power on");
    let script = theatre.home.text(SCRIPT).await.unwrap();
    for line in [
        "goto boot_iscsi",
        "set username operator",
        "set password chap-password",
        &format!("set initiator-iqn {INITIATOR}"),
        "sanhook --drive 0x80 iscsi:192.0.2.9::3261:12:iqn.2026-01.example:shelf-7 || goto fail_iscsi_retry",
    ] {
        assert!(script.contains(&format!("\n{line}\n")), "{line}: {script}");
    }
    let targets = lab.client.get("/v1/volume/targets?detail=true").await;
    let shown = targets.expect(200).json()["targets"][0]["properties"].clone();
    assert_eq!(shown["auth_password"], "******");

    machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(theatre.home.text(SCRIPT).await, None);
    let targets = lab.client.get("/v1/volume/targets").await;
    assert_eq!(targets.expect(200).json()["targets"], json!([]));
    theatre.stage.was_left_alone();
    lab.stop().await;
}

#[tokio::test]
async fn a_volume_that_firmware_cannot_boot_from_is_refused() {
    let theatre = Theatre::open().await;
    let lab = lab(&theatre).await;
    let machine = machine(&lab, "pxe").await;
    let verdicts = lab.client.get(&machine.path("/validate")).await;
    let storage = &verdicts.expect(200).json()["storage"];
    assert_eq!(storage["result"], Value::Bool(false));
    let reason = storage["reason"].as_str().unwrap();
    let text = format!(
        "Failed to validate external storage interface for node {}. ",
        machine.id
    );
    assert!(reason.starts_with(&text), "{reason}");
    lab.stop().await;
}
