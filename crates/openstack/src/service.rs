//! The services, and the names that catalogues have for them.

use std::fmt;

/// A service that we talk to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Service {
    Keystone,
    Glance,
    Swift,
    Neutron,
    Cinder,
    Nova,
    /// Ourselves in the catalogue: the address that agents are told.
    Baremetal,
}

/// Other names of a service type (os-service-types). `volume` and `volumev2` are other versions of
/// the API of Cinder, so they do not count for `volumev3`.
const ALIASES: &[&[&str]] = &[
    &["volumev3", "block-storage", "block-store"],
    &["baremetal", "bare-metal"],
];

impl Service {
    /// The section of the configuration.
    pub fn section(self) -> &'static str {
        match self {
            Self::Keystone => "keystone_authtoken",
            Self::Glance => "glance",
            Self::Swift => "swift",
            Self::Neutron => "neutron",
            Self::Cinder => "cinder",
            Self::Nova => "nova",
            Self::Baremetal => "service_catalog",
        }
    }

    /// The name in metrics and spans.
    pub fn label(self) -> &'static str {
        match self {
            Self::Keystone => "keystone",
            Self::Baremetal => "baremetal",
            other => other.section(),
        }
    }

    /// The type in the catalogue, unless the operator sets another one.
    pub fn default_type(self) -> &'static str {
        match self {
            Self::Keystone => "identity",
            Self::Glance => "image",
            Self::Swift => "object-store",
            Self::Neutron => "network",
            Self::Cinder => "volumev3",
            Self::Nova => "compute",
            Self::Baremetal => "baremetal",
        }
    }

    /// The part of a URL that names the version of the API that we speak. Swift's is part of the
    /// endpoint, since what follows it is the account.
    pub(crate) fn version_segment(self) -> Option<&'static str> {
        match self {
            Self::Keystone | Self::Cinder => Some("v3"),
            Self::Glance => Some("v2"),
            Self::Neutron => Some("v2.0"),
            Self::Nova => Some("v2.1"),
            Self::Swift | Self::Baremetal => None,
        }
    }

    /// The major version of that API.
    pub(crate) fn major_version(self) -> u32 {
        match self {
            Self::Keystone | Self::Cinder => 3,
            Self::Glance | Self::Neutron | Self::Nova => 2,
            Self::Swift | Self::Baremetal => 1,
        }
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Keystone => "Keystone",
            Self::Glance => "Glance",
            Self::Swift => "Swift",
            Self::Neutron => "Neutron",
            Self::Cinder => "Cinder",
            Self::Nova => "Nova",
            Self::Baremetal => "the service catalogue",
        })
    }
}

/// The types that a catalogue may have for a service, the given one first.
pub(crate) fn types_of(service_type: &str) -> Vec<&str> {
    let aliases = ALIASES
        .iter()
        .find(|names| names.contains(&service_type))
        .copied()
        .unwrap_or_default();
    let others = aliases.iter().copied().filter(|name| *name != service_type);
    [service_type].into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_comes_before_its_aliases() {
        assert_eq!(
            types_of("volumev3"),
            ["volumev3", "block-storage", "block-store"]
        );
        assert_eq!(
            types_of("block-storage"),
            ["block-storage", "volumev3", "block-store"]
        );
        assert_eq!(types_of("network"), ["network"]);
        assert_eq!(types_of("our-own"), ["our-own"]);
    }
}
