//! Options of Ironic's libraries that do nothing here.
//!
//! An operator's file holds options for logging, messaging, the database pool, token checks and so
//! on, which belong to libraries rather than to Ironic. What we use of them has a row in the option
//! tables as any other option. The rest is listed here with the reasons why it has no effect, and a
//! warning names each that is set. A value that asks for what happens anyway is left alone.

mod table;

use table::{ELSEWHERE, OTHER_LOGIN, SECTIONS, SERVICE, Section};

/// Sections with credentials for another service: their own options, and those of the client
/// library that logs in.
const SERVICE_SECTIONS: &[&str] = &[
    "cinder",
    "glance",
    "neutron",
    "nova",
    "service_catalog",
    "swift",
];

/// An option, and why it does nothing.
#[derive(Debug)]
pub(super) struct Foreign {
    name: &'static str,
    /// The value that asks for what happens anyway.
    fits: Option<&'static str>,
    reason: &'static str,
}

/// What is known of an option that has no row in the tables.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It asks for what happens anyway.
    Fits,
    NoEffect(&'static str),
}

/// What a library would make of an option; nothing if no library has it.
pub(super) fn find(section: &str, name: &str, text: &str) -> Option<Known> {
    if let Some(reason) = whole_section(section) {
        return Some(Known::NoEffect(reason));
    }
    let row = rows(section).find(|row| row.name == name)?;
    // Without a value an option is as good as unset.
    let text = text.trim();
    let fits = text.is_empty() || row.fits.is_some_and(|fits| is_same(fits, text));
    Some(if fits {
        Known::Fits
    } else {
        Known::NoEffect(row.reason)
    })
}

/// Names that a section may have besides those of the tables, to find the one that was meant.
pub(super) fn names(section: &str) -> impl Iterator<Item = &'static str> {
    rows(section).map(|row| row.name)
}

/// Why none of a section's options does anything.
fn whole_section(section: &str) -> Option<&'static str> {
    let is_it = |row: &&(Section, &str)| match row.0 {
        Section::Called(name) => section == name,
        Section::Begins(prefix) => section.starts_with(prefix),
    };
    ELSEWHERE.iter().find(is_it).map(|row| row.1)
}

fn rows(section: &str) -> impl Iterator<Item = &'static Foreign> {
    let own = SECTIONS.iter().find(|(name, _)| *name == section);
    let own = own.map_or(&[][..], |(_, rows)| rows);
    let (shared, others): (&[Foreign], &[Foreign]) = match section {
        "inspector" => (table::INSPECTOR_LOGIN, &[]),
        "json_rpc" => (table::JSON_RPC_LOGIN, &[]),
        "keystone_authtoken" => (&[], OTHER_LOGIN),
        _ if SERVICE_SECTIONS.contains(&section) => (SERVICE, OTHER_LOGIN),
        _ => (&[], &[]),
    };
    own.iter().chain(shared).chain(others)
}

/// Whether two texts mean the same: numbers and truth values have several spellings.
fn is_same(fits: &str, text: &str) -> bool {
    let truth = |text: &str| match text.to_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    };
    let number = |text: &str| text.parse::<f64>().ok();
    fits == text
        || truth(fits).is_some_and(|fits| truth(text) == Some(fits))
        || number(fits).is_some_and(|fits| number(text) == Some(fits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions;
    use std::collections::HashSet;

    #[test]
    fn no_option_of_a_library_has_a_row_in_the_tables_as_well() {
        let sections: HashSet<_> = definitions().map(|row| row.section).collect();
        for section in sections {
            assert_eq!(whole_section(section), None, "{section}");
            let mut seen = HashSet::new();
            for row in rows(section) {
                let in_tables = |d: &crate::Definition| (d.section, d.name) == (section, row.name);
                assert!(!definitions().any(in_tables), "[{section}] {}", row.name);
                assert!(seen.insert(row.name), "[{section}] {} twice", row.name);
            }
        }
        for (section, _) in SECTIONS {
            assert!(
                definitions().any(|row| row.section == *section),
                "{section}"
            );
        }
    }

    /// What the libraries of Ironic 39 and its sections of services have, as oslo.config lists it.
    const LIBRARIES: &str = include_str!("foreign/libraries.txt");

    #[test]
    fn every_option_of_ironic_s_libraries_is_known() {
        let (mut section, mut count) = ("", 0);
        for line in LIBRARIES.lines() {
            if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                section = name;
                continue;
            }
            for name in line.split(' ') {
                let in_tables = definitions().any(|d| (d.section, d.name) == (section, name));
                let is_known = in_tables
                    || find(section, name, "x").is_some()
                    || crate::renamed::find(section, name).is_some();
                assert!(is_known, "[{section}] {name}");
                count += 1;
            }
        }
        assert!(count > 500, "{count}");
    }

    #[test]
    fn what_asks_for_what_happens_anyway_is_known_in_each_spelling() {
        let fits = |section, name, text| find(section, name, text) == Some(Known::Fits);
        assert!(fits("DEFAULT", "use_stderr", "True"));
        assert!(fits("DEFAULT", "rate_limit_interval", " 0 "));
        assert!(fits("DEFAULT", "log_dir", ""));
        assert!(!fits("DEFAULT", "use_stderr", "false"));
        assert_eq!(find("DEFAULT", "log_dri", "/x"), None);
    }
}
