//! A disk of this machine as a medium.

use super::sys;
pub use image::disk::medium::{Medium, Window, read};
use image::{
    disk::medium::within,
    sink::{DiskSink, Sink},
};
use rustix::fs::OFlags;
use std::{
    fs::File,
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

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
