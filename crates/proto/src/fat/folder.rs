//! Directories: 8.3 names, the long name entries before them, and first clusters ("FAT Directory
//! Structure" and "FAT Long Directory Entries" of Microsoft's specification).

use super::{ENTRY, Fat, geometry::Geometry};
use crate::{
    field::put,
    volume::{File, Stamp, Tree, VolumeError},
};
use std::collections::BTreeSet;

const ATTRIBUTE_LABEL: u8 = 8;
const ATTRIBUTE_FOLDER: u8 = 0x10;
const ATTRIBUTE_FILE: u8 = 0x20;
const ATTRIBUTE_LONG: u8 = 0x0f;
/// UTF-16 units of a long name in one entry.
const UNITS: usize = 13;

pub(super) struct Folder<'a> {
    parent: usize,
    folders: Vec<(usize, EntryName)>,
    pub(super) files: Vec<PlacedFile<'a>>,
    pub(super) cluster: u32,
    root: bool,
    labelled: bool,
}

pub(super) struct PlacedFile<'a> {
    pub(super) file: File<'a>,
    name: EntryName,
    pub(super) cluster: u32,
}

/// The 8.3 name, and the long name where it differs.
struct EntryName {
    short: [u8; 11],
    long: Vec<u16>,
}

pub(super) fn of<'a>(
    tree: &'a Tree,
    fat: &Fat,
    geometry: &Geometry,
) -> Result<Vec<Folder<'a>>, VolumeError> {
    let found = tree.folders();
    let mut folders = Vec::new();
    for (index, folder) in found.iter().enumerate() {
        let mut taken = BTreeSet::new();
        let children = folder
            .folders
            .iter()
            .map(|child| (*child, EntryName::of(found[*child].name, &mut taken)))
            .collect();
        let files = folder
            .files
            .iter()
            .map(|file| PlacedFile {
                file: *file,
                name: EntryName::of(file.name, &mut taken),
                cluster: 0,
            })
            .collect();
        let made = Folder {
            parent: folder.parent,
            folders: children,
            files,
            cluster: 0,
            root: index == 0,
            labelled: index == 0 && !fat.label.is_empty(),
        };
        let room = usize::try_from(geometry.root_sectors * geometry.sector).unwrap_or(0);
        if made.root && room > 0 && made.entries() * ENTRY > room {
            return Err(VolumeError::TooLarge("/".to_owned()));
        }
        folders.push(made);
    }
    Ok(folders)
}

impl Folder<'_> {
    pub(super) fn is_root(&self) -> bool {
        self.root
    }

    fn entries(&self) -> usize {
        let names = self.folders.iter().map(|(_, name)| name);
        let names = names.chain(self.files.iter().map(|file| &file.name));
        let own = if self.root {
            usize::from(self.labelled)
        } else {
            2
        };
        own + names
            .map(|name| 1 + name.long.len().div_ceil(UNITS))
            .sum::<usize>()
    }

    pub(super) fn bytes(&self, geometry: &Geometry) -> usize {
        if self.root && geometry.root_sectors > 0 {
            return usize::try_from(geometry.root_sectors * geometry.sector).unwrap_or(0);
        }
        let cluster = usize::try_from(geometry.cluster_bytes()).unwrap_or(512);
        (self.entries() * ENTRY)
            .next_multiple_of(cluster)
            .max(cluster)
    }

    pub(super) fn encode(
        &self,
        index: usize,
        folders: &[Folder<'_>],
        fat: &Fat,
        geometry: &Geometry,
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let entry = |name: &[u8; 11], attribute, cluster, size| {
            short_entry(name, attribute, cluster, size, fat.stamp)
        };
        if self.labelled {
            bytes.extend(entry(&fat.padded_label(), ATTRIBUTE_LABEL, 0, 0));
        }
        if !self.root {
            // `..` of a folder in the root has cluster 0, even on FAT32, where the root has a
            // cluster.
            let above = &folders[self.parent];
            let above = if above.root { 0 } else { above.cluster };
            bytes.extend(entry(
                b".          ",
                ATTRIBUTE_FOLDER,
                folders[index].cluster,
                0,
            ));
            bytes.extend(entry(b"..         ", ATTRIBUTE_FOLDER, above, 0));
        }
        for (child, name) in &self.folders {
            bytes.extend(name.long_entries());
            bytes.extend(entry(
                &name.short,
                ATTRIBUTE_FOLDER,
                folders[*child].cluster,
                0,
            ));
        }
        for placed in &self.files {
            let size = u32::try_from(placed.file.content.length()).unwrap_or(u32::MAX);
            bytes.extend(placed.name.long_entries());
            bytes.extend(entry(
                &placed.name.short,
                ATTRIBUTE_FILE,
                placed.cluster,
                size,
            ));
        }
        bytes.resize(self.bytes(geometry), 0);
        bytes
    }
}

fn short_entry(
    name: &[u8; 11],
    attribute: u8,
    cluster: u32,
    size: u32,
    stamp: Stamp,
) -> [u8; ENTRY] {
    let mut bytes = [0; ENTRY];
    let date = stamp.year.saturating_sub(1980).min(127) << 9
        | u16::from(stamp.month) << 5
        | u16::from(stamp.day);
    let time =
        u16::from(stamp.hour) << 11 | u16::from(stamp.minute) << 5 | u16::from(stamp.second / 2);
    let [low, middle, high, top] = cluster.to_le_bytes();
    put(&mut bytes, 0, name);
    bytes[11] = attribute;
    put(&mut bytes, 14, &time.to_le_bytes());
    put(&mut bytes, 16, &date.to_le_bytes());
    put(&mut bytes, 18, &date.to_le_bytes());
    put(&mut bytes, 20, &[high, top]);
    put(&mut bytes, 22, &time.to_le_bytes());
    put(&mut bytes, 24, &date.to_le_bytes());
    put(&mut bytes, 26, &[low, middle]);
    put(&mut bytes, 28, &size.to_le_bytes());
    bytes
}

impl EntryName {
    fn of(name: &str, taken: &mut BTreeSet<[u8; 11]>) -> Self {
        if let Some(short) = as_short(name)
            && taken.insert(short)
        {
            return Self {
                short,
                long: Vec::new(),
            };
        }
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (letters(stem), letters(extension)),
            _ => (letters(name), Vec::new()),
        };
        let numbered = (1u32..).map(|number| {
            let number = format!("~{number}").into_bytes();
            let kept = stem.len().min(8usize.saturating_sub(number.len()));
            let mut short = [b' '; 11];
            put(&mut short[..8], 0, &stem[..kept]);
            put(&mut short[..8], kept, &number);
            put(&mut short, 8, &extension[..extension.len().min(3)]);
            short
        });
        let mut free = numbered.filter(|short| !taken.contains(short));
        let short = free.next().unwrap_or([b'_'; 11]);
        taken.insert(short);
        Self {
            short,
            long: name.encode_utf16().collect(),
        }
    }

    /// The long name entries before the short one, last part first. The checksum ties them to the
    /// short name: systems without long names leave orphans behind.
    fn long_entries(&self) -> Vec<u8> {
        let sum = self
            .short
            .iter()
            .fold(0u8, |sum, byte| sum.rotate_right(1).wrapping_add(*byte));
        let count = self.long.len().div_ceil(UNITS);
        let mut bytes = Vec::new();
        for (index, part) in self.long.chunks(UNITS).enumerate().rev() {
            let mut units = part.to_vec();
            if units.len() < UNITS {
                units.push(0);
            }
            units.resize(UNITS, 0xffff);
            let mut entry = [0; ENTRY];
            let number = u8::try_from(index + 1).unwrap_or(0);
            entry[0] = number | if index + 1 == count { 0x40 } else { 0 };
            entry[11] = ATTRIBUTE_LONG;
            entry[13] = sum;
            let places = (1..11)
                .step_by(2)
                .chain((14..26).step_by(2))
                .chain((28..32).step_by(2));
            for (at, unit) in places.zip(units) {
                put(&mut entry, at, &unit.to_le_bytes());
            }
            bytes.extend(entry);
        }
        bytes
    }
}

/// The 8.3 form of a name that needs no long name.
fn as_short(name: &str) -> Option<[u8; 11]> {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let plain = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
    };
    let dot_matters = name.contains('.') != extension.is_empty();
    let fits = (1..=8).contains(&stem.len()) && extension.len() <= 3 && dot_matters;
    (fits && plain(stem) && plain(extension)).then(|| {
        let mut short = [b' '; 11];
        put(&mut short, 0, stem.as_bytes());
        put(&mut short, 8, extension.as_bytes());
        short
    })
}

fn letters(name: &str) -> Vec<u8> {
    name.chars()
        .filter(|c| !matches!(c, ' ' | '.'))
        .map(|c| match c.to_ascii_uppercase() {
            c if c.is_ascii_uppercase() || c.is_ascii_digit() || "_-".contains(c) => {
                u8::try_from(c).unwrap_or(b'_')
            }
            _ => b'_',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_unique_and_long_ones_kept() {
        let mut taken = BTreeSet::new();
        let mut name = |text: &str| {
            let name = EntryName::of(text, &mut taken);
            (
                String::from_utf8(name.short.to_vec()).unwrap(),
                String::from_utf16(&name.long).unwrap(),
            )
        };
        assert_eq!(name("BOOTX64.EFI"), ("BOOTX64 EFI".into(), String::new()));
        assert_eq!(name("grub.cfg"), ("GRUB~1  CFG".into(), "grub.cfg".into()));
        assert_eq!(
            name("parameters.txt"),
            ("PARAME~1TXT".into(), "parameters.txt".into())
        );
        assert_eq!(name("parameters2.txt").0, "PARAME~2TXT");
        assert_eq!(name("BOOT").0, "BOOT       ");
        assert_eq!(name("UPPER.").1, "UPPER.");
    }
}
