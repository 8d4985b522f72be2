//! Fake BIOS: takes any well-formed settings and has none of its own to show.

use super::{Fake, clean_step};
use crate::{
    DriverError,
    iface::{Bios, Machine},
};
use async_trait::async_trait;
use serde_json::Value;
use types::{
    InterfaceKind, JsonMap,
    step::{ArgSpec, Step, StepSpec},
};

pub(super) const STEPS: &[StepSpec] = &[
    clean_step(
        "apply_configuration",
        &[ArgSpec {
            name: "settings",
            description: "List of BIOS settings, each item needs to contain a dictionary with name/value pairs",
            required: true,
        }],
    ),
    clean_step("cache_bios_settings", &[]),
    clean_step("factory_reset", &[]),
];

/// Refuses settings that no BIOS could take.
pub(super) fn check(step: &Step) -> Result<(), DriverError> {
    if step.step != "apply_configuration" || step.args.get("settings").is_some_and(is_settings) {
        return Ok(());
    }
    Err(DriverError::InvalidParameter(
        "settings must be a list of objects with a name and a value".to_owned(),
    ))
}

fn is_settings(value: &Value) -> bool {
    let is_setting = |item: &Value| item["name"].is_string() && item.get("value").is_some();
    value
        .as_array()
        .is_some_and(|items| items.iter().all(is_setting))
}

#[async_trait]
impl Bios for Fake {
    async fn cache_settings(&self, machine: &Machine<'_>) -> Result<Vec<JsonMap>, DriverError> {
        self.bench
            .read(machine, InterfaceKind::Bios, "cache_settings")
            .await?;
        Ok(Vec::new())
    }
}
