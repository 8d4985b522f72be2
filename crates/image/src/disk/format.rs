//! Empty filesystems that are made without a program: FAT and swap space.

use super::{
    medium::{Medium, Window},
    random_id,
};
use proto::{
    fat::Fat,
    volume::{Segment, Tree},
};
use std::io;

const PAGE: u64 = 4096;

/// An empty FAT filesystem.
pub fn vfat(window: &mut Window<'_>, label: &str) -> io::Result<()> {
    let [a, b, c, d, ..] = random_id();
    let fat = Fat {
        label: label.to_owned(),
        serial: u32::from_le_bytes([a, b, c, d]),
        size: Some(window.size()),
        sector_size: Some(window.sector_size()),
        ..Fat::default()
    };
    let layout = fat.layout(&Tree::new()).map_err(io::Error::other)?;
    put(window, layout.segments(), nothing)
}

/// Writes a volume as it was laid out, and zeros behind it. `file` reads what is elsewhere.
pub fn put(
    medium: &mut dyn Medium,
    segments: &[Segment],
    file: impl Fn(&str) -> io::Result<Vec<u8>>,
) -> io::Result<()> {
    let mut at = 0;
    for segment in segments {
        match segment {
            Segment::Bytes(bytes) => medium.write_at(at, bytes)?,
            Segment::Zeros(length) => medium.zero(at, *length)?,
            Segment::File { path, length } => {
                let bytes = file(path)?;
                if bytes.len() as u64 != *length {
                    return Err(io::Error::other(format!("{path} changed")));
                }
                medium.write_at(at, &bytes)?;
            }
        }
        at += segment.length();
    }
    medium.zero(at, medium.size().saturating_sub(at))
}

/// For volumes that were laid out with everything in memory.
pub fn nothing(_path: &str) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::NotFound.into())
}

/// Swap space.
pub fn swap(window: &mut Window<'_>, label: &str) -> io::Result<()> {
    let pages = window.size() / PAGE;
    if pages < 10 {
        return Err(io::Error::other("swap space of less than ten pages"));
    }
    let last = u32::try_from(pages - 1).unwrap_or(u32::MAX);
    let mut page = [0; 4096];
    page[1024..1028].copy_from_slice(&1u32.to_le_bytes());
    page[1028..1032].copy_from_slice(&last.to_le_bytes());
    page[1036..1052].copy_from_slice(&random_id());
    let label = &label.as_bytes()[..label.len().min(16)];
    page[1052..1052 + label.len()].copy_from_slice(label);
    page[4086..].copy_from_slice(b"SWAPSPACE2");
    // Signatures of what was there before would win over ours.
    Medium::zero(window, 0, window.size().min(1 << 20))?;
    Medium::write_at(window, 0, &page)
}
