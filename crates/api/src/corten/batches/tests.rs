//! Batches over HTTP: what is refused, who gets what, and what is never shown.

use crate::{
    policy::HiddenFields,
    testing::{Answer, Service},
};
use serde_json::{Value, json};
use store::{
    batch::{Change, Hindrance, begin, claim, finish, hindrance, settle},
    node::{Fence, Log},
};
use types::{
    BatchId, Node, NodeId, ProvisionState,
    batch::{BatchNodeState, BatchState},
    lease::Holder,
};

const PATH: &str = "/corten/v1/batches";

async fn node(service: &Service, name: &str, owner: Option<&str>) -> NodeId {
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.name = Some(name.into());
    node.owner = owner.map(str::to_owned);
    node.provision_state = ProvisionState::Enroll;
    service.store_node(node).await.id
}

fn manage(nodes: Value) -> Value {
    json!({"action": "provision", "arguments": {"target": "manage"}, "nodes": nodes})
}

async fn post(service: &Service, body: Value) -> Answer {
    service.send("POST", PATH, 115, body).await
}

async fn create(service: &Service, body: Value) -> String {
    let made = post(service, body).await;
    assert_eq!(made.status, 201, "{made:?}");
    let uuid = made.json()["uuid"].as_str().unwrap().to_owned();
    assert!(
        made.header("location")
            .ends_with(&format!("/corten/v1/batches/{uuid}"))
    );
    uuid
}

fn me() -> Holder {
    Holder {
        host: "h".into(),
        epoch: 1,
    }
}

#[tokio::test]
async fn what_cannot_be_a_batch_is_refused_and_nothing_is_stored() {
    let service = Service::new();
    node(&service, "m1", None).await;
    let with = |key: &str, value: Value| {
        let mut body = manage(json!(["m1"]));
        body[key] = value;
        body
    };
    let arguments = |action: &str, arguments: Value| json!({"action": action, "arguments": arguments, "nodes": ["m1"]});
    for (body, text) in [
        (json!({}), "'action' is a required property"),
        (with("more", json!(1)), "more"),
        (with("action", json!("delete")), "delete"),
        (with("at_once", json!(0)), "0"),
        (with("at_once", json!(501)), "501"),
        (with("max_failures", json!(-1)), "-1"),
        (with("waves", json!([])), "[]"),
        (with("waves", json!(["0%"])), "waves: 0% is not understood"),
        (with("waves", json!([0])), "waves: 0 is not understood"),
        (with("waves", vec!["1"; 101].into()), "at most 100"),
        (with("query", json!("state:enroll")), "either nodes"),
        (
            with("nodes", json!(["m1", "m2"])),
            "Node m2 could not be found",
        ),
        (
            with("nodes", json!([NodeId::generate()])),
            "could not be found",
        ),
        (
            arguments("provision", json!({"target": "fly"})),
            "could not be understood",
        ),
        (
            arguments("provision", json!({"target": "clean"})),
            "clean_steps",
        ),
        (
            arguments("provision", json!({"target": "manage", "x": 1})),
            "x",
        ),
        (
            arguments(
                "provision",
                json!({"target": "manage", "configdrive": "aGk="}),
            ),
            "config drive",
        ),
        (
            arguments("power", json!({"target": "on"})),
            "There is no power state",
        ),
        (
            arguments("power", json!({"target": "power on", "timeout": 0})),
            "timeout",
        ),
        (
            arguments("maintenance", json!({"target": "maybe"})),
            "on or off",
        ),
        (
            arguments("maintenance", json!({"target": "off", "reason": "r"})),
            "reason",
        ),
        (
            json!({"action": "power", "arguments": {"target": "power on"}}),
            "either nodes",
        ),
    ] {
        let answer = post(&service, body.clone()).await;
        assert!(
            matches!(answer.status.as_u16(), 400 | 404),
            "{body}: {answer:?}"
        );
        assert!(answer.text.contains(text), "{body}: {}", answer.text);
    }
    let mut body = manage(Value::Null);
    body.as_object_mut().unwrap().remove("nodes");
    body["query"] = json!("stat:enroll");
    let wrong = post(&service, body.clone()).await;
    assert_eq!(wrong.status, 400, "{wrong:?}");
    assert_eq!(wrong.json()["query_error"]["suggestion"], "state:enroll");
    body["query"] = json!("state:active");
    let nothing = post(&service, body).await;
    assert!(nothing.text.contains("fits no node"), "{nothing:?}");
    let list = service.get(PATH, 1).await;
    assert_eq!(list.json(), json!({"batches": []}));
    assert!(service.conductor.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_batch_says_what_it_does_and_no_secrets() {
    let service = Service::new();
    for name in ["m2", "m1", "m3"] {
        node(&service, name, None).await;
    }
    let rescue = json!({
        "action": "provision", "arguments": {"target": "rescue", "rescue_password": "hush-1"},
        "query": "state:enroll", "waves": [1, "50%", "rest"], "description": "d",
    });
    let uuid = create(&service, rescue).await;
    let path = format!("{PATH}/{uuid}");
    let shown = service.get(&path, 1).await;
    assert!(!shown.text.contains("hush-1"), "{}", shown.text);
    let shown = shown.json();
    assert_eq!(shown["waves"], json!([1, 2]));
    assert_eq!(shown["target"], "rescue");
    assert_eq!(shown["counts"]["waiting"], 3);
    assert_eq!(shown["arguments"]["password"], "******");
    let nodes = service
        .get(&format!("{path}/nodes?limit=2"), 1)
        .await
        .json();
    assert_eq!(nodes["nodes"][0]["name"], "m1", "in the order of the names");
    assert_eq!(nodes["nodes"][1]["wave"], 2);
    assert_eq!(nodes["next"], 1);
    let rest = service
        .get(&format!("{path}/nodes?limit=2&after=1"), 1)
        .await;
    assert_eq!(rest.json()["nodes"][0]["name"], "m3");
    assert_eq!(rest.json()["next"], Value::Null);
    let failed = service.get(&format!("{path}/nodes?state=failed"), 1).await;
    assert_eq!(failed.json()["nodes"], json!([]));
    let wrong = service.get(&format!("{path}/nodes?state=bad"), 1).await;
    assert!(wrong.text.contains("waiting, asked"), "{}", wrong.text);
    let drive = json!({
        "action": "provision", "nodes": ["m1"],
        "arguments": {"target": "active", "configdrive": {"user_data": "hush-2"}},
    });
    let uuid = create(&service, drive).await;
    let shown = service.get(&format!("{PATH}/{uuid}"), 1).await;
    assert!(!shown.text.contains("hush-2"), "{}", shown.text);
    assert_eq!(shown.json()["arguments"]["configdrive"], "******");
}

#[tokio::test]
async fn a_dry_run_asks_for_plans_and_writes_nothing() {
    let service = Service::new();
    node(&service, "m1", None).await;
    let newest = store::event::newest(&service.db).await.unwrap();
    let maintenance =
        json!({"action": "maintenance", "arguments": {"target": "on"}, "nodes": ["m1"]});
    let path = format!("{PATH}?dry_run=true");
    let planned = service.send("POST", &path, 115, maintenance).await;
    assert_eq!(planned.status, 200, "{planned:?}");
    assert_eq!(planned.json()["accepted"], 1);
    assert_eq!(store::event::newest(&service.db).await.unwrap(), newest);
    assert_eq!(service.get(PATH, 1).await.json(), json!({"batches": []}));
}

#[tokio::test]
async fn only_those_with_rights_over_all_nodes_have_a_batch() {
    let service = Service::guarded();
    node(&service, "a1", Some("p1")).await;
    node(&service, "b1", Some("p2")).await;
    let send = async |persona: &str, method: &str, path: &str, body: Value| {
        service.send_as(persona, method, path, body).await
    };
    for (persona, nodes, status) in [
        ("reader@p1", json!(["a1"]), 403),
        ("nothing@p1", json!(["a1"]), 404),
        // The nodes of another project are not found.
        ("admin@p1", json!(["a1", "b1"]), 404),
        ("reader@system", json!(["a1", "b1"]), 403),
    ] {
        let answer = send(persona, "POST", PATH, manage(nodes)).await;
        assert_eq!(answer.status, status, "{persona}: {}", answer.text);
    }
    // A query finds what the caller sees.
    let mut all = manage(Value::Null);
    all.as_object_mut().unwrap().remove("nodes");
    all["query"] = json!("state:enroll");
    let own = send("member@p1", "POST", PATH, all.clone()).await;
    assert_eq!(own.status, 201, "{own:?}");
    assert_eq!(own.json()["node_count"], 1);
    let both = send("admin@system", "POST", PATH, all).await;
    assert_eq!(both.json()["node_count"], 2);
    let path = |made: &Answer| format!("{PATH}/{}", made.json()["uuid"].as_str().unwrap());
    let (own, both) = (path(&own), path(&both));
    for (persona, sees_own, sees_both) in [
        ("reader@p1", true, false),
        ("reader@p2", false, false),
        ("reader@system", true, true),
    ] {
        let listed = service.get_as(persona, PATH).await.json();
        let count = listed["batches"].as_array().unwrap().len();
        assert_eq!(
            count,
            usize::from(sees_own) + usize::from(sees_both),
            "{persona}"
        );
        for (path, sees) in [(&own, sees_own), (&both, sees_both)] {
            let status = if sees { 200 } else { 404 };
            assert_eq!(
                service.get_as(persona, path).await.status,
                status,
                "{persona} {path}"
            );
            let nodes = service.get_as(persona, &format!("{path}/nodes")).await;
            assert_eq!(nodes.status, status, "{persona} {path}");
        }
    }
    for (persona, path, status) in [
        ("reader@p1", &own, 403),
        ("member@p2", &own, 404),
        ("reader@system", &both, 403),
        ("member@p1", &own, 202),
        ("admin@system", &both, 202),
    ] {
        let answer = send(persona, "POST", &format!("{path}/pause"), Value::Null).await;
        assert_eq!(answer.status, status, "{persona}: {}", answer.text);
    }
    let delete = send("member@p1", "DELETE", &own, Value::Null).await;
    assert_eq!(delete.status, 409, "{}", delete.text);
}

#[tokio::test]
async fn states_lead_where_they_may_and_what_ended_goes() {
    let service = Service::new();
    let m1 = node(&service, "m1", None).await;
    let uuid = create(&service, manage(json!(["m1", "m1"]))).await;
    let path = format!("{PATH}/{uuid}");
    let ask = async |word: &str| {
        let path = format!("{path}/{word}");
        service
            .send("POST", &path, 115, Value::Null)
            .await
            .status
            .as_u16()
    };
    assert_eq!(ask("resume").await, 409);
    assert_eq!(ask("pause").await, 202);
    assert_eq!(ask("pause").await, 409);
    let id: BatchId = uuid.parse().unwrap();
    let batch = store::batch::find(&service.db, id).await.unwrap().unwrap();
    assert_eq!(
        batch.node_count, 1,
        "a node that is named twice is there once"
    );
    let fence = claim(&service.db, &batch, &me()).await.unwrap();
    // A paused batch asks no node, and of two that run it one is refused.
    assert!(begin(&service.db, fence, vec![0]).await.is_err());
    assert!(claim(&service.db, &batch, &me()).await.is_err());
    assert_eq!(ask("resume").await, 202);
    begin(&service.db, fence, vec![0]).await.unwrap();
    let change = Change {
        place: 0,
        node: m1,
        name: None,
        state: BatchNodeState::Failed,
        reason: Some("r".into()),
        last_error: None,
    };
    let batch = store::batch::find(&service.db, id).await.unwrap().unwrap();
    let next = claim(&service.db, &batch, &me()).await.unwrap();
    assert!(
        settle(&service.db, fence, vec![change.clone()])
            .await
            .is_err()
    );
    settle(&service.db, next, vec![change]).await.unwrap();
    finish(&service.db, next, BatchState::Running)
        .await
        .unwrap();
    let shown = service.get(&path, 1).await.json();
    assert_eq!(
        (&shown["state"], &shown["counts"]["failed"]),
        (&json!("done"), &json!(1))
    );
    assert_eq!(ask("abort").await, 409);
    let gone = service.send("DELETE", &path, 1, Value::Null).await;
    assert_eq!(gone.status, 204);
    assert_eq!(service.get(&path, 1).await.status, 404);
    assert_eq!(service.get(&format!("{PATH}/no-uuid"), 1).await.status, 404);
    let rows = store::batch::nodes(&service.db, id, None, -1, 10).await;
    assert_eq!(rows.unwrap(), [], "its nodes go with it");
}

#[tokio::test]
async fn the_last_error_of_a_node_is_for_those_who_may_read_it() {
    let service = Service::guarded();
    let mut leased = Node::new(NodeId::generate(), "fake-hardware");
    leased.provision_state = ProvisionState::Enroll;
    (leased.name, leased.owner) = (Some("m1".into()), Some("p1".into()));
    leased.lessee = Some("p2".into());
    let leased = service.store_node(leased).await.id;
    let before = store::event::newest(&service.db).await.unwrap();
    let body = manage(json!(["m1"]));
    let made = service.send_as("admin@system", "POST", PATH, body).await;
    let uuid = made.json()["uuid"].as_str().unwrap().to_owned();
    let id: BatchId = uuid.parse().unwrap();
    let batch = store::batch::find(&service.db, id).await.unwrap().unwrap();
    let fence = claim(&service.db, &batch, &me()).await.unwrap();
    begin(&service.db, fence, vec![0]).await.unwrap();
    let change = Change {
        place: 0,
        node: leased,
        name: Some("m1".into()),
        state: BatchNodeState::Failed,
        reason: Some("the node is enroll".into()),
        last_error: Some("no route to 10.9.8.7".into()),
    };
    settle(&service.db, fence, vec![change]).await.unwrap();
    let hidden = HiddenFields::LAST_ERROR;
    for (persona, error) in [
        ("reader@system", "no route to 10.9.8.7"),
        ("reader@p1", "no route to 10.9.8.7"),
        ("reader@p2", hidden),
    ] {
        let path = format!("{PATH}/{uuid}/nodes");
        let nodes = service.get_as(persona, &path).await.json();
        let expected = format!("the node is enroll: {error}");
        assert_eq!(nodes["nodes"][0]["reason"], expected, "{persona}");
        let events = format!("/corten/v1/events?after={before}&kind=batch");
        let events = service.get_as(persona, &events).await;
        assert!(events.text.contains("the node is enroll"), "{persona}");
        assert!(!events.text.contains("10.9.8.7"), "{persona}");
    }
}

#[tokio::test]
async fn nodes_that_have_other_owners_since_are_found_and_those_deleted_stay_with_theirs() {
    let service = Service::guarded();
    node(&service, "a1", Some("p1")).await;
    let sold = node(&service, "a2", Some("p1")).await;
    let body = manage(json!(["a1", "a2"]));
    let made = service.send_as("member@p1", "POST", PATH, body).await;
    let uuid = made.json()["uuid"].as_str().unwrap().to_owned();
    let id: BatchId = uuid.parse().unwrap();
    let found = async || {
        let found = hindrance(&service.db, id, None, vec![0, 1]).await;
        found.unwrap()
    };
    assert_eq!(found().await, Hindrance::default());
    let mut row = store::node::find(&service.db, sold).await.unwrap().unwrap();
    row.owner = Some("p2".into());
    let saved = store::node::save(&service.db, row, Fence::Free, Log::default()).await;
    let row = saved.unwrap();
    assert_eq!(found().await.moved, [1]);
    // Its reasons are neither for the old nor for the new owner alone.
    let path = format!("{PATH}/{uuid}");
    for persona in ["reader@p1", "reader@p2"] {
        assert_eq!(service.get_as(persona, &path).await.status, 404);
    }
    store::node::delete(&service.db, &row, Log::default())
        .await
        .unwrap();
    assert_eq!(found().await.moved, Vec::<i64>::new());
    assert_eq!(service.get_as("reader@p1", &path).await.status, 200);
    assert_eq!(service.get_as("reader@p2", &path).await.status, 404);
}

#[tokio::test]
async fn one_project_cannot_take_all_places() {
    let service = Service::guarded();
    for project in ["p1", "p2"] {
        node(&service, &format!("{project}-1"), Some(project)).await;
    }
    let make = async |project: &str| {
        let body = manage(json!([format!("{project}-1")]));
        let persona = format!("member@{project}");
        service.send_as(&persona, "POST", PATH, body).await
    };
    for _ in 0..store::batch::MOST_OPEN_OF_ONE {
        assert_eq!(make("p1").await.status, 201);
    }
    let refused = make("p1").await;
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(refused.text.contains("of this project"), "{refused:?}");
    assert_eq!(make("p2").await.status, 201);
}
