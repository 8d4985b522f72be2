//! What one process can ask another: every method of [`Conductor`], as data.
//!
//! A call says where it belongs ([`Place`]), so that whoever gets it can tell without the database
//! whether it came to the right conductor. Both sides of a cluster are of the same or of adjacent
//! versions; a variant that only one of them knows is a refusal, not a misunderstanding (see
//! [`crate::adjacent`]).

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::net::IpAddr;
use types::{
    Allocation, AllocationId, Caller, Conductor, Fault, Inventory, JsonMap, Node, NodeId, Port,
    PortId, Portgroup, PortgroupId, PowerTarget, VolumeConnector, VolumeConnectorId, VolumeTarget,
    VolumeTargetId,
    console::ConsoleWish,
    progress::Progress,
    rpc::{Heartbeat, NodeUpdate, ProvisionRequest, VirtualMedia},
};

/// Who a call is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// Whoever a node of this hardware type and group belongs to.
    Node {
        node: NodeId,
        driver: String,
        group: String,
    },
    /// Anybody who serves this hardware type.
    Driver(String),
    /// This very conductor.
    Host(String),
    Anybody,
}

impl Place {
    pub(crate) fn of(node: &Node) -> Self {
        Self::Node {
            node: node.id,
            driver: node.driver.clone(),
            group: node.conductor_group.clone(),
        }
    }
}

/// A call on its way.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Whose words these are; a program of before this was told says nothing.
    #[serde(default)]
    pub(crate) program: String,
    pub(crate) place: Place,
    /// Whoever is behind it; the service itself, if nobody.
    #[serde(default)]
    pub(crate) who: Caller,
    /// The span that the call is made in, as W3C writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<String>,
    pub(crate) request: Request,
}

/// What came of a call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// The value that the method returned.
    Done(Box<RawValue>),
    Refused(Fault),
    /// Nothing was done: the node belongs to another conductor, as far as this one knows.
    NotMine {
        owner: Option<String>,
    },
}

/// The methods of [`Conductor`] with their arguments.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    CreateNode(Box<Node>),
    UpdateNode(Box<NodeUpdate>),
    DestroyNode(NodeId),
    SetMaintenance(NodeId, bool, Option<String>),
    SetTraits(NodeId, Vec<String>),
    AddTrait(NodeId, String),
    RemoveTrait(NodeId, String),
    Provision(NodeId, String, ProvisionRequest),
    SetPower(NodeId, PowerTarget, Option<u64>),
    SetTargetRaid(NodeId, JsonMap),
    SetBootMode(NodeId, String),
    SetSecureBoot(NodeId, bool),
    SetConsole(NodeId, bool),
    Console(NodeId),
    /// Answered by a stream, see [`crate::console`].
    JoinConsole(NodeId, ConsoleWish),
    Sensors(NodeId),
    Recording(NodeId),
    BootLog(NodeId),
    /// As far as the conductor that is asked knows.
    Leases(NodeId),
    Live(NodeId),
    /// Of the conductor of this name.
    Report(String),
    NoteProgress(NodeId, Option<String>, Progress),
    Validate(NodeId),
    BootDevice(NodeId),
    SetBootDevice(NodeId, String, bool),
    SupportedBootDevices(NodeId),
    InjectNmi(NodeId),
    Indicators(NodeId),
    Indicator(NodeId, String, String),
    SetIndicator(NodeId, String, String, String),
    VirtualMedia(NodeId),
    AttachVirtualMedia(NodeId, VirtualMedia),
    DetachVirtualMedia(NodeId, Option<Vec<String>>),
    CreatePort(Box<Port>),
    UpdatePort(Box<Port>, i64),
    DestroyPort(PortId),
    CreatePortgroup(Box<Portgroup>),
    UpdatePortgroup(Box<Portgroup>, i64),
    DestroyPortgroup(PortgroupId),
    CreateConnector(Box<VolumeConnector>),
    UpdateConnector(Box<VolumeConnector>, i64),
    DestroyConnector(VolumeConnectorId),
    CreateTarget(Box<VolumeTarget>),
    UpdateTarget(Box<VolumeTarget>, i64),
    DestroyTarget(VolumeTargetId),
    Vifs(NodeId),
    AttachVif(NodeId, JsonMap),
    DetachVif(NodeId, String),
    VendorMethods(NodeId),
    VendorCall(NodeId, String, String, JsonMap),
    CreateAllocation(Box<Allocation>),
    DestroyAllocation(AllocationId),
    NodeForAgent(NodeId),
    /// The same, with where the ramdisk asks from.
    NodeForAgentAt(NodeId, IpAddr),
    Heartbeat(NodeId, Heartbeat),
    ContinueInspection(NodeId, Inventory),
    DriverProperties(String),
    RaidProperties(String),
}

impl Request {
    /// Whether asking twice is as good as asking once, so that a lost answer may be asked for
    /// again.
    pub(crate) fn is_repeatable(&self) -> bool {
        matches!(
            self,
            Self::Console(_)
                | Self::Sensors(_)
                | Self::Recording(_)
                | Self::BootLog(_)
                | Self::Leases(_)
                | Self::Live(_)
                | Self::Report(_)
                | Self::NoteProgress(..)
                | Self::Validate(_)
                | Self::BootDevice(_)
                | Self::SupportedBootDevices(_)
                | Self::Indicators(_)
                | Self::Indicator(..)
                | Self::VirtualMedia(_)
                | Self::Vifs(_)
                | Self::VendorMethods(_)
                | Self::Heartbeat(..)
                | Self::DriverProperties(_)
                | Self::RaidProperties(_)
        )
    }
}

/// Calls the method that a request stands for.
pub(crate) async fn dispatch(to: &dyn Conductor, who: &Caller, request: Request) -> Answer {
    use Request as R;
    match request {
        R::CreateNode(node) => answer(to.create_node(who, *node).await),
        R::UpdateNode(update) => answer(to.update_node(who, *update).await),
        R::DestroyNode(node) => answer(to.destroy_node(who, node).await),
        R::SetMaintenance(node, on, reason) => {
            answer(to.set_maintenance(who, node, on, reason).await)
        }
        R::SetTraits(node, traits) => answer(to.set_traits(who, node, traits).await),
        R::AddTrait(node, name) => answer(to.add_trait(who, node, name).await),
        R::RemoveTrait(node, name) => answer(to.remove_trait(who, node, name).await),
        R::Provision(node, action, request) => {
            answer(to.provision(who, node, &action, request).await)
        }
        R::SetPower(node, target, timeout_s) => {
            answer(to.set_power(who, node, target, timeout_s).await)
        }
        R::SetTargetRaid(node, config) => answer(to.set_target_raid(who, node, config).await),
        R::SetBootMode(node, mode) => answer(to.set_boot_mode(who, node, mode).await),
        R::SetSecureBoot(node, on) => answer(to.set_secure_boot(who, node, on).await),
        R::SetConsole(node, on) => answer(to.set_console(who, node, on).await),
        R::Console(node) => answer(to.console(node).await),
        // A console is no value.
        R::JoinConsole(..) => Answer::Refused(Fault::Internal("a console is a stream".into())),
        R::Sensors(node) => answer(to.sensors(node).await),
        R::Recording(node) => answer(to.recording(node).await),
        R::BootLog(node) => answer(to.boot_log(node).await),
        R::Leases(node) => answer(to.leases(node).await),
        R::Live(node) => answer(to.live(node).await),
        R::Report(host) => answer(to.report(&host).await),
        R::NoteProgress(node, token, progress) => {
            answer(to.note_progress(node, token.as_deref(), progress).await)
        }
        R::Validate(node) => answer(to.validate(node).await),
        R::BootDevice(node) => answer(to.boot_device(node).await),
        R::SetBootDevice(node, device, persistent) => {
            answer(to.set_boot_device(who, node, device, persistent).await)
        }
        R::SupportedBootDevices(node) => answer(to.supported_boot_devices(node).await),
        R::InjectNmi(node) => answer(to.inject_nmi(who, node).await),
        R::Indicators(node) => answer(to.indicators(node).await),
        R::Indicator(node, component, name) => answer(to.indicator(node, &component, &name).await),
        R::SetIndicator(node, component, name, state) => {
            let set = to.set_indicator(who, node, &component, &name, &state);
            answer(set.await)
        }
        R::VirtualMedia(node) => answer(to.virtual_media(node).await),
        R::AttachVirtualMedia(node, media) => {
            answer(to.attach_virtual_media(who, node, media).await)
        }
        R::DetachVirtualMedia(node, devices) => {
            answer(to.detach_virtual_media(who, node, devices).await)
        }
        R::CreatePort(port) => answer(to.create_port(who, *port).await),
        R::UpdatePort(port, base) => answer(to.update_port(who, *port, base).await),
        R::DestroyPort(port) => answer(to.destroy_port(who, port).await),
        R::CreatePortgroup(group) => answer(to.create_portgroup(who, *group).await),
        R::UpdatePortgroup(group, base) => answer(to.update_portgroup(who, *group, base).await),
        R::DestroyPortgroup(group) => answer(to.destroy_portgroup(who, group).await),
        R::CreateConnector(new) => answer(to.create_connector(who, *new).await),
        R::UpdateConnector(new, base) => answer(to.update_connector(who, *new, base).await),
        R::DestroyConnector(id) => answer(to.destroy_connector(who, id).await),
        R::CreateTarget(new) => answer(to.create_target(who, *new).await),
        R::UpdateTarget(new, base) => answer(to.update_target(who, *new, base).await),
        R::DestroyTarget(id) => answer(to.destroy_target(who, id).await),
        R::Vifs(node) => answer(to.vifs(node).await),
        R::AttachVif(node, vif) => answer(to.attach_vif(who, node, vif).await),
        R::DetachVif(node, id) => answer(to.detach_vif(who, node, &id).await),
        R::VendorMethods(node) => answer(to.vendor_methods(node).await),
        R::VendorCall(node, method, verb, arguments) => {
            let called = to.vendor_call(who, node, &method, &verb, arguments);
            answer(called.await)
        }
        R::CreateAllocation(new) => answer(to.create_allocation(who, *new).await),
        R::DestroyAllocation(id) => answer(to.destroy_allocation(who, id).await),
        R::NodeForAgent(node) => answer(to.node_for_agent(node, None).await),
        R::NodeForAgentAt(node, from) => answer(to.node_for_agent(node, Some(from)).await),
        R::Heartbeat(node, heartbeat) => answer(to.heartbeat(node, heartbeat).await),
        R::ContinueInspection(node, found) => answer(to.continue_inspection(node, found).await),
        R::DriverProperties(driver) => answer(to.driver_properties(&driver).await),
        R::RaidProperties(driver) => answer(to.raid_properties(&driver).await),
    }
}

fn answer<T: Serialize>(outcome: Result<T, Fault>) -> Answer {
    let value = match outcome {
        Ok(value) => serde_json::value::to_raw_value(&value),
        Err(fault) => return Answer::Refused(fault),
    };
    match value {
        Ok(value) => Answer::Done(value),
        Err(error) => Answer::Refused(Fault::Internal(format!("an answer has no form: {error}"))),
    }
}

/// Reads the value that a method returned.
pub(crate) fn value<T: DeserializeOwned>(raw: &RawValue) -> Result<T, Fault> {
    serde_json::from_str(raw.get())
        .map_err(|error| Fault::Internal(format!("an answer cannot be read: {error}")))
}
