//! Operations, put together from the events that they left.
//!
//! An operation begins when a node leaves a state in which nothing was under way, and ends with the
//! next such state. In between events tell of steps, of waits and of the phases of agents; what is
//! still to come stands in the node's row. Events that mean nothing here are passed over, so that a
//! log of an older or newer service can be read as well.

use serde_json::{Value, json};
use types::{
    Node, ProvisionState as S, Timestamp, Verb,
    event::{EventKind, LoggedEvent},
    progress::Live,
    provision::StateClass,
    step::StepKind,
};

/// What holds for all operations of a node.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    pub(super) node: &'a Node,
    pub(super) live: &'a Live,
    pub(super) now: Timestamp,
}

/// A stretch of time in an operation.
#[derive(Debug, Clone, PartialEq)]
struct Stretch {
    name: String,
    /// Of steps: `done`, `running`, `waiting`, `failed`, `aborted`; of phases: who works.
    state: &'static str,
    start: Timestamp,
    end: Option<Timestamp>,
}

impl Stretch {
    fn document(&self, key: &str, now: Timestamp) -> Value {
        let end = self.end.unwrap_or(now);
        json!({
            "name": self.name, key: self.state, "started_at": self.start.to_string(),
            "duration": seconds(self.start, end),
        })
    }
}

/// Whoever asked for an operation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Requester {
    user: Option<String>,
    project: Option<String>,
    request_id: Option<String>,
}

/// Where an operation is.
#[derive(Debug)]
pub(in crate::corten) struct Brief<'a> {
    pub(in crate::corten) verb: &'a str,
    pub(in crate::corten) started_at: Timestamp,
    pub(in crate::corten) phase: Option<&'a str>,
    pub(in crate::corten) step: Option<&'a str>,
    /// For what, and since when.
    pub(in crate::corten) waiting: Option<(&'a str, Timestamp)>,
}

/// One operation.
#[derive(Debug)]
pub(in crate::corten) struct Flow {
    verb: String,
    pub(super) requested_by: Option<Requester>,
    start: Timestamp,
    end: Option<Timestamp>,
    state: &'static str,
    /// Where the node went at the end.
    result: Option<String>,
    phases: Vec<Stretch>,
    steps: Vec<Stretch>,
    waiting: Option<(String, Timestamp)>,
    /// Where people find what the operation left running.
    address: Option<String>,
    pub(super) error: Option<String>,
    pub(super) warnings: Vec<String>,
    resumed: u32,
}

const WE: &str = "conductor";
const AGENT: &str = "agent";
const STEPS: &str = "running steps";
const BOOT: &str = "booting the ramdisk";

/// The operations that the events tell of, oldest first.
pub(in crate::corten) fn flows(events: &[LoggedEvent], live: &Live) -> Vec<Flow> {
    let mut flows: Vec<Flow> = Vec::new();
    for event in events {
        match event.kind {
            EventKind::Provision => moved(&mut flows, event),
            EventKind::Step => {
                if let Some(flow) = flows.last_mut().filter(|flow| flow.end.is_none()) {
                    flow.step(event);
                }
            }
            EventKind::Error => {
                // That of a time-out comes after the move.
                let broken = |flow: &&mut Flow| flow.end.is_none() || flow.error.is_none();
                if let Some(flow) = flows.last_mut().filter(broken) {
                    flow.error = Some(event.text.clone());
                }
            }
            EventKind::Warning => {
                if let Some(flow) = flows.last_mut().filter(|flow| flow.end.is_none()) {
                    flow.warnings.push(event.text.clone());
                }
            }
            EventKind::Resumed => {
                if let Some(flow) = flows.last_mut().filter(|flow| flow.end.is_none()) {
                    flow.resumed += 1;
                    flow.wake(event.at);
                }
            }
            _ => {}
        }
    }
    // An error of an operation that came to a good end was something else's.
    for flow in flows.iter_mut().filter(|flow| flow.state == "done") {
        flow.error = None;
    }
    if let Some(flow) = flows.last_mut().filter(|flow| flow.end.is_none()) {
        flow.look(live);
    }
    flows
}

fn moved(flows: &mut Vec<Flow>, event: &LoggedEvent) {
    let state = |key: &str| {
        event
            .data
            .get(key)
            .and_then(Value::as_str)?
            .parse::<S>()
            .ok()
    };
    let (Some(from), Some(to)) = (state("from"), state("to")) else {
        return;
    };
    let verb = event.data.get("event").and_then(Value::as_str);
    let verb = verb.unwrap_or_default();
    let is_over = |state: S| matches!(state.class(), StateClass::Stable | StateClass::Failed);
    if is_over(from) {
        // From rest to rest: nothing was done.
        if !is_over(to) {
            flows.push(Flow::new(verb, to, event));
        }
        return;
    }
    let Some(flow) = flows.last_mut().filter(|flow| flow.end.is_none()) else {
        return;
    };
    if is_over(to) {
        flow.finish(verb, to, event.at);
        return;
    }
    match to.class() {
        StateClass::Hold => flow.wait("somebody to let it go on (unhold)", false, event.at),
        StateClass::Transient if verb == Verb::Resume.as_str() => flow.wake(event.at),
        StateClass::Transient => flow.phase(named(to), WE, event.at),
        _ => {}
    }
}

/// What is done first in a state.
fn named(state: S) -> &'static str {
    match state {
        S::Deleting => "taking the instance off",
        S::Cleaning => "preparing to clean",
        S::Verifying => "verifying",
        _ => "preparing",
    }
}

fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    let micros = to.0.saturating_sub(from.0).max(0);
    // Tenths are as exact as anybody reads.
    let tenths = micros / 100_000;
    #[expect(clippy::cast_precision_loss, reason = "durations are far below 2^53")]
    let tenths = tenths as f64;
    tenths / 10.0
}

impl Flow {
    fn new(verb: &str, to: S, event: &LoggedEvent) -> Self {
        let mut flow = Self {
            verb: verb.to_owned(),
            requested_by: Some(Requester {
                user: event.user.clone(),
                project: event.project.clone(),
                request_id: event.request_id.clone(),
            }),
            start: event.at,
            end: None,
            state: "running",
            result: None,
            phases: Vec::new(),
            steps: Vec::new(),
            waiting: None,
            address: None,
            error: None,
            warnings: Vec::new(),
            resumed: 0,
        };
        flow.phase(named(to), WE, event.at);
        flow
    }

    fn phase(&mut self, name: &str, who: &'static str, at: Timestamp) {
        self.end_phases(at, |_| true);
        self.phases.push(Stretch {
            name: name.to_owned(),
            state: who,
            start: at,
            end: None,
        });
    }

    fn end_phases(&mut self, at: Timestamp, which: impl Fn(&Stretch) -> bool) {
        for phase in &mut self.phases {
            if phase.end.is_none() && which(phase) {
                phase.end = Some(at);
            }
        }
    }

    fn step(&mut self, event: &LoggedEvent) {
        let at = event.at;
        let text = |key: &str| event.data.get(key).and_then(Value::as_str);
        if let Some(name) = text("step") {
            self.waiting = None;
            let again = self
                .steps
                .last()
                .is_some_and(|last| last.name == name && last.end.is_none());
            if again {
                self.mark("running");
            } else {
                self.end_step("done", at);
                self.steps.push(Stretch {
                    name: name.to_owned(),
                    state: "running",
                    start: at,
                    end: None,
                });
            }
            self.end_phases(at, |phase| phase.state == AGENT);
            let is_open = |phase: &Stretch| phase.name == STEPS && phase.end.is_none();
            if !self.phases.iter().any(is_open) {
                self.phase(STEPS, WE, at);
            }
        } else if let Some(what) = text("wait") {
            // Events of versions before this key have no such phase.
            let boots = event.data.get("boots").and_then(Value::as_bool);
            self.wait(what, boots.unwrap_or_default(), at);
        } else if let Some(address) = text("address") {
            self.address = Some(address.to_owned());
        } else if let Some(name) = text("phase") {
            self.end_phases(at, |phase| phase.state == AGENT);
            self.phases.push(Stretch {
                name: name.to_owned(),
                state: AGENT,
                start: at,
                end: None,
            });
        }
    }

    fn wait(&mut self, what: &str, boots: bool, at: Timestamp) {
        self.waiting = Some((what.to_owned(), at));
        self.mark("waiting");
        if boots {
            self.phase(BOOT, WE, at);
        }
    }

    /// Somebody works on the node again.
    fn wake(&mut self, at: Timestamp) {
        self.waiting = None;
        self.mark("running");
        self.end_phases(at, |phase| phase.state == AGENT || phase.name == BOOT);
    }

    fn mark(&mut self, state: &'static str) {
        if let Some(step) = self.steps.last_mut().filter(|step| step.end.is_none()) {
            step.state = state;
        }
    }

    fn end_step(&mut self, state: &'static str, at: Timestamp) {
        if let Some(step) = self.steps.last_mut().filter(|step| step.end.is_none()) {
            step.state = state;
            step.end = Some(at);
        }
    }

    fn finish(&mut self, verb: &str, to: S, at: Timestamp) {
        let failed = to.class() == StateClass::Failed || to == S::Error;
        self.state = if verb == Verb::Abort.as_str() {
            "aborted"
        } else if failed || verb == Verb::Fail.as_str() {
            "failed"
        } else {
            "done"
        };
        self.end_step(self.state, at);
        self.end_phases(at, |_| true);
        self.waiting = None;
        self.result = Some(to.to_string());
        self.end = Some(at);
    }

    /// What is known about an operation that goes on, besides what the log tells.
    fn look(&mut self, live: &Live) {
        if let Some((what, since)) = &live.awaits {
            self.waiting = Some((what.clone(), *since));
        }
    }

    /// Where an operation is that has not ended.
    pub(in crate::corten) fn brief(&self) -> Option<Brief<'_>> {
        if self.end.is_some() {
            return None;
        }
        fn open(stretches: &[Stretch]) -> Option<&Stretch> {
            stretches.iter().rfind(|part| part.end.is_none())
        }
        Some(Brief {
            verb: &self.verb,
            started_at: self.start,
            phase: open(&self.phases).map(|phase| phase.name.as_str()),
            step: open(&self.steps).map(|step| step.name.as_str()),
            waiting: self
                .waiting
                .as_ref()
                .map(|(what, since)| (what.as_str(), *since)),
        })
    }

    /// How the operation ended, in one sentence.
    pub(in crate::corten) fn ending(&self) -> Option<String> {
        let took = seconds(self.start, self.end?);
        let last = self.phases.last().map(|phase| phase.name.as_str());
        Some(match last {
            Some(phase) if self.state != "done" => {
                format!("{} {} after {took} s in \"{phase}\"", self.verb, self.state)
            }
            _ => format!("{} {} after {took} s", self.verb, self.state),
        })
    }

    /// Steps that the node's row has after the last one that began.
    fn pending(&self, node: &Node) -> Vec<Value> {
        let kind = match node.provision_state {
            S::Deploying | S::DeployWait | S::DeployHold => StepKind::Deploy,
            S::Cleaning | S::CleanWait | S::CleanHold => StepKind::Clean,
            S::Servicing | S::ServiceWait | S::ServiceHold => StepKind::Service,
            _ => return Vec::new(),
        };
        let info = &node.driver_internal_info;
        let begun = info
            .step_index(kind)
            .map_or(0, |index| index.saturating_add(1));
        let left = info.steps(kind).into_iter().skip(begun);
        left.map(|step| json!({"name": step.name(), "state": "pending"}))
            .collect()
    }

    pub(super) fn document(&self, ground: &Ground<'_>) -> Value {
        let now = ground.now;
        let runs = self.end.is_none();
        let steps = self.steps.iter().map(|step| step.document("state", now));
        let mut steps: Vec<Value> = steps.collect();
        if runs {
            steps.extend(self.pending(ground.node));
        }
        let phases = self.phases.iter().map(|phase| phase.document("by", now));
        let progress = ground.live.progress.as_ref().filter(|_| runs);
        json!({
            "verb": self.verb,
            "requested_by": self.requested_by.as_ref().map(|who| json!({
                "user": who.user, "project": who.project, "request_id": who.request_id,
            })),
            "started_at": self.start.to_string(),
            "ended_at": self.end.map(|end| end.to_string()),
            "duration": seconds(self.start, self.end.unwrap_or(now)),
            "state": self.state,
            "result": self.result,
            "phases": phases.collect::<Vec<_>>(),
            "steps": steps,
            "waiting": self.waiting.as_ref().map(|(what, since)| json!({
                "for": what, "since": since.to_string(), "duration": seconds(*since, now),
            })),
            "progress": progress.map(|(progress, at)| json!({
                "phase": progress.phase, "command": progress.command, "bytes": progress.bytes,
                "total": progress.total, "rate": progress.rate, "eta": progress.eta(),
                "at": at.to_string(),
            })),
            "address": self.address,
            "restarts": self.resumed,
            "warnings": self.warnings,
            "error": self.error,
        })
    }
}

#[cfg(test)]
#[path = "story/tests.rs"]
mod tests;
