//! A folder that is served, and nothing outside it.
//!
//! Names come from machines that nobody vouches for. Whatever they say, the file that is opened lies
//! in the root, or in one of the few other folders that links inside it may lead to: the name may
//! not go up, and after all links are followed the place is looked at once more.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only called from threads that may wait"
)]

use std::{
    fs::{self, File},
    io,
    path::{Component, Path, PathBuf},
    time::SystemTime,
};

/// A served folder.
#[derive(Debug, Clone)]
pub struct Root {
    dir: PathBuf,
    /// Beginnings of names that stand for the root itself: some loaders ask for the whole path.
    aliases: Vec<PathBuf>,
    /// Where links may lead besides.
    linked: Vec<PathBuf>,
}

/// A file that may be sent.
#[derive(Debug)]
pub struct Opened {
    pub file: File,
    pub size: u64,
    pub modified: Option<SystemTime>,
    /// The name as it is known in the root.
    pub name: String,
}

/// Why a file is not sent.
#[derive(Debug, PartialEq, Eq)]
pub enum Denied {
    NotFound,
    /// Never to be sent, whether it exists or not.
    Forbidden(&'static str),
}

impl Root {
    pub fn new(dir: impl Into<PathBuf>, aliases: Vec<PathBuf>, linked: Vec<PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            aliases,
            linked,
        }
    }

    /// The name of a file below the root, if it is one.
    pub fn name(&self, asked: &str) -> Result<String, Denied> {
        if asked.contains('\0') {
            return Err(Denied::Forbidden("the name has a zero in it"));
        }
        // Firmware of some makers writes paths as its own system does.
        let asked = asked.replace('\\', "/");
        let mut path = Path::new(&asked);
        for alias in &self.aliases {
            if let Ok(rest) = path.strip_prefix(alias) {
                path = rest;
                break;
            }
        }
        let mut parts = Vec::new();
        for part in path.components() {
            match part {
                Component::Normal(part) => parts.push(part.to_string_lossy()),
                Component::RootDir | Component::CurDir => {}
                Component::ParentDir | Component::Prefix(_) => {
                    return Err(Denied::Forbidden("the name leads out of the root"));
                }
            }
        }
        Ok(parts.join("/"))
    }

    /// Opens a file; to be called where blocking is allowed.
    pub fn open(&self, asked: &str) -> Result<Opened, Denied> {
        let name = self.name(asked)?;
        if name.is_empty() {
            return Err(Denied::NotFound);
        }
        let place =
            fs::canonicalize(self.dir.join(&name)).map_err(|error| self.denied(&name, &error))?;
        let allowed = std::iter::once(&self.dir).chain(&self.linked);
        let allowed = allowed.filter_map(|dir| fs::canonicalize(dir).ok());
        if !allowed.into_iter().any(|dir| place.starts_with(dir)) {
            return Err(Denied::Forbidden("a link leads out of the root"));
        }
        // Only regular files: opening a pipe would wait for its other end.
        let kind = fs::metadata(&place).map_err(|error| self.denied(&name, &error))?;
        if !kind.is_file() {
            return Err(Denied::NotFound);
        }
        let file = File::open(&place).map_err(|error| self.denied(&name, &error))?;
        Ok(Opened {
            file,
            size: kind.len(),
            modified: kind.modified().ok(),
            name,
        })
    }

    fn denied(&self, name: &str, error: &io::Error) -> Denied {
        if error.kind() == io::ErrorKind::PermissionDenied {
            tracing::warn!(root = %self.dir.display(), name, "a file that was asked for cannot be read");
        }
        Denied::NotFound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::fs::symlink;

    fn root(dir: &Path) -> Root {
        fs::create_dir_all(dir.join("root/pxelinux.cfg")).unwrap();
        fs::create_dir_all(dir.join("images")).unwrap();
        fs::write(dir.join("root/loader"), "loader").unwrap();
        fs::write(dir.join("secret"), "secret").unwrap();
        fs::write(dir.join("images/disk"), "disk").unwrap();
        symlink("../loader", dir.join("root/pxelinux.cfg/01")).unwrap();
        symlink(dir.join("images/disk"), dir.join("root/image")).unwrap();
        symlink(dir.join("secret"), dir.join("root/out")).unwrap();
        Root::new(
            dir.join("root"),
            vec![PathBuf::from("/tftpboot")],
            vec![dir.join("images")],
        )
    }

    #[test]
    fn files_are_found_by_every_spelling() {
        let dir = tempfile::tempdir().unwrap();
        let root = root(dir.path());
        for name in [
            "loader",
            "/loader",
            "//loader",
            "./loader",
            "/tftpboot/loader",
            "\\loader",
            "pxelinux.cfg/01",
        ] {
            assert_eq!(root.open(name).unwrap().size, 6, "{name}");
        }
        assert_eq!(root.open("image").unwrap().size, 4);
        assert_eq!(root.open("/tftpboot/loader").unwrap().name, "loader");
    }

    #[test]
    fn nothing_outside_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let root = root(dir.path());
        for name in [
            "../secret",
            "/../secret",
            "pxelinux.cfg/../../secret",
            "..\\secret",
            "out",
            "a\0b",
            "/tftpboot/../secret",
        ] {
            assert!(
                matches!(root.open(name), Err(Denied::Forbidden(_))),
                "{name}"
            );
        }
        for name in ["", "/", "none", "pxelinux.cfg", "loader/x", "/etc/passwd"] {
            assert!(matches!(root.open(name), Err(Denied::NotFound)), "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_name_leads_outside(parts in proptest::collection::vec("(\\.|\\.\\.|/|\\\\|root|secret|loader|out|%2e)", 0..8)) {
            let dir = tempfile::tempdir().unwrap();
            let root = root(dir.path());
            if let Ok(opened) = root.open(&parts.concat()) {
                prop_assert_ne!(std::io::read_to_string(opened.file).unwrap(), "secret");
            }
        }
    }
}
