//! What inspection collects besides the inventory, each under a name that operators choose by.
//!
//! `default` and `logs` are not here: they need to know more than the machine.

use super::{Files, dmi, extra, lldp, numa, smbios::Tables};
use serde_json::{Value, json};
use std::path::Path;

/// Names of the collectors here.
pub const NAMES: &[&str] = &[
    "pci-devices",
    "lldp",
    "usb-devices",
    "numa-topology",
    "dmi-decode",
    "extra-hardware",
];

/// What a collector finds, and the key that it goes under; `None` if there is no such collector.
///
/// `heard` may wait for what switches say; nothing else here waits.
pub fn run(
    name: &str,
    root: &Path,
    inventory: &Value,
    heard: impl FnOnce() -> lldp::Heard,
) -> Option<Result<(&'static str, Value), String>> {
    let files = Files(root);
    Some(match name {
        "pci-devices" => pci_devices(&files).map(|devices| ("pci_devices", devices)),
        "usb-devices" => Ok(("usb_devices", usb_devices(&files))),
        "numa-topology" => numa::topology(&files).map(|topology| ("numa_topology", topology)),
        "dmi-decode" => Ok(("dmi", dmi::describe(&Tables::read(root)))),
        "extra-hardware" => {
            let facts = extra::facts(&files, &Tables::read(root), inventory);
            Ok(("data", json!(facts)))
        }
        "lldp" => {
            let raw: serde_json::Map<String, Value> = heard()
                .into_iter()
                .map(|(name, fields)| (name, lldp::to_json(&fields)))
                .collect();
            Ok(("lldp_raw", Value::Object(raw)))
        }
        _ => return None,
    })
}

fn pci_devices(files: &Files<'_>) -> Result<Value, String> {
    const FOLDER: &str = "sys/bus/pci/devices";
    if !files.exists(FOLDER) {
        return Err("no PCI devices in /sys/bus/pci".to_owned());
    }
    let names = files.names(FOLDER);
    let devices = names.iter().filter_map(|name| {
        let hex = |file: &str| {
            let text = files.text(format!("{FOLDER}/{name}/{file}"))?;
            Some(text.strip_prefix("0x")?.to_owned())
        };
        Some(json!({
            "vendor_id": hex("vendor")?,
            "product_id": hex("device")?,
            "class": hex("class")?,
            "revision": hex("revision"),
            "bus": name,
            "numa_node_id": files.text(format!("{FOLDER}/{name}/numa_node")),
        }))
    });
    Ok(devices.collect())
}

/// Devices that are plugged in: neither hubs nor the controllers themselves.
fn usb_devices(files: &Files<'_>) -> Value {
    const FOLDER: &str = "sys/bus/usb/devices";
    const HUB: &str = "09";
    let names = files.names(FOLDER);
    let devices = names.iter().filter_map(|name| {
        let text = |file: &str| files.text(format!("{FOLDER}/{name}/{file}"));
        let class = text("bDeviceClass").filter(|class| class != HUB);
        class.map(|_| {
            json!({
                "product": text("product").unwrap_or_default(),
                "vendor": text("manufacturer").unwrap_or_default(),
                "handle": format!(
                    "USB:{}:{}",
                    text("busnum").unwrap_or_default(),
                    text("devnum").unwrap_or_default()
                ),
            })
        })
    });
    devices.collect()
}
