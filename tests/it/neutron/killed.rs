//! `kill -9` of the real program while Neutron carries out what it asked for: whoever goes on finds
//! what was made.

use super::{
    MAC,
    cloud::{Cloud, SWITCH},
    options, port_body,
};
use crate::{
    agent::{self, flows},
    database::{Database, Engine},
    http::Client,
    lab::{HOST, Lab},
    program::Program,
};
use serde_json::{Value, json};
use std::time::Duration;
use types::{NodeId, ProvisionState as S};

every_engine!(
    a_port_that_was_made_before_a_kill_is_found,
    a_port_that_was_bound_before_a_kill_is_found,
    a_port_that_was_deleted_before_a_kill_is_not_missed,
);

async fn a_port_that_was_made_before_a_kill_is_found(engine: Engine) {
    killed_at(engine, "create on cleaning").await;
}

async fn a_port_that_was_bound_before_a_kill_is_found(engine: Engine) {
    killed_at(engine, "bind boot port").await;
}

async fn a_port_that_was_deleted_before_a_kill_is_not_missed(engine: Engine) {
    killed_at(engine, "delete on cleaning").await;
}

fn arguments(database: &Database, cloud: &Cloud) -> Vec<String> {
    let data_dir = database.directory().display().to_string();
    let mut arguments = vec!["serve".to_owned(), "--data-dir".to_owned(), data_dir];
    let settings = [
        "api.port=0".to_owned(),
        format!("DEFAULT.host={HOST}"),
        format!("database.connection={}", database.url()),
        "conductor.automated_clean=true".to_owned(),
        "agent.require_tls=false".to_owned(),
        "service_catalog.endpoint_override=http://127.0.0.1:1".to_owned(),
        "DEFAULT.default_network_interface=neutron".to_owned(),
        "neutron.auth_type=password".to_owned(),
        format!("neutron.auth_url={}", cloud.url()),
        "neutron.username=ironic".to_owned(),
        "neutron.password=p".to_owned(),
        "neutron.project_name=service".to_owned(),
        "neutron.default_domain_id=default".to_owned(),
        "neutron.cleaning_network=cleaning".to_owned(),
        "neutron.provisioning_network=provisioning".to_owned(),
    ];
    for setting in settings {
        arguments.extend(["--set".to_owned(), setting]);
    }
    arguments
}

/// Waits until the node fits, from event to event.
async fn until(client: &Client, id: NodeId, fits: impl Fn(&Value) -> bool) {
    let seen = async {
        loop {
            let node = client.get(&format!("/v1/nodes/{id}")).await.json();
            if fits(&node) && node["reservation"].is_null() {
                return;
            }
            client.get("/corten/v1/events?wait=1&limit=1").await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(90), seen).await;
    waited.expect("the node never fits");
}

async fn killed_at(engine: Engine, write: &'static str) {
    let cloud = Cloud::start().await;
    let database = Database::create(engine);
    store::KeyRing::load_or_create(&database.key_file()).unwrap();
    let log = database.directory().join("service.log");
    let program = Program::start(arguments(&database, &cloud), &log).await;
    let client = program.client.clone();
    let body = flows::node_body();
    let node = client.post("/v1/nodes", body).await.expect(201).json();
    let id: NodeId = node["uuid"].as_str().unwrap().parse().unwrap();
    let port = port_body(id, MAC, SWITCH);
    client.post("/v1/ports", port).await.expect(201);
    let provision = format!("/v1/nodes/{id}/states/provision");
    let in_state = |state: S| move |node: &Value| node["provision_state"] == state.as_str();
    client
        .put(&provision, json!({"target": "manage"}))
        .await
        .expect(202);
    until(&client, id, in_state(S::Manageable)).await;

    cloud.falls_silent_at(write);
    client
        .put(&provision, json!({"target": "provide"}))
        .await
        .expect(202);
    let puppet = agent::puppet().await;
    if write.starts_with("delete") {
        until(&client, id, in_state(S::CleanWait)).await;
        puppet.boots_at(&client, id).await;
        for step in ["erase_devices_metadata", "erase_devices"] {
            until(&client, id, |node| node["clean_step"]["step"] == step).await;
            puppet.ends(Ok(json!({})));
            puppet.reports_to(&client, id).await;
        }
    }
    cloud.is_silent().await;
    program.kill().await;

    let lab = Lab::on(database, options(&cloud, "neutron")).await;
    let machine = lab.machine(&id.to_string());
    if write.starts_with("delete") {
        machine.reaches(S::Available).await;
    } else {
        machine.reaches(S::CleanWait).await;
        assert_eq!(
            cloud.ports().len(),
            1,
            "what was made before is not there twice"
        );
        super::cleaned(&lab, machine, &puppet).await;
    }
    assert_eq!(cloud.ports().len(), 0);
    let node = machine.show().await;
    assert_eq!(node["driver_internal_info"].get("corten_networks"), None);
    let ports = lab
        .client
        .get("/v1/ports?fields=internal_info")
        .await
        .json();
    assert_eq!(ports["ports"][0]["internal_info"], json!({}));
    cloud.is_content();
    lab.stop().await;
}
