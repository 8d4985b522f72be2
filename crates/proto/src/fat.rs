//! FAT filesystems, written in one pass: EFI system partitions and small media with parameters.
//!
//! The number of clusters decides between FAT12, FAT16 and FAT32, as Microsoft's specification
//! ("FAT: General Overview of On-Disk Format" 1.03, "FAT Type Determination") requires. Folders come
//! first, then the files, each contiguous, in the order of the image; the same tree gives the same
//! bytes. Names that do not fit 8.3 get long name entries. [`FatReader`] reads volumes that others
//! made.

mod folder;
mod geometry;
mod reader;

pub use reader::{FatError, FatFile, FatReader, ReadAt};

use crate::{
    field::put,
    volume::{Segment, Stamp, Tree, VolumeError},
};
use geometry::Geometry;

const SECTOR: u64 = 512;
/// The length of a directory entry; a long name takes several.
const ENTRY: usize = 32;

/// The parameters of a filesystem.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fat {
    /// At most 11 characters of ASCII.
    pub label: String,
    /// The volume id.
    pub serial: u32,
    pub stamp: Stamp,
    /// The size of the image; `None` for the smallest that holds the files, in whole MiB.
    pub size: Option<u64>,
    /// The sector size, which must not be smaller than that of the disk; `None` for 512.
    pub sector_size: Option<u32>,
}

/// The layout of a filesystem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FatLayout {
    segments: Vec<Segment>,
    /// The width of a FAT entry: 12, 16 or 32.
    pub bits: u32,
}

impl FatLayout {
    /// The parts of the image, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The size of the image in bytes.
    pub fn length(&self) -> u64 {
        self.segments.iter().map(Segment::length).sum()
    }
}

impl Fat {
    /// Lays a tree out.
    pub fn layout(&self, tree: &Tree) -> Result<FatLayout, VolumeError> {
        let fits =
            self.label.len() <= 11 && self.label.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        if !fits {
            return Err(VolumeError::Label(self.label.clone()));
        }
        if let Some(size) = self.size {
            return self.sized(tree, size);
        }
        // The slack in the last cluster of each file depends on the cluster size, which depends on
        // the size of the volume: try sizes until one fits.
        let least: u64 = tree
            .paths()
            .filter_map(|path| tree.get(path))
            .map(|content| content.length())
            .sum();
        let mut size = least.next_multiple_of(1 << 20).max(1 << 20);
        for _ in 0..64 {
            match self.sized(tree, size) {
                Err(VolumeError::Full { .. } | VolumeError::Size(_)) => {
                    size += (size / 16).next_multiple_of(1 << 20).max(1 << 20);
                }
                other => return other,
            }
        }
        Err(VolumeError::Size(size))
    }

    fn sized(&self, tree: &Tree, size: u64) -> Result<FatLayout, VolumeError> {
        let geometry = Geometry::of(size, self.sector_size.map_or(SECTOR, u64::from))
            .ok_or(VolumeError::Size(size))?;
        let mut clusters = Clusters::new(&geometry);
        let mut folders = folder::of(tree, self, &geometry)?;
        // On FAT12 and FAT16 the root directory has a fixed place before the clusters.
        for folder in &mut folders {
            let bytes = u64::try_from(folder.bytes(&geometry)).unwrap_or(u64::MAX);
            if !(folder.is_root() && geometry.root_sectors > 0) {
                folder.cluster = clusters.take(bytes, &geometry)?;
            }
        }
        for file in folders
            .iter_mut()
            .flat_map(|folder| folder.files.iter_mut())
        {
            file.cluster = clusters.take(file.file.content.length(), &geometry)?;
        }

        let mut segments = vec![Segment::Bytes(self.reserved(&geometry, &clusters))];
        let table = clusters.encode(&geometry);
        segments.push(Segment::Bytes(table.clone()));
        segments.push(Segment::Bytes(table));
        for (index, folder) in folders.iter().enumerate() {
            segments.push(Segment::Bytes(
                folder.encode(index, &folders, self, &geometry),
            ));
        }
        let cluster = geometry.cluster_bytes();
        for placed in folders.iter().flat_map(|folder| &folder.files) {
            let length = placed.file.content.length();
            if length > 0 {
                segments.push(placed.file.segment());
                segments.push(Segment::Zeros(length.next_multiple_of(cluster) - length));
            }
        }
        let used: u64 = segments.iter().map(Segment::length).sum();
        segments.push(Segment::Zeros(geometry.sectors * geometry.sector - used));
        segments.retain(|segment| segment.length() > 0);
        Ok(FatLayout {
            segments,
            bits: geometry.bits,
        })
    }

    /// The reserved sectors: the boot sector and, on FAT32, FSInfo and the backup of both.
    fn reserved(&self, geometry: &Geometry, clusters: &Clusters) -> Vec<u8> {
        let wide = geometry.bits == 32;
        let mut bytes =
            vec![0; usize::try_from(geometry.reserved * geometry.sector).unwrap_or(512)];
        let short = |value: u64| u16::try_from(value).unwrap_or(0).to_le_bytes();
        let long = |value: u64| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes();
        put(&mut bytes, 0, b"\xeb\x58\x90CORTEN  ");
        put(&mut bytes, 11, &short(geometry.sector));
        bytes[13] = u8::try_from(geometry.cluster_sectors).unwrap_or(1);
        put(&mut bytes, 14, &short(geometry.reserved));
        bytes[16] = 2;
        put(
            &mut bytes,
            17,
            &short(geometry.root_sectors * geometry.sector / ENTRY as u64),
        );
        // The number of sectors is in the 16-bit field if it fits, else that is zero and the 32-bit
        // field counts. FAT32 always uses the latter.
        let small = !wide && geometry.sectors <= u64::from(u16::MAX);
        put(
            &mut bytes,
            19,
            &short(if small { geometry.sectors } else { 0 }),
        );
        bytes[21] = 0xf8;
        put(&mut bytes, 24, &short(32));
        put(&mut bytes, 26, &short(64));
        put(
            &mut bytes,
            32,
            &long(if small { 0 } else { geometry.sectors }),
        );
        let extended = if wide {
            put(&mut bytes, 36, &long(geometry.table_sectors));
            put(&mut bytes, 44, &long(2));
            put(&mut bytes, 48, &short(1));
            put(&mut bytes, 50, &short(6));
            64
        } else {
            put(&mut bytes, 22, &short(geometry.table_sectors));
            36
        };
        bytes[extended] = 0x80;
        bytes[extended + 2] = 0x29;
        put(&mut bytes, extended + 3, &self.serial.to_le_bytes());
        put(&mut bytes, extended + 7, &self.padded_label());
        put(
            &mut bytes,
            extended + 18,
            format!("FAT{:<5}", geometry.bits).as_bytes(),
        );
        put(&mut bytes, 510, &[0x55, 0xaa]);
        if wide {
            let free = geometry.clusters.saturating_sub(clusters.used());
            let second = usize::try_from(geometry.sector).unwrap_or(512);
            put(&mut bytes, second, b"RRaA");
            put(&mut bytes, second + 484, b"rrAa");
            put(&mut bytes, second + 488, &long(free));
            put(&mut bytes, second + 492, &long(2 + clusters.used()));
            put(&mut bytes, second + 510, &[0x55, 0xaa]);
            let copy = bytes[..2 * second].to_vec();
            put(&mut bytes, 6 * second, &copy);
        }
        bytes
    }

    fn padded_label(&self) -> [u8; 11] {
        let mut label = [b' '; 11];
        let text = if self.label.is_empty() {
            "NO NAME"
        } else {
            &self.label
        };
        put(&mut label, 0, text.as_bytes());
        label
    }
}

/// The allocation of clusters. Every file is contiguous, so the lengths are enough.
struct Clusters {
    /// The number of clusters of each file or folder, in order.
    pieces: Vec<u64>,
    room: u64,
}

impl Clusters {
    fn new(geometry: &Geometry) -> Self {
        Self {
            pieces: Vec::new(),
            room: geometry.clusters,
        }
    }

    fn used(&self) -> u64 {
        self.pieces.iter().sum()
    }

    /// Allocates clusters for `bytes` bytes and returns the first one; 0 for an empty file.
    fn take(&mut self, bytes: u64, geometry: &Geometry) -> Result<u32, VolumeError> {
        if bytes == 0 {
            return Ok(0);
        }
        let count = bytes.div_ceil(geometry.cluster_bytes());
        let first = 2 + self.used();
        if self.used() + count > self.room {
            return Err(VolumeError::Full {
                needed: (self.used() + count) * geometry.cluster_bytes(),
                room: self.room * geometry.cluster_bytes(),
            });
        }
        self.pieces.push(count);
        u32::try_from(first).map_err(|_| VolumeError::Size(bytes))
    }

    /// Encodes the FAT: for each cluster the next one of its file.
    fn encode(&self, geometry: &Geometry) -> Vec<u8> {
        let last = match geometry.bits {
            12 => 0xfff,
            16 => 0xffff,
            _ => 0x0fff_ffff,
        };
        // Entries 0 and 1 are reserved: the media type, and the flags "clean" and "no errors".
        let mut entries = vec![last & 0xffff_fff8, last];
        for count in &self.pieces {
            for left in (0..*count).rev() {
                let next = u32::try_from(entries.len() + 1).unwrap_or(last);
                entries.push(if left == 0 { last } else { next });
            }
        }
        let mut bytes = Vec::new();
        match geometry.bits {
            12 => {
                for pair in entries.chunks(2) {
                    let both = pair[0] | pair.get(1).copied().unwrap_or(0) << 12;
                    bytes.extend(&both.to_le_bytes()[..3]);
                }
            }
            16 => bytes.extend(entries.iter().flat_map(|entry| {
                let [low, high, ..] = entry.to_le_bytes();
                [low, high]
            })),
            _ => bytes.extend(entries.iter().flat_map(|entry| entry.to_le_bytes())),
        }
        bytes.resize(
            usize::try_from(geometry.table_sectors * geometry.sector).unwrap_or(0),
            0,
        );
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Content;
    use proptest::prelude::*;

    fn tree(sizes: &[u64]) -> Tree {
        let mut tree = Tree::new();
        for (index, size) in sizes.iter().enumerate() {
            tree.add(
                &format!("EFI/Folder {}/file-{index}.efi", index % 3),
                Content::External(*size),
            )
            .unwrap();
        }
        tree
    }

    #[test]
    fn the_size_decides_the_kind() {
        for (size, bits) in [
            (1440 << 10, 12),
            (8 << 20, 12),
            (64 << 20, 16),
            (600 << 20, 32),
        ] {
            let fat = Fat {
                size: Some(size),
                ..Fat::default()
            };
            let layout = fat.layout(&tree(&[5, 5000])).unwrap();
            assert_eq!((layout.bits, layout.length()), (bits, size));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let fat = Fat {
            size: Some(1 << 20),
            ..Fat::default()
        };
        assert!(matches!(
            fat.layout(&tree(&[2 << 20])),
            Err(VolumeError::Full { .. })
        ));
        let fat = Fat {
            size: Some(100),
            ..Fat::default()
        };
        assert!(matches!(
            fat.layout(&tree(&[])),
            Err(VolumeError::Size(100))
        ));
        let fat = Fat {
            label: "MUCH TOO LONG".into(),
            ..Fat::default()
        };
        assert!(matches!(fat.layout(&tree(&[])), Err(VolumeError::Label(_))));
    }

    proptest! {
        #[test]
        fn files_always_find_room(sizes in proptest::collection::vec(0u64..(4 << 20), 0..12)) {
            let layout = Fat::default().layout(&tree(&sizes)).unwrap();
            let total: u64 = sizes.iter().sum();
            prop_assert_eq!(layout.length() % (1 << 20), 0);
            prop_assert!(layout.length() <= total + total / 4 + (3 << 20));
        }
    }
}
