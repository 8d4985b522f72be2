//! The file of a program: which ones there are, whether they may be run, and how.

#![expect(
    clippy::disallowed_methods,
    reason = "files are looked at before anything is served, and by the thread that keeps a process"
)]

use super::{ExternalSettings, Launch};
use std::{
    fs, io,
    os::unix::{
        fs::{DirBuilderExt, MetadataExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A user that programs run as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    pub uid: u32,
    pub gid: u32,
}

/// Why a file is not run.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("{} cannot be looked at", .0.display())]
    Unknown(PathBuf, #[source] io::Error),
    #[error("{} is no file that can be run: make it executable, or move it out of the folder", .0.display())]
    NotExecutable(PathBuf),
    #[error(
        "{} belongs to user {owner}, who could change it: it must belong to root or to the user of the service",
        path.display()
    )]
    Owner { path: PathBuf, owner: u32 },
    #[error("{} can be written by others than its owner: run chmod go-w on it", .0.display())]
    Writable(PathBuf),
    #[error("the folder {} cannot be made for it", .0.display())]
    Folder(PathBuf, #[source] io::Error),
    #[error("drivers from outside do not run as root: name a user for them in [corten]driver_user")]
    Root,
}

/// A program in the folder of the drivers.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// The name of its file.
    pub(super) name: String,
}

impl Program {
    pub(super) fn at(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Self {
            path: path.to_owned(),
            name: name.into_owned(),
        }
    }

    /// The programs of a folder by name. Files that begin with a dot are not looked at.
    pub(super) fn all(folder: &Path) -> io::Result<Vec<Self>> {
        let mut programs = Vec::new();
        for entry in fs::read_dir(folder)? {
            let program = Self::at(&entry?.path());
            if !program.name.starts_with('.') && !program.path.is_dir() {
                programs.push(program);
            }
        }
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(programs)
    }

    /// The command that starts it, if only root and this service's user can change it.
    pub(super) fn command(&self, settings: &ExternalSettings) -> Result<Command, Refused> {
        let unknown = |error| Refused::Unknown(self.path.clone(), error);
        let program = fs::canonicalize(&self.path).map_err(unknown)?;
        let about = fs::metadata(&program).map_err(unknown)?;
        if !about.is_file() || about.mode() & 0o111 == 0 {
            return Err(Refused::NotExecutable(self.path.clone()));
        }
        // Root may make its files as another user, and is root all the same.
        let (real, effective) = (rustix::process::getuid(), rustix::process::geteuid());
        let own = if real.is_root() { real } else { effective }.as_raw();
        for path in program.ancestors() {
            let about = fs::metadata(path).map_err(|error| Refused::Unknown(path.into(), error))?;
            if ![0, own].contains(&about.uid()) {
                let (path, owner) = (path.into(), about.uid());
                return Err(Refused::Owner { path, owner });
            }
            // In a folder with this bit only owners can replace what is theirs.
            let is_sticky = about.is_dir() && about.mode() & 0o1000 != 0;
            if about.mode() & 0o022 != 0 && !is_sticky {
                return Err(Refused::Writable(path.into()));
            }
        }
        let folder = settings.state.join(&self.name);
        self.make_folder(&folder, settings.user)
            .map_err(|error| Refused::Folder(folder.clone(), error))?;
        let mut command = match &settings.launcher {
            Some(launcher) => {
                let launch = Launch {
                    parent: std::process::id(),
                    memory: settings.memory,
                    program,
                };
                let mut command = Command::new(launcher);
                command.args(launch.words());
                command
            }
            None => Command::new(program),
        };
        command
            .env_clear()
            .env(
                "PATH",
                "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            )
            .env("LANG", "C.UTF-8")
            .env("HOME", &folder)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        match settings.user {
            // Supplementary groups are given up with it.
            Some(user) if user.uid != own => command.uid(user.uid).gid(user.gid),
            Some(_) => &mut command,
            None if own == 0 => return Err(Refused::Root),
            None => &mut command,
        };
        Ok(command)
    }

    /// The folder that the program works in, which is its own.
    fn make_folder(&self, folder: &Path, user: Option<User>) -> io::Result<()> {
        if let Some(all) = folder.parent() {
            make(all, 0o755)?;
        }
        make(folder, 0o700)?;
        if let Some(user) = user
            && fs::metadata(folder)?.uid() != user.uid
        {
            std::os::unix::fs::chown(folder, Some(user.uid), Some(user.gid))?;
        }
        Ok(())
    }
}

fn make(folder: &Path, mode: u32) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(folder)
}
