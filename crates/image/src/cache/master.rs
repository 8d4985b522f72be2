//! A copy in the cache, and whether it may still be used.
//!
//! What the server said about the image, and the checksum that was found, are kept with the file as
//! extended attributes, which links share. Where a filesystem has none, times alone decide.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only called from threads that may wait"
)]

use crate::{ImageError, checksum::Checksum, source::Stat};
use rustix::fs::{FlockOperation, XattrFlags, flock, getxattr, setxattr};
use std::{
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};
use uuid::Uuid;

const ETAG: &str = "user.corten.etag";
const CHECKSUM: &str = "user.corten.checksum";
const SOURCE: &str = "user.corten.source";
/// How long the value of an attribute may be.
const MOST_OF_VALUE: usize = 1024;
/// Folders for downloads begin with this.
pub(super) const UNFINISHED: &str = ".unfinished-";

#[derive(Clone)]
pub(super) struct Master {
    pub(super) name: String,
    pub(super) path: PathBuf,
}

impl Master {
    pub(super) fn of(folder: &Path, href: &str, raw: bool) -> Self {
        // An image of Glance has an id already; everything else gets one. Whoever uploads to Glance
        // may choose the id, but not one that is the name of what an address leads to.
        let id = href.strip_prefix("glance://").unwrap_or(href);
        let mut name = match Uuid::parse_str(id) {
            Ok(id) if id.get_version_num() != 5 => id.to_string(),
            _ => Uuid::new_v5(&Uuid::NAMESPACE_URL, href.as_bytes()).to_string(),
        };
        if raw {
            name.push_str(".converted");
        }
        Self {
            path: folder.join(&name),
            name,
        }
    }

    /// Removes the copy, if there is one.
    pub(super) fn remove(&self) -> Result<(), ImageError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ImageError::write(self.path.display())(error))
            }
            _ => Ok(()),
        }
    }

    /// Whether the copy is there and still is what the server has.
    pub(super) fn is_fresh(&self, stat: &Stat, checksum: Option<&Checksum>) -> bool {
        let Ok(metadata) = fs::metadata(&self.path) else {
            return false;
        };
        self.same_image(stat, &metadata) && self.same_content(checksum)
    }

    fn same_image(&self, stat: &Stat, metadata: &fs::Metadata) -> bool {
        if let (Some(kept), Some(now)) = (attribute(&self.path, ETAG), &stat.etag) {
            return kept == *now;
        }
        match (stat.modified, metadata.modified()) {
            (Some(changed), Ok(fetched)) => changed <= fetched,
            // Nothing to compare with: better to fetch it again.
            _ => false,
        }
    }

    fn same_content(&self, checksum: Option<&Checksum>) -> bool {
        let Some(wanted) = checksum else { return true };
        match attribute(&self.path, CHECKSUM) {
            Some(kept) => kept == wanted.to_string(),
            // It was never compared with one.
            None => !has_attributes(&self.path),
        }
    }

    /// Writes down what the copy is, before it gets its name.
    pub(super) fn mark(path: &Path, stat: &Stat, checksum: Option<&Checksum>, href: &str) {
        let set = |name: &str, value: &str| {
            if let Err(error) = setxattr(path, name, value.as_bytes(), XattrFlags::empty()) {
                tracing::debug!(path = %path.display(), name, %error, "no attributes in the image cache");
            }
        };
        if let Some(etag) = &stat.etag {
            set(ETAG, etag);
        }
        if let Some(checksum) = checksum {
            set(CHECKSUM, &checksum.to_string());
        }
        // For people only, so without what signs an address.
        let shown = shown(href);
        if shown.len() <= MOST_OF_VALUE {
            set(SOURCE, &shown);
        }
    }
}

/// Where a copy came from, if that was written down.
pub(super) fn source_of(path: &Path) -> Option<String> {
    attribute(path, SOURCE)
}

/// An address as people may see it: without passwords, and without a query, which may be a
/// signature.
pub(super) fn shown(href: &str) -> String {
    let plain = href.split(['?', '#']).next().unwrap_or_default();
    types::mask::address(plain).into_owned()
}

fn attribute(path: &Path, name: &str) -> Option<String> {
    let mut value = [0u8; MOST_OF_VALUE];
    let length = getxattr(path, name, &mut value).ok()?;
    String::from_utf8(value.get(..length)?.to_vec()).ok()
}

fn has_attributes(path: &Path) -> bool {
    let mut value = [0u8; 1];
    !matches!(
        getxattr(path, CHECKSUM, &mut value),
        Err(rustix::io::Errno::NOTSUP)
    )
}

/// Whether the destination is a link to this file.
pub(super) fn is_link_to(destination: &Path, master: &Path) -> bool {
    match (fs::metadata(destination), fs::metadata(master)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// A folder for a download, which says by a lock that it is in use.
#[derive(Debug)]
pub(crate) struct Workshop {
    folder: tempfile::TempDir,
    _lock: File,
}

impl Workshop {
    pub(crate) fn new(cache: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(cache)?;
        let lock = File::open(folder.path())?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Removes downloads that no process works on any more.
pub(crate) fn remove_unfinished(cache: &Path) {
    let Ok(entries) = fs::read_dir(cache) else {
        return;
    };
    for entry in entries.flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(UNFINISHED);
        if !named || !entry.path().is_dir() {
            continue;
        }
        let free = File::open(entry.path())
            .is_ok_and(|folder| flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok());
        if free {
            tracing::info!(path = %entry.path().display(), "removing an unfinished download");
            if let Err(error) = fs::remove_dir_all(entry.path()) {
                tracing::warn!(path = %entry.path().display(), %error, "cannot remove it");
            }
        }
    }
}
