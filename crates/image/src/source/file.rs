//! Images that are files of this machine.
//!
//! `file://` addresses come from whoever may set a node's image, who is not whoever owns the
//! machine; hence the rules about which paths may be named.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only called from threads that may wait"
)]

use super::{Source, Stat};
use crate::ImageError;
use std::{
    fs::File,
    io::Read,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};
use types::{path::without_dots, percent};

/// Never read, whatever is allowed: what is in there is no image.
const BLOCKED: [&str; 6] = ["/dev", "/sys", "/proc", "/boot", "/etc", "/run"];

/// Which paths `file://` addresses may name (`[conductor]file_url_allowed_paths`).
#[derive(Debug, Clone, Default)]
pub struct FileRules {
    pub allowed: Vec<PathBuf>,
    /// Never read, whatever is allowed: copies that were made for other nodes, and keys.
    pub excluded: Vec<PathBuf>,
    /// The folder with everything that the service keeps; only read where something below it is
    /// allowed, not because something above it is.
    pub data: Option<PathBuf>,
    /// Addresses to which the last two do not apply, since the operator chose them.
    pub operators: Vec<String>,
}

impl FileRules {
    /// The path that an address names, if it may be read. Blocks.
    pub fn path(&self, href: &str) -> Result<PathBuf, ImageError> {
        let path = named(href)?;
        let mut allowed = self.allowed.iter();
        if !allowed.any(|allowed| path.starts_with(without_dots(allowed))) {
            return Err(refused(
                href,
                "its path is in none of the folders that [conductor]file_url_allowed_paths names",
            ));
        }
        self.readable(href, path)
    }

    /// The same for an address that an image service names, which keeps images in folders of its
    /// own. Blocks.
    pub fn path_of_service(&self, href: &str) -> Result<PathBuf, ImageError> {
        self.readable(href, named(href)?)
    }

    /// The path, if there is an image at its end.
    fn readable(&self, href: &str, path: PathBuf) -> Result<PathBuf, ImageError> {
        // Where links lead is the operator's choice, but for what is never an image.
        let real = path
            .canonicalize()
            .map_err(|error| refused(href, error.to_string()))?;
        if let Some(blocked) = blocked(&real) {
            let reason = format!("it leads to {blocked}, which is not permitted");
            return Err(refused(href, reason));
        }
        let is_own = self.operators.iter().any(|known| known == href);
        if !is_own && (self.is_kept(&path) || self.is_kept(&real)) {
            return Err(refused(href, "the service keeps its own files there"));
        }
        if !real.is_file() {
            return Err(refused(href, "there is no such file"));
        }
        Ok(path)
    }

    /// Whether a path is the service's own and not for images.
    fn is_kept(&self, path: &Path) -> bool {
        let holds = |folder: &Path| {
            let real = folder.canonicalize();
            path.starts_with(without_dots(folder)) || real.is_ok_and(|real| path.starts_with(real))
        };
        let is_data = self.data.as_deref().is_some_and(|data| {
            let chosen =
                |allowed: &PathBuf| allowed != data && allowed.starts_with(data) && holds(allowed);
            holds(data) && !self.allowed.iter().any(chosen)
        });
        is_data || self.excluded.iter().any(|folder| holds(folder))
    }
}

fn refused(href: &str, reason: impl Into<String>) -> ImageError {
    ImageError::Address {
        image: href.to_owned(),
        reason: reason.into(),
    }
}

/// The path of an address, unless there can be no image.
fn named(href: &str) -> Result<PathBuf, ImageError> {
    let path = href
        .strip_prefix("file://")
        .filter(|path| path.starts_with('/'))
        .ok_or_else(|| refused(href, "it is not of the form file:///path"))?;
    let path = decoded(path).ok_or_else(|| refused(href, "it is not understood"))?;
    let path = without_dots(&path);
    match blocked(&path) {
        Some(blocked) => {
            let reason = format!("files under {blocked} are not permitted");
            Err(refused(href, reason))
        }
        None => Ok(path),
    }
}

fn blocked(path: &Path) -> Option<&'static str> {
    let mut folders = BLOCKED.into_iter();
    folders.find(|blocked| path.starts_with(blocked))
}

fn decoded(path: &str) -> Option<PathBuf> {
    let path = percent::decode_strictly(path).ok()?;
    (!path.contains('\0')).then(|| PathBuf::from(path.into_owned()))
}

/// A file, by its path.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    shown: String,
    stat: Stat,
}

impl FileSource {
    pub fn open(path: &Path) -> Result<Self, ImageError> {
        let shown = path.display().to_string();
        let unreadable = |source| ImageError::Read {
            image: shown.clone(),
            source,
        };
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        let stat = Stat {
            size: Some(metadata.len()),
            modified: metadata.modified().ok(),
            ranges: true,
            // It is on this machine already.
            no_store: true,
            ..Stat::default()
        };
        Ok(Self { file, shown, stat })
    }
}

impl Source for FileSource {
    fn shown(&self) -> &str {
        &self.shown
    }

    fn stat(&self) -> &Stat {
        &self.stat
    }

    fn stream(&self) -> Result<Box<dyn Read + Send>, ImageError> {
        let file = self.file.try_clone().map_err(|source| ImageError::Read {
            image: self.shown.clone(),
            source,
        })?;
        Ok(Box::new(FileReader { file, at: 0 }))
    }

    fn read_at(&self, offset: u64, length: usize) -> Result<Vec<u8>, ImageError> {
        let mut reader = FileReader {
            file: self
                .file
                .try_clone()
                .map_err(|error| ImageError::from_read(error, &self.shown))?,
            at: offset,
        };
        let mut bytes = Vec::new();
        reader
            .by_ref()
            .take(length as u64)
            .read_to_end(&mut bytes)
            .map_err(|error| ImageError::from_read(error, &self.shown))?;
        Ok(bytes)
    }
}

/// Clones of a file share their position, so each reader keeps its own.
struct FileReader {
    file: File,
    at: u64,
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    #[test]
    fn only_allowed_paths_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("images")).unwrap();
        fs::write(root.join("images/a b"), "x").unwrap();
        fs::write(root.join("secret"), "x").unwrap();
        symlink("/etc/passwd", root.join("images/link")).unwrap();
        let rules = FileRules {
            allowed: vec![root.join("images")],
            ..FileRules::default()
        };
        let ask = |path: &str| rules.path(&format!("file://{}/{path}", root.display()));
        assert_eq!(ask("images/a%20b").unwrap(), root.join("images/a b"));
        assert_eq!(
            ask("images/../images/a b").unwrap(),
            root.join("images/a b")
        );
        for wrong in [
            "secret",
            "images/../secret",
            "imagesx/a",
            "images/none",
            "images",
            "images/link",
            "images/%zz",
        ] {
            assert!(ask(wrong).is_err(), "{wrong}");
        }
        let refused = types::error::chain(&ask("secret").unwrap_err());
        let option = "[conductor]file_url_allowed_paths";
        assert!(refused.contains(option), "{refused}");
        for wrong in [
            "file:///etc/passwd",
            "file://host/x",
            "file:/x",
            "/etc/passwd",
        ] {
            assert!(rules.path(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_the_service_keeps_is_not_read_whatever_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in ["data/images", "data/masters", "elsewhere"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        let files = [
            "data/corten.db",
            "data/images/own",
            "data/masters/other",
            "keys",
            "free",
        ];
        for path in files {
            fs::write(root.join(path), "x").unwrap();
        }
        symlink(root.join("data"), root.join("elsewhere/link")).unwrap();
        let href = |path: &str| format!("file://{}/{path}", root.display());
        let rules = |allowed: &[&str]| FileRules {
            allowed: allowed.iter().map(|path| root.join(path)).collect(),
            excluded: vec![root.join("data/masters"), root.join("keys")],
            data: Some(root.join("data")),
            operators: vec![href("data/masters/other")],
        };
        let all = rules(&[""]);
        assert!(all.path(&href("free")).is_ok());
        for kept in [
            "data/corten.db",
            "data/images/own",
            "keys",
            "elsewhere/link/corten.db",
        ] {
            let refused = all.path(&href(kept)).unwrap_err().to_string();
            assert!(refused.contains("keeps its own files"), "{kept}: {refused}");
        }
        // What the operator names is the operator's business.
        assert!(all.path(&href("data/masters/other")).is_ok());
        let below = rules(&["data/images", "data/masters"]);
        assert!(below.path(&href("data/images/own")).is_ok());
        fs::write(root.join("data/masters/third"), "x").unwrap();
        assert!(below.path(&href("data/masters/third")).is_err());
        assert!(rules(&["data"]).path(&href("data/corten.db")).is_err());
    }

    #[test]
    fn an_image_service_names_files_of_its_own_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in ["glance", "data"] {
            fs::create_dir(root.join(path)).unwrap();
            fs::write(root.join(path).join("file"), "x").unwrap();
        }
        symlink("/etc/passwd", root.join("glance/link")).unwrap();
        let rules = FileRules {
            data: Some(root.join("data")),
            ..FileRules::default()
        };
        let ask = |path: &str| rules.path_of_service(&format!("file://{path}"));
        let below = |path: &str| ask(&format!("{}/{path}", root.display()));
        assert_eq!(below("glance/file").unwrap(), root.join("glance/file"));
        for wrong in ["data/file", "glance/../data/file", "glance/link", "glance"] {
            assert!(below(wrong).is_err(), "{wrong}");
        }
        for wrong in ["/etc/shadow", "/dev/zero", "/proc/self/environ", "host/x"] {
            assert!(ask(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn readers_do_not_disturb_each_other() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "0123456789").unwrap();
        let source = FileSource::open(file.path()).unwrap();
        let mut first = source.stream().unwrap();
        let mut two = [0; 2];
        first.read_exact(&mut two).unwrap();
        assert_eq!(source.read_at(5, 3).unwrap(), b"567");
        assert_eq!(source.read_at(8, 30).unwrap(), b"89");
        first.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"23");
    }
}
