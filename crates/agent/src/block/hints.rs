//! Which disk the node means: root device hints, and disks that are to be left alone.

use super::BlockDevice;
use crate::AgentError;
use serde_json::Value;
use std::collections::BTreeSet;
use types::{
    JsonMap,
    hint::{self, Side},
    pyrepr,
};

/// What a disk must have to be taken without a hint.
const LEAST_ROOT: u64 = 4 << 30;

/// The disk to install on. `node` is the node as the service shows it. An array that the node's
/// RAID configuration calls the root volume is found by whoever made the array, and arrays that it
/// wants left alone are taken out by whoever knows their names, not here.
pub fn root_device<'d>(
    devices: &'d [BlockDevice],
    node: &Value,
) -> Result<&'d BlockDevice, AgentError> {
    let skipped = skip_list(devices, node)?;
    let devices: Vec<&BlockDevice> = devices
        .iter()
        .filter(|device| !skipped.contains(&device.name))
        .collect();
    let hints = ["instance_info", "properties"]
        .iter()
        .filter_map(|part| node.get(*part)?.get("root_device"))
        .find(|hints| hints.as_object().is_none_or(|hints| !hints.is_empty()) && !hints.is_null());
    let Some(hints) = hints else {
        return smallest(devices);
    };
    let found = matching(&devices, hints).map_err(|error| {
        not_found(format!(
            "No devices could be found using the root device hints {} because they failed to \
             validate. Error: {error}",
            pyrepr::repr(hints)
        ))
    })?;
    found.first().copied().ok_or_else(|| {
        not_found(format!(
            "No suitable device was found for deployment using these hints {}",
            pyrepr::repr(hints)
        ))
    })
}

/// The names of the disks that the node wants left alone. Entries that name an array are for
/// whoever handles arrays: [`skipped_volumes`].
pub fn skip_list(devices: &[BlockDevice], node: &Value) -> Result<BTreeSet<String>, AgentError> {
    let devices: Vec<&BlockDevice> = devices.iter().collect();
    let mut skipped = BTreeSet::new();
    for hints in skip_entries(node).filter(|hints| hints.get("volume_name").is_none()) {
        let found = matching(&devices, hints).map_err(|error| {
            AgentError::refused(
                "InvalidCommandParamsError",
                "Invalid command parameters",
                format!("skip_block_devices cannot be used: {error}"),
            )
        })?;
        skipped.extend(found.iter().map(|device| device.name.clone()));
    }
    Ok(skipped)
}

/// The names of arrays that the node wants left alone.
pub fn skipped_volumes(node: &Value) -> BTreeSet<String> {
    skip_entries(node)
        .filter_map(|entry| Some(entry.get("volume_name")?.as_str()?.to_owned()))
        .collect()
}

fn skip_entries(node: &Value) -> impl Iterator<Item = &Value> {
    let list = node
        .get("properties")
        .and_then(|properties| properties.get("skip_block_devices")?.as_array());
    list.into_iter().flatten()
}

/// The disks that satisfy all hints, in their order.
pub fn matching<'d>(
    devices: &[&'d BlockDevice],
    hints: &Value,
) -> Result<Vec<&'d BlockDevice>, String> {
    let maps: Vec<JsonMap> = devices.iter().map(|device| device.to_hinted()).collect();
    let maps: Vec<&JsonMap> = maps.iter().collect();
    let found = hint::fitting(Side::Agent, &maps, hints)?;
    let fits = |name: &str| {
        found
            .iter()
            .any(|map| map.get("name").and_then(Value::as_str) == Some(name))
    };
    Ok(devices
        .iter()
        .copied()
        .filter(|device| fits(&device.name))
        .collect())
}

/// The smallest disk that is large enough and can be written, which virtual media often cannot; the
/// first by name if there are several.
fn smallest(mut devices: Vec<&BlockDevice>) -> Result<&BlockDevice, AgentError> {
    devices.sort_by_key(|device| (device.size, device.name.as_str()));
    let suits = |device: &&BlockDevice| device.size >= LEAST_ROOT && !device.read_only;
    let found = devices.into_iter().find(suits);
    found.ok_or_else(|| {
        not_found(format!(
            "No suitable device was found for deployment - root device hints were not provided \
             and all found block devices are smaller than {} GiB, or cannot be written",
            LEAST_ROOT >> 30
        ))
    })
}

/// A disk, or a partition of one, that is not there.
pub(crate) fn not_found(details: String) -> AgentError {
    AgentError {
        code: 404,
        ..AgentError::failed(
            "DeviceNotFound",
            "Error finding the disk or partition device to deploy the image onto",
            details,
        )
    }
}
