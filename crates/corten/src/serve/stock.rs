//! The configuration of Ironic's installation guide starts this service too.

use super::plan::{Plan, Role};
use config::{Config, Mark, Sources, definitions};
use std::fs;
use types::InterfaceKind;

const STOCK: &str = include_str!("stock.conf");

/// The options of a file: section and name.
fn options(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut options = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            section = name.to_owned();
        } else if let Some((name, _)) = line.split_once('=')
            && !line.starts_with('#')
        {
            options.push((section.clone(), name.trim().to_owned()));
        }
    }
    options
}

#[test]
fn every_option_of_the_installation_guide_acts_or_is_named_and_the_service_starts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ironic.conf");
    fs::write(&file, STOCK).unwrap();
    fs::write(folder.path().join("policy.yaml"), "{}\n").unwrap();
    let sources = Sources {
        files: vec![file],
        ..Sources::default()
    };
    let (config, warnings) = Config::load(sources).unwrap();
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let options = options(STOCK);
    assert!(options.len() > 100, "{}", options.len());
    for (section, name) in options {
        let mut rows = definitions().filter(|row| (row.section, row.name) == (&*section, &*name));
        let acts = rows.next().is_some_and(|row| row.mark == Mark::Acts);
        let named = |text: &String| {
            let has_section = text.contains(&format!("[{section}]"));
            has_section && text.contains(&name)
        };
        assert!(
            acts || warnings.iter().any(named),
            "[{section}] {name}: {warnings:?}"
        );
    }

    let back = Plan::new(&config, Role::All).unwrap().back.unwrap();
    let registry = drivers::Registry::new(&back.hardware).unwrap();
    for driver in ["ipmi", "redfish"] {
        let defaults = registry.defaults(driver).unwrap();
        let network = defaults.get(InterfaceKind::Network);
        assert_eq!(network, "neutron", "{driver}");
    }
}
