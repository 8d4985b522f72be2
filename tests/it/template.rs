//! Deploy templates: steps that the traits of an instance bring along.

use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(
    templates_take_the_place_of_the_drivers_steps,
    what_cannot_run_is_refused_and_validation_tells_it,
    secrets_of_a_template_are_told_to_nobody,
);

fn step(interface: &str, step: &str, priority: Value) -> Value {
    json!({"interface": interface, "step": step, "args": {}, "priority": priority})
}

async fn template(lab: &Lab, name: &str, steps: Value) {
    let body = json!({"name": name, "steps": steps});
    lab.client
        .post("/v1/deploy_templates", body)
        .await
        .expect(201);
}

async fn available<'a>(lab: &'a Lab, traits: Value) -> Machine<'a> {
    let machine = lab.enroll(json!({})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    lab.client
        .put(&machine.path("/traits"), json!({"traits": traits}))
        .await
        .expect(204);
    machine
}

async fn wants(machine: Machine<'_>, traits: Value) {
    let change = json!([{"op": "add", "path": "/instance_info/traits", "value": traits}]);
    machine.patch(change).await.expect(200);
}

/// Steps of the last deployment, in order.
async fn ran(lab: &Lab, machine: Machine<'_>) -> Vec<String> {
    let told = lab.told(machine.id).await;
    let from = told.iter().rposition(|line| line.ends_with("-> deploying"));
    told[from.unwrap()..]
        .iter()
        .filter_map(|line| line.strip_prefix("step deploy step "))
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect()
}

async fn templates_take_the_place_of_the_drivers_steps(engine: Engine) {
    let lab = Lab::start(engine).await;
    // `reboot` is the conductor's own, so that something is left to run.
    template(
        &lab,
        "CUSTOM_OFF",
        json!([
            step("deploy", "deploy", json!("0")),
            step("power", "reboot", json!(50))
        ]),
    )
    .await;
    template(
        &lab,
        "CUSTOM_MORE",
        json!([step("power", "power_off", json!(150))]),
    )
    .await;
    let machine = available(&lab, json!(["CUSTOM_OFF", "CUSTOM_MORE", "CUSTOM_PLAIN"])).await;

    wants(machine, json!(["CUSTOM_MORE", "CUSTOM_PLAIN"])).await;
    machine.asks("active").await.reaches(S::Active).await;
    assert_eq!(
        ran(&lab, machine).await,
        ["power.power_off", "deploy.deploy"]
    );
    machine.asks("rebuild").await.reaches(S::Active).await;
    assert_eq!(
        ran(&lab, machine).await,
        ["power.power_off", "deploy.deploy"]
    );
    machine.asks("deleted").await.reaches(S::Available).await;

    wants(machine, json!(["CUSTOM_OFF"])).await;
    machine.asks("active").await.reaches(S::Active).await;
    assert_eq!(ran(&lab, machine).await, ["power.reboot"]);
    machine.asks("deleted").await.reaches(S::Available).await;

    // Nothing at all left is a failure, as it is without a driver that deploys.
    let none = json!([step("deploy", "deploy", json!(0))]);
    machine
        .asks_with(json!({"target": "active", "deploy_steps": none}))
        .await;
    let node = machine
        .until("failed", |node| {
            Some(node["provision_state"] == "deploy failed" && node["reservation"].is_null())
        })
        .await;
    assert_eq!(node["last_error"], "No deploy steps returned by the driver");
    lab.stop().await;
}

async fn what_cannot_run_is_refused_and_validation_tells_it(engine: Engine) {
    let lab = Lab::start(engine).await;
    template(
        &lab,
        "CUSTOM_A",
        json!([step("deploy", "deploy", json!(0))]),
    )
    .await;
    template(
        &lab,
        "CUSTOM_B",
        json!([step("deploy", "deploy", json!(50))]),
    )
    .await;
    let mut odd = step("deploy", "deploy", json!(0));
    odd["args"] = json!({"x": 1});
    template(&lab, "CUSTOM_C", json!([odd])).await;
    let machine = available(&lab, json!(["CUSTOM_A", "CUSTOM_B", "CUSTOM_C"])).await;
    let core = "deploy step deploy on interface deploy is a core step and cannot be overridden by user steps. It may be disabled by setting the priority to 0";
    let twice = "deploy steps from all deploy templates matching this node's instance traits cannot have the same interface and step. Duplicate deploy steps for deploy.deploy";
    let of = |names: &str, errors: &str| {
        format!(
            "Validation of deploy steps from deploy templates matching this node's instance traits failed. Matching deploy templates: {names}. Errors: {errors}"
        )
    };
    for (traits, why) in [
        (
            json!(["CUSTOM_Z"]),
            format!(
                "Cannot specify instance traits that are not also set on the node. Node {} is missing traits CUSTOM_Z",
                machine.id
            ),
        ),
        (
            json!("CUSTOM_A"),
            format!(
                "Error parsing traits from Node {} instance_info field. A list of strings is expected.",
                machine.id
            ),
        ),
        (json!(["CUSTOM_B"]), of("CUSTOM_B", core)),
        (
            json!(["CUSTOM_B", "CUSTOM_A"]),
            of("CUSTOM_A,CUSTOM_B", &format!("{core}; {twice}")),
        ),
        (
            json!(["CUSTOM_C"]),
            of(
                "CUSTOM_C",
                "deploy step {'interface': 'deploy', 'step': 'deploy', 'args': {'x': 1}, 'priority': 0} has these unexpected arguments: x",
            ),
        ),
    ] {
        wants(machine, traits).await;
        let verdict = lab
            .client
            .get(&machine.path("/validate"))
            .await
            .expect(200)
            .json();
        assert_eq!(verdict["deploy"], json!({"result": false, "reason": why}));
        let refused = machine
            .provision(json!({"target": "active"}))
            .await
            .expect(400);
        assert_eq!(
            refused.fault(),
            format!(
                "Failed to validate deploy or power info for node {}: {why}",
                machine.id
            )
        );
    }
    wants(machine, json!(["CUSTOM_A"])).await;
    let verdict = lab
        .client
        .get(&machine.path("/validate"))
        .await
        .expect(200)
        .json();
    assert_eq!(verdict["deploy"], json!({"result": true}));
    let both = json!([
        step("deploy", "deploy", json!(5)),
        step("deploy", "deploy", json!(5))
    ]);
    let body = json!({"target": "active", "deploy_steps": both});
    let refused = machine.provision(body).await.expect(400);
    assert!(
        refused.fault().ends_with(&format!(
            "Validation of deploy steps from \"deploy steps\" argument failed.{core}; {core}; {twice}"
        )),
        "{}",
        refused.fault()
    );
    assert_eq!(machine.show().await["provision_state"], "available");
    lab.stop().await;
}

async fn secrets_of_a_template_are_told_to_nobody(engine: Engine) {
    let lab = Lab::start(engine).await;
    let mut wait = step("power", "wait", json!(150));
    wait["args"] = json!({"seconds": 0, "password": "hunter2"});
    template(&lab, "CUSTOM_W", json!([wait])).await;
    let machine = available(&lab, json!(["CUSTOM_W"])).await;
    wants(machine, json!(["CUSTOM_W"])).await;
    machine.asks("active").await.reaches(S::Active).await;
    let history = json!(machine.history().await).to_string();
    assert!(history.contains("'password': '******'"), "{history}");
    let told = lab.told(machine.id).await.join("\n");
    assert!(!history.contains("hunter2") && !told.contains("hunter2"));
    lab.stop().await;
}
