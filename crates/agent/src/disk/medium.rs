//! Bytes with places: a disk, a part of one, a file that stands for one.

use super::sys;
use image::sink::{DiskSink, Sink};
use rustix::fs::OFlags;
use std::{
    fs::File,
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

pub trait Medium: Send {
    fn size(&self) -> u64;
    fn sector_size(&self) -> u32;
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()>;
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Makes a range read as zeros.
    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()>;
    /// Returns when everything is on the medium.
    fn sync(&mut self) -> io::Result<()>;
}

/// A part of a medium that is there; shorter where the medium ends.
pub fn read(medium: &dyn Medium, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let left = usize::try_from(medium.size().saturating_sub(offset)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length.min(left)];
    medium.read_at(offset, &mut bytes)?;
    Ok(bytes)
}

/// A disk, or a file that stands for one and keeps its size.
#[derive(Debug)]
pub struct Disk {
    path: PathBuf,
    file: File,
    sink: DiskSink,
    size: u64,
    sector_size: u32,
}

impl Disk {
    /// Opens a disk exclusively.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true);
        let plain = options.open(path)?;
        if sys::is_device(&plain) {
            options.custom_flags(OFlags::EXCL.bits().cast_signed());
            let own = options.open(path).map_err(|error| match error.kind() {
                io::ErrorKind::ResourceBusy => io::Error::new(
                    error.kind(),
                    "the device is in use (mounted, or part of a running RAID array)",
                ),
                _ => error,
            })?;
            return Self::of(path, own);
        }
        Self::of(path, plain)
    }

    /// Opens a disk that others may use meanwhile. Writing fails.
    pub fn open_to_read(path: &Path) -> io::Result<Self> {
        Self::of(path, File::open(path)?)
    }

    /// Opens a disk that others may use meanwhile, such as one that was just mounted.
    pub fn open_to_write(path: &Path) -> io::Result<Self> {
        Self::of(path, File::options().read(true).write(true).open(path)?)
    }

    fn of(path: &Path, file: File) -> io::Result<Self> {
        let sector_size = sys::sector_size(&file);
        let sink = DiskSink::of(file.try_clone()?)?;
        let size = match sink.capacity() {
            Some(size) => size,
            None => file.metadata()?.len(),
        };
        Ok(Self {
            path: path.to_owned(),
            sink: sink.with_capacity(size),
            file,
            size,
            sector_size,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Medium for Disk {
    fn size(&self) -> u64 {
        self.size
    }

    fn sector_size(&self) -> u32 {
        self.sector_size
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(bytes, offset)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        within(self.size, offset, bytes.len() as u64)?;
        self.sink.write_at(offset, bytes)
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        within(self.size, offset, length)?;
        self.sink.zero(offset, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sink.finish(self.size)
    }
}

/// A part of a medium, such as a partition.
pub struct Window<'m> {
    medium: &'m mut dyn Medium,
    offset: u64,
    length: u64,
}

impl std::fmt::Debug for Window<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Window({} + {})", self.offset, self.length)
    }
}

impl<'m> Window<'m> {
    pub fn new(medium: &'m mut dyn Medium, offset: u64, length: u64) -> io::Result<Self> {
        within(medium.size(), offset, length)?;
        Ok(Self {
            medium,
            offset,
            length,
        })
    }
}

impl Medium for Window<'_> {
    fn size(&self) -> u64 {
        self.length
    }

    fn sector_size(&self) -> u32 {
        self.medium.sector_size()
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        within(self.length, offset, bytes.len() as u64)?;
        self.medium.read_at(self.offset + offset, bytes)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        within(self.length, offset, bytes.len() as u64)?;
        self.medium.write_at(self.offset + offset, bytes)
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        within(self.length, offset, length)?;
        self.medium.zero(self.offset + offset, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.medium.sync()
    }
}

impl Sink for Window<'_> {
    fn capacity(&self) -> Option<u64> {
        Some(self.length)
    }

    fn write_at(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        Medium::write_at(self, offset, data)
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        Medium::zero(self, offset, length)
    }

    fn finish(&mut self, _length: u64) -> io::Result<()> {
        self.sync()
    }
}

/// Whether a range is within so many bytes.
fn within(size: u64, offset: u64, length: u64) -> io::Result<()> {
    match offset.checked_add(length) {
        Some(end) if end <= size => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{length} bytes at {offset} are beyond the end at {size}"),
        )),
    }
}

/// Bytes in memory, for what needs no file.
#[cfg(test)]
impl Medium for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn sector_size(&self) -> u32 {
        512
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        within(self.size(), offset, bytes.len() as u64)?;
        let start = usize::try_from(offset).unwrap();
        bytes.copy_from_slice(&self[start..start + bytes.len()]);
        Ok(())
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        within(self.size(), offset, bytes.len() as u64)?;
        let start = usize::try_from(offset).unwrap();
        self[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.write_at(offset, &vec![0; usize::try_from(length).unwrap()])
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
