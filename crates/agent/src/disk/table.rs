//! Partition tables of disks: what is there, and the changes that an image on a larger disk needs.

use super::medium::{Medium, read};
use proto::disk::{
    gpt::{Gpt, GptError, GptHeader, Guid, Partition, kind},
    mbr::{Mbr, MbrPartition},
};
use std::io;

/// Types of partitions in tables of the old kind that hold further ones.
const EXTENDED: [u8; 3] = [0x05, 0x0f, 0x85];
const EFI_SYSTEM: u8 = 0xef;
/// The most logical partitions that are followed.
const MOST_LOGICAL: u32 = 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartitionEntry {
    pub(super) number: u32,
    /// In bytes, both.
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) is_efi: bool,
    pub(super) kind: PartitionType,
    /// The id of the partition, as the kernel writes it.
    pub(super) id: String,
    pub(super) bootable: bool,
}

/// What a partition is said to be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartitionType {
    Gpt(Guid),
    Msdos(u8),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Table {
    Gpt(Gpt),
    Msdos(Box<Mbr>),
}

#[derive(Debug, thiserror::Error)]
pub(super) enum TableError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Gpt(#[from] GptError),
    #[error("the disk already has {0} primary partitions")]
    Full(usize),
    #[error("no free space for another partition at the end of the disk")]
    NoRoom,
}

impl Table {
    /// The table of a disk, if it has one. The kind with ids needs the boot sector that protects
    /// it; of its copies the first good one counts.
    pub(super) fn read(medium: &dyn Medium) -> Result<Option<Self>, TableError> {
        let sector = read(medium, 0, 512)?;
        let Ok(mbr) = Mbr::decode(&sector) else {
            return Ok(None);
        };
        if !mbr.protects_gpt() {
            // A filesystem's boot sector has the signature too, and bytes where entries would be.
            let plausible = |entry: &MbrPartition| {
                entry.first > 0
                    && entry.count > 0
                    && u64::from(entry.first) * sector_bytes(medium) < medium.size()
            };
            let real = mbr.partitions.iter().flatten().all(plausible)
                && super::probe::probe(medium).is_none_or(|found| found.kind == "iso9660");
            return Ok(real.then(|| Self::Msdos(Box::new(mbr))));
        }
        let size = u64::from(medium.sector_size());
        let last = (medium.size() / size).saturating_sub(1);
        let first = gpt(medium, 1);
        if first.is_err()
            && let Ok(copy) = gpt(medium, last)
        {
            return Ok(Some(Self::Gpt(copy)));
        }
        first.map(|gpt| Some(Self::Gpt(gpt)))
    }

    /// The partitions by number.
    pub(super) fn entries(&self, medium: &dyn Medium) -> Vec<PartitionEntry> {
        match self {
            Self::Gpt(gpt) => {
                let size = u64::from(gpt.sector_size);
                let entry = |(number, found): (&u32, &Partition)| PartitionEntry {
                    number: *number,
                    offset: found.first * size,
                    length: found.sectors() * size,
                    is_efi: found.kind == kind::EFI_SYSTEM,
                    kind: PartitionType::Gpt(found.kind),
                    id: found.id.to_string(),
                    // The third attribute means that old firmware may start it.
                    bootable: found.attributes & 4 != 0,
                };
                gpt.partitions.iter().map(entry).collect()
            }
            Self::Msdos(mbr) => msdos_entries(mbr, medium),
        }
    }

    /// Stretches a table to the disk that it is on.
    pub(super) fn fit(&mut self, medium: &dyn Medium) -> Result<(), TableError> {
        if let Self::Gpt(gpt) = self {
            gpt.fit(medium.size() / u64::from(gpt.sector_size))?;
        }
        Ok(())
    }

    /// Adds a partition of so many bytes near the end of the disk. Returns its number and place.
    pub(super) fn add_last(
        &mut self,
        medium: &dyn Medium,
        bytes: u64,
        id: Guid,
    ) -> Result<PartitionEntry, TableError> {
        const MIB: u64 = 1 << 20;
        let number = match self {
            Self::Gpt(gpt) => {
                let size = u64::from(gpt.sector_size);
                gpt.add_last(kind::LINUX, id, "", bytes / size, MIB / size)?
            }
            Self::Msdos(mbr) => {
                let size = sector_bytes(medium);
                let taken = mbr.partitions.iter().flatten().count();
                let free = mbr.partitions.iter().position(Option::is_none);
                let slot = free.ok_or(TableError::Full(taken))?;
                // Sectors beyond what 32 bits count cannot be described; one MiB is kept free.
                let most = (1u64 << 32) * size - MIB;
                let end = medium.size().min(most);
                let first = end.saturating_sub(bytes) / MIB * MIB;
                let used = mbr
                    .partitions
                    .iter()
                    .flatten()
                    .map(|part| (u64::from(part.first) + u64::from(part.count)) * size)
                    .max();
                if first < used.unwrap_or(MIB).max(MIB) {
                    return Err(TableError::NoRoom);
                }
                let count = |bytes: u64| u32::try_from(bytes / size).unwrap_or(u32::MAX);
                mbr.partitions[slot] = Some(MbrPartition {
                    bootable: false,
                    kind: 0x83,
                    first: count(first),
                    count: count(bytes),
                });
                u32::try_from(slot + 1).unwrap_or(4)
            }
        };
        let made = self
            .entries(medium)
            .into_iter()
            .find(|e| e.number == number);
        made.ok_or(TableError::NoRoom)
    }

    /// A table with partitions at these places, in bytes, all of one kind.
    pub(super) fn create(
        medium: &dyn Medium,
        is_gpt: bool,
        places: &[(u64, u64)],
    ) -> Result<Self, TableError> {
        let size = sector_bytes(medium);
        if is_gpt {
            let id = || Guid::from_uuid(super::random_id());
            let mut gpt = Gpt::create(id(), medium.sector_size(), medium.size() / size)?;
            for (number, (offset, length)) in (1..).zip(places) {
                let partition = Partition {
                    kind: kind::LINUX_RAID,
                    id: id(),
                    first: offset / size,
                    last: (offset + length) / size - 1,
                    attributes: 0,
                    name: String::new(),
                };
                if partition.last > gpt.last_usable {
                    return Err(TableError::NoRoom);
                }
                gpt.partitions.insert(number, partition);
            }
            return Ok(Self::Gpt(gpt));
        }
        let [a, b, c, d, ..] = super::random_id();
        let mut mbr = Mbr {
            disk_id: u32::from_le_bytes([a, b, c, d]),
            ..Mbr::default()
        };
        if places.len() > mbr.partitions.len() {
            return Err(TableError::Full(places.len()));
        }
        let count = |bytes: u64| u32::try_from(bytes / size).map_err(|_| TableError::NoRoom);
        for (slot, (offset, length)) in mbr.partitions.iter_mut().zip(places) {
            *slot = Some(MbrPartition {
                bootable: false,
                kind: 0xfd,
                first: count(*offset)?,
                count: count(*length)?,
            });
        }
        Ok(Self::Msdos(Box::new(mbr)))
    }

    /// Adds a partition of a kind at the first place that has room.
    pub(super) fn add_first(
        &mut self,
        medium: &dyn Medium,
        kind: Guid,
        name: &str,
        bytes: u64,
    ) -> Result<PartitionEntry, TableError> {
        let Self::Gpt(gpt) = self else {
            return Err(TableError::NoRoom);
        };
        let size = sector_bytes(medium);
        let id = Guid::from_uuid(super::random_id());
        let number = gpt.add(kind, id, name, bytes / size, (1 << 20) / size)?;
        let made = self
            .entries(medium)
            .into_iter()
            .find(|e| e.number == number);
        made.ok_or(TableError::NoRoom)
    }

    /// Takes a partition out of the table. Logical ones stay.
    pub(super) fn remove(&mut self, number: u32) {
        match self {
            Self::Gpt(gpt) => {
                gpt.partitions.remove(&number);
            }
            Self::Msdos(mbr) => {
                let slot = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
                if let Some(slot) = slot.and_then(|slot| mbr.partitions.get_mut(slot)) {
                    *slot = None;
                }
            }
        }
    }

    /// Writes the table. What a boot sector holds besides is kept.
    pub(super) fn write(&self, medium: &mut dyn Medium) -> Result<(), TableError> {
        match self {
            Self::Gpt(gpt) => {
                let size = u64::from(gpt.sector_size);
                let sectors = medium.size() / size;
                let mut mbr = Mbr::decode(&read(medium, 0, 512)?).unwrap_or_default();
                // A hybrid table was made on purpose; only a plain one is stretched.
                if mbr.partitions.iter().flatten().count() <= 1 {
                    mbr.partitions = Mbr::protective(sectors).partitions;
                }
                let sector = mbr.encode();
                for placed in gpt.encode() {
                    if placed.sector == 0 {
                        medium.write_at(0, &sector)?;
                    } else {
                        medium.write_at(placed.sector * size, &placed.bytes)?;
                    }
                }
            }
            Self::Msdos(mbr) => medium.write_at(0, &mbr.encode())?,
        }
        Ok(())
    }
}

fn sector_bytes(medium: &dyn Medium) -> u64 {
    u64::from(medium.sector_size())
}

fn gpt(medium: &dyn Medium, sector: u64) -> Result<Gpt, TableError> {
    let size = sector_bytes(medium);
    let header = read(medium, sector * size, usize::try_from(size).unwrap_or(512))?;
    let header = GptHeader::decode(&header)?;
    let bytes = |sectors: u64| sectors.checked_mul(size).ok_or(GptError::Truncated);
    // No disk is so large that the bytes of its sectors could not be counted.
    header
        .last_usable
        .checked_add(1)
        .ok_or(GptError::Truncated)
        .and_then(bytes)?;
    let from = bytes(header.entries_sector)?;
    let entries = read(medium, from, header.entries_bytes())?;
    Ok(Gpt::decode(&header, &entries, medium.sector_size())?)
}

fn msdos_entries(mbr: &Mbr, medium: &dyn Medium) -> Vec<PartitionEntry> {
    let size = sector_bytes(medium);
    let entry = |number: u32, base: u64, found: &MbrPartition| PartitionEntry {
        number,
        offset: base + u64::from(found.first) * size,
        length: u64::from(found.count) * size,
        is_efi: found.kind == EFI_SYSTEM,
        kind: PartitionType::Msdos(found.kind),
        id: format!("{:08x}-{number:02x}", mbr.disk_id),
        bootable: found.bootable,
    };
    let mut entries = Vec::new();
    let mut extended = None;
    for (number, slot) in (1..).zip(&mbr.partitions) {
        let Some(found) = slot else { continue };
        if EXTENDED.contains(&found.kind) {
            extended = Some(u64::from(found.first) * size);
        }
        entries.push(entry(number, 0, found));
    }
    // Logical partitions: each has a table with itself and the way to the next.
    let base = extended.unwrap_or(0);
    let mut next = extended;
    for number in 5..5 + MOST_LOGICAL {
        let Some(at) = next.take() else { break };
        let table = read(medium, at, 512)
            .ok()
            .and_then(|s| Mbr::decode(&s).ok());
        let Some(table) = table else { break };
        if let Some(found) = &table.partitions[0] {
            entries.push(entry(number, at, found));
        }
        next = table.partitions[1]
            .filter(|link| EXTENDED.contains(&link.kind) && link.first > 0)
            .map(|link| base + u64::from(link.first) * size);
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_tells_of_an_impossible_disk_is_none() {
        let mut bytes = vec![0; 1 << 20];
        let mut gpt = Gpt::create(Guid([1; 16]), 512, 1 << 60).unwrap();
        let far = Partition {
            kind: kind::LINUX,
            id: Guid([2; 16]),
            first: 1 << 56,
            last: 1 << 57,
            attributes: 0,
            name: String::new(),
        };
        gpt.partitions.insert(1, far);
        for placed in gpt.encode().iter().filter(|placed| placed.sector < 100) {
            bytes.write_at(placed.sector * 512, &placed.bytes).unwrap();
        }
        let found = Table::read(&bytes).map(|table| table.unwrap().entries(&bytes));
        assert!(found.is_err(), "{found:?}");
    }
}
