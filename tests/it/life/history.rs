//! What the history says, word by word, as Ironic does.

use super::{log_step, manageable};
use crate::{
    database::Engine,
    lab::{HOST, Lab, Machine, Options},
};
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(
    a_failed_verification,
    automated_and_manual_cleaning,
    a_clean_step_that_fails,
    clean_steps_that_are_refused,
    a_deploy,
    servicing,
    a_page_of_history,
    nothing_is_recorded_when_it_is_switched_off,
);

/// Severity, kind, state and text of each entry.
async fn entries(machine: &Machine<'_>) -> Vec<(String, String, String, String)> {
    let history = machine.history().await;
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or("-").to_owned();
    for entry in &history {
        assert_eq!(entry["conductor"], HOST);
        assert_eq!(entry["user"], json!(null));
        assert!(entry["created_at"].is_string());
    }
    history
        .iter()
        .map(|e| {
            (
                text(e, "severity"),
                text(e, "event_type"),
                text(e, "state"),
                text(e, "event"),
            )
        })
        .collect()
}

#[track_caller]
fn assert_told(found: &[(String, String, String, String)], expected: &[(&str, &str, &str, &str)]) {
    let found: Vec<_> = found
        .iter()
        .map(|(a, b, c, d)| (a.as_str(), b.as_str(), c.as_str(), d.as_str()))
        .collect();
    assert_eq!(found, expected, "{found:#?}");
}

const LOG: &str = "{'step': 'log_passthrough', 'priority': 1, 'abortable': False, \
    'argsinfo': None, 'interface': 'vendor', 'requires_ramdisk': True}";
const ASKED_LOG: &str =
    "{'interface': 'vendor', 'step': 'log_passthrough', 'abortable': False, 'priority': 1}";

async fn a_failed_verification(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab
        .enroll(json!({"driver_info": {"fake_fail": "power.validate"}}))
        .await;
    machine.asks("manage").await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "enroll");
    assert!(node["provision_updated_at"].is_string());
    let text = format!(
        "Failed to validate power driver interface for node {}. Error: fake hardware was told to \
         fail power.validate",
        machine.id
    );
    assert_eq!(node["last_error"], text.as_str());
    assert_told(
        &entries(&machine).await,
        &[("ERROR", "verify", "verifying", &text)],
    );
    assert_eq!(
        machine.history().await[0]["target_provision_state"],
        "manageable"
    );
    machine.behave("fake_fail", None).await;
    let node = machine.asks("manage").await.reaches(S::Manageable).await;
    assert_eq!(node["last_error"], json!(null));
    lab.stop().await;
}

async fn automated_and_manual_cleaning(engine: Engine) {
    let mut options = Options::default();
    options.conductor.automated_clean = true;
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab).await;
    let clean = json!({"target": "clean", "clean_steps": [log_step()]});
    machine.asks_with(clean).await.rests().await;
    machine.asks("provide").await.reaches(S::Available).await;
    let manual = format!("Starting manual cleaning with steps=[{ASKED_LOG}]");
    let automated = format!("Starting automated cleaning with steps=[{LOG}]");
    assert_told(
        &entries(&machine).await,
        &[
            ("INFO", "manual_cleaning_start", "cleaning", &manual),
            (
                "INFO",
                "manual_cleaning_end",
                "cleaning",
                "Manual Cleaning completed successfully with steps=[]",
            ),
            ("INFO", "automated_cleaning_start", "cleaning", &automated),
            (
                "INFO",
                "automated_cleaning_end",
                "cleaning",
                "Automated Cleaning completed successfully with steps=[]",
            ),
        ],
    );
    let history = machine.history().await;
    let targets: Vec<_> = history
        .iter()
        .map(|e| &e["target_provision_state"])
        .collect();
    assert_eq!(
        targets,
        ["manageable", "manageable", "available", "available"]
    );
    lab.stop().await;
}

async fn a_clean_step_that_fails(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    machine
        .behave("fake_fail", Some("clean.log_passthrough"))
        .await;
    let clean = json!({"target": "clean", "clean_steps": [log_step()]});
    machine.asks_with(clean).await;
    let node = machine.rests().await;
    let id = machine.id;
    let error = format!(
        "Node {id} failed step vendor.log_passthrough: fake hardware was told to fail clean.log_passthrough"
    );
    assert_eq!(node["provision_state"], "clean failed");
    assert_eq!(node["target_provision_state"], "manageable");
    assert_eq!(
        (&node["maintenance"], &node["fault"]),
        (&json!(true), &json!("clean failure"))
    );
    assert_eq!(node["maintenance_reason"], error.as_str());
    assert_eq!(node["last_error"], error.as_str());
    let start = format!("Starting manual cleaning with steps=[{ASKED_LOG}]");
    let end = format!("Manual Cleaning aborted at step 'log_passthrough' with steps=[{ASKED_LOG}]");
    let told = entries(&machine).await;
    assert_told(
        &told,
        &[
            ("INFO", "manual_cleaning_start", "cleaning", &start),
            ("ERROR", "manual_cleaning_end", &told[1].2, &end),
            ("ERROR", "cleaning", &told[2].2, &error),
        ],
    );
    let info = &node["driver_internal_info"];
    assert_eq!(info["declarative_cleaning"], true);
    assert_eq!(info["cleaning_disable_ramdisk"], false);
    assert_eq!(info["clean_steps"].as_array().unwrap().len(), 1);
    lab.stop().await;
}

async fn clean_steps_that_are_refused(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = manageable(&lab).await;
    let id = machine.id;
    let cases = [
        (
            json!({"interface": "deploy", "step": "nope"}),
            format!(
                "Cannot clean node {id}: node does not support this clean step: \
                 {{'interface': 'deploy', 'step': 'nope'}}"
            ),
        ),
        (
            json!({"interface": "bios", "step": "apply_configuration", "args": {"x": 1}}),
            {
                let step = "{'interface': 'bios', 'step': 'apply_configuration', \
                    'args': {'x': 1}, 'abortable': False, 'priority': 0}";
                format!(
                    "Cannot clean node {id}: clean step {step} has these unexpected arguments: x; \
                     clean step {step} is missing these required arguments: settings (List of \
                     BIOS settings, each item needs to contain a dictionary with name/value pairs)"
                )
            },
        ),
    ];
    for (n, (step, text)) in cases.into_iter().enumerate() {
        let clean = json!({"target": "clean", "clean_steps": [step]});
        machine.asks_with(clean).await;
        let node = machine.rests().await;
        assert_eq!(node["provision_state"], "clean failed");
        assert_eq!(node["target_provision_state"], "manageable");
        assert_eq!(node["maintenance"], false);
        assert_eq!(node["last_error"], text.as_str());
        let told = entries(&machine).await;
        assert_eq!(told.len(), n + 1, "neither start nor end: {told:#?}");
        assert_eq!(
            (told[n].1.as_str(), told[n].3.as_str()),
            ("cleaning", text.as_str())
        );
        let node = machine.asks("manage").await.reaches(S::Manageable).await;
        assert_eq!(
            node["last_error"],
            text.as_str(),
            "manage keeps the last error"
        );
    }
    let node = machine.asks("provide").await.reaches(S::Available).await;
    assert_eq!(node["last_error"], json!(null), "provide forgets it");
    lab.stop().await;
}

async fn a_deploy(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = super::active(&lab).await;
    let step = "{'step': 'deploy', 'priority': 100, 'abortable': True, 'argsinfo': None, \
        'interface': 'deploy'}";
    let start = format!("Starting deployment with steps=[{step}]");
    let end = format!("Deployment completed successfully with steps=[{step}]");
    assert_told(
        &entries(&machine).await,
        &[
            ("INFO", "deployment_start", "deploying", &start),
            ("INFO", "deployment_end", "deploying", &end),
        ],
    );
    machine.behave("fake_fail", Some("deploy.deploy")).await;
    machine.asks("rebuild").await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "deploy failed");
    assert_eq!(node["maintenance"], false);
    let error = node["last_error"].as_str().unwrap().to_owned();
    assert!(
        error.contains("fake hardware was told to fail deploy.deploy"),
        "{error}"
    );
    let told = entries(&machine).await;
    let kinds: Vec<_> = told[2..]
        .iter()
        .map(|e| (e.0.as_str(), e.1.as_str()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("INFO", "deployment_start"),
            ("ERROR", "deployment_end"),
            ("ERROR", "deploying")
        ]
    );
    assert_eq!(told[4].3, error);
    lab.stop().await;
}

async fn servicing(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = super::active(&lab).await;
    let before = machine.history().await.len();
    let service = |step: Value| json!({"target": "service", "service_steps": [step]});
    machine.asks_with(service(log_step())).await.rests().await;
    let asked =
        "{'interface': 'vendor', 'step': 'log_passthrough', 'abortable': False, 'priority': 0}";
    let start = format!("Starting servicing with steps=[{asked}]");
    assert_told(
        &entries(&machine).await[before..],
        &[
            ("INFO", "servicing_start", "servicing", &start),
            (
                "INFO",
                "servicing_end",
                "servicing",
                "Servicing completed successfully with steps=[]",
            ),
        ],
    );
    let unknown = json!({"interface": "bios", "step": "nope"});
    machine.asks_with(service(unknown)).await;
    let node = machine.rests().await;
    assert_eq!(node["provision_state"], "service failed");
    assert_eq!(
        (&node["maintenance"], &node["fault"]),
        (&json!(true), &json!("service failure"))
    );
    let told = entries(&machine).await;
    let shown = "{'interface': 'bios', 'step': 'nope'}";
    let start = format!("Starting servicing with steps=[{shown}]");
    let end = format!("Servicing aborted at step 'nope' with steps=[{shown}]");
    assert_told(
        &told[before + 2..before + 4],
        &[
            ("INFO", "servicing_start", "servicing", &start),
            ("ERROR", "servicing_end", &told[before + 3].2, &end),
        ],
    );
    let error = &told[before + 4];
    assert_eq!((error.0.as_str(), error.1.as_str()), ("ERROR", "servicing"));
    let beginning = format!("Node {} failed step bios.nope: ", machine.id);
    assert!(error.3.starts_with(&beginning), "{}", error.3);
    assert_eq!(node["last_error"], error.3.as_str());

    // Aborting needs the node out of maintenance, and ends where the service began.
    let refused = machine
        .provision(json!({"target": "abort"}))
        .await
        .expect(409);
    assert!(
        refused.fault().contains("maintenance"),
        "{}",
        refused.fault()
    );
    lab.client
        .delete(&machine.path("/maintenance"))
        .await
        .expect(202);
    let node = machine.asks("abort").await.reaches(S::Active).await;
    assert_eq!(node["driver_internal_info"]["service_steps"], json!(null));

    let wait = json!({"interface": "vendor", "step": "trigger_servicewait"});
    let count = machine.history().await.len();
    machine
        .asks_with(service(wait))
        .await
        .reaches(S::ServiceWait)
        .await;
    let told = entries(&machine).await;
    assert_eq!(told.len(), count + 1);
    assert_eq!(told[count].1, "servicing_start");
    lab.stop().await;
}

async fn a_page_of_history(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = super::active(&lab).await;
    machine.asks("rebuild").await.rests().await;
    let all = machine.history().await;
    assert_eq!(all.len(), 4);
    // Markers are given by hand: the `next` of Ironic carries arguments that it refuses.
    let mut seen: Vec<Value> = Vec::new();
    loop {
        let marker = seen
            .last()
            .map(|uuid| format!("&marker={}", uuid.as_str().unwrap()));
        let path = machine.path(&format!("/history?limit=1{}", marker.unwrap_or_default()));
        let page = lab.client.get(&path).await.expect(200).json();
        seen.extend(
            page["history"]
                .as_array()
                .unwrap()
                .iter()
                .map(|e| e["uuid"].clone()),
        );
        if page.get("next").is_none() {
            break;
        }
    }
    let uuids: Vec<_> = all.iter().map(|e| e["uuid"].clone()).collect();
    assert_eq!(seen, uuids);
    let uuid = uuids[0].as_str().unwrap();
    let one = lab
        .client
        .get(&machine.path(&format!("/history/{uuid}")))
        .await;
    assert_eq!(one.expect(200).json()["uuid"], uuid);
    lab.stop().await;
}

async fn nothing_is_recorded_when_it_is_switched_off(engine: Engine) {
    let mut options = Options::default();
    options.conductor.node_history = false;
    let lab = Lab::with(engine, options).await;
    let machine = super::active(&lab).await;
    assert!(machine.history().await.is_empty());
    assert!(
        !lab.told(machine.id).await.is_empty(),
        "the event log knows all the same"
    );
    lab.stop().await;
}
