//! From what is wanted and what is implemented to what is enabled.
//!
//! A hardware type can be served when each of its interfaces has an implementation; it is served
//! when the configuration leaves it a default for each. What was written by the operator and cannot
//! be had is an error; what only stands in a stock list is left out and reported.

use super::{RegistryError, RegistrySettings, settings::EnabledNames};
use crate::{
    catalog::Catalog,
    external::ExternalDriver,
    hardware_type::{self, HardwareType},
};
use std::{collections::BTreeMap, fmt};
use types::InterfaceKind;

/// Sorted names of the implementations of each kind.
pub(super) type Implemented = BTreeMap<InterfaceKind, Vec<&'static str>>;

const TYPES_OPTION: &str = "enabled_hardware_types";
const OLD_OPTION: &str = "enabled_drivers";

fn interfaces_option(kind: InterfaceKind) -> String {
    format!("enabled_{kind}_interfaces")
}

/// Names of a stock list that are not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    pub option: String,
    pub names: Vec<String>,
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} without {}", self.option, self.names.join(", "))
    }
}

/// The hardware types of programs: none has the name of another, and all that they name is there.
pub(super) fn declared(
    drivers: &[ExternalDriver],
    implemented: &Implemented,
) -> Result<Vec<&'static HardwareType>, RegistryError> {
    let mut declared: Vec<&'static HardwareType> = Vec::new();
    let generic = HardwareType::declared("", &BTreeMap::new());
    for driver in drivers {
        for &hardware_type in &driver.declaration.hardware_types {
            let (program, name) = (|| driver.program().to_owned(), hardware_type.name);
            let is_ours =
                hardware_type::find(name).is_some() || hardware_type::lack(name).is_some();
            if is_ours || declared.iter().any(|other| other.name == name) {
                return Err(RegistryError::Taken {
                    program: program(),
                    what: "hardware type".to_owned(),
                    name,
                });
            }
            for &kind in InterfaceKind::ALL {
                let available = implemented.get(&kind).map_or(&[][..], Vec::as_slice);
                let mut named = hardware_type.supported(kind).iter();
                let is_there = |name: &&str| {
                    available.contains(name) || generic.supported(kind).contains(name)
                };
                if let Some(&name) = named.find(|name| !is_there(name)) {
                    return Err(RegistryError::NoSuchInterface {
                        program: program(),
                        hardware_type: hardware_type.name,
                        kind,
                        name,
                        available: available.join(", "),
                    });
                }
            }
            declared.push(hardware_type);
        }
    }
    Ok(declared)
}

/// What is enabled, and what was left out of the stock lists.
pub(super) fn select(
    settings: &RegistrySettings,
    implemented: &Implemented,
    declared: &[&'static HardwareType],
) -> Result<(Catalog, Vec<Reduction>), RegistryError> {
    let servable: Vec<&'static HardwareType> = hardware_type::all()
        .chain(declared.iter().copied())
        .filter(|hardware_type| can_serve(hardware_type, implemented))
        .collect();
    let servable_names: Vec<&'static str> = servable.iter().map(|t| t.name).collect();

    let mut reductions = Reductions::default();
    let wanted = &settings.hardware_types;
    if let Some(reason) = wanted.names.iter().find_map(|n| hardware_type::lack(n)) {
        return Err(RegistryError::OldName {
            option: TYPES_OPTION.to_owned(),
            reason,
        });
    }
    let type_names = reductions.admit(TYPES_OPTION, wanted, &servable_names)?;
    let mut types: Vec<&'static HardwareType> = type_names
        .iter()
        .filter_map(|name| servable.iter().find(|t| t.name == name).copied())
        .collect();
    let old = old_types(&settings.old_names)?;
    types.extend(
        old.iter()
            .filter(|old| !type_names.iter().any(|name| name == old.name)),
    );

    let mut enabled = BTreeMap::new();
    for &kind in InterfaceKind::ALL {
        let available = implemented.get(&kind).map_or(&[][..], Vec::as_slice);
        let unasked = usable_unasked(settings, kind, available);
        let automatic;
        let wanted = match settings.interfaces.get(&kind) {
            _ if settings.complete.contains(&kind) => {
                automatic = all_of_each(&types, kind, &unasked);
                &automatic
            }
            Some(wanted) if !wanted.names.is_empty() => wanted,
            _ => {
                automatic = first_of_each(&types, kind);
                &automatic
            }
        };
        let available = match wanted.explicit {
            true => available,
            false => &unasked,
        };
        let mut names = reductions.admit(&interfaces_option(kind), wanted, available)?;
        // An old name stands for its interfaces, where none that would do is enabled.
        for old in &old {
            let mut supported = old.supported(kind).iter();
            if !supported
                .clone()
                .any(|name| names.iter().any(|n| n == name))
                && let Some(meant) = supported.find(|name| unasked.contains(name))
            {
                names.push((*meant).to_owned());
            }
        }
        enabled.insert(kind, names);
    }

    let mut catalog = Catalog::new(types.clone(), enabled, settings.defaults.clone())
        .preferring(settings.preferred.clone());
    for hardware_type in types {
        let missing = InterfaceKind::ALL.iter().find_map(|&kind| {
            let default = catalog.default_interface(hardware_type, kind, None);
            default.err().map(|error| (kind, error))
        });
        match missing {
            None => {}
            Some((kind, source))
                if wanted.explicit || old.iter().any(|old| old.name == hardware_type.name) =>
            {
                let available = implemented.get(&kind).map_or(&[][..], Vec::as_slice);
                return Err(RegistryError::NoDefault {
                    hardware_type: hardware_type.name,
                    option: interfaces_option(kind),
                    available: available.join(", "),
                    source,
                });
            }
            Some(_) => {
                catalog.withdraw(hardware_type);
                reductions.note(TYPES_OPTION, hardware_type.name);
            }
        }
    }
    Ok((catalog, reductions.0))
}

/// What nodes may get without anybody having asked for it. Without a login to Neutron its network
/// interfaces would only fail; Ironic gives them to nodes all the same.
fn usable_unasked(
    settings: &RegistrySettings,
    kind: InterfaceKind,
    available: &[&'static str],
) -> Vec<&'static str> {
    let is_usable = |name: &&'static str| {
        kind != InterfaceKind::Network
            || settings.has_neutron()
            || !["flat", "neutron"].contains(name)
    };
    available.iter().copied().filter(is_usable).collect()
}

/// What old names stand for.
fn old_types(names: &[String]) -> Result<Vec<&'static HardwareType>, RegistryError> {
    let found = names.iter().map(|name| {
        if let Some(reason) = hardware_type::lack(name) {
            return Err(RegistryError::OldName {
                option: OLD_OPTION.to_owned(),
                reason,
            });
        }
        hardware_type::old_name(name).ok_or_else(|| RegistryError::Unavailable {
            option: OLD_OPTION.to_owned(),
            name: name.clone(),
            available: hardware_type::old_names().collect::<Vec<_>>().join(", "),
        })
    });
    found.collect()
}

fn can_serve(hardware_type: &HardwareType, implemented: &Implemented) -> bool {
    InterfaceKind::ALL.iter().all(|kind| {
        let names = implemented.get(kind).map_or(&[][..], Vec::as_slice);
        let mut supported = hardware_type.supported(*kind).iter();
        supported.any(|name| names.contains(name))
    })
}

/// What an empty list stands for. It counts as a stock list: nobody wrote these names.
fn first_of_each(types: &[&'static HardwareType], kind: InterfaceKind) -> EnabledNames {
    let firsts = types.iter().filter_map(|t| t.supported(kind).first());
    EnabledNames {
        names: firsts.map(|&name| name.to_owned()).collect(),
        explicit: false,
    }
}

/// Everything that the types support and this build has.
fn all_of_each(
    types: &[&'static HardwareType],
    kind: InterfaceKind,
    available: &[&'static str],
) -> EnabledNames {
    let supported = types.iter().flat_map(|t| t.supported(kind));
    let served = supported
        .filter(|name| available.contains(name) && !hardware_type::OPT_IN.contains(&(kind, name)));
    EnabledNames {
        names: served.map(|&name| name.to_owned()).collect(),
        explicit: false,
    }
}

#[derive(Default)]
struct Reductions(Vec<Reduction>);

impl Reductions {
    /// The wanted names that are available, each once.
    fn admit(
        &mut self,
        option: &str,
        wanted: &EnabledNames,
        available: &[&'static str],
    ) -> Result<Vec<String>, RegistryError> {
        let mut admitted: Vec<String> = Vec::new();
        for name in &wanted.names {
            if available.contains(&name.as_str()) {
                if !admitted.contains(name) {
                    admitted.push(name.clone());
                }
            } else if wanted.explicit {
                return Err(RegistryError::Unavailable {
                    option: option.to_owned(),
                    name: name.clone(),
                    available: available.join(", "),
                });
            } else {
                self.note(option, name);
            }
        }
        Ok(admitted)
    }

    fn note(&mut self, option: &str, name: &str) {
        match self.0.iter_mut().find(|known| known.option == option) {
            Some(known) => known.names.push(name.to_owned()),
            None => self.0.push(Reduction {
                option: option.to_owned(),
                names: vec![name.to_owned()],
            }),
        }
    }
}
