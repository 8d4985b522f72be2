//! Foreign file systems, mounted for as long as it takes, and their files.
//!
//! A mount is removed when its guard is dropped, also after errors. Symbolic links on a foreign
//! file system may point anywhere: [`Root`] lets the kernel resolve them inside that file system
//! only.

use crate::safety::Permit;
use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, openat2, statat},
    io::Errno,
    mount::{MountFlags, UnmountFlags, mount, mount_bind, unmount},
};
use std::{
    ffi::CStr,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Mount flags for foreign file systems: no devices, no setuid, no programs.
const DISTRUST: MountFlags = MountFlags::NOSUID
    .union(MountFlags::NODEV)
    .union(MountFlags::NOEXEC);

/// Tried first, in this order: their modules load only when they are asked for by name.
const USUAL: &[&str] = &["iso9660", "vfat", "ext4", "xfs", "btrfs"];

/// What a file system is mounted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
    /// Programs on it are run.
    Run,
}

impl Use {
    fn flags(self) -> MountFlags {
        match self {
            Self::Read => DISTRUST | MountFlags::RDONLY,
            Self::Write => DISTRUST,
            Self::Run => MountFlags::empty(),
        }
    }
}

/// A mounted file system, which is unmounted when this is dropped.
#[derive(Debug)]
pub(crate) struct Mounted {
    path: PathBuf,
    /// Whether the folder was made for it.
    own: bool,
}

impl Mounted {
    /// A device with whatever file system the kernel finds there, in a folder of its own.
    pub(crate) fn any(
        root: &Path,
        device: &Path,
        purpose: Use,
        _permit: &Permit,
    ) -> io::Result<Self> {
        let known = fs::read_to_string(root.join("proc/filesystems")).unwrap_or_default();
        let others = known.lines().filter(|line| !line.starts_with("nodev"));
        let kinds: Vec<&str> = USUAL.iter().copied().chain(others.map(str::trim)).collect();
        Self::first(device, &kinds, purpose)
    }

    /// A device with a file system of this kind, in a folder of its own.
    pub(crate) fn volume(
        device: &Path,
        kind: &str,
        purpose: Use,
        _permit: &Permit,
    ) -> io::Result<Self> {
        let kind = match kind {
            "ext2" | "ext3" => "ext4",
            other => other,
        };
        Self::first(device, &[kind], purpose)
    }

    /// Mounts a device as the first of these kinds that it is.
    fn first(device: &Path, kinds: &[&str], purpose: Use) -> io::Result<Self> {
        let name = format!("corten-{}", uuid::Uuid::new_v4().simple());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path)?;
        let mut failure = Errno::NODEV;
        for kind in kinds {
            match mount(device, &path, *kind, purpose.flags(), None::<&CStr>) {
                Ok(()) => return Ok(Self { path, own: true }),
                // Another kind of file system, or one that this kernel does not know.
                Err(Errno::INVAL | Errno::NODEV) => {}
                Err(error) => failure = error,
            }
        }
        let _ = fs::remove_dir(&path);
        Err(failure.into())
    }

    /// A folder of the ramdisk, seen at another place too.
    pub(crate) fn bind(source: &Path, target: &Path, _permit: &Permit) -> io::Result<Self> {
        Self::at(target, || mount_bind(source, target))
    }

    /// A file system at a given place, to be used by programs there.
    pub(crate) fn within(
        device: &Path,
        kind: &str,
        target: &Path,
        _permit: &Permit,
    ) -> io::Result<Self> {
        Self::at(target, || {
            mount(device, target, kind, Use::Run.flags(), None::<&CStr>)
        })
    }

    fn at(target: &Path, act: impl FnOnce() -> rustix::io::Result<()>) -> io::Result<Self> {
        fs::create_dir_all(target)?;
        act()?;
        Ok(Self {
            path: target.to_owned(),
            own: false,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn root(&self) -> io::Result<Root> {
        Root::open(&self.path)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // A program that lingers must not keep the disk: it is detached from the tree then.
        let gone = unmount(&self.path, UnmountFlags::empty())
            .or_else(|_| unmount(&self.path, UnmountFlags::DETACH));
        if let Err(error) = gone {
            tracing::warn!("cannot unmount {}: {error}", self.path.display());
        } else if self.own {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// A folder out of which no path leads.
#[derive(Debug)]
pub(crate) struct Root(File);

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(File::open(path)?))
    }

    /// Opens a regular file for reading. Other kinds, such as a pipe without a writer, are refused.
    pub(crate) fn file(&self, path: &str) -> io::Result<File> {
        self.regular(path, OFlags::RDONLY)
    }

    /// A file that is there, to be read and added to.
    pub(crate) fn file_to_append(&self, path: &str) -> io::Result<File> {
        self.regular(path, OFlags::RDWR | OFlags::APPEND)
    }

    fn regular(&self, path: &str, flags: OFlags) -> io::Result<File> {
        let file = self.at(path, flags | OFlags::NONBLOCK)?;
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn at(&self, path: &str, flags: OFlags) -> io::Result<File> {
        let path = match path.trim_start_matches('/') {
            "" => ".",
            path => path,
        };
        let opened = openat2(
            &self.0,
            path,
            flags | OFlags::CLOEXEC,
            Mode::empty(),
            ResolveFlags::IN_ROOT,
        )?;
        Ok(File::from(opened))
    }

    /// The beginning of a file, if there is one.
    pub(crate) fn text(&self, path: &str, most: u64) -> Option<String> {
        let mut bytes = Vec::new();
        self.file(path)
            .ok()?
            .take(most)
            .read_to_end(&mut bytes)
            .ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The names in a folder, with what each is; nothing if there is no such folder.
    pub(crate) fn entries(&self, path: &str) -> io::Result<Vec<(String, FileType)>> {
        let folder = match self.at(path, OFlags::RDONLY | OFlags::DIRECTORY) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            folder => folder?,
        };
        let mut found = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            // Names that are not UTF-8 are never searched for.
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            if matches!(name, "." | "..") {
                continue;
            }
            let about = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            found.push((name.to_owned(), FileType::from_raw_mode(about.st_mode)));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_lead_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("inside"), dir.path().join("outside"));
        for folder in [&inside.join("etc"), &outside] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("x"), "text").unwrap();
        }
        symlink(&outside, inside.join("out")).unwrap();
        symlink("../outside", inside.join("up")).unwrap();
        symlink("/etc", inside.join("home")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, inside.join("pipe"), Mode::RUSR).unwrap();
        let root = Root::open(&inside).unwrap();
        assert_eq!(root.text("/etc/x", 2).as_deref(), Some("te"));
        assert_eq!(root.text("home/x", 9).as_deref(), Some("text"));
        for wrong in ["out/x", "up/x", "etc", "pipe", "none"] {
            assert!(root.file(wrong).is_err(), "{wrong}");
        }
        assert!(root.entries("out").unwrap().is_empty());
        let kinds = root.entries("").unwrap();
        assert!(kinds.contains(&("etc".to_owned(), FileType::Directory)));
        assert!(kinds.contains(&("up".to_owned(), FileType::Symlink)));
        assert_eq!(kinds.len(), 5);
    }
}
