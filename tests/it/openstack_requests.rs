//! What we ask of Glance, Swift, Cinder, Neutron and Nova beside what Ironic asks of them.
//!
//! The recordings are in `tests/golden/openstack`. A stage plays them: it answers as the real services
//! answered Ironic. Our service does what Ironic did then, and what it asked is compared; where a
//! recording says so (`users`), also whose token a request carries.

mod boot_ports;
mod cinder;
mod discs;
mod external;
mod glance;
mod groups;
mod neutron;
mod nova;
mod recording;
mod stage;
mod swift;
mod users;

use crate::{
    agent::place::AgentHome,
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use stage::Stage;
use types::{InterfaceKind as K, ProvisionState as S};

/// A cloud, a service in it, and the folders that machines boot from.
struct Theatre {
    stage: Stage,
    /// Last, as the service uses it.
    home: AgentHome,
}

impl Theatre {
    async fn open() -> Self {
        Self {
            stage: Stage::start().await,
            home: AgentHome::make().await,
        }
    }

    fn options(&self) -> Options {
        let mut options = self.home.options();
        options.conductor.automated_clean = false;
        let hardware = &mut options.hardware;
        hardware.openstack = Some(self.stage.services());
        hardware.enable_interfaces(K::Storage, vec!["noop".into(), "cinder".into()]);
        hardware.cinder.action_retry_interval = std::time::Duration::from_millis(1);
        options
    }

    async fn lab(&self) -> Lab {
        Lab::with(Engine::Sqlite, self.options()).await
    }
}

/// A machine that can be deployed by an agent.
async fn available(lab: &Lab, mut body: Value) -> Machine<'_> {
    for (key, value) in [
        ("deploy_interface", "direct"),
        ("management_interface", "noop"),
    ] {
        if body.get(key).is_none() {
            body[key] = value.into();
        }
    }
    let machine = lab.enroll(body).await;
    let port = json!({"address": "52:54:00:00:10:01", "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    machine
}

/// Waits for a failure; returns the reason.
async fn fails(machine: Machine<'_>, state: S) -> String {
    let name = state.to_string();
    let node = machine
        .until(&name, |node| {
            Some(node["provision_state"] == name.as_str() && node["reservation"].is_null())
        })
        .await;
    node["last_error"].as_str().unwrap().to_owned()
}

async fn set_instance(machine: Machine<'_>, info: Value) {
    let change = json!([{"op": "add", "path": "/instance_info", "value": info}]);
    machine.patch(change).await.expect(200);
}
