//! What can be said of a logical disk in `target_raid_config`.
//!
//! The set is the same for every RAID implementation of Ironic, also for the absent
//! one, and its texts are on the wire. Checking a configuration against it is the conductor's.
//! What a built configuration means for a node is here too.

use serde_json::Value;
use types::{JsonMap, Node, Timestamp};

/// Keys of a logical disk, and what they mean.
pub const LOGICAL_DISK_PROPERTIES: &[(&str, &str)] = &[
    (
        "raid_level",
        "RAID level for the logical disk. Valid values are 'JBOD', '0', '1', '2', '5', '6', '1+0', '5+0' and '6+0'. Required.",
    ),
    (
        "size_gb",
        "Size in GiB (Integer) for the logical disk. Use 'MAX' as size_gb if this logical disk is supposed to use the rest of the space available. Required.",
    ),
    (
        "volume_name",
        "Name of the volume to be created. If this is not specified, it will be auto-generated. Optional.",
    ),
    (
        "is_root_volume",
        "Specifies whether this disk is a root volume. By default, this is False. Optional.",
    ),
    (
        "share_physical_disks",
        "Specifies whether other logical disks can share physical disks with this logical disk. By default, this is False. Optional.",
    ),
    (
        "disk_type",
        "The type of disk preferred. Valid values are 'hdd' and 'ssd'. If this is not specified, disk type will not be a selection criterion for choosing backing physical disks. Optional.",
    ),
    (
        "interface_type",
        "The interface type of disk. Valid values are 'sata', 'scsi' and 'sas'. If this is not specified, interface type will not be a selection criterion for choosing backing physical disks. Optional.",
    ),
    (
        "number_of_physical_disks",
        "Number of physical disks to use for this logical disk. By default, the driver uses the minimum number of disks required for that RAID level. Optional.",
    ),
    (
        "controller",
        "Controller to use for this logical disk. If not specified, the driver will choose a suitable RAID controller on the bare metal node. Optional.",
    ),
    (
        "physical_disks",
        "The physical disks to use for this logical disk. If not specified, the driver will choose suitable physical disks to use. Optional.",
    ),
];

/// Keeps a configuration that was built, and what it says of the root volume.
pub fn note_configuration(node: &mut Node, built: &JsonMap) {
    let mut config = built.clone();
    let stamp = Timestamp::now().naive();
    config.insert("last_updated".into(), stamp.into());
    let disks = built.get("logical_disks").and_then(Value::as_array);
    let mut disks = disks.into_iter().flatten();
    let root = disks.find(|disk| disk.get("is_root_volume") == Some(&Value::Bool(true)));
    if let Some(root) = root {
        if let Some(size) = root.get("size_gb").filter(|size| size.is_number()) {
            node.properties.insert("local_gb".into(), size.clone());
        }
        if let Some(hint) = root.get("root_device_hint") {
            node.properties.insert("root_device".into(), hint.clone());
        }
    }
    node.raid_config = config;
}
