//! Firmware over Redfish: which versions there are, and updates.
//!
//! A BMC fetches an image itself and flashes it in its own time; it may not answer for minutes
//! when the firmware is its own. The step comes back until the work is done, the BMC is steady
//! again, and the version has been read. A version that stayed as it was is told, since the image
//! may have been of that version.

mod arguments;
mod components;
mod update;

use super::{Redfish, info::PROPERTIES};
use crate::{
    DriverError,
    iface::{Firmware, Interface, Machine},
};
use async_trait::async_trait;
use std::sync::Arc;
use types::{
    LeaseProof,
    step::{ArgSpec, OnRestart, Step, StepKind, StepOutcome, StepSpec},
};
use update::Order;

const SETTINGS: &[ArgSpec] = &[ArgSpec {
    name: "settings",
    description: "A list of dicts with firmware components to be updated",
    required: true,
}];

const fn step(kind: StepKind, requires_ramdisk: bool) -> StepSpec {
    StepSpec {
        kind,
        step: "update",
        priority: 0,
        abortable: false,
        requires_ramdisk,
        args: SETTINGS,
        on_restart: OnRestart::Repeat,
    }
}

const STEPS: &[StepSpec] = &[
    step(StepKind::Clean, true),
    step(StepKind::Deploy, true),
    step(StepKind::Service, false),
];

/// The `redfish` firmware interface.
#[derive(Debug, Clone)]
pub struct RedfishFirmware(pub Arc<Redfish>);

#[async_trait]
impl Interface for RedfishFirmware {
    fn name(&self) -> &'static str {
        "redfish"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.0.info(machine).map(|_| ())
    }

    fn steps(&self) -> &'static [StepSpec] {
        STEPS
    }

    async fn run_step(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        let order = match machine.step_state() {
            Some(state) => Order::read(state)?,
            None => Order::of_settings(step.args.get("settings"))?,
        };
        go_on(&self.0, machine, order).await
    }
}

#[async_trait]
impl Firmware for RedfishFirmware {
    async fn cache_components(&self, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        let info = self.0.info(machine)?;
        let talk = self.0.talk(&info, "cache_firmware_components").await?;
        let found = components::read(&talk).await?;
        if found.is_empty() {
            return Err(DriverError::Unsupported {
                what: "cache_firmware_components",
            });
        }
        machine.found.firmware = Some(found);
        Ok(())
    }
}

/// The management interface's older step: images without the names of components.
pub(super) async fn update_images(
    redfish: &Redfish,
    machine: &mut Machine<'_>,
    step: &Step,
) -> Result<StepOutcome, DriverError> {
    let order = match machine.step_state() {
        Some(state) => Order::read(state)?,
        None => Order::of_images(step.args.get("firmware_images"))?,
    };
    go_on(redfish, machine, order).await
}

async fn go_on(
    redfish: &Redfish,
    machine: &mut Machine<'_>,
    mut order: Order,
) -> Result<StepOutcome, DriverError> {
    let info = redfish.info(machine)?;
    let outcome = order.go_on(redfish, &info, machine).await?;
    if matches!(outcome, StepOutcome::Again { .. }) {
        machine.set_step_state(order.write()?);
    }
    Ok(outcome)
}
