//! The `cimc` power and management interfaces.
//!
//! What a server boots from is the first entry of its boot order, which the controller keeps for good
//! and counts anew by itself. Where a "precision boot order" is configured, as newer servers may have
//! it, that one wins.

use super::{CiscoSettings, Login, login, session::Session, unknown_device};
use crate::{
    DriverError,
    chassis::{ManagerAddress, ManagerProtocol, Managers},
    iface::{Interface, Machine, Management, Power},
    power::wait_for_state,
    recorder::Recorder,
};
use async_trait::async_trait;
use proto::{
    nuova::{self, Reply},
    xml::Element,
};
use std::{sync::Arc, time::Duration};
use types::{LeaseProof, PowerState, PowerTarget, rpc::BootDevice, step::OnRestart};

const NAME: &str = "cimc";

const KIND: ManagerProtocol = ManagerProtocol {
    protocol: NAME,
    noun: "Cisco IMC",
    address: "cimc_address",
    verify: "cimc_verify_ca",
};

const UNIT: &str = "sys/rack-unit-1";
const BOOT_POLICY: &str = "sys/rack-unit-1/boot-policy";

const PROPERTIES: &[(&str, &str)] = &[
    (
        "cimc_address",
        "IP Address or URL of CIMC; https is assumed. Required.",
    ),
    ("cimc_username", "CIMC Manager admin username. Required."),
    ("cimc_password", "CIMC Manager password. Required."),
    (
        "cimc_verify_ca",
        "Whom to trust: True, False, or the path of a file or folder of certificates. Defaults to True. Optional.",
    ),
];

const REQUIRED: [&str; 3] = ["cimc_address", "cimc_username", "cimc_password"];

/// A boot device: class, relative name, type and access of its entry.
struct Device {
    name: &'static str,
    class: &'static str,
    rn: &'static str,
    kind: &'static str,
    access: &'static str,
}

const DEVICES: [Device; 3] = [
    Device {
        name: "disk",
        class: "lsbootStorage",
        rn: "storage-read-write",
        kind: "storage",
        access: "read-write",
    },
    Device {
        name: "pxe",
        class: "lsbootLan",
        rn: "lan-read-only",
        kind: "lan",
        access: "read-only",
    },
    Device {
        name: "cdrom",
        class: "lsbootVirtualMedia",
        rn: "vm-read-only",
        kind: "virtual-media",
        access: "read-only",
    },
];

/// What all controllers share.
#[derive(Debug)]
pub struct Cimc {
    managers: Managers,
    settings: CiscoSettings,
}

impl Cimc {
    pub fn new(settings: &CiscoSettings, recorder: &Recorder) -> Self {
        Self {
            managers: Managers::new(&KIND, &settings.chassis, recorder),
            settings: settings.clone(),
        }
    }
}

/// Power and boot device of a server.
#[derive(Debug, Clone)]
pub struct CimcServer(pub Arc<Cimc>);

impl CimcServer {
    fn info(&self, machine: &Machine<'_>) -> Result<(ManagerAddress, Login), DriverError> {
        let login = login(machine, &REQUIRED)?;
        Ok((self.0.managers.place(machine)?, login))
    }

    async fn session(
        &self,
        machine: &Machine<'_>,
        operation: &str,
    ) -> Result<Session<'_>, DriverError> {
        let (place, login) = self.info(machine)?;
        let managers = &self.0.managers;
        Session::open(managers, machine, place, operation.to_owned(), &login).await
    }

    /// Asks for one thing, in a session of its own.
    async fn ask(
        &self,
        machine: &Machine<'_>,
        operation: &str,
        ask: impl Fn(&str) -> Element,
    ) -> Result<Reply, DriverError> {
        let session = self.session(machine, operation).await?;
        let reply = session.ask(ask).await;
        session.close().await;
        reply
    }

    async fn state(&self, machine: &Machine<'_>) -> Result<PowerState, DriverError> {
        let session = self.session(machine, "power status").await?;
        let reply = session.ask(|cookie| nuova::resolve_dn(cookie, UNIT)).await;
        let state = reply.map(|reply| {
            let objects = reply.objects();
            match objects.first().and_then(|unit| unit.attribute("operPower")) {
                Some("on") => PowerState::On,
                Some("off") => PowerState::Off,
                odd => {
                    let odd = odd.map(|odd| session.quoted(odd));
                    tracing::warn!(node = %machine.node.id, power = odd, "a server is neither on nor off");
                    PowerState::Error
                }
            }
        });
        session.close().await;
        state
    }

    async fn order(
        &self,
        machine: &Machine<'_>,
        operation: &str,
        power: &str,
    ) -> Result<(), DriverError> {
        let asked = |cookie: &str| {
            let unit = Element::new("computeRackUnit")
                .with("dn", UNIT)
                .with("adminPower", power)
                .with("status", "modified");
            nuova::change(cookie, UNIT, unit)
        };
        self.ask(machine, operation, asked).await.map(|_| ())
    }
}

#[async_trait]
impl Interface for CimcServer {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.info(machine).map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Power for CimcServer {
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
        let pause = self.0.settings.cimc_pause;
        let usual = pause.saturating_mul(self.0.settings.cimc_looks);
        let limit = timeout_s.map_or(usual, Duration::from_secs);
        let machine: &Machine<'_> = machine;
        match target {
            PowerTarget::On => self.order(machine, "power on", "up").await?,
            PowerTarget::Off => self.order(machine, "power off", "down").await?,
            PowerTarget::Reboot => {
                let power = match self.state(machine).await? {
                    PowerState::Off => "up",
                    _ => "hard-reset-immediate",
                };
                self.order(machine, "reboot", power).await?;
                // Before it goes off it still says that it is on.
                tokio::time::sleep(pause).await;
            }
            PowerTarget::SoftOff | PowerTarget::SoftReboot => {
                return Err(DriverError::no_power_target(target));
            }
        }
        let named = format!("The server of {}", self.info(machine)?.0.origin);
        let look = || self.state(machine);
        wait_for_state(&named, target.end_state(), limit, pause, look).await
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    }
}

#[async_trait]
impl Management for CimcServer {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        &["disk", "pxe", "cdrom"]
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        let asked = |cookie: &str| nuova::resolve_class(cookie, "lsbootDef");
        let reply = self.ask(machine, "boot device", asked).await?;
        let objects = reply.objects();
        let entries = objects
            .first()
            .map_or(&[][..], |order| order.children.as_slice());
        let first = entries
            .iter()
            .find(|entry| entry.attribute("order") == Some("1"));
        let rn = first.and_then(|entry| entry.attribute("rn"));
        let known = DEVICES.iter().find(|device| Some(device.rn) == rn);
        Ok(BootDevice {
            device: known.map(|device| device.name.to_owned()),
            persistent: known.map(|_| true),
        })
    }

    async fn set_boot_device(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        _persistent: bool,
    ) -> Result<(), DriverError> {
        let Some(known) = DEVICES.iter().find(|known| known.name == device) else {
            return Err(unknown_device(device));
        };
        let asked = |cookie: &str| {
            let entry = Element::new(known.class)
                .with("rn", known.rn)
                .with("access", known.access)
                .with("type", known.kind)
                .with("order", "1");
            nuova::change(cookie, BOOT_POLICY, entry)
        };
        self.ask(machine, "set boot device", asked)
            .await
            .map(|_| ())
    }
}
