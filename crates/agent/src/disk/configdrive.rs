//! The config drive on a disk that has a whole-disk image: a partition of its own at the end.

use super::{
    medium::{Disk, Medium, Window},
    nodes, probe, random_id,
    table::{Entry, Table, TableError},
};
use crate::{AgentError, safety::Permit};
use image::configdrive::{LABEL, MOST_BYTES};
use proto::disk::gpt::Guid;
use std::path::Path;

/// The bytes of a config drive that came as text or as an address. They are fetched and unpacked
/// before anything is written, so that a bad one changes nothing.
pub(super) async fn fetch(text: &str, http: &image::source::Http) -> Result<Vec<u8>, AgentError> {
    let decoded = if image::configdrive::is_address(text) {
        // What it unpacks to is limited again; as base64 it is a third longer.
        let fetched = http.bytes(text.trim(), 2 * MOST_BYTES).await;
        fetched.and_then(image::configdrive::decode_fetched)
    } else {
        image::configdrive::decode(text)
    };
    decoded.map_err(|error| super::deployment(super::image::chain(&error)))
}

/// Writes a config drive to a disk whose image is already there.
pub async fn write(
    _permit: &Permit,
    device: &Path,
    text: &str,
    config: &crate::config::Config,
) -> Result<(), AgentError> {
    let http = super::image::http(config, &types::JsonMap::new())?;
    let drive = fetch(text, &http).await?;
    let mut disk = Disk::open(device).map_err(|error| super::failed(device, "open", &error))?;
    place(&mut disk, device, &drive)?;
    disk.sync()
        .map_err(|error| super::failed(device, "write", &error))?;
    nodes::reread(&disk).await
}

/// Puts a config drive into the partition that has its label, or into a new one.
pub(super) fn place(
    medium: &mut dyn Medium,
    device: &Path,
    drive: &[u8],
) -> Result<(), AgentError> {
    let failed = |reason: String| {
        super::deployment(format!(
            "Failed to create config drive on disk {}: {reason}",
            device.display()
        ))
    };
    if drive.len() as u64 > MOST_BYTES {
        return Err(failed(format!(
            "it is larger than the limit of {} MiB",
            MOST_BYTES >> 20
        )));
    }
    let mut table = Table::read(medium)
        .map_err(|error| failed(error.to_string()))?
        .ok_or_else(|| failed("there is no partition table".to_owned()))?;
    let labelled = labelled(medium, &table).map_err(&failed)?;
    let entry = match labelled {
        Some(entry) => entry,
        None => {
            let made = table
                .fit(medium)
                .and_then(|()| table.add_last(medium, MOST_BYTES, Guid::from_uuid(random_id())));
            let entry = made.map_err(|error| match error {
                TableError::Full(count) => failed(format!(
                    "it uses MBR partitioning and already has {count} primary partitions"
                )),
                other => failed(other.to_string()),
            })?;
            table
                .write(medium)
                .map_err(|error| failed(error.to_string()))?;
            entry
        }
    };
    let length = drive.len() as u64;
    if length > entry.length {
        return Err(failed(format!(
            "it has {length} bytes; its partition has {}",
            entry.length
        )));
    }
    if medium.sector_size() > 2048 {
        tracing::warn!(
            device = %device.display(),
            "the disk's sectors are larger than those of a disc; the system may be unable to mount \
             the config drive"
        );
    }
    let mut window = Window::new(medium, entry.offset, entry.length)
        .map_err(|error| failed(error.to_string()))?;
    let written = window
        .write_at(0, drive)
        .and_then(|()| window.zero(length, entry.length - length));
    written.map_err(|error| failed(error.to_string()))
}

/// The partition whose filesystem has the label of config drives.
fn labelled(medium: &mut dyn Medium, table: &Table) -> Result<Option<Entry>, String> {
    let mut found: Option<Entry> = None;
    for entry in table.entries(medium) {
        let Ok(window) = Window::new(medium, entry.offset, entry.length) else {
            continue;
        };
        let label = probe::probe(&window).and_then(|content| content.label);
        if !label.is_some_and(|label| label.eq_ignore_ascii_case(LABEL)) {
            continue;
        }
        if let Some(first) = &found {
            return Err(format!(
                "the partitions {} and {} both have the label {LABEL}",
                first.number, entry.number
            ));
        }
        found = Some(entry);
    }
    Ok(found)
}
