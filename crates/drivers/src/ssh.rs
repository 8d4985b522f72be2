//! The `ssh` power and management interfaces: virtual machines of a hypervisor whose commands are run
//! over SSH (libvirt, VirtualBox, VMware ESXi, Parallels).
//!
//! OpenSSH's client does the talking, as a program of its own. A machine is the one of which a MAC
//! address is that of a port of the node; it is looked for each time, because names change. Host keys
//! are verified, which Ironic did not, unless a node says otherwise.

mod client;
mod files;
mod info;

pub use client::Ssh;
pub use files::{ASKPASS, sweep};

use crate::{
    DriverError,
    gate::GateSettings,
    iface::{Interface, Machine, Management, Power},
    power::wait_for_state,
};
use async_trait::async_trait;
use client::Talk;
use info::Info;
use outbound::Policy;
use proto::hypervisor::{self, Guest, SetBoot, with_boot_device};
use std::{path::PathBuf, sync::Arc, time::Duration};
use types::{LeaseProof, PowerState, PowerTarget, rpc::BootDevice, step::OnRestart};

/// The name of both interfaces and of the hardware type.
pub const NAME: &str = "ssh";

/// How long a virtual machine may take to switch where nobody says.
const POWER_WAIT: Duration = Duration::from_secs(60);

/// How many virtual machines are described by one command.
const AT_ONCE: usize = 16;

/// The options of `[ssh]`, and what else connections depend on.
#[derive(Debug, Clone)]
pub struct SshSettings {
    pub gate: GateSettings,
    /// Where hypervisors may be.
    pub outbound: Policy,
    /// OpenSSH's client.
    pub program: PathBuf,
    /// What tells it a password ([`ASKPASS`]). Without it nodes with a password are refused.
    pub askpass: Option<PathBuf>,
    /// Where files with secrets are while a connection lasts.
    pub state: PathBuf,
    /// Host keys of hypervisors (`[corten]ssh_known_hosts`), instead of those that SSH knows itself.
    pub known_hosts: Option<PathBuf>,
    /// Folders below which nodes may name keys (`[corten]ssh_key_paths`).
    pub key_folders: Vec<PathBuf>,
    pub libvirt_uri: String,
    pub connect_timeout: Duration,
    /// How often a machine is looked at that is switched.
    pub look_every: Duration,
}

impl Default for SshSettings {
    fn default() -> Self {
        Self {
            gate: GateSettings::default(),
            outbound: Policy::default(),
            program: PathBuf::from("ssh"),
            askpass: None,
            state: PathBuf::from("/var/lib/ironic/ssh"),
            known_hosts: None,
            key_folders: Vec::new(),
            libvirt_uri: "qemu:///system".to_owned(),
            connect_timeout: Duration::from_secs(10),
            look_every: Duration::from_secs(1),
        }
    }
}

/// Power and boot device of virtual machines.
#[derive(Debug, Clone)]
pub struct SshGuest(pub Arc<Ssh>);

impl SshGuest {
    fn info(&self, machine: &Machine<'_>) -> Result<Info, DriverError> {
        Info::of(machine.node.id, machine.driver_info, &self.0.settings)
    }

    async fn talk(
        &self,
        machine: &Machine<'_>,
        operation: &'static str,
    ) -> Result<Talk<'_>, DriverError> {
        self.0.talk(self.info(machine)?, operation).await
    }

    async fn state(&self, machine: &Machine<'_>) -> Result<PowerState, DriverError> {
        let talk = self.talk(machine, "power status").await?;
        let guest = find(&talk, machine).await?;
        state(&talk, &guest).await
    }

    /// Orders, and looks at the machine until it is so.
    async fn switch(
        &self,
        machine: &Machine<'_>,
        guest: &Guest,
        wanted: PowerState,
        limit: Duration,
    ) -> Result<(), DriverError> {
        let operation = match wanted {
            PowerState::On => "power on",
            _ => "power off",
        };
        let talk = self.talk(machine, operation).await?;
        if state(&talk, guest).await? == wanted {
            return Ok(());
        }
        let command = match wanted {
            PowerState::On => talk.commands().start(guest),
            _ => talk.commands().stop(guest),
        };
        talk.run(&command).await?;
        let named = format!("Virtual machine {guest} of {}", talk.peer());
        drop(talk);
        let pause = self.0.settings.look_every;
        let look = || async {
            let talk = self.talk(machine, operation).await?;
            state(&talk, guest).await
        };
        wait_for_state(&named, wanted, limit, pause, look).await
    }
}

/// The MAC addresses of a node's ports.
fn addresses(machine: &Machine<'_>) -> Result<Vec<String>, DriverError> {
    let ports = machine.ports.iter();
    let addresses = ports.filter_map(|port| hypervisor::plain_mac(&port.address.to_string()));
    let addresses: Vec<String> = addresses.collect();
    match addresses.is_empty() {
        true => Err(DriverError::InvalidParameter(format!(
            "Node {} does not have any port associated with it.",
            machine.node.id
        ))),
        false => Ok(addresses),
    }
}

/// The virtual machine that a node stands for.
async fn find(talk: &Talk<'_>, machine: &Machine<'_>) -> Result<Guest, DriverError> {
    let wanted = addresses(machine)?;
    let commands = talk.commands();
    let guests = commands.guests(&talk.run(&commands.list()).await?);
    for some in guests.chunks(AT_ONCE) {
        let boundary = talk.boundary()?;
        // A machine that went away meanwhile has no description, and the rest is there all the same.
        let described = talk.run(&commands.describe_all(some, &boundary)).await?;
        let sections = hypervisor::sections(&described, &boundary);
        if sections.len() != some.len() {
            let text = format!(
                "it describes {} virtual machines instead of {}",
                sections.len(),
                some.len()
            );
            return Err(talk.error(DriverError::Protocol, text));
        }
        for (guest, section) in some.iter().zip(sections) {
            if commands
                .macs(section)
                .iter()
                .any(|mac| wanted.contains(mac))
            {
                return Ok(guest.clone());
            }
        }
    }
    let text = format!(
        "none of its {} virtual machines has the MAC address of a port of node {}",
        guests.len(),
        machine.node.id
    );
    Err(talk.error(DriverError::Rejected, text))
}

async fn state(talk: &Talk<'_>, guest: &Guest) -> Result<PowerState, DriverError> {
    let commands = talk.commands();
    let answer = talk.run(&commands.state(guest)).await?;
    match commands.is_running(guest, &answer) {
        Some(true) => Ok(PowerState::On),
        Some(false) => Ok(PowerState::Off),
        None => {
            tracing::warn!(%guest, peer = talk.peer(), "a virtual machine is neither on nor off");
            Ok(PowerState::Error)
        }
    }
}

#[async_trait]
impl Interface for SshGuest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        info::PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.info(machine)?;
        addresses(machine).map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Power for SshGuest {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        self.state(machine).await.map(Some)
    }

    async fn set(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let wanted: &[PowerState] = match target {
            PowerTarget::On => &[PowerState::On],
            PowerTarget::Off => &[PowerState::Off],
            PowerTarget::Reboot if machine.node.stays_on() => {
                return Err(DriverError::must_stay_on(
                    machine.node.id,
                    "a virtual machine takes its boot device only when it is started",
                ));
            }
            PowerTarget::Reboot => &[PowerState::Off, PowerState::On],
            PowerTarget::SoftOff | PowerTarget::SoftReboot => {
                return Err(DriverError::no_power_target(target));
            }
        };
        let limit = timeout_s.map_or(POWER_WAIT, Duration::from_secs);
        let talk = self.talk(machine, "finding the virtual machine").await?;
        let guest = find(&talk, machine).await?;
        drop(talk);
        for state in wanted {
            self.switch(machine, &guest, *state, limit).await?;
        }
        Ok(())
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    }

    fn looks_at_ports(&self) -> bool {
        true
    }
}

#[async_trait]
impl Management for SshGuest {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        &["pxe", "disk", "cdrom"]
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        let talk = self.talk(machine, "boot device").await?;
        let guest = find(&talk, machine).await?;
        let commands = talk.commands();
        let device = match commands.set_boot_device(&guest, "") {
            SetBoot::Unsupported => None,
            _ => commands.boot_device(&talk.run(&commands.boot_order(&guest)).await?),
        };
        Ok(BootDevice {
            device: device.map(str::to_owned),
            persistent: None,
        })
    }

    async fn set_boot_device(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        _persistent: bool,
    ) -> Result<(), DriverError> {
        if !self.supported_boot_devices().contains(&device) {
            return Err(DriverError::InvalidParameter(format!(
                "Invalid boot device {device} specified."
            )));
        }
        let info = self.info(machine)?;
        let Some(word) = info.commands.family.device(device) else {
            return Err(DriverError::Unsupported {
                what: "setting the boot device of a virtual machine of VMware",
            });
        };
        let talk = self.0.talk(info, "set boot device").await?;
        let guest = find(&talk, machine).await?;
        let commands = talk.commands();
        // VirtualBox changes no machine that runs; without a window nobody else could stop it.
        if commands.is_headless && state(&talk, &guest).await? == PowerState::On {
            talk.run(&commands.stop(&guest)).await?;
        }
        match commands.set_boot_device(&guest, word) {
            SetBoot::Command(command) => talk.run(&command).await.map(|_| ()),
            SetBoot::Define { read, write } => {
                let domain = talk.run_secretly(&read, None).await?;
                let changed = with_boot_device(&domain, word).map_err(|error| {
                    let text = format!("its description of {guest} makes no sense: {error}");
                    talk.error(DriverError::Protocol, text)
                })?;
                talk.run_secretly(&write, Some(changed)).await.map(|_| ())
            }
            SetBoot::Unsupported => Ok(()),
        }
    }
}
