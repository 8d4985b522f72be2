//! The conductor as the API sees it: in process, or across the cluster.
//!
//! Every method answers only after what it accepted is in the database.

use crate::{
    Allocation, AllocationId, Caller, Fault, InterfaceKind, Inventory, JsonMap, Node, NodeId, Port,
    PortId, Portgroup, PortgroupId, PowerTarget, ProvisionState, Verb, VolumeConnector,
    VolumeConnectorId, VolumeTarget, VolumeTargetId,
    console::{ConsoleLine, ConsoleWish},
    progress::{Live, Progress},
    recording::Recording,
    status::ConductorReport,
    step::UserStep,
};
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

/// Asks whoever owns a node.
#[async_trait::async_trait]
pub trait Conductor: Send + Sync {
    /// The conductor that serves nodes of this driver and group, if any does. Answered from
    /// memory.
    fn owner(&self, node: NodeId, driver: &str, group: &str) -> Option<String>;
    /// Fails if nobody serves nodes of this driver and group.
    async fn check_served(&self, node: NodeId, driver: &str, group: &str) -> Result<(), Fault> {
        match self.owner(node, driver, group) {
            Some(_) => Ok(()),
            None => Err(Fault::NoValidHost {
                driver: driver.to_owned(),
                group: group.to_owned(),
            }),
        }
    }
    /// Whether a conductor is alive, where that is watched. Answered from memory.
    fn is_alive(&self, host: &str) -> Option<bool>;
    /// Who shares the nodes of this driver and group, and how large the part of each is; the parts
    /// make one together. Answered from memory.
    fn shares(&self, driver: &str, group: &str) -> Vec<(String, f64)>;
    /// How the conductor of this name fares, by its own words. Takes a few seconds at most.
    async fn report(&self, host: &str) -> Result<ConductorReport, Fault>;

    async fn create_node(&self, who: &Caller, node: Node) -> Result<Node, Fault>;
    async fn update_node(&self, who: &Caller, update: NodeUpdate) -> Result<Node, Fault>;
    async fn destroy_node(&self, who: &Caller, node: NodeId) -> Result<(), Fault>;
    async fn set_maintenance(
        &self,
        who: &Caller,
        node: NodeId,
        on: bool,
        reason: Option<String>,
    ) -> Result<(), Fault>;
    async fn set_traits(
        &self,
        who: &Caller,
        node: NodeId,
        traits: Vec<String>,
    ) -> Result<(), Fault>;
    async fn add_trait(&self, who: &Caller, node: NodeId, name: String) -> Result<(), Fault>;
    async fn remove_trait(&self, who: &Caller, node: NodeId, name: String) -> Result<(), Fault>;

    /// Accepts a provision verb. `action` is the word that the client used.
    async fn provision(
        &self,
        who: &Caller,
        node: NodeId,
        action: &str,
        request: ProvisionRequest,
    ) -> Result<(), Fault>;
    async fn set_power(
        &self,
        who: &Caller,
        node: NodeId,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), Fault>;
    async fn set_target_raid(
        &self,
        who: &Caller,
        node: NodeId,
        config: JsonMap,
    ) -> Result<(), Fault>;
    async fn set_boot_mode(&self, who: &Caller, node: NodeId, mode: String) -> Result<(), Fault>;
    async fn set_secure_boot(&self, who: &Caller, node: NodeId, on: bool) -> Result<(), Fault>;
    async fn set_console(&self, who: &Caller, node: NodeId, on: bool) -> Result<(), Fault>;
    async fn console(&self, node: NodeId) -> Result<ConsoleState, Fault>;
    /// Joins the machine's serial console, which must be on.
    async fn join_console(
        &self,
        who: &Caller,
        node: NodeId,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, Fault>;
    /// What the machine's sensors say, by type and sensor.
    async fn sensors(&self, node: NodeId) -> Result<JsonMap, Fault>;
    /// What was said to the machine's BMC, as far back as it is known.
    async fn recording(&self, node: NodeId) -> Result<Recording, Fault>;
    /// What the machine asked the boot services for, and what that means.
    async fn boot_log(&self, node: NodeId) -> Result<JsonMap, Fault>;
    /// What is known about the work on the machine beyond what the log tells.
    async fn live(&self, node: NodeId) -> Result<Live, Fault>;
    /// An agent tells how far it is; `token` is what it shows.
    async fn note_progress(
        &self,
        node: NodeId,
        token: Option<&str>,
        progress: Progress,
    ) -> Result<(), Fault>;

    async fn validate(&self, node: NodeId) -> Result<Vec<Validation>, Fault>;
    async fn boot_device(&self, node: NodeId) -> Result<BootDevice, Fault>;
    async fn set_boot_device(
        &self,
        who: &Caller,
        node: NodeId,
        device: String,
        persistent: bool,
    ) -> Result<(), Fault>;
    async fn supported_boot_devices(&self, node: NodeId) -> Result<Vec<String>, Fault>;
    async fn inject_nmi(&self, who: &Caller, node: NodeId) -> Result<(), Fault>;
    async fn indicators(&self, node: NodeId) -> Result<Vec<Indicator>, Fault>;
    async fn indicator(&self, node: NodeId, component: &str, name: &str) -> Result<String, Fault>;
    async fn set_indicator(
        &self,
        who: &Caller,
        node: NodeId,
        component: &str,
        name: &str,
        state: &str,
    ) -> Result<(), Fault>;

    /// What is in the machine's virtual drives, as its driver tells it.
    async fn virtual_media(&self, node: NodeId) -> Result<Vec<JsonMap>, Fault>;
    async fn attach_virtual_media(
        &self,
        who: &Caller,
        node: NodeId,
        media: VirtualMedia,
    ) -> Result<(), Fault>;
    /// Empties these drives; no list means all of them.
    async fn detach_virtual_media(
        &self,
        who: &Caller,
        node: NodeId,
        devices: Option<Vec<String>>,
    ) -> Result<(), Fault>;

    async fn create_port(&self, who: &Caller, port: Port) -> Result<Port, Fault>;
    /// `base_version` is that of the row the change was derived from.
    async fn update_port(&self, who: &Caller, port: Port, base_version: i64)
    -> Result<Port, Fault>;
    async fn destroy_port(&self, who: &Caller, port: PortId) -> Result<(), Fault>;

    async fn create_portgroup(
        &self,
        who: &Caller,
        portgroup: Portgroup,
    ) -> Result<Portgroup, Fault>;
    /// `base_version` is that of the row the change was derived from.
    async fn update_portgroup(
        &self,
        who: &Caller,
        portgroup: Portgroup,
        base_version: i64,
    ) -> Result<Portgroup, Fault>;
    async fn destroy_portgroup(&self, who: &Caller, portgroup: PortgroupId) -> Result<(), Fault>;

    async fn create_connector(
        &self,
        who: &Caller,
        connector: VolumeConnector,
    ) -> Result<VolumeConnector, Fault>;
    /// `base_version` is that of the row the change was derived from.
    async fn update_connector(
        &self,
        who: &Caller,
        connector: VolumeConnector,
        base_version: i64,
    ) -> Result<VolumeConnector, Fault>;
    async fn destroy_connector(
        &self,
        who: &Caller,
        connector: VolumeConnectorId,
    ) -> Result<(), Fault>;
    async fn create_target(
        &self,
        who: &Caller,
        target: VolumeTarget,
    ) -> Result<VolumeTarget, Fault>;
    /// `base_version` is that of the row the change was derived from.
    async fn update_target(
        &self,
        who: &Caller,
        target: VolumeTarget,
        base_version: i64,
    ) -> Result<VolumeTarget, Fault>;
    async fn destroy_target(&self, who: &Caller, target: VolumeTargetId) -> Result<(), Fault>;

    /// The virtual interfaces that are attached to a node.
    async fn vifs(&self, node: NodeId) -> Result<Vec<String>, Fault>;
    async fn attach_vif(&self, who: &Caller, node: NodeId, vif: JsonMap) -> Result<(), Fault>;
    async fn detach_vif(&self, who: &Caller, node: NodeId, id: &str) -> Result<(), Fault>;

    /// The vendor methods that a node's driver has, by name.
    async fn vendor_methods(&self, node: NodeId) -> Result<Vec<VendorMethod>, Fault>;
    /// Calls one of them; `verb` is the HTTP method that the client used.
    async fn vendor_call(
        &self,
        who: &Caller,
        node: NodeId,
        method: &str,
        verb: &str,
        arguments: JsonMap,
    ) -> Result<VendorAnswer, Fault>;

    /// Stores an allocation and looks for a machine; one that names its node is for a machine in
    /// use and is complete at once.
    async fn create_allocation(
        &self,
        who: &Caller,
        allocation: Allocation,
    ) -> Result<Allocation, Fault>;
    async fn destroy_allocation(&self, who: &Caller, id: AllocationId) -> Result<(), Fault>;

    /// The addresses that DHCP servers of this service gave to the ports of a node, if they are what
    /// its ramdisk has its address from.
    async fn leases(&self, node: NodeId) -> Result<Option<Vec<IpAddr>>, Fault>;
    /// The node as its own ramdisk may see it, and the token that the ramdisk must show from now
    /// on: told once, to whoever asks first.
    ///
    /// `from` is where the ramdisk asks from, if that is to be judged.
    async fn node_for_agent(
        &self,
        node: NodeId,
        from: Option<IpAddr>,
    ) -> Result<(Node, Option<String>), Fault>;
    /// Notes that the agent on a node is alive.
    async fn heartbeat(&self, node: NodeId, heartbeat: Heartbeat) -> Result<(), Fault>;
    /// Takes what the ramdisk on a node found; it is processed in the background.
    async fn continue_inspection(&self, node: NodeId, found: Inventory) -> Result<(), Fault>;

    /// Names and meanings of the `driver_info` keys of a hardware type.
    async fn driver_properties(&self, driver: &str) -> Result<Vec<(String, String)>, Fault>;
    /// Names and meanings of the keys of a logical disk.
    async fn raid_properties(&self, driver: &str) -> Result<Vec<(String, String)>, Fault>;
}

/// Whether `verb` is legal for a node in `state`: the API's own check before it asks the owner.
pub fn is_actionable(state: ProvisionState, verb: Verb) -> bool {
    state.after(verb).is_some()
}
