//! The lives that are led meanwhile.

use super::server::Server;
use crate::http::{Answer, Request};
use scenario::random::Random;
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use types::{NodeId, ProvisionState as S, provision::StateClass};

/// A life takes seconds; one that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) struct Lives {
    server: Arc<Server>,
    left: AtomicUsize,
    /// Nodes that exist at the end.
    pub(super) nodes: Mutex<Vec<NodeId>>,
    /// Request ids of everything that was accepted, with what it was.
    pub(super) accepted: Mutex<Vec<(String, String)>>,
    /// Failures that were seen, with the error that the node told.
    failures: Mutex<Vec<(S, String)>>,
    /// Whether there is a reason to fail at all.
    may_fail: bool,
}

/// A provision verb, and where it leads.
type Stage = (Value, S);

impl Lives {
    pub(super) fn new(server: Arc<Server>, count: usize, may_fail: bool) -> Self {
        Self {
            server,
            left: AtomicUsize::new(count),
            nodes: Mutex::default(),
            accepted: Mutex::default(),
            failures: Mutex::default(),
            may_fail,
        }
    }

    /// Takes one life from those that are left.
    fn next(&self) -> bool {
        let take = |left: usize| left.checked_sub(1);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }

    /// Sends until there is an answer that is not "later"; says whether an answer was lost.
    async fn ask(&self, request: Request, what: &str) -> (Answer, bool) {
        let mut lost = false;
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            assert!(tokio::time::Instant::now() < deadline, "{what}: no end");
            match self.server.send(&request).await {
                // Locked, or a limit: whoever is at work comes first.
                Ok(answer) if answer.status == 409 && what != "create" => self.news().await,
                // The database did not answer; what it was asked for may have happened.
                Ok(answer) if answer.status == 503 => {
                    lost = true;
                    self.news().await;
                }
                Ok(answer) => {
                    assert!(answer.status < 500, "{what}: {}", answer.text());
                    if matches!(answer.status, 201 | 202 | 204) {
                        let id = answer.header("x-openstack-request-id").unwrap().to_owned();
                        self.accepted.lock().unwrap().push((id, what.to_owned()));
                    }
                    return (answer, lost);
                }
                Err(_) => lost = true,
            }
        }
    }

    async fn show(&self, node: NodeId) -> Option<Value> {
        let request = Request::new("GET", &format!("/v1/nodes/{node}"));
        let (answer, _) = self.ask(request, "show").await;
        match answer.status {
            404 => None,
            _ => Some(answer.expect(200).json()),
        }
    }

    /// Waits until something happens, or a moment if nothing does.
    async fn news(&self) {
        let request = Request::bare("GET", "/corten/v1/events?wait=1&limit=1");
        // Failing means that the service was killed: that is news too.
        let _ = self.server.send(&request).await;
    }

    /// Waits until nobody works on the node.
    async fn rest(&self, node: NodeId) -> Value {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let seen = self.show(node).await.expect("the node is gone");
            let busy = state(&seen).class() == StateClass::Transient;
            if !busy && seen["reservation"].is_null() {
                return seen;
            }
            assert!(
                tokio::time::Instant::now() < deadline,
                "nobody goes on with it: {seen:#}"
            );
            self.news().await;
        }
    }

    async fn put(&self, node: NodeId, rest: &str, body: &Value) -> (Answer, bool) {
        let path = format!("/v1/nodes/{node}/{rest}");
        self.ask(
            Request::new("PUT", &path).json(body),
            &format!("{rest} {body}"),
        )
        .await
    }

    /// Leads the node through one stage, again if it fails.
    async fn stage(&self, node: NodeId, (verb, goal): &Stage) {
        let provide = json!({"target": "provide"});
        let mut ask = verb;
        for _ in 0..20 {
            let (answer, lost) = self.put(node, "states/provision", ask).await;
            // After a lost answer the same request may be refused: it was accepted before.
            let accepted = answer.status == 202 || (lost && answer.status == 400);
            assert!(accepted, "{ask}: {} {}", answer.status, answer.text());
            let seen = self.rest(node).await;
            let now = state(&seen);
            if now == *goal {
                return;
            }
            // Putting it right may already lead to the goal, or to where another verb leads there.
            match self.recover(node, &seen, now).await {
                reached if reached == *goal => return,
                S::Manageable if *goal == S::Available => ask = &provide,
                _ => {}
            }
        }
        panic!(
            "{verb} fails again and again: {:?}",
            self.failures.lock().unwrap()
        );
    }

    /// Notes a failure, which must have a reason, and brings the node where it can be asked again;
    /// returns where that is.
    async fn recover(&self, node: NodeId, seen: &Value, now: S) -> S {
        let error = seen["last_error"].as_str().unwrap_or_default().to_owned();
        let failed = now.class() == StateClass::Failed || now == S::Error || now == S::Enroll;
        assert!(failed, "not where it should be: {seen:#}");
        assert!(!error.is_empty(), "failed without a reason: {seen:#}");
        assert!(self.may_fail, "there was nothing to fail for: {error}");
        self.failures.lock().unwrap().push((now, error));
        if seen["maintenance"] == true {
            let path = format!("/v1/nodes/{node}/maintenance");
            self.ask(Request::new("DELETE", &path), "leave maintenance")
                .await;
        }
        let (verb, goal) = match now {
            S::CleanFailed | S::InspectFailed | S::AdoptFailed => ("manage", S::Manageable),
            S::ServiceFailed => ("abort", S::Active),
            // From here the same verb may simply be said again.
            _ => return now,
        };
        self.put(node, "states/provision", &json!({"target": verb}))
            .await;
        let seen = self.rest(node).await;
        assert_eq!(state(&seen), goal, "{seen:#}");
        goal
    }

    async fn lead(&self, random: &mut Random) {
        let node = NodeId::generate();
        let body = json!({"uuid": node, "driver": "fake-hardware"});
        let request = Request::new("POST", "/v1/nodes").json(&body);
        let (created, lost) = self.ask(request, "create").await;
        let exists = created.status == 201 || (lost && created.status == 409);
        assert!(exists, "{} {}", created.status, created.text());
        self.stage(node, &verb("manage", S::Manageable)).await;
        if random.chance(40) {
            self.stage(node, &verb("inspect", S::Manageable)).await;
        }
        if random.chance(40) {
            let step = json!({"interface": "vendor", "step": "log_passthrough"});
            let clean = json!({"target": "clean", "clean_steps": [step.clone(), step]});
            self.stage(node, &(clean, S::Manageable)).await;
        }
        self.stage(node, &verb("provide", S::Available)).await;
        self.stage(node, &verb("active", S::Active)).await;
        for _ in 0..random.below(3) {
            self.use_it(node, random).await;
        }
        self.stage(node, &verb("deleted", S::Available)).await;
        if random.chance(25) {
            let request = Request::new("DELETE", &format!("/v1/nodes/{node}"));
            let (answer, lost) = self.ask(request, "delete").await;
            let gone = answer.status == 204 || (lost && answer.status == 404);
            assert!(gone, "{} {}", answer.status, answer.text());
        } else {
            self.nodes.lock().unwrap().push(node);
        }
    }

    /// Something that is done with a machine in use.
    async fn use_it(&self, node: NodeId, random: &mut Random) {
        match random.below(5) {
            0 => self.stage(node, &verb("rebuild", S::Active)).await,
            1 => {
                let rescue = json!({"target": "rescue", "rescue_password": "pw"});
                self.stage(node, &(rescue, S::Rescue)).await;
                self.stage(node, &verb("unrescue", S::Active)).await;
            }
            2 => {
                let log = json!({"interface": "vendor", "step": "log_passthrough"});
                let hold = json!({"interface": "deploy", "step": "hold"});
                let steps = json!([log.clone(), hold, log]);
                let service = json!({"target": "service", "service_steps": steps});
                self.stage(node, &(service, S::ServiceHold)).await;
                self.stage(node, &verb("unhold", S::Active)).await;
            }
            3 => {
                // Interrupted, this step fails: nobody can tell whether the machine rebooted.
                let reboot = json!({"interface": "power", "step": "reboot"});
                let service = json!({"target": "service", "service_steps": [reboot]});
                self.stage(node, &(service, S::Active)).await;
            }
            _ => {
                let target = *random.pick(&["power on", "power off", "rebooting"]);
                let (answer, _) = self
                    .put(node, "states/power", &json!({"target": target}))
                    .await;
                answer.expect(202);
                let seen = self.rest(node).await;
                // A reboot that was interrupted is not repeated, and says so.
                let told = seen["last_error"].is_string();
                assert!(seen["target_power_state"].is_null(), "{seen:#}");
                let done = seen["power_state"] == end_of(target);
                assert!(done || told, "{target}: {seen:#}");
            }
        }
    }

    /// Asks something of many nodes and waits for nothing.
    pub(super) async fn stir(&self, random: &mut Random) {
        let nodes = self.nodes.lock().unwrap().clone();
        for node in nodes.iter().take(30) {
            let verb = *random.pick(&["active", "manage"]);
            self.put(*node, "states/provision", &json!({"target": verb}))
                .await;
        }
    }

    /// Waits until every node is at rest; tells what was seen.
    pub(super) async fn settle(&self) -> String {
        let nodes = self.nodes.lock().unwrap().clone();
        for node in &nodes {
            self.rest(*node).await;
        }
        let failures = self.failures.lock().unwrap();
        let accepted = self.accepted.lock().unwrap().len();
        format!(
            "{} nodes, {accepted} requests accepted, {} failures with a reason",
            nodes.len(),
            failures.len()
        )
    }
}

fn verb(target: &str, goal: S) -> Stage {
    (json!({"target": target}), goal)
}

fn end_of(target: &str) -> &str {
    if target == "power off" {
        "power off"
    } else {
        "power on"
    }
}

fn state(node: &Value) -> S {
    node["provision_state"].as_str().unwrap().parse().unwrap()
}

/// Leads lives until none is left.
pub(super) async fn run(lives: Arc<Lives>, mut random: Random) {
    while lives.next() {
        lives.lead(&mut random).await;
    }
}
