//! Changing the file of users: what `htpasswd -B` does, without it.
//!
//! The file is written beside its place and moved there, so that a service that reads it meanwhile
//! sees either the old one or the new one, and with the mode and owner that it had. Lines of others
//! stay as they are.

#![expect(
    clippy::disallowed_methods,
    reason = "a command of its own, which serves nothing"
)]

use super::{basic::AuthFileError, passwords::LONGEST_PASSWORD};
use std::{
    fs, io,
    io::Write,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// Why a user was not added or deleted.
#[derive(Debug, thiserror::Error)]
pub enum UserError {
    #[error(transparent)]
    File(#[from] AuthFileError),
    #[error("a user name has neither a colon nor a line break in it, and is not empty")]
    Name,
    #[error("the password is empty")]
    Empty,
    #[error(
        "the password has more than {LONGEST_PASSWORD} bytes, which is all that bcrypt looks at"
    )]
    Long,
    #[error("there is no user {user} in {}", path.display())]
    Unknown { user: String, path: PathBuf },
    #[error("the password cannot be hashed")]
    Hash(#[from] bcrypt::BcryptError),
}

/// Whether somebody is new or has got another password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    New,
    Changed,
}

/// The names in a file, in its order.
pub fn names(path: &Path) -> Result<Vec<String>, AuthFileError> {
    let lines = lines(path)?;
    Ok(lines
        .iter()
        .filter_map(|line| name(line))
        .map(str::to_owned)
        .collect())
}

/// Adds a user, or gives one another password. A file that is not there is made, for its owner only.
pub fn add(path: &Path, user: &str, password: &str) -> Result<Added, UserError> {
    if user.is_empty() || user.contains([':', '\n', '\r']) || user.trim() != user {
        return Err(UserError::Name);
    }
    match password.len() {
        0 => return Err(UserError::Empty),
        length if length > LONGEST_PASSWORD => return Err(UserError::Long),
        _ => {}
    }
    let mut lines = match lines(path) {
        Err(AuthFileError::Unreadable { source, .. })
            if source.kind() == io::ErrorKind::NotFound =>
        {
            Vec::new()
        }
        read => read?,
    };
    let entry = format!("{user}:{}", bcrypt::hash(password, bcrypt::DEFAULT_COST)?);
    let old = lines.iter().position(|line| name(line) == Some(user));
    let added = match old.and_then(|old| lines.get_mut(old)) {
        Some(line) => {
            *line = entry;
            Added::Changed
        }
        None => {
            lines.push(entry);
            Added::New
        }
    };
    write(path, &lines)?;
    Ok(added)
}

pub fn delete(path: &Path, user: &str) -> Result<(), UserError> {
    let mut lines = lines(path)?;
    let before = lines.len();
    lines.retain(|line| name(line) != Some(user));
    if lines.len() == before {
        return Err(UserError::Unknown {
            user: user.to_owned(),
            path: path.to_owned(),
        });
    }
    write(path, &lines)?;
    Ok(())
}

fn name(line: &str) -> Option<&str> {
    line.trim().split_once(':').map(|(user, _)| user)
}

fn lines(path: &Path) -> Result<Vec<String>, AuthFileError> {
    let text = fs::read_to_string(path).map_err(|source| AuthFileError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn write(path: &Path, lines: &[String]) -> Result<(), AuthFileError> {
    replace(path, lines).map_err(|source| AuthFileError::Unwritable {
        path: path.to_owned(),
        source,
    })
}

fn replace(path: &Path, lines: &[String]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", uuid::Uuid::new_v4()));
    let beside = PathBuf::from(beside);
    let written = fill(&beside, path, lines).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Writes the file that is to take the place of `path`, with its owner and mode.
fn fill(beside: &Path, path: &Path, lines: &[String]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(beside)?;
    if let Ok(old) = fs::metadata(path) {
        use std::os::unix::fs::MetadataExt;
        // Only root can give a file away, and only root finds one that is somebody else's.
        std::os::unix::fs::chown(beside, Some(old.uid()), Some(old.gid()))?;
        let mode = old.permissions().mode() & 0o777;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
    }
    for line in lines {
        writeln!(file, "{line}")?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for one test, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            let path = std::env::temp_dir().join(format!("users-{}", uuid::Uuid::new_v4()));
            fs::create_dir(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn hash_of(path: &Path, user: &str) -> String {
        let text = fs::read_to_string(path).unwrap();
        let mut entries = text.lines().filter_map(|line| line.split_once(':'));
        entries
            .find(|(name, _)| *name == user)
            .unwrap()
            .1
            .to_owned()
    }

    #[test]
    fn users_come_change_and_go() {
        let folder = Folder::new();
        let path = folder.0.join("users");
        assert_eq!(add(&path, "ada", "first").unwrap(), Added::New);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(add(&path, "bob", "other").unwrap(), Added::New);
        assert_eq!(add(&path, "ada", "second").unwrap(), Added::Changed);
        assert_eq!(names(&path).unwrap(), ["ada", "bob"]);
        assert!(bcrypt::verify("second", &hash_of(&path, "ada")).unwrap());
        assert!(super::super::HttpBasic::open(&path).is_ok());
        delete(&path, "ada").unwrap();
        assert_eq!(names(&path).unwrap(), ["bob"]);
        assert!(matches!(
            delete(&path, "ada"),
            Err(UserError::Unknown { .. })
        ));
        // Nothing is left beside it.
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    }

    #[test]
    fn the_mode_of_a_file_and_lines_of_others_stay() {
        let folder = Folder::new();
        let path = folder.0.join("users");
        fs::write(&path, "# ours\nada:$2y$05$x\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        add(&path, "bob", "pw").unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# ours\nada:$2y$05$x\nbob:$2"), "{text}");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[test]
    fn what_cannot_be_a_user_changes_nothing() {
        let folder = Folder::new();
        let path = folder.0.join("users");
        for name in ["", "a:b", "a\nb", " a"] {
            assert!(
                matches!(add(&path, name, "pw"), Err(UserError::Name)),
                "{name:?}"
            );
        }
        assert!(matches!(add(&path, "a", ""), Err(UserError::Empty)));
        assert!(matches!(
            add(&path, "a", &"x".repeat(73)),
            Err(UserError::Long)
        ));
        assert!(!path.exists());
        assert!(names(&path).is_err());
    }
}
