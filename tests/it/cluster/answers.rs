//! A client cannot tell a cluster from a service in one process: refusals are the same, word by
//! word.

use super::{Cluster, Process, database};
use crate::{
    database::Engine,
    http::{Client, Request},
};
use serde_json::{Value, json};

on_engine!(
    postgres,
    Postgres,
    refusals_are_those_of_a_service_in_one_process
);

const NODE: &str = "11111111-1111-1111-1111-111111111111";
const PORT: &str = "22222222-2222-2222-2222-222222222222";
const NOBODY: &str = "99999999-9999-9999-9999-999999999999";

/// Requests that a conductor refuses, or answers without a change.
fn requests() -> Vec<Request> {
    let node = |rest: &str| format!("/v1/nodes/{NODE}{rest}");
    let put = |path: &str, body: Value| Request::new("PUT", path).json(&body);
    let post = |path: &str, body: Value| Request::new("POST", path).json(&body);
    let patch = |path: &str, field: &str, value: Value| {
        let body = json!([{"op": "add", "path": field, "value": value}]);
        Request::new("PATCH", path).json(&body)
    };
    let get = |path: &str| Request::new("GET", path);
    let delete = |path: &str| Request::new("DELETE", path);
    let provision = |target: &str| put(&node("/states/provision"), json!({"target": target}));
    vec![
        post("/v1/nodes", json!({"driver": "no-such-driver"})),
        post("/v1/nodes", json!({"driver": "agent_ipmitool"})),
        post(
            "/v1/nodes",
            json!({"driver": "fake-hardware", "conductor_group": "Nowhere"}),
        ),
        post(
            "/v1/nodes",
            json!({"driver": "fake-hardware", "uuid": NODE}),
        ),
        post(
            "/v1/nodes",
            json!({"driver": "fake-hardware", "name": "victim"}),
        ),
        post(
            "/v1/nodes",
            json!({"driver": "fake-hardware", "boot_interface": "no-such-boot"}),
        ),
        post(
            "/v1/nodes",
            json!({"driver": "fake-hardware", "uuid": NOBODY, "properties": {"cpus": "many"}}),
        ),
        patch(&node(""), "/driver", json!("no-such-driver")),
        patch(&node(""), "/conductor_group", json!("nowhere")),
        patch(&node(""), "/boot_interface", json!("no-such-boot")),
        patch(&node(""), "/instance_uuid", json!("not-a-uuid")),
        patch(&node(""), "/properties/cpus", json!("many")),
        provision("active"),
        provision("rebuild"),
        provision("abort"),
        provision("rescue"),
        provision("unhold"),
        put(
            &node("/states/provision"),
            json!({"target": "clean", "clean_steps": [{"interface": "raid", "step": "no_such"}]}),
        ),
        put(
            &node("/states/raid"),
            json!({"logical_disks": [{"size_gb": "x"}]}),
        ),
        get(&node("/states/console")),
        get(&node("/management/boot_device")),
        get(&node("/management/boot_device/supported")),
        put(
            &node("/management/boot_device"),
            json!({"boot_device": "moon"}),
        ),
        get(&node("/management/indicators")),
        get(&node("/management/indicators/system/moon")),
        put(&node("/management/inject_nmi"), json!({})),
        get(&node("/validate")),
        get(&format!("/v1/nodes/{NODE}/vifs")),
        delete(&node("/vifs/none")),
        delete(&node("/traits/CUSTOM_NONE")),
        get(&node("/vendor_passthru/methods")),
        post(&node("/vendor_passthru/no_such_method"), json!({})),
        get("/v1/drivers/fake-hardware/properties"),
        get("/v1/drivers/no-such-driver/properties"),
        get("/v1/drivers/fake-hardware/raid/logical_disk_properties"),
        get("/v1/drivers/no-such-driver"),
        post(
            "/v1/ports",
            json!({"node_uuid": NODE, "address": "52:54:00:00:00:01"}),
        ),
        patch(
            &format!("/v1/ports/{PORT}"),
            "/portgroup_uuid",
            json!(NOBODY),
        ),
        delete(&format!("/v1/ports/{NOBODY}")),
        delete(&format!("/v1/portgroups/{NOBODY}")),
        delete(&format!("/v1/volume/targets/{NOBODY}")),
        put(
            &format!("/v1/nodes/{NOBODY}/states/power"),
            json!({"target": "power on"}),
        ),
        post("/v1/allocations", json!({"node": NODE, "uuid": NOBODY})),
        delete(&format!("/v1/allocations/{NOBODY}")),
        post(
            &format!("/v1/heartbeat/{NODE}"),
            json!({"callback_url": "https://10.0.0.1:9999", "agent_token": "wrong"}),
        ),
        get(&format!("/corten/v1/nodes/{NODE}/sensors")),
    ]
}

async fn prepare(client: &Client) {
    let node = json!({"uuid": NODE, "name": "victim", "driver": "fake-hardware"});
    client.post("/v1/nodes", node).await.expect(201);
    let port = json!({"uuid": PORT, "node_uuid": NODE, "address": "52:54:00:00:00:01"});
    client.post("/v1/ports", port).await.expect(201);
}

/// What is different in every service, made the same.
fn alike(text: &str, client: &Client) -> String {
    text.replace(&client.address.to_string(), "ADDRESS")
}

async fn refusals_are_those_of_a_service_in_one_process(engine: Engine) {
    let cluster = Cluster::start(engine, &["c1"], &[]).await;
    let elsewhere = database(engine);
    let alone = Process::start(&elsewhere, "alone", "c1", &[]).await;
    for client in [&alone.client, cluster.client()] {
        prepare(client).await;
    }
    let mut differences = Vec::new();
    for request in requests() {
        let mut answers = Vec::new();
        for client in [&alone.client, cluster.client()] {
            let answer = client.send(request.clone()).await;
            let text = alike(&answer.text(), client);
            assert_ne!(answer.status, 500, "{request:?}: {text}");
            answers.push((answer.status, text));
        }
        if answers[0] != answers[1] {
            differences.push(format!(
                "{request:?}\n  {:?}\n  {:?}",
                answers[0], answers[1]
            ));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    alone.stop().await;
    cluster.stop().await;
}
