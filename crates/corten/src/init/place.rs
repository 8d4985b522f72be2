//! Where everything goes, and how the configuration gets there.

use crate::{args, sources};
use anyhow::{Context, ensure};
use std::{
    fs,
    io::Write,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};

const CONFIG: &str = "/etc/corten/corten.conf";
/// Where packages and operators put the unit.
const UNITS: [&str; 3] = [
    "/etc/systemd/system/corten.service",
    "/usr/lib/systemd/system/corten.service",
    "/lib/systemd/system/corten.service",
];

/// Where files go; all paths are absolute.
#[derive(Debug)]
pub(super) struct InstallPaths {
    pub(super) config: PathBuf,
    pub(super) data: PathBuf,
}

impl InstallPaths {
    pub(super) fn choose(args: &args::Init) -> anyhow::Result<Self> {
        let data = sources::data_dir(args.data_dir.as_deref())?;
        let config = match &args.config_file {
            Some(file) => std::path::absolute(file).context("cannot find the current folder")?,
            None if sources::is_root() => PathBuf::from(CONFIG),
            None => data.join("corten.conf"),
        };
        for path in [&data, &config] {
            let is_plain = path
                .to_str()
                .is_some_and(|text| !text.contains(['$', '\n', '#', ';', ',', ':', ' ']));
            ensure!(
                is_plain,
                "{} cannot be named in a configuration file: use a path of plain characters",
                path.display()
            );
        }
        Ok(Self { config, data })
    }

    /// The command that starts the service: by its unit, where one is installed that serves this.
    pub(super) fn start(&self) -> String {
        let is_of_unit =
            self.config == Path::new(CONFIG) && self.data == Path::new(sources::DATA_DIR);
        match is_of_unit && UNITS.iter().any(|unit| Path::new(unit).exists()) {
            true => "systemctl enable --now corten".to_owned(),
            false => format!("corten serve --config-file {}", self.config.display()),
        }
    }

    pub(super) fn password_file(&self) -> PathBuf {
        self.data.join("admin-password")
    }

    /// Writes the configuration beside its place, and moves it there when it is whole. One that is
    /// there, and may be replaced, is kept under another name.
    pub(super) fn write_config(&self, text: &str) -> anyhow::Result<()> {
        let shown = self.config.display();
        let cannot = || format!("cannot write {shown}");
        let folder = self.config.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).with_context(cannot)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).with_context(cannot)?;
        file.write_all(text.as_bytes()).with_context(cannot)?;
        // It may hold a password; the group of the service reads it.
        let mode = fs::Permissions::from_mode(0o640);
        file.as_file().set_permissions(mode).with_context(cannot)?;
        self.hand_over(file.path(), Owner::Group)?;
        file.as_file().sync_all().with_context(cannot)?;
        if self.config.exists() {
            let old = self.name_for_old();
            fs::rename(&self.config, &old).with_context(cannot)?;
            crate::console::note(&format!("the old {shown} is now {}", old.display()));
        }
        // Another run may have been faster.
        file.persist_noclobber(&self.config).with_context(cannot)?;
        fs::File::open(folder)
            .and_then(|folder| folder.sync_all())
            .with_context(cannot)
    }

    /// A name beside the configuration that nothing has yet: what an earlier run kept stays.
    fn name_for_old(&self) -> PathBuf {
        let name = |ending: String| {
            let mut name = self.config.clone().into_os_string();
            name.push(".before-init");
            name.push(ending);
            PathBuf::from(name)
        };
        let mut old = name(String::new());
        let mut number = 1;
        while old.symlink_metadata().is_ok() {
            number += 1;
            old = name(format!(".{number}"));
        }
        old
    }

    /// Gives a file to the owner of the data folder, as which the service runs.
    pub(super) fn hand_over(&self, path: &Path, owner: Owner) -> anyhow::Result<()> {
        let folder = fs::metadata(&self.data)
            .with_context(|| format!("cannot look at {}", self.data.display()))?;
        let now = fs::symlink_metadata(path)
            .with_context(|| format!("cannot look at {}", path.display()))?;
        let user = (owner == Owner::Whole).then_some(folder.uid());
        if user.is_none_or(|user| user == now.uid()) && folder.gid() == now.gid() {
            return Ok(());
        }
        chown(path, user, Some(folder.gid())).with_context(|| {
            format!(
                "cannot give {} to the owner of the data folder",
                path.display()
            )
        })
    }
}

/// What of a file the owner of the data folder gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// All of it.
    Whole,
    /// To read it, by its group.
    Group,
}
