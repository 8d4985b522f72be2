//! What OpenSSH's client reads from files: keys of users and hypervisors, and passwords.
//!
//! They are there while a connection lasts, in a folder and with rights that let nobody else read them.
//! Each is locked meanwhile, so that those that a killed service left are told apart from those that
//! are in use.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files are written by threads that may wait, or removed"
)]

use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};
use types::hex;

/// The variable that names the file with the password, to the program that tells SSH what is in it.
pub const ASKPASS: &str = "CORTEN_SSH_PASSWORD_FILE";

/// What a file is for; also its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    HostKeys,
    Key,
    Password,
}

impl Use {
    const ALL: [Self; 3] = [Self::HostKeys, Self::Key, Self::Password];

    const fn ending(self) -> &'static str {
        match self {
            Self::HostKeys => "hosts",
            Self::Key => "key",
            Self::Password => "password",
        }
    }
}

/// Files that are removed when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Files(Vec<(Use, PathBuf, File)>);

impl Files {
    /// Writes files of their own for a connection.
    pub(super) fn write(state: &Path, contents: &[(Use, String)]) -> io::Result<Self> {
        let mut files = Self::default();
        if contents.is_empty() {
            return Ok(files);
        }
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(state)?;
        let mut name = [0; 16];
        getrandom::fill(&mut name).map_err(io::Error::other)?;
        let name = hex::encode(&name);
        for (what, text) in contents {
            let path = state.join(format!("{name}.{}", what.ending()));
            let mut options = OpenOptions::new();
            let mut file = options
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path)?;
            let locked = flock(&file, FlockOperation::NonBlockingLockExclusive);
            let written = file.write_all(text.as_bytes());
            files.0.push((*what, path, file));
            locked?;
            written?;
        }
        Ok(files)
    }

    pub(super) fn path(&self, what: Use) -> Option<&Path> {
        let found = self.0.iter().find(|(known, _, _)| *known == what);
        found.map(|(_, path, _)| path.as_path())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        for (_, path, _) in &self.0 {
            if let Err(error) = fs::remove_file(path) {
                tracing::warn!(path = %path.display(), %error, "a file for SSH cannot be removed");
            }
        }
    }
}

/// Removes what a service that was killed left.
pub fn sweep(state: &Path) {
    let Ok(entries) = fs::read_dir(state) else {
        return;
    };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let ending = path.extension().and_then(|ending| ending.to_str());
        if !Use::ALL.iter().any(|known| Some(known.ending()) == ending) {
            continue;
        }
        let is_free = File::open(&path)
            .is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok());
        // Another service may use it right now.
        if is_free && let Err(error) = fs::remove_file(&path) {
            tracing::warn!(path = %path.display(), %error, "a file for SSH is left over and cannot be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn files_are_ours_alone_and_go_away() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("deep/ssh");
        let contents = [
            (Use::Key, "k\n".to_owned()),
            (Use::Password, "p".to_owned()),
        ];
        let files = Files::write(&state, &contents).unwrap();
        let rights = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let key = files.path(Use::Key).unwrap().to_owned();
        assert_eq!(fs::read(&key).unwrap(), b"k\n");
        assert_eq!((rights(&key), rights(&state)), (0o600, 0o700));
        assert_eq!(files.path(Use::HostKeys), None);
        // Those in use stay; those that nobody holds go, and what is not ours stays too.
        fs::write(state.join("left.key"), "old").unwrap();
        fs::write(state.join("other"), "other").unwrap();
        sweep(&state);
        assert!(key.exists() && !state.join("left.key").exists());
        drop(files);
        let left: Vec<_> = fs::read_dir(&state).unwrap().collect();
        assert_eq!(left.len(), 1);
    }
}
