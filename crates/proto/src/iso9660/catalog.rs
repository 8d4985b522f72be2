//! What firmware would start from a disc, read from its El Torito boot catalog.
//!
//! Discs are untrusted input; a catalog has one sector here, which is what everybody writes.

use super::{SECTOR, boot::PLATFORM_EFI, boot::PLATFORM_PC};
use crate::{
    fat::ReadAt,
    field::{array, le16, le32},
};
use std::io;

/// ECMA-119 §6.2.1.
const FIRST_DESCRIPTOR: u64 = 16;
const MOST_DESCRIPTORS: u64 = 32;
const ENTRY: usize = 32;
const BOOTABLE: u8 = 0x88;

/// The firmware that an entry is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Bios,
    Uefi,
    Other(u8),
}

/// What the catalog offers to a firmware.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogEntry {
    pub platform: Platform,
    /// Where the image starts, in bytes.
    pub offset: u64,
    /// How much of it is loaded, in sectors of 512 bytes; 0 where it does not say.
    pub sectors: u16,
}

/// The bootable entries of a disc; empty if it has no catalog.
pub fn boot_entries(read: ReadAt<'_>) -> io::Result<Vec<CatalogEntry>> {
    let sector = SECTOR as u64;
    for number in FIRST_DESCRIPTOR..FIRST_DESCRIPTOR + MOST_DESCRIPTORS {
        let descriptor = read(number * sector, SECTOR)?;
        if array::<5>(&descriptor, 1) != Some(*b"CD001") || descriptor.first() == Some(&255) {
            break;
        }
        let names_catalog = descriptor.starts_with(b"\0CD001\x01EL TORITO SPECIFICATION");
        if let Some(catalog) = le32(&descriptor, 71).filter(|_| names_catalog) {
            return Ok(decode(&read(u64::from(catalog) * sector, SECTOR)?));
        }
    }
    Ok(Vec::new())
}

/// Validation entry, default entry, section headers and section entries (El Torito 1.0, figures 2 to 5).
/// The first entry belongs to the platform that the catalog starts with, the others to that of
/// their section.
fn decode(catalog: &[u8]) -> Vec<CatalogEntry> {
    let mut entries = Vec::new();
    let valid = catalog.first() == Some(&1) && le16(catalog, 30) == Some(0xaa55);
    let (chunks, _) = catalog.as_chunks::<ENTRY>();
    let Some((first, rest)) = chunks.split_first().filter(|_| valid) else {
        return entries;
    };
    let mut platform = first[1];
    for entry in rest {
        match entry[0] {
            0x90 | 0x91 => platform = entry[1],
            BOOTABLE => entries.push(CatalogEntry {
                platform: match platform {
                    PLATFORM_PC => Platform::Bios,
                    PLATFORM_EFI => Platform::Uefi,
                    other => Platform::Other(other),
                },
                offset: u64::from(le32(entry, 8).unwrap_or(0)) * SECTOR as u64,
                sectors: le16(entry, 6).unwrap_or(0),
            }),
            _ => {}
        }
    }
    entries
}
