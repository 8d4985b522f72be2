//! The Redfish management interface.
//!
//! Everything that is written is read back. A machine that keeps something else than it was asked
//! to is an error; one that keeps most of it gets a warning.

pub(super) mod boot_device;
mod boot_mode;
mod clock;
mod event_log;
mod indicators;
pub(super) mod media;
mod secure_boot;
mod sensors;

use super::{Redfish, firmware, idrac, power, resource::Resource};
use crate::{
    DriverError, Failure,
    bmc_account::BmcAccount,
    iface::{Interface, Machine, Management},
};
use async_trait::async_trait;
use secure_boot::Keys;
use serde_json::Value;
use std::sync::Arc;
use types::{
    JsonMap, LeaseProof,
    hardware_log::HardwareLog,
    port::MacAddress,
    rpc::{BootDevice, Indicator, VirtualMedia},
    step::{ArgSpec, OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

/// Management by Redfish, under one of its names.
#[derive(Debug, Clone)]
pub struct RedfishManagement {
    redfish: Arc<Redfish>,
    name: &'static str,
    controller: Controller,
}

/// What is behind the Redfish service, where that adds steps.
#[derive(Debug, Clone, Copy)]
enum Controller {
    Any,
    Idrac,
}

impl RedfishManagement {
    pub fn new(redfish: &Arc<Redfish>, name: &'static str) -> Self {
        Self {
            redfish: Arc::clone(redfish),
            name,
            controller: Controller::Any,
        }
    }

    /// The same with steps for Dell's controllers.
    pub fn idrac(redfish: &Arc<Redfish>) -> Self {
        Self {
            controller: Controller::Idrac,
            ..Self::new(redfish, "idrac-redfish")
        }
    }
}

const RESET_KEYS: &str = "reset_secure_boot_keys_to_default";
const CLEAR_KEYS: &str = "clear_secure_boot_keys";
const SET_CLOCK: &str = "set_bmc_clock";
const UPDATE_FIRMWARE: &str = "update_firmware";
const VERIFY_CLOCK: &str = "verify_bmc_clock";

const fn step(kind: StepKind, step: &'static str) -> StepSpec {
    StepSpec {
        kind,
        step,
        priority: 0,
        abortable: false,
        requires_ramdisk: true,
        args: &[],
        on_restart: OnRestart::Repeat,
    }
}

/// The steps of every Redfish machine.
pub(super) const STEPS: [StepSpec; 8] = [
    step(StepKind::Clean, CLEAR_KEYS),
    step(StepKind::Deploy, CLEAR_KEYS),
    step(StepKind::Clean, RESET_KEYS),
    step(StepKind::Deploy, RESET_KEYS),
    StepSpec {
        args: &[
            ArgSpec {
                name: "target_datetime",
                description: "The datetime to set in ISO8601 format. If omitted, the current conductor UTC time is used.",
                required: false,
            },
            ArgSpec {
                name: "datetime_local_offset",
                description: "The local time offset from UTC",
                required: false,
            },
        ],
        ..step(StepKind::Clean, SET_CLOCK)
    },
    StepSpec {
        args: FIRMWARE_ARGS,
        ..step(StepKind::Clean, UPDATE_FIRMWARE)
    },
    StepSpec {
        args: FIRMWARE_ARGS,
        ..step(StepKind::Service, UPDATE_FIRMWARE)
    },
    StepSpec {
        priority: 1,
        ..step(StepKind::Verify, VERIFY_CLOCK)
    },
];

const FIRMWARE_ARGS: &[ArgSpec] = &[ArgSpec {
    name: "firmware_images",
    description: "A list of firmware images to apply.",
    required: true,
}];

/// An object of one property.
pub(super) fn put(key: &str, value: Value) -> JsonMap {
    let mut body = JsonMap::new();
    body.insert(key.to_owned(), value);
    body
}

/// The first text that there is.
fn first<const N: usize>(texts: [Option<&str>; N], otherwise: &str) -> String {
    let mut texts = texts.into_iter().flatten();
    texts.next().unwrap_or(otherwise).to_owned()
}

#[async_trait]
impl Interface for RedfishManagement {
    fn name(&self) -> &'static str {
        self.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        super::info::PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.redfish.info(machine).map(|_| ())
    }

    fn steps(&self) -> &'static [StepSpec] {
        match self.controller {
            Controller::Any => &STEPS,
            Controller::Idrac => &idrac::STEPS,
        }
    }

    async fn run_step(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        if let Controller::Idrac = self.controller
            && let Some(outcome) = idrac::run_step(&self.redfish, machine, step).await
        {
            return outcome;
        }
        let info = self.redfish.info(machine)?;
        match step.step.as_str() {
            RESET_KEYS => secure_boot::reset_keys(&self.redfish, &info, Keys::Default).await?,
            CLEAR_KEYS => secure_boot::reset_keys(&self.redfish, &info, Keys::None).await?,
            SET_CLOCK => clock::set(&self.redfish, &info, &step.args).await?,
            UPDATE_FIRMWARE => return firmware::update_images(&self.redfish, machine, step).await,
            VERIFY_CLOCK if !self.redfish.settings.verify_clock => {}
            VERIFY_CLOCK => clock::verify(&self.redfish, &info).await.map_err(|error| {
                error.variant()(Failure::because("BMC clock verify step failed", error))
            })?,
            _ => {
                return Err(DriverError::no_step(step));
            }
        }
        Ok(StepOutcome::Done)
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Management for RedfishManagement {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        boot_device::NAMES
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        boot_device::get(&self.redfish, &self.redfish.info(machine)?).await
    }

    fn bmc_account(&self) -> Option<&dyn BmcAccount> {
        Some(&*self.redfish)
    }

    async fn set_boot_device(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        persistent: bool,
    ) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        boot_device::set(&self.redfish, lease, machine, &info, device, persistent).await
    }

    async fn boot_mode(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        boot_mode::get(&self.redfish, &self.redfish.info(machine)?).await
    }

    async fn set_boot_mode(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        mode: &str,
    ) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        boot_mode::set(&self.redfish, lease, machine, &info, mode).await
    }

    async fn secure_boot(&self, machine: &Machine<'_>) -> Result<Option<bool>, DriverError> {
        secure_boot::get(&self.redfish, &self.redfish.info(machine)?).await
    }

    async fn set_secure_boot(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        on: bool,
    ) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        secure_boot::set(&self.redfish, lease, machine, &info, on).await
    }

    async fn inject_nmi(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "injecting an NMI").await?;
        let system = talk.system().await?;
        let kind = power::allowed_kind(&talk, &system, "Nmi").await?;
        let body = put("ResetType", kind.into());
        talk.action(&system, power::RESET, &body).await?;
        Ok(())
    }

    async fn indicators(&self, machine: &Machine<'_>) -> Result<Vec<Indicator>, DriverError> {
        indicators::list(&self.redfish, &self.redfish.info(machine)?).await
    }

    async fn indicator(
        &self,
        machine: &Machine<'_>,
        component: &str,
        name: &str,
    ) -> Result<String, DriverError> {
        let info = self.redfish.info(machine)?;
        indicators::get(&self.redfish, &info, component, name).await
    }

    async fn set_indicator(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        component: &str,
        name: &str,
        state: &str,
    ) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        indicators::set(&self.redfish, &info, component, name, state).await
    }

    async fn sensors(&self, machine: &Machine<'_>) -> Result<JsonMap, DriverError> {
        sensors::read(&self.redfish, &self.redfish.info(machine)?).await
    }

    async fn event_log(&self, machine: &Machine<'_>) -> Result<HardwareLog, DriverError> {
        event_log::read(&self.redfish, &self.redfish.info(machine)?).await
    }

    async fn clear_event_log(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        event_log::clear(&self.redfish, &self.redfish.info(machine)?).await
    }

    async fn mac_addresses(&self, machine: &Machine<'_>) -> Result<Vec<MacAddress>, DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "reading MAC addresses").await?;
        let system = talk.system().await?;
        let Some(interfaces) = system.link("EthernetInterfaces") else {
            return Ok(Vec::new());
        };
        let interfaces = talk.collection(interfaces).await?;
        Ok(interfaces.iter().filter_map(usable_mac).collect())
    }

    async fn health(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "reading the health").await?;
        let system = talk.system().await?;
        let health = system.str("Status/Health");
        let is_known = |health: &&str| ["OK", "Warning", "Critical"].contains(health);
        Ok(health.filter(is_known).map(str::to_owned))
    }

    async fn vendor(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "detecting the vendor").await?;
        let system = talk.system().await?;
        Ok(talk.maker(&system).await?)
    }

    async fn virtual_media(&self, machine: &Machine<'_>) -> Result<Vec<JsonMap>, DriverError> {
        media::list(&self.redfish, &self.redfish.info(machine)?).await
    }

    async fn attach_virtual_media(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        asked: &VirtualMedia,
    ) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        media::insert(
            &self.redfish,
            machine,
            &info,
            &asked.device,
            &asked.image_url,
        )
        .await
    }

    async fn detach_virtual_media(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        devices: Option<&[String]>,
    ) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        media::eject_all(&self.redfish, &info, devices).await
    }
}
/// The address of an interface that works and is switched on.
fn usable_mac(interface: &Resource) -> Option<MacAddress> {
    let is_on = interface.str("Status/Health") == Some("OK")
        && interface.str("Status/State") == Some("Enabled");
    let told = interface.str("MACAddress").filter(|_| is_on)?;
    told.to_lowercase().parse().ok()
}
