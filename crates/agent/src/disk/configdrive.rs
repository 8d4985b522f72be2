//! The config drive on a disk that has a whole-disk image: a partition of its own at the end.

use super::{
    medium::{Disk, Medium, Window},
    nodes, probe, random_id,
    table::{PartitionEntry, Table, TableError},
};
use crate::{AgentError, safety::Permit};
use image::configdrive::{LABEL, MOST_BYTES};
use proto::{
    disk::gpt::Guid,
    fat::Fat,
    iso9660::reader,
    volume::{Content, Segment, Tree},
};
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
    decoded.map_err(|error| super::deployment(types::error::chain(&error)))
}

/// The config drive in a form that the system can read from a disk with such sectors. A disc has
/// sectors of 2,048 bytes, and cannot be mounted from a disk whose sectors are larger: its files go
/// into a FAT filesystem then, or if the operator wants that anyway.
pub(super) fn suited(
    drive: Vec<u8>,
    sector_size: u32,
    rebuild: bool,
) -> Result<Vec<u8>, AgentError> {
    if !(rebuild || sector_size > 2048) || !reader::is_disc(&drive) {
        return Ok(drive);
    }
    let failed = |error: &dyn std::fmt::Display| {
        super::deployment(format!("cannot rebuild the config drive: {error}"))
    };
    let mut tree = Tree::new();
    for (path, bytes) in reader::files(&drive).map_err(|error| failed(&error))? {
        tree.add(&path, Content::Bytes(bytes))
            .map_err(|error| failed(&error))?;
    }
    let [a, b, c, d, ..] = random_id();
    let fat = Fat {
        label: LABEL.to_ascii_uppercase(),
        serial: u32::from_le_bytes([a, b, c, d]),
        sector_size: Some(sector_size),
        ..Fat::default()
    };
    let layout = fat.layout(&tree).map_err(|error| failed(&error))?;
    if layout.length() > MOST_BYTES {
        return Err(failed(&"the config drive would be larger than 64 MiB"));
    }
    let mut image = Vec::new();
    for segment in layout.segments() {
        let end = image.len() + usize::try_from(segment.length()).unwrap_or(0);
        if let Segment::Bytes(bytes) = segment {
            image.extend_from_slice(bytes);
        }
        image.resize(end, 0);
    }
    Ok(image)
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
    let drive = suited(drive, disk.sector_size(), config.config_drive_rebuild)?;
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
            "the config drive is larger than the limit of {} MiB",
            MOST_BYTES >> 20
        )));
    }
    let mut table = Table::read(medium)
        .map_err(|error| failed(error.to_string()))?
        .ok_or_else(|| failed("no partition table found".to_owned()))?;
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
            "the config drive has {length} bytes, its partition only {}",
            entry.length
        )));
    }
    let mut window = Window::new(medium, entry.offset, entry.length)
        .map_err(|error| failed(error.to_string()))?;
    let written = window
        .write_at(0, drive)
        .and_then(|()| window.zero(length, entry.length - length));
    written.map_err(|error| failed(error.to_string()))
}

/// The partition whose filesystem has the label of config drives.
fn labelled(medium: &mut dyn Medium, table: &Table) -> Result<Option<PartitionEntry>, String> {
    let mut found: Option<PartitionEntry> = None;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::medium::read;
    use proto::{fat::FatReader, iso9660::Disc};

    #[test]
    fn a_disc_becomes_a_filesystem_where_its_sectors_are_too_small() {
        let mut tree = Tree::new();
        let path = "openstack/latest/meta_data.json";
        tree.add(path, Content::Bytes(b"{}".to_vec())).unwrap();
        let disc = Disc {
            label: LABEL.to_owned(),
            ..Disc::default()
        };
        let mut drive = Vec::new();
        for segment in disc.layout(&tree).unwrap().segments() {
            let end = drive.len() + usize::try_from(segment.length()).unwrap();
            if let Segment::Bytes(bytes) = segment {
                drive.extend(bytes);
            }
            drive.resize(end, 0);
        }
        assert!(suited(drive.clone(), 512, false).unwrap() == drive);
        assert_eq!(suited(b"odd".to_vec(), 4096, true).unwrap(), b"odd");
        for (sector, rebuild) in [(4096, false), (512, true)] {
            let made = suited(drive.clone(), sector, rebuild).unwrap();
            let found = probe::probe(&made).unwrap();
            assert_eq!(
                (found.kind, found.label.as_deref()),
                ("vfat", Some("CONFIG-2"))
            );
            let mut at = |offset: u64, length: usize| read(&made, offset, length);
            let reader = FatReader::open(&mut at).unwrap();
            let files = reader.files(&mut at).unwrap();
            assert_eq!(files[0].path, path);
            assert_eq!(reader.read_file(&mut at, &files[0], 99).unwrap(), b"{}");
        }
    }
}
