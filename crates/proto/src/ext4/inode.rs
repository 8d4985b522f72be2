//! Inodes: who they are, where their blocks are, and the folders that name them: `inodes.rst`,
//! `ifork.rst` and `directory.rst` in `Documentation/filesystems/ext4` of the kernel.

use super::{BLOCK, Ext4Error, INODE, JOURNAL_INODE, LOST_AND_FOUND, Node, ROOT};
use crate::field::put;
use std::{collections::BTreeMap, ops::Range};

const FOLDER: u16 = 0o040_000;
const FILE: u16 = 0o100_000;
const LINK: u16 = 0o120_000;
const CHARACTER: u16 = 0o020_000;
const EXTENTS: u32 = 0x8_0000;
/// How many runs of blocks fit into an inode.
const MOST_RUNS: usize = 4;
/// Shorter targets of links are in the inode itself.
const LONG_LINK: usize = 60;
const LONGEST_NAME: usize = 255;

#[derive(Debug)]
pub(super) enum InodeContent<'t> {
    Node(&'t Node),
    Folder {
        mode: u16,
        entries: Vec<FolderEntry<'t>>,
        parent: u32,
    },
    Journal,
}

#[derive(Debug)]
pub(super) struct FolderEntry<'t> {
    name: &'t str,
    inode: u32,
    kind: u8,
}

#[derive(Debug)]
pub(super) struct Inode<'t> {
    number: u32,
    pub(super) kind: InodeContent<'t>,
    pub(super) runs: Vec<Range<u64>>,
    size: usize,
}

/// Gives every path a number, and every folder its entries.
pub(super) fn number(tree: &BTreeMap<String, Node>) -> Result<BTreeMap<u32, Inode<'_>>, Ext4Error> {
    let wrong = |path: &str| Ext4Error::Path(path.to_owned());
    let folder = |mode, parent| InodeContent::Folder {
        mode,
        entries: Vec::new(),
        parent,
    };
    let mut inodes = BTreeMap::new();
    let mut add = |number: u32, kind| {
        let inode = Inode {
            number,
            kind,
            runs: Vec::new(),
            size: 0,
        };
        inodes.insert(number, inode);
    };
    add(ROOT, folder(0o755, ROOT));
    add(JOURNAL_INODE, InodeContent::Journal);
    add(LOST_AND_FOUND, folder(0o700, ROOT));
    let mut folders = BTreeMap::from([("", ROOT)]);
    let mut named = vec![(ROOT, "lost+found", LOST_AND_FOUND, 2)];
    for (number, (path, node)) in (LOST_AND_FOUND + 1..).zip(tree) {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = *folders.get(above).ok_or_else(|| wrong(path))?;
        let unusable = matches!(name, "" | "." | "..")
            || name.contains('\0')
            || name.len() > LONGEST_NAME
            || path == "lost+found"
            || path.starts_with('/');
        if unusable {
            return Err(wrong(path));
        }
        let kind = match node {
            Node::File { .. } => 1,
            Node::Folder { mode } => {
                folders.insert(path, number);
                add(number, folder(*mode, parent));
                named.push((parent, name, number, 2));
                continue;
            }
            Node::Device(..) => 3,
            // A longer target would not fit the block that it gets.
            Node::Link(target) if (1..4096).contains(&target.len()) => 7,
            Node::Link(_) => return Err(wrong(path)),
        };
        add(number, InodeContent::Node(node));
        named.push((parent, name, number, kind));
    }
    for (parent, name, inode, kind) in named {
        if let Some(Inode {
            kind: InodeContent::Folder { entries, .. },
            ..
        }) = inodes.get_mut(&parent)
        {
            entries.push(FolderEntry { name, inode, kind });
        }
    }
    Ok(inodes)
}

impl Inode<'_> {
    /// What is in its blocks.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match &self.kind {
            InodeContent::Node(Node::File { data, .. }) => data.clone(),
            InodeContent::Node(Node::Link(target)) if target.len() >= LONG_LINK => {
                target.clone().into_bytes()
            }
            InodeContent::Folder {
                entries, parent, ..
            } => self.folder(entries, *parent),
            InodeContent::Node(_) | InodeContent::Journal => Vec::new(),
        }
    }

    /// Entries never cross a block; the last of a block reaches to its end.
    fn folder(&self, entries: &[FolderEntry<'_>], parent: u32) -> Vec<u8> {
        let block = usize::try_from(BLOCK).unwrap_or(4096);
        let own = [(".", self.number), ("..", parent)].map(|(name, inode)| FolderEntry {
            name,
            inode,
            kind: 2,
        });
        let mut bytes = Vec::new();
        let mut last = 0;
        for entry in own.iter().chain(entries) {
            let length = (8 + entry.name.len()).next_multiple_of(4);
            let left = bytes.len().next_multiple_of(block) - bytes.len();
            if length > left && !bytes.is_empty() {
                stretch(&mut bytes, last, left);
            }
            last = bytes.len();
            bytes.extend(entry.inode.to_le_bytes());
            bytes.extend(u16::try_from(length).unwrap_or(0).to_le_bytes());
            bytes.push(u8::try_from(entry.name.len()).unwrap_or(0));
            bytes.push(entry.kind);
            bytes.extend(entry.name.as_bytes());
            bytes.resize(last + length, 0);
        }
        let left = bytes.len().next_multiple_of(block) - bytes.len();
        stretch(&mut bytes, last, left);
        bytes
    }

    /// Tells it where its bytes went.
    pub(super) fn place(&mut self, runs: Vec<Range<u64>>, size: usize) -> Result<(), Ext4Error> {
        if runs.len() > MOST_RUNS {
            return Err(Ext4Error::Full(size as u64));
        }
        self.size = match self.kind {
            InodeContent::Node(Node::Link(target)) => target.len(),
            _ => size,
        };
        self.runs = runs;
        Ok(())
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self.kind, InodeContent::Folder { .. })
    }

    fn mode(&self) -> u16 {
        match &self.kind {
            InodeContent::Folder { mode, .. } => FOLDER | mode,
            InodeContent::Node(Node::Folder { mode }) => FOLDER | mode,
            InodeContent::Node(Node::File { mode, .. }) => FILE | mode,
            InodeContent::Node(Node::Link(_)) => LINK | 0o777,
            InodeContent::Node(Node::Device(..)) => CHARACTER | 0o600,
            InodeContent::Journal => FILE | 0o600,
        }
    }

    /// One for each name, and for a folder those in its subfolders.
    fn links(&self) -> u16 {
        match &self.kind {
            InodeContent::Folder { entries, .. } => {
                let below = entries.iter().filter(|entry| entry.kind == 2).count();
                u16::try_from(below + 2).unwrap_or(u16::MAX)
            }
            _ => 1,
        }
    }

    pub(super) fn encode(&self, time: u32) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(INODE).unwrap_or(256)];
        let blocks: u64 = self.runs.iter().map(|run| run.end - run.start).sum();
        let word = |value: u64| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes();
        put(&mut bytes, 0, &self.mode().to_le_bytes());
        put(&mut bytes, 4, &word(self.size as u64));
        // Access, change, modification; further down the creation.
        for at in [8, 12, 16, 144] {
            put(&mut bytes, at, &time.to_le_bytes());
        }
        put(&mut bytes, 26, &self.links().to_le_bytes());
        put(&mut bytes, 28, &word(blocks * (BLOCK / 512)));
        match self.kind {
            InodeContent::Node(Node::Link(target)) if target.len() < LONG_LINK => {
                put(&mut bytes, 40, target.as_bytes());
            }
            InodeContent::Node(Node::Device(major, minor)) => {
                put(&mut bytes, 40, &[*minor, *major])
            }
            _ => {
                put(&mut bytes, 32, &EXTENTS.to_le_bytes());
                put(&mut bytes, 40, &self.extents());
            }
        }
        // How much of the inode beyond 128 bytes is in use.
        put(&mut bytes, 128, &32u16.to_le_bytes());
        bytes
    }

    /// The header of a tree without levels, and its runs.
    fn extents(&self) -> Vec<u8> {
        let count = u16::try_from(self.runs.len()).unwrap_or(0);
        let mut bytes = Vec::new();
        for value in [0xf30a, count, 4, 0, 0, 0] {
            bytes.extend(value.to_le_bytes());
        }
        let mut logical = 0u32;
        for run in &self.runs {
            let length = u16::try_from(run.end - run.start).unwrap_or(0);
            bytes.extend(logical.to_le_bytes());
            bytes.extend(length.to_le_bytes());
            bytes.extend([0, 0]);
            bytes.extend(u32::try_from(run.start).unwrap_or(0).to_le_bytes());
            logical += u32::from(length);
        }
        bytes
    }
}

/// Lets the entry at `last` reach further, over `left` more bytes.
fn stretch(bytes: &mut Vec<u8>, last: usize, left: usize) {
    let end = bytes.len() + left;
    let length = u16::try_from(end - last).unwrap_or(0);
    bytes.resize(end, 0);
    put(bytes, last + 4, &length.to_le_bytes());
}
