//! `GET /corten/v1/nodes/{node}/diagnosis`: why a node is in its state, and what to do.
//!
//! The same table as that of the failures of a fleet ([`crate::fleet::cause`]), for one node, with
//! what else is known about it: how its last operation ended, what the boot services make of how it
//! boots, what its BMC answered, what its drivers say about its settings. Each of them only for
//! callers who may read it where it comes from.

use super::timeline::story;
use crate::{
    call::Call,
    error::ApiError,
    fleet::{cause::Cause, index::NodeProblem, look::Look},
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    v1::subject,
};
use serde_json::{Value, json};
use types::{
    Node, ProvisionState as S, Timestamp, Verb, internal_info::NotedError, progress::Live,
    rpc::is_actionable,
};

/// How much of the event log is read.
const EVENTS: u32 = 200;

/// In which way a node needs a person, or why it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    Problem(NodeProblem),
    Maintenance,
    Look(Look),
}

impl Condition {
    fn of(node: &Node, call: &Call, now: Timestamp) -> Self {
        let (look, state) = (Look::of(node.provision_state), node.provision_state);
        let limits = &call.state.settings.wait_limits;
        let since = node.provision_updated_at.unwrap_or(node.created_at);
        if look == Look::Failed {
            return Self::Problem(NodeProblem::Failed);
        }
        if node.fault.is_some() {
            return Self::Problem(NodeProblem::Fault);
        }
        if limits.is_stuck(state, since, now) {
            return Self::Problem(NodeProblem::Stuck);
        }
        let rests = matches!(look, Look::Ready | Look::InUse);
        if rests && node.last_error.is_some() {
            return Self::Problem(NodeProblem::Error);
        }
        if node.maintenance {
            return Self::Maintenance;
        }
        Self::Look(look)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Problem(trouble) => trouble.as_str(),
            Self::Maintenance => "maintenance",
            Self::Look(Look::Ready | Look::InUse | Look::Failed) => "fine",
            Self::Look(look) => look.as_str(),
        }
    }

    fn cause(self, node: &Node) -> Option<Cause> {
        let Self::Problem(trouble) = self else {
            return None;
        };
        Some(match (trouble, &node.last_error) {
            (NodeProblem::Stuck, _) => Cause::of_wait(node.provision_state),
            (_, Some(text)) => {
                let noted: Option<NotedError> = node.driver_internal_info.last_error_code();
                Cause::of_error(text, noted.as_ref())
            }
            (trouble, None) => Cause::of_silence(trouble == NodeProblem::Fault),
        })
    }
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeGet).await?;
    let (target, now) = (Target::node(&node), Timestamp::now());
    let sees_errors = call.allows(Rule::NodeGetLastError, &target);
    let kind = Condition::of(&node, &call, now);
    let cause = kind.cause(&node).filter(|_| sees_errors);
    let error = node.last_error.as_deref().filter(|_| sees_errors);
    let events = store::event::latest(&call.state.db, node.id, EVENTS).await?;
    // A conductor that is away knows nothing; the rest is still true.
    let live = call.state.conductor.live(node.id).await.unwrap_or_default();
    let flows = story::flows(&events, &live);
    let evidence = evidence(&call, &node, kind, sees_errors, flows.last()).await;
    let waiting = flows
        .last()
        .and_then(|flow| waiting(&call, &node, flow, &live));
    let sees_lock = call.allows(Rule::NodeGetReservation, &target);
    let since = node.provision_updated_at.unwrap_or(node.created_at);
    let document = json!({
        "node": node.id,
        "name": node.name,
        "at": now.to_string(),
        "kind": kind.name(),
        "look": Look::of(node.provision_state),
        "provision_state": node.provision_state,
        "target_provision_state": node.target_provision_state,
        "since": since.to_string(),
        "meaning": meaning(node.provision_state),
        "maintenance": node.maintenance.then(|| json!({
            "reason": node.maintenance_reason, "fault": node.fault,
        })),
        "cause": cause.map(|cause| json!({
            "code": cause.code(),
            "sentence": cause.sentence(error.unwrap_or_default()),
            "advice": cause.advice().map(|advice| advice.advice),
            "docs": cause.advice().map(|advice| advice.page),
        })),
        "finding": error,
        "waiting": waiting,
        "locked_by": node.reservation.as_deref().filter(|_| sees_lock),
        "evidence": evidence,
        "next": next(&node),
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

fn waiting(call: &Call, node: &Node, flow: &story::Flow, live: &Live) -> Option<Value> {
    let (what, since) = flow.brief()?.waiting?;
    let limits = &call.state.settings.wait_limits;
    let entered = node.provision_updated_at.unwrap_or(node.created_at);
    Some(json!({
        "for": what,
        "since": since.to_string(),
        "timeout_at": limits.end(node.provision_state, entered).map(|end| end.to_string()),
        "is_stuck": limits.is_stuck(node.provision_state, entered, Timestamp::now()),
        "progress": live.progress.as_ref().map(|(progress, _)| progress.to_string()),
    }))
}

/// What speaks for the cause, and where to read more of it.
async fn evidence(
    call: &Call,
    node: &Node,
    kind: Condition,
    sees_errors: bool,
    flow: Option<&story::Flow>,
) -> Vec<Value> {
    let mut found = Vec::new();
    let mut add = |kind: &str, text: String, href: String| {
        found.push(json!({"kind": kind, "text": text, "href": href}));
    };
    let (id, target) = (node.id, Target::node(node));
    if let Some(ending) = flow.and_then(story::Flow::ending) {
        add(
            "timeline",
            ending,
            format!("/corten/v1/nodes/{id}/timeline?limit=1"),
        );
    }
    let Condition::Problem(_) = kind else {
        return found;
    };
    let conductor = &call.state.conductor;
    if call.allows(Rule::CortenNodeGetBootLog, &target)
        && let Ok(log) = conductor.boot_log(id).await
        && let Some(finding) = boot_finding(&log)
    {
        add(
            "boot_log",
            finding,
            format!("/corten/v1/nodes/{id}/boot-log"),
        );
    }
    if call.allows(Rule::CortenNodeGetRecorder, &target)
        && let Ok(recording) = conductor.recording(id).await
    {
        let all = recording.exchanges.len();
        let failed = recording
            .exchanges
            .iter()
            .filter(|one| one.exchange.failure.is_some())
            .count();
        if failed > 0 {
            let text = format!("{failed} of the last {all} exchanges with the BMC failed");
            add("recorder", text, format!("/corten/v1/nodes/{id}/recorder"));
        }
    }
    if sees_errors
        && call.allows(Rule::NodeHistoryGet, &target)
        && let Some(text) = repeated(call, node).await
    {
        add("history", text, format!("/v1/nodes/{id}/history"));
    }
    if call.allows(Rule::NodeValidate, &target)
        && let Ok(verdicts) = conductor.validate(id).await
    {
        for verdict in verdicts {
            if let Some(reason) = verdict.reason {
                let text = format!("{}: {reason}", verdict.interface);
                add("validation", text, format!("/v1/nodes/{id}/validate"));
            }
        }
    }
    found
}

/// What the boot services found, where something is wrong.
fn boot_finding(log: &types::JsonMap) -> Option<String> {
    let diagnosis = log.get("diagnosis")?;
    let part = |key: &str| diagnosis.get(key).and_then(Value::as_str);
    if matches!(part("cause"), Some("booted" | "from_disk" | "under_way")) {
        return None;
    }
    let (finding, advice) = (part("finding")?, part("advice").unwrap_or_default());
    Some(format!("{finding} {advice}").trim().to_owned())
}

/// How often the history has the same error.
async fn repeated(call: &Call, node: &Node) -> Option<String> {
    let text = node.last_error.as_deref()?;
    let page = store::Page::first(100);
    let entries = store::history::list(&call.state.db, node.id, page)
        .await
        .ok()?;
    let same = entries.iter().filter(|entry| {
        entry.is_error == Some(true)
            && crate::fleet::cause::general(&entry.event) == crate::fleet::cause::general(text)
    });
    let times: Vec<Timestamp> = same.map(|entry| entry.created_at).collect();
    let first = times.iter().min().filter(|_| times.len() > 1)?;
    Some(format!(
        "the same error {} times since {first}",
        times.len()
    ))
}

/// The verbs that the state accepts, and where each leads.
fn next(node: &Node) -> Vec<Value> {
    let verbs = Verb::ALL.iter().filter_map(|verb| {
        let target = crate::check::target::word(*verb)?;
        let to = node.provision_state.after(*verb)?;
        is_actionable(node.provision_state, *verb)
            .then(|| json!({"verb": verb, "target": target, "to": to}))
    });
    verbs.collect()
}

/// A sentence for each state.
fn meaning(state: S) -> &'static str {
    match state {
        S::Enroll => "The node is known and not yet verified: nothing is done with its machine.",
        S::Verifying => "Corten checks that it can manage the machine with what the node says.",
        S::Manageable => "The machine can be managed: inspected, cleaned, adopted or provided.",
        S::Inspecting => "The machine is being inspected.",
        S::InspectWait => "The ramdisk is to send what it finds in the machine.",
        S::InspectFailed => "The inspection failed; what was known before still stands.",
        S::Adopting => "A machine that is in use already is being taken over.",
        S::AdoptFailed => "The machine could not be taken over as it is.",
        S::Available => "The machine is clean and free to be deployed.",
        S::Deploying => "An instance is being deployed.",
        S::DeployWait => "The deployment waits for the ramdisk or its agent.",
        S::DeployFailed => "The deployment failed; the machine holds no usable instance.",
        S::DeployHold => "The deployment is held until a user resumes it (unhold).",
        S::Active => "The machine is in use.",
        S::Deleting => "The instance is being taken off the machine.",
        S::Error => "The instance could not be taken off the machine.",
        S::Cleaning => "The machine is being cleaned.",
        S::CleanWait => "Cleaning waits for the ramdisk or its agent.",
        S::CleanFailed => "Cleaning failed; the machine may hold data of its last instance.",
        S::CleanHold => "Cleaning is held until a user resumes it (unhold).",
        S::Rescuing => "The rescue ramdisk is being booted.",
        S::RescueWait => "The rescue ramdisk is to call.",
        S::Rescue => "The machine runs the rescue ramdisk.",
        S::RescueFailed => "The rescue ramdisk could not be booted.",
        S::Unrescuing => "The machine is going back to its instance.",
        S::UnrescueFailed => "The machine did not go back to its instance.",
        S::Servicing => "The machine is being serviced; its instance stays.",
        S::ServiceWait => "Servicing waits for the ramdisk or its agent.",
        S::ServiceHold => "Servicing is held until a user resumes it (unhold).",
        S::ServiceFailed => "Servicing failed; the instance is still on the machine.",
    }
}
