//! What a partition holds, by its signature: the kind, the id and the label that `blkid` tells.

use super::gpt::Guid;
use crate::fat::{FatReader, ReadAt};

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    /// In the words of `blkid`.
    pub kind: &'static str,
    pub uuid: Option<String>,
    pub label: Option<String>,
}

/// The first 256 KiB hold every signature but those at the end and of VMware's.
const FRONT: usize = 256 << 10;

/// Looks at a volume of `size` bytes.
pub fn probe(size: u64, read: ReadAt<'_>) -> Option<Content> {
    let front = read(0, FRONT).ok()?;
    raid(size, read, &front)
        .or_else(|| luks(&front))
        .or_else(|| lvm(&front))
        .or_else(|| ext(&front))
        .or_else(|| xfs(&front))
        .or_else(|| btrfs(&front))
        .or_else(|| swap(&front))
        .or_else(|| iso9660(&front))
        .or_else(|| gfs2(&front))
        .or_else(|| ntfs(&front))
        .or_else(|| squashfs(&front))
        .or_else(|| fat(read, &front))
        .or_else(|| vmfs(read))
}

fn at(bytes: &[u8], offset: usize, length: usize) -> Option<&[u8]> {
    bytes.get(offset..offset.checked_add(length)?)
}

fn is(bytes: &[u8], offset: usize, magic: &[u8]) -> Option<()> {
    (at(bytes, offset, magic.len())? == magic).then_some(())
}

fn uuid(bytes: &[u8], offset: usize) -> Option<String> {
    let bytes: [u8; 16] = at(bytes, offset, 16)?.try_into().ok()?;
    (bytes != [0; 16]).then(|| Guid::from_uuid(bytes).to_string())
}

fn label(bytes: &[u8], offset: usize, length: usize) -> Option<String> {
    let field = at(bytes, offset, length)?;
    let end = field.iter().position(|b| *b == 0).unwrap_or(field.len());
    let text = String::from_utf8_lossy(&field[..end]).trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A member of an array of Linux, by the four versions of its superblock.
fn raid(size: u64, read: ReadAt<'_>, front: &[u8]) -> Option<Content> {
    const MAGIC: [u8; 4] = [0xfc, 0x4e, 0x2b, 0xa9];
    let found = |uuid, label| {
        Some(Content {
            kind: "linux_raid_member",
            uuid,
            label,
        })
    };
    let version_1 = |bytes: &[u8], from: usize| {
        is(bytes, from, &MAGIC)?;
        is(bytes, from + 4, &1u32.to_le_bytes())?;
        found(uuid(bytes, from + 16), label(bytes, from + 32, 32))
    };
    let mut end = |offset: Option<u64>| read(offset?, 4096).ok();
    version_1(front, 4096)
        .or_else(|| version_1(front, 0))
        .or_else(|| {
            let sector = (size / 512).checked_sub(16)? & !7;
            version_1(&end(Some(sector * 512))?, 0)
        })
        .or_else(|| {
            let old = end((size & !0xffff).checked_sub(0x1_0000))?;
            is(&old, 0, &MAGIC)?;
            found(None, None)
        })
}

fn luks(front: &[u8]) -> Option<Content> {
    is(front, 0, b"LUKS\xba\xbe")?;
    Some(Content {
        kind: "crypto_LUKS",
        uuid: label(front, 168, 40),
        label: None,
    })
}

fn lvm(front: &[u8]) -> Option<Content> {
    (0..4).find_map(|sector| {
        is(front, sector * 512, b"LABELONE")?;
        is(front, sector * 512 + 24, b"LVM2 001")
    })?;
    Some(Content {
        kind: "LVM2_member",
        ..Content::default()
    })
}

fn ext(front: &[u8]) -> Option<Content> {
    is(front, 1024 + 56, &0xef53u16.to_le_bytes())?;
    let word = |offset: usize| {
        let bytes: [u8; 4] = at(front, 1024 + offset, 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes))
    };
    // Extents, or anything newer than them, make it the fourth version; a journal the third.
    let kind = if word(96)? & !0x16 != 0 || word(100)? & !0x7 != 0 {
        "ext4"
    } else if word(92)? & 4 != 0 {
        "ext3"
    } else {
        "ext2"
    };
    Some(Content {
        kind,
        uuid: uuid(front, 1024 + 104),
        label: label(front, 1024 + 120, 16),
    })
}

fn xfs(front: &[u8]) -> Option<Content> {
    is(front, 0, b"XFSB")?;
    Some(Content {
        kind: "xfs",
        uuid: uuid(front, 32),
        label: label(front, 108, 12),
    })
}

fn btrfs(front: &[u8]) -> Option<Content> {
    is(front, 65536 + 64, b"_BHRfS_M")?;
    Some(Content {
        kind: "btrfs",
        uuid: uuid(front, 65536 + 32),
        label: label(front, 65536 + 0x12b, 256),
    })
}

fn swap(front: &[u8]) -> Option<Content> {
    [4096, 8192, 16384, 65536]
        .into_iter()
        .find_map(|page| is(front, page - 10, b"SWAPSPACE2"))?;
    Some(Content {
        kind: "swap",
        uuid: uuid(front, 1024 + 12),
        label: label(front, 1024 + 28, 16),
    })
}

fn iso9660(front: &[u8]) -> Option<Content> {
    is(front, 32769, b"CD001")?;
    // The id is the moment at which the disc was last changed, or else made.
    let stamp = |offset: usize| {
        let digits = std::str::from_utf8(at(front, 32768 + offset, 16)?).ok()?;
        let real = digits.bytes().all(|b| b.is_ascii_digit()) && digits.contains(|c| c != '0');
        real.then(|| {
            let parts = [0..4, 4..6, 6..8, 8..10, 10..12, 12..14, 14..16];
            parts.map(|part| &digits[part]).join("-")
        })
    };
    Some(Content {
        kind: "iso9660",
        uuid: stamp(830).or_else(|| stamp(813)),
        label: label(front, 32768 + 40, 32),
    })
}

fn gfs2(front: &[u8]) -> Option<Content> {
    is(front, 65536, &[0x01, 0x16, 0x19, 0x70])?;
    Some(Content {
        kind: "gfs2",
        ..Content::default()
    })
}

fn ntfs(front: &[u8]) -> Option<Content> {
    is(front, 3, b"NTFS    ")?;
    let serial: [u8; 8] = at(front, 72, 8)?.try_into().ok()?;
    Some(Content {
        kind: "ntfs",
        uuid: Some(format!("{:016X}", u64::from_le_bytes(serial))),
        label: None,
    })
}

fn squashfs(front: &[u8]) -> Option<Content> {
    is(front, 0, b"hsqs")?;
    Some(Content {
        kind: "squashfs",
        ..Content::default()
    })
}

fn fat(read: ReadAt<'_>, front: &[u8]) -> Option<Content> {
    is(front, 510, &[0x55, 0xaa])?;
    let wide = is(front, 82, b"FAT32   ").is_some();
    let narrow = is(front, 54, b"FAT1").is_some() || is(front, 54, b"FAT  ").is_some();
    if !wide && !narrow {
        return None;
    }
    let (serial, name) = if wide { (67, 71) } else { (39, 43) };
    let serial: [u8; 4] = at(front, serial, 4)?.try_into().ok()?;
    let serial = u32::from_le_bytes(serial);
    // The label in the root folder counts; the one in the boot sector is what it was at first.
    let inside = FatReader::open(read)
        .ok()
        .and_then(|reader| reader.label().map(str::to_owned));
    let written = label(front, name, 11).filter(|label| label != "NO NAME");
    Some(Content {
        kind: "vfat",
        uuid: Some(format!("{:04X}-{:04X}", serial >> 16, serial & 0xffff)),
        label: inside.or(written),
    })
}

/// VMware's, which lie further in.
fn vmfs(read: ReadAt<'_>) -> Option<Content> {
    let member = read(1 << 20, 4).ok()?;
    let filesystem = read(2 << 20, 4).ok()?;
    let kind = if is(&member, 0, &[0x0d, 0xd0, 0x01, 0xc0]).is_some() {
        "VMFS_volume_member"
    } else {
        is(&filesystem, 0, &[0x5e, 0xf1, 0xab, 0x2f])?;
        "VMFS"
    };
    Some(Content {
        kind,
        ..Content::default()
    })
}
