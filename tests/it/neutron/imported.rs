//! Ports that the rows of this service know nothing of: those of nodes that were imported from Ironic
//! in the middle of something, and those of others.

use super::{
    MAC, add_port, attached,
    cloud::{Cloud, SWITCH},
    deployed, manageable, options,
};
use crate::{
    agent,
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use store::node::{Fence, Log};
use types::{ProvisionState as S, internal_info::NetworkNotes};

every_engine!(
    an_imported_instance_is_off_its_networks_before_its_machine_is_serviced,
    a_boot_port_of_ironic_is_gone_before_another_network_is_joined,
    a_port_of_somebody_else_with_the_address_of_a_machine_stays,
);

/// Leaves of a node what Ironic keeps of one.
async fn import(lab: &Lab, machine: Machine<'_>) {
    let node = store::node::find(&lab.db, machine.id).await.unwrap();
    let mut node = node.unwrap();
    let info = &mut node.driver_internal_info;
    assert!(info.networks().is_tenant_bound);
    info.set_networks(&NetworkNotes::default());
    let saved = store::node::save(&lab.db, node, Fence::Free, Log::default());
    saved.await.unwrap();
}

async fn an_imported_instance_is_off_its_networks_before_its_machine_is_serviced(engine: Engine) {
    let cloud = Cloud::start().await;
    let mut options = options(&cloud, "neutron");
    options.conductor.automated_clean = false;
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab, SWITCH).await;
    let agent = agent::puppet().await;
    machine.asks("provide").await.reaches(S::Available).await;
    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    deployed(&lab, machine, &agent).await;
    import(&lab, machine).await;
    cloud.writes();
    let steps = json!([{"interface": "deploy", "step": "erase_devices_metadata"}]);
    let service = json!({"target": "service", "service_steps": steps});
    machine.asks_with(service).await;
    machine.reaches(S::ServiceWait).await;
    assert_eq!(
        cloud.writes(),
        [
            "unbind",
            "reset address",
            "create on servicing",
            "bind boot port"
        ]
    );
    cloud.is_content();
    lab.stop().await;
}

async fn a_boot_port_of_ironic_is_gone_before_another_network_is_joined(engine: Engine) {
    let cloud = Cloud::start().await;
    let mut options = options(&cloud, "neutron");
    options.conductor.automated_clean = false;
    let lab = Lab::with(engine, options).await;
    let machine = agent::flows::manageable(&lab).await;
    let port = add_port(&lab, machine, MAC, SWITCH).await;
    machine.asks("provide").await.reaches(S::Available).await;
    let left = cloud.bound_port("cleaning", MAC, "baremetal:none", &machine.id.to_string());
    let mut row = store::port::find(&lab.db, port.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    let key = "cleaning_vif_port_id".to_owned();
    row.internal_info.insert(key, Value::from(left.clone()));
    store::port::update(&lab.db, row, Log::default())
        .await
        .unwrap();
    attached(&lab, machine, &cloud.port("red")).await;
    agent::has_image(machine).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    assert!(!cloud.ports().contains(&left));
    let row = lab.client.get(&format!("/v1/ports/{port}")).await.json();
    assert_eq!(row["internal_info"].get("cleaning_vif_port_id"), None);
    cloud.is_content();
    lab.stop().await;
}

async fn a_port_of_somebody_else_with_the_address_of_a_machine_stays(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let machine = manageable(&lab, SWITCH).await;
    let foreign = cloud.bound_port("cleaning", MAC, "compute:nova", "a hypervisor");
    machine.asks("provide").await;
    let node = machine.reaches(S::CleanFailed).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("MacAddressInUse"), "{error}");
    assert_eq!(Vec::from_iter(cloud.ports()), [foreign]);
    lab.stop().await;
}
