//! Fake BIOS: takes any well-formed settings, and remembers them until it is reset.
//!
//! What it remembers is what the service has stored about the node, so a machine without stored
//! settings has none, and reading them anew finds nothing that is not stored already.

use super::{Fake, clean_step};
use crate::{
    DriverError,
    iface::{Bios, Machine},
};
use async_trait::async_trait;
use serde_json::Value;
use types::{
    BiosSetting, InterfaceKind, pyrepr,
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

/// The settings that a step leaves behind; `None` when it leaves them as they are.
pub(super) fn after(step: &Step) -> Result<Option<Vec<BiosSetting>>, DriverError> {
    match step.step.as_str() {
        "apply_configuration" => step
            .args
            .get("settings")
            .and_then(settings)
            .map(Some)
            .ok_or_else(|| {
                DriverError::InvalidParameter(
                    "settings must be a list of objects with a name and a value".to_owned(),
                )
            }),
        "factory_reset" => Ok(Some(Vec::new())),
        _ => Ok(None),
    }
}

fn settings(value: &Value) -> Option<Vec<BiosSetting>> {
    let setting = |item: &Value| {
        let value = match item.get("value")? {
            Value::Null => None,
            other => Some(pyrepr::to_str(other)),
        };
        Some(BiosSetting::new(item["name"].as_str()?, value))
    };
    value.as_array()?.iter().map(setting).collect()
}

#[async_trait]
impl Bios for Fake {
    async fn cache_settings(&self, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        self.bench
            .read(machine, InterfaceKind::Bios, "cache_settings")
            .await
    }
}
