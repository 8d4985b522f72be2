//! Runbooks: steps that operators approve for machines, by hand and in automated cleaning; and what
//! BIOS steps leave behind.

use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use conductor::CleaningSource;
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(
    a_runbook_cleans_and_services,
    a_step_that_needs_a_ramdisk_is_refused_without_one,
    automated_cleaning_follows_a_runbook,
    a_runbook_that_does_not_fit_stops_cleaning,
    bios_settings_are_kept_until_the_reset,
);

async fn runbook(lab: &Lab, name: &str, mut body: Value) {
    body["name"] = json!(name);
    lab.client.post("/v1/runbooks", body).await.expect(201);
    let path = format!("/v1/runbooks/{name}/traits");
    let traits = json!({"traits": ["CUSTOM_OK"]});
    lab.client.put(&path, traits).await.expect(204);
}

fn logs() -> Value {
    json!([{"interface": "vendor", "step": "log_passthrough", "args": {}, "order": "7"}])
}

async fn approved(lab: &Lab, mut body: Value, traits: Value) -> Machine<'_> {
    if body.is_null() {
        body = json!({});
    }
    let machine = lab.enroll(body).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let path = machine.path("/traits");
    let traits = json!({"traits": traits});
    lab.client.put(&path, traits).await.expect(204);
    machine
}

async fn events(machine: Machine<'_>) -> Vec<String> {
    let history = machine.history().await;
    let text = |entry: &Value| entry["event"].as_str().unwrap().to_owned();
    history.iter().map(text).collect()
}

const STEP: &str = "{'interface': 'vendor', 'step': 'log_passthrough', 'args': {}, 'order': 7, 'abortable': False, 'priority': ";

async fn a_runbook_cleans_and_services(engine: Engine) {
    let lab = Lab::start(engine).await;
    runbook(&lab, "CUSTOM_R", json!({"steps": logs()})).await;
    let machine = approved(&lab, Value::Null, json!(["CUSTOM_OK"])).await;
    machine
        .asks_with(json!({"target": "clean", "runbook": "CUSTOM_R"}))
        .await
        .reaches(S::Manageable)
        .await;
    machine.asks("provide").await.reaches(S::Available).await;
    machine.asks("active").await.reaches(S::Active).await;
    let node = machine
        .asks_with(json!({"target": "service", "runbook": "CUSTOM_R"}))
        .await
        .reaches(S::Active)
        .await;
    let told = events(machine).await;
    let starting =
        |what: &str, priority| format!("Starting {what} with steps=[{STEP}{priority}}}]");
    assert_eq!(told.first(), Some(&starting("manual cleaning", 1)));
    assert!(told.contains(&starting("servicing", 0)), "{told:#?}");
    assert_eq!(node["driver_internal_info"]["clean_steps"], Value::Null);
    assert_eq!(node["driver_internal_info"]["service_steps"], Value::Null);
    lab.stop().await;
}

async fn a_step_that_needs_a_ramdisk_is_refused_without_one(engine: Engine) {
    let lab = Lab::start(engine).await;
    let body = json!({"steps": logs(), "disable_ramdisk": true});
    runbook(&lab, "CUSTOM_R", body).await;
    let machine = approved(&lab, Value::Null, json!(["CUSTOM_OK"])).await;
    machine
        .asks_with(json!({"target": "clean", "runbook": "CUSTOM_R"}))
        .await;
    let node = failed(machine).await;
    assert_eq!(
        node["last_error"],
        format!(
            "Cannot clean node {}: clean step {{'interface': 'vendor', 'step': 'log_passthrough', 'args': {{}}, 'order': 7}} requires booting a ramdisk",
            machine.id
        )
    );
    assert_eq!(node["maintenance"], false);
    lab.stop().await;
}

async fn failed(machine: Machine<'_>) -> Value {
    machine
        .until("clean failed", |node| {
            Some(node["provision_state"] == "clean failed" && node["reservation"].is_null())
        })
        .await
}

fn cleaning(source: CleaningSource) -> Options {
    let mut options = Options::default();
    options.conductor.automated_clean = true;
    options.conductor.automated_cleaning_step_source = source;
    options.conductor.automated_cleaning_runbook_from_node = true;
    let by_class = &mut options
        .conductor
        .automated_cleaning_runbook_by_resource_class;
    by_class.insert("gold".into(), "CUSTOM_GOLD".into());
    options
}

async fn automated_cleaning_follows_a_runbook(engine: Engine) {
    let lab = Lab::with(engine, cleaning(CleaningSource::Hybrid)).await;
    runbook(&lab, "CUSTOM_GOLD", json!({"steps": logs()})).await;
    let bios = json!([{"interface": "bios", "step": "apply_configuration", "order": 1,
        "args": {"settings": [{"name": "a", "value": "b"}]}}]);
    runbook(&lab, "CUSTOM_OWN", json!({"steps": bios})).await;
    let gold = json!({"resource_class": "gold"});
    let own = json!({"resource_class": "gold", "driver_info": {"cleaning_runbook": "CUSTOM_OWN"}});
    let none = json!({"resource_class": "gold", "driver_info": {"cleaning_runbook": null}});
    for (body, first) in [
        (gold, format!("[{STEP}1}}]")),
        (own, "[{'interface': 'bios', 'step': 'apply_configuration', 'args': {'settings': [{'name': 'a', 'value': 'b'}]}, 'order': 1, 'abortable': False, 'priority': 0}]".to_owned()),
        (none, "[{'step': 'log_passthrough', 'priority': 1, 'abortable': False, 'argsinfo': None, 'interface': 'vendor', 'requires_ramdisk': True}]".to_owned()),
        (json!({}), "[{'step': 'log_passthrough', 'priority': 1, 'abortable': False, 'argsinfo': None, 'interface': 'vendor', 'requires_ramdisk': True}]".to_owned()),
    ] {
        let machine = approved(&lab, body, json!(["CUSTOM_OK"])).await;
        let node = machine.asks("provide").await.reaches(S::Available).await;
        assert_eq!(node["driver_internal_info"], json!({"clean_steps": null}));
        let starting = format!("Starting automated cleaning with steps={first}");
        assert_eq!(events(machine).await[0], starting);
        // Tearing down cleans alike.
        machine.asks("active").await.reaches(S::Active).await;
        machine.asks("deleted").await.reaches(S::Available).await;
        let times = events(machine).await;
        assert_eq!(times.iter().filter(|text| **text == starting).count(), 2);
    }
    lab.stop().await;
}

async fn a_runbook_that_does_not_fit_stops_cleaning(engine: Engine) {
    let lab = Lab::with(engine, cleaning(CleaningSource::Runbook)).await;
    let machine = approved(&lab, Value::Null, json!([])).await;
    let refused = machine
        .provision(json!({"target": "provide"}))
        .await
        .expect(400);
    assert_eq!(
        refused.fault(),
        format!(
            "Unable to perform cleaning for node {}: configuration requires runbook for automated cleaning and none was configured.",
            machine.id
        )
    );
    let machine = approved(
        &lab,
        json!({"resource_class": "gold"}),
        json!(["CUSTOM_OK"]),
    )
    .await;
    let refused = machine
        .provision(json!({"target": "provide"}))
        .await
        .expect(404);
    assert_eq!(refused.fault(), "Runbook CUSTOM_GOLD could not be found.");
    runbook(&lab, "CUSTOM_GOLD", json!({"steps": logs()})).await;
    machine.asks("provide").await.reaches(S::Available).await;
    machine.asks("active").await.reaches(S::Active).await;
    let traits = json!({"traits": ["CUSTOM_OTHER"]});
    lab.client
        .put(&machine.path("/traits"), traits)
        .await
        .expect(204);
    machine.asks("deleted").await;
    let node = failed(machine).await;
    assert_eq!(
        node["last_error"],
        format!(
            "Automated cleaning runbook CUSTOM_GOLD is not valid for node {}. None of the runbook's traits ['CUSTOM_OK'] match a node trait.",
            machine.id
        )
    );
    lab.stop().await;
}

async fn bios_settings_are_kept_until_the_reset(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = approved(&lab, Value::Null, json!([])).await;
    let clean = async |step: &str, args: Value| {
        let step = json!({"interface": "bios", "step": step, "args": args});
        machine
            .asks_with(json!({"target": "clean", "clean_steps": [step]}))
            .await
            .reaches(S::Manageable)
            .await;
        let path = machine.path("/bios?fields=name,value");
        let shown = lab.client.get(&path).await.expect(200).json();
        let settings = shown["bios"].as_array().unwrap().clone();
        settings
            .iter()
            .map(|s| format!("{}={}", s["name"].as_str().unwrap(), s["value"]))
            .collect::<Vec<_>>()
    };
    let settings = json!([{"name": "virt", "value": "on"}, {"name": "cores", "value": 4}]);
    let applied = clean("apply_configuration", json!({"settings": settings})).await;
    assert_eq!(applied, ["cores=\"4\"", "virt=\"on\""]);
    assert_eq!(clean("cache_bios_settings", json!({})).await, applied);
    let settings = json!([{"name": "virt", "value": null}]);
    let fewer = clean("apply_configuration", json!({"settings": settings})).await;
    assert_eq!(fewer, ["virt=null"]);
    assert!(clean("factory_reset", json!({})).await.is_empty());
    lab.stop().await;
}
