//! Fake firmware: takes any update, and has no components to tell of.

use super::{Fake, clean_step};
use crate::{
    DriverError,
    iface::{Firmware, Machine},
};
use async_trait::async_trait;
use types::{
    InterfaceKind,
    step::{ArgSpec, StepSpec},
};

pub(super) const STEPS: &[StepSpec] = &[clean_step(
    "update",
    &[ArgSpec {
        name: "settings",
        description: "List of Firmware components, each item needs to contain a dictionary with name/value pairs",
        required: true,
    }],
)];

#[async_trait]
impl Firmware for Fake {
    async fn cache_components(&self, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        self.bench
            .read(machine, InterfaceKind::Firmware, "cache_components")
            .await
    }
}
