//! What a Redfish service tells of a machine, in the words in which a ramdisk would.
//!
//! Hooks and rules were written for the inventory of a ramdisk, so its names are used. Nothing
//! here talks to anybody: what was read is handed in.

use crate::redfish::resource::Resource;
use serde_json::{Value, json};
use types::{JsonMap, port::MacAddress, pyrepr};

const GIB: u64 = 1 << 30;
/// Disks smaller than this hold no system.
const SMALLEST_DISK: u64 = 4 * GIB;

/// A storage subsystem with the drives of it.
#[derive(Debug, Default)]
pub(super) struct Storage {
    pub(super) storage: Resource,
    pub(super) drives: Vec<Resource>,
    pub(super) volumes: Vec<Resource>,
}

/// Everything that is looked at.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) system: Resource,
    pub(super) processors: Vec<Resource>,
    pub(super) interfaces: Vec<Resource>,
    /// None where the machine has no such collection.
    pub(super) storage: Option<Vec<Storage>>,
    pub(super) simple_storage: Vec<Resource>,
    pub(super) pcie_functions: Vec<Resource>,
    /// Ports of network adapters.
    pub(super) adapter_ports: Vec<Resource>,
    /// The interface to boot from, where the maker's service tells.
    pub(super) pxe_mac: Option<String>,
    /// The serial number, where it is not where others have it.
    pub(super) serial: Option<String>,
}

/// Memory in MiB.
pub(super) fn memory_mb(system: &Resource) -> Option<u64> {
    let gib = system.f64("MemorySummary/TotalSystemMemoryGiB")?;
    let mb = gib * 1024.0;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was looked at"
    )]
    (1.0..1e15).contains(&mb).then_some(mb as u64)
}

/// Space for a system in GiB: one less than the first disk that can hold one has.
pub(super) fn local_gb(parts: &Parts) -> u64 {
    let first = |mut sizes: Vec<u64>| {
        sizes.sort_unstable();
        let large = sizes.into_iter().find(|&size| size >= SMALLEST_DISK);
        large.unwrap_or(0)
    };
    let sizes = |resources: &[Resource]| {
        let all = resources.iter().filter_map(|r| r.u64("CapacityBytes"));
        all.collect::<Vec<_>>()
    };
    let devices = |storage: &Resource| {
        let all = storage.list("Devices").map(|d| d.get("CapacityBytes"));
        all.filter_map(|size| size?.as_u64()).collect::<Vec<_>>()
    };
    let simple = first(parts.simple_storage.iter().flat_map(devices).collect());
    let subsystems = parts.storage.as_deref().unwrap_or_default();
    let volumes = first(subsystems.iter().flat_map(|s| sizes(&s.volumes)).collect());
    let full = match volumes {
        0 => first(subsystems.iter().flat_map(|s| sizes(&s.drives)).collect()),
        found => found,
    };
    let bytes = match (simple, full) {
        (0, size) | (size, 0) => size,
        (one, other) => one.min(other),
    };
    (bytes / GIB).saturating_sub(1)
}

/// `uefi` or `bios`.
pub(super) fn boot_mode(system: &Resource) -> Option<&'static str> {
    match system.str("Boot/BootSourceOverrideMode")? {
        "UEFI" => Some("uefi"),
        "Legacy" => Some("bios"),
        _ => None,
    }
}

/// The inventory.
pub(super) fn inventory(parts: &Parts) -> JsonMap {
    let mut all = JsonMap::new();
    if let Some(memory) = memory_mb(&parts.system) {
        all.insert("memory".into(), json!({"physical_mb": memory}));
    }
    all.insert("cpu".into(), cpu(parts));
    let disks = disks(parts);
    if !disks.is_empty() {
        all.insert("disks".into(), disks.into());
    }
    let controllers: Vec<Value> = parts.storage.iter().flatten().map(controller).collect();
    if !controllers.is_empty() {
        all.insert("storage_controllers".into(), controllers.into());
    }
    all.insert("interfaces".into(), interfaces(&parts.interfaces).into());
    let devices: Vec<Value> = parts.pcie_functions.iter().filter_map(pci).collect();
    if !devices.is_empty() {
        all.insert("pci_devices".into(), devices.into());
    }
    let vendor = vendor(parts);
    if !vendor.is_empty() {
        all.insert("system_vendor".into(), vendor.into());
    }
    let mut boot = JsonMap::new();
    if let Some(mode) = boot_mode(&parts.system) {
        boot.insert("current_boot_mode".into(), mode.into());
    }
    if let Some(mac) = &parts.pxe_mac {
        boot.insert("pxe_interface".into(), mac.to_string().into());
    }
    if !boot.is_empty() {
        all.insert("boot".into(), boot.into());
    }
    all
}

fn cpu(parts: &Parts) -> Value {
    let mut cpu = JsonMap::new();
    let threads = |processor: &Resource| processor.u64("TotalThreads");
    let counted: u64 = parts.processors.iter().filter_map(threads).sum();
    let told = parts.system.u64("ProcessorSummary/LogicalProcessorCount");
    let count = if counted > 0 {
        counted
    } else {
        told.unwrap_or(0)
    };
    cpu.insert("count".into(), count.into());
    let first = parts.processors.first();
    let set = first.and_then(|p| p.str("InstructionSet"));
    cpu.insert("architecture".into(), set.map_or("", architecture).into());
    if let Some(model) = first.and_then(|p| p.str("Model")) {
        cpu.insert("model_name".into(), model.into());
    }
    if let Some(speed) = first.and_then(|p| p.at("MaxSpeedMHz")) {
        cpu.insert("frequency".into(), speed.clone());
    }
    cpu.into()
}

fn architecture(instruction_set: &str) -> &'static str {
    match instruction_set {
        "ARM-A32" => "arm",
        "ARM-A64" => "aarch64",
        "IA-64" => "ia64",
        "MIPS32" => "mips",
        "MIPS64" => "mips64",
        "x86" => "i686",
        "x86-64" => "x86_64",
        _ => "",
    }
}

fn disks(parts: &Parts) -> Vec<Value> {
    let or_null = |value: Option<&Value>| value.cloned().unwrap_or(Value::Null);
    if let Some(subsystems) = &parts.storage {
        let drives = subsystems.iter().flat_map(|s| &s.drives);
        return drives
            .map(|drive| {
                let mut disk = json!({
                    "name": or_null(drive.at("Name")),
                    "size": or_null(drive.at("CapacityBytes")),
                    "vendor": or_null(drive.at("Manufacturer")),
                    "model": or_null(drive.at("Model")),
                    "serial": or_null(drive.at("SerialNumber")),
                });
                if let Some(medium) = drive.str("MediaType") {
                    disk["rotational"] = (medium == "HDD").into();
                }
                disk
            })
            .collect();
    }
    let devices = parts.simple_storage.iter().flat_map(|s| s.list("Devices"));
    devices
        .map(|device| {
            json!({
                "name": or_null(device.get("Name")),
                "size": or_null(device.get("CapacityBytes")),
            })
        })
        .collect()
}

fn controller(found: &Storage) -> Value {
    let get = |map: &JsonMap, key: &str| map.get(key).cloned().unwrap_or(Value::Null);
    let list = |map: &JsonMap, key: &str| match map.get(key) {
        Some(Value::Array(items)) => Value::Array(items.clone()),
        _ => json!([]),
    };
    let status = |map: &JsonMap| {
        let status = map.get("Status")?.as_object()?;
        let names = [
            ("Health", "health"),
            ("State", "state"),
            ("HealthRollup", "health_rollup"),
        ];
        let told: JsonMap = names
            .iter()
            .filter_map(|(from, to)| {
                let value = status.get(*from).filter(|value| !value.is_null())?;
                Some(((*to).to_owned(), value.clone()))
            })
            .collect();
        (!told.is_empty()).then_some(Value::Object(told))
    };
    let parts: Vec<Value> = found
        .storage
        .list("StorageControllers")
        .map(|part| {
            let mut told = json!({
                "member_id": get(part, "MemberId"),
                "name": get(part, "Name"),
                "raid_types": list(part, "SupportedRAIDTypes"),
                "speed_gbps": get(part, "SpeedGbps"),
                "controller_protocols": list(part, "SupportedControllerProtocols"),
                "device_protocols": list(part, "SupportedDeviceProtocols"),
            });
            if let Some(status) = status(part) {
                told["status"] = status;
            }
            told
        })
        .collect();
    let drives: Vec<Value> = found
        .drives
        .iter()
        .map(|drive| {
            let body = &drive.body;
            let mut told = json!({
                "name": get(body, "Name"),
                "size": get(body, "CapacityBytes"),
                "id": drive.id(),
                "media_type": get(body, "MediaType"),
                "serial_number": get(body, "SerialNumber"),
                "manufacturer": get(body, "Manufacturer"),
                "model": get(body, "Model"),
                "revision": get(body, "Revision"),
            });
            if let Some(protocol) = drive.at("Protocol") {
                told["protocol"] = protocol.clone();
            }
            if let Some(status) = status(body) {
                told["status"] = status;
            }
            told
        })
        .collect();
    json!({
        "id": found.storage.id(),
        "name": get(&found.storage.body, "Name"),
        "storage_controllers": parts,
        "drives": drives,
    })
}

fn interfaces(found: &[Resource]) -> Vec<Value> {
    found
        .iter()
        .filter_map(|interface| {
            let told = interface.str("MACAddress").unwrap_or_default();
            let Ok(mac) = told.to_lowercase().parse::<MacAddress>() else {
                tracing::warn!(
                    interface = interface.id(),
                    "an interface has no usable address"
                );
                return None;
            };
            let mut entry = json!({"mac_address": mac.to_string(), "name": interface.id()});
            if let Some(speed) = interface.u64("SpeedMbps") {
                entry["speed_mbps"] = speed.into();
            }
            Some(entry)
        })
        .collect()
}

fn pci(function: &Resource) -> Option<Value> {
    let names = [
        ("DeviceClass", "class"),
        ("DeviceId", "product_id"),
        ("VendorId", "vendor_id"),
        ("SubsystemId", "subsystem_id"),
        ("SubsystemVendorId", "subsystem_vendor_id"),
        ("RevisionId", "revision"),
    ];
    let told: JsonMap = names
        .iter()
        .filter_map(|(from, to)| Some(((*to).to_owned(), function.at(from)?.clone())))
        .collect();
    (!told.is_empty()).then_some(Value::Object(told))
}

fn vendor(parts: &Parts) -> JsonMap {
    let names = [
        ("Model", "product_name"),
        ("SerialNumber", "serial_number"),
        ("Manufacturer", "manufacturer"),
        ("UUID", "system_uuid"),
    ];
    let told = |(from, to): &(&str, &str)| {
        let value = pyrepr::to_str(parts.system.at(from)?);
        (!value.is_empty()).then(|| ((*to).to_owned(), Value::String(value)))
    };
    let mut vendor: JsonMap = names.iter().filter_map(told).collect();
    if let Some(serial) = &parts.serial {
        vendor.insert("serial_number".into(), serial.as_str().into());
    }
    vendor
}

/// The switch ports that adapters have heard of, by the adapters' ports.
pub(super) fn neighbours(ports: &[Resource]) -> JsonMap {
    let names = [
        ("ChassisId", "switch_chassis_id"),
        ("PortId", "switch_port_id"),
        ("SystemName", "switch_system_name"),
        ("SystemDescription", "switch_system_description"),
        ("ManagementVlanId", "switch_vlan_id"),
    ];
    ports
        .iter()
        .filter_map(|port| {
            let heard = port.map("Ethernet/LLDPReceive")?;
            let told: JsonMap = names
                .iter()
                .filter_map(|(from, to)| {
                    let value = heard.get(*from).filter(|value| pyrepr::truth(value))?;
                    Some(((*to).to_owned(), value.clone()))
                })
                .collect();
            (!told.is_empty()).then(|| (port.id().to_owned(), Value::Object(told)))
        })
        .collect()
}

#[cfg(test)]
mod tests;
