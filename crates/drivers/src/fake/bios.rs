//! Fake BIOS: has the settings that were last applied to it, and none after a factory reset.
//!
//! They are kept in `driver_internal_info`, where they stay for the next reading of the cache.

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

const SETTINGS_KEY: &str = "fake_bios_settings";

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

/// What a step does to the settings.
pub(super) fn apply(machine: &mut Machine<'_>, step: &Step) -> Result<(), DriverError> {
    let known = &mut machine.node.driver_internal_info;
    match step.step.as_str() {
        "apply_configuration" => {
            let settings = step.args.get("settings").cloned().unwrap_or_default();
            if !is_settings(&settings) {
                return Err(DriverError::InvalidParameter(
                    "settings must be a list of objects with a name and a value".to_owned(),
                ));
            }
            known.insert(SETTINGS_KEY.to_owned(), settings);
        }
        "factory_reset" => {
            known.remove(SETTINGS_KEY);
        }
        _ => {}
    }
    Ok(())
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
        let settings = machine.node.driver_internal_info.get(SETTINGS_KEY);
        let items = settings.and_then(Value::as_array).into_iter().flatten();
        Ok(items.filter_map(Value::as_object).cloned().collect())
    }
}
