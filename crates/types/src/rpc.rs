//! The conductor as the API sees it: in process, or across the cluster.
//!
//! Here are the arguments and answers of the calls that have no other home; the calls themselves are
//! a table in [`calls`].

pub mod calls;
pub mod holdings;
pub mod recipe;

pub use calls::{
    Addressed, Carrier, Conductor, Consoles, DriverName, HostName, Membership, Request, Subject,
    dispatch, read_answer, write_answer,
};

use crate::{Fault, InterfaceKind, JsonMap, Node, ProvisionState, Verb, step::UserStep};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::IpAddr;

/// A provision verb with the arguments that belong to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum ProvisionRequest {
    Deploy {
        configdrive: Option<Value>,
        steps: Vec<UserStep>,
    },
    Rebuild {
        configdrive: Option<Value>,
        steps: Vec<UserStep>,
    },
    TearDown,
    Manage,
    Provide,
    Inspect,
    Abort,
    Adopt,
    Unhold,
    Clean {
        steps: Vec<UserStep>,
        disable_ramdisk: bool,
    },
    Rescue {
        password: String,
    },
    Unrescue,
    Service {
        steps: Vec<UserStep>,
        disable_ramdisk: bool,
    },
}

impl ProvisionRequest {
    /// Where the config drive goes, for verbs that take one.
    pub fn configdrive_mut(&mut self) -> Option<&mut Option<Value>> {
        match self {
            Self::Deploy { configdrive, .. } | Self::Rebuild { configdrive, .. } => {
                Some(configdrive)
            }
            _ => None,
        }
    }

    /// The event that the request stands for.
    pub fn verb(&self) -> Verb {
        match self {
            Self::Deploy { .. } => Verb::Deploy,
            Self::Rebuild { .. } => Verb::Rebuild,
            Self::TearDown => Verb::Delete,
            Self::Manage => Verb::Manage,
            Self::Provide => Verb::Provide,
            Self::Inspect => Verb::Inspect,
            Self::Abort => Verb::Abort,
            Self::Adopt => Verb::Adopt,
            Self::Unhold => Verb::Unhold,
            Self::Clean { .. } => Verb::Clean,
            Self::Rescue { .. } => Verb::Rescue,
            Self::Unrescue => Verb::Unrescue,
            Self::Service { .. } => Verb::Service,
        }
    }
}

/// Where a step of a plan comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepSource {
    /// It was asked for.
    Request,
    /// A deploy template that a trait of the instance stands for.
    Template(String),
    /// A runbook of the configuration.
    Runbook,
    Driver,
}

/// A step that would be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedStep {
    pub interface: InterfaceKind,
    pub step: String,
    pub priority: i64,
    /// Without secrets.
    pub args: JsonMap,
    pub source: StepSource,
}

/// What a provision verb would do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Why it would be refused.
    pub refusal: Option<Fault>,
    /// The state that the node is in and those that it would go through, if all goes well.
    pub states: Vec<ProvisionState>,
    pub steps: Vec<PlannedStep>,
    /// Whether an agent adds steps of its own when it is there.
    pub has_more_steps: bool,
}

/// A node as the client wants it to be, and the version of the row that this was derived from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeUpdate {
    pub node: Node,
    pub base_version: i64,
    /// Interfaces that were not named together with a new driver get that driver's defaults.
    pub reset_interfaces: bool,
}

/// Where a machine boots from next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootDevice {
    pub device: Option<String>,
    pub persistent: Option<bool>,
}

/// A light or other indicator on a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indicator {
    pub component: String,
    pub name: String,
    pub readonly: bool,
    pub states: Vec<String>,
}

/// How a node's serial console can be reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsoleState {
    pub enabled: bool,
    /// Null while the console is off.
    pub info: Value,
}

/// An image that is to look like a medium in one of a machine's drives.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VirtualMedia {
    /// `disk`, `cdrom` or `floppy`.
    pub device: String,
    /// It may carry credentials: never to be logged or shown.
    pub image_url: String,
    /// `http`, `local` or `swift`: from where the BMC reads the image.
    pub source: String,
}

impl std::fmt::Debug for VirtualMedia {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VirtualMedia")
            .field("device", &self.device)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// The verdict on one interface of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validation {
    pub interface: InterfaceKind,
    /// Why it is not usable; `None` when it is.
    pub reason: Option<String>,
}

/// What a method of vendor passthru takes and does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VendorMethod {
    pub name: String,
    pub http_methods: Vec<String>,
    pub r#async: bool,
    pub description: String,
    pub attach: bool,
    pub require_exclusive_lock: bool,
}

/// What a vendor method came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum VendorAnswer {
    /// It works in the background.
    Accepted,
    Done(Value),
}

/// What an agent says about itself when it reports.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    pub callback_url: String,
    pub agent_version: Option<String>,
    pub agent_token: Option<String>,
    /// PEM text of the certificate that the agent serves with.
    pub agent_verify_ca: Option<String>,
    pub agent_status: Option<String>,
    pub agent_status_message: Option<String>,
    /// Where it comes from, if that is to be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<IpAddr>,
}

/// Among the arguments of vendor methods that ramdisks of old releases call: where the call came from.
/// The API process says it; what a caller says under this name is not passed on.
pub const LEGACY_PEER: &str = "corten_peer";

/// What a report is answered that shows no token of the node, or whose node does not exist: it does
/// not tell which.
pub const WRONG_TOKEN: &str = "Invalid or missing agent token received.";

impl Heartbeat {
    /// Whether the agent says which version it is. Judged before the token, which an agent that
    /// does not may not know either.
    pub fn check_version(&self) -> Result<(), Fault> {
        if self.agent_version.is_some() || self.agent_status.is_some() {
            return Ok(());
        }
        let text = "Agent did not transmit a version, and a version is required. Please update the agent being used.";
        Err(Fault::InvalidParameter(text.to_owned()))
    }
}

/// Whether `verb` is legal for a node in `state`: the API's own check before it asks the owner.
pub fn is_actionable(state: ProvisionState, verb: Verb) -> bool {
    state.after(verb).is_some()
}
