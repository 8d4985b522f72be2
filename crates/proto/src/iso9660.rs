//! Discs: ISO 9660 (ECMA-119) with long names (Rock Ridge and Joliet), bootable by BIOS and UEFI
//! (El Torito).
//!
//! Makes config drives and images for virtual media. Everything is laid out first, then returned in
//! the order of the image; the same tree gives the same bytes. Files of 4 GiB and more and
//! multi-session discs are left out. [`reader`] reads the files of a disc.

mod boot;
pub mod catalog;
mod folder;
mod name;
pub mod reader;

use crate::{
    field::put,
    volume::{Segment, Stamp, Tree, VolumeError},
};
use folder::Folders;

pub(crate) const SECTOR: usize = 2048;
/// The sector of the primary volume descriptor, after the system area (ECMA-119 §6.2.1).
const FIRST_DESCRIPTOR: u32 = 16;

/// The parameters of a disc: its label, and what boots from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disc {
    /// At most 32 characters of ASCII.
    pub label: String,
    pub publisher: String,
    pub stamp: Stamp,
    /// The path of the file that a BIOS starts. It gets isolinux's boot information table, so its
    /// content must be [`crate::volume::Content::Bytes`].
    pub bios: Option<String>,
    /// The path of the file that is the image of an EFI system partition.
    pub efi: Option<String>,
}

/// The layout of a disc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    segments: Vec<Segment>,
}

impl Layout {
    /// The parts of the image, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The size of the image in bytes.
    pub fn length(&self) -> u64 {
        self.segments.iter().map(Segment::length).sum()
    }
}

/// One of the two directory trees, which describe the same files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Short names in capitals, with the real names in Rock Ridge entries.
    Plain,
    Joliet,
}

impl Disc {
    /// Lays a tree out.
    pub fn layout(&self, tree: &Tree) -> Result<Layout, VolumeError> {
        let fits =
            self.label.len() <= 32 && self.label.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if !fits {
            return Err(VolumeError::Label(self.label.clone()));
        }
        let bootable = self.bios.is_some() || self.efi.is_some();
        let mut plain = Folders::of(tree, Names::Plain);
        let mut joliet = Folders::of(tree, Names::Joliet);
        // Descriptors: primary, boot, Joliet, end; then path tables, folders, the boot catalog.
        let mut next = FIRST_DESCRIPTOR + 3 + u32::from(bootable);
        plain.place_tables(&mut next)?;
        joliet.place_tables(&mut next)?;
        plain.place_folders(&mut next)?;
        joliet.place_folders(&mut next)?;
        let catalog = next;
        next += u32::from(bootable);
        plain.place_files(&mut next)?;
        joliet.same_files(&plain);
        let total = next;

        let place = |path: &str| {
            let found = plain.files().iter().find(|placed| placed.file.path == path);
            found.ok_or_else(|| VolumeError::Boot(path.to_owned()))
        };
        let mut entries = Vec::new();
        if let Some(path) = &self.bios {
            entries.push(boot::BootEntry::bios(place(path)?.sector));
        }
        if let Some(path) = &self.efi {
            let found = place(path)?;
            entries.push(boot::BootEntry::efi(
                found.sector,
                found.file.content.length(),
            ));
        }

        let mut head = vec![0; SECTOR * usize::try_from(FIRST_DESCRIPTOR).unwrap_or(16)];
        head.extend(self.descriptor(Names::Plain, total, &plain));
        if bootable {
            head.extend(boot::record(catalog));
        }
        head.extend(self.descriptor(Names::Joliet, total, &joliet));
        head.extend(terminator());
        for folders in [&plain, &joliet] {
            head.extend(folders.path_table(u32::to_le_bytes, u16::to_le_bytes));
            head.extend(folders.path_table(u32::to_be_bytes, u16::to_be_bytes));
        }
        head.extend(plain.records(self.stamp));
        head.extend(joliet.records(self.stamp));
        if bootable {
            head.extend(boot::catalog(&entries));
        }
        let mut segments = vec![Segment::Bytes(head)];
        for placed in plain.files() {
            let length = placed.file.content.length();
            let padding = length.next_multiple_of(SECTOR as u64) - length;
            if self.bios.as_deref() == Some(placed.file.path) {
                segments.push(boot::told_its_place(placed, FIRST_DESCRIPTOR)?);
            } else if length > 0 {
                segments.push(placed.file.segment());
            }
            if padding > 0 {
                segments.push(Segment::Zeros(padding));
            }
        }
        Ok(Layout { segments })
    }

    /// The primary descriptor, or the supplementary one that Joliet is (ECMA-119 §8.4, §8.5).
    fn descriptor(&self, names: Names, sectors: u32, folders: &Folders<'_>) -> Vec<u8> {
        let tables = folders.tables();
        let mut bytes = vec![0; SECTOR];
        let text = |length: usize, value: &str| names.padded(value, length);
        bytes[0] = if names == Names::Plain { 1 } else { 2 };
        put(&mut bytes, 1, b"CD001\x01");
        put(&mut bytes, 8, &text(32, "LINUX"));
        put(&mut bytes, 40, &text(32, &self.label));
        put(&mut bytes, 80, &both32(sectors));
        // The escape sequence of Joliet level 3 (UCS-2; ECMA-119 §8.5.6).
        if names == Names::Joliet {
            put(&mut bytes, 88, b"%/E");
        }
        put(&mut bytes, 120, &both16(1));
        put(&mut bytes, 124, &both16(1));
        put(&mut bytes, 128, &both16(2048));
        put(&mut bytes, 132, &both32(tables.bytes));
        put(&mut bytes, 140, &tables.little.to_le_bytes());
        put(&mut bytes, 148, &tables.big.to_be_bytes());
        put(&mut bytes, 156, &folders.root_record(self.stamp));
        put(&mut bytes, 190, &text(128, ""));
        put(&mut bytes, 318, &text(128, &self.publisher));
        put(&mut bytes, 446, &text(128, ""));
        put(&mut bytes, 574, &text(128, "CORTEN"));
        put(&mut bytes, 702, &text(111, ""));
        for at in [813, 830] {
            put(&mut bytes, at, &long_stamp(self.stamp));
        }
        for at in [847, 864] {
            put(&mut bytes, at, b"0000000000000000\0");
        }
        bytes[881] = 1;
        bytes
    }
}

impl Names {
    /// A text of a descriptor, padded with blanks.
    fn padded(self, text: &str, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = match self {
            Self::Plain => text.bytes().take(length).collect(),
            Self::Joliet => text
                .encode_utf16()
                .take(length / 2)
                .flat_map(u16::to_be_bytes)
                .collect(),
        };
        while bytes.len() < length {
            match self {
                Self::Plain => bytes.push(b' '),
                Self::Joliet if bytes.len() + 1 < length => bytes.extend([0, b' ']),
                Self::Joliet => bytes.push(0),
            }
        }
        bytes
    }
}

/// What ends the descriptors (ECMA-119 §8.3).
fn terminator() -> Vec<u8> {
    let mut bytes = vec![0; SECTOR];
    put(&mut bytes, 0, b"\xffCD001\x01");
    bytes
}

/// Both-byte order: little-endian, then big-endian (ECMA-119 §7.2.3).
fn both16(value: u16) -> [u8; 4] {
    let (little, big) = (value.to_le_bytes(), value.to_be_bytes());
    [little[0], little[1], big[0], big[1]]
}

/// The same for 32 bits (ECMA-119 §7.3.3).
fn both32(value: u32) -> [u8; 8] {
    let mut bytes = [0; 8];
    put(&mut bytes, 0, &value.to_le_bytes());
    put(&mut bytes, 4, &value.to_be_bytes());
    bytes
}

/// A time in a descriptor: digits and, in steps of a quarter of an hour, the zone (ECMA-119 §8.4.26.1).
fn long_stamp(stamp: Stamp) -> Vec<u8> {
    let mut text = format!(
        "{:04}{:02}{:02}{:02}{:02}{:02}00",
        stamp.year, stamp.month, stamp.day, stamp.hour, stamp.minute, stamp.second
    )
    .into_bytes();
    text.push(0);
    text
}

#[cfg(test)]
mod tests;
