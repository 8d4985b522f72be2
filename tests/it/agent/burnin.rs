//! Tests that wear a machine in, and the reports that they leave.

use super::{enrolled, options, puppet, waits_for};
use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(a_test_leaves_a_report_whether_it_was_passed_or_failed);

async fn reports(lab: &Lab, machine: Machine<'_>) -> Value {
    let path = format!("/corten/v1/nodes/{}/reports", machine.id);
    lab.client.get(&path).await.expect(200).json()
}

async fn a_test_leaves_a_report_whether_it_was_passed_or_failed(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let agent = puppet().await;
    let machine = enrolled(&lab).await;
    let ask = || {
        let steps = json!([{"interface": "deploy", "step": "burnin_cpu"}]);
        json!({"target": "clean", "clean_steps": steps})
    };
    let outcomes = [
        // An agent that measures nothing, one that does, and one that says too much.
        (json!({}), json!([]), json!(null)),
        (
            json!({"clean_result": {"corten_burnin": {"seconds": 60, "figures": [
                {"name": "cpu", "value": 6277, "unit": "operations/s"}]}}}),
            json!([{"name": "cpu", "value": 6277, "unit": "operations/s"}]),
            json!(60),
        ),
        (
            json!({"clean_result": {"corten_burnin": {"seconds": u64::MAX, "figures": []}}}),
            json!([]),
            json!(null),
        ),
    ];
    for (result, figures, seconds) in outcomes {
        machine.asks_with(ask()).await.reaches(S::CleanWait).await;
        agent.boots(&lab, machine).await;
        waits_for(machine, "clean_step", "burnin_cpu").await;
        agent.ends(Ok(result));
        agent.reports(&lab, machine).await;
        machine.reaches(S::Manageable).await;
        let found = reports(&lab, machine).await;
        let newest = &found["history"][0];
        assert_eq!(found["verdict"], "passed");
        assert_eq!(
            (&newest["figures"], &newest["seconds"]),
            (&figures, &seconds)
        );
    }
    machine.asks_with(ask()).await.reaches(S::CleanWait).await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "burnin_cpu").await;
    agent.ends(Err("it got too hot"));
    agent.reports(&lab, machine).await;
    machine.reaches(S::CleanFailed).await;
    let found = reports(&lab, machine).await;
    assert_eq!(found["verdict"], "failed");
    let error = found["last"][0]["error"].as_str().unwrap();
    assert!(error.contains("it got too hot"), "{found}");
    assert_eq!(found["history"].as_array().unwrap().len(), 4);
    lab.stop().await;
}
