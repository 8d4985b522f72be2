//! The MBR partition table: four entries in the first sector of a disk (UEFI 2.10 §5.2).
//!
//! Also the protective MBR, which keeps tools without GPT support from taking the disk for empty,
//! with further entries if needed (a hybrid MBR). Logical partitions are in a chain of further
//! sectors; they are neither followed nor written here.

use crate::field::{le16, le32, put};

/// The length of the MBR, whatever the sector size of the disk.
pub const SECTOR: usize = 512;
/// The partition type of the entry that covers a GPT.
pub const PROTECTIVE: u8 = 0xee;
const SIGNATURE: u16 = 0xaa55;
const ENTRIES: usize = 446;
const DISK_ID: usize = 440;

/// An entry of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MbrPartition {
    pub bootable: bool,
    pub kind: u8,
    /// In sectors.
    pub first: u32,
    pub count: u32,
}

/// The first sector of a disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mbr {
    /// The boot code that a BIOS runs.
    pub code: [u8; DISK_ID],
    /// The disk signature, from which Linux makes `PARTUUID`.
    pub disk_id: u32,
    pub partitions: [Option<MbrPartition>; 4],
}

/// Why a sector is not an MBR.
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
    /// Decodes the first sector of a disk.
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
            // Only 0 and 0x80 are valid. Other values mean that this is no partition table, but the
            // boot sector of a filesystem, for example.
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

    /// Encodes the first sector of a disk.
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
            // CHS addresses are filled in although nothing uses them: UEFI 2.10 §5.2.3 requires
            // those of the protective entry, and image checkers compare them.
            put(&mut sector, at + 1, &cylinders(partition.first));
            sector[at + 4] = partition.kind;
            put(&mut sector, at + 5, &cylinders(last));
            put(&mut sector, at + 8, &partition.first.to_le_bytes());
            put(&mut sector, at + 12, &partition.count.to_le_bytes());
        }
        put(&mut sector, 510, &SIGNATURE.to_le_bytes());
        sector
    }

    /// The protective MBR (UEFI 2.10 §5.2.3) of a disk of `sectors` sectors. A disk with more than
    /// 2^32 sectors has the size 0xffffffff.
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

    /// Whether this is a protective or hybrid MBR, so that the disk has a GPT.
    pub fn protects_gpt(&self) -> bool {
        self.partitions
            .iter()
            .flatten()
            .any(|found| found.kind == PROTECTIVE)
    }
}

/// The CHS address of a sector, with 255 heads and 63 sectors a track; `ff ff ff` beyond what it
/// can express.
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
