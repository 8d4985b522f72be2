//! Why the conductor refuses or fails a request, in the words the client reads.
//!
//! The API maps each variant to a status code; nothing here knows HTTP.

use crate::{NodeId, PowerTarget};

/// A refusal. `Display` is the text that clients of the original service know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
        operation: &'static str,
        node: NodeId,
    },
    #[error("The {operation} operation can't be performed on node {node} because it is retired.")]
    Retired {
        operation: &'static str,
        node: NodeId,
    },
    #[error("Node {0} is protected and cannot be undeployed, rebuilt or deleted")]
    Protected(NodeId),
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
    ConcurrentActionLimit(&'static str),
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
