//! The config drive on a disk: in a form that the disk's sectors allow, and on a disk with a
//! whole-disk image in a partition of its own at the end.

use super::{
    medium::{Medium, Window},
    probe, random_id,
    table::{PartitionEntry, Table, TableError},
};
use crate::configdrive::{LABEL, MOST_BYTES};
use proto::{
    disk::gpt::Guid,
    fat::Fat,
    iso9660::reader,
    volume::{Content, Segment, Tree},
};
use std::io;

/// Why a config drive cannot be put on a disk.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error("cannot rebuild the config drive: {0}")]
    Rebuild(String),
    #[error("the config drive is larger than the limit of {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    #[error("no partition table found")]
    NoTable,
    #[error("it uses MBR partitioning and already has {0} primary partitions")]
    Full(usize),
    #[error(transparent)]
    Table(TableError),
    #[error("the partitions {0} and {1} both have the label {LABEL}")]
    Twice(u32, u32),
    #[error("the config drive has {length} bytes, its partition only {room}")]
    NoRoom { length: u64, room: u64 },
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<TableError> for DriveError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Full(count) => Self::Full(count),
            other => Self::Table(other),
        }
    }
}

/// The config drive in a form that the system can read from a disk with such sectors. A disc has
/// sectors of 2,048 bytes, and cannot be mounted from a disk whose sectors are larger: its files go
/// into a FAT filesystem then, or if the operator wants that anyway.
pub fn suited(drive: Vec<u8>, sector_size: u32, rebuild: bool) -> Result<Vec<u8>, DriveError> {
    if !(rebuild || sector_size > 2048) || !reader::is_disc(&drive) {
        return Ok(drive);
    }
    let failed = |error: &dyn std::fmt::Display| DriveError::Rebuild(error.to_string());
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

/// Puts a config drive into the partition that has its label, or into a new one.
pub fn place(medium: &mut dyn Medium, drive: &[u8]) -> Result<(), DriveError> {
    if drive.len() as u64 > MOST_BYTES {
        return Err(DriveError::TooLarge);
    }
    let mut table = Table::read(medium)?.ok_or(DriveError::NoTable)?;
    let entry = match labelled(medium, &table)? {
        Some(entry) => entry,
        None => {
            table.fit(medium)?;
            let made = table.add_last(medium, MOST_BYTES, Guid::from_uuid(random_id()))?;
            table.write(medium)?;
            made
        }
    };
    let length = drive.len() as u64;
    if length > entry.length {
        return Err(DriveError::NoRoom {
            length,
            room: entry.length,
        });
    }
    let mut window = Window::new(medium, entry.offset, entry.length)?;
    Medium::write_at(&mut window, 0, drive)?;
    Ok(Medium::zero(&mut window, length, entry.length - length)?)
}

/// The partition whose filesystem has the label of config drives.
fn labelled(medium: &mut dyn Medium, table: &Table) -> Result<Option<PartitionEntry>, DriveError> {
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
            return Err(DriveError::Twice(first.number, entry.number));
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
