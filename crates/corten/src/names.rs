//! The names of Ironic's programs, under which this one does what they do.
//!
//! Unit files and containers start `ironic-api --config-file …`; with a link of that name they go
//! on working. Their options are those of oslo: those that say where the configuration is are
//! translated, those about logging become options of the configuration, and others are refused.

#![expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

/// A program of Ironic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Api,
    Conductor,
    /// Both in one process; with a sub-command it is the client until 2019.
    Single,
    DbSync,
    Status,
}

impl Name {
    fn of(program: &OsStr) -> Option<Self> {
        Some(match Path::new(program).file_name()?.to_str()? {
            "ironic-api" => Self::Api,
            "ironic-conductor" => Self::Conductor,
            "ironic" => Self::Single,
            "ironic-dbsync" => Self::DbSync,
            "ironic-status" => Self::Status,
            _ => return None,
        })
    }
}

/// What to do instead of reading the command line as our own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// These words, read as our own.
    Words(Vec<OsString>),
    /// `ironic-dbsync online_data_migrations`: rows are always what this version writes.
    NothingToDo,
    /// `ironic-status upgrade check`, with these words for where the configuration is.
    UpgradeCheck(Vec<OsString>),
    Refused(String),
}

/// What a command line means whose first word is the name of a program of Ironic. `None` for any other,
/// and for `ironic` with a sub-command.
pub(crate) fn meant(words: impl Iterator<Item = OsString>) -> Option<Meant> {
    let mut words = words;
    let program = words.next()?;
    let name = Name::of(&program)?;
    let options = match Options::read(words) {
        Ok(options) => options,
        Err(reason) => {
            let program = program.to_string_lossy();
            return Some(Meant::Refused(format!("{program}: {reason}")));
        }
    };
    if name == Name::Single && !options.rest.is_empty() {
        return None;
    }
    let rest: Vec<&str> = options.rest.iter().map(String::as_str).collect();
    let command = match (name, &rest[..]) {
        (Name::Api, []) => &["api"][..],
        (Name::Conductor, []) => &["conductor"],
        (Name::Single, []) => &["serve"],
        (Name::DbSync, [] | ["upgrade" | "create_schema"]) => &["db", "upgrade"],
        (Name::DbSync, ["version"]) => &["db", "version"],
        (Name::DbSync, ["online_data_migrations", ..]) => return Some(Meant::NothingToDo),
        (Name::Status, ["upgrade", "check"]) => {
            return Some(Meant::UpgradeCheck(options.configuration()));
        }
        (_, [first, ..]) => {
            let program = program.to_string_lossy();
            return Some(Meant::Refused(format!(
                "{program}: '{first}' is not known here; 'corten --help' lists what is"
            )));
        }
        (Name::Status, []) => {
            return Some(Meant::Refused(
                "say 'ironic-status upgrade check'".to_owned(),
            ));
        }
    };
    let mut words: Vec<OsString> = vec!["corten".into()];
    words.extend(command.iter().map(OsString::from));
    words.extend(options.configuration());
    Some(Meant::Words(words))
}

/// The options of a command line of Ironic's.
#[derive(Debug, Default)]
struct Options {
    files: Vec<PathBuf>,
    /// `SECTION.OPTION=VALUE`.
    sets: Vec<String>,
    /// Everything else.
    rest: Vec<String>,
}

/// Options with a value that are options of the configuration as well.
const LOGGING: &[&str] = &[
    "log-file",
    "log-dir",
    "log-config-append",
    "syslog-log-facility",
];
/// Those without a value.
const SWITCHES: &[&str] = &[
    "debug",
    "use-syslog",
    "use-journal",
    "use-json",
    "watch-log-file",
];

impl Options {
    fn read(words: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.map(|word| word.to_string_lossy().into_owned());
        while let Some(word) = words.next() {
            let word = if word == "-d" {
                "--debug".to_owned()
            } else {
                word
            };
            let Some(option) = word.strip_prefix("--") else {
                options.rest.push(word);
                continue;
            };
            let (name, given) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (option, None),
            };
            if SWITCHES.contains(&name) {
                let name = name.replace('-', "_");
                options.sets.push(format!("DEFAULT.{name}=true"));
                continue;
            }
            let takes_value =
                matches!(name, "config-file" | "config-dir") || LOGGING.contains(&name);
            let value = takes_value
                .then(|| given.or_else(|| words.next()))
                .flatten();
            match (name, value) {
                ("config-file", Some(value)) => options.files.push(value.into()),
                ("config-dir", Some(value)) => {
                    let found = files_in(Path::new(&value));
                    let found = found.map_err(|error| format!("--config-dir {value}: {error}"))?;
                    options.files.extend(found);
                }
                (name, Some(value)) => {
                    let name = name.replace('-', "_");
                    options.sets.push(format!("DEFAULT.{name}={value}"));
                }
                (_, None) => options.rest.push(word),
            }
        }
        Ok(options)
    }

    /// The same in our words. Without a file, Ironic's own is meant if it exists.
    fn configuration(&self) -> Vec<OsString> {
        const USUAL: &str = "/etc/ironic/ironic.conf";
        let usual = PathBuf::from(USUAL);
        let usual = (self.files.is_empty() && usual.exists()).then_some(usual);
        let mut words = Vec::new();
        for file in self.files.iter().chain(&usual) {
            words.extend([OsString::from("--config-file"), file.into()]);
        }
        for set in &self.sets {
            words.extend([OsString::from("--set"), set.into()]);
        }
        words
    }
}

/// The configuration files of a folder, in the order of their names.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("conf")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Meant> {
        meant(line.split(' ').map(OsString::from))
    }

    fn words(line: &str) -> Option<Meant> {
        Some(Meant::Words(line.split(' ').map(OsString::from).collect()))
    }

    #[test]
    fn programs_of_ironic_are_found_by_their_names() {
        let file = "--config-file /etc/x.conf";
        for (theirs, ours) in [
            ("/usr/bin/ironic-api", "api"),
            ("ironic-conductor", "conductor"),
            ("ironic", "serve"),
            ("ironic-dbsync", "db upgrade"),
        ] {
            let expected = words(&format!("corten {ours} {file}"));
            assert_eq!(read(&format!("{theirs} {file}")), expected, "{theirs}");
        }
        assert_eq!(
            read("ironic-dbsync --config-file=/etc/x.conf create_schema"),
            words("corten db upgrade --config-file /etc/x.conf")
        );
        assert_eq!(
            read("ironic-dbsync --config-file /a version"),
            words("corten db version --config-file /a")
        );
        assert_eq!(
            read("ironic-conductor --config-file /a -d --log-file=/b"),
            words(
                "corten conductor --config-file /a --set DEFAULT.debug=true --set DEFAULT.log_file=/b"
            )
        );
        assert_eq!(
            read("ironic-dbsync --config-file /a online_data_migrations --max-count 7"),
            Some(Meant::NothingToDo)
        );
        assert!(matches!(
            read("ironic-status upgrade check"),
            Some(Meant::UpgradeCheck(_))
        ));
    }

    #[test]
    fn a_folder_of_configuration_files_must_be_readable() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for name in ["b.conf", "a.conf", "a.conf.bak"] {
            fs::write(path.join(name), "").unwrap();
        }
        let (shown, absent) = (path.display(), path.join("none"));
        assert_eq!(
            read(&format!("ironic-api --config-dir {shown}")),
            words(&format!(
                "corten api --config-file {shown}/a.conf --config-file {shown}/b.conf"
            ))
        );
        let line = format!("ironic-api --config-dir {}", absent.display());
        let Some(Meant::Refused(reason)) = read(&line) else {
            panic!("{line}")
        };
        assert!(
            reason.contains("--config-dir") && reason.contains("none"),
            "{reason}"
        );
    }

    #[test]
    fn the_old_client_and_our_own_words_are_not_touched() {
        for line in [
            "ironic node-list",
            "ironic --ironic-url http://127.0.0.1:6385 node-list",
            "ironic --help",
            "corten serve",
            "corten ironic node-list",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for line in [
            "ironic-api --frobnicate",
            "ironic-dbsync stamp",
            "ironic-status",
        ] {
            assert!(matches!(read(line), Some(Meant::Refused(_))), "{line}");
        }
    }
}
