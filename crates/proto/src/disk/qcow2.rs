//! QEMU's image format, versions 2 and 3, for a reader (`docs/interop/qcow2.rst` of QEMU).
//!
//! A guest's disk is divided into clusters; a two-level table (L1, L2) says for each where in the
//! file its bytes are, if anywhere. This module decodes the header and the tables; the caller reads
//! them from the file and copies the data. Reference counts, snapshots and bitmaps do not affect
//! the current content and are ignored. Images whose content depends on another file or on a secret
//! are refused: backing files, external data files, encryption.

pub mod writer;

use crate::field::{be32, be64};

/// The first four bytes of a file.
pub const MAGIC: [u8; 4] = *b"QFI\xfb";
/// How much of the file's start [`Header::decode`] needs: a cluster of the smallest size.
pub const HEADER_BYTES: usize = 512;

const V2_HEADER: u32 = 72;
const V3_HEADER: u32 = 104;
/// The limit of QEMU. A larger L1 table would only make the reader allocate memory.
const MAX_L1_BYTES: u64 = 32 << 20;

const FEATURE_CORRUPT: u64 = 1 << 1;
const FEATURE_DATA_FILE: u64 = 1 << 2;
const FEATURE_COMPRESSION: u64 = 1 << 3;
const FEATURE_EXTENDED_L2: u64 = 1 << 4;
/// Incompatible features: an image with others must not be opened. Bit 0 (dirty) says that
/// reference counts may be wrong, which does not affect a reader.
const FEATURES_KNOWN: u64 =
    1 | FEATURE_CORRUPT | FEATURE_DATA_FILE | FEATURE_COMPRESSION | FEATURE_EXTENDED_L2;

const EXTENSION_END: u32 = 0;
const EXTENSION_DATA_FILE: u32 = 0x4441_5441;
const EXTENSION_ENCRYPTION: u32 = 0x0537_be77;

const OFFSET_MASK: u64 = 0x00ff_ffff_ffff_fe00;
const COMPRESSED: u64 = 1 << 62;
const READS_AS_ZEROS: u64 = 1;
const SUBCLUSTERS: u64 = 32;

/// Why an image is refused or cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Qcow2Error {
    #[error("this is no qcow2 image")]
    NotQcow2,
    #[error("the qcow2 image ends within its header or tables")]
    Truncated,
    #[error("qcow2 version {0} is not supported")]
    Version(u32),
    #[error("the qcow2 image has a backing file")]
    BackingFile,
    #[error("the qcow2 image keeps its data in another file")]
    DataFile,
    #[error("the qcow2 image is encrypted")]
    Encrypted,
    #[error("the qcow2 image uses unknown features ({0:#x})")]
    Features(u64),
    #[error("the qcow2 image is marked as corrupt")]
    MarkedCorrupt,
    #[error("the qcow2 image is inconsistent: {0}")]
    Inconsistent(&'static str),
}

/// The compression of clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Raw deflate, without the header of zlib.
    Deflate,
    Zstd,
}

/// What a reader needs of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub version: u32,
    pub cluster_bits: u32,
    /// Size of the disk that the image describes.
    pub virtual_size: u64,
    pub l1_offset: u64,
    /// As many entries as the virtual size needs; the table may be longer.
    pub l1_entries: u64,
    pub compression: Compression,
    pub extended_l2: bool,
}

/// Where the bytes of a part of the disk are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataLocation {
    /// As they are, at this offset of the file.
    Plain(u64),
    /// One whole cluster, packed into at most `length` bytes at `offset`.
    Packed { offset: u64, length: u64 },
}

/// A part of the disk that has bytes in the file. Parts without bytes read as zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocatedRange {
    pub guest: u64,
    pub length: u64,
    pub location: DataLocation,
}

impl Header {
    /// Decodes the start of a file: [`HEADER_BYTES`], or all of it if it is shorter.
    pub fn decode(bytes: &[u8]) -> Result<Self, Qcow2Error> {
        if !bytes.starts_with(&MAGIC) {
            return Err(Qcow2Error::NotQcow2);
        }
        let word = |at| be32(bytes, at).ok_or(Qcow2Error::Truncated);
        let long = |at| be64(bytes, at).ok_or(Qcow2Error::Truncated);
        let version = word(4)?;
        if !(2..=3).contains(&version) {
            return Err(Qcow2Error::Version(version));
        }
        let (features, length) = if version == 3 {
            (long(72)?, word(100)?)
        } else {
            (0, V2_HEADER)
        };
        if long(8)? != 0 {
            return Err(Qcow2Error::BackingFile);
        }
        if features & FEATURE_DATA_FILE != 0 {
            return Err(Qcow2Error::DataFile);
        }
        if features & !FEATURES_KNOWN != 0 {
            return Err(Qcow2Error::Features(features & !FEATURES_KNOWN));
        }
        if features & FEATURE_CORRUPT != 0 {
            return Err(Qcow2Error::MarkedCorrupt);
        }
        if word(32)? != 0 {
            return Err(Qcow2Error::Encrypted);
        }
        if version == 3 && length < V3_HEADER {
            return Err(Qcow2Error::Inconsistent("the header is too short"));
        }
        extensions(bytes, length)?;
        let header = Self {
            version,
            cluster_bits: word(20)?,
            virtual_size: long(24)?,
            l1_offset: long(40)?,
            l1_entries: 0,
            compression: compression(bytes, features, length)?,
            extended_l2: features & FEATURE_EXTENDED_L2 != 0,
        };
        header.with_l1(word(36)?)
    }

    fn with_l1(mut self, stored: u32) -> Result<Self, Qcow2Error> {
        let smallest = if self.extended_l2 { 14 } else { 9 };
        if !(smallest..=21).contains(&self.cluster_bits) {
            return Err(Qcow2Error::Inconsistent("impossible cluster size"));
        }
        let covers = self.l2_covers();
        self.l1_entries = self.virtual_size.div_ceil(covers);
        if self.l1_entries > u64::from(stored) {
            return Err(Qcow2Error::Inconsistent("the L1 table is too short"));
        }
        if self.l1_bytes() > MAX_L1_BYTES {
            return Err(Qcow2Error::Inconsistent("the disk is too large"));
        }
        let misplaced = self.l1_offset == 0
            || self.l1_offset & !OFFSET_MASK != 0
            || !self.aligned(self.l1_offset);
        if self.l1_entries > 0 && misplaced {
            return Err(Qcow2Error::Inconsistent("misplaced L1 table"));
        }
        Ok(self)
    }

    /// The size of a cluster in bytes.
    pub fn cluster_size(&self) -> u64 {
        1 << self.cluster_bits
    }

    /// The length of the used part of the L1 table.
    pub fn l1_bytes(&self) -> u64 {
        self.l1_entries * 8
    }

    /// How much of the disk one L2 table describes.
    pub fn l2_covers(&self) -> u64 {
        (self.cluster_size() / self.l2_entry()) << self.cluster_bits
    }

    fn l2_entry(&self) -> u64 {
        if self.extended_l2 { 16 } else { 8 }
    }

    fn aligned(&self, offset: u64) -> bool {
        offset & (self.cluster_size() - 1) == 0
    }

    /// The offset of each L2 table, in the order of the disk; `None` where the table is not
    /// allocated and all reads as zeros. A table is as long as a cluster.
    pub fn l2_offsets(&self, l1: &[u8]) -> Result<Vec<Option<u64>>, Qcow2Error> {
        let entries = usize::try_from(self.l1_entries).map_err(|_| Qcow2Error::Truncated)?;
        let entry = |index| l1.get(index * 8..).unwrap_or_default();
        (0..entries)
            .map(|index| self.l2_offset(entry(index)))
            .collect()
    }

    /// The same for one entry, which is at the start of `entry`.
    pub fn l2_offset(&self, entry: &[u8]) -> Result<Option<u64>, Qcow2Error> {
        let offset = be64(entry, 0).ok_or(Qcow2Error::Truncated)? & OFFSET_MASK;
        if !self.aligned(offset) {
            return Err(Qcow2Error::Inconsistent("misplaced L2 table"));
        }
        Ok((offset != 0).then_some(offset))
    }

    /// Every part of the disk that L2 table number `index` maps to the file, in the order of the
    /// disk. Pieces that are adjacent in the file as well are merged.
    pub fn pieces(
        &self,
        index: u64,
        table: &[u8],
        each: &mut dyn FnMut(AllocatedRange),
    ) -> Result<(), Qcow2Error> {
        let mut pending: Option<AllocatedRange> = None;
        let mut give = |piece: AllocatedRange| {
            let Some(piece) = self.within_disk(piece) else {
                return;
            };
            match &mut pending {
                Some(before) if joins(before, &piece) => before.length += piece.length,
                _ => {
                    if let Some(done) = pending.replace(piece) {
                        each(done);
                    }
                }
            }
        };
        let first = index
            .checked_mul(self.l2_covers())
            .ok_or(Qcow2Error::Inconsistent("the disk is too large"))?;
        let entries = self.cluster_size() / self.l2_entry();
        for number in 0..entries {
            let guest = first.saturating_add(number << self.cluster_bits);
            if guest >= self.virtual_size {
                break;
            }
            let at = usize::try_from(number * self.l2_entry()).unwrap_or(usize::MAX);
            let entry = be64(table, at).ok_or(Qcow2Error::Truncated)?;
            if entry & COMPRESSED != 0 {
                give(self.packed(guest, entry));
            } else if self.extended_l2 {
                let bits = be64(table, at + 8).ok_or(Qcow2Error::Truncated)?;
                self.subclusters(guest, entry, bits, &mut give)?;
            // Version 2 has no zero flag: there the bit is reserved.
            } else if (entry & READS_AS_ZEROS == 0 || self.version == 2)
                && let Some(offset) = self.plain(entry)?
            {
                give(AllocatedRange {
                    guest,
                    length: self.cluster_size(),
                    location: DataLocation::Plain(offset),
                });
            }
        }
        if let Some(last) = pending {
            each(last);
        }
        Ok(())
    }

    fn plain(&self, entry: u64) -> Result<Option<u64>, Qcow2Error> {
        let offset = entry & OFFSET_MASK;
        if !self.aligned(offset) {
            return Err(Qcow2Error::Inconsistent("misplaced cluster"));
        }
        Ok((offset != 0).then_some(offset))
    }

    fn packed(&self, guest: u64, entry: u64) -> AllocatedRange {
        let bits = 62 - (self.cluster_bits - 8);
        let offset = entry & ((1 << bits) - 1);
        let sectors = (entry & (COMPRESSED - 1)) >> bits;
        // The field counts the sectors after the one that holds the first byte, so this is an upper
        // bound: the compressed data may end earlier.
        let length = (sectors + 1) * 512 - offset % 512;
        AllocatedRange {
            guest,
            length: self.cluster_size(),
            location: DataLocation::Packed { offset, length },
        }
    }

    fn subclusters(
        &self,
        guest: u64,
        entry: u64,
        bits: u64,
        give: &mut dyn FnMut(AllocatedRange),
    ) -> Result<(), Qcow2Error> {
        let (allocated, zeros) = (bits & 0xffff_ffff, bits >> 32);
        if allocated & zeros != 0 {
            return Err(Qcow2Error::Inconsistent(
                "a subcluster is both set and zero",
            ));
        }
        if allocated == 0 {
            return Ok(());
        }
        let offset = self
            .plain(entry)?
            .ok_or(Qcow2Error::Inconsistent("a subcluster without a place"))?;
        let size = self.cluster_size() / SUBCLUSTERS;
        for number in (0..SUBCLUSTERS).filter(|number| allocated >> number & 1 == 1) {
            give(AllocatedRange {
                guest: guest + number * size,
                length: size,
                location: DataLocation::Plain(offset + number * size),
            });
        }
        Ok(())
    }

    /// Cuts a piece at the end of the disk, which the last cluster may exceed.
    fn within_disk(&self, mut piece: AllocatedRange) -> Option<AllocatedRange> {
        let left = self.virtual_size.checked_sub(piece.guest)?;
        piece.length = piece.length.min(left);
        (piece.length > 0).then_some(piece)
    }
}

fn joins(before: &AllocatedRange, next: &AllocatedRange) -> bool {
    let (DataLocation::Plain(first), DataLocation::Plain(second)) =
        (before.location, next.location)
    else {
        return false;
    };
    before.guest + before.length == next.guest && first + before.length == second
}

fn compression(bytes: &[u8], features: u64, length: u32) -> Result<Compression, Qcow2Error> {
    let stored = if length > V3_HEADER {
        *bytes.get(104).ok_or(Qcow2Error::Truncated)?
    } else {
        0
    };
    match (features & FEATURE_COMPRESSION != 0, stored) {
        (false, 0) => Ok(Compression::Deflate),
        (true, 1) => Ok(Compression::Zstd),
        _ => Err(Qcow2Error::Inconsistent("unknown compression")),
    }
}

/// Refuses header extensions that move the data elsewhere. The scan ends with the bytes at hand;
/// only the feature name table, which is harmless, is large.
fn extensions(bytes: &[u8], length: u32) -> Result<(), Qcow2Error> {
    let mut at = usize::try_from(length).unwrap_or(usize::MAX);
    while let (Some(kind), Some(size)) = (
        be32(bytes, at),
        at.checked_add(4).and_then(|at| be32(bytes, at)),
    ) {
        match kind {
            EXTENSION_END => break,
            EXTENSION_DATA_FILE => return Err(Qcow2Error::DataFile),
            EXTENSION_ENCRYPTION => return Err(Qcow2Error::Encrypted),
            _ => {}
        }
        let padded = usize::try_from(size)
            .unwrap_or(usize::MAX)
            .checked_next_multiple_of(8);
        let Some(next) = padded.and_then(|size| at.checked_add(8)?.checked_add(size)) else {
            break;
        };
        at = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn header(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[7] = 3;
        bytes[23] = 16;
        bytes[24..32].copy_from_slice(&(1u64 << 30).to_be_bytes());
        bytes[39] = 2;
        bytes[40..48].copy_from_slice(&(3u64 << 16).to_be_bytes());
        bytes[103] = 104;
        change(&mut bytes);
        bytes
    }

    #[test]
    fn a_plain_header_is_read() {
        let read = Header::decode(&header(|_| {})).unwrap();
        assert_eq!(read.virtual_size, 1 << 30);
        assert_eq!(read.l1_entries, 2);
        assert_eq!(read.l2_covers(), 512 << 20);
        assert_eq!(read.compression, Compression::Deflate);
    }

    #[test]
    fn whatever_needs_another_file_is_refused() {
        let refused = |change: fn(&mut Vec<u8>)| Header::decode(&header(change)).unwrap_err();
        assert_eq!(refused(|b| b[15] = 104), Qcow2Error::BackingFile);
        assert_eq!(refused(|b| b[79] = 4), Qcow2Error::DataFile);
        assert_eq!(refused(|b| b[79] = 2), Qcow2Error::MarkedCorrupt);
        assert_eq!(refused(|b| b[78] = 1), Qcow2Error::Features(256));
        assert_eq!(refused(|b| b[35] = 2), Qcow2Error::Encrypted);
        assert_eq!(refused(|b| b[7] = 1), Qcow2Error::Version(1));
        assert_eq!(refused(|b| b[7] = 4), Qcow2Error::Version(4));
        let data_file = |b: &mut Vec<u8>| {
            b[104..112].copy_from_slice(&[0x44, 0x41, 0x54, 0x41, 0, 0, 0, 8]);
        };
        assert_eq!(refused(data_file), Qcow2Error::DataFile);
    }

    #[test]
    fn a_table_that_cannot_describe_the_disk_is_refused() {
        for change in [
            (|b: &mut Vec<u8>| b[39] = 1) as fn(&mut Vec<u8>),
            |b| b[23] = 8,
            |b| b[23] = 22,
            |b| b[47] = 1,
            |b| b[24] = 0xff,
        ] {
            let refused = Header::decode(&header(change)).unwrap_err();
            assert!(matches!(refused, Qcow2Error::Inconsistent(_)), "{refused}");
        }
    }

    #[test]
    fn neighbours_in_the_file_become_one_piece() {
        let header = Header::decode(&header(|_| {})).unwrap();
        let mut table = vec![0; 1 << 16];
        for (entry, value) in [
            (0usize, 5u64 << 16 | 1 << 63),
            (1, 6 << 16 | 1 << 63),
            (2, 1),
            (3, 9 << 16),
            (4, COMPRESSED | 2 << 54 | 0x12345),
        ] {
            table[entry * 8..entry * 8 + 8].copy_from_slice(&value.to_be_bytes());
        }
        let mut found = Vec::new();
        header
            .pieces(0, &table, &mut |piece| found.push(piece))
            .unwrap();
        let plain = |guest: u64, clusters: u64, at: u64| AllocatedRange {
            guest: guest << 16,
            length: clusters << 16,
            location: DataLocation::Plain(at << 16),
        };
        let packed = AllocatedRange {
            guest: 4 << 16,
            length: 1 << 16,
            location: DataLocation::Packed {
                offset: 0x12345,
                length: 3 * 512 - 0x145,
            },
        };
        assert_eq!(found, [plain(0, 2, 5), plain(3, 1, 9), packed]);
    }

    proptest! {
        #[test]
        fn no_header_and_no_table_panics(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..600),
            table in proptest::collection::vec(any::<u8>(), 0..2048),
            index in any::<u64>(),
            keep_magic in any::<bool>(),
        ) {
            if keep_magic && bytes.len() > 8 {
                bytes[..8].copy_from_slice(b"QFI\xfb\0\0\0\x03");
            }
            if let Ok(header) = Header::decode(&bytes) {
                let _ = header.l2_offsets(&table);
                let _ = header.pieces(index, &table, &mut |_| {});
            }
        }

        #[test]
        fn pieces_stay_on_the_disk_and_in_order(
            size in 1u64..(1 << 24),
            table in proptest::collection::vec(any::<u64>(), 64..=64),
        ) {
            let header = Header {
                version: 3,
                cluster_bits: 9,
                virtual_size: size,
                l1_offset: 512,
                l1_entries: size.div_ceil(1 << 15),
                compression: Compression::Deflate,
                extended_l2: false,
            };
            let table: Vec<u8> = table.iter().flat_map(|entry| entry.to_be_bytes()).collect();
            let mut end = 0;
            let _ = header.pieces(0, &table, &mut |piece| {
                assert!(piece.guest >= end);
                end = piece.guest + piece.length;
                assert!(end <= size);
            });
        }
    }
}
