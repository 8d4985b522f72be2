//! Partitions of a disk that have filesystems.

use super::{
    medium::{Disk, Window},
    nodes, probe,
    table::{PartitionEntry, Table},
};
use crate::{AgentError, block::hints::not_found};
use std::path::{Path, PathBuf};

/// A partition with a filesystem.
#[derive(Debug, Clone)]
pub(super) struct Volume {
    pub(super) entry: PartitionEntry,
    pub(super) content: probe::Content,
    pub(super) node: PathBuf,
}

/// The partitions of a disk that have filesystems.
pub(super) fn volumes(device: &Path) -> Result<Vec<Volume>, AgentError> {
    let mut disk =
        Disk::open_to_read(device).map_err(|error| super::failed(device, "open", &error))?;
    let table = Table::read(&disk).map_err(|error| {
        super::deployment(format!(
            "cannot read the partition table of {}: {error}",
            device.display()
        ))
    })?;
    let entries = table.map_or_else(Vec::new, |table| table.entries(&disk));
    let mut found = Vec::new();
    for entry in entries {
        let content = Window::new(&mut disk, entry.offset, entry.length)
            .ok()
            .and_then(|window| probe::probe(&window));
        if let Some(content) = content {
            found.push(Volume {
                node: nodes::path(device, entry.number),
                entry,
                content,
            });
        }
    }
    Ok(found)
}

/// The partition with this id, of the filesystem or of the partition, or with this label.
pub(super) fn find(device: &Path, id: &str) -> Result<Volume, AgentError> {
    let is = |text: &Option<String>| text.as_ref().is_some_and(|t| t.eq_ignore_ascii_case(id));
    let found = volumes(device)?.into_iter().find(|volume| {
        is(&volume.content.uuid)
            || volume.entry.id.eq_ignore_ascii_case(id)
            || is(&volume.content.label)
    });
    found.ok_or_else(|| {
        not_found(format!(
            "No partition with UUID {id} found on device {}",
            device.display()
        ))
    })
}
