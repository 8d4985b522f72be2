//! The part of a file that is in memory while it passes.
//!
//! Packed clusters may begin within the last sector of the one before, so a little of what has
//! passed must stay at hand.

use super::{CHUNK, Tap, extent::Table};
use crate::ImageError;
use sha2::{Digest, Sha256};
use std::io::Read;

pub(super) struct Window<'t, 'a> {
    tap: Tap<'a>,
    /// What is in memory, and where in the file it starts.
    buffer: Vec<u8>,
    start: u64,
    /// How much at the front of the buffer is no longer needed.
    passed: usize,
    tables: &'t [Table],
    digest: Sha256,
}

impl<'t, 'a> Window<'t, 'a> {
    pub(super) fn new(tap: Tap<'a>, tables: &'t [Table]) -> Self {
        Self {
            tap,
            buffer: Vec::new(),
            start: 0,
            passed: 0,
            tables,
            digest: Sha256::new(),
        }
    }

    fn end(&self) -> u64 {
        self.start + self.buffer.len() as u64
    }

    fn position(&self) -> u64 {
        self.start + self.passed as u64
    }

    /// Moves on to a place in the file. Never back: places come in order.
    pub(super) fn skip_to(&mut self, offset: u64) -> Result<(), ImageError> {
        while self.end() < offset {
            self.passed = self.buffer.len();
            if !self.more()? {
                break;
            }
        }
        let ahead = offset.saturating_sub(self.position());
        self.passed += usize::try_from(ahead)
            .unwrap_or(usize::MAX)
            .min(self.buffer.len() - self.passed);
        Ok(())
    }

    /// So many bytes from here on; fewer only at the end of the file.
    pub(super) fn at_most(&mut self, length: u64) -> Result<&[u8], ImageError> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        while self.buffer.len() - self.passed < length && self.more()? {}
        let end = self.passed.saturating_add(length).min(self.buffer.len());
        Ok(self.buffer.get(self.passed..end).unwrap_or_default())
    }

    /// Reads more, and lets go of what has passed. Tells whether there was more.
    fn more(&mut self) -> Result<bool, ImageError> {
        self.buffer.drain(..self.passed);
        self.start += self.passed as u64;
        self.passed = 0;
        let before = self.buffer.len();
        self.buffer.resize(before + CHUNK / 4, 0);
        let read = self
            .tap
            .read(self.buffer.get_mut(before..).unwrap_or_default());
        let count = read.map_err(|error| self.tap.explain(error))?;
        self.buffer.truncate(before + count);
        self.compare(before);
        Ok(count > 0)
    }

    /// Adds what belongs to tables to the digest.
    fn compare(&mut self, from: usize) {
        let (first, end) = (self.start + from as u64, self.end());
        while let Some((table, rest)) = self.tables.split_first() {
            let table_end = table.offset + table.length;
            let (low, high) = (table.offset.max(first), table_end.min(end));
            if low < high {
                let at = |offset: u64| usize::try_from(offset - self.start).unwrap_or(usize::MAX);
                self.digest
                    .update(self.buffer.get(at(low)..at(high)).unwrap_or_default());
            }
            if table_end > end {
                break;
            }
            self.tables = rest;
        }
    }

    /// Reads to the end; gives the digest of the tables.
    pub(super) fn finish(mut self) -> Result<(Tap<'a>, [u8; 32]), ImageError> {
        loop {
            self.passed = self.buffer.len();
            if !self.more()? {
                return Ok((self.tap, self.digest.finalize().into()));
            }
        }
    }
}
