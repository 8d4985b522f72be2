//! The disk behind a target. Everything here blocks, and is called from threads that may.

use crate::safety::Permit;
use image::sink::{DiskSink, Sink};
use proto::iscsi::{
    scsi::{DiskOp, Geometry, Range},
    target::JobResult,
};
use rustix::fs::{OFlags, ioctl_blkpbszget, ioctl_blksszget};
use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Seek, SeekFrom},
    os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt},
    path::Path,
    sync::{Mutex, PoisonError, RwLock},
};
use tracing::warn;

/// The block size of a file that stands for a disk.
const FILE_BLOCK: u32 = 512;

/// How much is compared or filled at a time.
const PIECE: usize = 1 << 20;

/// An open disk.
#[derive(Debug)]
pub struct Disk {
    file: File,
    /// Makes ranges zero by the means that the disk has.
    zeros: Mutex<DiskSink>,
    /// COMPARE AND WRITE excludes other writers.
    writers: RwLock<()>,
    blocks: u64,
    block_size: u32,
    physical_exponent: u8,
}

impl Disk {
    /// Opens a disk for writing, or a file that stands for one. A disk that is in use is refused.
    pub fn open(path: &Path, _permit: &Permit) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true);
        if fs::metadata(path)?.file_type().is_block_device() {
            options.custom_flags(OFlags::EXCL.bits().cast_signed());
        }
        Self::of(options.open(path)?)
    }

    fn of(mut file: File) -> io::Result<Self> {
        let device = file.metadata()?.file_type().is_block_device();
        let size = file.seek(SeekFrom::End(0))?;
        let (block_size, physical) = if device {
            (ioctl_blksszget(&file)?, ioctl_blkpbszget(&file)?)
        } else {
            (FILE_BLOCK, FILE_BLOCK)
        };
        let block_size = block_size.max(FILE_BLOCK);
        let zeros = DiskSink::of(file.try_clone()?)?.with_capacity(size);
        let exponent = (physical / block_size).max(1).ilog2();
        Ok(Self {
            file,
            zeros: Mutex::new(zeros),
            writers: RwLock::new(()),
            blocks: size / u64::from(block_size),
            block_size,
            physical_exponent: u8::try_from(exponent).unwrap_or(0),
        })
    }

    /// The disk as initiators see it. Its names are made from the target's.
    pub(super) fn geometry(&self, target: &str) -> Geometry {
        let mut hasher = DefaultHasher::new();
        target.hash(&mut hasher);
        let identity = hasher.finish();
        Geometry {
            blocks: self.blocks,
            block_size: self.block_size,
            physical_exponent: self.physical_exponent,
            serial: format!("{identity:016x}"),
            identity,
            rotational: false,
            read_only: false,
            unmap: true,
        }
    }

    /// Does a job. Why one failed goes to the log: initiators learn only that it did.
    pub(super) fn run(&self, op: DiskOp) -> JobResult {
        self.try_run(op).unwrap_or_else(|error| {
            warn!(%error, "the exported disk failed");
            JobResult::Failed
        })
    }

    fn try_run(&self, op: DiskOp) -> io::Result<JobResult> {
        let done = Ok(JobResult::Done(bytes::Bytes::new()));
        match op {
            DiskOp::Read(Range { offset, length }) => {
                let length = usize::try_from(length).map_err(io::Error::other)?;
                let mut data = vec![0; length];
                self.file.read_exact_at(&mut data, offset)?;
                Ok(JobResult::Done(data.into()))
            }
            DiskOp::Write { mut offset, data } => {
                let _writers = self.writers.read().unwrap_or_else(PoisonError::into_inner);
                for piece in data {
                    self.file.write_all_at(&piece, offset)?;
                    offset += piece.len() as u64;
                }
                done
            }
            DiskOp::Verify(range) => {
                self.read_pieces(range, |_, _| true)?;
                done
            }
            DiskOp::Compare { mut offset, data } => {
                let mut before = 0;
                for piece in data {
                    if let Some(at) = self.compare(offset, &piece)? {
                        return Ok(JobResult::Miscompare(before + at));
                    }
                    before += u32::try_from(piece.len()).unwrap_or(0);
                    offset += piece.len() as u64;
                }
                done
            }
            DiskOp::CompareAndWrite { offset, data } => {
                let _writers = self.writers.write().unwrap_or_else(PoisonError::into_inner);
                let (expected, new) = data.split_at(data.len() / 2);
                if let Some(at) = self.compare(offset, expected)? {
                    return Ok(JobResult::Miscompare(at));
                }
                self.file.write_all_at(new, offset)?;
                done
            }
            DiskOp::WriteSame { range, block } => {
                let _writers = self.writers.read().unwrap_or_else(PoisonError::into_inner);
                self.fill(range, &block)?;
                done
            }
            DiskOp::Discard(ranges) => {
                let _writers = self.writers.read().unwrap_or_else(PoisonError::into_inner);
                let mut zeros = self.zeros.lock().unwrap_or_else(PoisonError::into_inner);
                for range in ranges {
                    zeros.zero(range.offset, range.length)?;
                }
                done
            }
            DiskOp::Flush => {
                self.file.sync_data()?;
                done
            }
        }
    }

    /// Where the medium differs first, counted from `offset`.
    fn compare(&self, offset: u64, data: &[u8]) -> io::Result<Option<u32>> {
        let length = data.len() as u64;
        let mut difference = None;
        self.read_pieces(Range { offset, length }, |at, piece| {
            let expected = data.get(at..at + piece.len()).unwrap_or_default();
            let differs = piece
                .iter()
                .zip(expected)
                .position(|(is, other)| is != other);
            difference = differs.and_then(|inner| u32::try_from(at + inner).ok());
            difference.is_none()
        })?;
        Ok(difference)
    }

    /// Reads a range piece by piece, until `each` says that it is enough.
    fn read_pieces(
        &self,
        range: Range,
        mut each: impl FnMut(usize, &[u8]) -> bool,
    ) -> io::Result<()> {
        let length = usize::try_from(range.length).map_err(io::Error::other)?;
        let mut buffer = vec![0; PIECE.min(length)];
        let mut at = 0;
        while at < length {
            let piece = PIECE.min(length - at);
            self.file
                .read_exact_at(&mut buffer[..piece], range.offset + at as u64)?;
            if !each(at, &buffer[..piece]) {
                break;
            }
            at += piece;
        }
        Ok(())
    }

    fn fill(&self, range: Range, block: &[u8]) -> io::Result<()> {
        let blocks = (PIECE / block.len().max(1)).max(1);
        let buffer = block.repeat(blocks);
        let (mut offset, end) = (range.offset, range.offset + range.length);
        while offset < end {
            let piece = usize::try_from(end - offset).unwrap_or(PIECE);
            let piece = piece.min(buffer.len());
            self.file.write_all_at(&buffer[..piece], offset)?;
            offset += piece as u64;
        }
        Ok(())
    }

    /// Returns when everything that was written is on the medium.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}
