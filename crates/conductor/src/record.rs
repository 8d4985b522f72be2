//! How changes are explained: log events for programs and streams, history for people.

use crate::{
    Settings,
    last_error::{self, ErrorCode},
};
use drivers::iface::Awaited;
use serde_json::json;
use store::node::Log;
use types::{
    Caller, HistoryId, Node, PowerState, ProvisionState, Timestamp, Verb,
    burnin::CommissioningReport,
    erasure::EraseCertificate,
    event::{EventKind, HistoryEntry, NewEvent},
    mask, metrics,
    notification::{Action, Notice, Status},
};

/// The operation that a state belongs to; none where nothing is under way.
fn operation(state: ProvisionState) -> Option<&'static str> {
    use ProvisionState as S;
    Some(match state {
        S::Verifying => "verify",
        S::Inspecting | S::InspectWait => "inspect",
        S::Adopting => "adopt",
        S::Deploying | S::DeployWait | S::DeployHold => "deploy",
        S::Deleting => "undeploy",
        S::Cleaning | S::CleanWait | S::CleanHold => "clean",
        S::Rescuing | S::RescueWait => "rescue",
        S::Unrescuing => "unrescue",
        S::Servicing | S::ServiceWait | S::ServiceHold => "service",
        _ => return None,
    })
}

const ABORTED: &str = "aborted";
const FAILED: &str = "failed";
const DONE: &str = "done";

/// Shows all operations and results among the metrics of this process, none counted yet.
pub(crate) fn show_operations() {
    for operation in ProvisionState::ALL.iter().copied().filter_map(operation) {
        for result in [DONE, FAILED, ABORTED] {
            metrics::OPERATIONS.show([operation, result]);
        }
    }
}

/// The operation that a move has ended, and how it ended.
fn ended(from: ProvisionState, to: ProvisionState, event: Verb) -> Option<[&'static str; 2]> {
    let was = operation(from)?;
    if operation(to) == Some(was) {
        return None;
    }
    let result = match event {
        Verb::Abort => ABORTED,
        Verb::Fail => FAILED,
        _ => DONE,
    };
    Some([was, result])
}

/// Collects what explains one write.
#[derive(Debug)]
pub(crate) struct ChangeLog {
    log: Log,
    caller: Caller,
}

impl ChangeLog {
    pub(crate) fn new(caller: &Caller) -> Self {
        Self {
            log: Log::default(),
            caller: caller.clone(),
        }
    }

    pub(crate) fn into_log(mut self) -> Log {
        self.log.caller = self.caller;
        self.log
    }

    /// Leaves a note for notifications about whatever is written with this story.
    pub(crate) fn notice(&mut self, action: Action, status: Status) {
        self.log.notices.push(Notice::new(action, status));
    }

    /// Certificates that are stored together with the change.
    pub(crate) fn certified(&mut self, certificates: Vec<EraseCertificate>) {
        self.log.certificates.extend(certificates);
    }

    /// Reports of tests that are stored together with the change.
    pub(crate) fn reported(&mut self, reports: Vec<CommissioningReport>) {
        self.log.reports.extend(reports);
    }

    /// Puts notes before all others: of what was done before this story.
    pub(crate) fn noticed_before(&mut self, notices: Vec<Notice>) {
        self.log.notices.splice(0..0, notices);
    }

    /// The node moved. To be called after the move, with the state before.
    pub(crate) fn moved(&mut self, node: &Node, from: ProvisionState, event: Verb) {
        if from == node.provision_state {
            return;
        }
        let failed = node.provision_state.class() == types::provision::StateClass::Failed
            || node.provision_state == ProvisionState::Error;
        let text = match &node.last_error {
            Some(error) if failed => format!("{from} -> {}: {error}", node.provision_state),
            _ => format!("{from} -> {}", node.provision_state),
        };
        if let Some(ended) = ended(from, node.provision_state, event) {
            metrics::OPERATIONS.count(ended);
        }
        if failed {
            tracing::warn!(node = %node.id, name = node.name, "{text}");
        } else {
            tracing::info!(node = %node.id, name = node.name, "{text}");
        }
        let data = json!({
            "from": from, "to": node.provision_state, "target": node.target_provision_state,
            "event": event,
        });
        self.tell(node, EventKind::Provision, text, data);
        self.log.notices.push(Notice::moved(node, from, event));
    }

    /// An operation of this kind is not over. Readers of the log know by `boots` that the machine
    /// boots into a ramdisk.
    pub(crate) fn waits(&mut self, node: &Node, kind: &str, awaited: &Awaited) {
        let mut data = json!({"kind": kind, "wait": awaited.to_string()});
        if matches!(awaited, Awaited::Ramdisk(_)) {
            data["boots"] = true.into();
        }
        let text = format!("waiting: {awaited}");
        self.tell(node, EventKind::Step, text, data);
    }

    /// The node went into maintenance or came out of it.
    pub(crate) fn maintenance(&mut self, node: &Node) {
        let text = match (&node.maintenance, &node.maintenance_reason) {
            (true, Some(reason)) => format!("in maintenance: {reason}"),
            (true, None) => "in maintenance".into(),
            (false, _) => "out of maintenance".into(),
        };
        tracing::info!(node = %node.id, name = node.name, "{text}");
        let data = json!({"maintenance": node.maintenance, "reason": node.maintenance_reason});
        self.tell(node, EventKind::Maintenance, text, data);
    }

    /// The power state in the row was not the machine's, and is now. Readers of the log know the
    /// event by `from` and `to`.
    pub(crate) fn power_corrected(&mut self, node: &Node, from: Option<PowerState>) {
        let name = node.power_state.map_or("unknown", PowerState::as_str);
        let data = json!({"from": from, "to": node.power_state, "corrected": true});
        self.tell(node, EventKind::Power, format!("found: {name}"), data);
        self.notice(Action::PowerCorrected { from }, Status::Success);
    }

    pub(crate) fn tell(
        &mut self,
        node: &Node,
        kind: EventKind,
        text: impl Into<String>,
        data: serde_json::Value,
    ) {
        let text = mask::text(&text.into()).into_owned();
        self.log
            .events
            .push(NewEvent::new(node, kind, text, data, &self.caller));
    }

    /// Something went wrong: the text becomes the node's last error and an entry of its history.
    pub(crate) fn error(
        &mut self,
        settings: &Settings,
        node: &mut Node,
        event_type: &str,
        text: &str,
    ) {
        let text = truncated(text, settings.log_in_db_max_size);
        last_error::set(node, text.clone());
        let data = json!({"type": event_type});
        self.tell_error(settings, node, event_type, text, data);
    }

    /// The same, for an error that something will be decided by.
    pub(crate) fn error_with(
        &mut self,
        settings: &Settings,
        node: &mut Node,
        event_type: &str,
        text: &str,
        code: ErrorCode,
    ) {
        let text = truncated(text, settings.log_in_db_max_size);
        let data = json!({"type": event_type, "error": code});
        last_error::set_with(node, text.clone(), code);
        self.tell_error(settings, node, event_type, text, data);
    }

    fn tell_error(
        &mut self,
        settings: &Settings,
        node: &Node,
        event_type: &str,
        text: String,
        data: serde_json::Value,
    ) {
        self.tell(node, EventKind::Error, text.clone(), data);
        self.entry(settings, node, event_type, text, true);
    }

    /// An entry of the history that is no error.
    pub(crate) fn note(&mut self, settings: &Settings, node: &Node, event_type: &str, text: &str) {
        self.entry(settings, node, event_type, text.to_owned(), false);
    }

    /// An entry that tells of an error without being the node's last one.
    pub(crate) fn warn(&mut self, settings: &Settings, node: &Node, event_type: &str, text: &str) {
        self.entry(settings, node, event_type, text.to_owned(), true);
    }

    fn entry(
        &mut self,
        settings: &Settings,
        node: &Node,
        event_type: &str,
        event: String,
        is_error: bool,
    ) {
        if !settings.node_history {
            return;
        }
        let event = mask::text(&event).into_owned();
        let now = Timestamp::now();
        self.log.history.push(HistoryEntry {
            row: 0,
            id: HistoryId::generate(),
            node: node.id,
            created_at: now,
            conductor: Some(settings.host.clone()),
            user: self.caller.user.clone(),
            project: self.caller.project.clone(),
            is_error: Some(is_error),
            event_type: Some(event_type.to_owned()),
            event,
            state: Some(node.provision_state),
            target_provision_state: node.target_provision_state,
            duration_seconds: node
                .provision_updated_at
                .map(|since| now.seconds_since(since)),
        });
    }
}

/// A text of ours as it can be stored: without secrets that it quotes, cut to a number of
/// characters, and without the NUL that a step's name or a BMC's answer may have brought in and
/// that servers refuse.
pub(crate) fn truncated(text: &str, most: usize) -> String {
    mask::text(text)
        .chars()
        .take(most)
        .map(|c| {
            if c == '\0' {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProvisionState as S;

    #[test]
    fn a_move_out_of_an_operation_ends_it() {
        assert_eq!(ended(S::Available, S::Deploying, Verb::Deploy), None);
        assert_eq!(ended(S::Deploying, S::DeployWait, Verb::Wait), None);
        assert_eq!(
            ended(S::DeployWait, S::Active, Verb::Done),
            Some(["deploy", "done"])
        );
        assert_eq!(
            ended(S::DeployWait, S::DeployFailed, Verb::Fail),
            Some(["deploy", "failed"])
        );
        assert_eq!(
            ended(S::CleanWait, S::CleanFailed, Verb::Abort),
            Some(["clean", "aborted"])
        );
        assert_eq!(
            ended(S::Deleting, S::Cleaning, Verb::Clean),
            Some(["undeploy", "done"])
        );
        assert_eq!(
            ended(S::Verifying, S::Enroll, Verb::Fail),
            Some(["verify", "failed"])
        );
    }
}
