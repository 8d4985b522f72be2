//! Disks: which one is the root device, and how large it is.

use super::{HookError, InspectionSettings, Subject, is_truthy, objects, processor};
use serde_json::{Value, json};
use types::{
    JsonMap,
    hint::{Side, fitting},
    pyrepr,
};

const GIB: i64 = 1 << 30;

/// `root-device`: finds the disk that the hints of the node mean, and notes its size as
/// `properties/local_gb`.
pub(super) fn root(subject: &mut Subject, settings: &InspectionSettings) -> Result<(), HookError> {
    if let Some(disk) = hinted(subject)? {
        subject.plugin_data.insert("root_disk".into(), disk.into());
    }
    let gib = match subject.plugin_data.get("root_disk") {
        Some(disk) if is_truthy(disk) => {
            let size = disk.get("size").ok_or_else(|| HookError::missing("size"))?;
            let gib = processor::integer(size)?.div_euclid(GIB);
            if gib == 0 {
                tracing::warn!(node = %subject.node.id, "the root disk is smaller than 1 GiB");
            }
            gib - i64::from(gib != 0 && settings.disk_partitioning_spacing)
        }
        _ => 0,
    };
    subject.plugin_data.insert("local_gb".into(), gib.into());
    subject
        .node
        .properties
        .insert("local_gb".into(), gib.into());
    Ok(())
}

/// The disk that the hints mean; none without hints.
fn hinted(subject: &Subject) -> Result<Option<JsonMap>, HookError> {
    let properties = &subject.node.properties;
    let Some(hints) = properties.get("root_device").filter(|h| is_truthy(h)) else {
        return Ok(None);
    };
    if !subject.inventory.contains_key("disks") {
        return Err(HookError::missing("disks"));
    }
    let mut disks = objects(&subject.inventory, "disks")?;
    if let Some(Value::Array(skipped)) = properties.get("skip_block_devices") {
        for hints in skipped {
            let fitting = fitting(Side::Service, &disks, hints)
                .map_err(|text| HookError::unexpected("ValueError", text))?;
            disks.retain(|disk| !fitting.contains(disk));
        }
    }
    let id = subject.node.id;
    let fitting = fitting(Side::Service, &disks, hints).map_err(|error| HookError {
        class: None,
        text: format!(
            "No disks could be found using root device hints {} for node {id} because they failed to validate. Error: {error}",
            pyrepr::repr(hints)
        ),
    })?;
    match fitting.first() {
        Some(disk) => Ok(Some((*disk).clone())),
        None => Err(HookError {
            class: None,
            text: format!("No disks satisfied root device hints for node {id}"),
        }),
    }
}

/// `raid-device`: the one disk that was not there before a RAID was built is the root device.
pub(super) fn raid(subject: &mut Subject) -> Result<(), HookError> {
    let node = subject.node.id;
    if subject.node.properties.contains_key("root_device") {
        return Ok(());
    }
    let now = serials(&subject.inventory)?;
    if now.is_empty() {
        tracing::warn!(%node, "the ramdisk sent no disks");
        return Ok(());
    }
    let Some(previous) = &subject.previous else {
        return Ok(());
    };
    let before = serials(previous)?;
    let mut new = now.into_iter().filter(|serial| !before.contains(serial));
    match (new.next(), new.next()) {
        (Some(serial), None) => {
            let hint = json!({"serial": serial});
            subject.node.properties.insert("root_device".into(), hint);
        }
        (None, _) => tracing::warn!(%node, "there is no new disk"),
        _ => tracing::warn!(%node, "there are several new disks; the root device stays unknown"),
    }
    Ok(())
}

fn serials(inventory: &JsonMap) -> Result<Vec<Value>, HookError> {
    let disks = objects(inventory, "disks")?;
    let serials = disks.into_iter().filter_map(|disk| disk.get("serial"));
    Ok(serials.filter(|s| is_truthy(s)).cloned().collect())
}
