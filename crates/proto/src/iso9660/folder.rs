//! Folders of a disc: directory records (ECMA-119 §9.1) and the path table (§9.4).

use super::{Names, SECTOR, both16, both32, name::Identifiers};
use crate::{
    field::put,
    volume::{File, Stamp, Tree, VolumeError},
};

/// Where the two copies of the path table are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tables {
    pub(super) bytes: u32,
    pub(super) little: u32,
    pub(super) big: u32,
}

/// A file and the sector it starts at.
pub(super) struct PlacedFile<'a> {
    pub(super) file: File<'a>,
    pub(super) sector: u32,
    id: Vec<u8>,
}

struct Node<'a> {
    name: &'a str,
    id: Vec<u8>,
    parent: usize,
    folders: Vec<usize>,
    files: Vec<usize>,
    sector: u32,
    bytes: u32,
}

pub(super) struct Folders<'a> {
    names: Names,
    nodes: Vec<Node<'a>>,
    files: Vec<PlacedFile<'a>>,
    /// The folders in the order of the path table.
    order: Vec<usize>,
    tables: Tables,
}

impl<'a> Folders<'a> {
    pub(super) fn of(tree: &'a Tree, names: Names) -> Self {
        let found = tree.folders();
        let mut files = Vec::new();
        let mut ids = vec![vec![0]; found.len()];
        let mut nodes = Vec::new();
        for folder in &found {
            let mut taken = Identifiers::default();
            for child in &folder.folders {
                ids[*child] = match names {
                    Names::Plain => taken.folder(found[*child].name).into_bytes(),
                    Names::Joliet => wide(found[*child].name),
                };
            }
            let mut own = Vec::new();
            for file in &folder.files {
                own.push(files.len());
                let id = match names {
                    Names::Plain => taken.file(file.name).into_bytes(),
                    Names::Joliet => wide(file.name),
                };
                files.push(PlacedFile {
                    file: *file,
                    sector: 0,
                    id,
                });
            }
            nodes.push((folder.name, folder.parent, folder.folders.clone(), own));
        }
        let nodes: Vec<Node<'a>> = nodes
            .into_iter()
            .zip(ids)
            .map(|((name, parent, folders, files), id)| Node {
                name,
                id,
                parent,
                folders,
                files,
                sector: 0,
                bytes: 0,
            })
            .collect();
        let order = ordered(&nodes);
        Self {
            names,
            nodes,
            files,
            order,
            tables: Tables::default(),
        }
    }

    pub(super) fn tables(&self) -> Tables {
        self.tables
    }

    pub(super) fn files(&self) -> &[PlacedFile<'a>] {
        &self.files
    }

    pub(super) fn place_tables(&mut self, next: &mut u32) -> Result<(), VolumeError> {
        let bytes: usize = self
            .nodes
            .iter()
            .map(|node| 8 + node.id.len().next_multiple_of(2))
            .sum();
        self.tables.bytes = u32::try_from(bytes).map_err(|_| too_large(""))?;
        self.tables.little = take(next, u64::from(self.tables.bytes), "")?;
        self.tables.big = take(next, u64::from(self.tables.bytes), "")?;
        Ok(())
    }

    pub(super) fn place_folders(&mut self, next: &mut u32) -> Result<(), VolumeError> {
        for index in self.order.clone() {
            let bytes = self.folder_bytes(index, Stamp::default()).len();
            let node = &mut self.nodes[index];
            node.bytes = u32::try_from(bytes).map_err(|_| too_large(node.name))?;
            node.sector = take(next, u64::from(node.bytes), node.name)?;
        }
        Ok(())
    }

    pub(super) fn place_files(&mut self, next: &mut u32) -> Result<(), VolumeError> {
        for placed in &mut self.files {
            placed.sector = take(next, placed.file.content.length(), placed.file.path)?;
        }
        Ok(())
    }

    /// Both trees list the files in the same order.
    pub(super) fn same_files(&mut self, other: &Self) {
        for (own, other) in self.files.iter_mut().zip(&other.files) {
            own.sector = other.sector;
        }
    }

    /// Encodes the path table, in little-endian or big-endian order: a disc has both.
    pub(super) fn path_table(
        &self,
        long: fn(u32) -> [u8; 4],
        short: fn(u16) -> [u8; 2],
    ) -> Vec<u8> {
        let mut numbers = vec![1u16; self.nodes.len()];
        for (number, index) in (1u16..).zip(&self.order) {
            numbers[*index] = number;
        }
        let mut bytes = Vec::new();
        for index in &self.order {
            let node = &self.nodes[*index];
            bytes.push(u8::try_from(node.id.len()).unwrap_or(u8::MAX));
            bytes.push(0);
            bytes.extend(long(node.sector));
            bytes.extend(short(numbers[node.parent]));
            bytes.extend(&node.id);
            bytes.resize(bytes.len().next_multiple_of(2), 0);
        }
        bytes.resize(bytes.len().next_multiple_of(SECTOR), 0);
        bytes
    }

    /// All folders, in the order in which they were placed.
    pub(super) fn records(&self, stamp: Stamp) -> Vec<u8> {
        self.order
            .iter()
            .flat_map(|index| self.folder_bytes(*index, stamp))
            .collect()
    }

    pub(super) fn root_record(&self, stamp: Stamp) -> Vec<u8> {
        self.folder_record(0, &[0], Vec::new(), stamp)
    }

    fn folder_record(&self, index: usize, id: &[u8], beside: Vec<u8>, stamp: Stamp) -> Vec<u8> {
        let node = &self.nodes[index];
        record(id, node.sector, node.bytes, true, &beside, stamp)
    }

    fn folder_bytes(&self, index: usize, stamp: Stamp) -> Vec<u8> {
        let node = &self.nodes[index];
        let links = |index: usize| 2 + u32::try_from(self.nodes[index].folders.len()).unwrap_or(0);
        let own = self.beside(|| {
            let mut fields = Vec::new();
            if index == 0 {
                // SP in the root's first record says that the disc uses system use fields at all.
                fields.extend(*b"SP\x07\x01\xbe\xef\0");
            }
            fields.extend(attributes(true, links(index)));
            if index == 0 {
                fields.extend(*b"ER\x12\x01\x0a\0\0\x01RRIP_1991A");
            }
            fields
        });
        let above = self.beside(|| attributes(true, links(node.parent)));
        let mut records = vec![
            self.folder_record(index, &[0], own, stamp),
            self.folder_record(node.parent, &[1], above, stamp),
        ];
        let mut named: Vec<(&[u8], Vec<u8>)> = Vec::new();
        for child in &node.folders {
            let found = &self.nodes[*child];
            let beside = self.beside(|| named_attributes(found.name, true, links(*child)));
            let record = self.folder_record(*child, &found.id, beside, stamp);
            named.push((&found.id, record));
        }
        for file in &node.files {
            let found = &self.files[*file];
            let beside = self.beside(|| named_attributes(found.file.name, false, 1));
            let length = u32::try_from(found.file.content.length()).unwrap_or(u32::MAX);
            let record = record(&found.id, found.sector, length, false, &beside, stamp);
            named.push((&found.id, record));
        }
        named.sort();
        records.extend(named.into_iter().map(|(_, record)| record));
        let mut bytes = Vec::new();
        for record in records {
            // A record must not cross the end of a sector (ECMA-119 §6.8.1.1).
            if bytes.len() % SECTOR + record.len() > SECTOR {
                bytes.resize(bytes.len().next_multiple_of(SECTOR), 0);
            }
            bytes.extend(record);
        }
        bytes.resize(bytes.len().next_multiple_of(SECTOR), 0);
        bytes
    }

    fn beside(&self, fields: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
        match self.names {
            Names::Plain => fields(),
            Names::Joliet => Vec::new(),
        }
    }
}

/// The order of the path table: by depth, then by the parent's number, then by name (ECMA-119
/// §6.9.1).
fn ordered(nodes: &[Node<'_>]) -> Vec<usize> {
    let mut order = vec![0];
    let mut done = 0;
    while let Some(index) = order.get(done).copied() {
        let mut children = nodes[index].folders.clone();
        children.sort_by(|a, b| nodes[*a].id.cmp(&nodes[*b].id));
        order.extend(children);
        done += 1;
    }
    order
}

fn wide(name: &str) -> Vec<u8> {
    name.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

fn too_large(name: &str) -> VolumeError {
    VolumeError::TooLarge(name.to_owned())
}

fn take(next: &mut u32, bytes: u64, name: &str) -> Result<u32, VolumeError> {
    let sectors = u32::try_from(bytes.div_ceil(SECTOR as u64)).map_err(|_| too_large(name))?;
    let first = *next;
    *next = first.checked_add(sectors).ok_or_else(|| too_large(name))?;
    Ok(first)
}

fn record(
    id: &[u8],
    sector: u32,
    length: u32,
    folder: bool,
    beside: &[u8],
    stamp: Stamp,
) -> Vec<u8> {
    let mut bytes = vec![0; 33];
    put(&mut bytes, 2, &both32(sector));
    put(&mut bytes, 10, &both32(length));
    let year = u8::try_from(stamp.year.saturating_sub(1900)).unwrap_or(u8::MAX);
    put(
        &mut bytes,
        18,
        &[
            year,
            stamp.month,
            stamp.day,
            stamp.hour,
            stamp.minute,
            stamp.second,
            0,
        ],
    );
    bytes[25] = if folder { 2 } else { 0 };
    put(&mut bytes, 28, &both16(1));
    bytes[32] = u8::try_from(id.len()).unwrap_or(u8::MAX);
    bytes.extend(id);
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes.extend(beside);
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    bytes[0] = u8::try_from(bytes.len()).unwrap_or(u8::MAX);
    bytes
}

/// The Rock Ridge entry PX: POSIX mode, links and owner. Readable for all, owned by root.
fn attributes(folder: bool, links: u32) -> Vec<u8> {
    let mode = if folder { 0o040_555 } else { 0o100_444 };
    let mut bytes = b"PX\x24\x01".to_vec();
    for value in [mode, links, 0, 0] {
        bytes.extend(both32(value));
    }
    bytes
}

fn named_attributes(name: &str, folder: bool, links: u32) -> Vec<u8> {
    let mut bytes = attributes(folder, links);
    bytes.extend(b"NM");
    bytes.push(u8::try_from(name.len() + 5).unwrap_or(u8::MAX));
    bytes.extend([1, 0]);
    bytes.extend(name.as_bytes());
    bytes
}
