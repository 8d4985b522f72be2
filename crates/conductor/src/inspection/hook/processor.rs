//! Processors, memory and the boot mode: a few properties that schedulers ask for.

use super::{HookError, InspectionSettings, Subject, object};
use crate::inspection::capability;
use serde_json::Value;
use std::collections::HashSet;
use types::pyrepr;

/// `architecture`: `properties/cpu_arch`.
pub(super) fn architecture(subject: &mut Subject) -> Result<(), HookError> {
    let cpu = subject.inventory.get("cpu");
    let Some(found) = cpu.and_then(|cpu| cpu.get("architecture")).cloned() else {
        let reason = format!(
            "Inventory has malformed or missing CPU architecture information: {} for node {}.",
            shown(cpu),
            subject.node.id
        );
        return Err(HookError::invalid_inventory(subject, reason));
    };
    subject.node.properties.insert("cpu_arch".into(), found);
    Ok(())
}

/// `memory`: `properties/memory_mb`.
pub(super) fn memory(subject: &mut Subject) -> Result<(), HookError> {
    let memory = subject.inventory.get("memory");
    let Some(found) = memory.and_then(|m| m.get("physical_mb")).cloned() else {
        let reason = format!(
            "Inventory has missing memory information: {} for node {}.",
            shown(memory),
            subject.node.id
        );
        return Err(HookError::invalid_inventory(subject, reason));
    };
    subject.node.properties.insert("memory_mb".into(), found);
    Ok(())
}

fn shown(value: Option<&Value>) -> String {
    pyrepr::to_str(value.unwrap_or(&Value::Null))
}

/// `cpus`: `properties/cpus`.
pub(super) fn count(subject: &mut Subject) -> Result<(), HookError> {
    let count = match object(&subject.inventory, "cpu")?.and_then(|cpu| cpu.get("count")) {
        None => 0,
        Some(value) => integer(value)?,
    };
    if count != 0 {
        subject.node.properties.insert("cpus".into(), count.into());
    }
    Ok(())
}

/// A whole number, be it written as a text; fractions are cut.
pub(super) fn integer(value: &Value) -> Result<i64, HookError> {
    let number = match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            #[allow(clippy::cast_possible_truncation, reason = "fractions are cut")]
            float.is_finite().then_some(float as i64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        Value::Bool(on) => Some(i64::from(*on)),
        _ => None,
    };
    number.ok_or_else(|| HookError::not_a("an integer", value))
}

/// `boot-mode`: the capability `boot_mode`.
pub(super) fn boot_mode(subject: &mut Subject) -> Result<(), HookError> {
    let boot = object(&subject.inventory, "boot")?;
    let mode = boot.and_then(|boot| boot.get("current_boot_mode"));
    let Some(mode) = mode.filter(|mode| !mode.is_null()) else {
        tracing::warn!(node = %subject.node.id, "the ramdisk does not tell the boot mode");
        return Ok(());
    };
    let new = ("boot_mode".to_owned(), pyrepr::to_str(mode));
    capability::update(&mut subject.node.properties, [new])
}

/// `cpu-capabilities`: capabilities for the flags of the processor.
pub(super) fn capabilities(
    subject: &mut Subject,
    settings: &InspectionSettings,
) -> Result<(), HookError> {
    let cpu = object(&subject.inventory, "cpu")?;
    let flags: HashSet<&str> = match cpu.and_then(|cpu| cpu.get("flags")) {
        Some(Value::Array(flags)) => flags.iter().filter_map(Value::as_str).collect(),
        None | Some(Value::Null) => HashSet::new(),
        Some(other) => return Err(HookError::not_a("a list", other)),
    };
    if flags.is_empty() {
        tracing::warn!(node = %subject.node.id, "the ramdisk does not tell the flags of the CPU");
        return Ok(());
    }
    let new = settings
        .cpu_capabilities
        .iter()
        .filter(|(flag, _)| flags.contains(flag.as_str()))
        .map(|(_, name)| (name.clone(), "true".to_owned()));
    capability::update(&mut subject.node.properties, new)
}
