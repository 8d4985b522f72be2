//! Safety checks for VMware's images.
//!
//! A descriptor in the file names the files that hold the data, so an image can make a converter
//! read any file of the machine. Only the two types that keep everything in one file pass. Nothing
//! here reads the data.

use crate::field::{le32, le64};

pub(super) const MAGIC: [u8; 4] = *b"KDMV";
const SECTOR: u64 = 512;
/// This value of the grain directory offset means that the real header is the footer of the file.
const AT_END: u64 = u64::MAX;

/// Whether a file starts with a text descriptor, without a binary header.
pub(super) fn is_descriptor(prefix: &[u8]) -> bool {
    let head = prefix.get(..512.min(prefix.len())).unwrap_or_default();
    let text = head.len() >= 64
        && head
            .iter()
            .all(|byte| matches!(byte, 0x20..=0x7e | b'\t'..=b'\r'));
    text && kind(&lowered(prefix)).is_some()
}

/// The reason to refuse an image, if there is one. `tail` is the end of the file.
pub(super) fn violation(prefix: &[u8], tail: &[u8]) -> Option<&'static str> {
    let text = if prefix.starts_with(&MAGIC) {
        match le32(prefix, 4) {
            Some(1..=3) => {}
            _ => return Some("unsupported version"),
        }
        let (Some(sector), Some(count)) = (le64(prefix, 28), le64(prefix, 36)) else {
            return Some("no descriptor found");
        };
        if sector != 1 {
            return Some("the descriptor is in the wrong place");
        }
        if le64(prefix, 56) == Some(AT_END) && !same_at_end(prefix, tail) {
            return Some("header and footer do not match");
        }
        let end = count.saturating_add(1).saturating_mul(SECTOR);
        let end = usize::try_from(end).unwrap_or(usize::MAX).min(prefix.len());
        prefix.get(512..end).unwrap_or_default()
    } else {
        prefix
    };
    descriptor(&lowered(text))
}

fn lowered(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).to_lowercase()
}

fn kind(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("createtype=\"")?;
    let (kind, _) = rest.split_once('"')?;
    (kind.len() < 64).then_some(kind)
}

fn descriptor(text: &str) -> Option<&'static str> {
    if text.is_empty() || !text.is_ascii() {
        return Some("no descriptor found");
    }
    if !matches!(kind(text), Some("monolithicsparse" | "streamoptimized")) {
        return Some("unsupported kind");
    }
    let mut extents = 0;
    for line in text.lines().map(str::trim) {
        let first = line.split(' ').next().unwrap_or_default();
        if line.is_empty() || line.starts_with('#') || line.starts_with("ddb") {
            continue;
        }
        let is_field = line
            .split_once('=')
            .is_some_and(|(name, _)| !name.contains(' '));
        if is_field {
            continue;
        }
        if !matches!(first, "rw" | "rdonly" | "noaccess") {
            return Some("the descriptor has a line that is not understood");
        }
        if line.contains('/') {
            return Some("an extent names a path");
        }
        extents += 1;
    }
    (extents == 0).then_some("the descriptor names no extent")
}

/// Stream-optimized images end with a footer marker, the footer and an end-of-stream marker, a
/// sector each. The footer replaces the header for readers, so it must not say something else.
fn same_at_end(header: &[u8], tail: &[u8]) -> bool {
    let Some(start) = tail.len().checked_sub(1536) else {
        return false;
    };
    let (Some(marker), Some(footer), Some(end)) = (
        tail.get(start..start + 512),
        tail.get(start + 512..start + 1024),
        tail.get(start + 1024..),
    ) else {
        return false;
    };
    let quiet = |sector: &[u8], kind: u32| {
        le32(sector, 8) == Some(0)
            && le32(sector, 12) == Some(kind)
            && sector.iter().skip(16).all(|byte| *byte == 0)
    };
    let same = [0..8, 28..44]
        .into_iter()
        .all(|range| header.get(range.clone()) == footer.get(range));
    quiet(marker, 3)
        && quiet(end, 0)
        && le64(end, 0) == Some(0)
        && same
        && le64(footer, 56) != Some(AT_END)
}
