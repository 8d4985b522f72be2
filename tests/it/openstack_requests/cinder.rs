//! Volumes of Cinder: attached, detached, and what happens when that fails.

use super::{Theatre, available, fails};
use crate::lab::{Lab, Machine};
use serde_json::{Value, json};
use types::ProvisionState as S;

const RECORDING: &str = include_str!("../../golden/openstack/cinder.jsonl");

const NODE: &str = "42df993d-cca1-4e34-84cf-4c46cbb51fd8";
const INITIATOR: &str = "iqn.2017-05.org.openstack:lab-initiator";

/// The machine of the recordings, which boots from volumes.
async fn machine(lab: &Lab) -> Machine<'_> {
    let body = json!({
        "uuid": NODE, "boot_interface": "ipxe", "storage_interface": "cinder",
        "properties": {"capabilities": "iscsi_boot:true,boot_mode:uefi"},
    });
    let machine = available(lab, body).await;
    connector(lab, "iqn", INITIATOR).await;
    machine
}

async fn connector(lab: &Lab, kind: &str, id: &str) {
    let body = json!({"node_uuid": NODE, "type": kind, "connector_id": id});
    lab.client
        .post("/v1/volume/connectors", body)
        .await
        .expect(201);
}

async fn target(lab: &Lab, volume: &str, boot_index: i64) {
    let body = json!({
        "node_uuid": NODE, "volume_type": "iscsi", "volume_id": volume, "boot_index": boot_index,
        "properties": {},
    });
    lab.client
        .post("/v1/volume/targets", body)
        .await
        .expect(201);
}

/// Asks for a state and compares what was asked of Cinder on the way.
async fn plays(theatre: &Theatre, machine: Machine<'_>, scene: &str, target: &str, state: S) {
    theatre.stage.plays(RECORDING, scene);
    machine.asks(target).await.reaches(state).await;
    theatre.stage.is_as_ironic(scene);
}

async fn targets(lab: &Lab) -> Vec<Value> {
    let answer = lab.client.get("/v1/volume/targets?detail=true").await;
    answer.expect(200).json()["targets"]
        .as_array()
        .unwrap()
        .clone()
}

#[tokio::test]
async fn an_instance_on_a_volume_lives_and_is_switched_as_with_ironic() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = machine(&lab).await;
    let volume = "8ef58b8c-504b-4f04-9565-95ff7aa2401a";
    target(&lab, volume, 0).await;
    plays(&theatre, machine, "k30", "active", S::Active).await;
    let properties = &targets(&lab).await[0]["properties"];
    assert_eq!(properties["auth_password"], "******");
    assert_eq!(properties["ironic_volume_uuid"], volume);

    theatre.stage.plays(RECORDING, "k31");
    for power in ["power off", "power on"] {
        let path = machine.path("/states/power");
        lab.client
            .put(&path, json!({"target": power}))
            .await
            .expect(202);
        machine
            .until(power, |node| {
                Some(node["power_state"] == power && node["reservation"].is_null())
            })
            .await;
    }
    theatre.stage.is_as_ironic("k31");
    plays(&theatre, machine, "k32", "deleted", S::Available).await;
    assert!(targets(&lab).await.is_empty());

    // A second path to the volume.
    connector(&lab, "ip", "192.0.2.77").await;
    target(&lab, volume, 0).await;
    plays(&theatre, machine, "k33", "active", S::Active).await;
    plays(&theatre, machine, "k34", "deleted", S::Available).await;
    assert_eq!(theatre.stage.logins(), 1);
    lab.stop().await;
}

#[tokio::test]
async fn two_paths_to_a_volume_are_asked_for_as_by_ironic() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = machine(&lab).await;
    connector(&lab, "ip", "192.0.2.77").await;
    target(&lab, "f446addd-628f-4131-8a8b-73650281cab1", 0).await;
    plays(&theatre, machine, "k24", "active", S::Active).await;
    lab.stop().await;
}

#[tokio::test]
async fn two_volumes_are_attached_and_detached_in_the_order_of_ironic() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = machine(&lab).await;
    target(&lab, "5a1db227-6494-48e1-8c05-41b658d50b77", 0).await;
    target(&lab, "b2ef6d87-cb4b-4003-bf23-7162211825e3", 1).await;
    plays(&theatre, machine, "k01", "active", S::Active).await;
    plays(&theatre, machine, "k03", "deleted", S::Available).await;
    lab.stop().await;
}

#[tokio::test]
async fn a_volume_beside_the_image_is_attached_before_the_agent_starts() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = machine(&lab).await;
    connector(&lab, "ip", "192.0.2.77").await;
    target(&lab, "f446addd-628f-4131-8a8b-73650281cab1", 1).await;
    std::fs::write(theatre.home.path("disk.raw"), vec![0; 4096]).unwrap();
    let source = theatre.home.file("disk.raw");
    super::set_instance(
        machine,
        json!({"image_source": source, "image_disk_format": "raw"}),
    )
    .await;
    plays(&theatre, machine, "k25", "active", S::DeployWait).await;
    plays(&theatre, machine, "k26", "deleted", S::Available).await;
    lab.stop().await;
}

#[tokio::test]
async fn attaching_that_fails_is_undone_by_no_more_requests_than_ironic_makes() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = machine(&lab).await;
    for (scene, volume, reason) in [
        ("k10", "11111111-2222-3333-4444-555555555555", "from cinder"),
        (
            "k11",
            "30355e6e-f01c-48a5-a402-512359faac66",
            "Failed to reserve volume",
        ),
        (
            "k12",
            "7a53cb8f-0974-4caf-a76f-69f3322697a4",
            "Failed to reserve volume",
        ),
        (
            "k13",
            "7a53cb8f-0974-4caf-a76f-69f3322697a4",
            "Failed to get volume",
        ),
    ] {
        target(&lab, volume, 0).await;
        theatre.stage.plays(RECORDING, scene);
        machine.asks("active").await;
        let error = fails(machine, S::DeployFailed).await;
        assert!(
            error.contains(reason) && error.contains(volume),
            "{scene}: {error}"
        );
        theatre.stage.is_as_ironic(scene);
        for target in targets(&lab).await {
            let path = format!("/v1/volume/targets/{}", target["uuid"].as_str().unwrap());
            lab.client.delete(&path).await.expect(204);
        }
        machine.asks("deleted").await.reaches(S::Available).await;
    }
    lab.stop().await;
}

#[tokio::test]
async fn detaching_is_tried_again_as_often_as_by_ironic() {
    let theatre = Theatre::open().await;
    let lab = theatre.lab().await;
    let machine = machine(&lab).await;
    let volume = "7a53cb8f-0974-4caf-a76f-69f3322697a4";
    target(&lab, volume, 0).await;
    plays(&theatre, machine, "k14", "active", S::Active).await;
    plays(&theatre, machine, "k15", "deleted", S::Available).await;
    target(&lab, volume, 0).await;
    theatre.stage.plays(RECORDING, "k14");
    machine.asks("active").await.reaches(S::Active).await;
    plays(&theatre, machine, "k17", "deleted", S::Available).await;
    lab.stop().await;
}
