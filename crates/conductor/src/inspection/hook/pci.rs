//! PCI devices: accelerators among them, and how many there are of those that operators named.

use super::{HookError, InspectionSettings, Subject, is_truthy, objects, text};
use crate::inspection::capability;
use serde_json::{Value, json};
use types::JsonMap;

const VENDOR: &str = "vendor_id";

/// The accelerators that we know: vendor, device, and what the machine then has. The same devices
/// as Ironic knows.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    ("10de", "1eb8", "GPU", "NVIDIA Corporation Tesla T4"),
    ("10de", "1df6", "GPU", "NVIDIA Corporation GV100GL"),
    ("10de", "2236", "GPU", "NVIDIA Corporation A10"),
    ("10de", "2235", "GPU", "NVIDIA Corporation A40"),
    ("10de", "26b9", "GPU", "NVIDIA Corporation L40S"),
    ("10de", "26ba", "GPU", "NVIDIA Corporation L20"),
];

/// `accelerators`: `properties/accelerators`.
pub(super) fn accelerators(
    subject: &mut Subject,
    settings: &InspectionSettings,
) -> Result<(), HookError> {
    // Ramdisks put the list beside the inventory, BMCs into it.
    let mut devices = objects(&subject.plugin_data, "pci_devices")?;
    if devices.is_empty() {
        devices = objects(&subject.inventory, "pci_devices")?;
    }
    if devices.is_empty() {
        tracing::warn!(node = %subject.node.id, "the ramdisk sent no PCI devices");
        return Ok(());
    }
    let known = known(settings)?;
    let mut found: Vec<Value> = Vec::new();
    for device in devices {
        let (vendor, product) = (text(device, VENDOR)?, text(device, "product_id")?);
        let fits = |k: &&JsonMap| {
            k.get(VENDOR).and_then(Value::as_str) == Some(vendor)
                && k.get("device_id").and_then(Value::as_str) == Some(product)
        };
        if let Some(known) = known.iter().find(fits) {
            let mut accelerator = known.clone();
            let bus = device.get("bus").ok_or_else(|| HookError::missing("bus"))?;
            accelerator.insert("pci_address".into(), bus.clone());
            found.push(accelerator.into());
        }
    }
    let properties = &mut subject.node.properties;
    properties.insert("accelerators".into(), found.into());
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a small file that the operator chose"
)]
fn known(settings: &InspectionSettings) -> Result<Vec<JsonMap>, HookError> {
    let listed = match &settings.known_accelerators {
        None => {
            let all = KNOWN.iter().map(|(vendor, device, kind, info)| {
                json!({VENDOR: vendor, "device_id": device, "type": kind, "device_info": info})
            });
            Value::Array(all.collect())
        }
        Some(file) => {
            let wrong = |what: &dyn std::fmt::Display| {
                let text = format!("{}: {what}", file.display());
                HookError::unexpected("RuntimeError", text)
            };
            let content = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
            let parsed: Value = serde_saphyr::from_str(&content).map_err(|error| wrong(&error))?;
            parsed.get("pci_devices").cloned().unwrap_or_default()
        }
    };
    let refuse = |text: &str| HookError::unexpected("RuntimeError", text);
    let Value::Array(devices) = listed else {
        return Err(refuse(
            "pci_devices in the configuration file should contain a list of devices.",
        ));
    };
    let complete = |device: &JsonMap| {
        [VENDOR, "device_id"]
            .iter()
            .all(|key| device.get(*key).is_some_and(is_truthy))
    };
    devices
        .into_iter()
        .map(|device| match device {
            Value::Object(device) if complete(&device) => Ok(device),
            _ => Err(refuse(
                "One of the PCI devices in the configuration file is missing vendor_id or device_id.",
            )),
        })
        .collect()
}

/// `pci-devices`: a capability with the number of devices for each alias that operators gave.
pub(super) fn count(subject: &mut Subject, settings: &InspectionSettings) -> Result<(), HookError> {
    let aliases = aliases(settings);
    let mut counts: Vec<(String, u64)> = Vec::new();
    for device in objects(&subject.plugin_data, "pci_devices")? {
        let (vendor, product) = (text(device, VENDOR)?, text(device, "product_id")?);
        // Of two aliases for one device, the last counts.
        let alias = aliases
            .iter()
            .rfind(|alias| alias.vendor == vendor && alias.product == product);
        let Some(alias) = alias else { continue };
        match counts.iter_mut().find(|(name, _)| *name == alias.name) {
            Some((_, count)) => *count += 1,
            None => counts.push((alias.name.clone(), 1)),
        }
    }
    if counts.is_empty() {
        return Ok(());
    }
    let new = counts.into_iter().map(|(name, n)| (name, n.to_string()));
    capability::update(&mut subject.node.properties, new)
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Alias {
    #[serde(rename = "vendor_id")]
    vendor: String,
    #[serde(rename = "product_id")]
    product: String,
    name: String,
}

/// The aliases that can be understood; the others are told in the log.
fn aliases(settings: &InspectionSettings) -> Vec<Alias> {
    let parsed = settings.pci_device_alias.iter().filter_map(|text| {
        let parsed = serde_json::from_str(text);
        if let Err(error) = &parsed {
            tracing::error!(%error, "an entry of [inspector]pci_device_alias is of no use");
        }
        parsed.ok()
    });
    parsed.collect()
}
