//! Reading discs: the files of a config drive, to put them into another filesystem.
//!
//! Names come from Joliet where a disc has it, else from Rock Ridge, else they are the short ones.
//! Discs are untrusted input: extents beyond the end are ignored, and depth, number of files and the
//! bytes of all of them together have limits, as many records may point to one extent. Files in
//! several extents are not supported.

use crate::field::{be32, le16, le32};
use std::collections::BTreeMap;

const SECTOR: usize = 2048;
/// ECMA-119 §6.2.1.
const FIRST_DESCRIPTOR: usize = 16;
const MOST_DESCRIPTORS: usize = 32;
const DEEPEST: usize = 16;
const MOST_FILES: usize = 10_000;
/// What all folders, files and paths of a disc may have together. No config drive is larger.
const MOST_BYTES: usize = 64 << 20;
/// A bit of the file flags (ECMA-119 §9.1.6).
const FOLDER: u8 = 2;

/// Why a disc cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiscError {
    #[error("this is no ISO 9660 disc")]
    NotADisc,
    #[error("the disc has too many files: more than {MOST_FILES}")]
    TooMany,
    #[error(
        "the files of the disc are too large: together they have more than {} MiB",
        MOST_BYTES >> 20
    )]
    TooLarge,
}

/// The files of a disc by path, with names separated by `/`.
pub fn files(disc: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, DiscError> {
    let mut primary = None;
    let mut joliet = None;
    for index in FIRST_DESCRIPTOR..FIRST_DESCRIPTOR + MOST_DESCRIPTORS {
        let descriptor = disc
            .get(index * SECTOR..(index + 1) * SECTOR)
            .filter(|found| found.get(1..6) == Some(b"CD001"));
        let Some(descriptor) = descriptor else { break };
        // The escape sequences of Joliet's three UCS-2 levels (ECMA-119 §8.5.6).
        let unicode = matches!(descriptor.get(88..91), Some(b"%/@" | b"%/C" | b"%/E"));
        match descriptor[0] {
            1 if primary.is_none() => primary = Some(descriptor),
            2 if unicode && joliet.is_none() => joliet = Some(descriptor),
            255 => break,
            _ => {}
        }
    }
    let descriptor = joliet.or(primary).ok_or(DiscError::NotADisc)?;
    let root = descriptor.get(156..190).ok_or(DiscError::NotADisc)?;
    let mut found = BTreeMap::new();
    let mut count = 0;
    let mut room = Room(MOST_BYTES);
    let mut folders = vec![(String::new(), extent(disc, root), 0)];
    while let Some((path, bytes, depth)) = folders.pop() {
        room.take(bytes.unwrap_or_default().len())?;
        for record in records(bytes.unwrap_or_default()) {
            let Some(name) = name(record, joliet.is_some()) else {
                continue;
            };
            count += 1;
            if count > MOST_FILES {
                return Err(DiscError::TooMany);
            }
            let within = format!("{path}{name}");
            room.take(within.len())?;
            let content = extent(disc, record);
            if record.get(25).copied().unwrap_or(0) & FOLDER == 0 {
                let content = content.unwrap_or_default();
                room.take(content.len())?;
                found.insert(within, content.to_vec());
            } else if depth < DEEPEST {
                folders.push((format!("{within}/"), content, depth + 1));
            }
        }
    }
    Ok(found)
}

/// How many bytes may still be read.
struct Room(usize);

impl Room {
    fn take(&mut self, bytes: usize) -> Result<(), DiscError> {
        self.0 = self.0.checked_sub(bytes).ok_or(DiscError::TooLarge)?;
        Ok(())
    }
}

/// The extent that a record points to (ECMA-119 §9.1.3, §9.1.4).
fn extent<'d>(disc: &'d [u8], record: &[u8]) -> Option<&'d [u8]> {
    let start = usize::try_from(le32(record, 2)?)
        .ok()?
        .checked_mul(SECTOR)?;
    let length = usize::try_from(le32(record, 10)?).ok()?;
    // Both-byte order: a record whose two values differ is damaged.
    if be32(record, 6)? != le32(record, 2)? {
        return None;
    }
    disc.get(start..start.checked_add(length)?)
}

/// The records of a folder. No record crosses a sector; a zero length means that the rest of the
/// sector is unused (ECMA-119 §6.8.1.1).
fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.chunks(SECTOR).flat_map(|sector| {
        let mut rest = sector;
        std::iter::from_fn(move || {
            let length = usize::from(*rest.first()?);
            if length < 34 {
                return None;
            }
            let record = rest.get(..length)?;
            rest = &rest[length..];
            Some(record)
        })
    })
}

/// The name of a record; `None` for `.` and `..`, which are the bytes 0 and 1 (ECMA-119 §6.8.2.2).
fn name(record: &[u8], unicode: bool) -> Option<String> {
    let length = usize::from(*record.get(32)?);
    let bytes = record.get(33..33 + length)?;
    if matches!(bytes, [0] | [1]) {
        return None;
    }
    let name: String = if unicode {
        let units = bytes
            .chunks_exact(2)
            .map(|p| u16::from_be_bytes([p[0], p[1]]));
        char::decode_utf16(units)
            .map(|c| c.unwrap_or('\u{fffd}'))
            .collect()
    } else if let Some(long) = rock_ridge(record, length) {
        return usable(long);
    } else {
        bytes.iter().map(|b| char::from(*b)).collect()
    };
    // `;1` is the version. A name without an extension still has the dot (ECMA-119 §7.5.1).
    let name = name.split(';').next().unwrap_or_default();
    usable(name.trim_end_matches('.').to_owned())
}

fn usable(name: String) -> Option<String> {
    let bad = name.is_empty() || name.contains(['/', '\0']) || matches!(&*name, "." | "..");
    (!bad).then_some(name)
}

/// The Rock Ridge name, in one or more NM entries after the short name (RRIP §4.1.4).
fn rock_ridge(record: &[u8], name_length: usize) -> Option<String> {
    let mut rest = record.get((33 + name_length).next_multiple_of(2)..)?;
    let mut name = Vec::new();
    while let [a, b, length, ..] = rest {
        let entry = rest.get(..usize::from(*length)).filter(|e| e.len() >= 4)?;
        if [*a, *b] == *b"NM" {
            name.extend_from_slice(entry.get(5..)?);
        }
        rest = &rest[entry.len()..];
    }
    (!name.is_empty()).then(|| String::from_utf8_lossy(&name).into_owned())
}

/// Whether the bytes start with a disc whose sectors have 2,048 bytes.
pub fn is_disc(bytes: &[u8]) -> bool {
    let at = FIRST_DESCRIPTOR * SECTOR;
    bytes.get(at + 1..at + 6) == Some(b"CD001") && le16(bytes, at + 128) == Some(2048)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        iso9660::Disc,
        volume::{Content, Segment, Tree},
    };
    use proptest::prelude::*;

    fn disc() -> Vec<u8> {
        let mut tree = Tree::new();
        for path in [
            "openstack/latest/meta_data.json",
            "openstack/2012-08-10/user_data",
            "A file with ünïcode",
        ] {
            tree.add(path, Content::Bytes(path.as_bytes().repeat(300)))
                .unwrap();
        }
        disc_of(&tree)
    }

    fn disc_of(tree: &Tree) -> Vec<u8> {
        let disc = Disc {
            label: "config-2".to_owned(),
            ..Disc::default()
        };
        let mut bytes = Vec::new();
        for segment in disc.layout(tree).unwrap().segments() {
            match segment {
                Segment::Bytes(part) => bytes.extend(part),
                other => {
                    bytes.resize(bytes.len() + usize::try_from(other.length()).unwrap(), 0);
                }
            }
        }
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = disc();
        assert!(is_disc(&bytes) && !is_disc(&bytes[1..]));
        let found = files(&bytes).unwrap();
        assert_eq!(found.len(), 3);
        for (path, content) in found {
            assert_eq!(content, path.as_bytes().repeat(300));
        }
        assert_eq!(files(&[0; 100_000]), Err(DiscError::NotADisc));
    }

    /// Makes all records of the Joliet tree that have one flag point to one extent.
    fn aim(disc: &mut [u8], flag: u8, sector: u32, length: u32) {
        let joliet = disc
            .chunks(SECTOR)
            .position(|part| part.starts_with(b"\x02CD001"))
            .unwrap();
        let root = le32(disc, joliet * SECTOR + 158).unwrap();
        let root = usize::try_from(root).unwrap() * SECTOR;
        let mut at = root;
        while disc[at] != 0 {
            if disc[at + 32] > 1 && disc[at + 25] == flag {
                disc[at + 2..at + 6].copy_from_slice(&sector.to_le_bytes());
                disc[at + 6..at + 10].copy_from_slice(&sector.to_be_bytes());
                disc[at + 10..at + 14].copy_from_slice(&length.to_le_bytes());
            }
            at += usize::from(disc[at]);
        }
    }

    #[test]
    fn records_that_share_an_extent_are_counted_each() {
        let mut tree = Tree::new();
        for number in 0..20 {
            let content = Content::Bytes(vec![number]);
            tree.add(&format!("{number}"), content).unwrap();
        }
        let mut bytes = disc_of(&tree);
        bytes.resize(5 << 20, 7);
        aim(&mut bytes, 0, 1024, 3 << 20);
        assert_eq!(files(&bytes).unwrap().len(), 20);
        aim(&mut bytes, 0, 0, 4 << 20);
        assert_eq!(files(&bytes), Err(DiscError::TooLarge));
    }

    #[test]
    fn folders_that_share_an_extent_are_counted_each() {
        let mut tree = Tree::new();
        for number in 0..20 {
            tree.add(&format!("{number}/a"), Content::Bytes(Vec::new()))
                .unwrap();
        }
        let mut bytes = disc_of(&tree);
        // Zeros: folders without a record, so that no file is counted.
        bytes.resize(5 << 20, 0);
        aim(&mut bytes, FOLDER, 512, 4 << 20);
        assert_eq!(files(&bytes), Err(DiscError::TooLarge));
    }

    proptest! {
        #[test]
        fn broken_discs_end(
            changes in proptest::collection::vec((32_768usize..80_000, any::<u8>()), 1..40),
        ) {
            let mut bytes = disc();
            for (at, byte) in changes {
                if let Some(place) = bytes.get_mut(at) {
                    *place = byte;
                }
            }
            let _ = files(&bytes);
        }
    }
}
