//! Vendor methods: subscriptions and virtual drives.

use super::machine::{Sim, enroll, lab};
use crate::{database::Engine, http::Request};
use serde_json::{Value, json};

every_engine!(subscriptions_come_and_go, drives_are_emptied);

async fn subscriptions_come_and_go(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "redfish").await;
    let method = |name: &str| machine.path(&format!("/vendor_passthru?method={name}"));
    let methods = machine.path("/vendor_passthru/methods");
    let methods = lab.client.get(&methods).await.expect(200).json();
    assert_eq!(methods.as_object().unwrap().len(), 5, "{methods:#}");
    assert_eq!(methods["eject_vmedia"]["async"], true);

    let create = method("create_subscription");
    let refusal = async |body: Value| {
        let answer = lab.client.post(&create, body).await.expect(400).json();
        answer["error_message"].as_str().unwrap().to_owned()
    };
    let text = refusal(json!({"Destination": "nowhere"})).await;
    assert!(
        text.contains("Destination nowhere is not a valid URI"),
        "{text}"
    );
    let text = refusal(json!({"Destination": "https://h/e", "EventTypes": ["Odd"]})).await;
    assert!(
        text.contains("EventTypes ['Odd'] is not a valid value, allowed values {"),
        "{text}"
    );

    let body = json!({"Destination": "https://127.0.0.1:1/events", "Context": "ours"});
    let made = lab.client.post(&create, body).await.expect(200).json();
    assert_eq!(made["Context"], "ours");
    assert_eq!(made["EventTypes"], json!(["Alert"]));
    let id = made["Id"].as_str().unwrap();
    let all = lab.client.get(&method("get_all_subscriptions")).await;
    let all = all.expect(200).json();
    assert_eq!(all["Members"].as_array().unwrap().len(), 1, "{all:#}");
    // Arguments are in the body, whatever the method.
    let with_id =
        |http: &str, name: &str| Request::new(http, &method(name)).json(&json!({"id": id}));
    let answer = lab.client.send(with_id("GET", "get_subscription")).await;
    assert_eq!(answer.expect(200).json(), made);
    let answer = lab
        .client
        .send(with_id("DELETE", "delete_subscription"))
        .await;
    answer.expect(200);
    let all = lab.client.get(&method("get_all_subscriptions")).await;
    assert_eq!(all.expect(200).json()["Members"], json!([]));
    lab.stop().await;
}

async fn drives_are_emptied(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "redfish").await;
    let path = machine.path("/vmedia");
    let body = json!({"device_type": "cdrom", "image_url": "http://h/boot.iso"});
    lab.client.post(&path, body).await.expect(204);
    machine.rests().await;
    let drive = "/redfish/v1/Managers/BMC/VirtualMedia/Cd";
    assert_eq!(sim.show(drive).await["Inserted"], true);
    let eject = machine.path("/vendor_passthru?method=eject_vmedia");
    let answer = lab
        .client
        .post(&eject, json!({"boot_device": "tape"}))
        .await;
    answer.expect(400);
    let answer = lab.client.post(&eject, json!({"boot_device": "cd"})).await;
    answer.expect(202);
    machine.rests().await;
    assert_eq!(sim.show(drive).await["Inserted"], false);
    lab.stop().await;
}
