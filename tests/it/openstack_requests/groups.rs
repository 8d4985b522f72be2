//! Port groups, physical networks and trunks: who gets a virtual interface, and what Neutron is told
//! about a bond.

use super::{
    Theatre,
    neutron::{Scenes, active, has_image, node, options, port, puppet},
};
use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::json;
use types::ProvisionState as S;

const RECORDING: &str = include_str!("../../golden/openstack/neutron-groups.jsonl");

const NODE: &str = "f967357f-5418-43c6-86ef-6fcde8613126";
const GROUP: &str = "50736b22-c74c-4bdd-83a0-7ba80b89baec";

async fn available<'l>(theatre: &Theatre, lab: &'l Lab, machine: Machine<'l>) -> Machine<'l> {
    machine.asks("manage").await.reaches(S::Manageable).await;
    theatre.stage.plays(RECORDING, "g03");
    machine.asks("provide").await.reaches(S::Available).await;
    has_image(theatre, machine).await;
    assert_eq!(lab.client.get("/v1/ports").await.status, 200);
    machine
}

/// The machine with a bond of two ports, and one port beside it. Returns the latter's id too.
async fn bonded<'l>(theatre: &Theatre, lab: &'l Lab) -> (Machine<'l>, String) {
    let machine = lab.enroll(node(NODE, "neutron", "ipxe", "uefi")).await;
    let single = lab.client.post("/v1/ports", port(NODE, 7)).await;
    let single = single.expect(201).json()["uuid"]
        .as_str()
        .unwrap()
        .to_owned();
    let group = json!({
        "uuid": GROUP, "node_uuid": NODE, "name": "bond0", "address": "52:54:00:00:10:05",
        "mode": "802.3ad",
        "properties": {"miimon": "100", "xmit_hash_policy": "layer3+4"},
    });
    lab.client.post("/v1/portgroups", group).await.expect(201);
    for number in [5, 6] {
        let mut member = port(NODE, number);
        member["portgroup_uuid"] = json!(GROUP);
        lab.client.post("/v1/ports", member).await.expect(201);
    }
    (available(theatre, lab, machine).await, single)
}

#[tokio::test]
async fn a_bond_is_attached_deployed_and_deleted_as_with_ironic() {
    let theatre = Theatre::open().await;
    let lab = Lab::with(Engine::Sqlite, options(&theatre)).await;
    let (machine, single) = bonded(&theatre, &lab).await;
    let scenes = Scenes {
        recording: RECORDING,
        machine,
        agent: puppet().await,
        theatre: &theatre,
        lab: &lab,
    };
    scenes
        .attaches("g01", "7a3cd79d-f93e-4150-a25e-14ed67bc46a6")
        .await;
    let chosen = json!({"id": "bb68b86f-c701-4542-9aed-80975e004842", "port_uuid": single});
    scenes.attaches_with("g02", chosen).await.expect(204);
    let step = Some("write_image");
    scenes
        .works("g03", active(), S::DeployWait, step, S::Active)
        .await;
    scenes.ends("g04", "deleted", S::Available).await;
    drop(scenes);
    lab.stop().await;
}

#[tokio::test]
async fn a_virtual_interface_of_another_physical_network_is_refused_as_by_ironic() {
    let theatre = Theatre::open().await;
    let lab = Lab::with(Engine::Sqlite, options(&theatre)).await;
    let machine = lab.enroll(node(NODE, "neutron", "ipxe", "uefi")).await;
    let mut elsewhere = port(NODE, 7);
    elsewhere["physical_network"] = json!("physnet2");
    lab.client.post("/v1/ports", elsewhere).await.expect(201);
    let scenes = Scenes {
        recording: RECORDING,
        machine: available(&theatre, &lab, machine).await,
        agent: puppet().await,
        theatre: &theatre,
        lab: &lab,
    };
    let vif = json!({"id": "ed5ae562-c642-41fb-87e9-273750560367"});
    let refused = scenes.attaches_with("g05", vif).await.expect(400);
    assert!(
        refused.fault().contains("not enough free physical ports"),
        "{}",
        refused.fault()
    );
    drop(scenes);
    lab.stop().await;
}

#[tokio::test]
async fn the_parent_of_a_trunk_is_a_port_like_any_other_as_with_ironic() {
    let theatre = Theatre::open().await;
    let lab = Lab::with(Engine::Sqlite, options(&theatre)).await;
    let id = "d8ef2302-513b-42aa-982c-b1e27e7d305b";
    let machine = lab.enroll(node(id, "neutron", "ipxe", "uefi")).await;
    lab.client.post("/v1/ports", port(id, 8)).await.expect(201);
    let scenes = Scenes {
        recording: RECORDING,
        machine: available(&theatre, &lab, machine).await,
        agent: puppet().await,
        theatre: &theatre,
        lab: &lab,
    };
    scenes
        .attaches("t01", "50d2c003-d188-4d94-8c9c-5b465adc3d2b")
        .await;
    let step = Some("write_image");
    scenes
        .works("t02", active(), S::DeployWait, step, S::Active)
        .await;
    scenes.ends("t03", "deleted", S::Available).await;
    drop(scenes);
    lab.stop().await;
}
