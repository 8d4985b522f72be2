//! Why the conductor refuses or fails a request, in the words the client reads.
//!
//! The API maps each variant to a status code; nothing here knows HTTP. Refusals are carried between
//! processes as they are, so that a client cannot tell where its node is served.

use crate::{NodeId, PowerTarget};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A refusal. `Display` is the text that clients of Ironic know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Fault {
    /// Something that nobody is told more about.
    #[error("Resource could not be found.")]
    NotFound,
    #[error("Node {0} could not be found.")]
    NodeNotFound(String),
    #[error("Port {0} could not be found.")]
    PortNotFound(String),
    #[error("Portgroup {0} could not be found.")]
    PortgroupNotFound(String),
    #[error("Volume connector {0} could not be found.")]
    ConnectorNotFound(String),
    #[error("Volume target {0} could not be found.")]
    TargetNotFound(String),
    #[error("Chassis {0} could not be found.")]
    ChassisNotFound(String),
    #[error("Runbook {0} could not be found.")]
    RunbookNotFound(String),
    #[error("Allocation {0} could not be found.")]
    AllocationNotFound(String),
    #[error("Node {node} doesn't have a trait '{name}'")]
    TraitNotFound { node: NodeId, name: String },
    #[error("The driver '{0}' is unknown.")]
    DriverUnknown(String),
    #[error(
        "Node {node} is locked by host {host}, please retry after the current operation is completed."
    )]
    Locked { node: NodeId, host: String },
    /// Somebody else changed the row since it was read; the caller reads it again.
    #[error("Node {0} was changed by another request meanwhile, please retry.")]
    Stale(NodeId),
    #[error(
        "The requested action \"{action}\" can not be performed on node \"{node}\" while it is in state \"{state}\"."
    )]
    InvalidStateRequested {
        action: String,
        node: String,
        state: String,
    },
    /// A state in which this cannot be done, with its own explanation.
    #[error("{0}")]
    InvalidState(String),
    #[error("{0}")]
    InvalidParameter(String),
    #[error("{0}")]
    Duplicate(String),
    #[error(
        "The {operation} operation can't be performed on node {node} because it's in maintenance mode."
    )]
    InMaintenance {
        operation: Cow<'static, str>,
        node: NodeId,
    },
    #[error("The {operation} operation can't be performed on node {node} because it is retired.")]
    Retired {
        operation: Cow<'static, str>,
        node: NodeId,
    },
    #[error("Node {0} is protected and cannot be undeployed, rebuilt or deleted")]
    Protected(NodeId),
    /// Not told: which of it, and whether the node is there.
    #[error(
        "The token of this console is wrong or has ended, or the console is off. Switch the console off and on for a new one."
    )]
    WrongScreenToken,
    #[error("Node {node} is associated with instance {instance}.")]
    NodeAssociated { node: NodeId, instance: String },
    #[error(
        "Instance {instance} is already associated with a node, it cannot be associated with this other node {node}"
    )]
    InstanceAssociated { instance: String, node: NodeId },
    #[error("Failed to set node power state to {0}.")]
    PowerOffDisabled(PowerTarget),
    #[error("Driver {driver} does not support {extension} (disabled or not implemented).")]
    Unsupported { driver: String, extension: String },
    /// As `Unsupported`, but the resource itself does not exist for such a driver.
    #[error("Driver {driver} does not support {extension} (disabled or not implemented).")]
    NoSuchFeature { driver: String, extension: String },
    #[error(
        "No valid host was found. Reason: No conductor service registered which supports driver {driver} for conductor group \"{group}\". Ensure the driver is valid and enabled."
    )]
    NoValidHost { driver: String, group: String },
    #[error("Requested action cannot be performed due to lack of free conductor workers.")]
    NoFreeWorker,
    #[error(
        "Unable to process request at this time. The concurrent action limit for {0} has been reached. Please contact your administrator and try again later."
    )]
    ConcurrentActionLimit(Cow<'static, str>),
    #[error("Resource temporarily unavailable, please retry.")]
    Unavailable,
    /// As `Unavailable`, with the reason.
    #[error("{0}")]
    NotNow(String),
    /// The hardware did not do what it was asked; the text says which BMC and what.
    #[error("{0}")]
    Hardware(String),
    /// Our own failure; details are in the log under the request id.
    #[error("{0}")]
    Internal(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind. A kind that is added to the enum is added here, or `number` does not
    /// compile and the test does not pass.
    fn all() -> Vec<Fault> {
        let node: NodeId = "11111111-1111-1111-1111-111111111111".parse().unwrap();
        let text = || "a \"text\" – with\nspecials".to_owned();
        vec![
            Fault::NotFound,
            Fault::NodeNotFound(text()),
            Fault::PortNotFound(text()),
            Fault::PortgroupNotFound(text()),
            Fault::ConnectorNotFound(text()),
            Fault::TargetNotFound(text()),
            Fault::ChassisNotFound(text()),
            Fault::RunbookNotFound(text()),
            Fault::AllocationNotFound(text()),
            Fault::TraitNotFound { node, name: text() },
            Fault::DriverUnknown(text()),
            Fault::Locked { node, host: text() },
            Fault::Stale(node),
            Fault::InvalidStateRequested {
                action: text(),
                node: text(),
                state: text(),
            },
            Fault::InvalidState(text()),
            Fault::InvalidParameter(text()),
            Fault::Duplicate(text()),
            Fault::InMaintenance {
                operation: "cleaning".into(),
                node,
            },
            Fault::Retired {
                operation: text().into(),
                node,
            },
            Fault::Protected(node),
            Fault::NodeAssociated {
                node,
                instance: text(),
            },
            Fault::InstanceAssociated {
                instance: text(),
                node,
            },
            Fault::PowerOffDisabled(PowerTarget::SoftOff),
            Fault::Unsupported {
                driver: text(),
                extension: text(),
            },
            Fault::NoSuchFeature {
                driver: text(),
                extension: text(),
            },
            Fault::NoValidHost {
                driver: text(),
                group: text(),
            },
            Fault::NoFreeWorker,
            Fault::ConcurrentActionLimit("provisioning".into()),
            Fault::Unavailable,
            Fault::NotNow(text()),
            Fault::Hardware(text()),
            Fault::Internal(text()),
            Fault::WrongScreenToken,
        ]
    }

    fn number(fault: &Fault) -> usize {
        match fault {
            Fault::NotFound => 0,
            Fault::NodeNotFound(_) => 1,
            Fault::PortNotFound(_) => 2,
            Fault::PortgroupNotFound(_) => 3,
            Fault::ConnectorNotFound(_) => 4,
            Fault::TargetNotFound(_) => 5,
            Fault::ChassisNotFound(_) => 6,
            Fault::RunbookNotFound(_) => 7,
            Fault::AllocationNotFound(_) => 8,
            Fault::TraitNotFound { .. } => 9,
            Fault::DriverUnknown(_) => 10,
            Fault::Locked { .. } => 11,
            Fault::Stale(_) => 12,
            Fault::InvalidStateRequested { .. } => 13,
            Fault::InvalidState(_) => 14,
            Fault::InvalidParameter(_) => 15,
            Fault::Duplicate(_) => 16,
            Fault::InMaintenance { .. } => 17,
            Fault::Retired { .. } => 18,
            Fault::Protected(_) => 19,
            Fault::NodeAssociated { .. } => 20,
            Fault::InstanceAssociated { .. } => 21,
            Fault::PowerOffDisabled(_) => 22,
            Fault::Unsupported { .. } => 23,
            Fault::NoSuchFeature { .. } => 24,
            Fault::NoValidHost { .. } => 25,
            Fault::NoFreeWorker => 26,
            Fault::ConcurrentActionLimit(_) => 27,
            Fault::Unavailable => 28,
            Fault::NotNow(_) => 29,
            Fault::Hardware(_) => 30,
            Fault::Internal(_) => 31,
            Fault::WrongScreenToken => 32,
        }
    }

    #[test]
    fn every_refusal_survives_the_way_between_processes() {
        for (expected, fault) in all().into_iter().enumerate() {
            assert_eq!(number(&fault), expected);
            let text = serde_json::to_string(&fault).unwrap();
            let back: Fault = serde_json::from_str(&text).unwrap();
            assert_eq!(back, fault, "{text}");
        }
        assert_eq!(all().len(), 33);
    }
}
