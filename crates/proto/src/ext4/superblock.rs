//! The superblock and the descriptors of groups: `super.rst` and `group_descr.rst` in
//! `Documentation/filesystems/ext4` of the kernel.

use super::{BLOCK, Ext4, GROUP, Geometry, INODE, JOURNAL_INODE, LOST_AND_FOUND};
use crate::field::put;

const HAS_JOURNAL: u32 = 0x4;
/// Kinds in folder entries, extents, tables of all groups in one place.
const INCOMPATIBLE: u32 = 0x2 | 0x40 | 0x200;
/// Few copies of the superblock, large files, larger inodes.
const READ_ONLY: u32 = 0x1 | 0x2 | 0x40;

pub(super) struct Superblock<'a> {
    pub(super) ext4: &'a Ext4,
    pub(super) geometry: &'a Geometry,
    pub(super) free_blocks: u64,
    pub(super) free_inodes: u64,
    /// The inode of the journal, of which a copy is kept here.
    pub(super) journal: Vec<u8>,
}

impl Superblock<'_> {
    /// As it is in a group.
    pub(super) fn encode(&self, group: u64) -> Vec<u8> {
        let mut bytes = vec![0; 1024];
        let geometry = self.geometry;
        let time = u64::from(self.ext4.time);
        let word = |value: u64| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes();
        let short = |value: u64| u16::try_from(value).unwrap_or(u16::MAX).to_le_bytes();
        for (at, value) in [
            (0, geometry.inodes_a_group * geometry.groups),
            (4, geometry.blocks),
            (12, self.free_blocks),
            (16, self.free_inodes),
            // Blocks and clusters of 1,024 << 2 bytes.
            (24, 2),
            (28, 2),
            (32, GROUP),
            (36, GROUP),
            (40, geometry.inodes_a_group),
            (48, time),
            (64, time),
            // With inodes of a size of their own.
            (76, 1),
            (84, u64::from(LOST_AND_FOUND)),
            (92, u64::from(HAS_JOURNAL)),
            (96, u64::from(INCOMPATIBLE)),
            (100, u64::from(READ_ONLY)),
            (224, u64::from(JOURNAL_INODE)),
            (264, time),
            // Hashes of names with signed characters.
            (352, 1),
        ] {
            put(&mut bytes, at, &word(value));
        }
        for (at, value) in [
            // Never checked because of the number of mounts.
            (54, 0xffff),
            (56, 0xef53),
            // Clean; errors are passed over.
            (58, 1),
            (60, 1),
            (88, INODE),
            (90, group),
            (348, 32),
            (350, 32),
        ] {
            put(&mut bytes, at, &short(value));
        }
        put(&mut bytes, 104, &self.ext4.uuid);
        put(&mut bytes, 120, self.ext4.label.as_bytes());
        put(&mut bytes, 236, &self.ext4.uuid);
        // Names are hashed by half of MD4; the blocks of the journal are kept twice; sixteen groups
        // share their tables.
        bytes[252] = 1;
        bytes[253] = 1;
        bytes[372] = 4;
        put(
            &mut bytes,
            268,
            self.journal.get(40..100).unwrap_or_default(),
        );
        put(&mut bytes, 332, self.journal.get(4..8).unwrap_or_default());
        bytes
    }
}

/// Where the tables of a group are, and how much of it is free or a folder.
pub(super) fn descriptor(places: [u64; 3], counts: [u64; 3]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (index, place) in places.into_iter().enumerate() {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        put(&mut bytes, index * 4, &place.to_le_bytes());
    }
    for (index, count) in counts.into_iter().enumerate() {
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        put(&mut bytes, 12 + index * 2, &count.to_le_bytes());
    }
    bytes
}

const _: () = assert!(BLOCK == 1024 << 2);
