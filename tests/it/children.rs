//! Parents and children: power that depends on another machine's, and steps for all children.

use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(
    a_child_has_power_only_with_its_parent,
    relatives_that_cannot_be_switched_stop_the_change,
    steps_for_children_run_in_their_place,
    an_instance_overrides_interfaces_while_it_lasts,
    an_automatic_lessee_comes_from_where_it_is_wanted,
);

async fn child<'a>(lab: &'a Lab, parent: Machine<'_>, driver_info: Value) -> Machine<'a> {
    let body = json!({"parent_node": parent.id.to_string(), "driver_info": driver_info});
    let child = lab.enroll(body).await;
    child.asks("manage").await.reaches(S::Manageable).await;
    child
}

async fn parent(lab: &Lab) -> Machine<'_> {
    let machine = lab.enroll(json!({})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

/// Asks for a power change; returns the state it ended in and the error.
async fn power(lab: &Lab, machine: Machine<'_>, target: &str) -> (Value, Value) {
    let path = machine.path("/states/power");
    let body = json!({"target": target});
    lab.client.put(&path, body).await.expect(202);
    let node = machine.rests().await;
    (node["power_state"].clone(), node["last_error"].clone())
}

async fn states(machines: &[Machine<'_>]) -> Vec<String> {
    let mut states = Vec::new();
    for machine in machines {
        let state = machine.rests().await["power_state"].clone();
        states.push(state.as_str().unwrap_or("-").to_owned());
    }
    states
}

async fn a_child_has_power_only_with_its_parent(engine: Engine) {
    let lab = Lab::start(engine).await;
    let top = parent(&lab).await;
    let plain = child(&lab, top, json!({})).await;
    let own = child(&lab, top, json!({"has_dedicated_power_supply": true})).await;
    let grandchild = child(&lab, plain, json!({})).await;
    let all = [top, plain, own, grandchild];
    power(&lab, own, "power on").await;
    assert_eq!(states(&all).await, ["-", "-", "power on", "-"]);
    power(&lab, grandchild, "power on").await;
    assert_eq!(states(&all).await, ["power on"; 4]);
    let told = lab.told(top.id).await;
    assert!(
        told.iter()
            .any(|l| l == "power power on because of a relative"),
        "{told:#?}"
    );
    // Soft changes and reboots concern one machine only.
    power(&lab, top, "soft power off").await;
    assert_eq!(
        states(&all).await,
        ["power off", "power on", "power on", "power on"]
    );
    power(&lab, plain, "rebooting").await;
    assert_eq!(states(&all).await[0], "power off");
    power(&lab, top, "power on").await;
    power(&lab, top, "power off").await;
    assert_eq!(
        states(&all).await,
        ["power off", "power off", "power on", "power off"]
    );
    assert!(top.history().await.is_empty());
    lab.stop().await;
}

async fn relatives_that_cannot_be_switched_stop_the_change(engine: Engine) {
    let lab = Lab::start(engine).await;
    let top = parent(&lab).await;
    let low = child(&lab, top, json!({})).await;
    power(&lab, low, "power on").await;
    let flag = |on: bool| json!([{"op": "add", "path": "/disable_power_off", "value": on}]);
    low.patch(flag(true)).await.expect(200);
    let text = |why: &str| {
        json!(format!(
            "Failed to change power state to 'power off' by 'power off': {why}"
        ))
    };
    let (state, error) = power(&lab, top, "power off").await;
    assert_eq!(state, "power on");
    assert_eq!(error, text("Failed to set node power state to power off."));
    low.patch(flag(false)).await.expect(200);
    low.behave("fake_fail", Some("power.set")).await;
    let (state, error) = power(&lab, top, "power off").await;
    assert_eq!(state, "power on");
    assert_eq!(
        error,
        low.rests().await["last_error"]
            .clone()
            .as_str()
            .map(|own| text(own.rsplit_once("': ").unwrap().1))
            .unwrap()
    );
    low.behave("fake_fail", None).await;
    let (state, _) = power(&lab, top, "power off").await;
    assert_eq!(state, "power off");
    // A parent that is no more cannot give power; nor can a node be its own parent.
    lab.client.delete(&top.path("")).await.expect(204);
    assert_eq!(low.show().await["parent_node"], top.id.to_string());
    let failed = |why: String| {
        json!(format!(
            "Failed to change power state to 'power on' by 'power on': {why}"
        ))
    };
    let (state, error) = power(&lab, low, "power on").await;
    assert_eq!(state, "power off");
    assert_eq!(
        error,
        failed(format!("Node {} could not be found.", top.id))
    );
    let itself = json!([{"op": "add", "path": "/parent_node", "value": low.id.to_string()}]);
    low.patch(itself).await.expect(200);
    let (_, error) = power(&lab, low, "power on").await;
    assert_eq!(
        error,
        failed(format!(
            "Node {0} parent_node {0} is presently locked and we are unable to perform any action on it at this time. Please retry after the current operation is completed.",
            low.id
        ))
    );
    lab.stop().await;
}

async fn steps_for_children_run_in_their_place(engine: Engine) {
    let lab = Lab::start(engine).await;
    let top = parent(&lab).await;
    let one = child(&lab, top, json!({})).await;
    let two = child(&lab, top, json!({"has_dedicated_power_supply": "yes"})).await;
    let stranger = parent(&lab).await;
    let on = |limit: Value| json!({"interface": "power", "step": "power_on", "execute_on_child_nodes": true, "limit_child_node_execution": limit});
    let clean = async |steps: Value| {
        top.asks_with(json!({"target": "clean", "clean_steps": steps}))
            .await
    };
    clean(json!([on(json!([two.id, stranger.id]))]))
        .await
        .reaches(S::Manageable)
        .await;
    assert_eq!(
        states(&[top, one, two, stranger]).await,
        ["-", "-", "power on", "-"]
    );
    // The parent is switched on first, for the child that has no power of its own.
    clean(json!([on(json!([]))]))
        .await
        .reaches(S::Manageable)
        .await;
    assert_eq!(
        states(&[top, one, two, stranger]).await,
        ["power on", "power on", "power on", "-"]
    );
    let settings = json!({"settings": [{"name": "a", "value": "b"}]});
    clean(json!([
        {"interface": "vendor", "step": "log_passthrough"},
        {"interface": "bios", "step": "apply_configuration", "args": settings, "execute_on_child_nodes": true},
    ]))
    .await
    .reaches(S::Manageable)
    .await;
    for (machine, settings) in [(top, 0), (one, 1), (two, 1)] {
        let shown = lab
            .client
            .get(&machine.path("/bios"))
            .await
            .expect(200)
            .json();
        assert_eq!(shown["bios"].as_array().unwrap().len(), settings);
    }
    one.behave("fake_fail", Some("bios.factory_reset")).await;
    clean(json!([{"interface": "bios", "step": "factory_reset", "execute_on_child_nodes": true}]))
        .await;
    let node = top
        .until("clean failed", |node| {
            Some(node["provision_state"] == "clean failed")
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains(&format!("on child node {}", one.id)),
        "{error}"
    );
    assert_eq!(one.rests().await["provision_state"], "manageable");
    lab.stop().await;
}

async fn an_instance_overrides_interfaces_while_it_lasts(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = parent(&lab).await;
    machine.asks("provide").await.reaches(S::Available).await;
    let override_by = |name: Value| json!([{"op": "add", "path": "/instance_info/management_interface", "value": name}]);
    let supported = machine.path("/management/boot_device/supported");
    for (name, devices) in [
        (json!("noop"), json!(["pxe", "disk"])),
        (json!("fake"), json!(["pxe"])),
    ] {
        machine.patch(override_by(name)).await.expect(200);
        let shown = lab.client.get(&supported).await.expect(200).json();
        assert_eq!(shown["supported_boot_devices"], devices);
    }
    machine.patch(override_by(json!("noop"))).await.expect(200);
    machine.asks("active").await.reaches(S::Active).await;
    let node = machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(node["management_interface"], "fake");
    let shown = lab.client.get(&supported).await.expect(200).json();
    assert_eq!(shown["supported_boot_devices"], json!(["pxe"]));
    for (name, shown) in [(json!("nope"), "nope"), (Value::Null, "None")] {
        machine.patch(override_by(name)).await.expect(200);
        let text = format!(
            "Could not find the following interface in the 'ironic.hardware.interfaces.management' entrypoint: {shown}. Valid interfaces are ['fake', 'noop']."
        );
        let refused = machine
            .provision(json!({"target": "active"}))
            .await
            .expect(400);
        assert_eq!(refused.fault(), text);
        let refused = lab.client.get(&machine.path("/validate")).await.expect(400);
        assert_eq!(refused.fault(), text);
    }
    lab.stop().await;
}

async fn an_automatic_lessee_comes_from_where_it_is_wanted(engine: Engine) {
    use conductor::LesseeSource;
    for (source, lessee) in [
        (LesseeSource::Instance, json!("p-instance")),
        (LesseeSource::Request, Value::Null),
        (LesseeSource::None, Value::Null),
    ] {
        let mut options = Options::default();
        options.conductor.automatic_lessee_source = source;
        let lab = Lab::with(engine, options).await;
        let machine = parent(&lab).await;
        machine.asks("provide").await.reaches(S::Available).await;
        let change =
            json!([{"op": "add", "path": "/instance_info/project_id", "value": "p-instance"}]);
        machine.patch(change).await.expect(200);
        let node = machine.asks("active").await.reaches(S::Active).await;
        assert_eq!(node["lessee"], lessee, "{source:?}");
        let node = machine.asks("deleted").await.reaches(S::Available).await;
        assert_eq!(node["lessee"], Value::Null);
        lab.stop().await;
    }
}
