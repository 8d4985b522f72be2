//! The map of an image: which part of the disk lies where in the file.

use crate::{ImageError, source::Source};
use proto::disk::qcow2::{AllocatedRange, DataLocation, HEADER_BYTES, Header, Qcow2Error};
use sha2::{Digest, Sha256};

/// Tables that lie nearer to each other than this are fetched together.
const NEAR: u64 = 64 << 10;
/// At most so much is fetched at once.
const FETCH: u64 = 4 << 20;

/// A part of the file and the part of the disk that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) host: u64,
    pub(super) guest: u64,
    /// In the file; a packed extent is always one cluster of the disk.
    pub(super) length: u64,
    pub(super) packed: bool,
}

/// A part of the file that is read in both passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Table {
    pub(super) offset: u64,
    pub(super) length: u64,
    /// Which L2 table it is, if it is one.
    index: Option<u64>,
}

pub(super) struct Map {
    pub(super) header: Header,
    extents: Vec<Extent>,
    /// In the order of the file.
    pub(super) tables: Vec<Table>,
    pub(super) digest: [u8; 32],
}

struct Reader<'a> {
    source: &'a dyn Source,
    memory: u64,
    fetched: (u64, Vec<u8>),
}

impl Map {
    pub(super) fn read(source: &dyn Source, memory: u64) -> Result<Self, ImageError> {
        let mut reader = Reader {
            source,
            memory,
            fetched: (0, Vec::new()),
        };
        let start = source.read_at(0, HEADER_BYTES)?;
        let header = Header::decode(&start).map_err(|error| reader.wrong(error))?;
        let l1_length = usize::try_from(header.l1_bytes()).unwrap_or(usize::MAX);
        // Each entry becomes a row in the list of tables, and may become an extent.
        reader.allow(header.l1_entries.saturating_mul(size_of::<Table>() as u64))?;
        let l1 = source.read_at(header.l1_offset, l1_length)?;
        let offsets = header
            .l2_offsets(&l1)
            .map_err(|error| reader.wrong(error))?;

        let mut tables = vec![
            Table {
                offset: 0,
                length: start.len() as u64,
                index: None,
            },
            Table {
                offset: header.l1_offset,
                length: header.l1_bytes(),
                index: None,
            },
        ];
        tables.extend((0u64..).zip(offsets).filter_map(|(index, offset)| {
            Some(Table {
                offset: offset?,
                length: header.cluster_size(),
                index: Some(index),
            })
        }));
        tables.retain(|table| table.length > 0);
        tables.sort_unstable();
        if tables
            .windows(2)
            .any(|pair| pair[0].offset + pair[0].length > pair[1].offset)
        {
            return Err(reader.wrong(Qcow2Error::Inconsistent("tables lie upon each other")));
        }
        let mut digest = Sha256::new();
        let mut extents = Vec::new();
        for (number, table) in tables.iter().enumerate() {
            let bytes = match table.index {
                Some(_) => reader.table(&tables, number)?,
                None if table.offset == 0 => &start,
                None => &l1,
            };
            digest.update(bytes);
            if let Some(index) = table.index {
                let listed = header.pieces(index, bytes, &mut |piece| add(&mut extents, piece));
                listed.map_err(|error| reader.wrong(error))?;
            }
            let used =
                (extents.len() * size_of::<Extent>() + tables.len() * size_of::<Table>()) as u64;
            reader.allow(used)?;
        }
        Ok(Self {
            header,
            extents,
            tables,
            digest: digest.finalize().into(),
        })
    }

    /// Tells of the parts of the disk that the file has nothing for.
    pub(super) fn holes(
        &mut self,
        each: &mut dyn FnMut(u64, u64) -> Result<(), ImageError>,
    ) -> Result<(), ImageError> {
        self.extents.sort_unstable_by_key(|extent| extent.guest);
        let mut next = 0;
        for extent in &self.extents {
            if extent.guest > next {
                each(next, extent.guest - next)?;
            }
            let length = if extent.packed {
                self.header.cluster_size()
            } else {
                extent.length
            };
            next = extent.guest + length;
        }
        if next < self.header.virtual_size {
            each(next, self.header.virtual_size - next)?;
        }
        Ok(())
    }

    /// The extents as the file has them. No part of the file may be in two of them, save for the
    /// last sector of packed ones, which the next may begin in.
    pub(super) fn in_file_order(&mut self, source: &dyn Source) -> Result<Vec<Extent>, ImageError> {
        let wrong = |what| ImageError::Qcow2 {
            image: source.shown().to_owned(),
            source: Qcow2Error::Inconsistent(what),
        };
        let mut extents = std::mem::take(&mut self.extents);
        extents.sort_unstable_by_key(|extent| extent.host);
        for pair in extents.windows(2) {
            let both_packed = pair[0].packed && pair[1].packed;
            let overlap = (pair[0].host + pair[0].length).saturating_sub(pair[1].host);
            if overlap > 0 && !(both_packed && pair[0].host < pair[1].host) {
                return Err(wrong("two clusters lie in the same place"));
            }
        }
        if let (Some(last), Some(size)) = (extents.last(), source.stat().size) {
            // The end of the last cluster may be missing, as QEMU has it.
            let missing = (last.host + last.length).saturating_sub(size);
            if missing >= self.header.cluster_size() || last.host >= size {
                return Err(wrong("a cluster lies beyond the end of the file"));
            }
        }
        Ok(extents)
    }
}

fn add(extents: &mut Vec<Extent>, piece: AllocatedRange) {
    let extent = match piece.location {
        DataLocation::Plain(host) => Extent {
            host,
            guest: piece.guest,
            length: piece.length,
            packed: false,
        },
        DataLocation::Packed { offset, length } => Extent {
            host: offset,
            guest: piece.guest,
            length,
            packed: true,
        },
    };
    match extents.last_mut() {
        Some(last)
            if !last.packed
                && !extent.packed
                && last.guest + last.length == extent.guest
                && last.host + last.length == extent.host =>
        {
            last.length += extent.length;
        }
        _ => extents.push(extent),
    }
}

impl Reader<'_> {
    fn wrong(&self, source: Qcow2Error) -> ImageError {
        ImageError::Qcow2 {
            image: self.source.shown().to_owned(),
            source,
        }
    }

    fn allow(&self, needed: u64) -> Result<(), ImageError> {
        if needed <= self.memory {
            return Ok(());
        }
        Err(ImageError::Scattered {
            image: self.source.shown().to_owned(),
            needed,
            limit: self.memory,
        })
    }

    /// The bytes of a table; those that follow it closely are fetched along.
    fn table(&mut self, tables: &[Table], number: usize) -> Result<&[u8], ImageError> {
        let table = tables[number];
        let held = self.fetched.0 + self.fetched.1.len() as u64;
        let end = table.offset + table.length;
        if table.offset < self.fetched.0 || end > held {
            let mut last = end;
            for next in &tables[number + 1..] {
                let reach = next.offset + next.length;
                if next.offset - last > NEAR || reach - table.offset > FETCH {
                    break;
                }
                last = reach;
            }
            let length = usize::try_from(last - table.offset).unwrap_or(usize::MAX);
            self.fetched = (table.offset, self.source.read_at(table.offset, length)?);
        }
        let start = usize::try_from(table.offset - self.fetched.0).unwrap_or(usize::MAX);
        let length = usize::try_from(table.length).unwrap_or(usize::MAX);
        let bytes = start
            .checked_add(length)
            .and_then(|end| self.fetched.1.get(start..end));
        bytes.ok_or_else(|| ImageError::Qcow2 {
            image: self.source.shown().to_owned(),
            source: Qcow2Error::Truncated,
        })
    }
}
