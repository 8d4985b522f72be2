//! Bytes with places: a disk, a part of one, an image of one in memory.
//!
//! Whoever has a disk, by whatever means, makes a medium of it; what is written to it then is the
//! same for all.

use crate::sink::Sink;
use std::io;

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
pub fn within(size: u64, offset: u64, length: u64) -> io::Result<()> {
    match offset.checked_add(length) {
        Some(end) if end <= size => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{length} bytes at {offset} are beyond the end at {size}"),
        )),
    }
}

/// Bytes in memory: volumes that are made before they are written.
impl Medium for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn sector_size(&self) -> u32 {
        512
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        within(self.size(), offset, bytes.len() as u64)?;
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        bytes.copy_from_slice(&self[start..start + bytes.len()]);
        Ok(())
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        within(self.size(), offset, bytes.len() as u64)?;
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        self[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        within(self.size(), offset, length)?;
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let length = usize::try_from(length).map_err(io::Error::other)?;
        self[start..start + length].fill(0);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
