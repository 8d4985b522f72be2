//! Packages by name, through the apt of the machine that builds.
//!
//! apt knows the mirrors and checks signatures; nothing is installed. Packages are kept in a folder,
//! and those that are there already are not fetched again. For another architecture apt keeps lists
//! of its own in that folder, so the machine's are left alone.

use super::deb::Package;
use crate::Architecture;
use anyhow::{Context as _, bail};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where packages come from.
#[derive(Debug)]
pub(super) struct Apt {
    folder: PathBuf,
    architecture: Architecture,
    suite: Option<String>,
    /// Those of which a file was given.
    given: BTreeMap<String, PathBuf>,
    /// Whether the lists of another architecture are there.
    listed: bool,
}

impl Apt {
    pub(super) fn new(
        folder: &Path,
        architecture: Architecture,
        suite: Option<&str>,
        given: &[PathBuf],
    ) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let mut names = BTreeMap::new();
        for path in given {
            names.insert(Package::open(path)?.name().to_owned(), path.clone());
        }
        Ok(Self {
            // apt runs in other folders than this program does.
            folder: fs::canonicalize(folder)?,
            architecture,
            suite: suite.map(str::to_owned),
            given: names,
            listed: false,
        })
    }

    /// The package of this name.
    pub(super) fn get(&mut self, name: &str) -> anyhow::Result<Package> {
        if !plausible(name) {
            bail!("invalid package name {name:?}");
        }
        if let Some(path) = self.given.get(name) {
            return Package::open(path);
        }
        self.list()?;
        // Where the package is already, apt says nothing of it.
        let elsewhere = tempfile::tempdir()?;
        let answer = self.run(elsewhere.path(), &["download", "--print-uris", name])?;
        let file = answer
            .lines()
            .find_map(|line| {
                line.split_whitespace()
                    .nth(1)
                    .filter(|_| line.starts_with('\''))
            })
            .map(|file| file.replace("%3a", "%3A"));
        let present = |file: &str| {
            let path = self.folder.join(file);
            // apt names a file in one way and stores it in another.
            [path.clone(), self.folder.join(file.replace("%3A", "%3a"))]
                .into_iter()
                .find(|path| path.is_file())
        };
        let file = file.with_context(|| format!("apt found no package {name}"))?;
        if let Some(path) = present(&file) {
            return Package::open(&path);
        }
        self.run(&self.folder, &["download", name])?;
        let path = present(&file).with_context(|| format!("apt did not download {file}"))?;
        Package::open(&path)
    }

    /// Fetches lists of packages, where the machine has none for this architecture.
    fn list(&mut self) -> anyhow::Result<()> {
        if self.listed || self.architecture == Architecture::native() {
            return Ok(());
        }
        for folder in ["lists/partial", "archives/partial"] {
            fs::create_dir_all(self.folder.join(folder))?;
        }
        self.run(&self.folder, &["update"])?;
        self.listed = true;
        Ok(())
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new("apt-get");
        command.current_dir(folder).env("LC_ALL", "C");
        if self.architecture != Architecture::native() {
            let architecture = self.architecture.as_str();
            let here = |name: &str| format!("Dir::{name}={}", self.folder.display());
            for option in [
                format!("APT::Architecture={architecture}"),
                format!("APT::Architectures={architecture}"),
                format!("{}/lists", here("State::Lists")),
                "Dir::State::status=/dev/null".to_owned(),
                format!("{}/archives", here("Cache::Archives")),
                format!("{}/packages.bin", here("Cache::pkgcache")),
                format!("{}/sources.bin", here("Cache::srcpkgcache")),
            ] {
                command.args(["-o", &option]);
            }
        }
        if let Some(suite) = &self.suite {
            command.args(["-t", suite]);
        }
        let output = command
            .args(arguments)
            .output()
            .context("cannot run apt-get; give the packages as files instead")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("apt-get {}: {}", arguments.join(" "), said.trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Names never start with a dash, so none can be taken for an option.
fn plausible(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte);
    name.bytes().all(fits) && name.starts_with(|first: char| first.is_ascii_alphanumeric())
}
