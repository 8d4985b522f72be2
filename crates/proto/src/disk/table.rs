//! The partitions of a disk, read through whatever holds its bytes.
//!
//! Disks are untrusted input: the number of logical partitions that are followed is limited, and a
//! table that tells of more sectors than can be counted in bytes is refused.

use super::{
    gpt::{Gpt, GptError, GptHeader, Guid, Partition, kind},
    mbr::{Mbr, MbrPartition},
};
use crate::fat::ReadAt;
use std::io;

/// Partition types of an MBR that hold further partitions.
const EXTENDED: [u8; 3] = [0x05, 0x0f, 0x85];
const EFI_SYSTEM: u8 = 0xef;
/// The most logical partitions that are followed.
const MOST_LOGICAL: u32 = 60;
/// The attribute "legacy BIOS bootable" (UEFI 2.10 §5.3.3).
const LEGACY_BOOT: u64 = 4;

/// A partition, whatever the kind of table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionEntry {
    pub number: u32,
    /// In bytes, both.
    pub offset: u64,
    pub length: u64,
    pub is_efi: bool,
    pub kind: PartitionType,
    /// The id of the partition, as the kernel writes it.
    pub id: String,
    pub bootable: bool,
}

/// What a partition is said to be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionType {
    Gpt(Guid),
    Msdos(u8),
}

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Gpt(#[from] GptError),
}

/// The GPT of a disk of `size` bytes; of its two copies the first good one counts.
pub fn gpt(size: u64, sector_size: u32, read: ReadAt<'_>) -> Result<Gpt, ReadError> {
    let last = (size / u64::from(sector_size.max(1))).saturating_sub(1);
    gpt_at(1, sector_size, read).or_else(|error| gpt_at(last, sector_size, read).map_err(|_| error))
}

fn gpt_at(sector: u64, sector_size: u32, read: ReadAt<'_>) -> Result<Gpt, ReadError> {
    let size = u64::from(sector_size);
    let header = read(
        sector.saturating_mul(size),
        usize::try_from(size).unwrap_or(512),
    )?;
    let header = GptHeader::decode(&header)?;
    let bytes = |sectors: u64| sectors.checked_mul(size).ok_or(GptError::Truncated);
    // No disk is so large that the bytes of its sectors could not be counted.
    header
        .last_usable
        .checked_add(1)
        .ok_or(GptError::Truncated)
        .and_then(bytes)?;
    let from = bytes(header.entries_sector)?;
    let entries = read(from, header.entries_bytes())?;
    Ok(Gpt::decode(&header, &entries, sector_size)?)
}

/// The partitions of a GPT by number.
pub fn gpt_entries(gpt: &Gpt) -> Vec<PartitionEntry> {
    let size = u64::from(gpt.sector_size);
    let entry = |(number, found): (&u32, &Partition)| PartitionEntry {
        number: *number,
        offset: found.first.saturating_mul(size),
        length: found.sectors().saturating_mul(size),
        is_efi: found.kind == kind::EFI_SYSTEM,
        kind: PartitionType::Gpt(found.kind),
        id: found.id.to_string(),
        bootable: found.attributes & LEGACY_BOOT != 0,
    };
    gpt.partitions.iter().map(entry).collect()
}

/// The partitions of an MBR by number, logical ones from 5 on.
pub fn mbr_entries(mbr: &Mbr, sector_size: u32, read: ReadAt<'_>) -> Vec<PartitionEntry> {
    let size = u64::from(sector_size);
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
    // Each logical partition has a table with itself and the way to the next.
    let base = extended.unwrap_or(0);
    let mut next = extended;
    for number in 5..5 + MOST_LOGICAL {
        let Some(at) = next.take() else { break };
        let table = read(at, 512).ok().and_then(|s| Mbr::decode(&s).ok());
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
