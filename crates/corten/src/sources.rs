//! From the command line and the environment to a configuration.
//!
//! The one thing decided here is where data lives when nobody says so: in the user's own data
//! folder, so that a first start needs neither root nor flags. What the options mean is decided in
//! [`crate::settings`].

#![expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]

use crate::args::Common;
use config::{Config, ConfigError, Machine, Sources, Warning};
use std::{
    env,
    ffi::OsString,
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

/// A configuration cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("cannot use the data folder {}: its name is not UTF-8", .0.display())]
    NotText(PathBuf),
    #[error("no home folder found for the data; name a folder with --data-dir")]
    NoHome,
    #[error("cannot find the current folder")]
    NoCurrentFolder(#[source] io::Error),
    #[error("cannot create the data folder {}", path.display())]
    Create {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Facts about the user who runs the program.
#[derive(Debug, Clone)]
pub(crate) struct User {
    is_root: bool,
    /// `$XDG_DATA_HOME`.
    data_home: Option<PathBuf>,
    home: Option<PathBuf>,
}

impl User {
    fn detect() -> Self {
        Self {
            // The owner of a process's entry is the user it acts as.
            is_root: fs::metadata("/proc/self").is_ok_and(|entry| entry.uid() == 0),
            data_home: env::var_os("XDG_DATA_HOME").map(PathBuf::from),
            home: env::home_dir(),
        }
    }

    /// The data folder for a user who named none; nothing if the configuration's own default is
    /// the right one.
    fn data_dir(&self) -> Result<Option<PathBuf>, SourceError> {
        if self.is_root {
            return Ok(None);
        }
        // The XDG rules say to ignore what is not absolute.
        let absolute = |path: &Option<PathBuf>| path.clone().filter(|path| path.is_absolute());
        let share = absolute(&self.data_home)
            .or_else(|| absolute(&self.home).map(|home| home.join(".local/share")))
            .ok_or(SourceError::NoHome)?;
        Ok(Some(share.join("corten")))
    }
}

/// The data folder of root.
pub(crate) const DATA_DIR: &str = "/var/lib/corten";

/// Whether the program runs as root.
pub(crate) fn is_root() -> bool {
    User::detect().is_root
}

/// The data folder, by a flag or by who runs the program.
pub(crate) fn data_dir(named: Option<&Path>) -> Result<PathBuf, SourceError> {
    if let Some(path) = named {
        return std::path::absolute(path).map_err(SourceError::NoCurrentFolder);
    }
    let usual = User::detect().data_dir()?;
    Ok(usual.unwrap_or_else(|| PathBuf::from(DATA_DIR)))
}

/// The configuration of this process.
pub fn load(common: &Common) -> Result<(Config, Vec<Warning>), SourceError> {
    read(
        common,
        Machine::detect(),
        env::vars_os().collect(),
        &User::detect(),
    )
}

fn read(
    common: &Common,
    machine: Machine,
    env: Vec<(OsString, OsString)>,
    user: &User,
) -> Result<(Config, Vec<Warning>), SourceError> {
    let mut sources = Sources {
        machine,
        files: common.config_file.clone(),
        env,
        sets: common.set.clone(),
    };
    if let Some(path) = &common.data_dir {
        let path = std::path::absolute(path).map_err(SourceError::NoCurrentFolder)?;
        sources.sets.push(data_dir_flag(&path)?);
        return Ok(Config::load(sources)?);
    }
    let (config, warnings) = Config::load(sources.clone())?;
    if config.corten.data_dir.is_set() {
        return Ok((config, warnings));
    }
    match user.data_dir()? {
        None => Ok((config, warnings)),
        // Other options refer to this one, so they are all read again.
        Some(path) => {
            sources.sets.push(data_dir_flag(&path)?);
            Ok(Config::load(sources)?)
        }
    }
}

/// A path is no template: a dollar sign in it stands for itself.
pub(crate) fn data_dir_flag(path: &Path) -> Result<String, SourceError> {
    let text = path
        .to_str()
        .ok_or_else(|| SourceError::NotText(path.to_owned()))?;
    Ok(format!("corten.data_dir={}", text.replace('$', "$$")))
}

/// Makes sure that the data folder is there. A new one is for its owner only: it holds the keys.
pub fn create_data_dir(config: &Config) -> Result<(), SourceError> {
    let path: &Path = &config.corten.data_dir;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| SourceError::Create {
            path: path.to_owned(),
            source,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn someone() -> User {
        User {
            is_root: false,
            data_home: None,
            home: Some("/somewhere/me".into()),
        }
    }

    fn data_dir(common: &Common, env: &[(&str, &str)], user: &User) -> PathBuf {
        let env = env
            .iter()
            .map(|(k, v)| ((*k).into(), (*v).into()))
            .collect();
        let (config, _) = read(common, Machine::default(), env, user).unwrap();
        config.corten.data_dir.to_path_buf()
    }

    #[test]
    fn data_lives_in_the_user_s_folder_unless_told_otherwise() {
        let nothing = Common::default();
        let home = data_dir(&nothing, &[], &someone());
        assert_eq!(home, Path::new("/somewhere/me/.local/share/corten"));
        let xdg = User {
            data_home: Some("/data".into()),
            ..someone()
        };
        assert_eq!(data_dir(&nothing, &[], &xdg), Path::new("/data/corten"));
        let relative = User {
            data_home: Some("data".into()),
            ..someone()
        };
        assert_eq!(data_dir(&nothing, &[], &relative), home);
        let root = User {
            is_root: true,
            ..someone()
        };
        assert_eq!(data_dir(&nothing, &[], &root), Path::new("/var/lib/corten"));
    }

    #[test]
    fn what_is_said_about_the_data_folder_counts() {
        let flag = Common {
            data_dir: Some("/a$b".into()),
            ..Common::default()
        };
        assert_eq!(data_dir(&flag, &[], &someone()), Path::new("/a$b"));
        let set = Common {
            set: vec!["corten.data_dir=/c".into()],
            ..Common::default()
        };
        assert_eq!(data_dir(&set, &[], &someone()), Path::new("/c"));
        let env = [("CORTEN_CORTEN__DATA_DIR", "/d")];
        assert_eq!(
            data_dir(&Common::default(), &env, &someone()),
            Path::new("/d")
        );
        assert_eq!(data_dir(&flag, &env, &someone()), Path::new("/a$b"));
    }

    #[test]
    fn nobody_without_a_home_starts_by_accident() {
        let homeless = User {
            home: None,
            ..someone()
        };
        let refused = read(&Common::default(), Machine::default(), vec![], &homeless).unwrap_err();
        assert!(refused.to_string().contains("--data-dir"), "{refused}");
    }

    #[test]
    fn a_new_data_folder_is_private() {
        let parent = tempfile::tempdir().unwrap();
        let common = Common {
            data_dir: Some(parent.path().join("a/b")),
            ..Common::default()
        };
        let (config, _) = read(&common, Machine::default(), vec![], &someone()).unwrap();
        create_data_dir(&config).unwrap();
        create_data_dir(&config).unwrap();
        let made = fs::metadata(parent.path().join("a/b")).unwrap();
        assert_eq!(made.permissions().mode() & 0o777, 0o700);
    }
}
