//! The systemd unit that serves a configuration, and the rights that it grants.
//!
//! The user who runs `corten doctor` seldom has the capabilities of the service: root has all of
//! them, the service's account has none outside of its unit. So the unit's settings are read.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Where units are looked for; the first that is found counts.
const FOLDERS: [&str; 4] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];
const NAMES: [&str; 2] = ["corten.service", "corten-conductor.service"];

/// A unit, with the lines of its drop-ins at the end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) name: &'static str,
    user: Option<String>,
    command: String,
    ambient: Vec<String>,
    bounding: Option<Vec<String>>,
}

impl Unit {
    /// The unit that serves one of these files, if one is installed.
    pub(super) fn serving(files: &[PathBuf]) -> Option<Self> {
        let folders: Vec<&Path> = FOLDERS.iter().map(Path::new).collect();
        let mut units = NAMES.iter().filter_map(|name| find(name, &folders));
        units.find(|unit| files.iter().any(|file| unit.serves(file)))
    }

    fn serves(&self, file: &Path) -> bool {
        let mut words = self.command.split_whitespace();
        words.any(|word| Path::new(word.trim_start_matches("--config-file=")) == file)
    }

    /// Whether its process has a right, such as `CAP_NET_RAW`.
    pub(super) fn grants(&self, right: &str) -> bool {
        let names = |set: &[String]| set.iter().any(|name| name.eq_ignore_ascii_case(right));
        let is_bounded = self.bounding.as_deref().is_some_and(|set| !names(set));
        let is_root = matches!(self.user.as_deref(), None | Some("root" | "0"));
        !is_bounded && (is_root || names(&self.ambient))
    }

    fn read(&mut self, text: &str) {
        for line in text.lines() {
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            let value = value.trim();
            match key.trim() {
                "User" => self.user = (!value.is_empty()).then(|| value.to_owned()),
                "ExecStart" => value.clone_into(&mut self.command),
                "AmbientCapabilities" => add(&mut self.ambient, value),
                "CapabilityBoundingSet" => {
                    add(self.bounding.get_or_insert_default(), value);
                }
                _ => {}
            }
        }
    }
}

/// Adds the rights of a line; one without any takes back what was said before.
fn add(set: &mut Vec<String>, value: &str) {
    match value.strip_prefix('~') {
        Some(taken) => {
            let taken: Vec<&str> = taken.split_whitespace().collect();
            set.retain(|name| !taken.contains(&name.as_str()));
        }
        None if value.is_empty() => set.clear(),
        None => set.extend(value.split_whitespace().map(str::to_owned)),
    }
}

fn find(name: &'static str, folders: &[&Path]) -> Option<Unit> {
    let mut found = folders.iter().map(|folder| folder.join(name));
    let text = found.find_map(|path| fs::read_to_string(path).ok())?;
    let mut unit = Unit {
        name,
        ..Unit::default()
    };
    unit.read(&text);
    for file in drop_ins(name, folders) {
        unit.read(&fs::read_to_string(file).unwrap_or_default());
    }
    Some(unit)
}

/// What operators have added, in the order in which it counts.
fn drop_ins(name: &str, folders: &[&Path]) -> Vec<PathBuf> {
    let folders = folders
        .iter()
        .map(|folder| folder.join(format!("{name}.d")));
    let entries = folders.filter_map(|folder| fs::read_dir(folder).ok());
    let paths = entries.flatten().flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "conf"))
        .collect();
    all.sort_by(|one, other| one.file_name().cmp(&other.file_name()));
    // The same name counts once: where it stands first.
    all.dedup_by(|later, earlier| later.file_name() == earlier.file_name());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGED: &str = include_str!("../../../../packaging/systemd/corten.service");

    fn unit(folder: &Path, drop_in: Option<&str>) -> Unit {
        fs::write(folder.join("corten.service"), PACKAGED).unwrap();
        if let Some(text) = drop_in {
            let more = folder.join("corten.service.d");
            fs::create_dir_all(&more).unwrap();
            fs::write(more.join("rights.conf"), text).unwrap();
            fs::write(more.join("notes.txt"), "[Service]\nUser=root\n").unwrap();
        }
        find("corten.service", &[folder]).unwrap()
    }

    #[test]
    fn the_unit_of_the_package_grants_low_ports_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let unit = unit(folder.path(), None);
        assert!(unit.serves(Path::new("/etc/corten/corten.conf")));
        assert!(!unit.serves(Path::new("/etc/corten/other.conf")));
        assert!(unit.grants("CAP_NET_BIND_SERVICE"));
        assert!(!unit.grants("CAP_NET_RAW"));
        assert_eq!(find("other.service", &[folder.path()]), None);
    }

    #[test]
    fn a_drop_in_adds_rights_or_takes_them() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            "[Service]\nCapabilityBoundingSet=CAP_NET_RAW\nAmbientCapabilities=CAP_NET_RAW\n";
        assert!(unit(folder.path(), Some(text)).grants("CAP_NET_RAW"));
        let text = "[Service]\nAmbientCapabilities=\n";
        assert!(!unit(folder.path(), Some(text)).grants("CAP_NET_BIND_SERVICE"));
        let text = "[Service]\nUser=\n";
        let as_root = unit(folder.path(), Some(text));
        assert!(as_root.grants("CAP_NET_BIND_SERVICE"));
        assert!(!as_root.grants("CAP_NET_RAW"), "the bounding set holds");
    }
}
