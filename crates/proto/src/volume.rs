//! A tree of files from which a filesystem image is laid out.
//!
//! [`crate::iso9660`] and [`crate::fat`] lay an image out from names and sizes alone, and return it
//! as a list of [`Segment`]s in the order of the image. Large files are therefore never in memory:
//! the caller copies them while it writes the image.

use std::collections::BTreeMap;

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Bytes(Vec<u8>),
    /// This many bytes, which the caller supplies when it writes the image.
    External(u64),
}

impl Content {
    /// The length in bytes.
    pub fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Self::External(length) => *length,
        }
    }
}

/// The next part of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    Bytes(Vec<u8>),
    Zeros(u64),
    /// The content of the external file with this path.
    File {
        path: String,
        length: u64,
    },
}

impl Segment {
    /// The length in bytes.
    pub fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Self::Zeros(length) | Self::File { length, .. } => *length,
        }
    }
}

/// A time in UTC, with the resolution of directory entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub year: u16,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
}

impl Default for Stamp {
    /// The earliest time that every format can express: FAT starts in 1980.
    fn default() -> Self {
        Self {
            year: 1980,
            month: 1,
            day: 1,
            hour: 0,
            minute: 0,
            second: 0,
        }
    }
}

/// Why a volume cannot be laid out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VolumeError {
    #[error("'{0}' is not a path that can be put on a volume")]
    Path(String),
    #[error("'{0}' is a file and a folder at once, or there twice")]
    Clash(String),
    #[error("'{0}' is too large")]
    TooLarge(String),
    #[error("the label '{0}' cannot be used")]
    Label(String),
    #[error("'{0}' is not there, or may not be an external file")]
    Boot(String),
    #[error("the files need {needed} bytes; the volume has room for {room}")]
    Full { needed: u64, room: u64 },
    #[error("no filesystem of {0} bytes can be made")]
    Size(u64),
}

/// The files of a volume by path, with `/` between names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<String, Content>,
}

/// The longest name that Joliet allows, in UTF-16 units.
const LONGEST_NAME: usize = 64;
/// ISO 9660 allows eight levels of directories, the root included (ECMA-119 §6.8.2.1).
const DEEPEST: usize = 7;

impl Tree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and the folders above it. Names must be valid in all formats, and unique without
    /// regard to case, as FAT compares them.
    pub fn add(&mut self, path: &str, content: Content) -> Result<(), VolumeError> {
        let names: Vec<&str> = path.split('/').collect();
        let usable = |name: &&str| {
            !matches!(*name, "" | "." | "..")
                && name.encode_utf16().count() <= LONGEST_NAME
                && name.len() <= 2 * LONGEST_NAME
                && !name
                    .chars()
                    .any(|c| c.is_control() || "\\:*?\"<>|".contains(c))
        };
        if names.len() > DEEPEST + 1 || !names.iter().all(usable) {
            return Err(VolumeError::Path(path.to_owned()));
        }
        if content.length() > u64::from(u32::MAX) {
            return Err(VolumeError::TooLarge(path.to_owned()));
        }
        let below = |folder: &str, file: &str| {
            file.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        let clash = |there: &String| {
            there.eq_ignore_ascii_case(path) || below(there, path) || below(path, there)
        };
        if self.files.keys().any(clash) {
            return Err(VolumeError::Clash(path.to_owned()));
        }
        self.files.insert(path.to_owned(), content);
        Ok(())
    }

    /// The content of a file.
    pub fn get(&self, path: &str) -> Option<&Content> {
        self.files.get(path)
    }

    /// The paths of all files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The folders with their files, the root first and parents before children.
    pub(crate) fn folders(&self) -> Vec<Folder<'_>> {
        let mut folders = vec![Folder::default()];
        for (path, content) in &self.files {
            let mut at = 0;
            let mut rest = path.as_str();
            while let Some((name, tail)) = rest.split_once('/') {
                rest = tail;
                let known = folders[at]
                    .folders
                    .iter()
                    .copied()
                    .find(|child| folders[*child].name.eq_ignore_ascii_case(name));
                at = known.unwrap_or_else(|| {
                    let child = folders.len();
                    folders.push(Folder {
                        name,
                        parent: at,
                        ..Folder::default()
                    });
                    folders[at].folders.push(child);
                    child
                });
            }
            folders[at].files.push(File {
                path,
                name: rest,
                content,
            });
        }
        folders
    }
}

#[derive(Debug, Default)]
pub(crate) struct Folder<'a> {
    pub(crate) name: &'a str,
    /// The index of the folder that holds this one; the root holds itself.
    pub(crate) parent: usize,
    pub(crate) folders: Vec<usize>,
    pub(crate) files: Vec<File<'a>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct File<'a> {
    pub(crate) path: &'a str,
    pub(crate) name: &'a str,
    pub(crate) content: &'a Content,
}

impl File<'_> {
    pub(crate) fn segment(&self) -> Segment {
        match self.content {
            Content::Bytes(bytes) => Segment::Bytes(bytes.clone()),
            Content::External(length) => Segment::File {
                path: self.path.to_owned(),
                length: *length,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_elsewhere_are_refused() {
        let mut tree = Tree::new();
        for path in [
            "",
            "/x",
            "x/",
            "a//b",
            "../x",
            "a/./b",
            "a\0b",
            "a:b",
            "1/2/3/4/5/6/7/8/9",
        ] {
            let refused = tree.add(path, Content::External(1));
            assert!(matches!(refused, Err(VolumeError::Path(_))), "{path}");
        }
        let long = "x".repeat(65);
        assert!(tree.add(&long, Content::External(1)).is_err());
        assert!(tree.add("big", Content::External(1 << 32)).is_err());
    }

    #[test]
    fn a_name_stands_for_one_thing() {
        let mut tree = Tree::new();
        tree.add("a/b", Content::Bytes(vec![])).unwrap();
        for path in ["a", "a/b", "A/B", "a/b/c"] {
            let refused = tree.add(path, Content::Bytes(vec![]));
            assert!(matches!(refused, Err(VolumeError::Clash(_))), "{path}");
        }
        tree.add("a/bc", Content::Bytes(vec![])).unwrap();
        let folders = tree.folders();
        assert_eq!(folders.len(), 2);
        assert_eq!(folders[1].files.len(), 2);
    }
}
