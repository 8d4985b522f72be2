//! ext4 filesystems, written in one pass: roots of images that machines are installed with.
//!
//! The format is that of `Documentation/filesystems/ext4` of the kernel, with as few of its features
//! as a root needs: extents, a journal, and all tables at the start (`flex_bg`). Checksums, indexed
//! folders and reserved descriptors are left out; every kernel since 2.6.28 mounts it. Files are
//! contiguous, in the order of their paths, so the same tree gives the same bytes.

mod inode;
mod superblock;

use crate::{field::put, volume::Segment};
use inode::{Inode, InodeContent};
use std::{collections::BTreeMap, ops::Range};
use superblock::Superblock;

const BLOCK: u64 = 4096;
/// Blocks in a group: as many as one block of bits counts.
const GROUP: u64 = BLOCK * 8;
const INODE: u64 = 256;
const INODES_A_BLOCK: u64 = BLOCK / INODE;
/// One inode for so many bytes, as `mkfs.ext4` does.
const BYTES_AN_INODE: u64 = 16_384;
/// The smallest journal that the kernel takes.
const JOURNAL: u64 = 1024;
/// All tables must fit the first group.
const LARGEST: u64 = 32 * GROUP * BLOCK;
/// The size is a multiple of this, so that the last group is never too short for a copy of the
/// superblock.
pub const STEP: u64 = 1 << 20;

const ROOT: u32 = 2;
const JOURNAL_INODE: u32 = 8;
/// The first inode that is not reserved; the folder for what a check finds.
const LOST_AND_FOUND: u32 = 11;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Folder {
        mode: u16,
    },
    File {
        mode: u16,
        data: Vec<u8>,
    },
    Link(String),
    /// A character device: major and minor number, below 256.
    Device(u8, u8),
}

/// The parameters of a filesystem.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ext4 {
    /// At most 16 bytes.
    pub label: String,
    /// In text order.
    pub uuid: [u8; 16],
    /// Of all files, in seconds since 1970.
    pub time: u32,
    /// In bytes, a multiple of [`STEP`].
    pub size: u64,
}

/// Why a filesystem cannot be laid out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Ext4Error {
    #[error("no ext4 filesystem of {0} bytes can be made")]
    Size(u64),
    #[error("the label '{0}' cannot be used")]
    Label(String),
    #[error("'{0}' cannot be put on an ext4 filesystem")]
    Path(String),
    #[error("the files need more than the {0} bytes that the filesystem has")]
    Full(u64),
}

/// Where the tables are.
#[derive(Debug, Clone, Copy)]
struct Geometry {
    blocks: u64,
    groups: u64,
    descriptor_blocks: u64,
    inodes_a_group: u64,
}

impl Geometry {
    fn of(size: u64, files: usize) -> Option<Self> {
        let plausible = (8 * STEP..=LARGEST).contains(&size) && size.is_multiple_of(STEP);
        plausible.then_some(())?;
        let blocks = size / BLOCK;
        let groups = blocks.div_ceil(GROUP);
        let wanted = (size / BYTES_AN_INODE).max(files as u64 + 64);
        let inodes_a_group = wanted.div_ceil(groups).next_multiple_of(INODES_A_BLOCK);
        (inodes_a_group <= GROUP).then_some(Self {
            blocks,
            groups,
            descriptor_blocks: (groups * 32).div_ceil(BLOCK),
            inodes_a_group,
        })
    }

    fn block_bitmap(&self, group: u64) -> u64 {
        1 + self.descriptor_blocks + group
    }

    fn inode_bitmap(&self, group: u64) -> u64 {
        self.block_bitmap(self.groups) + group
    }

    fn inode_table(&self, group: u64) -> u64 {
        self.inode_bitmap(self.groups) + group * self.inodes_a_group / INODES_A_BLOCK
    }

    /// The first block that is not taken by tables.
    fn data(&self) -> u64 {
        self.inode_table(self.groups)
    }

    /// The copies of superblock and descriptors: in groups 1 and powers of 3, 5 and 7 (`sparse_super`,
    /// `blockgroup.rst`).
    fn copies(&self) -> impl Iterator<Item = (u64, Range<u64>)> {
        let power = |group: u64, base: u64| {
            let mut value = base;
            while value < group {
                value *= base;
            }
            value == group
        };
        let length = 1 + self.descriptor_blocks;
        (1..self.groups)
            .filter(move |group| *group == 1 || [3, 5, 7].iter().any(|base| power(*group, *base)))
            .map(move |group| (group, group * GROUP..group * GROUP + length))
    }

    fn group_blocks(&self, group: u64) -> u64 {
        GROUP.min(self.blocks - group * GROUP)
    }
}

/// Hands out blocks in order, around the copies.
struct Allocator {
    next: u64,
    end: u64,
    copies: Vec<Range<u64>>,
}

impl Allocator {
    fn take(&mut self, bytes: u64) -> Option<Vec<Range<u64>>> {
        let mut left = bytes.div_ceil(BLOCK);
        let mut runs = Vec::new();
        while left > 0 {
            if let Some(copy) = self.copies.iter().find(|copy| copy.contains(&self.next)) {
                self.next = copy.end;
            }
            let stop = self.copies.iter().map(|copy| copy.start);
            let stop = stop.filter(|start| *start > self.next).min();
            let end = (self.next + left.min(GROUP)).min(stop.unwrap_or(self.end));
            if end <= self.next || end > self.end {
                return None;
            }
            left -= end - self.next;
            runs.push(self.next..end);
            self.next = end;
        }
        Some(runs)
    }
}

impl Ext4 {
    /// The parts of the image, in order.
    pub fn layout(&self, tree: &BTreeMap<String, Node>) -> Result<Vec<Segment>, Ext4Error> {
        if self.label.len() > 16 {
            return Err(Ext4Error::Label(self.label.clone()));
        }
        let geometry = Geometry::of(self.size, tree.len()).ok_or(Ext4Error::Size(self.size))?;
        let mut blocks = Allocator {
            next: geometry.data(),
            end: geometry.blocks,
            copies: geometry.copies().map(|(_, range)| range).collect(),
        };
        let full = || Ext4Error::Full(self.size);
        let mut inodes = inode::number(tree)?;
        let mut data = Vec::new();
        for inode in inodes.values_mut() {
            let bytes = match &inode.kind {
                InodeContent::Journal => self.journal(),
                _ => inode.bytes(),
            };
            let runs = blocks.take(bytes.len() as u64).ok_or_else(full)?;
            inode.place(runs, bytes.len())?;
            data.push((inode.runs.clone(), bytes));
        }
        let used = blocks.next;
        let mut parts = self.tables(&geometry, &inodes, used);
        for (runs, bytes) in data {
            parts.extend(spread(&runs, bytes));
        }
        parts.sort_by_key(|(block, _)| *block);
        Ok(joined(parts, self.size))
    }

    /// The superblock, the descriptors, bitmaps and inodes, and the copies of the first two.
    fn tables(
        &self,
        geometry: &Geometry,
        inodes: &BTreeMap<u32, Inode<'_>>,
        used: u64,
    ) -> Vec<(u64, Segment)> {
        let bytes = usize::try_from(geometry.data() * BLOCK).unwrap_or(0);
        let mut front = vec![0; bytes];
        let place = |block: u64| usize::try_from(block * BLOCK).unwrap_or(usize::MAX);
        let taken =
            |block: u64| block < used || geometry.copies().any(|(_, range)| range.contains(&block));
        let (mut free_blocks, mut free_inodes) = (0, 0);
        let mut descriptors = Vec::new();
        for group in 0..geometry.groups {
            let first = group * GROUP;
            let mut bits = vec![0xff; place(1)];
            let mut free = 0;
            for index in (0..geometry.group_blocks(group)).filter(|index| !taken(first + index)) {
                clear(&mut bits, index);
                free += 1;
            }
            put(&mut front, place(geometry.block_bitmap(group)), &bits);
            let mut bits = vec![0xff; place(1)];
            let (mut unused, mut folders) = (0, 0);
            for index in 0..geometry.inodes_a_group {
                let number = group * geometry.inodes_a_group + index + 1;
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                match inodes.get(&number) {
                    Some(inode) => folders += u64::from(inode.is_folder()),
                    None if number < LOST_AND_FOUND => {}
                    None => {
                        clear(&mut bits, index);
                        unused += 1;
                    }
                }
            }
            put(&mut front, place(geometry.inode_bitmap(group)), &bits);
            free_blocks += free;
            free_inodes += unused;
            descriptors.extend(superblock::descriptor(
                [
                    geometry.block_bitmap(group),
                    geometry.inode_bitmap(group),
                    geometry.inode_table(group),
                ],
                [free, unused, folders],
            ));
        }
        let table = place(geometry.inode_table(0));
        for (number, inode) in inodes {
            let index = u64::from(number - 1) * INODE;
            let at = table.saturating_add(usize::try_from(index).unwrap_or(usize::MAX));
            put(&mut front, at, &inode.encode(self.time));
        }
        let journal = inodes
            .get(&JOURNAL_INODE)
            .map(|inode| inode.encode(self.time));
        let superblock = Superblock {
            ext4: self,
            geometry,
            free_blocks,
            free_inodes,
            journal: journal.unwrap_or_default(),
        };
        put(&mut front, 1024, &superblock.encode(0));
        put(&mut front, place(1), &descriptors);
        let mut parts = vec![(0, Segment::Bytes(front))];
        for (group, range) in geometry.copies() {
            let mut copy = vec![0; place(range.end - range.start)];
            put(&mut copy, 0, &superblock.encode(group));
            put(&mut copy, place(1), &descriptors);
            parts.push((range.start, Segment::Bytes(copy)));
        }
        parts
    }

    /// An empty journal (`journal.rst`); its numbers are big-endian.
    fn journal(&self) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(JOURNAL * BLOCK).unwrap_or(0)];
        for (at, value) in [
            (0, 0xc03b_3998u32),
            (4, 4),
            (12, 4096),
            (16, 1024),
            (20, 1),
            (24, 1),
            (64, 1),
        ] {
            put(&mut bytes, at, &value.to_be_bytes());
        }
        put(&mut bytes, 48, &self.uuid);
        bytes
    }
}

fn clear(bits: &mut [u8], index: u64) {
    let byte = usize::try_from(index / 8)
        .ok()
        .and_then(|at| bits.get_mut(at));
    if let Some(byte) = byte {
        *byte &= !(1 << (index % 8));
    }
}

/// Bytes over the blocks that they got.
fn spread(runs: &[Range<u64>], mut bytes: Vec<u8>) -> Vec<(u64, Segment)> {
    let mut parts = Vec::new();
    for run in runs {
        let length = usize::try_from((run.end - run.start) * BLOCK).unwrap_or(usize::MAX);
        let rest = bytes.split_off(length.min(bytes.len()));
        parts.push((run.start, Segment::Bytes(bytes)));
        bytes = rest;
    }
    parts
}

/// Fills the gaps.
fn joined(parts: Vec<(u64, Segment)>, size: u64) -> Vec<Segment> {
    let mut at = 0;
    let mut segments = Vec::new();
    for (block, segment) in parts {
        let start = block * BLOCK;
        segments.push(Segment::Zeros(start - at));
        at = start + segment.length();
        segments.push(segment);
    }
    segments.push(Segment::Zeros(size - at));
    segments.retain(|segment| segment.length() > 0);
    segments
}

#[cfg(test)]
mod tests;
