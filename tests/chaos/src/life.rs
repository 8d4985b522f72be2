//! The lives that machines lead meanwhile.
//!
//! Each task has machines of its own, so it alone knows what was asked of them. It looks at one,
//! asks for something that suits its state, and goes on to the next without waiting: the machines
//! of all tasks together are always at something.

mod ledger;
mod next;

pub(crate) use ledger::{Certainty, Ledger};

use crate::{
    account::{Front, Outcome},
    http::Request,
};
use next::Action;
use scenario::random::Random;
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::sleep;

/// The class that allocations ask for.
pub(crate) const CLASS: &str = "chaos";

/// Between two looks of a task, in milliseconds.
const PAUSE_MS: (u64, u64) = (50, 700);

/// A task and its machines.
#[derive(Debug)]
pub(crate) struct Keeper {
    front: Arc<Front>,
    random: Random,
    pub(crate) nodes: Vec<Ledger>,
}

impl Keeper {
    pub(crate) fn new(front: Arc<Front>, random: Random, count: usize) -> Self {
        Self {
            front,
            random,
            nodes: (0..count).map(|_| Ledger::new()).collect(),
        }
    }

    /// Creates its machines, while nothing disturbs.
    pub(crate) async fn enroll(mut self) -> Self {
        for index in 0..self.nodes.len() {
            while self.nodes[index].exists != Certainty::Yes {
                self.create(index).await;
            }
        }
        self
    }

    /// Leads lives until told to stop.
    pub(crate) async fn lead(mut self, stop: Arc<AtomicBool>) -> Self {
        while !stop.load(Ordering::Relaxed) {
            let index = self.random.below(self.nodes.len());
            self.visit(index).await;
            let (least, most) = PAUSE_MS;
            sleep(self.random.between(least, most)).await;
        }
        self
    }

    async fn visit(&mut self, index: usize) {
        if self.nodes[index].exists == Certainty::No {
            // Its end was answered, so it stays gone; another one takes its place.
            let old = std::mem::replace(&mut self.nodes[index], Ledger::new());
            self.nodes.push(old);
            return self.create(index).await;
        }
        let path = format!("/v1/nodes/{}", self.nodes[index].id);
        match self.front.read(&mut self.random, path).await {
            Outcome::Accepted(answer) => {
                let Ok(node) = serde_json::from_slice(&answer.body) else {
                    let odd = format!("a node without JSON: {}", answer.text());
                    self.front.told().odd.push(odd);
                    return;
                };
                if !self.nodes[index].is_doomed {
                    self.nodes[index].exists = Certainty::Yes;
                }
                self.act(index, &node).await;
            }
            Outcome::Refused(answer) if answer.status == 404 => {
                if self.nodes[index].exists == Certainty::Yes {
                    let odd = format!("node {} is gone", self.nodes[index].id);
                    self.front.told().odd.push(odd);
                }
                self.nodes[index].exists = Certainty::No;
            }
            Outcome::Refused(_) | Outcome::Unknown => {}
        }
    }

    async fn act(&mut self, index: usize, node: &Value) {
        let action = next::action(node, &mut self.random);
        let id = self.nodes[index].id;
        let of = |rest: &str| format!("/v1/nodes/{id}/{rest}");
        match action {
            Action::Rest => {}
            Action::Provision(body) => {
                let what = format!("{id} provision {body}");
                let request = Request::new("PUT", of("states/provision")).json(body);
                self.front.ask(&mut self.random, request, &what).await;
            }
            Action::Power(target) => {
                let body = json!({"target": target});
                let request = Request::new("PUT", of("states/power")).json(body);
                let what = format!("{id} {target}");
                self.front.ask(&mut self.random, request, &what).await;
            }
            Action::Maintenance(on) => {
                let method = if on { "PUT" } else { "DELETE" };
                let request = Request::new(method, of("maintenance"));
                let what = format!("{id} maintenance {on}");
                self.front.ask(&mut self.random, request, &what).await;
            }
            Action::Patch => self.patch(index).await,
            Action::Delete => {
                let request = Request::new("DELETE", format!("/v1/nodes/{id}"));
                let what = format!("{id} delete");
                match self.front.ask(&mut self.random, request, &what).await {
                    Outcome::Accepted(_) => self.nodes[index].exists = Certainty::No,
                    Outcome::Unknown => {
                        self.nodes[index].exists = Certainty::Maybe;
                        self.nodes[index].is_doomed = true;
                    }
                    Outcome::Refused(_) => {}
                }
            }
        }
    }

    async fn patch(&mut self, index: usize) {
        let (id, value) = (self.nodes[index].id, self.nodes[index].next_value());
        let body = json!([{"op": "add", "path": "/extra/n", "value": value}]);
        let request = Request::new("PATCH", format!("/v1/nodes/{id}")).json(body);
        let what = format!("{id} patch {value}");
        match self.front.ask(&mut self.random, request, &what).await {
            Outcome::Accepted(_) => self.nodes[index].accepted_value = Some(value),
            Outcome::Unknown => self.nodes[index].unknown_values.push(value),
            Outcome::Refused(_) => {}
        }
    }

    async fn create(&mut self, index: usize) {
        let id = self.nodes[index].id;
        let body = json!({"uuid": id, "driver": "fake-hardware", "resource_class": CLASS});
        let request = Request::new("POST", "/v1/nodes").json(body);
        let what = format!("{id} create");
        let exists = match self.front.ask(&mut self.random, request, &what).await {
            Outcome::Accepted(_) => Certainty::Yes,
            Outcome::Refused(answer) if answer.status == 409 => Certainty::Yes,
            Outcome::Refused(answer) => {
                let odd = format!("{what}: {} {}", answer.status, answer.text());
                self.front.told().odd.push(odd);
                Certainty::Maybe
            }
            Outcome::Unknown => Certainty::Maybe,
        };
        self.nodes[index].exists = exists;
        if exists == Certainty::Maybe {
            sleep(Duration::from_millis(100)).await;
        }
    }
}
