//! The disk that an image describes, read at any place.
//!
//! For qcow2 one table is kept, since what is read next is mostly near. Only as much is held as was
//! asked for.

use crate::{convert::qcow2::Unpacker, source::Source};
use proto::{
    disk::qcow2::{AllocatedRange, DataLocation, HEADER_BYTES, Header, Qcow2Error},
    fat::ReadAt,
};
use std::io;

pub(super) struct Guest<'s> {
    source: &'s dyn Source,
    size: u64,
    map: Option<Map>,
}

/// The tables of a qcow2 image.
struct Map {
    header: Header,
    unpacker: Unpacker,
    /// The number of a table and its bytes; none where nothing is allocated.
    table: Option<(u64, Option<Vec<u8>>)>,
}

impl<'s> Guest<'s> {
    pub(super) fn raw(source: &'s dyn Source) -> Option<Self> {
        Some(Self {
            source,
            size: source.stat().size?,
            map: None,
        })
    }

    /// `None` if its header is not understood, or leads out of the file.
    pub(super) fn qcow2(source: &'s dyn Source) -> Option<Self> {
        let header = Header::decode(&source.read_at(0, HEADER_BYTES).ok()?).ok()?;
        Some(Self {
            source,
            size: header.virtual_size,
            map: Some(Map {
                unpacker: Unpacker::new(&header),
                header,
                table: None,
            }),
        })
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// A part of the disk; shorter where it ends.
    pub(super) fn read(&mut self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = length.min(left);
        let Some(map) = &mut self.map else {
            return self
                .source
                .read_at(offset, length)
                .map_err(io::Error::other);
        };
        let mut bytes = vec![0; length];
        let end = offset.saturating_add(length as u64);
        let covers = map.header.l2_covers();
        for index in offset / covers..end.div_ceil(covers) {
            map.fill(self.source, index, offset, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// Shows a part of the disk as if it were all of it.
    pub(super) fn part<T>(
        &mut self,
        start: u64,
        length: u64,
        look: impl FnOnce(u64, ReadAt<'_>) -> T,
    ) -> T {
        let length = length.min(self.size.saturating_sub(start));
        look(length, &mut |offset, wanted| {
            let left = usize::try_from(length.saturating_sub(offset)).unwrap_or(usize::MAX);
            self.read(start.saturating_add(offset), wanted.min(left))
        })
    }
}

impl Map {
    /// Copies what table number `index` has for the range that starts at `offset`.
    fn fill(
        &mut self,
        source: &dyn Source,
        index: u64,
        offset: u64,
        bytes: &mut [u8],
    ) -> io::Result<()> {
        let Some(table) = self.table(source, index)? else {
            return Ok(());
        };
        let end = offset.saturating_add(bytes.len() as u64);
        let mut pieces = Vec::new();
        let listed = self.header.pieces(index, &table, &mut |piece| {
            if piece.guest < end && piece.guest.saturating_add(piece.length) > offset {
                pieces.push(piece);
            }
        });
        self.table = Some((index, Some(table)));
        listed.map_err(io::Error::other)?;
        for piece in pieces {
            self.copy(source, &piece, offset, bytes)?;
        }
        Ok(())
    }

    fn copy(
        &mut self,
        source: &dyn Source,
        piece: &AllocatedRange,
        offset: u64,
        bytes: &mut [u8],
    ) -> io::Result<()> {
        let first = piece.guest.max(offset);
        let last = (piece.guest + piece.length).min(offset.saturating_add(bytes.len() as u64));
        let place = |at: u64, base: u64| usize::try_from(at - base).unwrap_or(usize::MAX);
        let Some(room) = bytes.get_mut(place(first, offset)..place(last, offset)) else {
            return Ok(());
        };
        let found = match piece.location {
            DataLocation::Plain(host) => {
                let from = host.saturating_add(first - piece.guest);
                let read = source.read_at(from, room.len());
                read.map_err(io::Error::other)?
            }
            DataLocation::Packed { offset, length } => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                let packed = source.read_at(offset, length).map_err(io::Error::other)?;
                let cluster = self.unpacker.cluster(&packed).map_err(io::Error::other)?;
                let within = cluster.get(place(first, piece.guest)..);
                within.unwrap_or_default().to_vec()
            }
        };
        // What lies beyond the end of the file reads as zeros.
        room.iter_mut().zip(found).for_each(|(to, from)| *to = from);
        Ok(())
    }

    /// Takes the bytes of a table, which are given back by [`Map::fill`].
    fn table(&mut self, source: &dyn Source, index: u64) -> io::Result<Option<Vec<u8>>> {
        if let Some((held, table)) = self.table.take()
            && held == index
        {
            if table.is_none() {
                self.table = Some((index, None));
            }
            return Ok(table);
        }
        let at = index
            .saturating_mul(8)
            .saturating_add(self.header.l1_offset);
        let entry = source.read_at(at, 8).map_err(io::Error::other)?;
        let offset = self.header.l2_offset(&entry).map_err(io::Error::other)?;
        let Some(offset) = offset else {
            self.table = Some((index, None));
            return Ok(None);
        };
        let length = usize::try_from(self.header.cluster_size()).unwrap_or(usize::MAX);
        let table = source.read_at(offset, length).map_err(io::Error::other)?;
        if table.len() < length {
            return Err(io::Error::other(Qcow2Error::Truncated));
        }
        Ok(Some(table))
    }
}
