//! Warnings about names that no option has.
//!
//! A misspelt option would be ignored silently; so every unknown name is reported with its place,
//! and with the name that was probably meant. Options of Ironic's libraries are reported with the
//! reason why they do nothing here: see [`super::foreign`].

use super::{
    foreign::{self, Known},
    renamed,
    section::Definition,
    source::{Given, Source},
};
use std::{collections::HashSet, fmt};

/// Something odd that does not keep the service from starting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// No option of this name is in the section.
    UnknownOption {
        section: String,
        option: String,
        source: Source,
        hint: Option<Hint>,
    },
    /// Nothing is known of the section; said once a section.
    UnknownSection {
        section: String,
        source: Source,
        hint: Option<String>,
    },
    /// The option has another name by now.
    Renamed {
        section: String,
        option: String,
        new_section: &'static str,
        new_option: &'static str,
        source: Source,
    },
    /// The option is known, was set to something other than its default, and does nothing here.
    NoEffect {
        section: String,
        option: String,
        source: Source,
        reason: &'static str,
    },
}

/// What was probably meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// An option of the same section with a similar name.
    Option(&'static str),
    /// The option exists, in this section.
    Section(&'static str),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOption {
                section,
                option,
                source,
                hint,
            } => {
                write!(
                    f,
                    "{source}: unknown option '{option}' in section [{section}] is ignored"
                )?;
                match hint {
                    Some(Hint::Option(name)) => write!(f, "; did you mean '{name}'?"),
                    Some(Hint::Section(name)) => write!(f, "; it belongs in section [{name}]"),
                    None => Ok(()),
                }
            }
            Self::UnknownSection {
                section,
                source,
                hint,
            } => {
                write!(
                    f,
                    "{source}: the options of the unknown section [{section}] are ignored"
                )?;
                match hint {
                    Some(name) => write!(f, "; did you mean [{name}]?"),
                    None => Ok(()),
                }
            }
            Self::Renamed {
                section,
                option,
                new_section,
                new_option,
                source,
            } => write!(
                f,
                "{source}: option '{option}' in section [{section}] is now called \
                 '{new_option}' in section [{new_section}]"
            ),
            Self::NoEffect {
                section,
                option,
                source,
                reason,
            } => write!(f, "{source}: [{section}] {option} has no effect: {reason}"),
        }
    }
}

/// Goes through everything that was written.
pub(super) fn warnings(
    given: &[Given],
    definitions: impl Iterator<Item = &'static Definition>,
) -> Vec<Warning> {
    let definitions: Vec<_> = definitions.collect();
    let sections: HashSet<_> = definitions.iter().map(|d| d.section).collect();
    // Credentials may be shared by naming the section that holds them.
    let shared: HashSet<_> = given
        .iter()
        .filter(|g| g.name == "auth_section")
        .map(|g| g.text.to_lowercase())
        .collect();
    let mut unknown_sections = HashSet::new();
    let mut warnings = Vec::new();
    for Given {
        section,
        name,
        text,
        source,
    } in given
    {
        if let Some(renamed) = renamed::find(section, name) {
            warnings.push(Warning::Renamed {
                section: section.clone(),
                option: name.clone(),
                new_section: renamed.section,
                new_option: renamed.option,
                source: source.clone(),
            });
            continue;
        }
        let known = definitions
            .iter()
            .any(|d| d.section == section && d.name == name)
            || shared.contains(section);
        if known {
            continue;
        }
        match foreign::find(section, name, text) {
            Some(Known::Fits) => continue,
            Some(Known::NoEffect(reason)) => {
                warnings.push(Warning::NoEffect {
                    section: section.clone(),
                    option: name.clone(),
                    source: source.clone(),
                    reason,
                });
                continue;
            }
            None => {}
        }
        if sections.contains(section.as_str()) {
            warnings.push(Warning::UnknownOption {
                section: section.clone(),
                option: name.clone(),
                source: source.clone(),
                hint: option_hint(section, name, &definitions),
            });
        } else if unknown_sections.insert(section) {
            warnings.push(Warning::UnknownSection {
                section: section.clone(),
                source: source.clone(),
                hint: closest(section, sections.iter().copied()).map(str::to_owned),
            });
        }
    }
    warnings
}

fn option_hint(section: &str, name: &str, definitions: &[&'static Definition]) -> Option<Hint> {
    let elsewhere = || {
        let mut places = definitions
            .iter()
            .filter(|d| d.name == name)
            .map(|d| d.section);
        // A name that several sections have is no hint at any of them.
        let place = places.next()?;
        places.next().is_none().then_some(Hint::Section(place))
    };
    let names = definitions
        .iter()
        .filter(|d| d.section == section)
        .map(|d| d.name)
        .chain(foreign::names(section));
    closest(name, names).map(Hint::Option).or_else(elsewhere)
}

/// The nearest name, if few enough letters differ for it to be a slip.
fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match name.chars().count() {
        0..=3 => 1,
        4..=11 => 2,
        _ => 3,
    };
    let lower = name.trim().to_lowercase();
    names
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        // Equal distances are settled by the alphabet, so that a hint does not depend on chance.
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters must be added, dropped, changed or swapped with a neighbour to get from one
/// word to the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let changed = last[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut least = changed.min(last[j] + 1).min(row[j - 1] + 1);
            let swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if swapped {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_slips() {
        for (from, to, slips) in [
            ("port", "port", 0),
            ("prot", "port", 1),
            ("pot", "port", 1),
            ("portt", "port", 1),
            ("part", "port", 1),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(from, to), slips, "{from} {to}");
        }
    }

    #[test]
    fn a_hint_is_near() {
        let names = ["host_ip", "port", "part"];
        assert_eq!(closest("Host-IP", names.into_iter()), Some("host_ip"));
        assert_eq!(closest("pert", names.into_iter()), Some("part"));
        assert_eq!(closest("enabled", names.into_iter()), None);
    }
}
