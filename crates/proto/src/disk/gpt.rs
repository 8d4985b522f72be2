//! GUID partition tables (UEFI 2.10 §5.3): a header and its entries at the start of a disk, a
//! backup at the end.
//!
//! Both copies have checksums, so a reader can tell whether one is damaged and fall back to the
//! other. Sectors are of 512 or 4,096 bytes. Ids come from the caller. The protective MBR before a
//! GPT is in [`super::mbr`].

mod guid;

pub use guid::{Guid, GuidError};

use super::mbr::Mbr;
use crate::field::{array, le16, le32, le64, put};
use std::collections::BTreeMap;

const SIGNATURE: [u8; 8] = *b"EFI PART";
const REVISION: u32 = 0x0001_0000;
const HEADER: usize = 92;
const ENTRY: u32 = 128;
/// 128 entries of 128 bytes: UEFI reserves at least 16,384 bytes for the entries (§5.3.1), and all
/// tools write exactly that.
const ENTRY_COUNT: u32 = 128;
/// A limit of our own: a hostile header must not make the agent read gigabytes of entries.
const MOST_ENTRIES: u32 = 4096;
const NAME_UNITS: usize = 36;

/// Partition type GUIDs that Corten writes or looks for.
pub mod kind {
    use super::Guid;
    pub const EFI_SYSTEM: Guid = Guid::of(0xc12a7328, 0xf81f, 0x11d2, 0xba4b_00a0c93ec93b);
    pub const BIOS_BOOT: Guid = Guid::of(0x21686148, 0x6449, 0x6e6f, 0x744e_656564454649);
    pub const PREP_BOOT: Guid = Guid::of(0x9e1a2d38, 0xc612, 0x4316, 0xaa26_8b49521e5a8b);
    pub const LINUX: Guid = Guid::of(0x0fc63daf, 0x8483, 0x4772, 0x8e79_3d69d8477de4);
    pub const LINUX_SWAP: Guid = Guid::of(0x0657fd6d, 0xa4ab, 0x43c4, 0x84e5_0933c84b4f4f);
    pub const LINUX_RAID: Guid = Guid::of(0xa19d880f, 0x05fc, 0x4d3b, 0xa006_743f0f84911e);
    pub const BASIC_DATA: Guid = Guid::of(0xebd0a0a2, 0xb9e5, 0x4433, 0x87c0_68b6b72699c7);
}

/// Why a table cannot be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GptError {
    #[error("there is no GPT header")]
    NoHeader,
    #[error("the GPT ends early")]
    Truncated,
    #[error("the checksum of the GPT {0} is wrong")]
    Checksum(&'static str),
    #[error("the GPT is inconsistent: {0}")]
    Inconsistent(&'static str),
    #[error("partition {0} does not fit the disk")]
    DoesNotFit(u32),
    #[error("there is no room for a partition of {0} sectors")]
    NoRoom(u64),
    #[error("the GPT has no entry left")]
    Full,
    #[error("the disk is too small for a GPT")]
    DiskTooSmall,
}

/// A header: where the entries are, and their checksum (UEFI 2.10 §5.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GptHeader {
    pub own_sector: u64,
    pub other_sector: u64,
    pub first_usable: u64,
    pub last_usable: u64,
    pub disk_id: Guid,
    pub entries_sector: u64,
    pub entry_count: u32,
    pub entry_size: u32,
    entries_crc: u32,
}

/// An entry of the table (UEFI 2.10 §5.3.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    pub kind: Guid,
    pub id: Guid,
    pub first: u64,
    /// The last sector, which belongs to the partition.
    pub last: u64,
    pub attributes: u64,
    /// At most 36 UTF-16 units; a longer name is cut when it is written.
    pub name: String,
}

/// A partition table, independent of its two copies on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpt {
    pub disk_id: Guid,
    pub sector_size: u32,
    pub first_usable: u64,
    pub last_usable: u64,
    /// By number, from 1.
    pub partitions: BTreeMap<u32, Partition>,
    entry_count: u32,
}

/// Bytes and the sector that they start at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectorWrite {
    pub sector: u64,
    pub bytes: Vec<u8>,
}

impl GptHeader {
    /// Decodes a header and verifies its checksum.
    pub fn decode(sector: &[u8]) -> Result<Self, GptError> {
        if !sector.starts_with(&SIGNATURE) {
            return Err(GptError::NoHeader);
        }
        let word = |at| le32(sector, at).ok_or(GptError::Truncated);
        let long = |at| le64(sector, at).ok_or(GptError::Truncated);
        let size = usize::try_from(word(12)?).unwrap_or(usize::MAX);
        if size < HEADER {
            return Err(GptError::Inconsistent("the header is too short"));
        }
        let mut bytes = sector.get(..size).ok_or(GptError::Truncated)?.to_vec();
        // §5.3.2: the checksum is computed with zeros in its own field.
        put(&mut bytes, 16, &[0; 4]);
        if crc32(&bytes) != word(16)? {
            return Err(GptError::Checksum("header"));
        }
        let header = Self {
            own_sector: long(24)?,
            other_sector: long(32)?,
            first_usable: long(40)?,
            last_usable: long(48)?,
            disk_id: Guid(array(sector, 56).ok_or(GptError::Truncated)?),
            entries_sector: long(72)?,
            entry_count: word(80)?,
            entry_size: word(84)?,
            entries_crc: word(88)?,
        };
        let odd_entries = header.entry_size < ENTRY
            || !header.entry_size.is_power_of_two()
            || header.entry_size > 4096;
        if odd_entries || header.entry_count > MOST_ENTRIES {
            return Err(GptError::Inconsistent("impossible entries"));
        }
        if header.first_usable > header.last_usable {
            return Err(GptError::Inconsistent("no usable sector"));
        }
        Ok(header)
    }

    /// The length of all entries in bytes.
    pub fn entries_bytes(&self) -> usize {
        let bytes = u64::from(self.entry_count) * u64::from(self.entry_size);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}

impl Gpt {
    /// An empty table for a disk of `sectors` sectors.
    pub fn create(disk_id: Guid, sector_size: u32, sectors: u64) -> Result<Self, GptError> {
        let mut gpt = Self {
            disk_id,
            sector_size,
            first_usable: 0,
            last_usable: 0,
            partitions: BTreeMap::new(),
            entry_count: ENTRY_COUNT,
        };
        gpt.first_usable = 2 + gpt.entries_sectors();
        gpt.fit(sectors)?;
        Ok(gpt)
    }

    /// Decodes the entries that a header points to, and verifies their checksum.
    pub fn decode(header: &GptHeader, entries: &[u8], sector_size: u32) -> Result<Self, GptError> {
        let entries = entries
            .get(..header.entries_bytes())
            .ok_or(GptError::Truncated)?;
        if crc32(entries) != header.entries_crc {
            return Err(GptError::Checksum("entries"));
        }
        let size = usize::try_from(header.entry_size).map_err(|_| GptError::Truncated)?;
        let mut partitions = BTreeMap::new();
        for (number, bytes) in (1u32..).zip(entries.chunks_exact(size)) {
            if let Some(partition) = Partition::decode(bytes) {
                if partition.first > partition.last
                    || partition.first < header.first_usable
                    || partition.last > header.last_usable
                {
                    return Err(GptError::DoesNotFit(number));
                }
                partitions.insert(number, partition);
            }
        }
        Ok(Self {
            disk_id: header.disk_id,
            sector_size,
            first_usable: header.first_usable,
            last_usable: header.last_usable,
            partitions,
            entry_count: header.entry_count.max(ENTRY_COUNT),
        })
    }

    fn entries_sectors(&self) -> u64 {
        (u64::from(self.entry_count) * u64::from(ENTRY))
            .div_ceil(u64::from(self.sector_size.max(1)))
    }

    /// Grows or shrinks the usable range to a disk of `sectors` sectors. After an image was written
    /// to a larger disk, the backup must move to the new end.
    pub fn fit(&mut self, sectors: u64) -> Result<(), GptError> {
        let last = sectors
            .checked_sub(self.entries_sectors() + 2)
            .filter(|last| *last >= self.first_usable)
            .ok_or(GptError::DiskTooSmall)?;
        if let Some((number, _)) = self.partitions.iter().find(|(_, found)| found.last > last) {
            return Err(GptError::DoesNotFit(*number));
        }
        self.last_usable = last;
        Ok(())
    }

    /// Unallocated ranges, as first and last sector.
    pub fn free(&self) -> Vec<(u64, u64)> {
        let mut taken: Vec<_> = self
            .partitions
            .values()
            .map(|found| (found.first, found.last))
            .collect();
        taken.sort_unstable();
        let mut free = Vec::new();
        let mut next = self.first_usable;
        for (first, last) in taken {
            if first > next {
                free.push((next, first - 1));
            }
            next = next.max(last.saturating_add(1));
        }
        if next <= self.last_usable {
            free.push((next, self.last_usable));
        }
        free
    }

    fn free_number(&self) -> Result<u32, GptError> {
        (1..=self.entry_count)
            .find(|number| !self.partitions.contains_key(number))
            .ok_or(GptError::Full)
    }

    /// Adds a partition in the first free range that has room; `align` is in sectors. Returns its
    /// number.
    pub fn add(
        &mut self,
        kind: Guid,
        id: Guid,
        name: &str,
        sectors: u64,
        align: u64,
    ) -> Result<u32, GptError> {
        let place = self.free().into_iter().find_map(|(first, last)| {
            let first = first.checked_next_multiple_of(align.max(1))?;
            let end = first.checked_add(sectors.checked_sub(1)?)?;
            (end <= last).then_some((first, end))
        });
        self.put(kind, id, name, place.ok_or(GptError::NoRoom(sectors))?)
    }

    /// Adds a partition as close to the end of the disk as possible. Returns its number.
    pub fn add_last(
        &mut self,
        kind: Guid,
        id: Guid,
        name: &str,
        sectors: u64,
        align: u64,
    ) -> Result<u32, GptError> {
        let place = self.free().into_iter().rev().find_map(|(first, last)| {
            let start = last.checked_add(1)?.checked_sub(sectors)?;
            let start = start - start % align.max(1);
            (sectors > 0 && start >= first).then_some((start, start + sectors - 1))
        });
        self.put(kind, id, name, place.ok_or(GptError::NoRoom(sectors))?)
    }

    fn put(
        &mut self,
        kind: Guid,
        id: Guid,
        name: &str,
        (first, last): (u64, u64),
    ) -> Result<u32, GptError> {
        let number = self.free_number()?;
        let partition = Partition {
            kind,
            id,
            first,
            last,
            attributes: 0,
            name: name.to_owned(),
        };
        self.partitions.insert(number, partition);
        Ok(number)
    }

    /// Encodes the protective MBR, the header and its entries, and the backup at the end of the
    /// disk. The size of the disk is that of the last [`Gpt::fit`].
    pub fn encode(&self) -> Vec<SectorWrite> {
        let sectors = self.last_usable + self.entries_sectors() + 2;
        let entries = self.encode_entries();
        let header = |own: u64, other: u64, entries_sector: u64| {
            let mut bytes = vec![0; usize::try_from(self.sector_size).unwrap_or(HEADER)];
            put(&mut bytes, 0, &SIGNATURE);
            put(&mut bytes, 8, &REVISION.to_le_bytes());
            put(&mut bytes, 12, &92u32.to_le_bytes());
            put(&mut bytes, 24, &own.to_le_bytes());
            put(&mut bytes, 32, &other.to_le_bytes());
            put(&mut bytes, 40, &self.first_usable.to_le_bytes());
            put(&mut bytes, 48, &self.last_usable.to_le_bytes());
            put(&mut bytes, 56, &self.disk_id.0);
            put(&mut bytes, 72, &entries_sector.to_le_bytes());
            put(&mut bytes, 80, &self.entry_count.to_le_bytes());
            put(&mut bytes, 84, &ENTRY.to_le_bytes());
            put(&mut bytes, 88, &crc32(&entries).to_le_bytes());
            let crc = crc32(&bytes[..HEADER]);
            put(&mut bytes, 16, &crc.to_le_bytes());
            bytes
        };
        let last = sectors - 1;
        let mut front = Mbr::protective(sectors).encode().to_vec();
        front.resize(usize::try_from(self.sector_size).unwrap_or(512), 0);
        vec![
            SectorWrite {
                sector: 0,
                bytes: front,
            },
            SectorWrite {
                sector: 1,
                bytes: header(1, last, 2),
            },
            SectorWrite {
                sector: 2,
                bytes: entries.clone(),
            },
            SectorWrite {
                sector: last - self.entries_sectors(),
                bytes: entries.clone(),
            },
            SectorWrite {
                sector: last,
                bytes: header(last, 1, last - self.entries_sectors()),
            },
        ]
    }

    fn encode_entries(&self) -> Vec<u8> {
        let size = usize::try_from(ENTRY).unwrap_or(128);
        let count = usize::try_from(self.entry_count).unwrap_or(128);
        let mut bytes = vec![0; size * count];
        for (number, partition) in &self.partitions {
            let index = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
            put(&mut bytes, index.saturating_mul(size), &partition.encode());
        }
        bytes
    }
}

impl Partition {
    /// Its length in sectors.
    pub fn sectors(&self) -> u64 {
        self.last - self.first + 1
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        // The zero type GUID marks an unused entry.
        let kind = Guid(array(bytes, 0)?);
        if kind == Guid::default() {
            return None;
        }
        let units = (0..NAME_UNITS)
            .filter_map(|index| le16(bytes, 56 + index * 2))
            .take_while(|unit| *unit != 0);
        Some(Self {
            kind,
            id: Guid(array(bytes, 16)?),
            first: le64(bytes, 32)?,
            last: le64(bytes, 40)?,
            attributes: le64(bytes, 48)?,
            name: char::decode_utf16(units)
                .map(|c| c.unwrap_or('\u{fffd}'))
                .collect(),
        })
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; 128];
        put(&mut bytes, 0, &self.kind.0);
        put(&mut bytes, 16, &self.id.0);
        put(&mut bytes, 32, &self.first.to_le_bytes());
        put(&mut bytes, 40, &self.last.to_le_bytes());
        put(&mut bytes, 48, &self.attributes.to_le_bytes());
        for (index, unit) in self.name.encode_utf16().take(NAME_UNITS).enumerate() {
            put(&mut bytes, 56 + index * 2, &unit.to_le_bytes());
        }
        bytes
    }
}

/// CRC-32 with the polynomial of Ethernet and zip, which UEFI uses for GPT.
pub fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let (mut index, mut start) = (0, 0u32);
        while index < 256 {
            let mut value = start;
            let mut bit = 0;
            while bit < 8 {
                let odd = value & 1 == 1;
                value = if odd {
                    value >> 1 ^ 0xedb8_8320
                } else {
                    value >> 1
                };
                bit += 1;
            }
            table[index] = value;
            index += 1;
            start += 1;
        }
        table
    };
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        let index = (crc ^ u32::from(*byte)) & 0xff;
        crc >> 8 ^ TABLE.get(index as usize).copied().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests;
