//! Where the bytes of an image go: a disk, or a file that stands for one.
//!
//! A sink is told both what to write and what to make zero, so that nothing an earlier owner left
//! on the disk survives within an image. How zeros are made is the sink's affair: a file gets
//! holes, a disk that can discards or zeroes a range by itself.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only called from threads that may wait"
)]

use rustix::fs::{FallocateFlags, OFlags, fallocate};
use std::{
    fs::{self, File},
    io::{self, Seek, SeekFrom},
    os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt},
    path::Path,
};

pub trait Sink: Send {
    /// How much fits; `None` where the sink grows.
    fn capacity(&self) -> Option<u64>;

    fn write_at(&mut self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Makes a range read as zeros, whatever was there.
    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()>;

    /// Returns when everything is on the medium. `length` is the image's size, to which a sink
    /// that grows is cut or stretched.
    fn finish(&mut self, length: u64) -> io::Result<()>;
}

/// How much is written at once where zeros must be written out.
const ZEROS: usize = 1 << 20;

/// A block device or a regular file.
#[derive(Debug)]
pub struct DiskSink {
    file: File,
    capacity: Option<u64>,
    /// Whether the kernel makes zeros for us; taken back at the first refusal.
    punches: bool,
}

impl DiskSink {
    /// Opens a disk, or a file, which then grows with the image. A disk that is in use, by a mount
    /// of one of its partitions for example, is refused.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true);
        if fs::metadata(path)?.file_type().is_block_device() {
            options.custom_flags(OFlags::EXCL.bits().cast_signed());
        }
        Self::of(options.open(path)?)
    }

    pub fn of(mut file: File) -> io::Result<Self> {
        let device = file.metadata()?.file_type().is_block_device();
        let capacity = if device {
            Some(file.seek(SeekFrom::End(0))?)
        } else {
            None
        };
        Ok(Self {
            file,
            capacity,
            punches: true,
        })
    }

    /// Sets a limit where the file knows none: a file that stands for a disk of this size.
    #[must_use]
    pub fn with_capacity(mut self, capacity: u64) -> Self {
        self.capacity = Some(capacity);
        self
    }

    fn punch(&mut self, offset: u64, length: u64) -> bool {
        if !self.punches {
            return false;
        }
        // For a disk the first asks for a discard that is known to leave zeros, the second for
        // zeros that the device or the kernel writes.
        let ways = [FallocateFlags::PUNCH_HOLE, FallocateFlags::ZERO_RANGE];
        self.punches = ways.into_iter().any(|way| {
            fallocate(&self.file, way | FallocateFlags::KEEP_SIZE, offset, length).is_ok()
        });
        self.punches
    }
}

impl Sink for DiskSink {
    fn capacity(&self) -> Option<u64> {
        self.capacity
    }

    fn write_at(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.file.write_all_at(data, offset)
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        // Devices want whole blocks; the edges are written.
        let (first, end) = (
            offset.next_multiple_of(4096),
            (offset + length) / 4096 * 4096,
        );
        if first < end && self.punch(first, end - first) {
            self.write_zeros(offset, first - offset)?;
            return self.write_zeros(end, offset + length - end);
        }
        self.write_zeros(offset, length)
    }

    fn finish(&mut self, length: u64) -> io::Result<()> {
        if self.capacity.is_none() {
            self.file.set_len(length)?;
        }
        self.file.sync_all()
    }
}

impl DiskSink {
    fn write_zeros(&self, mut offset: u64, mut length: u64) -> io::Result<()> {
        let zeros = vec![0; usize::try_from(length).unwrap_or(ZEROS).min(ZEROS)];
        while length > 0 {
            let part = usize::try_from(length).unwrap_or(ZEROS).min(ZEROS);
            self.file.write_all_at(&zeros[..part], offset)?;
            offset += part as u64;
            length -= part as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn what_was_there_is_gone() {
        let mut file = tempfile::tempfile().unwrap();
        let old = vec![0xaa; 3 << 20];
        file.write_all_at(&old, 0).unwrap();
        let mut sink = DiskSink::of(file.try_clone().unwrap()).unwrap();
        sink.write_at(10, b"new").unwrap();
        for (offset, length) in [(0, 10), (13, 2 << 20), ((2 << 20) + 13, 5)] {
            sink.zero(offset, length).unwrap();
        }
        sink.punches = false;
        sink.zero((2 << 20) + 18, (1 << 20) - 18).unwrap();
        sink.finish(3 << 20).unwrap();
        let mut found = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut found).unwrap();
        let mut expected = vec![0; 3 << 20];
        expected[10..13].copy_from_slice(b"new");
        assert!(found == expected);
    }
}
