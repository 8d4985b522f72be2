//! The classic partition table: four entries at the end of a disk's first sector.
//!
//! Also the table that protects a GPT from tools that do not know one, with extra entries if wanted
//! (a "hybrid"). Logical partitions live in chains of further sectors; they are neither followed
//! nor made.

use crate::field::{le16, le32, put};

/// A boot sector.
pub const SECTOR: usize = 512;
/// The type of the entry that covers a GPT.
pub const PROTECTIVE: u8 = 0xee;
const SIGNATURE: u16 = 0xaa55;
const ENTRIES: usize = 446;
const DISK_ID: usize = 440;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MbrPartition {
    pub bootable: bool,
    pub kind: u8,
    /// In sectors.
    pub first: u32,
    pub count: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mbr {
    /// What the firmware of a PC runs.
    pub code: [u8; DISK_ID],
    /// The number that Windows and the kernel's `PARTUUID` call the disk by.
    pub disk_id: u32,
    pub partitions: [Option<MbrPartition>; 4],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MbrError {
    #[error("the boot sector is shorter than 512 bytes")]
    Truncated,
    #[error("the boot sector has no signature")]
    NoSignature,
    #[error("partition entry {0} has an impossible boot flag")]
    BootFlag(usize),
}

impl Default for Mbr {
    fn default() -> Self {
        Self {
            code: [0; DISK_ID],
            disk_id: 0,
            partitions: [None; 4],
        }
    }
}

impl Mbr {
    pub fn decode(sector: &[u8]) -> Result<Self, MbrError> {
        let mut mbr = Self {
            code: crate::field::array(sector, 0).ok_or(MbrError::Truncated)?,
            disk_id: le32(sector, DISK_ID).ok_or(MbrError::Truncated)?,
            partitions: [None; 4],
        };
        if le16(sector, 510).ok_or(MbrError::Truncated)? != SIGNATURE {
            return Err(MbrError::NoSignature);
        }
        for (index, slot) in mbr.partitions.iter_mut().enumerate() {
            let at = ENTRIES + index * 16;
            let byte = |offset: usize| sector.get(at + offset).copied().unwrap_or(0);
            if !matches!(byte(0), 0 | 0x80) {
                return Err(MbrError::BootFlag(index));
            }
            let found = MbrPartition {
                bootable: byte(0) == 0x80,
                kind: byte(4),
                first: le32(sector, at + 8).unwrap_or(0),
                count: le32(sector, at + 12).unwrap_or(0),
            };
            *slot = (found.kind != 0).then_some(found);
        }
        Ok(mbr)
    }

    pub fn encode(&self) -> [u8; SECTOR] {
        let mut sector = [0; SECTOR];
        put(&mut sector, 0, &self.code);
        put(&mut sector, DISK_ID, &self.disk_id.to_le_bytes());
        for (index, partition) in self.partitions.iter().enumerate() {
            let Some(partition) = partition else { continue };
            let at = ENTRIES + index * 16;
            let last = partition
                .first
                .saturating_add(partition.count.saturating_sub(1));
            sector[at] = if partition.bootable { 0x80 } else { 0 };
            // The whole disk from the second sector on: its addresses are written in full, as the
            // UEFI specification has them.
            put(&mut sector, at + 1, &cylinders(partition.first));
            sector[at + 4] = partition.kind;
            put(&mut sector, at + 5, &cylinders(last));
            put(&mut sector, at + 8, &partition.first.to_le_bytes());
            put(&mut sector, at + 12, &partition.count.to_le_bytes());
        }
        put(&mut sector, 510, &SIGNATURE.to_le_bytes());
        sector
    }

    /// The table before a GPT on a disk of so many sectors.
    pub fn protective(sectors: u64) -> Self {
        let count = u32::try_from(sectors.saturating_sub(1)).unwrap_or(u32::MAX);
        let whole = MbrPartition {
            bootable: false,
            kind: PROTECTIVE,
            first: 1,
            count,
        };
        Self {
            partitions: [Some(whole), None, None, None],
            ..Self::default()
        }
    }

    /// Whether this stands before a GPT.
    pub fn protects_gpt(&self) -> bool {
        self.partitions
            .iter()
            .flatten()
            .any(|found| found.kind == PROTECTIVE)
    }
}

/// Cylinder, head and sector of a sector's number, for a disk with 255 heads and 63 sectors a
/// track; the largest there is where it does not fit.
fn cylinders(sector: u32) -> [u8; 3] {
    let (track, number) = (sector / 63, sector % 63 + 1);
    let (cylinder, head) = (track / 255, track % 255);
    if cylinder > 1023 {
        return [0xff, 0xff, 0xff];
    }
    let low = |value: u32| value.to_le_bytes()[0];
    [
        low(head),
        low(number) | low(cylinder >> 8) << 6,
        low(cylinder),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_protective_table_is_what_the_specification_shows() {
        let sector = Mbr::protective(1 << 40).encode();
        assert_eq!(
            sector[446..462],
            [
                0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff
            ]
        );
        assert_eq!(sector[510..], [0x55, 0xaa]);
    }

    fn partition() -> impl Strategy<Value = Option<MbrPartition>> {
        proptest::option::of((any::<bool>(), 1u8.., any::<u32>(), any::<u32>()).prop_map(
            |(bootable, kind, first, count)| MbrPartition {
                bootable,
                kind,
                first,
                count,
            },
        ))
    }

    proptest! {
        #[test]
        fn a_table_survives_being_written(
            disk_id in any::<u32>(),
            partitions in [partition(), partition(), partition(), partition()],
        ) {
            let mbr = Mbr { code: [7; 440], disk_id, partitions };
            prop_assert_eq!(Mbr::decode(&mbr.encode()), Ok(mbr));
        }

        #[test]
        fn no_sector_panics(sector in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = Mbr::decode(&sector);
        }
    }
}
