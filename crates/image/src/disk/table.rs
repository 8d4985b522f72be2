//! Partition tables of disks: what is there, and the changes that an image on a larger disk needs.

use super::medium::{Medium, read};
pub use proto::disk::table::{PartitionEntry, PartitionType};
use proto::disk::{
    gpt::{Gpt, GptError, Guid, Partition, kind},
    mbr::{Mbr, MbrPartition},
    table,
};
use std::io;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Table {
    Gpt(Gpt),
    Msdos(Box<Mbr>),
}

#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Gpt(#[from] GptError),
    #[error(transparent)]
    Read(#[from] table::ReadError),
    #[error("the disk already has {0} primary partitions")]
    Full(usize),
    #[error("no free space for another partition at the end of the disk")]
    NoRoom,
}

impl Table {
    /// The table of a disk, if it has one. The kind with ids needs the boot sector that protects
    /// it; of its copies the first good one counts.
    pub fn read(medium: &dyn Medium) -> Result<Option<Self>, TableError> {
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
        let mut read = |offset, length| read(medium, offset, length);
        let found = table::gpt(medium.size(), medium.sector_size(), &mut read)?;
        Ok(Some(Self::Gpt(found)))
    }

    /// The partitions by number.
    pub fn entries(&self, medium: &dyn Medium) -> Vec<PartitionEntry> {
        match self {
            Self::Gpt(gpt) => table::gpt_entries(gpt),
            Self::Msdos(mbr) => {
                let mut read = |offset, length| read(medium, offset, length);
                table::mbr_entries(mbr, medium.sector_size(), &mut read)
            }
        }
    }

    /// Stretches a table to the disk that it is on.
    pub fn fit(&mut self, medium: &dyn Medium) -> Result<(), TableError> {
        if let Self::Gpt(gpt) = self {
            gpt.fit(medium.size() / u64::from(gpt.sector_size))?;
        }
        Ok(())
    }

    /// Adds a partition of so many bytes near the end of the disk. Returns its number and place.
    pub fn add_last(
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
    pub fn create(
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
    pub fn add_first(
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
    pub fn remove(&mut self, number: u32) {
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
    pub fn write(&self, medium: &mut dyn Medium) -> Result<(), TableError> {
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
