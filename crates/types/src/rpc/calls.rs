//! Every call that a conductor answers, one row each, and all that follows from the rows.
//!
//! [`conductor_calls!`](crate::conductor_calls) is the table. It passes its rows to the macro whose
//! name it is given. Here that is `contract!`, which makes from each row
//!
//! - a method of [`Conductor`];
//! - a variant of [`Request`], the same call as data. It has the name of the method, which is also
//!   its name between processes;
//! - its arms in [`Request::is_repeatable`], [`Request::subject`] and [`dispatch`];
//! - a method of every [`Carrier`], which has calls answered elsewhere: in a cluster by another
//!   process, in the tests of the API by a fake.
//!
//! The conductor passes the table to a macro of its own, which finds the handler by its name. So a
//! new call is a row here and a handler there.
//!
//! Not in the table: what is answered from memory ([`Membership`]), and the calls that are answered
//! by a stream ([`Consoles`]).

use super::{
    BootDevice, ConsoleState, Heartbeat, Indicator, NodeUpdate, Plan, ProvisionRequest, Validation,
    VendorAnswer, VendorMethod, VirtualMedia,
    holdings::{BootReport, BootWish, ImageCaches},
    recipe::{OfferedStep, RuleTrial, TrialReport},
};
use crate::{
    Allocation, AllocationId, Caller, Fault, ImageId, Inventory, JsonMap, Node, NodeId, Port,
    PortId, Portgroup, PortgroupId, PowerTarget, VolumeConnector, VolumeConnectorId, VolumeTarget,
    VolumeTargetId,
    bmc_password::PasswordLength,
    console::{ConsoleLine, ConsoleWish, ScreenToken},
    hardware_log::HardwareLog,
    progress::{Live, Progress},
    recording::Recording,
    status::ConductorReport,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::net::IpAddr;

/// The table of calls.
///
/// `by who`: somebody asks for it, and the handler is told who. `repeatable`: asking twice is as good
/// as asking once, so that a lost answer may be asked for again. The first argument says which
/// conductor the call is for (see [`Addressed`](crate::rpc::Addressed)).
#[macro_export]
macro_rules! conductor_calls {
    ($make:ident) => {
        $make! {
            /// The status report of the conductor of this name. Takes a few seconds at most.
            fn report(host: HostName) -> ConductorReport, repeatable;

            by who fn create_node(node: Node) -> Node;
            by who fn update_node(update: NodeUpdate) -> Node;
            by who fn destroy_node(node: NodeId) -> ();
            by who fn set_maintenance(node: NodeId, on: bool, reason: Option<String>) -> ();
            by who fn set_traits(node: NodeId, traits: Vec<String>) -> ();
            by who fn add_trait(node: NodeId, name: String) -> ();
            by who fn remove_trait(node: NodeId, name: String) -> ();

            /// Accepts a provision verb. `action` is the word that the client used.
            by who fn provision(node: NodeId, action: String, request: ProvisionRequest) -> ();
            /// What the same would do. Nothing is written, and no machine is asked.
            by who fn plan(
                node: NodeId, action: String, request: ProvisionRequest
            ) -> Plan, repeatable;
            by who fn set_power(node: NodeId, target: PowerTarget, timeout_s: Option<u64>) -> ();
            by who fn set_target_raid(node: NodeId, config: JsonMap) -> ();
            by who fn set_boot_mode(node: NodeId, mode: String) -> ();
            by who fn set_secure_boot(node: NodeId, on: bool) -> ();
            by who fn set_console(node: NodeId, on: bool) -> ();
            fn console(node: NodeId) -> ConsoleState, repeatable;
            /// What the machine's sensors say, by type and sensor.
            fn sensors(node: NodeId) -> JsonMap, repeatable;
            /// What the log of the machine's BMC holds.
            fn system_event_log(node: NodeId) -> HardwareLog, repeatable;
            by who fn clear_system_event_log(node: NodeId) -> ();
            /// What was said to the machine's BMC, as far back as it is known.
            fn recording(node: NodeId) -> Recording, repeatable;
            /// What the machine asked the boot services for, and what that means.
            fn boot_log(node: NodeId) -> JsonMap, repeatable;
            /// What is known about the work on the machine beyond what the log tells.
            fn live(node: NodeId) -> Live, repeatable;

            fn validate(node: NodeId) -> Vec<Validation>, repeatable;
            fn boot_device(node: NodeId) -> BootDevice, repeatable;
            by who fn set_boot_device(node: NodeId, device: String, persistent: bool) -> ();
            fn supported_boot_devices(node: NodeId) -> Vec<String>, repeatable;
            by who fn inject_nmi(node: NodeId) -> ();
            /// Gives the account that the node logs in to its BMC with another password.
            by who fn rotate_bmc_password(node: NodeId, length: PasswordLength) -> ();
            fn indicators(node: NodeId) -> Vec<Indicator>, repeatable;
            fn indicator(node: NodeId, component: String, name: String) -> String, repeatable;
            by who fn set_indicator(
                node: NodeId, component: String, name: String, state: String
            ) -> ();

            /// What is in the machine's virtual drives, as its driver tells it.
            fn virtual_media(node: NodeId) -> Vec<JsonMap>, repeatable;
            by who fn attach_virtual_media(node: NodeId, media: VirtualMedia) -> ();
            /// Empties these drives; no list means all of them.
            by who fn detach_virtual_media(node: NodeId, devices: Option<Vec<String>>) -> ();

            // In all updates `base_version` is that of the row which the change was derived from.
            by who fn create_port(port: Port) -> Port;
            by who fn update_port(port: Port, base_version: i64) -> Port;
            by who fn destroy_port(port: PortId) -> ();
            by who fn create_portgroup(portgroup: Portgroup) -> Portgroup;
            by who fn update_portgroup(portgroup: Portgroup, base_version: i64) -> Portgroup;
            by who fn destroy_portgroup(portgroup: PortgroupId) -> ();
            by who fn create_connector(connector: VolumeConnector) -> VolumeConnector;
            by who fn update_connector(
                connector: VolumeConnector, base_version: i64
            ) -> VolumeConnector;
            by who fn destroy_connector(connector: VolumeConnectorId) -> ();
            by who fn create_target(target: VolumeTarget) -> VolumeTarget;
            by who fn update_target(target: VolumeTarget, base_version: i64) -> VolumeTarget;
            by who fn destroy_target(target: VolumeTargetId) -> ();

            /// The virtual interfaces that are attached to a node.
            fn vifs(node: NodeId) -> Vec<String>, repeatable;
            by who fn attach_vif(node: NodeId, vif: JsonMap) -> ();
            by who fn detach_vif(node: NodeId, vif: String) -> ();

            /// The vendor methods that a node's driver has, by name.
            fn vendor_methods(node: NodeId) -> Vec<VendorMethod>, repeatable;
            /// Calls one of them; `verb` is the HTTP method that the client used.
            by who fn vendor_call(
                node: NodeId, method: String, verb: String, arguments: JsonMap
            ) -> VendorAnswer;

            /// Stores an allocation and looks for a machine; one that names its node is for a
            /// machine in use and is complete at once.
            by who fn create_allocation(allocation: Allocation) -> Allocation;
            by who fn destroy_allocation(allocation: AllocationId) -> ();

            /// The addresses that DHCP servers of this service gave to the ports of a node, if they
            /// are what its ramdisk has its address from.
            fn leases(node: NodeId) -> Option<Vec<IpAddr>>, repeatable;
            /// The node as its own ramdisk may see it, and the token that the ramdisk must show from
            /// now on: told once, to whoever asks first.
            fn node_for_agent(node: NodeId) -> (Node, Option<String>);
            /// The same, where the address that the ramdisk asks from is to be judged.
            fn node_for_agent_at(node: NodeId, from: IpAddr) -> (Node, Option<String>);
            /// Notes that the agent on a node is alive.
            fn heartbeat(node: NodeId, heartbeat: Heartbeat) -> (), repeatable;
            /// An agent tells how far it is; `token` is what it shows.
            fn note_progress(
                node: NodeId, token: Option<String>, progress: Progress
            ) -> (), repeatable;
            /// Takes what the ramdisk on a node found; it is processed in the background.
            fn continue_inspection(node: NodeId, found: Inventory) -> ();

            /// Begins to take an image that a client sends; says which conductor its parts are for.
            fn begin_upload(image: ImageId) -> HostName;
            /// Takes a part of it, in base64; answers how many bytes there are now. A part that came
            /// already is not taken twice.
            fn upload_part(host: HostName, image: ImageId, offset: u64, data: String) -> u64,
                repeatable;

            /// Names and meanings of the `driver_info` keys of a hardware type.
            fn driver_properties(driver: DriverName) -> Vec<(String, String)>, repeatable;
            /// Names and meanings of the keys of a logical disk.
            fn raid_properties(driver: DriverName) -> Vec<(String, String)>, repeatable;
            /// The steps that the enabled implementations of a hardware type offer.
            fn offered_steps(driver: DriverName) -> Vec<OfferedStep>, repeatable;
            /// What inspection rules would do to a node. Nothing is written, and nobody is called.
            fn try_rules(node: NodeId, trial: RuleTrial) -> TrialReport, repeatable;
            /// What the conductor of this name has in its caches of images.
            fn image_caches(host: HostName) -> ImageCaches, repeatable;
            /// What its boot services serve.
            fn boot_services(host: HostName, wish: BootWish) -> BootReport, repeatable;
        }
    };
}

macro_rules! contract {
    ($(
        $(#[$doc:meta])*
        $(by $who:ident)? fn $name:ident($first:ident: $First:ty $(, $arg:ident: $Arg:ty)*)
            -> $Answer:ty $(, $repeatable:ident)?;
    )*) => {
        /// Asks whoever owns a node. Every method answers only after what it accepted is in the
        /// database.
        #[async_trait::async_trait]
        pub trait Conductor: Membership + Consoles {
            $(
                $(#[$doc])*
                async fn $name(
                    &self,
                    $($who: &Caller,)?
                    $first: $First,
                    $($arg: $Arg,)*
                ) -> Result<$Answer, Fault>;
            )*
        }

        /// The methods of [`Conductor`] with their arguments.
        #[allow(non_camel_case_types, reason = "a variant has the name of its method")]
        #[derive(Debug, Serialize, Deserialize)]
        pub enum Request {
            $($name($First $(, $Arg)*),)*
            /// Answered by a stream, see [`Consoles`].
            join_console(NodeId, ConsoleWish),
            /// The same.
            join_screen(NodeId, ScreenToken),
        }

        impl Request {
            /// Whether asking twice is as good as asking once, so that a lost answer may be asked
            /// for again.
            pub fn is_repeatable(&self) -> bool {
                match self {
                    $(Self::$name(..) => is_repeatable!($($repeatable)?),)*
                    Self::join_console(..) | Self::join_screen(..) => false,
                }
            }

            /// Which conductor it is for.
            pub fn subject(&self) -> Subject<'_> {
                match self {
                    $(Self::$name($first, ..) => $first.subject(),)*
                    Self::join_console(node, _) | Self::join_screen(node, _) => node.subject(),
                }
            }
        }

        /// Calls the method that a request stands for; the answer is what it returned, as JSON.
        pub async fn dispatch(
            to: &dyn Conductor,
            who: &Caller,
            request: Box<Request>,
        ) -> Result<Box<RawValue>, Fault> {
            match *request {
                $(Request::$name($first $(, $arg)*) => {
                    $(let $who = who;)?
                    write_answer(&to.$name($($who,)? $first $(, $arg)*).await?)
                })*
                Request::join_console(..) | Request::join_screen(..) => {
                    Err(Fault::Internal("a console is a stream".to_owned()))
                }
            }
        }

        #[async_trait::async_trait]
        impl<T: Carrier> Conductor for T {
            $(
                async fn $name(
                    &self,
                    $($who: &Caller,)?
                    $first: $First,
                    $($arg: $Arg,)*
                ) -> Result<$Answer, Fault> {
                    let request = Box::new(Request::$name($first $(, $arg)*));
                    let answer = self.carry(caller!($($who)?), request).await?;
                    read_answer(&answer)
                }
            )*
        }
    };
}

macro_rules! is_repeatable {
    () => {
        false
    };
    (repeatable) => {
        true
    };
}

/// Where a row does not say who asks, it is the service itself.
macro_rules! caller {
    () => {
        &Caller::service()
    };
    ($who:ident) => {
        $who
    };
}

conductor_calls!(contract);

/// The conductors as a group. All but `check_served` is answered from memory.
#[async_trait::async_trait]
pub trait Membership: Send + Sync {
    /// The conductor that serves nodes of this driver and group, if any does.
    fn owner(&self, node: NodeId, driver: &str, group: &str) -> Option<String>;
    /// Whether a conductor is alive, where that is watched.
    fn is_alive(&self, host: &str) -> Option<bool>;
    /// Who shares the nodes of this driver and group, and how large the part of each is; the parts
    /// make one together.
    fn shares(&self, driver: &str, group: &str) -> Vec<(String, f64)>;
    /// Another number whenever any of these answers may be another one.
    fn revision(&self) -> u64;
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
}

/// Consoles of machines.
#[async_trait::async_trait]
pub trait Consoles: Send + Sync {
    /// Joins the machine's serial console, which must be on.
    async fn join_console(
        &self,
        who: &Caller,
        node: NodeId,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, Fault>;

    /// Lets a viewer see the screen of a machine whose graphical console is on, if the token is that
    /// of the console.
    async fn join_screen(
        &self,
        who: &Caller,
        node: NodeId,
        token: ScreenToken,
    ) -> Result<ConsoleLine, Fault>;
}

/// Has requests answered elsewhere, which makes it a [`Conductor`].
#[async_trait::async_trait]
pub trait Carrier: Membership + Consoles {
    /// The answer is what the method returned there, as JSON.
    async fn carry(&self, who: &Caller, request: Box<Request>) -> Result<Box<RawValue>, Fault>;
}

/// Writes what a method returned.
pub fn write_answer(answer: &impl Serialize) -> Result<Box<RawValue>, Fault> {
    serde_json::value::to_raw_value(answer)
        .map_err(|error| Fault::Internal(format!("an answer cannot be written as JSON: {error}")))
}

/// Reads what a method returned.
pub fn read_answer<T: DeserializeOwned>(answer: &RawValue) -> Result<T, Fault> {
    serde_json::from_str(answer.get())
        .map_err(|error| Fault::Internal(format!("an answer cannot be read as JSON: {error}")))
}

/// The name of a conductor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostName(pub String);

/// The name of a hardware type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverName(pub String);

/// Which conductor a call is for.
#[derive(Debug)]
pub enum Subject<'a> {
    /// Whoever the node belongs to.
    Node(NodeId),
    /// The same; the row may be a new one.
    Row(&'a Node),
    /// Whoever the node of this port belongs to, and so on.
    Port(PortId),
    Portgroup(PortgroupId),
    Connector(VolumeConnectorId),
    Target(VolumeTargetId),
    /// Anybody who serves this hardware type.
    Driver(&'a str),
    /// This very conductor.
    Host(&'a str),
    Anybody,
}

/// What tells, as the first argument of a call, which conductor the call is for.
pub trait Addressed {
    fn subject(&self) -> Subject<'_>;
}

macro_rules! addressed {
    ($($Type:ty: |$value:ident| $subject:expr;)*) => {
        $(impl Addressed for $Type {
            fn subject(&self) -> Subject<'_> {
                let $value = self;
                $subject
            }
        })*
    };
}

addressed! {
    NodeId: |id| Subject::Node(*id);
    Node: |node| Subject::Row(node);
    NodeUpdate: |update| Subject::Row(&update.node);
    Port: |port| Subject::Node(port.node);
    PortId: |id| Subject::Port(*id);
    Portgroup: |group| Subject::Node(group.node);
    PortgroupId: |id| Subject::Portgroup(*id);
    VolumeConnector: |connector| Subject::Node(connector.node);
    VolumeConnectorId: |id| Subject::Connector(*id);
    VolumeTarget: |target| Subject::Node(target.node);
    VolumeTargetId: |id| Subject::Target(*id);
    Allocation: |_allocation| Subject::Anybody;
    AllocationId: |_id| Subject::Anybody;
    DriverName: |name| Subject::Driver(&name.0);
    HostName: |name| Subject::Host(&name.0);
    ImageId: |_id| Subject::Anybody;
}

#[cfg(test)]
mod tests;
