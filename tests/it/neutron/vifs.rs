//! Rules of virtual interfaces.

use super::{MAC, add_port, cloud::Cloud, cloud::SWITCH, manageable, options, vifs};
use crate::{
    database::Engine,
    http::Answer,
    lab::{Lab, Machine},
};
use axum::http::Method;
use serde_json::{Value, json};

every_engine!(
    virtual_interfaces_follow_the_rules,
    a_bound_port_is_unbound_before_it_gets_the_address,
    changes_of_a_port_reach_neutron,
);

async fn attach(lab: &Lab, machine: Machine<'_>, body: Value) -> Answer {
    lab.client.post(&machine.path("/vifs"), body).await
}

async fn virtual_interfaces_follow_the_rules(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let machine = manageable(&lab, SWITCH).await;
    let other = "52:54:00:00:00:02";
    let second = add_port(&lab, machine, other, SWITCH).await;
    let (a, b, c) = (cloud.port("red"), cloud.port("blue"), cloud.port("blue"));

    let chosen = json!({"id": a, "port_uuid": second});
    attach(&lab, machine, chosen).await.expect(204);
    assert_eq!(cloud.show(&a)["mac_address"], other);
    let port = lab.client.get(&format!("/v1/ports/{second}")).await.json();
    assert_eq!(port["internal_info"], json!({"tenant_vif_port_id": a}));
    let again = attach(&lab, machine, json!({"id": a})).await.expect(409);
    let text =
        format!("Unable to attach VIF because VIF {a} is already attached to Ironic Port {second}");
    assert_eq!(again.fault(), text);
    attach(&lab, machine, json!({"id": b})).await.expect(204);
    assert_eq!(cloud.show(&b)["mac_address"], MAC);
    let full = attach(&lab, machine, json!({"id": c})).await.expect(400);
    let text = format!("Unable to attach VIF {c}, not enough free physical ports.");
    assert_eq!(full.fault(), text);
    let unknown = "11111111-2222-3333-4444-555555555555";
    let absent = attach(&lab, machine, json!({"id": unknown})).await;
    let text = format!("Neutron port {unknown} was not found");
    assert_eq!(absent.expect(400).fault(), text);
    assert_eq!(vifs(&lab, machine).await, [b.clone(), a.clone()]);

    let path = machine.path(&format!("/vifs/{b}"));
    lab.client.delete(&path).await.expect(204);
    let twice = lab.client.delete(&path).await.expect(400);
    let text = format!(
        "Unable to detach VIF {b} from node {} because it is not attached to it.",
        machine.id
    );
    assert_eq!(twice.fault(), text);
    // What Neutron refuses is not noted.
    cloud.fails(Method::PUT, "ports", 403);
    let refused = attach(&lab, machine, json!({"id": c})).await.expect(500);
    let begins = format!(
        "Unable to attach VIF {c} because Ironic can not update Neutron port {c} MAC address to match physical MAC address {MAC}"
    );
    assert!(refused.fault().starts_with(&begins), "{}", refused.fault());
    cloud.recovers();
    assert_eq!(vifs(&lab, machine).await, [a]);
    attach(&lab, machine, json!({"id": c})).await.expect(204);
    cloud.is_content();
    lab.stop().await;
}

async fn a_bound_port_is_unbound_before_it_gets_the_address(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let first = manageable(&lab, SWITCH).await;
    let vif = cloud.port("red");
    attach(&lab, first, json!({"id": vif})).await.expect(204);
    cloud.writes();
    let second = crate::agent::flows::manageable(&lab).await;
    add_port(&lab, second, "52:54:00:00:00:09", SWITCH).await;
    // It is claimed for the first machine: that is a binding, though nothing is plugged in.
    attach(&lab, second, json!({"id": vif})).await.expect(204);
    assert_eq!(cloud.writes(), ["unbind", "set address", "claim"]);
    let port = cloud.show(&vif);
    assert_eq!(port["mac_address"], "52:54:00:00:00:09");
    assert_eq!(port["binding:host_id"], second.id.to_string());
    lab.stop().await;
}

async fn changes_of_a_port_reach_neutron(engine: Engine) {
    let cloud = Cloud::start().await;
    let lab = Lab::with(engine, options(&cloud, "neutron")).await;
    let machine = manageable(&lab, SWITCH).await;
    let vif = cloud.port("red");
    attach(&lab, machine, json!({"id": vif})).await.expect(204);
    let ports = lab.client.get("/v1/ports").await.json();
    let port = format!("/v1/ports/{}", ports["ports"][0]["uuid"].as_str().unwrap());
    cloud.writes();
    let address = json!([{"op": "replace", "path": "/address", "value": "52:54:00:00:00:0b"}]);
    lab.client.patch(&port, address).await.expect(200);
    // It is only claimed: it takes the address as it is.
    assert_eq!(cloud.writes(), ["set address"]);
    assert_eq!(cloud.show(&vif)["mac_address"], "52:54:00:00:00:0b");
    let client = json!([{"op": "add", "path": "/extra/client-id", "value": "01:02"}]);
    lab.client.patch(&port, client).await.expect(200);
    let options = json!([{"opt_name": "61", "opt_value": "01:02"}]);
    assert_eq!(cloud.show(&vif)["extra_dhcp_opts"], options);
    let gone = json!([{"op": "remove", "path": "/extra/client-id"}]);
    lab.client.patch(&port, gone).await.expect(200);
    let options = json!([{"opt_name": "61", "opt_value": null}]);
    assert_eq!(cloud.show(&vif)["extra_dhcp_opts"], options);
    // Nothing else of a port is Neutron's business.
    cloud.writes();
    let name = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
    lab.client.patch(&port, name).await.expect(200);
    assert_eq!(cloud.writes(), Vec::<String>::new());
    lab.stop().await;
}
