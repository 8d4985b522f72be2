//! Loading kernel modules.
//!
//! The kernel does the work; this finds out which file it wants. Whoever finds a module loaded
//! already, or being loaded by another thread or by [`modprobe`], has what was wanted.

use super::{Parameters, console};
use proto::modules::{self, Index};
use rustix::{io::Errno, system::finit_module};
use std::{
    collections::HashSet,
    ffi::CString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Mutex,
};

/// The modules of this ramdisk.
#[derive(Debug)]
pub(super) struct Loader {
    root: PathBuf,
    index: Index,
    /// Those that the operator does not want to be loaded for a device.
    shunned: HashSet<String>,
    parameters: Parameters,
    /// What has been tried, so that the same complaint is not made for every device.
    tried: Mutex<HashSet<String>>,
}

impl Loader {
    pub(super) fn open(parameters: &Parameters) -> Self {
        let root = PathBuf::from("/");
        let text = fs::read_to_string(root.join(modules::PATH)).unwrap_or_default();
        let shunned = parameters.get("modprobe.blacklist").unwrap_or_default();
        Self {
            index: Index::decode(&text),
            shunned: shunned.split(',').map(modules::name).collect(),
            parameters: parameters.clone(),
            tried: Mutex::default(),
            root,
        }
    }

    pub(super) fn load_always(&self) {
        for name in &self.index.always {
            self.load_and_tell(name);
        }
    }

    /// Loads what is for a device.
    pub(super) fn serve(&self, alias: &str) {
        for name in self.index.serving(alias.trim_end()) {
            if !self.shunned.contains(name) {
                self.load_and_tell(name);
            }
        }
    }

    fn load_and_tell(&self, name: &str) {
        let new = self
            .tried
            .lock()
            .map_or(true, |mut tried| tried.insert(name.to_owned()));
        if !new {
            return;
        }
        if let Err((name, error)) = self.load(name) {
            console::say(&format!("cannot load kernel module {name}: {error}"));
        }
    }

    /// Loads a module after those that it needs.
    fn load<'a>(&'a self, name: &'a str) -> Result<(), (&'a str, io::Error)> {
        for name in self.index.order(name) {
            let Some(module) = self.index.modules.get(name) else {
                continue;
            };
            let loaded = File::open(self.root.join(&module.path)).and_then(|file| {
                let options = CString::new(self.options(name))?;
                match finit_module(file, &options, 0) {
                    Ok(()) | Err(Errno::EXIST) => Ok(()),
                    // A driver whose hardware is absent says so in this way.
                    Err(Errno::NODEV) => Ok(()),
                    Err(error) => Err(error.into()),
                }
            });
            loaded.map_err(|error| (name, error))?;
        }
        Ok(())
    }

    /// What the kernel's command line says for a module: `name.option=value`.
    fn options(&self, name: &str) -> String {
        let options = self.parameters.0.iter().filter_map(|word| {
            let (module, option) = word.split_once('.')?;
            (modules::name(module) == name).then_some(option)
        });
        options.collect::<Vec<_>>().join(" ")
    }
}

/// What the kernel calls when it wants a module by name: a file system, a cipher, a RAID level.
pub fn modprobe(arguments: impl Iterator<Item = String>) -> ExitCode {
    if !Path::new("/").join(crate::safety::MARK).is_file() {
        return ExitCode::FAILURE;
    }
    let loader = Loader::open(&Parameters::read());
    let mut outcome = ExitCode::SUCCESS;
    for wanted in arguments.filter(|argument| !argument.starts_with('-')) {
        let mut names = loader.index.serving(&wanted).peekable();
        if names.peek().is_none() {
            outcome = ExitCode::FAILURE;
        }
        for name in names {
            if loader.load(name).is_err() {
                outcome = ExitCode::FAILURE;
            }
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_from_the_command_line() {
        let line = "e1000e.IntMode=1 e1000e.SmartPowerDown=0 usb-storage.delay_use=1 e1000e quiet";
        let loader = Loader {
            root: PathBuf::new(),
            index: Index::default(),
            shunned: HashSet::new(),
            parameters: Parameters::parse(line),
            tried: Mutex::default(),
        };
        assert_eq!(loader.options("e1000e"), "IntMode=1 SmartPowerDown=0");
        assert_eq!(loader.options("usb_storage"), "delay_use=1");
        assert_eq!(loader.options("igb"), "");
    }
}
