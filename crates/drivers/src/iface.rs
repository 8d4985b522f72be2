//! What the conductor asks of hardware.
//!
//! Each kind of interface is a trait; all of them are an [`Interface`], which is where a name, the
//! `driver_info` properties, validation and steps come from. Methods that change anything take a
//! [`LeaseProof`], so that no such call compiles without the lease.

mod boot;
mod machine;
mod network;

pub use boot::{Boot, BootFrom, InstallerOrder, InstallerSource, Ramdisk, RamdiskKind};
pub use machine::{Findings, Machine};
pub use network::Network;
pub use types::network::NetworkPurpose;

use crate::{DriverError, ansible::Playbooks, bmc_account::BmcAccount, screen::Screen};
use async_trait::async_trait;
use serde_json::Value;
use std::{fmt, time::Duration};
use types::{
    InterfaceKind, JsonMap, LeaseProof, Node, NodeId, PowerState, PowerTarget,
    console::{ConsoleLine, ConsoleWish},
    hardware_log::HardwareLog,
    internal_info::VolumeAttachments,
    port::MacAddress,
    rpc::{BootDevice, Indicator, VendorMethod, VirtualMedia},
    step::{OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

/// What every implementation of every kind has.
#[async_trait]
pub trait Interface: Send + Sync {
    /// The name in `enabled_…_interfaces` and on the node.
    fn name(&self) -> &'static str;

    /// `driver_info` keys and what they mean.
    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Whether what the node says is enough to work with. No conversation with the BMC.
    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError>;

    /// The steps this implementation offers, for all flows.
    fn steps(&self) -> &'static [StepSpec] {
        &[]
    }

    /// Carries out a step that [`Interface::steps`] lists.
    async fn run_step(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        Err(DriverError::no_step(step))
    }

    /// What an interruption of anything else than a step (preparing, putting back, …) means.
    fn on_restart(&self) -> OnRestart {
        OnRestart::Fail("it cannot be told how far the hardware came")
    }
}

#[async_trait]
pub trait Power: Interface {
    /// `None` when the hardware does not tell.
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError>;
    /// Returns when the machine has reached the state, or fails.
    async fn set(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError>;
    fn supported(&self) -> &'static [PowerTarget];
    /// Whether the conductor has the machine's agent do what [`Power::set`] does otherwise.
    fn by_agent(&self) -> bool {
        false
    }
    /// Whether the ports of a node are needed to tell its power state.
    fn looks_at_ports(&self) -> bool {
        false
    }
}

#[async_trait]
pub trait Management: Interface {
    fn supported_boot_devices(&self) -> &'static [&'static str];
    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError>;
    async fn set_boot_device(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        persistent: bool,
    ) -> Result<(), DriverError>;
    /// `None` when the hardware does not tell.
    async fn boot_mode(&self, _machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        Ok(None)
    }
    async fn set_boot_mode(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _mode: &str,
    ) -> Result<(), DriverError> {
        Err(DriverError::Unsupported {
            what: "set_boot_mode",
        })
    }
    /// `None` when the hardware does not tell.
    async fn secure_boot(&self, _machine: &Machine<'_>) -> Result<Option<bool>, DriverError> {
        Ok(None)
    }
    async fn set_secure_boot(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _on: bool,
    ) -> Result<(), DriverError> {
        Err(DriverError::Unsupported {
            what: "set_secure_boot_state",
        })
    }
    async fn inject_nmi(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Err(DriverError::Unsupported { what: "inject_nmi" })
    }
    async fn indicators(&self, _machine: &Machine<'_>) -> Result<Vec<Indicator>, DriverError> {
        Err(DriverError::Unsupported {
            what: "get_supported_indicators",
        })
    }
    async fn indicator(
        &self,
        _machine: &Machine<'_>,
        _component: &str,
        _name: &str,
    ) -> Result<String, DriverError> {
        Err(DriverError::Unsupported {
            what: "get_indicator_state",
        })
    }
    async fn set_indicator(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _component: &str,
        _name: &str,
        _state: &str,
    ) -> Result<(), DriverError> {
        Err(DriverError::Unsupported {
            what: "set_indicator_state",
        })
    }
    /// Readings of sensors: by type and sensor, the fields that Ironic's consumers know.
    async fn sensors(&self, _machine: &Machine<'_>) -> Result<JsonMap, DriverError> {
        Err(DriverError::Unsupported {
            what: "get_sensors_data",
        })
    }
    /// What the system event log of the machine holds, the oldest first.
    async fn event_log(&self, _machine: &Machine<'_>) -> Result<HardwareLog, DriverError> {
        Err(DriverError::Unsupported {
            what: "get_system_event_log",
        })
    }
    /// Empties the logs that [`Management::event_log`] reads. Returns when the BMC has done so.
    async fn clear_event_log(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Err(DriverError::Unsupported {
            what: "clear_system_event_log",
        })
    }
    /// How the machine is, in the words of Ironic: `OK`, `Warning` or `Critical`; `None` when
    /// the hardware does not tell.
    async fn health(&self, _machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        Err(DriverError::Unsupported {
            what: "get_node_health",
        })
    }
    /// Who made the machine, in lower case; `None` when the hardware does not tell.
    async fn vendor(&self, _machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        Ok(None)
    }
    /// The addresses of the machine's network interfaces that are in use, as far as the BMC knows.
    async fn mac_addresses(&self, _machine: &Machine<'_>) -> Result<Vec<MacAddress>, DriverError> {
        Err(DriverError::Unsupported {
            what: "get_mac_addresses",
        })
    }
    /// The account that the node logs in to its BMC with, where its password can be changed.
    fn bmc_account(&self) -> Option<&dyn BmcAccount> {
        None
    }
    /// What is in the virtual drives.
    async fn virtual_media(&self, _machine: &Machine<'_>) -> Result<Vec<JsonMap>, DriverError> {
        Err(DriverError::Unsupported {
            what: "get_virtual_media",
        })
    }
    /// An image reaches a BMC by being published for it, which is what a driver without virtual
    /// media fails at first.
    async fn attach_virtual_media(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        _media: &VirtualMedia,
    ) -> Result<(), DriverError> {
        Err(DriverError::InvalidParameter(format!(
            "Publishing images is not supported for driver {}",
            machine.node.driver
        )))
    }
    /// Empties the named drives, or all of them.
    async fn detach_virtual_media(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _devices: Option<&[String]>,
    ) -> Result<(), DriverError> {
        Err(DriverError::Unsupported {
            what: "detach_virtual_media",
        })
    }
}

/// What an operation that is not over waits for; `Display` says it in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaited {
    /// The machine boots into a ramdisk, which reports.
    Ramdisk(&'static str),
    Other(String),
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ramdisk(what) => what,
            Self::Other(what) => what,
        })
    }
}

/// Whether the machine is ready at once or a ramdisk must report first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    Ready,
    Wait(Awaited),
}

/// Who does the work of a deploy interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeployBy {
    /// The interface itself, in the methods of its trait.
    Itself,
    /// An agent in a ramdisk: the conductor boots it and carries out the steps of the interface.
    Agent,
    /// Nobody writes anything: the instance is a ramdisk.
    Ramdisk,
    /// The installer of an operating system, which reports by itself.
    Installer,
}

impl DeployBy {
    /// Whether an agent carries out steps of this kind. Machines are cleaned and serviced by an agent
    /// also where an installer or nothing deploys them.
    pub fn has_agent(self, kind: StepKind) -> bool {
        match self {
            Self::Itself => false,
            Self::Agent => true,
            Self::Ramdisk | Self::Installer => kind != StepKind::Deploy,
        }
    }
}

/// Who writes the image of an instance to its machine's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageWriter {
    /// There is no image, or the steps of the agent see to it.
    Nobody,
    Agent,
    /// The agent exports the disk over iSCSI.
    Conductor,
    /// A container that brings its own installer; the agent fetches and runs it.
    Container,
    /// A playbook of the operator, from here.
    Playbook,
}

/// Where the interface itself does the work, it says in these methods how; the others have nothing to
/// add to what the conductor does.
#[async_trait]
pub trait Deploy: Interface {
    fn by(&self) -> DeployBy {
        DeployBy::Itself
    }

    /// Who writes the image, where an agent does the work.
    fn image_writer(&self) -> ImageWriter {
        ImageWriter::Nobody
    }

    /// The playbooks that do the work in place of the agent, if they do.
    fn playbooks(&self) -> Option<&Playbooks> {
        None
    }

    /// Whether the machine runs a ramdisk whose reports mean something to this interface.
    fn takes_heartbeats(&self, _node: &Node) -> bool {
        false
    }

    /// Whether it is the one for this instance, where the node leaves the choice.
    fn suits(&self, _node: &Node) -> bool {
        true
    }

    /// Before the first deploy step.
    async fn prepare(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    /// After a failed or aborted deploy.
    async fn clean_up(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    /// Takes the instance off the machine.
    async fn tear_down(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    /// Makes this conductor serve what an active machine needs.
    async fn take_over(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    async fn prepare_cleaning(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError> {
        Ok(Readiness::Ready)
    }
    async fn tear_down_cleaning(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    async fn prepare_service(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError> {
        Ok(Readiness::Ready)
    }
    async fn tear_down_service(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
}

/// What an inspection came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inspection {
    Done,
    Wait(Awaited),
    /// A ramdisk must report: the conductor boots the machine into it, through the node's boot
    /// interface or from whatever the network serves, and waits.
    ByRamdisk,
}

#[async_trait]
pub trait Inspect: Interface {
    /// Whether a ramdisk's report is what an inspection waits for.
    fn takes_report(&self) -> bool {
        false
    }

    /// Whether that ramdisk must be one that the node's boot interface boots.
    fn requires_managed_boot(&self) -> bool {
        false
    }

    async fn inspect(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Inspection, DriverError>;
    async fn abort(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Err(DriverError::Unsupported { what: "abort" })
    }
}

#[async_trait]
pub trait Rescue: Interface {
    /// Whether an agent in a ramdisk does it: the conductor boots it and talks to it, and the other
    /// methods are not called.
    fn by_agent(&self) -> bool {
        false
    }

    /// `password` is what the user of the rescue system logs in with.
    async fn rescue(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError>;
    async fn unrescue(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError>;
    async fn clean_up(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError>;
}

#[async_trait]
pub trait Console: Interface {
    async fn start(&self, lease: &LeaseProof, machine: &mut Machine<'_>)
    -> Result<(), DriverError>;
    async fn stop(&self, lease: &LeaseProof, machine: &mut Machine<'_>) -> Result<(), DriverError>;
    /// Ends what this process keeps of the console, because another one serves it now. The machine
    /// itself is not touched.
    async fn forget(&self, _node: NodeId) {}
    /// `{"type": …, "url": …}`.
    async fn info(&self, machine: &Machine<'_>) -> Result<Value, DriverError>;
    /// Joins the serial line of a machine whose console is on.
    async fn join(
        &self,
        _machine: &Machine<'_>,
        _wish: ConsoleWish,
    ) -> Result<ConsoleLine, DriverError> {
        Err(DriverError::Unsupported {
            what: "join_console",
        })
    }
    /// Whether it shows a screen. Then a token lets viewers in, and what is told of it is where they
    /// come in and not [`Console::info`].
    fn is_graphical(&self) -> bool {
        false
    }
    /// Lets one more viewer see the screen of a machine whose console is on, for `left` at most.
    async fn join_screen(
        &self,
        _machine: &Machine<'_>,
        _left: Duration,
    ) -> Result<Screen, DriverError> {
        Err(DriverError::Unsupported {
            what: "join_screen",
        })
    }
}

#[async_trait]
pub trait Bios: Interface {
    /// Reads the settings anew into [`Machine::found`].
    async fn cache_settings(&self, machine: &mut Machine<'_>) -> Result<(), DriverError>;
}

#[async_trait]
pub trait Firmware: Interface {
    /// Reads the component versions anew into [`Machine::found`].
    async fn cache_components(&self, machine: &mut Machine<'_>) -> Result<(), DriverError>;
}

#[async_trait]
pub trait Raid: Interface {
    /// Keys of a logical disk and what they mean.
    fn logical_disk_properties(&self) -> &'static [(&'static str, &'static str)];
}

#[async_trait]
pub trait Storage: Interface {
    /// Whether it looks at the connectors and targets of a node ([`Machine::volumes`]).
    fn uses_volumes(&self) -> bool {
        false
    }
    /// What [`Storage::attach_volumes`] is about to attach. The conductor records it before the
    /// call; the call itself records how it ended.
    fn attachments(
        &self,
        _machine: &Machine<'_>,
    ) -> Result<Option<VolumeAttachments>, DriverError> {
        Ok(None)
    }
    async fn attach_volumes(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError>;
    async fn detach_volumes(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError>;
    /// False when the machine boots from a volume.
    fn should_write_image(&self, machine: &Machine<'_>) -> bool;
}

#[async_trait]
pub trait Vendor: Interface {
    /// Sorted by name.
    fn methods(&self) -> Vec<VendorMethod>;
    /// Refuses arguments that [`Vendor::call`] could do nothing with, before anything is accepted.
    fn check(&self, method: &str, arguments: &JsonMap) -> Result<(), DriverError>;
    async fn call(
        &self,
        lease: Option<&LeaseProof>,
        machine: &mut Machine<'_>,
        method: &str,
        arguments: &JsonMap,
    ) -> Result<Value, DriverError>;
}

/// The implementations that tell how a machine is, for whoever asks all machines again and again.
#[derive(Clone)]
pub struct Monitor {
    pub power: std::sync::Arc<dyn Power>,
    pub management: std::sync::Arc<dyn Management>,
}

impl std::fmt::Debug for Monitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Monitor")
            .field("power", &self.power.name())
            .field("management", &self.management.name())
            .finish()
    }
}

/// The implementations that one node uses, one of each kind.
pub struct Hardware {
    pub bios: std::sync::Arc<dyn Bios>,
    pub boot: std::sync::Arc<dyn Boot>,
    pub console: std::sync::Arc<dyn Console>,
    pub deploy: std::sync::Arc<dyn Deploy>,
    pub firmware: std::sync::Arc<dyn Firmware>,
    pub inspect: std::sync::Arc<dyn Inspect>,
    pub management: std::sync::Arc<dyn Management>,
    pub network: std::sync::Arc<dyn Network>,
    pub power: std::sync::Arc<dyn Power>,
    pub raid: std::sync::Arc<dyn Raid>,
    pub rescue: std::sync::Arc<dyn Rescue>,
    pub storage: std::sync::Arc<dyn Storage>,
    pub vendor: std::sync::Arc<dyn Vendor>,
}

impl std::fmt::Debug for Hardware {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map()
            .entries(
                InterfaceKind::ALL
                    .iter()
                    .map(|&k| (k.as_str(), self.interface(k).name())),
            )
            .finish()
    }
}

impl Hardware {
    /// Whether what the node says is enough for an interface, and for those through which it works:
    /// the boot interface only where that boots the agent (`boots_agent`).
    pub async fn validate(
        &self,
        kind: InterfaceKind,
        machine: &Machine<'_>,
        boots_agent: bool,
    ) -> Result<(), DriverError> {
        match kind {
            InterfaceKind::Rescue if self.rescue.by_agent() && boots_agent => {
                self.boot.validate(machine).await?;
                let kind = RamdiskKind::Rescue;
                self.boot.validate_ramdisk(machine, kind).await?;
            }
            InterfaceKind::Deploy if self.deploy.by() != DeployBy::Itself => {
                if self.deploy.by() == DeployBy::Ramdisk && !self.boot.boots_ramdisks() {
                    return Err(DriverError::InvalidParameter(
                        "Invalid configuration: The boot interface must have the `ramdisk_boot` capability. You are using an incompatible boot interface.".to_owned(),
                    ));
                }
                if self.deploy.by() == DeployBy::Installer && !self.boot.boots_installers() {
                    return Err(DriverError::InvalidParameter(format!(
                        "deploy interface '{}' needs a boot interface that boots from the network (pxe, ipxe, http or http-ipxe), and node {} has '{}'",
                        self.deploy.name(),
                        machine.node.id,
                        self.boot.name()
                    )));
                }
                if boots_agent || self.deploy.by() != DeployBy::Agent {
                    self.boot.validate(machine).await?;
                }
            }
            InterfaceKind::Inspect if self.inspect.requires_managed_boot() => {
                self.boot.validate_inspection(machine).await?;
            }
            _ => {}
        }
        self.interface(kind).validate(machine).await?;
        self.validate_network(kind, machine).await
    }

    /// Whether there is the network that a ramdisk for this interface would be on.
    async fn validate_network(
        &self,
        kind: InterfaceKind,
        machine: &Machine<'_>,
    ) -> Result<(), DriverError> {
        if !self.network.uses_neutron() {
            return Ok(());
        }
        let purpose = match kind {
            InterfaceKind::Inspect if self.inspect.takes_report() => {
                if !self.manages_inspection(machine).await? {
                    return Ok(());
                }
                NetworkPurpose::Inspection
            }
            InterfaceKind::Rescue if self.rescue.by_agent() => NetworkPurpose::Rescuing,
            _ => return Ok(()),
        };
        self.network.validate_for(machine, purpose).await
    }

    /// Whether the ramdisk of an inspection is booted through the boot interface, and not from
    /// whatever the network serves.
    pub async fn manages_inspection(&self, machine: &Machine<'_>) -> Result<bool, DriverError> {
        match self.boot.validate_inspection(machine).await {
            Err(DriverError::Unsupported { .. } | DriverError::UnmanagedInspection(_))
                if !self.inspect.requires_managed_boot() =>
            {
                Ok(false)
            }
            other => other.map(|()| true),
        }
    }

    /// The implementation of a kind, as far as all kinds are alike.
    pub fn interface(&self, kind: InterfaceKind) -> &dyn Interface {
        match kind {
            InterfaceKind::Bios => &*self.bios,
            InterfaceKind::Boot => &*self.boot,
            InterfaceKind::Console => &*self.console,
            InterfaceKind::Deploy => &*self.deploy,
            InterfaceKind::Firmware => &*self.firmware,
            InterfaceKind::Inspect => &*self.inspect,
            InterfaceKind::Management => &*self.management,
            InterfaceKind::Network => &*self.network,
            InterfaceKind::Power => &*self.power,
            InterfaceKind::Raid => &*self.raid,
            InterfaceKind::Rescue => &*self.rescue,
            InterfaceKind::Storage => &*self.storage,
            InterfaceKind::Vendor => &*self.vendor,
        }
    }
}
