//! Notifications: what message buses are told about changes, in the words of Ironic.
//!
//! A [`Notice`] is the small note that a writer leaves: what was done, and how far it is. It costs
//! next to nothing, so that it can be left whether or not anybody wants notifications. Whoever
//! stores the change turns it into a [`Message`] together with the object as it is stored, which is
//! the only way to a payload that is true. Names and versions of payloads are those of Ironic 39:
//! consumers check them.
//!
//! Secrets: the object's own rules of masking apply (see [`crate::mask`]), and what the API shows
//! only to some callers is withheld whole, because a bus asks nobody who they are.

mod message;
mod node;
mod resource;

pub use message::{Message, unversioned};

use crate::{Caller, JsonMap, Node, PowerState, PowerTarget, ProvisionState, Timestamp, Verb};
use serde_json::{Value, json};

crate::wire_enum! {
    /// How grave a notification is; those below the configured level are not sent.
    pub enum Level {
        Debug = "debug",
        Info = "info",
        Warning = "warning",
        Error = "error",
        Critical = "critical",
    }
}

crate::wire_enum! {
    /// How far the action is.
    pub enum Status {
        Start = "start",
        End = "end",
        Error = "error",
        /// There was no way to go: it began and ended at once.
        Success = "success",
    }
}

/// An action that notifications tell of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Create,
    Update,
    Delete,
    /// Maintenance was switched by a request of its own.
    Maintenance,
    /// Power is being changed.
    Power {
        to: PowerTarget,
    },
    /// Power was found to be other than was known.
    PowerCorrected {
        from: Option<PowerState>,
    },
    /// A move along the table of states.
    Provision {
        event: Verb,
        from: ProvisionState,
        from_target: Option<ProvisionState>,
    },
    /// A console was switched by a request.
    Console,
    /// A console was started again because its conductor was.
    ConsoleRestore,
    /// A console was stopped together with its conductor.
    ConsoleStop,
}

impl Action {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Maintenance => "maintenance_set",
            Self::Power { .. } => "power_set",
            Self::PowerCorrected { .. } => "power_state_corrected",
            Self::Provision { .. } => "provision_set",
            Self::Console => "console_set",
            Self::ConsoleRestore => "console_restore",
            Self::ConsoleStop => "console_stop",
        }
    }

    /// Which part of the service speaks, as Ironic divides it.
    fn service(self) -> &'static str {
        match self {
            Self::Create | Self::Update | Self::Delete | Self::Maintenance => "ironic-api",
            _ => "ironic-conductor",
        }
    }
}

/// What a writer leaves with a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    pub action: Action,
    pub status: Status,
}

impl Notice {
    pub fn new(action: Action, status: Status) -> Self {
        Self { action, status }
    }

    /// A move of a node, which has been made.
    pub fn moved(node: &Node, from: ProvisionState, event: Verb) -> Self {
        let to = node.provision_state;
        let status = match (event, from.is_under_way(), to.is_under_way()) {
            (Verb::Fail, ..) => Status::Error,
            (_, false, true) => Status::Start,
            (_, true, false) => Status::End,
            _ => Status::Success,
        };
        // Where a node is headed follows from its state. Only cleaning has two ends, and which one
        // was meant can still be told afterwards.
        let manual = to == ProvisionState::Manageable
            || node.target_provision_state == Some(ProvisionState::Manageable);
        let from_target = if from.is_cleaning() && manual {
            Some(ProvisionState::Manageable)
        } else {
            from.default_target()
        };
        let action = Action::Provision {
            event,
            from,
            from_target,
        };
        Self { action, status }
    }

    pub fn level(self) -> Level {
        match self.status {
            Status::Error => Level::Error,
            _ => Level::Info,
        }
    }

    /// The message that tells of this notice about `subject`.
    pub fn message(
        self,
        subject: &impl Subject,
        caller: &Caller,
        host: &str,
        at: Timestamp,
    ) -> Message {
        let payload = subject.payload(self.action).into_value();
        self.told(subject.object(), payload, caller, host, at)
    }

    /// As [`Notice::message`], with a payload that was taken before.
    pub fn told(
        self,
        object: &str,
        payload: Value,
        caller: &Caller,
        host: &str,
        at: Timestamp,
    ) -> Message {
        let (action, status) = (self.action.as_str(), self.status);
        let head = message::Head {
            publisher_id: format!("{}.{host}", self.action.service()),
            event_type: format!("baremetal.{object}.{action}.{status}"),
            level: self.level(),
            at,
        };
        Message::new(head, payload, caller)
    }
}

/// Something that notifications are about.
pub trait Subject {
    /// Its kind, as it stands in event types.
    fn object(&self) -> &'static str;

    /// Everything that a notification of this action tells about it.
    fn payload(&self, action: Action) -> Payload;
}

/// A versioned object as Ironic serialises them.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    name: &'static str,
    version: &'static str,
    data: JsonMap,
}

impl Payload {
    fn new(name: &'static str, version: &'static str, data: Value) -> Self {
        let Value::Object(data) = data else {
            unreachable!("payloads are written as objects");
        };
        Self {
            name,
            version,
            data,
        }
    }

    fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.data.insert(field.to_owned(), value.into());
        self
    }

    /// As of something that does not exist yet: nobody has stamped it.
    pub fn unborn(mut self) -> Self {
        for field in ["created_at", "state"] {
            if let Some(value) = self.data.get_mut(field) {
                *value = Value::Null;
            }
        }
        self
    }

    /// As it stands in a message.
    pub fn into_value(self) -> Value {
        json!({
            "ironic_object.name": self.name,
            "ironic_object.namespace": "ironic",
            "ironic_object.version": self.version,
            "ironic_object.data": self.data,
        })
    }
}

/// What stands instead of something that the API shows only to some.
fn withheld() -> Value {
    json!({"redacted_contents": "** Value redacted: not published on the notification bus. **"})
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProvisionState as S;

    #[test]
    fn moves_tell_how_far_the_operation_is() {
        for (event, from, to, status) in [
            (Verb::Deploy, S::Available, S::Deploying, Status::Start),
            (Verb::Wait, S::Deploying, S::DeployWait, Status::Success),
            (Verb::Done, S::Deploying, S::Active, Status::End),
            (Verb::Fail, S::Deploying, S::DeployFailed, Status::Error),
            (Verb::Manage, S::Available, S::Manageable, Status::Success),
            (Verb::Hold, S::Cleaning, S::CleanHold, Status::End),
        ] {
            let mut node = Node::new(crate::NodeId::generate(), "fake-hardware");
            node.provision_state = to;
            let notice = Notice::moved(&node, from, event);
            assert_eq!(notice.status, status, "{from} -> {to}");
            let level = if status == Status::Error {
                Level::Error
            } else {
                Level::Info
            };
            assert_eq!(notice.level(), level);
        }
    }

    #[test]
    fn the_target_before_is_told() {
        let mut node = Node::new(crate::NodeId::generate(), "fake-hardware");
        for (from, event, to, target, before) in [
            (
                S::Available,
                Verb::Deploy,
                S::Deploying,
                Some(S::Active),
                None,
            ),
            (S::Deploying, Verb::Done, S::Active, None, Some(S::Active)),
            (
                S::Cleaning,
                Verb::Done,
                S::Available,
                None,
                Some(S::Available),
            ),
            (
                S::Cleaning,
                Verb::Done,
                S::Manageable,
                None,
                Some(S::Manageable),
            ),
            (
                S::Cleaning,
                Verb::Fail,
                S::CleanFailed,
                Some(S::Manageable),
                Some(S::Manageable),
            ),
        ] {
            (node.provision_state, node.target_provision_state) = (to, target);
            let Action::Provision { from_target, .. } = Notice::moved(&node, from, event).action
            else {
                panic!("another action");
            };
            assert_eq!(from_target, before, "{from} -> {to}");
        }
    }

    #[test]
    fn levels_are_in_order_of_gravity() {
        assert!(Level::ALL.is_sorted());
    }
}
