//! Files that are written so that a reader sees the old one or the new one, never a part.
//!
//! A boot loader may ask for a file at any moment, also while it is being replaced.

#![expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]

use crate::error::BootError;
use std::{
    ffi::OsString,
    fs::{self, Permissions},
    io::{self, Write},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Component, Path, PathBuf},
};

/// Makes a folder and those above it; one that is there keeps its mode.
pub(crate) fn folder(path: &Path, mode: Option<u32>) -> Result<(), BootError> {
    let wrong = |source| BootError::file("make the folder", path)(source);
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        folder(parent, mode)?;
    }
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        other => other.map_err(wrong)?,
    }
    // Not what the process's mask leaves of it: loaders' servers run under other users.
    fs::set_permissions(path, Permissions::from_mode(mode.unwrap_or(0o755))).map_err(wrong)
}

/// Writes a file, unless it already says the same.
pub(crate) fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), BootError> {
    if fs::read(path).is_ok_and(|there| there == content) {
        return set_mode(path, mode);
    }
    let wrong = |source| BootError::file("write", path)(source);
    let mut file = tempfile::NamedTempFile::new_in(parent(path)).map_err(wrong)?;
    file.write_all(content).map_err(wrong)?;
    file.as_file()
        .set_permissions(Permissions::from_mode(mode))
        .map_err(wrong)?;
    file.persist(path).map_err(|error| wrong(error.error))?;
    Ok(())
}

/// Links a file into another place, or copies it where the file system is another one.
pub(crate) fn link_or_copy(from: &Path, to: &Path, mode: u32) -> Result<(), BootError> {
    let wrong = |source| BootError::file("link or copy", from)(source);
    let beside = beside(to);
    remove(&beside)?;
    // A link of a link would lead from nowhere.
    let from = fs::canonicalize(from).map_err(wrong)?;
    if fs::hard_link(&from, &beside).is_err() {
        fs::copy(&from, &beside).map_err(wrong)?;
        set_mode(&beside, mode)?;
    }
    fs::rename(&beside, to).map_err(BootError::file("place", to))?;
    // Two names of one file are left both by a rename.
    remove(&beside)
}

/// Copies a file into another place.
pub(crate) fn copy(from: &Path, to: &Path, mode: u32) -> Result<(), BootError> {
    let content = fs::read(from).map_err(BootError::file("read", from))?;
    write(to, &content, mode)
}

/// Makes a symbolic link, relative to the folder that it is in.
pub(crate) fn symbolic_link(target: &Path, link: &Path) -> Result<(), BootError> {
    let target = relative(target, &parent(link));
    if fs::read_link(link).is_ok_and(|there| there == target) {
        return Ok(());
    }
    let wrong = |source| BootError::file("make the link", link)(source);
    let beside = beside(link);
    remove(&beside)?;
    symlink(&target, &beside).map_err(wrong)?;
    fs::rename(&beside, link).map_err(wrong)
}

/// Removes a file or a link; it may be gone already.
pub(crate) fn remove(path: &Path) -> Result<(), BootError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(BootError::file("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Removes a folder with all that is in it; it may be gone already.
pub(crate) fn remove_folder(path: &Path) -> Result<(), BootError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(BootError::file("remove the folder", path)(error))
        }
        _ => Ok(()),
    }
}

fn set_mode(path: &Path, mode: u32) -> Result<(), BootError> {
    let permissions = Permissions::from_mode(mode);
    fs::set_permissions(path, permissions).map_err(BootError::file("set the mode of", path))
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new(".")).to_owned()
}

/// A name in the same folder, which nobody asks for.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".new-");
    name.push(path.file_name().unwrap_or_default());
    parent(path).join(name)
}

/// The way from a folder to a path; both must be absolute, or both relative to the same.
fn relative(target: &Path, from: &Path) -> PathBuf {
    let mut target_parts = target.components().peekable();
    let mut from_parts = from.components().peekable();
    while target_parts.peek().is_some() && target_parts.peek() == from_parts.peek() {
        target_parts.next();
        from_parts.next();
    }
    let up = from_parts.map(|_| Component::ParentDir);
    up.chain(target_parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_link_is_relative_to_its_own_folder() {
        let way = |target, from| relative(Path::new(target), Path::new(from));
        assert_eq!(
            way("/t/u/config", "/t/pxelinux.cfg"),
            Path::new("../u/config")
        );
        assert_eq!(way("/t/u/config", "/t"), Path::new("u/config"));
    }

    #[test]
    fn writing_twice_is_writing_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/file");
        folder(path.parent().unwrap(), None).unwrap();
        write(&path, b"one", 0o644).unwrap();
        let first = fs::metadata(&path).unwrap().ino();
        write(&path, b"one", 0o640).unwrap();
        let second = fs::metadata(&path).unwrap();
        assert_eq!((second.ino(), second.mode() & 0o777), (first, 0o640));
        write(&path, b"two", 0o644).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_linked_and_linked_again() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::write(&from, "x").unwrap();
        for _ in 0..2 {
            link_or_copy(&from, &to, 0o644).unwrap();
            assert_eq!(
                fs::metadata(&to).unwrap().ino(),
                fs::metadata(&from).unwrap().ino()
            );
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        assert!(link_or_copy(&dir.path().join("none"), &to, 0o644).is_err());
    }

    #[test]
    fn what_is_gone_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        remove(&dir.path().join("none")).unwrap();
        remove_folder(&dir.path().join("none")).unwrap();
    }
}
