//! A node's last error, and what it is about as far as something is decided by it.
//!
//! The error is a sentence for people, and nothing is read out of it. What it is about stands
//! beside it as a code, in `driver_internal_info` under a key that clients are not shown. The code
//! says how long its sentence is, because a conductor of an older version changes the sentence and
//! leaves the code.

use drivers::DriverError;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use types::{Node, PowerState};

/// What an error is about. Those with a `detail` are there for people who are told what to do
/// about them; see `advice.tsv` of the API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub(crate) enum ErrorCode {
    /// Power sync gave up on the machine.
    PowerSync,
    /// The machine could not be brought into a power state.
    PowerChange { to: PowerState },
    /// The node could not be taken over from another conductor.
    TakeOver,
    /// A ramdisk or its agent was waited for in vain; with what the boot services make of it.
    Timeout { detail: Option<String> },
    /// The hardware did not do what it was asked; of which kind the failure is.
    Hardware { detail: Cow<'static, str> },
}

#[derive(Serialize, Deserialize)]
struct Noted {
    #[serde(flatten)]
    code: ErrorCode,
    characters: usize,
}

impl ErrorCode {
    /// What the node's last error is about.
    pub(crate) fn of(node: &Node) -> Option<Self> {
        let text = node.last_error.as_deref()?;
        let noted = noted(node)?;
        (noted.characters == text.chars().count()).then_some(noted.code)
    }

    /// Of a failure of the hardware, where its kind says enough: what a machine or an agent could
    /// not do, or what failed besides the machine, is told by its sentence alone.
    pub(crate) fn of_hardware(error: &DriverError) -> Option<Self> {
        match error {
            DriverError::Unreachable(_)
            | DriverError::Refused(_)
            | DriverError::Busy(_)
            | DriverError::Protocol(_)
            | DriverError::NotKept { .. }
            | DriverError::Unsupported { .. }
            | DriverError::LeaseLapsed => Some(Self::Hardware {
                detail: error.kind().into(),
            }),
            DriverError::Rejected(_)
            | DriverError::Unfinished(_)
            | DriverError::Environment(_)
            | DriverError::UnmanagedInspection(_)
            | DriverError::InvalidParameter(_)
            | DriverError::Conflict(_)
            | DriverError::Failed(_) => None,
        }
    }

    /// The code that a node has, for those who did not read the error that it belongs to.
    pub(crate) fn beside(node: &Node) -> Option<Self> {
        noted(node).map(|noted| noted.code)
    }

    /// Whether it is about something that has succeeded, now that the machine is in this state.
    pub(crate) fn is_settled(&self, state: Option<PowerState>) -> bool {
        match self {
            Self::PowerSync => true,
            Self::PowerChange { to } => state == Some(*to),
            Self::TakeOver | Self::Timeout { .. } | Self::Hardware { .. } => false,
        }
    }
}

fn noted(node: &Node) -> Option<Noted> {
    node.driver_internal_info.last_error_code()
}

/// Leaves an error that nothing is decided by.
pub(crate) fn set(node: &mut Node, text: String) {
    clear(node);
    node.last_error = Some(text);
}

pub(crate) fn set_with(node: &mut Node, text: String, code: ErrorCode) {
    let characters = text.chars().count();
    set(node, text);
    let noted = Noted { code, characters };
    node.driver_internal_info.set_last_error_code(&noted);
}

pub(crate) fn clear(node: &mut Node) {
    node.last_error = None;
    node.driver_internal_info.forget_last_error_code();
}

/// Forgets an error that is about something that has succeeded, and a code without its error.
pub(crate) fn settle(node: &mut Node, state: Option<PowerState>) {
    match ErrorCode::of(node) {
        Some(code) if code.is_settled(state) => clear(node),
        Some(_) => {}
        None => node.driver_internal_info.forget_last_error_code(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::NodeId;

    #[track_caller]
    fn check(code: Option<ErrorCode>, state: Option<PowerState>, is_forgotten: bool) {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        match code.clone() {
            Some(code) => set_with(&mut node, "no".into(), code),
            None => set(&mut node, "no".into()),
        }
        assert_eq!(ErrorCode::of(&node), code);
        settle(&mut node, state);
        assert_eq!(node.last_error.is_none(), is_forgotten, "{code:?}");
    }

    #[test]
    fn only_errors_about_what_has_succeeded_are_forgotten() {
        let (on, off) = (Some(PowerState::On), Some(PowerState::Off));
        let change = Some(ErrorCode::PowerChange { to: PowerState::On });
        check(change.clone(), on, true);
        check(change.clone(), off, false);
        check(change, None, false);
        check(Some(ErrorCode::PowerSync), None, true);
        check(Some(ErrorCode::TakeOver), on, false);
        check(None, on, false);
    }

    #[test]
    fn a_code_goes_with_its_error() {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        set_with(&mut node, "no".into(), ErrorCode::PowerSync);
        set(&mut node, "something else".into());
        assert_eq!(ErrorCode::beside(&node), None);
        set_with(&mut node, "no".into(), ErrorCode::PowerSync);
        clear(&mut node);
        assert_eq!(ErrorCode::beside(&node), None);
    }

    #[test]
    fn a_code_whose_error_an_older_version_replaced_counts_no_more() {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        set_with(&mut node, "no".into(), ErrorCode::PowerSync);
        node.last_error = Some("something else".into());
        assert_eq!(ErrorCode::of(&node), None);
        settle(&mut node, None);
        assert_eq!(node.last_error.as_deref(), Some("something else"));
        assert_eq!(ErrorCode::beside(&node), None);
    }

    #[test]
    fn a_code_of_a_newer_version_is_not_ours_to_judge() {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        set(&mut node, "no".into());
        let code = serde_json::json!({"code": "moon", "phase": "full", "characters": 2});
        node.driver_internal_info.set_last_error_code(&code);
        assert_eq!(ErrorCode::of(&node), None);
    }
}
