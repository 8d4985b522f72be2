//! `POST /corten/v1/nodes/{node}/plan`: what a provision verb would do. Nothing happens.
//!
//! The body is that of `PUT /v1/nodes/{node}/states/provision`. Whether it would be accepted is
//! judged by the same code; what the drivers say about the node, and which of its disks the root
//! device hints mean, stands beside it.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    v1::provision,
};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use types::{
    InterfaceKind, JsonMap, Node,
    hint::{self, Side},
    rpc::{Plan, PlannedStep, StepSource},
};

const MORE_STEPS: &str = "The agent adds steps of its own when it has booted.";

pub(crate) async fn post(call: Call) -> Result<Reply, ApiError> {
    let planned = provision::plan(&call).await?;
    let (node, target) = (&planned.node, Target::node(&planned.node));
    let (plan, refusal) = match planned.plan {
        Ok(plan) => {
            let refusal = plan.refusal.clone().map(ApiError::from);
            (plan, refusal)
        }
        Err(refusal) => (Plan::default(), Some(refusal)),
    };
    let validation = match call.allows(Rule::NodeValidate, &target) {
        true => json!(validation(&call, node).await?),
        false => Value::Null,
    };
    let (root_device, disks) = match call.allows(Rule::NodeInventoryGet, &target) {
        true => disks(&call, node).await?,
        false => (Value::Null, Value::Null),
    };
    let document = json!({
        "node": node.id,
        "name": node.name,
        "target": planned.word,
        "verb": planned.verb,
        "is_accepted": refusal.is_none(),
        "refusal": refusal.as_ref().map(|refusal| json!({
            "status": refusal.status().as_u16(), "text": refusal.text(),
        })),
        "states": plan.states,
        "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
        "more_steps": plan.has_more_steps.then_some(MORE_STEPS),
        "validation": validation,
        "root_device": root_device,
        "disks": disks,
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

fn step(step: &PlannedStep) -> Value {
    let source = match &step.source {
        StepSource::Request => "request".to_owned(),
        StepSource::Driver => "driver".to_owned(),
        StepSource::Runbook => "runbook".to_owned(),
        StepSource::Template(name) => format!("template {name}"),
    };
    json!({
        "interface": step.interface, "step": step.step, "priority": step.priority,
        "args": step.args, "source": source,
    })
}

/// What the drivers say about what the node says.
async fn validation(call: &Call, node: &Node) -> Result<Vec<Value>, ApiError> {
    let found = call.state.conductor.validate(node.id).await?;
    let shown = InterfaceKind::ALL.iter().map(|kind| {
        let verdict = found.iter().find(|verdict| verdict.interface == *kind);
        json!({
            "interface": kind,
            "result": verdict.map(|verdict| verdict.reason.is_none()),
            "reason": verdict.and_then(|verdict| verdict.reason.as_deref()),
        })
    });
    Ok(shown.collect())
}

/// The root device hints, and the disks of the last inspection with those that the hints mean.
async fn disks(call: &Call, node: &Node) -> Result<(Value, Value), ApiError> {
    let hints = node.instance_info.get("root_device");
    let hints = hints.or_else(|| node.properties.get("root_device"));
    let hints = hints.filter(|hints| hints.as_object().is_some_and(|map| !map.is_empty()));
    let found = match &call.state.inventories {
        None => store::inventory::find(&call.state.db, node.id).await?,
        Some(archive) => archive
            .find(node.id)
            .await
            .map_err(|why| ApiError::service(StatusCode::INTERNAL_SERVER_ERROR, why))?,
    };
    let inventory = found.map(|found| found.inventory);
    let all = inventory.as_ref().and_then(|found| found.get("disks"));
    let Some(all) = all.and_then(Value::as_array) else {
        let root = hints.map(|hints| json!({"hint": hints, "error": null}));
        return Ok((json!(root), Value::Null));
    };
    let all: Vec<&JsonMap> = all.iter().filter_map(Value::as_object).collect();
    let fitting = hints.map(|hints| hint::fitting(Side::Agent, &all, hints));
    let (fitting, error) = match fitting {
        None => (None, None),
        Some(Ok(fitting)) => (Some(fitting), None),
        Some(Err(error)) => (Some(Vec::new()), Some(error)),
    };
    // An agent can name as many disks as it likes: nothing is looked for in all of them for each.
    let fitting: Option<HashSet<*const JsonMap>> =
        fitting.map(|found| found.into_iter().map(std::ptr::from_ref).collect());
    let common = Common::of(&all);
    let shown = all.iter().map(|disk| {
        let part = |key: &str| disk.get(key).cloned().unwrap_or_default();
        let fits = fitting
            .as_ref()
            .map(|fitting| fitting.contains(&std::ptr::from_ref(*disk)));
        json!({
            "name": part("name"), "size": part("size"), "model": part("model"),
            "vendor": part("vendor"), "serial": part("serial"), "wwn": part("wwn"),
            "by_path": part("by_path"), "rotational": part("rotational"),
            "fits": fits, "hint": common.strictest(disk),
        })
    });
    let shown: Vec<Value> = shown.collect();
    let root = hints.map(|hints| json!({"hint": hints, "error": error}));
    Ok((json!(root), Value::Array(shown)))
}

/// How many disks have a value that hints can name.
struct Common<'d>(HashMap<(&'static str, &'d str), usize>);

impl<'d> Common<'d> {
    const KEYS: [&'static str; 3] = ["wwn", "serial", "by_path"];

    fn of(all: &[&'d JsonMap]) -> Self {
        let mut counts = HashMap::new();
        for disk in all {
            for key in Self::KEYS {
                if let Some(value) = disk.get(key).and_then(Value::as_str) {
                    *counts.entry((key, value)).or_default() += 1;
                }
            }
        }
        Self(counts)
    }

    /// The hint that means this disk and no other, however disks are named at the next boot.
    fn strictest(&self, disk: &'d JsonMap) -> Option<Value> {
        Self::KEYS.into_iter().find_map(|key| {
            let own = disk.get(key).and_then(Value::as_str);
            let own = own.filter(|own| !own.is_empty())?;
            (self.0.get(&(key, own)) == Some(&1)).then(|| json!({key: own}))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::{Value, json};
    use types::{Inventory, Node, NodeId, ProvisionState};

    async fn node(service: &Service) -> Node {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        node.provision_state = ProvisionState::Available;
        (node.owner, node.lessee) = (Some("p1".into()), Some("p2".into()));
        let hint = json!({"serial": "B"});
        node.properties.insert("root_device".into(), hint);
        service.store_node(node).await
    }

    const PATH: &str = "/corten/v1/nodes/n1/plan";

    #[tokio::test]
    async fn a_refusal_is_a_part_of_the_plan_and_the_conductor_is_only_asked() {
        let service = Service::new();
        let node = node(&service).await;
        let fine = service
            .send("POST", PATH, 115, json!({"target": "active"}))
            .await;
        assert_eq!(fine.status, 200, "{}", fine.text);
        let plan = fine.json();
        assert_eq!(
            (&plan["is_accepted"], &plan["verb"]),
            (&json!(true), &json!("deploy"))
        );
        let asked = service.conductor.asked.lock().unwrap().clone();
        assert!(asked[0].starts_with("plan \"active\""), "{asked:?}");
        assert!(
            !asked.iter().any(|call| call.starts_with("provision")),
            "{asked:?}"
        );
        let refused = service
            .send("POST", PATH, 115, json!({"target": "rescue"}))
            .await;
        let plan = refused.json();
        assert_eq!(plan["is_accepted"], false);
        assert_eq!(plan["refusal"]["status"], 400);
        let text = plan["refusal"]["text"].as_str().unwrap();
        assert!(text.contains("can not be performed on node"), "{text}");
        let same = service
            .send(
                "PUT",
                "/v1/nodes/n1/states/provision",
                115,
                json!({"target": "rescue"}),
            )
            .await;
        assert_eq!(same.fault(), text);
        let kept = store::node::find(&service.db, node.id).await.unwrap();
        assert_eq!(kept.unwrap().version, node.version);
    }

    #[tokio::test]
    async fn disks_that_fit_the_hints_are_told() {
        let service = Service::new();
        let node = node(&service).await;
        let none = service
            .send("POST", PATH, 115, json!({"target": "active"}))
            .await;
        assert_eq!(none.json()["disks"], Value::Null);
        let inventory = json!({"disks": [
            {"name": "/dev/sda", "size": 10, "serial": "A", "wwn": "0x1"},
            {"name": "/dev/sdb", "size": 20, "serial": "B", "wwn": "0x2"},
            {"name": "/dev/sdc", "size": 20, "serial": "B2", "wwn": "0x2"},
        ]});
        let found = Inventory {
            inventory: inventory.as_object().unwrap().clone(),
            ..Inventory::default()
        };
        store::inventory::save(&service.db, node.id, found)
            .await
            .unwrap();
        let plan = service
            .send("POST", PATH, 115, json!({"target": "active"}))
            .await;
        let plan = plan.json();
        let fits: Vec<&Value> = plan["disks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|d| &d["fits"])
            .collect();
        assert_eq!(fits, [&json!(false), &json!(true), &json!(false)]);
        assert_eq!(plan["disks"][0]["hint"], json!({"wwn": "0x1"}));
        assert_eq!(plan["disks"][1]["hint"], json!({"serial": "B"}));
        assert_eq!(plan["root_device"]["hint"], json!({"serial": "B"}));
    }

    #[tokio::test]
    async fn it_is_for_those_who_may_ask_for_it() {
        let service = Service::guarded();
        node(&service).await;
        for (persona, status) in [
            ("admin@system", 200),
            ("member@p1", 200),
            ("reader@p1", 403),
            ("admin@p3", 404),
        ] {
            let body = json!({"target": "active"});
            let answer = service.send_as(persona, "POST", PATH, body).await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
        }
    }
}
