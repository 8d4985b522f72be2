//! Every name of Ironic's package that an operator may write into `ironic.conf` means something here,
//! or the list says what is missing for it.

use conductor::inspection::Hook;
use drivers::{Registry, RegistrySettings, hardware_type};
use types::InterfaceKind;

const LIST: &str = include_str!("../golden/entry-points.tsv");

/// Whether a service starts that serves this interface.
fn serves(kind: InterfaceKind, name: &str) -> Result<(), String> {
    let mut settings = RegistrySettings::default();
    settings.enable_hardware_types(vec!["fake-hardware".to_owned()]);
    for &other in InterfaceKind::ALL.iter().filter(|other| **other != kind) {
        settings.enable_supported_interfaces(other);
    }
    // Something that such hardware can have by itself, and the one in question.
    let usual = match kind {
        InterfaceKind::Network | InterfaceKind::Storage => "noop",
        _ => "fake",
    };
    settings.enable_interfaces(kind, vec![usual.to_owned(), name.to_owned()]);
    match Registry::new(&settings) {
        Ok(_) => Ok(()),
        Err(error) => Err(types::error::chain(&error)),
    }
}

#[test]
fn every_entry_point_of_ironic_resolves_or_says_what_is_missing() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in LIST.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (group, name) = (fields.next().unwrap(), fields.next().unwrap());
        let missing = fields.next();
        let outcome = match group {
            "hardware type" => match hardware_type::find(name) {
                Some(_) => Ok(()),
                None => Err("there is no such hardware type".to_owned()),
            },
            "inspection hook" => match name.parse::<Hook>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            kind => serves(kind.parse().unwrap(), name),
        };
        match (outcome, missing) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Ok(()), Some(_)) => wrong.push(format!("{group} {name} works: take the mark away")),
            (Err(error), None) => wrong.push(format!("{group} {name}: {error}")),
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 80, "{count}");
}
