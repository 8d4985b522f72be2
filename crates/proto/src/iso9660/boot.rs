//! El Torito: the boot catalog, which tells firmware what to start from a disc.
//!
//! Entries are of the "no emulation" kind: a BIOS loads the first sectors of the file and runs
//! them, UEFI treats the file as an EFI system partition.

use super::{SECTOR, folder::PlacedFile};
use crate::{
    field::{le32, put},
    volume::{Content, Segment, VolumeError},
};

pub(super) const PLATFORM_PC: u8 = 0;
pub(super) const PLATFORM_EFI: u8 = 0xef;
/// How many sectors of 512 bytes a BIOS loads; isolinux loads the rest of itself.
const BIOS_LOAD: u16 = 4;

pub(super) struct BootEntry {
    platform: u8,
    sector: u32,
    load: u16,
}

impl BootEntry {
    pub(super) fn bios(sector: u32) -> Self {
        Self {
            platform: PLATFORM_PC,
            sector,
            load: BIOS_LOAD,
        }
    }

    /// The sector count has 16 bits. For a larger partition it is 0, which UEFI takes for "up to
    /// the end of the disc".
    pub(super) fn efi(sector: u32, length: u64) -> Self {
        let load = u16::try_from(length.div_ceil(512)).unwrap_or(0);
        Self {
            platform: PLATFORM_EFI,
            sector,
            load,
        }
    }

    fn encode(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes[0] = 0x88;
        put(&mut bytes, 6, &self.load.to_le_bytes());
        put(&mut bytes, 8, &self.sector.to_le_bytes());
        bytes
    }
}

/// The boot record volume descriptor, which points to the catalog (El Torito 1.0, figure 7; ECMA-119
/// §8.2).
pub(super) fn record(catalog: u32) -> Vec<u8> {
    let mut bytes = vec![0; SECTOR];
    put(&mut bytes, 0, b"\0CD001\x01EL TORITO SPECIFICATION");
    put(&mut bytes, 71, &catalog.to_le_bytes());
    bytes
}

/// The boot catalog: a validation entry, the default entry, and each further entry in a section of
/// its own.
pub(super) fn catalog(entries: &[BootEntry]) -> Vec<u8> {
    let mut bytes = vec![0; 32];
    bytes[0] = 1;
    bytes[1] = entries.first().map_or(PLATFORM_PC, |entry| entry.platform);
    put(&mut bytes, 30, &[0x55, 0xaa]);
    // El Torito 1.0, figure 2: the checksum makes the sum of all 16-bit words of the validation entry
    // zero.
    let words = bytes
        .chunks(2)
        .filter_map(|word| crate::field::le16(word, 0));
    let sum = words.fold(0u16, u16::wrapping_add).wrapping_neg();
    put(&mut bytes, 28, &sum.to_le_bytes());
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            let mut section = [0; 32];
            // 0x91 marks the last section header, 0x90 the others.
            section[0] = if index + 1 == entries.len() {
                0x91
            } else {
                0x90
            };
            section[1] = entry.platform;
            section[2] = 1;
            bytes.extend(section);
        }
        bytes.extend(entry.encode());
    }
    bytes.resize(SECTOR, 0);
    bytes
}

/// The file that a BIOS starts, with isolinux's boot information table in bytes 8 to 63 (the option
/// `-boot-info-table` of mkisofs): where the file is, its length and its checksum.
pub(super) fn told_its_place(
    placed: &PlacedFile<'_>,
    descriptor: u32,
) -> Result<Segment, VolumeError> {
    let wrong = || VolumeError::Boot(placed.file.path.to_owned());
    let Content::Bytes(bytes) = placed.file.content else {
        return Err(wrong());
    };
    if bytes.len() < 64 {
        return Err(wrong());
    }
    let mut bytes = bytes.clone();
    let length = u32::try_from(bytes.len()).map_err(|_| wrong())?;
    let rest = bytes.get(64..).unwrap_or_default();
    let sum = rest.chunks(4).fold(0u32, |sum, word| {
        let mut whole = [0; 4];
        put(&mut whole, 0, word);
        sum.wrapping_add(le32(&whole, 0).unwrap_or(0))
    });
    put(&mut bytes, 8, &[0; 56]);
    put(&mut bytes, 8, &descriptor.to_le_bytes());
    put(&mut bytes, 12, &placed.sector.to_le_bytes());
    put(&mut bytes, 16, &length.to_le_bytes());
    put(&mut bytes, 20, &sum.to_le_bytes());
    Ok(Segment::Bytes(bytes))
}
