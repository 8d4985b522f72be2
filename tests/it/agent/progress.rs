//! How far an agent is: told by it, shown in the timeline, forgotten at the end.

use super::{puppet, without_cleaning, writing};
use crate::{
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use types::ProvisionState as S;

every_engine!(
    an_agent_tells_how_far_it_is,
    nonsense_and_strangers_are_refused
);

async fn newest(lab: &Lab, machine: Machine<'_>) -> Value {
    lab.log_settles().await;
    let path = format!("/corten/v1/nodes/{}/timeline", machine.id);
    lab.client.get(&path).await.expect(200).json()["flows"][0].clone()
}

fn steps(flow: &Value) -> Vec<String> {
    let steps = flow["steps"].as_array().unwrap().iter();
    steps
        .map(|step| {
            let part = |key: &str| step[key].as_str().unwrap().to_owned();
            format!("{} {}", part("name"), part("state"))
        })
        .collect()
}

async fn an_agent_tells_how_far_it_is(engine: Engine) {
    let lab = Lab::with(engine, without_cleaning()).await;
    let agent = puppet().await;
    let machine = writing(&lab, &agent).await;
    let flow = newest(&lab, machine).await;
    assert_eq!(
        (&flow["verb"], &flow["state"]),
        (&json!("deploy"), &json!("running"))
    );
    assert_eq!(flow["waiting"]["for"], "agent command write_image");
    assert_eq!(flow["progress"], json!(null));

    for bytes in [0, 400, 800] {
        let told = json!({"phase": "writing image", "bytes": bytes, "total": 1000,
            "rate": 100, "command": "deploy.execute_deploy_step"});
        assert_eq!(agent.tells(&lab, machine, told).await, 202);
    }
    let flow = newest(&lab, machine).await;
    assert_eq!(flow["progress"]["bytes"], 800);
    assert_eq!(flow["progress"]["eta"], 2);
    let phases = flow["phases"].as_array().unwrap();
    let phase = phases.last().unwrap();
    assert_eq!(
        (&phase["name"], &phase["by"]),
        (&json!("writing image"), &json!("agent"))
    );
    let told = lab.told(machine.id).await;
    let lines = told
        .iter()
        .filter(|line| line.contains("the agent: writing image"));
    assert_eq!(lines.count(), 1, "bytes are no events: {told:#?}");

    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Active).await;
    let flow = newest(&lab, machine).await;
    assert_eq!(
        (&flow["state"], &flow["result"]),
        (&json!("done"), &json!("active"))
    );
    assert_eq!(flow["progress"], json!(null));
    assert_eq!(flow["error"], json!(null));
    assert_eq!(
        steps(&flow),
        [
            "deploy.deploy done",
            "deploy.write_image done",
            "deploy.prepare_instance_boot done",
            "deploy.tear_down_agent done",
            "deploy.switch_to_tenant_network done",
            "deploy.boot_instance done",
        ]
    );
    lab.stop().await;
}

async fn nonsense_and_strangers_are_refused(engine: Engine) {
    let lab = Lab::with(engine, without_cleaning()).await;
    let agent = puppet().await;
    let machine = writing(&lab, &agent).await;
    for nonsense in [json!({}), json!([1]), json!({"phase": "x", "bytes": -1})] {
        assert_eq!(agent.tells(&lab, machine, nonsense).await, 400);
    }
    let stranger = puppet().await;
    let told = json!({"phase": "writing image", "bytes": 1});
    for token in ["", "wrong"] {
        stranger.knows(token.to_owned());
        assert_eq!(stranger.tells(&lab, machine, told.clone()).await, 400);
    }
    // The answer does not tell which nodes exist.
    let unknown = format!("/corten/v1/agent/progress/{}", types::NodeId::generate());
    lab.client.post(&unknown, told.clone()).await.expect(400);
    assert_eq!(newest(&lab, machine).await["progress"], json!(null));
    assert_eq!(agent.tells(&lab, machine, told).await, 202);
    lab.stop().await;
}
