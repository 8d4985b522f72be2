//! What must not happen to machines that are in use: they keep their ports when they cannot be switched
//! off.

use super::{
    attached, cleaned,
    cloud::{Cloud, SWITCH},
    deployed, manageable, options, vifs,
};
use crate::{agent, database::Engine, lab::Lab};
use types::ProvisionState as S;

every_engine!(a_machine_that_cannot_be_switched_off_keeps_its_ports,);

async fn a_machine_that_cannot_be_switched_off_keeps_its_ports(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let machine = manageable(&lab, SWITCH).await;
    let agent = agent::puppet().await;
    machine.asks("provide").await;
    cleaned(&lab, machine, &agent).await;
    let vif = cloud.port("red");
    attached(&lab, machine, &vif).await;
    deployed(&lab, machine, &agent).await;
    cloud.writes();

    machine.behave("fake_fail", Some("power.set")).await;
    machine.asks("deleted").await;
    let node = machine.reaches(S::Error).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.starts_with("Failed to tear down: "), "{error}");
    assert_eq!(cloud.writes(), Vec::<String>::new(), "it still runs");
    assert_eq!(cloud.show(&vif)["status"], "ACTIVE");
    assert_eq!(vifs(&lab, machine).await, [vif.clone()]);

    machine.behave("fake_fail", None).await;
    machine.asks("deleted").await;
    cleaned(&lab, machine, &agent).await;
    assert_eq!(cloud.show(&vif)["binding:host_id"], "");
    assert_eq!(vifs(&lab, machine).await, Vec::<String>::new());
    cloud.is_content();
    lab.stop().await;
}
