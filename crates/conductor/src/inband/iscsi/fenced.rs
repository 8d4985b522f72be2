//! A disk that is only written while somebody may: every part of every write asks first, whatever it
//! is a write of.

use image::disk::medium::Medium;
use std::io;

/// The most that is written, or made zero, before it is asked again.
const PART: u64 = 16 << 20;

pub(super) struct Fenced<'f, M> {
    disk: M,
    may_write: &'f (dyn Fn() -> bool + Sync),
}

impl<'f, M> Fenced<'f, M> {
    pub(super) fn new(disk: M, may_write: &'f (dyn Fn() -> bool + Sync)) -> Self {
        Self { disk, may_write }
    }

    fn ask(&self) -> io::Result<()> {
        match (self.may_write)() {
            true => Ok(()),
            false => Err(io::Error::other(
                "this conductor may not write to the disk any more",
            )),
        }
    }
}

impl<M: Medium> Medium for Fenced<'_, M> {
    fn size(&self) -> u64 {
        self.disk.size()
    }

    fn sector_size(&self) -> u32 {
        self.disk.sector_size()
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.disk.read_at(offset, bytes)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let part = usize::try_from(PART).map_err(io::Error::other)?;
        let mut at = offset;
        for bytes in bytes.chunks(part) {
            self.ask()?;
            self.disk.write_at(at, bytes)?;
            at += bytes.len() as u64;
        }
        Ok(())
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        let mut done = 0;
        while done < length {
            let part = PART.min(length - done);
            self.ask()?;
            self.disk.zero(offset + done, part)?;
            done += part;
        }
        Ok(())
    }

    /// What is not on the medium yet counts as written by this.
    fn sync(&mut self) -> io::Result<()> {
        self.ask()?;
        self.disk.sync()
    }
}
