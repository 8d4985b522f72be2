//! A disk behind iSCSI for code that blocks: partition tables, filesystems, images on their way.
//!
//! Several writes are under way at a time, because each takes a round trip. Two that touch the same
//! bytes never are, as a disk may carry them out in any order. What went wrong with a write is told
//! by a later one, or by [`Medium::sync`].

use super::{IscsiDisk, IscsiError};
use bytes::Bytes;
use image::disk::medium::{Medium, within};
use std::{
    collections::VecDeque,
    fmt, io,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{runtime::Handle, task::JoinHandle};

/// Writes that are under way at a time. Each holds a copy of its bytes.
const DEPTH: usize = 16;

/// The largest range that one task makes zero.
const ZEROS: u64 = 64 << 20;

type Write = JoinHandle<Result<(), IscsiError>>;

/// The disk. Its methods block; they are for threads that may.
pub struct IscsiMedium {
    disk: Arc<IscsiDisk>,
    runtime: Handle,
    /// Oldest first, with the bytes that they touch.
    under_way: Mutex<VecDeque<(Range<u64>, Write)>>,
}

impl fmt::Debug for IscsiMedium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IscsiMedium")
            .field("disk", &self.disk)
            .finish_non_exhaustive()
    }
}

impl IscsiMedium {
    /// To be called on a runtime, which then does the work.
    pub fn new(disk: Arc<IscsiDisk>) -> Self {
        Self {
            disk,
            runtime: Handle::current(),
            under_way: Mutex::default(),
        }
    }

    fn block(&self) -> u64 {
        self.disk.block_size()
    }

    /// Waits until no write touches a range, and until there is room for another.
    fn settle(&self, range: &Range<u64>, room: usize) -> io::Result<()> {
        let mut under_way = self
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let touches = |other: &Range<u64>| other.start < range.end && range.start < other.end;
        while under_way.len() > room || under_way.iter().any(|(other, _)| touches(other)) {
            let Some((_, oldest)) = under_way.pop_front() else {
                break;
            };
            let ended = self.runtime.block_on(oldest);
            ended.map_err(io::Error::other)?.map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn start(
        &self,
        range: Range<u64>,
        work: impl Future<Output = Result<(), IscsiError>> + Send + 'static,
    ) -> io::Result<()> {
        self.settle(&range, DEPTH - 1)?;
        let write = self.runtime.spawn(work);
        let mut under_way = self
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        under_way.push_back((range, write));
        Ok(())
    }

    /// Whole blocks.
    fn write_blocks(&self, offset: u64, bytes: Bytes) -> io::Result<()> {
        let range = offset..offset + bytes.len() as u64;
        let disk = Arc::clone(&self.disk);
        self.start(range, async move { disk.write_at(offset, bytes).await })
    }

    fn read_blocks(&self, range: Range<u64>) -> io::Result<Bytes> {
        self.settle(&range, DEPTH)?;
        let read = self.disk.read_at(range.start, range.end - range.start);
        self.runtime.block_on(read).map_err(io::Error::other)
    }

    /// Bytes that do not fill whole blocks: what is around them is read and written again.
    fn patch(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let start = offset / self.block() * self.block();
        let end = (offset + bytes.len() as u64).next_multiple_of(self.block());
        let mut blocks = self.read_blocks(start..end)?.to_vec();
        let at = usize::try_from(offset - start).map_err(io::Error::other)?;
        blocks[at..at + bytes.len()].copy_from_slice(bytes);
        self.write_blocks(start, blocks.into())
    }

    /// The whole blocks within a range; what is before and behind them does not fill one.
    fn whole(&self, offset: u64, length: u64) -> Range<u64> {
        let end = offset + length;
        let first = offset.next_multiple_of(self.block()).min(end);
        first..(end / self.block() * self.block()).max(first)
    }
}

impl Medium for IscsiMedium {
    fn size(&self) -> u64 {
        self.disk.size()
    }

    fn sector_size(&self) -> u32 {
        u32::try_from(self.block()).unwrap_or(512)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        within(self.size(), offset, bytes.len() as u64)?;
        let start = offset / self.block() * self.block();
        let end = (offset + bytes.len() as u64).next_multiple_of(self.block());
        let blocks = self.read_blocks(start..end)?;
        let at = usize::try_from(offset - start).map_err(io::Error::other)?;
        bytes.copy_from_slice(&blocks[at..at + bytes.len()]);
        Ok(())
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        within(self.size(), offset, bytes.len() as u64)?;
        let whole = self.whole(offset, bytes.len() as u64);
        let place = |at: u64| usize::try_from(at - offset).map_err(io::Error::other);
        let (first, last) = (place(whole.start)?, place(whole.end)?);
        if first > 0 {
            self.patch(offset, &bytes[..first])?;
        }
        if first < last {
            let middle = Bytes::copy_from_slice(&bytes[first..last]);
            self.write_blocks(whole.start, middle)?;
        }
        if last < bytes.len() {
            self.patch(whole.end, &bytes[last..])?;
        }
        Ok(())
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        within(self.size(), offset, length)?;
        let whole = self.whole(offset, length);
        let zeros = |length: u64| vec![0; usize::try_from(length).unwrap_or(0)];
        if whole.start > offset {
            self.patch(offset, &zeros(whole.start - offset))?;
        }
        let mut at = whole.start;
        while at < whole.end {
            let part = ZEROS.min(whole.end - at);
            let disk = Arc::clone(&self.disk);
            self.start(at..at + part, async move { disk.zero(at, part).await })?;
            at += part;
        }
        if whole.end < offset + length {
            self.patch(whole.end, &zeros(offset + length - whole.end))?;
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.settle(&(0..u64::MAX), 0)?;
        let flushed = self.runtime.block_on(self.disk.flush());
        flushed.map_err(io::Error::other)
    }
}
