//! Reading FAT filesystems: their label, the names of their files, small files.
//!
//! For EFI system partitions of images, which are untrusted input: cyclic cluster chains, folders
//! within themselves and sizes beyond the volume end the reading of that file or folder. Nothing is
//! written.

use super::{ENTRY, SECTOR};
use crate::field::{le16, le32};
use std::io;

/// Reads `length` bytes at an offset; returns fewer at the end of the volume.
pub type ReadAt<'a> = &'a mut dyn FnMut(u64, usize) -> io::Result<Vec<u8>>;

/// Limits on the work that a hostile volume can cause.
const DEEPEST: usize = 16;
const MOST_FILES: usize = 20_000;
const MOST_FOLDER: usize = 2 << 20;
/// All folders together.
const MOST_FOLDERS: usize = 64 << 20;

const FOLDER: u8 = 0x10;
const LABEL: u8 = 0x08;
const LONG: u8 = 0x0f;

/// Why a volume cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FatError {
    #[error("this is no FAT filesystem")]
    NotFat,
    #[error("the FAT filesystem cannot be read")]
    Read(#[from] io::Error),
    #[error("'{path}' has {size} bytes, more than the {limit} that are read")]
    TooLarge { path: String, size: u64, limit: u64 },
}

/// A file; the names in its path are separated by `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FatFile {
    pub path: String,
    pub size: u64,
    cluster: u32,
}

/// A FAT volume.
#[derive(Debug, Clone)]
pub struct FatReader {
    bits: u32,
    cluster_bytes: u64,
    table: u64,
    /// The root directory: at a fixed offset, or a cluster chain on FAT32.
    root: RootDirectory,
    data: u64,
    clusters: u32,
    label: Option<String>,
}

#[derive(Debug, Clone, Copy)]
enum RootDirectory {
    At { offset: u64, bytes: usize },
    Cluster(u32),
}

struct DirectoryEntry {
    name: String,
    attributes: u8,
    cluster: u32,
    size: u64,
}

impl FatReader {
    /// Reads the boot sector and the label.
    pub fn open(read: ReadAt<'_>) -> Result<Self, FatError> {
        let boot = read(0, 512)?;
        let short = |at| le16(&boot, at).map(u64::from).ok_or(FatError::NotFat);
        let byte = |at: usize| boot.get(at).copied().map(u64::from).ok_or(FatError::NotFat);
        let long = |at| le32(&boot, at).map(u64::from).ok_or(FatError::NotFat);
        let either = |first: u64, second: u64| if first == 0 { second } else { first };
        let sector = short(11)?;
        let cluster_sectors = byte(13)?;
        let (reserved, copies) = (short(14)?, byte(16)?);
        let root_bytes = short(17)? * ENTRY as u64;
        let sectors = either(short(19)?, long(32)?);
        let table_sectors = either(short(22)?, long(36)?);
        let sound = short(510)? == 0xaa55
            && sector.is_power_of_two()
            && (SECTOR..=4096).contains(&sector)
            && cluster_sectors.is_power_of_two()
            && reserved > 0
            && matches!(copies, 1..=4)
            && table_sectors > 0;
        if !sound {
            return Err(FatError::NotFat);
        }
        let root_sector = reserved + copies * table_sectors;
        let data_sector = root_sector + root_bytes.div_ceil(sector);
        let clusters = sectors.saturating_sub(data_sector) / cluster_sectors;
        // The number of clusters alone decides the width; the text `FAT16` in the boot sector does
        // not count ("FAT Type Determination" of Microsoft's specification).
        let bits = match clusters {
            0 => return Err(FatError::NotFat),
            1..4085 => 12,
            4085..65525 => 16,
            _ => 32,
        };
        let mut found = Self {
            bits,
            cluster_bytes: sector * cluster_sectors,
            table: reserved * sector,
            root: if bits == 32 {
                RootDirectory::Cluster(le32(&boot, 44).ok_or(FatError::NotFat)?)
            } else {
                RootDirectory::At {
                    offset: root_sector * sector,
                    bytes: usize::try_from(root_bytes).unwrap_or(0),
                }
            },
            data: data_sector * sector,
            clusters: u32::try_from(clusters).map_err(|_| FatError::NotFat)?,
            label: None,
        };
        let root = found.root_bytes(read)?;
        found.label = entries(&root)
            .into_iter()
            .find(|entry| entry.attributes & (LABEL | FOLDER) == LABEL)
            .map(|entry| entry.name);
        Ok(found)
    }

    /// The volume label, from the root directory.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// All files, folder by folder, in the order of the volume. Damaged folders count as empty.
    pub fn files(&self, read: ReadAt<'_>) -> Result<Vec<FatFile>, FatError> {
        let mut files = Vec::new();
        let mut left = MOST_FOLDERS;
        let mut folders = vec![(String::new(), None, 0)];
        while let Some((path, cluster, depth)) = folders.pop() {
            // Read only now: many entries may name the same large folder.
            let bytes = match cluster {
                None => self.root_bytes(read)?,
                Some(cluster) => self.chain(read, cluster, MOST_FOLDER.min(left))?,
            };
            left = left.saturating_sub(bytes.len());
            let mut below = Vec::new();
            for entry in entries(&bytes) {
                let within = format!("{path}{}", entry.name);
                if entry.attributes & LABEL != 0 || matches!(entry.name.as_str(), "." | "..") {
                    continue;
                }
                if entry.attributes & FOLDER == 0 {
                    if files.len() < MOST_FILES {
                        files.push(FatFile {
                            path: within,
                            size: entry.size,
                            cluster: entry.cluster,
                        });
                    }
                } else if depth < DEEPEST && files.len() + folders.len() < MOST_FILES {
                    below.push((format!("{within}/"), Some(entry.cluster), depth + 1));
                }
            }
            below.reverse();
            folders.append(&mut below);
            folders.truncate(MOST_FILES);
        }
        Ok(files)
    }

    /// The content of a file, unless it is larger than `limit`.
    pub fn read_file(
        &self,
        read: ReadAt<'_>,
        file: &FatFile,
        limit: u64,
    ) -> Result<Vec<u8>, FatError> {
        if file.size > limit {
            return Err(FatError::TooLarge {
                path: file.path.clone(),
                size: file.size,
                limit,
            });
        }
        let size = usize::try_from(file.size).unwrap_or(usize::MAX);
        let mut bytes = self.chain(read, file.cluster, size)?;
        bytes.truncate(size);
        Ok(bytes)
    }

    /// The start of a file, at most `length` bytes.
    pub fn read_start(
        &self,
        read: ReadAt<'_>,
        file: &FatFile,
        length: usize,
    ) -> Result<Vec<u8>, FatError> {
        let wanted = usize::try_from(file.size).unwrap_or(usize::MAX).min(length);
        let mut bytes = self.chain(read, file.cluster, wanted)?;
        bytes.truncate(wanted);
        Ok(bytes)
    }

    fn root_bytes(&self, read: ReadAt<'_>) -> Result<Vec<u8>, FatError> {
        match self.root {
            RootDirectory::At { offset, bytes } => Ok(read(offset, bytes)?),
            RootDirectory::Cluster(first) => self.chain(read, first, MOST_FOLDER),
        }
    }

    /// The first `wanted` bytes of a cluster chain; fewer if the chain ends earlier.
    fn chain(&self, read: ReadAt<'_>, first: u32, wanted: usize) -> Result<Vec<u8>, FatError> {
        let cluster_bytes = usize::try_from(self.cluster_bytes).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        let mut cluster = first;
        let mut left = self.clusters;
        // Clusters are numbered from 2; a chain longer than the volume is cyclic.
        while (2..self.clusters + 2).contains(&cluster) && left > 0 && bytes.len() < wanted {
            let offset = self.data + u64::from(cluster - 2) * self.cluster_bytes;
            let part = read(offset, cluster_bytes)?;
            if part.is_empty() {
                break;
            }
            bytes.extend(part);
            cluster = self.next(read, cluster)?;
            left -= 1;
        }
        Ok(bytes)
    }

    fn next(&self, read: ReadAt<'_>, cluster: u32) -> Result<u32, FatError> {
        let at = self.table + u64::from(cluster) * u64::from(self.bits) / 8;
        let bytes = read(at, 4)?;
        let pair = || le16(&bytes, 0).map_or(0, u32::from);
        Ok(match self.bits {
            12 if cluster % 2 == 1 => pair() >> 4,
            12 => pair() & 0xfff,
            16 => pair(),
            _ => le32(&bytes, 0).unwrap_or(0) & 0x0fff_ffff,
        })
    }
}

/// The entries of a directory, with their long names if they have one.
fn entries(bytes: &[u8]) -> Vec<DirectoryEntry> {
    let mut found = Vec::new();
    let mut long: Vec<(u8, Vec<u16>)> = Vec::new();
    for entry in bytes.chunks_exact(ENTRY) {
        match entry[0] {
            0 => break,
            0xe5 => {
                long.clear();
                continue;
            }
            _ => {}
        }
        let attributes = entry[11];
        if attributes & 0x3f == LONG {
            let units = [1..11, 14..26, 28..32]
                .into_iter()
                .flat_map(|part| entry[part].chunks_exact(2))
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect();
            if entry[0] & 0x40 != 0 {
                long.clear();
            }
            long.push((entry[0] & 0x3f, units));
            continue;
        }
        // Long names come last part first. One with a missing part is an orphan of a deleted file.
        let parts = u8::try_from(long.len()).unwrap_or(0);
        let whole = parts > 0 && long.iter().zip((1..=parts).rev()).all(|(l, n)| l.0 == n);
        let name = if whole && attributes & LABEL == 0 {
            let units = long
                .iter()
                .rev()
                .flat_map(|(_, units)| units.iter().copied());
            char::decode_utf16(units.take_while(|unit| *unit != 0))
                .map(|c| c.unwrap_or('\u{fffd}'))
                .collect()
        } else {
            short_name(entry, attributes)
        };
        long.clear();
        let half = |at| le16(entry, at).map_or(0, u32::from);
        found.push(DirectoryEntry {
            name,
            attributes,
            cluster: half(20) << 16 | half(26),
            size: le32(entry, 28).map_or(0, u64::from),
        });
    }
    found
}

fn short_name(entry: &[u8], attributes: u8) -> String {
    let text = |bytes: &[u8]| {
        let text: String = bytes.iter().map(|b| char::from(*b)).collect();
        text.trim_end().to_owned()
    };
    if attributes & LABEL != 0 {
        return text(&entry[..11]);
    }
    // Windows NT stores two bits: base name, or extension, in lower case.
    let cased = |text: String, bit: u8| match entry[12] & bit {
        0 => text,
        _ => text.to_ascii_lowercase(),
    };
    let (name, rest) = (cased(text(&entry[..8]), 8), cased(text(&entry[8..11]), 16));
    if rest.is_empty() {
        name
    } else {
        format!("{name}.{rest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fat::Fat,
        volume::{Content, Segment, Tree},
    };
    use proptest::prelude::*;

    fn volume(size: u64, sector: u32, files: &[(&str, usize)]) -> Vec<u8> {
        let mut tree = Tree::new();
        for (path, length) in files {
            let content = (0..251).cycle().take(*length).collect();
            tree.add(path, Content::Bytes(content)).unwrap();
        }
        let fat = Fat {
            label: "efi-part".to_owned(),
            serial: 5,
            size: Some(size),
            sector_size: Some(sector),
            ..Fat::default()
        };
        let mut bytes = Vec::new();
        for segment in fat.layout(&tree).unwrap().segments() {
            match segment {
                Segment::Bytes(part) => bytes.extend(part),
                Segment::Zeros(length) => {
                    bytes.resize(bytes.len() + usize::try_from(*length).unwrap(), 0);
                }
                Segment::File { .. } => unreachable!(),
            }
        }
        bytes
    }

    fn part(bytes: &[u8], offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let from = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let to = from.saturating_add(length).min(bytes.len());
        Ok(bytes[from..to].to_vec())
    }

    #[test]
    fn what_was_written_is_read_whatever_the_width() {
        let files = [
            ("EFI/BOOT/BOOTX64.EFI", 70_000),
            ("EFI/debian/grubx64.efi", 5),
            ("EFI/debian/a name that is long and Mixed.csv", 0),
            ("startup.nsh", 512),
        ];
        for (size, sector) in [
            (1 << 20, 512),
            (40 << 20, 512),
            (80 << 20, 512),
            (40 << 20, 4096),
        ] {
            let bytes = volume(size, sector, &files);
            let mut read = |offset, length| part(&bytes, offset, length);
            let reader = FatReader::open(&mut read).unwrap();
            assert_eq!(reader.label(), Some("efi-part"));
            let found = reader.files(&mut read).unwrap();
            let mut names: Vec<_> = found.iter().map(|file| file.path.as_str()).collect();
            names.sort_unstable();
            let mut expected = files.map(|(path, _)| path);
            expected.sort_unstable();
            assert_eq!(names, expected);
            for file in &found {
                let content = reader.read_file(&mut read, file, 1 << 20).unwrap();
                let right = content
                    .iter()
                    .copied()
                    .eq((0..251).cycle().take(content.len()));
                assert!(right && content.len() as u64 == file.size, "{}", file.path);
            }
            let large = found.iter().find(|file| file.size > 9999).unwrap();
            assert!(matches!(
                reader.read_file(&mut read, large, 9999),
                Err(FatError::TooLarge { size: 70_000, .. })
            ));
        }
    }

    proptest! {
        #[test]
        fn broken_volumes_end(
            changes in proptest::collection::vec((0usize..200_000, any::<u8>()), 1..40),
        ) {
            let mut bytes = volume(1 << 20, 512, &[("a/b/c", 3000), ("long name of a file", 1)]);
            for (at, byte) in changes {
                // Mostly where the structures are.
                let at = at % if at % 3 == 0 { 512 } else { 40_000 };
                bytes[at] = byte;
            }
            let mut read = |offset, length| part(&bytes, offset, length);
            if let Ok(reader) = FatReader::open(&mut read) {
                for file in reader.files(&mut read).unwrap().iter().take(50) {
                    let _ = reader.read_file(&mut read, file, 1 << 16);
                }
            }
        }
    }
}
