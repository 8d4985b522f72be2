//! Baselines, and machines that deviate from them, on every engine.

use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use serde_json::{Value, json};
use types::{BiosSetting, FirmwareComponent, NodeId};

every_engine!(
    machines_are_compared_with_the_baseline_of_their_class,
    who_writes_a_baseline_at_the_same_time_as_another_does_so_after_it,
);

const PATH: &str = "/corten/v1/baselines/gold";

async fn machine(lab: &Lab, name: &str, version: Option<&str>) -> NodeId {
    let node = json!({"driver": "fake-hardware", "name": name, "resource_class": "gold"});
    let made = lab.client.post("/v1/nodes", node).await.expect(201).json();
    let id: NodeId = made["uuid"].as_str().unwrap().parse().unwrap();
    if let Some(version) = version {
        let parts = vec![FirmwareComponent::new("bmc", Some(version.into()))];
        store::firmware::observe(&lab.db, id, parts).await.unwrap();
        let setting = BiosSetting::new("Virtualization", Some("Enabled".into()));
        let stored = store::bios::replace(&lab.db, id, vec![setting]).await;
        stored.unwrap();
    }
    id
}

async fn machines_are_compared_with_the_baseline_of_their_class(engine: Engine) {
    let lab = Lab::with(engine, Options::default()).await;
    for (name, version) in [("n1", Some("2.0")), ("n2", Some("1.9")), ("n3", None)] {
        machine(&lab, name, version).await;
    }
    let wanted =
        json!({"firmware": {"bmc": "2.0"}, "bios_settings": {"Virtualization": "Enabled"}});
    lab.client.put(PATH, wanted.clone()).await.expect(200);
    let verdicts = async || {
        let report = lab.client.get(&format!("{PATH}/report")).await;
        let report = report.expect(200).json();
        let nodes = report["nodes"].as_array().unwrap().clone();
        let verdict = nodes.iter().map(|node| node["verdict"].clone());
        verdict.collect::<Vec<Value>>()
    };
    assert_eq!(verdicts().await, ["matches", "differs", "unknown"]);

    // It is replaced as a whole, and is there after a restart.
    let other = json!({"description": "after the update", "firmware": {"bmc": "1.9"}});
    lab.client.put(PATH, other).await.expect(200);
    assert_eq!(verdicts().await, ["differs", "matches", "unknown"]);
    let shown = lab.client.get(PATH).await.expect(200).json();
    let database = lab.stop().await;
    let lab = Lab::on(database, Options::default()).await;
    assert_eq!(lab.client.get(PATH).await.expect(200).json(), shown);
    assert_eq!(shown["bios_settings"], json!({}));

    lab.client.delete(PATH).await.expect(204);
    lab.client.get(PATH).await.expect(404);
    lab.client.get(&format!("{PATH}/report")).await.expect(404);
    lab.stop().await;
}

async fn who_writes_a_baseline_at_the_same_time_as_another_does_so_after_it(engine: Engine) {
    let lab = Lab::with(engine, Options::default()).await;
    let body = |version: usize| json!({"firmware": {"bmc": version.to_string()}});
    let all = (0..8).map(|version| lab.client.put(PATH, body(version)));
    for answer in futures_util::future::join_all(all).await {
        answer.expect(200);
    }
    let all = lab.client.get("/corten/v1/baselines").await.expect(200);
    assert_eq!(all.json()["baselines"].as_array().unwrap().len(), 1);
    lab.stop().await;
}
