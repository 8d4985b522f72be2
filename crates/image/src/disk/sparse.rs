//! A file with holes copied to a disk: only what was written to it.
//!
//! Programs that make filesystems want a device or a file. In a file as large as the partition they
//! write a few megabytes, and those are all that a disk elsewhere needs.

#![expect(
    clippy::disallowed_types,
    reason = "only called from threads that may wait"
)]

use super::medium::Medium;
use rustix::{
    fs::{SeekFrom, seek},
    io::Errno,
};
use std::{fs::File, io, os::unix::fs::FileExt};

const CHUNK: u64 = 1 << 20;

/// Copies what is not a hole. Blocks.
pub fn copy(file: &File, medium: &mut dyn Medium) -> io::Result<()> {
    let size = file.metadata()?.len();
    let mut buffer = vec![0; usize::try_from(CHUNK).map_err(io::Error::other)?];
    let mut at = 0;
    while at < size {
        let start = match seek(file, SeekFrom::Data(at)) {
            Ok(start) => start,
            // Nothing but a hole up to the end.
            Err(Errno::NXIO) => break,
            Err(error) => return Err(error.into()),
        };
        let end = seek(file, SeekFrom::Hole(start))?;
        at = start;
        while at < end {
            let length = usize::try_from(CHUNK.min(end - at)).map_err(io::Error::other)?;
            file.read_exact_at(&mut buffer[..length], at)?;
            medium.write_at(at, &buffer[..length])?;
            at += length as u64;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_leave_the_disk_as_it_is() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(8 << 20).unwrap();
        file.write_all_at(&[1; 4096], 1 << 20).unwrap();
        file.write_all_at(&[2; 4096], (8 << 20) - 4096).unwrap();
        let mut disk = vec![9u8; 8 << 20];
        copy(&file, &mut disk).unwrap();
        assert_eq!((disk[0], disk[1 << 20], disk[4 << 20]), (9, 1, 9));
        assert_eq!(disk[(8 << 20) - 1], 2);
    }
}
