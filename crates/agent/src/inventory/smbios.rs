//! The firmware's tables about the machine (SMBIOS 3.7).
//!
//! The kernel hands them out as the firmware wrote them, so every length is checked; a table that
//! is cut or wrong ends the list there.

use std::{fs, path::Path};

const END: u8 = 127;
const HEADER: usize = 4;

/// Types of structures that are read here.
pub(super) mod kind {
    pub(in super::super) const BIOS: u8 = 0;
    pub(in super::super) const PROCESSOR: u8 = 4;
    pub(in super::super) const MEMORY_ARRAY: u8 = 16;
    pub(in super::super) const MEMORY_DEVICE: u8 = 17;
}

/// One structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Structure {
    pub(super) kind: u8,
    pub(super) handle: u16,
    /// With its header, so that offsets are the standard's.
    pub(super) data: Vec<u8>,
    strings: Vec<String>,
}

impl Structure {
    pub(super) fn u8(&self, at: usize) -> Option<u8> {
        self.data.get(at).copied()
    }

    pub(super) fn u16(&self, at: usize) -> Option<u16> {
        let bytes = self.data.get(at..)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }

    pub(super) fn u32(&self, at: usize) -> Option<u32> {
        let bytes = self.data.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    pub(super) fn u64(&self, at: usize) -> Option<u64> {
        let bytes = self.data.get(at..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    }

    /// The string whose number stands there.
    pub(super) fn text(&self, at: usize) -> Option<&str> {
        let number = usize::from(self.u8(at)?);
        let text = self.strings.get(number.checked_sub(1)?)?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// Bytes of memory in this slot; `None` if it is empty or unknown.
    pub(super) fn memory_bytes(&self) -> Option<u64> {
        match self.u16(0x0c)? {
            0 | 0xffff => None,
            0x7fff => Some(u64::from(self.u32(0x1c)? & 0x7fff_ffff) << 20),
            size if size & 0x8000 != 0 => Some(u64::from(size & 0x7fff) << 10),
            size => Some(u64::from(size) << 20),
        }
    }
}

/// All structures, in the firmware's order.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables(Vec<Structure>);

impl Tables {
    pub(super) fn read(root: &Path) -> Self {
        let bytes = fs::read(root.join("sys/firmware/dmi/tables/DMI"));
        Self::parse(&bytes.unwrap_or_default())
    }

    pub(super) fn parse(mut bytes: &[u8]) -> Self {
        let mut all = Vec::new();
        while let Some((structure, rest)) = structure(bytes) {
            let last = structure.kind == END;
            all.push(structure);
            if last {
                break;
            }
            bytes = rest;
        }
        Self(all)
    }

    pub(super) fn of_kind(&self, kind: u8) -> impl Iterator<Item = &Structure> {
        self.0
            .iter()
            .filter(move |structure| structure.kind == kind)
    }

    /// What is in all slots together; `None` if no slot is known.
    pub(super) fn memory_mb(&self) -> Option<u64> {
        let bytes: u64 = self
            .of_kind(kind::MEMORY_DEVICE)
            .filter_map(Structure::memory_bytes)
            .sum();
        (bytes > 0).then_some(bytes >> 20)
    }

    pub(super) fn processor_name(&self) -> Option<String> {
        let mut all = self.of_kind(kind::PROCESSOR);
        all.find_map(|processor| processor.text(0x10).map(str::to_owned))
    }
}

/// The first structure, and what follows it.
fn structure(bytes: &[u8]) -> Option<(Structure, &[u8])> {
    let length = usize::from(*bytes.get(1)?);
    let data = bytes.get(..length).filter(|_| length >= HEADER)?;
    let mut rest = bytes.get(length..)?;
    let mut strings = Vec::new();
    // Strings end in a zero each, and one more ends them; without strings there are two zeros.
    loop {
        let end = rest.iter().position(|byte| *byte == 0)?;
        let text = rest.get(..end)?;
        rest = rest.get(end + 1..)?;
        if text.is_empty() {
            if strings.is_empty() && rest.first() == Some(&0) {
                rest = rest.get(1..)?;
            }
            break;
        }
        strings.push(String::from_utf8_lossy(text).into_owned());
    }
    let structure = Structure {
        kind: data[0],
        handle: u16::from_le_bytes([data[2], data[3]]),
        data: data.to_vec(),
        strings,
    };
    Some((structure, rest))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A structure as firmware writes it; `fields` follow the header.
    pub(in super::super) fn encode(kind: u8, fields: &[u8], strings: &[&str]) -> Vec<u8> {
        let length = u8::try_from(HEADER + fields.len()).unwrap();
        let mut bytes = vec![kind, length, kind, 0x10];
        bytes.extend(fields);
        for text in strings {
            bytes.extend(text.as_bytes());
            bytes.push(0);
        }
        bytes.extend(if strings.is_empty() {
            &[0, 0][..]
        } else {
            &[0]
        });
        bytes
    }

    /// A slot with this many megabytes.
    pub(in super::super) fn slot(size: u16, extended: u32) -> Vec<u8> {
        let mut fields = vec![0; 0x24];
        fields[8..10].copy_from_slice(&size.to_le_bytes());
        fields[0x18..0x1c].copy_from_slice(&extended.to_le_bytes());
        fields[0x0c] = 1;
        encode(kind::MEMORY_DEVICE, &fields, &["DIMM 0"])
    }

    #[test]
    fn memory_is_what_is_in_all_slots() {
        let bytes = [
            slot(4096, 0),
            slot(0, 0),
            slot(0xffff, 0),
            slot(0x7fff, 65536),
            slot(0x8000 | 2048, 0),
            encode(END, &[], &[]),
            slot(4096, 0),
        ]
        .concat();
        let tables = Tables::parse(&bytes);
        assert_eq!(tables.memory_mb(), Some(4096 + 65536 + 2));
        let first = tables.of_kind(kind::MEMORY_DEVICE).next().unwrap();
        assert_eq!((first.handle, first.text(0x10)), (0x1011, Some("DIMM 0")));
        assert_eq!(Tables::parse(&[]).memory_mb(), None);
    }

    #[test]
    fn a_cut_table_gives_what_was_whole() {
        let bytes = [slot(1024, 0), slot(1024, 0)].concat();
        let cut = Tables::parse(&bytes[..bytes.len() - 3]);
        assert_eq!(cut.memory_mb(), Some(1024));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let tables = Tables::parse(&bytes);
            let _ = (tables.memory_mb(), tables.processor_name());
        }
    }
}
