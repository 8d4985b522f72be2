//! Logs and what they tell.

use super::*;
use types::{NodeId, progress::Progress};

const START: Timestamp = Timestamp(1_700_000_000_000_000);

/// A log that is written one event a second.
struct Log {
    node: NodeId,
    events: Vec<LoggedEvent>,
}

impl Log {
    fn new() -> Self {
        Self {
            node: NodeId::generate(),
            events: Vec::new(),
        }
    }

    fn add(mut self, kind: EventKind, text: &str, data: Value) -> Self {
        let count = i64::try_from(self.events.len()).unwrap();
        self.events.push(LoggedEvent {
            cursor: count,
            at: START.plus_seconds(count),
            node: self.node,
            node_name: None,
            kind,
            text: text.to_owned(),
            data,
            user: Some("u".into()),
            project: None,
            request_id: None,
        });
        self
    }

    fn moved(self, from: &str, to: &str, event: &str) -> Self {
        let data = json!({"from": from, "to": to, "event": event});
        self.add(EventKind::Provision, "moved", data)
    }

    fn step(self, name: &str) -> Self {
        self.add(
            EventKind::Step,
            "step",
            json!({"kind": "deploy", "step": name}),
        )
    }

    fn waits(self, what: &str) -> Self {
        self.waits_with(json!({"kind": "deploy", "wait": what}))
    }

    fn boots(self, what: &str) -> Self {
        self.waits_with(json!({"kind": "deploy", "wait": what, "boots": true}))
    }

    fn waits_with(self, data: Value) -> Self {
        self.add(EventKind::Step, "waiting", data)
            .moved("deploying", "wait call-back", "wait")
    }

    fn error(self, text: &str) -> Self {
        self.add(EventKind::Error, text, json!({}))
    }

    fn told(&self, node: &Node, live: &Live) -> Vec<Value> {
        let count = i64::try_from(self.events.len()).unwrap();
        let ground = Ground {
            node,
            live,
            now: START.plus_seconds(count),
        };
        let flows = flows(&self.events, ground.live);
        flows.iter().map(|flow| flow.document(&ground)).collect()
    }

    fn read(&self) -> Vec<Value> {
        let node = Node::new(self.node, "fake-hardware");
        self.told(&node, &Live::default())
    }
}

fn names(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|item| {
        let state = item.get("state").or_else(|| item.get("by")).unwrap();
        format!(
            "{} {}",
            item["name"].as_str().unwrap(),
            state.as_str().unwrap()
        )
    })
    .collect()
}

fn writing() -> Log {
    Log::new()
        .moved("available", "deploying", "deploy")
        .step("deploy.deploy")
        .boots("the ramdisk's first heartbeat")
        .moved("wait call-back", "deploying", "resume")
        .step("deploy.write_image")
        .waits("agent command write_image")
        .add(
            EventKind::Step,
            "the agent: writing image",
            json!({"phase": "writing image"}),
        )
}

#[test]
fn a_deployment_is_told_from_the_first_step_to_the_last() {
    let log = writing()
        .moved("wait call-back", "deploying", "resume")
        .step("deploy.boot_instance")
        .moved("deploying", "active", "done");
    let flows = log.read();
    assert_eq!(flows.len(), 1);
    let flow = &flows[0];
    assert_eq!(flow["verb"], "deploy");
    assert_eq!(
        (&flow["state"], &flow["result"]),
        (&json!("done"), &json!("active"))
    );
    assert_eq!(flow["requested_by"]["user"], "u");
    assert_eq!(flow["waiting"], json!(null));
    assert_eq!(
        names(&flow["steps"]),
        [
            "deploy.deploy done",
            "deploy.write_image done",
            "deploy.boot_instance done"
        ]
    );
    assert_eq!(
        names(&flow["phases"]),
        [
            "preparing conductor",
            "running steps conductor",
            "booting the ramdisk conductor",
            "running steps conductor",
            "writing image agent"
        ]
    );
    assert_eq!(flow["duration"], 11.0);
    assert_eq!(flow["phases"][2]["duration"], 2.0);
}

#[test]
fn what_goes_on_tells_what_it_waits_for_and_how_far_it_is() {
    let log = writing();
    let mut node = Node::new(log.node, "fake-hardware");
    node.provision_state = S::DeployWait;
    let steps = ["deploy", "write_image", "boot_instance"];
    let steps = steps.map(|step| json!({"interface": "deploy", "step": step}));
    let info = json!({"deploy_steps": steps, "deploy_step_index": 1});
    node.driver_internal_info = info.as_object().cloned().unwrap().into();
    let mut live = Live::default();
    let progress = Progress {
        phase: "writing image".into(),
        bytes: 10,
        total: Some(110),
        rate: Some(20),
        command: None,
    };
    live.progress = Some((progress, START));
    let flow = log.told(&node, &live).pop().unwrap();
    assert_eq!(flow["state"], "running");
    assert_eq!(flow["waiting"]["for"], "agent command write_image");
    assert_eq!(flow["waiting"]["duration"], 3.0);
    assert_eq!(flow["progress"]["eta"], 5);
    assert_eq!(
        names(&flow["steps"]),
        [
            "deploy.deploy done",
            "deploy.write_image waiting",
            "deploy.boot_instance pending"
        ]
    );
    // What the conductor does this moment is nearer than what the log says.
    live.awaits = Some(("BMC to power on".into(), START));
    let flow = log.told(&node, &live).pop().unwrap();
    assert_eq!(flow["waiting"]["for"], "BMC to power on");
}

#[test]
fn failures_name_their_step_and_their_reason() {
    let log = writing()
        .moved("wait call-back", "deploy failed", "fail")
        .error("too late");
    let flow = log.read().pop().unwrap();
    assert_eq!(
        (&flow["state"], &flow["error"]),
        (&json!("failed"), &json!("too late"))
    );
    assert_eq!(names(&flow["steps"])[1], "deploy.write_image failed");
    // What goes wrong afterwards does not cover it.
    let log = log.error("and the machine cannot be put back");
    assert_eq!(log.read().pop().unwrap()["error"], "too late");
    let aborted = writing().moved("wait call-back", "deploy failed", "abort");
    assert_eq!(aborted.read().pop().unwrap()["state"], "aborted");
}

#[test]
fn taking_an_instance_off_and_cleaning_are_one_operation() {
    let log = Log::new()
        .moved("active", "deleting", "delete")
        .moved("deleting", "cleaning", "clean")
        .moved("cleaning", "available", "done")
        .moved("available", "manageable", "manage")
        .moved("manageable", "inspecting", "inspect");
    let flows = log.read();
    let verbs: Vec<&str> = flows.iter().map(|f| f["verb"].as_str().unwrap()).collect();
    assert_eq!(
        verbs,
        ["delete", "inspect"],
        "moves between rest are no operations"
    );
    assert_eq!(
        names(&flows[0]["phases"]),
        [
            "taking the instance off conductor",
            "preparing to clean conductor"
        ]
    );
    assert_eq!(flows[1]["state"], "running");
}

#[test]
fn a_log_that_begins_in_the_middle_is_no_trouble() {
    let log = Log::new()
        .step("deploy.write_image")
        .moved("wait call-back", "deploying", "resume")
        .error("x")
        .add(EventKind::Provision, "odd", json!({"from": 7, "to": null}))
        .moved("deploying", "active", "done");
    assert_eq!(log.read(), Vec::<Value>::new());
}

#[test]
fn restarts_are_counted_and_holds_are_waits() {
    let log = Log::new()
        .moved("available", "deploying", "deploy")
        .add(EventKind::Resumed, "going on", json!({}))
        .step("deploy.hold")
        .moved("deploying", "deploy hold", "hold");
    let flow = log.read().pop().unwrap();
    assert_eq!(flow["restarts"], 1);
    assert_eq!(flow["waiting"]["for"], "somebody to let it go on (unhold)");
}

#[test]
fn a_rescue_tells_where_to_log_in() {
    let log = Log::new().moved("active", "rescuing", "rescue").add(
        EventKind::Step,
        "the rescue system runs",
        json!({"kind": "rescue", "address": "10.0.0.5"}),
    );
    let flows = log.moved("rescuing", "rescue", "done").read();
    assert_eq!(flows[0]["address"], "10.0.0.5");
    assert_eq!(writing().read()[0]["address"], json!(null));
}
