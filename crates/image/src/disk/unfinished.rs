//! A disk that does not look like one until everything on it is right.
//!
//! Firmware starts whatever has a partition table. So both places where one may be, the start and
//! the end of the disk, are cleared with the first byte that is written, and what is meant for them
//! stays in memory until [`Unfinished::commit`]. Whoever is interrupted, or finds that the image was
//! not what it should be, leaves a disk that nothing starts from and nobody takes for done. Where the
//! table must survive, because a partition does, the start of the root partition is held back
//! instead.

use super::medium::Medium;
use std::io;

/// What is held back at each place. Copies of a GPT, and signatures at the end of a disk, are
/// within.
pub const EDGE: u64 = 1 << 20;

#[derive(Debug)]
pub struct Unfinished<M> {
    disk: M,
    /// Whether the held places of the disk were cleared; nothing was written before.
    begun: bool,
    /// In the order of their places.
    held: Vec<Held>,
}

#[derive(Debug)]
struct Held {
    offset: u64,
    bytes: Vec<u8>,
}

/// A piece of a request: where it goes, where in the request it starts, how long it is.
struct Piece {
    /// Which of the held places it is in; none for the disk.
    held: Option<usize>,
    at: u64,
    from: usize,
    length: u64,
}

impl<M: Medium> Unfinished<M> {
    /// Takes a disk, which is not touched yet. Its table is to be a new one.
    pub fn new(disk: M) -> io::Result<Self> {
        let size = disk.size();
        if size < 2 * EDGE {
            return Err(io::Error::new(
                io::ErrorKind::StorageFull,
                format!("the disk is too small: it has only {size} bytes"),
            ));
        }
        Self::holding(disk, &[0, size - EDGE])
    }

    /// Takes a disk whose table stays; what starts at this place is held back.
    pub fn with_table(disk: M, root: u64) -> io::Result<Self> {
        Self::holding(disk, &[root])
    }

    fn holding(disk: M, places: &[u64]) -> io::Result<Self> {
        let held = |offset: &u64| {
            let length = EDGE.min(disk.size().saturating_sub(*offset));
            Ok(Held {
                offset: *offset,
                bytes: vec![0; usize::try_from(length).map_err(io::Error::other)?],
            })
        };
        Ok(Self {
            held: places.iter().map(held).collect::<io::Result<_>>()?,
            disk,
            begun: false,
        })
    }

    /// Clears what made the disk look like one.
    pub fn begin(&mut self) -> io::Result<()> {
        if self.begun {
            return Ok(());
        }
        for held in &self.held {
            self.disk.zero(held.offset, held.bytes.len() as u64)?;
        }
        self.disk.sync()?;
        self.begun = true;
        Ok(())
    }

    /// Writes what was held back, the first sector last: without it there is no table.
    pub fn commit(mut self) -> io::Result<M> {
        self.begin()?;
        let sector = usize::try_from(self.disk.sector_size()).unwrap_or(512);
        for held in self.held.iter().skip(1) {
            self.disk.write_at(held.offset, &held.bytes)?;
        }
        if let Some(first) = self.held.first() {
            let (start, rest) = first.bytes.split_at(sector.min(first.bytes.len()));
            self.disk
                .write_at(first.offset + start.len() as u64, rest)?;
            self.disk.sync()?;
            self.disk.write_at(first.offset, start)?;
        }
        self.disk.sync()?;
        Ok(self.disk)
    }

    fn pieces(&self, offset: u64, length: u64) -> io::Result<Vec<Piece>> {
        let end = offset
            .checked_add(length)
            .filter(|end| *end <= self.disk.size())
            .ok_or(io::ErrorKind::InvalidInput)?;
        let mut pieces = Vec::new();
        let mut at = offset;
        while at < end {
            let stops = |held: &Held| held.offset + held.bytes.len() as u64;
            let next = self.held.iter().position(|held| at < stops(held));
            let (held, stop) = match next.map(|index| (index, &self.held[index])) {
                Some((index, held)) if held.offset <= at => (Some(index), stops(held)),
                Some((_, held)) => (None, held.offset),
                None => (None, end),
            };
            let stop = stop.min(end);
            pieces.push(Piece {
                held,
                at: held.map_or(at, |index| at - self.held[index].offset),
                from: usize::try_from(at - offset).map_err(io::Error::other)?,
                length: stop - at,
            });
            at = stop;
        }
        Ok(pieces)
    }

    /// The held bytes of a piece.
    fn held(&mut self, index: usize, piece: &Piece) -> io::Result<&mut [u8]> {
        let at = usize::try_from(piece.at).map_err(io::Error::other)?;
        let length = usize::try_from(piece.length).map_err(io::Error::other)?;
        Ok(&mut self.held[index].bytes[at..at + length])
    }
}

impl<M: Medium> Medium for Unfinished<M> {
    fn size(&self) -> u64 {
        self.disk.size()
    }

    fn sector_size(&self) -> u32 {
        self.disk.sector_size()
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        for piece in self.pieces(offset, bytes.len() as u64)? {
            let length = usize::try_from(piece.length).map_err(io::Error::other)?;
            let part = &mut bytes[piece.from..piece.from + length];
            match piece.held {
                Some(index) => {
                    let at = usize::try_from(piece.at).map_err(io::Error::other)?;
                    part.copy_from_slice(&self.held[index].bytes[at..at + length]);
                }
                None => self.disk.read_at(piece.at, part)?,
            }
        }
        Ok(())
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.begin()?;
        for piece in self.pieces(offset, bytes.len() as u64)? {
            let length = usize::try_from(piece.length).map_err(io::Error::other)?;
            let part = &bytes[piece.from..piece.from + length];
            match piece.held {
                Some(index) => self.held(index, &piece)?.copy_from_slice(part),
                None => self.disk.write_at(piece.at, part)?,
            }
        }
        Ok(())
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.begin()?;
        for piece in self.pieces(offset, length)? {
            match piece.held {
                Some(index) => self.held(index, &piece)?.fill(0),
                None => self.disk.zero(piece.at, piece.length)?,
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::{Arc, Mutex};

    /// A disk that others may look at.
    #[derive(Clone)]
    struct Open(Arc<Mutex<Vec<u8>>>);

    impl Open {
        fn of(bytes: Vec<u8>) -> Self {
            Self(Arc::new(Mutex::new(bytes)))
        }

        fn seen(&self) -> Vec<u8> {
            self.0.lock().unwrap().clone()
        }
    }

    impl Medium for Open {
        fn size(&self) -> u64 {
            self.0.lock().unwrap().size()
        }

        fn sector_size(&self) -> u32 {
            512
        }

        fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
            self.0.lock().unwrap().read_at(offset, bytes)
        }

        fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
            self.0.lock().unwrap().write_at(offset, bytes)
        }

        fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
            self.0.lock().unwrap().zero(offset, length)
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_edges_come_last() {
        let size = 4 << 20;
        let under = Open::of(vec![7; size]);
        let mut disk = Unfinished::new(under.clone()).unwrap();
        assert!(under.seen() == vec![7; size], "untouched so far");
        Medium::write_at(&mut disk, 0, &vec![1; size]).unwrap();
        let edge = usize::try_from(EDGE).unwrap();
        let half = under.seen();
        let edges = half[..edge].iter().chain(&half[size - edge..]);
        assert!(edges.into_iter().all(|b| *b == 0));
        assert!(half[edge..size - edge].iter().all(|b| *b == 1));
        disk.commit().unwrap();
        assert!(under.seen() == vec![1; size]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn what_is_read_is_what_was_written(
            writes in proptest::collection::vec((0u64..5 << 20, 1usize..2 << 20, any::<u8>(), any::<bool>()), 1..6)
        ) {
            let size: u64 = 5 << 20;
            let mut model = vec![0u8; usize::try_from(size).unwrap()];
            let mut disk = Unfinished::new(model.clone()).unwrap();
            for (offset, length, byte, zero) in writes {
                let length = length.min(usize::try_from(size - offset).unwrap());
                let bytes = vec![if zero { 0 } else { byte }; length];
                Medium::write_at(&mut model, offset, &bytes).unwrap();
                if zero {
                    Medium::zero(&mut disk, offset, length as u64).unwrap();
                } else {
                    Medium::write_at(&mut disk, offset, &bytes).unwrap();
                }
            }
            let mut seen = vec![9; model.len()];
            disk.read_at(0, &mut seen).unwrap();
            prop_assert!(seen == model);
            prop_assert!(disk.commit().unwrap() == model);
        }
    }
}
