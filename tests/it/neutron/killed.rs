//! `kill -9` of the real program while Neutron carries out what it asked for: whoever goes on finds
//! what was made.

use super::{
    MAC, add_port, attached,
    cloud::{Cloud, SWITCH},
    deployed, options, port_body, vifs,
};
use crate::{
    agent::{self, flows},
    database::{Database, Engine},
    http::{Answer, Client},
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
    a_virtual_interface_is_attached_though_the_service_is_killed,
    a_virtual_interface_is_detached_though_the_service_is_killed,
    a_machine_in_use_is_on_its_network_though_a_change_of_its_address_is_killed,
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

async fn a_virtual_interface_is_attached_though_the_service_is_killed(engine: Engine) {
    for write in ["set address", "claim"] {
        let life = Life::begin(engine, false).await;
        let (path, body) = (life.path("/vifs"), json!({"id": life.vif}));
        let ask = move |client: Client| async move { client.post(&path, body).await };
        let (lab, cloud, id, vif) = life.killed_at(write, ask).await;
        let machine = lab.machine(&id);
        machine.rests().await;
        assert_eq!(vifs(&lab, machine).await, std::slice::from_ref(&vif));
        let port = cloud.show(&vif);
        assert_eq!(port["binding:host_id"], id);
        assert_eq!(port["mac_address"], MAC);
        lab.stop().await;
    }
}

async fn a_virtual_interface_is_detached_though_the_service_is_killed(engine: Engine) {
    let life = Life::begin(engine, true).await;
    let path = life.path(&format!("/vifs/{}", life.vif));
    let ask = move |client: Client| async move { client.delete(&path).await };
    let (lab, cloud, id, vif) = life.killed_at("unbind", ask).await;
    let machine = lab.machine(&id);
    machine.rests().await;
    assert_eq!(vifs(&lab, machine).await, Vec::<String>::new());
    let port = cloud.show(&vif);
    assert_eq!(port["binding:host_id"], "");
    assert_ne!(port["mac_address"], MAC);
    lab.stop().await;
}

async fn a_machine_in_use_is_on_its_network_though_a_change_of_its_address_is_killed(
    engine: Engine,
) {
    let life = Life::begin(engine, true).await;
    let path = format!("/v1/ports/{}", life.port);
    let change = json!([{"op": "replace", "path": "/address", "value": "52:54:00:00:00:0c"}]);
    let ask = move |client: Client| async move { client.patch(&path, change).await };
    let (lab, cloud, id, vif) = life.killed_at("unbind", ask).await;
    let node = lab.machine(&id).rests().await;
    assert_eq!(node["last_error"], Value::Null);
    let port = cloud.show(&vif);
    assert_eq!(port["status"], "ACTIVE");
    // The change was never stored.
    assert_eq!(port["mac_address"], MAC);
    cloud.is_content();
    lab.stop().await;
}

/// A machine whose service is going to be killed.
struct Life {
    cloud: Cloud,
    database: Database,
    node: String,
    /// Ours, and the one of Neutron for it.
    port: String,
    vif: String,
}

impl Life {
    /// With an instance, or with nothing but a port.
    async fn begin(engine: Engine, is_active: bool) -> Self {
        let cloud = Cloud::start().await;
        let mut options = options(&cloud, "neutron");
        options.conductor.automated_clean = false;
        let lab = Lab::with(engine, options).await;
        let machine = flows::manageable(&lab).await;
        let port = add_port(&lab, machine, MAC, SWITCH).await;
        let vif = cloud.port("red");
        if is_active {
            machine.asks("provide").await.reaches(S::Available).await;
            attached(&lab, machine, &vif).await;
            deployed(&lab, machine, &agent::puppet().await).await;
            let path = machine.path("/maintenance");
            lab.client.put(&path, json!({})).await.expect(202);
        }
        let node = machine.id.to_string();
        let database = lab.stop().await;
        Self {
            cloud,
            database,
            node,
            port,
            vif,
        }
    }

    fn path(&self, rest: &str) -> String {
        format!("/v1/nodes/{}{rest}", self.node)
    }

    /// Asks the program for something, kills it at this write, and starts a service in its place.
    async fn killed_at<F>(
        self,
        write: &'static str,
        ask: impl FnOnce(Client) -> F,
    ) -> (Lab, Cloud, String, String)
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let Self {
            cloud,
            database,
            node,
            vif,
            ..
        } = self;
        let log = database.directory().join("service.log");
        let program = Program::start(arguments(&database, &cloud), &log).await;
        cloud.falls_silent_at(write);
        let asked = tokio::spawn(ask(program.client.clone()));
        cloud.is_silent().await;
        program.kill().await;
        // Nobody answers any more.
        asked.abort();
        let lab = Lab::on(database, options(&cloud, "neutron")).await;
        (lab, cloud, node, vif)
    }
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
