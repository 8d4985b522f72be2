//! The real format of an image, and whether it is safe to use.
//!
//! Images that are not what they claim have been used to attack services like this one
//! (CVE-2024-44082 in Ironic): a "raw" image with a qcow2 header makes a converter read any file
//! that the header names. So the content decides, a file that matches two formats is refused, and
//! so is every reference to another file. Names and rules are those of Ironic, except that qcow2
//! with subclusters passes, since our own reader supports them.

use super::{mbr, qcow2, vmdk};
use crate::field::{array, be64, le16, le32, le64};
use std::{fmt, str::FromStr};

/// How much of the start of an image [`inspect`] needs.
pub const PREFIX: usize = 1 << 20;
/// How much of its end: the three last sectors of a stream-optimized VMDK.
pub const TAIL: usize = 1536;

macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident = $text:literal),* $(,)?) => {
        /// The format of an image.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Format { $($(#[$doc])* $name),* }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The name, as Ironic and Glance spell it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

formats! {
    /// No known format: the bytes are the disk.
    Raw = "raw",
    /// A disk with a partition table, MBR or GPT.
    Gpt = "gpt",
    Qcow2 = "qcow2",
    Qed = "qed",
    Vhd = "vhd",
    Vhdx = "vhdx",
    Vmdk = "vmdk",
    Vdi = "vdi",
    /// ISO 9660 or UDF.
    Iso = "iso",
    Luks = "luks",
}

impl Format {
    /// Whether the bytes of the file are those of the disk.
    pub const fn is_raw(self) -> bool {
        matches!(self, Self::Raw | Self::Gpt)
    }

    /// Whether an image of this format may be declared as `declared` (`disk_format` of Glance).
    pub fn may_be_called(self, declared: &str) -> bool {
        match declared {
            // Amazon kernel and ramdisk images, which are never converted.
            "ari" | "aki" => true,
            "raw" => self.is_raw(),
            other => other == self.as_str(),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Text that is not the name of a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a known image format")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let found = Self::ALL.iter().find(|format| format.as_str() == text);
        found.copied().ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

/// The compression of a whole image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Packing {
    Gzip,
    Xz,
    Zstd,
    Bzip2,
}

impl Packing {
    /// The name for messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
        }
    }

    /// The compression, from the magic number in the first bytes.
    pub fn of(prefix: &[u8]) -> Option<Self> {
        // A zstd stream may start with a skippable frame, which has 16 magic numbers (RFC 8878
        // §3.1.2).
        let skipped = |magic: u32| magic & 0xffff_fff0 == 0x184d_2a50;
        if prefix.starts_with(&[0x1f, 0x8b, 8]) {
            Some(Self::Gzip)
        } else if prefix.starts_with(b"\xfd7zXZ\0") {
            Some(Self::Xz)
        } else if le32(prefix, 0).is_some_and(|magic| magic == 0xfd2f_b528 || skipped(magic)) {
            Some(Self::Zstd)
        } else if prefix.starts_with(b"BZh") && matches!(prefix.get(3), Some(b'1'..=b'9')) {
            Some(Self::Bzip2)
        } else {
            None
        }
    }
}

/// The result of an inspection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetectedImage {
    pub format: Format,
    /// The size of the disk that the image describes, where the header says so.
    pub virtual_size: Option<u64>,
}

/// Why an image is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnsafeImage {
    #[error("the image could be {0} and {1} at once")]
    Ambiguous(Format, Format),
    #[error("{0} images are not allowed")]
    Banned(Format),
    #[error("unsafe {format} image: {reason}")]
    Violation { format: Format, reason: String },
}

/// All formats that the content matches; [`Format::Raw`] if there is none.
pub fn matches(prefix: &[u8]) -> Vec<Format> {
    let mut found: Vec<_> = Format::ALL
        .iter()
        .copied()
        .filter(|format| is(*format, prefix))
        .collect();
    if found.is_empty() {
        found.push(Format::Raw);
    }
    found
}

/// Finds the format of an image from its first [`PREFIX`] and last [`TAIL`] bytes (or all of it, if
/// it is shorter), and refuses one that is not safe to use.
pub fn inspect(prefix: &[u8], tail: &[u8]) -> Result<DetectedImage, UnsafeImage> {
    let found = matches(prefix);
    let format = match found[..] {
        [only] => only,
        // Hybrid ISO images, which also boot from a USB stick, have a partition table as well.
        [Format::Gpt, Format::Iso] => Format::Iso,
        [first, second, ..] => return Err(UnsafeImage::Ambiguous(first, second)),
        [] => Format::Raw,
    };
    if let Some(reason) = violation(format, prefix, tail)? {
        return Err(UnsafeImage::Violation { format, reason });
    }
    Ok(DetectedImage {
        format,
        virtual_size: virtual_size(format, prefix),
    })
}

fn is(format: Format, prefix: &[u8]) -> bool {
    match format {
        Format::Raw => false,
        Format::Gpt => has_partition_table(prefix),
        Format::Qcow2 => prefix.starts_with(&qcow2::MAGIC),
        Format::Qed => prefix.starts_with(b"QED\0"),
        Format::Vhd => prefix.starts_with(b"conectix"),
        Format::Vhdx => prefix.starts_with(b"vhdxfile"),
        Format::Vmdk => prefix.starts_with(&vmdk::MAGIC) || vmdk::is_descriptor(prefix),
        Format::Vdi => le32(prefix, 0x40) == Some(0xbeda_107f),
        Format::Iso => array::<5>(prefix, 0x8001)
            .is_some_and(|mark| matches!(&mark, b"CD001" | b"NSR02" | b"NSR03")),
        Format::Luks => prefix.starts_with(b"LUKS\xba\xbe"),
    }
}

/// The boot sector of a FAT filesystem has the same signature: two FATs and media type 0xf8 tell it
/// apart.
fn has_partition_table(prefix: &[u8]) -> bool {
    let fat = prefix.get(0x10) == Some(&2) && prefix.get(0x15) == Some(&0xf8);
    le16(prefix, 510) == Some(0xaa55) && !fat
}

fn violation(format: Format, prefix: &[u8], tail: &[u8]) -> Result<Option<String>, UnsafeImage> {
    let reason = match format {
        Format::Raw | Format::Vhd | Format::Vhdx | Format::Vdi | Format::Iso => None,
        Format::Qed => return Err(UnsafeImage::Banned(format)),
        Format::Gpt => partition_table(prefix).map(str::to_owned),
        Format::Qcow2 => qcow2::Header::decode(prefix)
            .err()
            .map(|error| error.to_string()),
        Format::Vmdk => vmdk::violation(prefix, tail).map(str::to_owned),
        Format::Luks => (crate::field::be16(prefix, 6) != Some(1))
            .then(|| "only version 1 is supported".to_owned()),
    };
    Ok(reason)
}

fn partition_table(prefix: &[u8]) -> Option<&'static str> {
    let Ok(table) = mbr::Mbr::decode(prefix) else {
        return Some("impossible boot flag");
    };
    let used: Vec<usize> = (0..4)
        .filter(|index| table.partitions[*index].is_some())
        .collect();
    for index in &used {
        let Some(found) = table.partitions[*index] else {
            continue;
        };
        if found.kind == mbr::PROTECTIVE {
            let start = array::<3>(prefix, 446 + index * 16 + 1);
            if start != Some([0, 2, 0]) || found.first != 1 {
                return Some("the protective entry starts in the wrong place");
            }
        }
    }
    if table.protects_gpt() && used != [0] {
        return Some("there are partitions beside the protective entry");
    }
    used.is_empty().then_some("the partition table is empty")
}

fn virtual_size(format: Format, prefix: &[u8]) -> Option<u64> {
    match format {
        Format::Qcow2 => be64(prefix, 24),
        Format::Vhd => be64(prefix, 40),
        Format::Vdi => le64(prefix, 0x170),
        Format::Vmdk => le64(prefix, 12)?.checked_mul(512),
        Format::Iso => {
            let blocks = u64::from(le32(prefix, 0x8000 + 80)?);
            let size = u64::from(le16(prefix, 0x8000 + 128)?);
            (prefix.get(0x8000) == Some(&1)).then(|| blocks * size)
        }
        // VHDX has its size deep within the file, and is not converted here.
        Format::Vhdx | Format::Raw | Format::Gpt | Format::Qed | Format::Luks => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::mbr::Mbr;
    use proptest::prelude::*;

    fn disk(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = vec![0; 64 << 10];
        change(&mut bytes);
        bytes
    }

    fn put_at(at: usize, what: &'static [u8]) -> impl Fn(&mut Vec<u8>) {
        move |bytes| bytes[at..at + what.len()].copy_from_slice(what)
    }

    #[track_caller]
    fn finds(format: Format, bytes: &[u8]) {
        assert_eq!(inspect(bytes, &[]).map(|found| found.format), Ok(format));
    }

    #[track_caller]
    fn refuses(text: &str, bytes: &[u8]) {
        let refused = inspect(bytes, &[]).unwrap_err().to_string();
        assert!(refused.contains(text), "{refused}");
    }

    #[test]
    fn content_decides() {
        finds(Format::Raw, &[]);
        finds(Format::Raw, &disk(|_| {}));
        finds(Format::Vhd, &disk(put_at(0, b"conectix")));
        finds(Format::Vhdx, &disk(put_at(0, b"vhdxfile")));
        finds(Format::Vdi, &disk(put_at(0x40, &[0x7f, 0x10, 0xda, 0xbe])));
        finds(Format::Iso, &disk(put_at(0x8000, b"\x01CD001")));
        finds(Format::Luks, &disk(put_at(0, b"LUKS\xba\xbe\0\x01")));
        finds(
            Format::Gpt,
            &disk(|b| b[..512].copy_from_slice(&Mbr::protective(128).encode())),
        );
    }

    #[test]
    fn a_bootable_disc_is_a_disc() {
        finds(
            Format::Iso,
            &disk(|b| {
                b[..512].copy_from_slice(&Mbr::protective(128).encode());
                put_at(0x8000, b"\x01CD001")(b);
            }),
        );
    }

    #[test]
    fn two_formats_at_once_are_refused() {
        refuses(
            "at once",
            &disk(|b| {
                put_at(0, b"QFI\xfb\0\0\0\x03")(b);
                put_at(0x8000, b"\x01CD001")(b);
            }),
        );
        refuses(
            "at once",
            &disk(|b| {
                put_at(0, b"QFI\xfb\0\0\0\x03")(b);
                put_at(510, &[0x55, 0xaa])(b);
            }),
        );
    }

    #[test]
    fn unsafe_images_are_refused() {
        refuses("qed", &disk(put_at(0, b"QED\0")));
        refuses(
            "backing file",
            &disk(put_at(0, b"QFI\xfb\0\0\0\x02\0\0\0\0\0\0\0\x68")),
        );
        refuses("version 1", &disk(put_at(0, b"LUKS\xba\xbe\0\x02")));
        refuses("empty", &disk(put_at(510, &[0x55, 0xaa])));
        refuses(
            "beside",
            &disk(|b| {
                let mut table = Mbr::protective(128);
                table.partitions[1] = table.partitions[0].map(|mut p| {
                    p.kind = 0x83;
                    p
                });
                b[..512].copy_from_slice(&table.encode());
            }),
        );
    }

    #[test]
    fn vmware_images_may_not_name_paths() {
        let descriptor = |kind: &str, extent: &str| {
            disk(|b| {
                let text = format!(
                    "# Disk DescriptorFile\nversion=1\nCID=fffffffe\ncreateType=\"{kind}\"\n{extent}\nddb.adapterType = \"ide\"\n# padding up to the size of a header\n"
                );
                b[512..512 + text.len()].copy_from_slice(text.as_bytes());
                put_at(0, b"KDMV\x01\0\0\0")(b);
                b[28] = 1;
                b[36] = 20;
            })
        };
        finds(
            Format::Vmdk,
            &descriptor("monolithicSparse", "RW 2048 SPARSE \"disk.vmdk\""),
        );
        refuses(
            "path",
            &descriptor("monolithicSparse", "RW 2048 FLAT \"/etc/passwd\" 0"),
        );
        refuses(
            "unsupported kind",
            &descriptor("monolithicFlat", "RW 2048 FLAT \"x\" 0"),
        );
        refuses("names no extent", &descriptor("streamOptimized", ""));
        refuses(
            "not understood",
            &descriptor("streamOptimized", "include everything"),
        );
        let mut text = descriptor("twoGbMaxExtentFlat", "RW 1 FLAT \"x\" 0").split_off(512);
        let end = text.iter().position(|byte| *byte == 0).unwrap();
        text.truncate(end);
        refuses("unsupported kind", &text);
        let mut stream = descriptor("streamOptimized", "RW 1 SPARSE \"x\"");
        stream[56..64].fill(0xff);
        refuses("footer", &stream);
    }

    #[test]
    fn names_are_compared_as_ironic_does() {
        assert!(Format::Gpt.may_be_called("raw"));
        assert!(Format::Raw.may_be_called("ari"));
        assert!(!Format::Raw.may_be_called("gpt"));
        assert!(!Format::Qcow2.may_be_called("raw"));
        for format in Format::ALL {
            assert_eq!(format.as_str().parse(), Ok(*format));
        }
    }

    #[test]
    fn packed_streams_are_known_by_their_first_bytes() {
        assert_eq!(Packing::of(&[0x1f, 0x8b, 8, 0]), Some(Packing::Gzip));
        assert_eq!(Packing::of(b"\xfd7zXZ\0"), Some(Packing::Xz));
        assert_eq!(Packing::of(&[0x28, 0xb5, 0x2f, 0xfd]), Some(Packing::Zstd));
        assert_eq!(Packing::of(&[0x5c, 0x2a, 0x4d, 0x18]), Some(Packing::Zstd));
        assert_eq!(Packing::of(b"BZh9"), Some(Packing::Bzip2));
        assert_eq!(Packing::of(b"BZhx"), None);
        assert_eq!(Packing::of(&[]), None);
    }

    proptest! {
        #[test]
        fn nothing_panics(prefix in proptest::collection::vec(any::<u8>(), 0..2048), tail in proptest::collection::vec(any::<u8>(), 0..2048), choice in 0usize..6) {
            let magics: [&[u8]; 6] = [b"", b"KDMV\x03\0\0\0", b"QFI\xfb\0\0\0\x03", b"LUKS\xba\xbe", b"conectix", b"createtype=\"x\""];
            let prefix = [magics[choice], &prefix].concat();
            let _ = inspect(&prefix, &tail);
            let _ = Packing::of(&prefix);
        }
    }
}
