//! RAID configurations: whether they can be made, of which disks, and where on them.

use super::refused;
use crate::{
    AgentError,
    block::{BlockDevice, hints},
    config::Config,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use types::pyrepr;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// Room for EFI system partitions, which are made when there is a system.
const UEFI_START: u64 = 551 * MIB;
/// Room for the partition that GRUB needs on a GPT.
const GPT_START: u64 = 8 * MIB;
const MSDOS_START: u64 = MIB;
const LEVELS: [&str; 5] = ["0", "1", "1+0", "5", "6"];

/// An array that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Volume {
    pub(super) name: Option<String>,
    pub(super) level: String,
    /// In GiB; `None` for all that is left.
    pub(super) size: Option<u64>,
    pub(super) disks: Vec<String>,
    pub(super) is_root: bool,
}

/// The places of partitions, as offset and length.
type Places = Vec<(u64, u64)>;

/// Refuses what cannot be made, with all the reasons.
pub(super) fn validate(
    raid_config: &Value,
    node: &Value,
    devices: &[BlockDevice],
) -> Result<(), AgentError> {
    let disks = raid_config.get("logical_disks").and_then(Value::as_array);
    let Some(disks) = disks.filter(|disks| !disks.is_empty()) else {
        return Err(refused("RAID config contains no logical disks".to_owned()));
    };
    let text = |disk: &Value, key: &str| match disk.get(key) {
        None | Some(Value::Null) => None,
        Some(value) => Some(pyrepr::to_str(value)),
    };
    let mut wrong = Vec::new();
    if disks.len() > 2 {
        wrong.push("Software RAID configuration requires one or two logical disks".to_owned());
    }
    let mut names = BTreeSet::new();
    let skips = !hints::skipped_volumes(node).is_empty();
    let mut roots = 0;
    for disk in disks {
        if text(disk, "controller").as_deref() != Some("software") {
            wrong.push(
                "Software RAID configuration requires all logical disks to have \
                 'controller'='software'"
                    .to_owned(),
            );
        }
        match text(disk, "volume_name") {
            None if skips => wrong.push(
                "All logical disks are required to have a volume name specified as a volume name \
                 is mentioned in the property skip block devices."
                    .to_owned(),
            ),
            Some(name) if !names.insert(name.clone()) => wrong.push(format!(
                "Duplicate software RAID device name {name} detected"
            )),
            _ => {}
        }
        if disk.get("is_root_volume").and_then(Value::as_bool) == Some(true) {
            roots += 1;
        }
        if let Some(chosen) = disk
            .get("physical_disks")
            .filter(|chosen| !chosen.is_null())
        {
            let list = chosen.as_array();
            if list.is_none_or(|list| list.len() < 2) {
                wrong.push(
                    "The physical_disks parameter for software RAID must be a list with at least \
                     2 items, each specifying a disk in the device hints format"
                        .to_owned(),
                );
            } else if !list.is_some_and(|list| list.iter().all(Value::is_object)) {
                wrong.push(
                    "The physical_disks parameter for software RAID must be a list of device \
                     hints (dictionaries)"
                        .to_owned(),
                );
            }
        }
        let size = text(disk, "size_gb").unwrap_or_default();
        if size != "MAX" && !size.parse::<u64>().is_ok_and(|size| size > 0) {
            wrong.push(format!("invalid size '{size}' of a logical disk"));
        }
    }
    if roots > 1 {
        wrong.push(
            "Software RAID configuration allows only one logical disk to be marked as \
             is_root_volume"
                .to_owned(),
        );
    }
    let level = |index: usize| disks.get(index).and_then(|disk| text(disk, "raid_level"));
    if level(0).as_deref() != Some("1") {
        wrong.push(
            "Software RAID Configuration requires RAID-1 for the first logical disk".to_owned(),
        );
    }
    if let [first, second] = &disks[..] {
        let is_max = |disk| text(disk, "size_gb").as_deref() == Some("MAX");
        if is_max(first) && is_max(second) {
            wrong.push("Software RAID can have only one RAID device with size 'MAX'".to_owned());
        }
        let found = devices.iter().filter(|device| !device.is_md()).count();
        let level = level(1).unwrap_or_default();
        if !LEVELS.contains(&level.as_str()) {
            wrong.push(format!(
                "Software RAID configuration does not support RAID level {level}"
            ));
        }
        if level == "5" && found < 3 || level == "6" && found < 4 {
            wrong.push(format!(
                "Software RAID configuration is not possible for RAID level {level} with only \
                 {found} block devices found."
            ));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let uuid = node.get("uuid").and_then(Value::as_str).unwrap_or_default();
    Err(refused(format!(
        "Could not validate Software RAID config for {uuid}: {}",
        wrong.join("; ")
    )))
}

/// The arrays of a configuration that was validated, with their disks.
pub(super) fn volumes(
    raid_config: &Value,
    devices: &[BlockDevice],
) -> Result<Vec<Volume>, AgentError> {
    let disks = raid_config.get("logical_disks").and_then(Value::as_array);
    let mut volumes = Vec::new();
    for disk in disks.into_iter().flatten() {
        let size = disk.get("size_gb").map(pyrepr::to_str);
        volumes.push(Volume {
            name: disk
                .get("volume_name")
                .and_then(Value::as_str)
                .map(str::to_owned),
            level: disk
                .get("raid_level")
                .map(pyrepr::to_str)
                .unwrap_or_default(),
            size: size.and_then(|size| size.parse().ok()),
            disks: chosen(disk, devices)?,
            is_root: disk.get("is_root_volume").and_then(Value::as_bool) == Some(true),
        });
    }
    Ok(volumes)
}

/// The disks of one array: one for each of its hints, or all.
fn chosen(disk: &Value, devices: &[BlockDevice]) -> Result<Vec<String>, AgentError> {
    let wanted = disk.get("physical_disks").and_then(Value::as_array);
    let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else {
        return Ok(devices.iter().map(|device| device.name.clone()).collect());
    };
    let all: Vec<&BlockDevice> = devices.iter().collect();
    let mut taken: Vec<String> = Vec::new();
    for hint in wanted {
        let found = hints::matching(&all, hint).map_err(refused)?;
        let found = found
            .into_iter()
            .find(|device| !taken.contains(&device.name));
        let found = found.ok_or_else(|| {
            refused(format!(
                "No candidates left for physical disk {}",
                pyrepr::repr(hint)
            ))
        })?;
        taken.push(found.name.clone());
    }
    Ok(taken)
}

/// The arrays in the order in which they are made, the one that takes the rest last, and where
/// their partitions are on each disk.
pub(super) fn places<'v>(
    volumes: &'v [Volume],
    devices: &[BlockDevice],
    is_uefi: bool,
    is_gpt: bool,
) -> Result<(Vec<&'v Volume>, BTreeMap<String, Places>), AgentError> {
    let start = match (is_uefi, is_gpt) {
        (true, _) => UEFI_START,
        (false, true) => GPT_START,
        (false, false) => MSDOS_START,
    };
    let (sized, rest): (Vec<_>, Vec<_>) = volumes.iter().partition(|v| v.size.is_some());
    let order: Vec<&Volume> = sized.into_iter().chain(rest).collect();
    let mut places: BTreeMap<String, Places> = BTreeMap::new();
    for volume in &order {
        for name in &volume.disks {
            let device = devices.iter().find(|device| device.name == *name);
            // The copy of a GPT is at the end; what is not a whole MiB stays free.
            let end = device
                .map_or(0, |device| device.size / MIB * MIB)
                .saturating_sub(MIB);
            let taken = places.entry(name.clone()).or_default();
            let first = taken
                .last()
                .map_or(start, |(offset, length)| offset + length);
            // The first is shorter by what comes before it, so that borders are whole GiB.
            let last = match volume.size {
                None => end,
                Some(size) => (first / GIB).saturating_add(size).saturating_mul(GIB),
            };
            if last > end || last <= first {
                return Err(refused(format!(
                    "not enough space for the logical disks on {name}"
                )));
            }
            taken.push((first, last - first));
        }
    }
    Ok((order, places))
}

/// Whether the system is to be started by UEFI.
pub(super) fn is_uefi(node: &Value, config: &Config) -> bool {
    match capability(node, "boot_mode") {
        Some(mode) => mode == "uefi",
        None => {
            let told = node
                .get("instance_info")
                .and_then(|info| info.get("deploy_boot_mode"));
            match told.and_then(Value::as_str) {
                Some(mode) => mode == "uefi",
                None => config.root.join("sys/firmware/efi").exists(),
            }
        }
    }
}

pub(super) fn wants_gpt(node: &Value) -> bool {
    capability(node, "disk_label").as_deref() == Some("gpt")
}

/// A capability, of the instance or else of the node, as object or as `a:b,c:d`.
fn capability(node: &Value, name: &str) -> Option<String> {
    ["instance_info", "properties"].iter().find_map(|part| {
        match node.get(*part)?.get("capabilities")? {
            Value::Object(map) => Some(map.get(name)?.as_str()?.to_owned()),
            Value::String(text) => text.split(',').find_map(|pair| {
                let (key, value) = pair.split_once(':')?;
                (key.trim() == name).then(|| value.trim().to_owned())
            }),
            _ => None,
        }
    })
}
