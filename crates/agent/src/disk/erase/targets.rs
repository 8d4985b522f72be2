//! Which disks may be erased.

use crate::{
    AgentError,
    block::{self, BlockDevice, hints},
    config::Config,
    disk::{
        medium::{Disk, Window},
        probe::{self, Content},
        raid,
        table::{PartitionType, Table},
    },
};
use proto::disk::gpt::Guid;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The label of the floppy by which services configure agents.
const VIRTUAL_MEDIA: &str = "ir-vfd-dev";
const GPFS: Guid = Guid::of(0x37affc90, 0xef7d, 0x4e96, 0x91c3_2d7ae055b174);
const VMFS: Guid = Guid::of(0xaa31e02a, 0x400f, 0x11db, 0x9590_000c2911d1b8);
const VMFS_MSDOS: u8 = 0xfb;

/// Where the node of a device is.
pub(in crate::disk) fn node_of(config: &Config, name: &str) -> PathBuf {
    config.root.join(name.trim_start_matches('/'))
}

/// All disks but those that the node wants left alone, and those that an array is on which it does.
pub(in crate::disk) fn disks(
    node: &Value,
    config: &Config,
) -> Result<Vec<BlockDevice>, AgentError> {
    wanted(node, config).map(|targets| targets.chosen)
}

/// The disks of a machine, by what is to be done with them.
#[derive(Debug)]
pub(super) struct Targets {
    pub(super) chosen: Vec<BlockDevice>,
    /// With the reason.
    pub(super) left_alone: Vec<(BlockDevice, &'static str)>,
}

pub(super) const READ_ONLY: &str = "it is read-only";

/// What the node wants.
pub(super) fn wanted(node: &Value, config: &Config) -> Result<Targets, AgentError> {
    let devices = block::list(&config.root);
    let skipped = hints::skip_list(&devices, node)?;
    let kept = raid::kept(node, config)?;
    let (mut chosen, mut left_alone) = (Vec::new(), Vec::new());
    for device in devices {
        if skipped.contains(&device.name) {
            left_alone.push((device, "the node wants it left alone"));
        } else if kept.contains(&device.name) {
            left_alone.push((device, "an array is on it that the node wants left alone"));
        } else {
            chosen.push(device);
        }
    }
    Ok(Targets { chosen, left_alone })
}

/// The disks whose metadata is cleared, the last by name first.
pub(super) fn erasable(node: &Value, config: &Config) -> Result<Targets, AgentError> {
    let mut targets = wanted(node, config)?;
    let mut devices = std::mem::take(&mut targets.chosen);
    devices.sort_by(|a, b| b.name.cmp(&a.name));
    for device in devices {
        let path = node_of(config, &device.name);
        let left = if device.read_only {
            Some(READ_ONLY)
        } else {
            special(&device, &path)
        };
        match left {
            Some(reason) => {
                tracing::info!(device = device.name, reason, "erase skipped");
                targets.left_alone.push((device, reason));
            }
            None => targets.chosen.push(device),
        }
    }
    Ok(targets)
}

/// Why a disk is never erased.
pub(super) fn special(device: &BlockDevice, path: &Path) -> Option<&'static str> {
    if is_virtual_media(device, path) {
        Some("it is virtual media")
    } else if is_array_member(device, path) {
        Some("it is part of a RAID array")
    } else {
        None
    }
}

fn is_virtual_media(device: &BlockDevice, path: &Path) -> bool {
    let beside = path.parent().unwrap_or(Path::new("/dev"));
    let link = fs::read_link(beside.join("disk/by-label").join(VIRTUAL_MEDIA));
    if link.is_ok_and(|target| target.file_name() == path.file_name()) {
        return true;
    }
    // Without udev there are no links; labels of large disks are not worth a look.
    device.removable
        && contents(path)
            .iter()
            .any(|content| content.label.as_deref() == Some(VIRTUAL_MEDIA))
}

/// Whether a disk or one of its partitions belongs to an array, running or not. A disk that cannot
/// be read is taken for one that does.
fn is_array_member(device: &BlockDevice, path: &Path) -> bool {
    device.is_held_by_md()
        || !device.is_md()
            && (Disk::open_to_read(path).is_err()
                || contents(path)
                    .iter()
                    .any(|content| content.kind == "linux_raid_member"))
}

/// What is on a disk and on its partitions.
fn contents(path: &Path) -> Vec<Content> {
    let Ok(mut disk) = Disk::open_to_read(path) else {
        return Vec::new();
    };
    let mut found: Vec<Content> = probe::probe(&disk).into_iter().collect();
    let table = Table::read(&disk).ok().flatten();
    for entry in table.map_or_else(Vec::new, |table| table.entries(&disk)) {
        if let Ok(window) = Window::new(&mut disk, entry.offset, entry.length) {
            found.extend(probe::probe(&window));
        }
    }
    found
}

/// Refuses disks that other machines may be using at this moment.
pub(super) fn guard(device: &BlockDevice, node: &Value, config: &Config) -> Result<(), AgentError> {
    let wanted = super::internal_info(node).wipes_special_filesystems();
    let wanted = wanted.unwrap_or(true);
    if !config.guard_special_filesystems || !wanted {
        return Ok(());
    }
    let path = node_of(config, &device.name);
    let kinds = Disk::open_to_read(&path).ok().and_then(|disk| {
        let table = Table::read(&disk).ok()??;
        Some(table.entries(&disk))
    });
    let by_kind = kinds
        .unwrap_or_default()
        .iter()
        .find_map(|entry| match entry.kind {
            PartitionType::Gpt(GPFS) => Some("IBM GPFS Partition"),
            PartitionType::Gpt(VMFS) => Some("VMware VMFS Partition (GPT)"),
            PartitionType::Msdos(VMFS_MSDOS) => Some("VMware VMFS Partition (MBR)"),
            _ => None,
        });
    let found = by_kind.or_else(|| {
        contents(&path)
            .iter()
            .find_map(|content| match content.kind {
                "gfs2" => Some("Red Hat Global File System 2"),
                "VMFS" | "VMFS_volume_member" => Some("VMware VMFS"),
                _ => None,
            })
    });
    let Some(what) = found else {
        return Ok(());
    };
    let details = format!(
        "Protected {what} located on device {}. This volume or contents may be a shared block \
         device. Please consult your storage administrator, and restart cleaning after either \
         detaching the volumes, or instructing IPA to not protect contents. See Ironic Python \
         Agent documentation for more information.",
        device.name
    );
    Err(AgentError::failed(
        "ProtectedDeviceError",
        &details,
        details.clone(),
    ))
}
