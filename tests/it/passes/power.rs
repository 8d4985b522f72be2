//! Power sync and recovery.

use super::{enroll, options, rack};
use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use sim::{fault::Faults, machine::power::Action};
use types::ProvisionState as S;

every_engine!(
    a_surprise_is_corrected_or_noted,
    a_machine_that_fails_goes_into_maintenance_and_recovers,
    machines_behind_ipmi_are_kept_in_step,
    a_node_in_somebodys_hands_is_not_synchronised,
);

async fn active(lab: &Lab) -> Machine<'_> {
    let machine = lab.enroll(json!({})).await;
    for (verb, state) in [
        ("manage", S::Manageable),
        ("provide", S::Available),
        ("active", S::Active),
    ] {
        machine.asks(verb).await.reaches(state).await;
    }
    switch(lab, &machine, "power on").await;
    machine
}

async fn switch(lab: &Lab, machine: &Machine<'_>, target: &str) {
    let path = machine.path("/states/power");
    let body = json!({"target": target});
    lab.client.put(&path, body).await.expect(202);
    let node = machine.rests().await;
    assert_eq!(node["power_state"], target, "{node:#}");
}

async fn a_surprise_is_corrected_or_noted(engine: Engine) {
    for forced in [true, false] {
        let mut options = options();
        options.conductor.force_power_state_during_sync = forced;
        let lab = Lab::with(engine, options).await;
        let machine = active(&lab).await;
        let history = machine.history().await;
        let told = lab.told(machine.id).await.len();
        machine.behave("fake_power", Some("power off")).await;
        lab.goes_round("power_sync").await;
        let node = machine.rests().await;
        assert_eq!(
            node["power_state"],
            if forced { "power on" } else { "power off" }
        );
        assert_eq!(node["last_error"], Value::Null);
        assert_eq!(node["target_power_state"], Value::Null);
        assert_eq!(machine.history().await, history);
        let news = lab.told(machine.id).await.split_off(told);
        let expected: &[&str] = if forced {
            &[
                "power power on: the machine was found in 'power off'",
                "power power on: the machine is on",
            ]
        } else {
            &["power found: power off"]
        };
        assert!(news[0].starts_with("updated"), "{news:?}");
        assert_eq!(news[1..], *expected);
        lab.has_round("power_sync", 1, 0).await;
        lab.stop().await;
    }
}

async fn a_machine_that_fails_goes_into_maintenance_and_recovers(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let (machine, healthy) = (active(&lab).await, active(&lab).await);
    machine.behave("fake_fail", Some("power.get")).await;
    let is_out = |node: &Value| Some(node["maintenance"] == true);
    let node = machine.until("maintenance", is_out).await;
    assert_eq!(node["fault"], "power failure");
    assert_eq!(node["power_state"], Value::Null);
    assert_eq!(node["maintenance_reason"], node["last_error"]);
    let text = node["last_error"].as_str().unwrap();
    assert!(
        text.ends_with("Error: fake hardware was told to fail power.get"),
        "{text}"
    );
    let history = machine.history().await;
    let last = history.last().unwrap();
    assert_eq!(
        (&last["event_type"], &last["severity"]),
        (&json!("monitoring"), &json!("ERROR"))
    );
    assert_eq!(last["event"], node["last_error"]);
    lab.has_round("power_recovery", 1, 1).await;

    let change = json!([
        {"op": "remove", "path": "/driver_info/fake_fail"},
        {"op": "add", "path": "/driver_info/fake_power", "value": "power on"},
    ]);
    machine.patch(change).await.expect(200);
    let is_well = |node: &Value| {
        let is_settled = node["last_error"].is_null();
        Some(node["maintenance"] == false && is_settled)
    };
    let node = machine.until("recovery, and then a sync", is_well).await;
    assert_eq!(node["fault"], Value::Null);
    assert_eq!(node["maintenance_reason"], Value::Null);
    assert_eq!(node["power_state"], "power on");
    assert_eq!(machine.history().await, history);
    assert_eq!(healthy.show().await["maintenance"], false);
    lab.stop().await;
}

async fn machines_behind_ipmi_are_kept_in_step(engine: Engine) {
    const COUNT: u32 = 12;
    let rack = rack(COUNT).await;
    let lab = Lab::with(engine, options()).await;
    let nodes = enroll(&lab, &rack).await;
    for node in &nodes {
        switch(&lab, node, "power on").await;
    }
    // Somebody goes along the rack and presses every second button.
    for machine in rack.machines.iter().step_by(2) {
        machine.control(Action::Off).unwrap();
    }
    for (node, machine) in nodes.iter().zip(rack.machines.iter()) {
        let is_on = |node: &Value| Some(machine.power().is_on && node["reservation"].is_null());
        let node = node.until("power", is_on).await;
        assert_eq!(node["power_state"], "power on");
    }
    // A BMC falls silent, and the others do not suffer.
    let silent = Faults {
        silent: true,
        ..Faults::default()
    };
    rack.machines[3].set_faults(Some(silent));
    let is_out = |node: &Value| Some(node["maintenance"] == true);
    let node = nodes[3].until("maintenance", is_out).await;
    assert_eq!(node["fault"], "power failure");
    lab.has_round("power_sync", u64::from(COUNT) - 1, 0).await;
    rack.machines[3].set_faults(None);
    let is_back = |node: &Value| Some(node["maintenance"] == false);
    let node = nodes[3].until("recovery", is_back).await;
    assert_eq!(node["power_state"], "power on");
    lab.stop().await;
}

async fn a_node_in_somebodys_hands_is_not_synchronised(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let machine = active(&lab).await;
    let node = store::node::find(&lab.db, machine.id)
        .await
        .unwrap()
        .unwrap();
    let other = types::lease::Holder {
        host: "somebody".into(),
        epoch: 1,
    };
    let held = store::lease::take(&lab.db, node, &other).await.unwrap();
    machine_is_off_behind_our_back(&lab, &machine);
    let report = lab.goes_round("power_sync").await;
    assert_eq!(report.last_visited, 0);
    assert_eq!(machine.show().await["power_state"], "power on");
    store::lease::release(&lab.db, held.id, held.lease_generation)
        .await
        .unwrap();
    lab.goes_round("power_sync").await;
    let node = machine.rests().await;
    assert_eq!(
        node["driver_internal_info"]["fake_power_overruled"],
        "power off"
    );
    lab.stop().await;
}

/// Without the API, which refuses to change a node that somebody holds.
fn machine_is_off_behind_our_back(lab: &Lab, machine: &Machine<'_>) {
    let info = r#"{"fake_power": "power off"}"#;
    let sql = format!(
        "UPDATE nodes SET driver_info = '{info}' WHERE uuid = '{}'",
        machine.id
    );
    lab.database.execute(&sql);
}
