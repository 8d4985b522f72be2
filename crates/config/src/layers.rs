//! Gathers what was said about options, from the weakest voice to the strongest.
//!
//! Facts about the machine come first, then files in the order given, then environment variables
//! (`CORTEN_SECTION__OPTION`), then `--set` flags. Within the files, and within the flags, a
//! repeated option keeps all of its texts, because some options want them all; a stronger kind of
//! source replaces them.
//!
//! What is said about options under former names is moved to their present ones. Nothing is
//! interpreted here, and unknown names are kept: see [`super::unknown`].

use super::{
    error::ConfigError,
    ini::{self, DEFAULT_SECTION},
    machine::Machine,
    renamed, situation,
    source::{Given, Source},
};
use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// The prefix of environment variables that set options.
const VARIABLE_PREFIX: &str = "CORTEN_";

/// One text for an option, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) source: Source,
}

/// Everything that was said.
#[derive(Debug, Default)]
pub(super) struct Layers {
    /// By section and option, so that a look-up needs no copies of the names.
    options: HashMap<String, HashMap<String, Vec<Text>>>,
    /// As written, for warnings.
    all: Vec<Given>,
}

/// The one spelling of a section's name: they are compared without regard to case, except that
/// only `DEFAULT` is `DEFAULT`.
pub(super) fn section_key(section: &str) -> String {
    if section == DEFAULT_SECTION {
        section.to_owned()
    } else {
        section.to_lowercase()
    }
}

impl Layers {
    /// All texts given for an option by the strongest kind of source, in order; empty if there
    /// are none.
    pub(super) fn find(&self, section: &str, name: &str) -> &[Text] {
        let options = self.options.get(section);
        options
            .and_then(|options| options.get(name))
            .map_or(&[], Vec::as_slice)
    }

    /// Everything a person wrote, in order.
    pub(super) fn all(&self) -> &[Given] {
        &self.all
    }

    pub(super) fn add_machine(&mut self, machine: &Machine) {
        let facts = [
            ("host", machine.host.clone()),
            ("my_ip", machine.address.to_string()),
            ("tempdir", machine.temp_dir.display().to_string()),
        ];
        for (name, text) in facts {
            // A fact is no template: a dollar sign in it stands for itself.
            self.stand_in(
                DEFAULT_SECTION,
                name,
                text.replace('$', "$$"),
                Source::Machine,
            );
        }
    }

    /// Fills in defaults that depend on other options. Comes last, and overrides nothing.
    pub(super) fn add_situation(&mut self, has_files: bool) {
        for row in situation::defaults(has_files, self) {
            if self.find(row.section, row.option).is_empty() {
                self.stand_in(
                    row.section,
                    row.option,
                    row.text.to_owned(),
                    Source::Situation,
                );
            }
        }
    }

    fn stand_in(&mut self, section: &str, name: &str, text: String, source: Source) {
        let options = self.options.entry(section.to_owned()).or_default();
        options.insert(name.to_owned(), vec![Text { text, source }]);
    }

    pub(super) fn add_files(&mut self, paths: &[PathBuf]) -> Result<(), ConfigError> {
        let mut given = Vec::new();
        for path in paths {
            let bytes = fs::read(path).map_err(|source| ConfigError::Read {
                path: path.clone(),
                source,
            })?;
            given.extend(file_given(path, &bytes)?);
        }
        self.add(given);
        Ok(())
    }

    /// Takes the variables that look like options; other variables with our prefix may be there
    /// for other purposes.
    pub(super) fn add_environment(
        &mut self,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<(), ConfigError> {
        let mut given = Vec::new();
        for (variable, value) in variables {
            let Ok(variable) = variable.into_string() else {
                continue;
            };
            let Some((section, name)) = variable_option(&variable) else {
                continue;
            };
            let text = value.into_string().map_err(|_| ConfigError::Environment {
                variable: variable.clone(),
            })?;
            given.push(Given {
                section,
                name,
                text,
                source: Source::Environment { variable },
            });
        }
        // The environment has no order of its own; warnings should have one.
        given.sort_by(|a, b| (&a.section, &a.name).cmp(&(&b.section, &b.name)));
        self.add(given);
        Ok(())
    }

    pub(super) fn add_flags(&mut self, flags: &[String]) -> Result<(), ConfigError> {
        let given = flags
            .iter()
            .map(|flag| flag_given(flag))
            .collect::<Result<_, _>>()?;
        self.add(given);
        Ok(())
    }

    /// Adds one kind of source: whatever it speaks of, it has the only say in.
    fn add(&mut self, given: Vec<Given>) {
        let mut spoken_of = HashSet::new();
        for given in &given {
            let (section, name) = match renamed::find(&given.section, &given.name) {
                Some(renamed) => (renamed.section.to_owned(), renamed.option.to_owned()),
                None => (given.section.clone(), given.name.clone()),
            };
            let first = spoken_of.insert((section.clone(), name.clone()));
            let texts = self
                .options
                .entry(section)
                .or_default()
                .entry(name)
                .or_default();
            if first {
                texts.clear();
            }
            texts.push(Text {
                text: given.text.clone(),
                source: given.source.clone(),
            });
        }
        self.all.extend(given);
    }
}

fn file_given(path: &Path, bytes: &[u8]) -> Result<Vec<Given>, ConfigError> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        ConfigError::Encoding {
            path: path.to_owned(),
            line,
        }
    })?;
    let assignments = ini::parse(text).map_err(|error| ConfigError::Syntax {
        path: path.to_owned(),
        line: error.line,
        fault: error.fault,
    })?;
    let shared = std::sync::Arc::<Path>::from(path);
    let mut given: Vec<_> = assignments
        .into_iter()
        .map(|a| Given {
            section: section_key(&a.section),
            name: a.name,
            text: a.value,
            source: Source::File {
                path: shared.clone(),
                line: a.line,
            },
        })
        .collect();
    // In one file the present name of an option wins over its former one, wherever they stand.
    given.sort_by_key(|given| renamed::find(&given.section, &given.name).is_none());
    Ok(given)
}

fn variable_option(variable: &str) -> Option<(String, String)> {
    let (section, name) = variable.strip_prefix(VARIABLE_PREFIX)?.split_once("__")?;
    if section.is_empty() || name.is_empty() {
        return None;
    }
    Some((section_key(section), name.to_lowercase()))
}

fn flag_given(flag: &str) -> Result<Given, ConfigError> {
    let (option, text) = flag.split_once('=').unwrap_or((flag, ""));
    let parts = option
        .trim()
        .rsplit_once('.')
        .filter(|(s, o)| !s.is_empty() && !o.is_empty());
    let Some((section, name)) = parts.filter(|_| flag.contains('=')) else {
        // What stands behind the sign may be a secret.
        return Err(ConfigError::Flag {
            given: option.to_owned(),
        });
    };
    Ok(Given {
        section: section_key(section),
        name: name.to_owned(),
        text: text.trim().to_owned(),
        source: Source::Flag {
            option: option.trim().to_owned(),
        },
    })
}
