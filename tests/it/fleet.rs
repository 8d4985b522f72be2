//! What the web page asks of a whole service: lists, counts, failures, plans, and why.

use crate::{
    database::{Database, Engine},
    lab::Lab,
};
use serde_json::{Value, json};
use types::ProvisionState as S;

async fn get(lab: &Lab, path: &str) -> Value {
    let path = format!("/corten/v1/{path}");
    lab.client.get(&path).await.expect(200).json()
}

every_engine!(
    a_fleet_is_told_as_it_is,
    a_failure_explains_itself,
    a_plan_says_what_happens_and_nothing_happens,
);

async fn a_fleet_is_told_as_it_is(engine: Engine) {
    let lab = Lab::start(engine).await;
    let first = lab
        .enroll(json!({"name": "m1", "resource_class": "gpu"}))
        .await;
    lab.enroll(json!({"name": "m2"})).await;
    assert_eq!(get(&lab, "fleet").await["looks"]["ready"], 2);
    first.asks("manage").await.reaches(S::Manageable).await;
    let newest = get(&lab, "events?after=0&limit=1000").await["next"].as_u64();
    let listed = get(&lab, "nodes?q=state:manageable").await;
    assert_eq!(
        (&listed["total"], &listed["nodes"][0]["name"]),
        (&json!(1), &json!("m1"))
    );
    assert!(listed["cursor"].as_u64() >= newest, "the answer is current");
    let map = get(&lab, "fleet/map").await;
    assert_eq!(map["groups"][0]["cells"], "r1");
    // The next process reads the same database.
    let database = lab.stop().await;
    let lab = Lab::on(database, Default::default()).await;
    assert_eq!(get(&lab, "nodes?q=class:gpu").await["total"], 1);
    lab.stop().await;
}

async fn a_failure_explains_itself(engine: Engine) {
    let lab = Lab::start(engine).await;
    let info = json!({"fake_silent": "deploy.deploy"});
    let machine = lab.enroll(json!({"name": "m1", "driver_info": info})).await;
    for (verb, end) in [
        ("manage", S::Manageable),
        ("provide", S::Available),
        ("active", S::DeployFailed),
    ] {
        machine.asks(verb).await.reaches(end).await;
    }
    let failures = get(&lab, "failures").await;
    assert_eq!(failures["total"], 1, "{failures:#}");
    let cause = &failures["causes"][0];
    // By the code that the conductor noted, not by the text.
    assert_eq!(cause["code"], "bmc_unreachable", "{failures:#}");
    let query = cause["q"].as_str().unwrap();
    assert_eq!(get(&lab, &format!("nodes?q={query}")).await["total"], 1);
    let diagnosis = get(&lab, "nodes/m1/diagnosis").await;
    assert_eq!(diagnosis["kind"], "failed");
    assert_eq!(diagnosis["cause"]["code"], "bmc_unreachable");
    assert!(
        diagnosis["cause"]["advice"]
            .as_str()
            .unwrap()
            .contains("address")
    );
    let evidence = diagnosis["evidence"].as_array().unwrap();
    assert!(
        evidence.iter().any(|one| one["kind"] == "timeline"),
        "{diagnosis:#}"
    );
    let next = diagnosis["next"].as_array().unwrap();
    assert!(
        next.iter().any(|one| one["target"] == "active"),
        "{diagnosis:#}"
    );
    lab.stop().await;
}

async fn a_plan_says_what_happens_and_nothing_happens(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({"name": "m1"})).await;
    let plan = async |body: Value| {
        let answer = lab.client.post("/corten/v1/nodes/m1/plan", body).await;
        answer.expect(200).json()
    };
    let manage = plan(json!({"target": "manage"})).await;
    assert_eq!(
        manage["states"],
        json!(["enroll", "verifying", "manageable"])
    );
    let refused = plan(json!({"target": "active"})).await;
    assert_eq!(refused["is_accepted"], false, "{refused:#}");
    let events = get(&lab, "events?after=0&limit=1000").await;
    for event in events["events"].as_array().unwrap() {
        assert_eq!(event["kind"], "created", "a plan leaves no trace");
    }
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    let deploy = plan(json!({"target": "active"})).await;
    assert_eq!(deploy["is_accepted"], true, "{deploy:#}");
    assert_eq!(
        deploy["states"],
        json!(["available", "deploying", "active"])
    );
    assert_eq!(deploy["steps"][0]["source"], "driver", "{deploy:#}");
    let away = json!({"reason": "disks are changed"});
    let maintenance = lab.client.put("/v1/nodes/m1/maintenance", away).await;
    maintenance.expect(202);
    let refused = plan(json!({"target": "active"})).await;
    assert_eq!(refused["is_accepted"], false, "{refused:#}");
    let text = refused["refusal"]["text"].as_str().unwrap().to_owned();
    let body = json!({"target": "active"});
    let same = lab.client.put("/v1/nodes/m1/states/provision", body).await;
    assert_eq!(same.fault(), text, "the refusal is in the same words");
    lab.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_of_another_process_are_seen() {
    let database = Database::create(Engine::Sqlite);
    let other = database.open();
    let lab = Lab::on(database, Default::default()).await;
    assert_eq!(get(&lab, "fleet").await["total"], 0);
    let mut node = types::Node::new(types::NodeId::generate(), "fake-hardware");
    node.name = Some("elsewhere".into());
    let event = types::event::NewEvent::new(
        &node,
        types::event::EventKind::Created,
        "created",
        json!({}),
        &types::Caller::service(),
    );
    let log = store::node::Log::event(event);
    store::node::insert(&other, node, log).await.unwrap();
    assert_eq!(get(&lab, "nodes?q=elsewhere").await["total"], 1);
    lab.stop().await;
}
