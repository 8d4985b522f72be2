//! The kinds of hardware interface a node has.

use serde::{Deserialize, Serialize};

crate::wire_enum! {
    /// One of the thirteen interfaces; the text is the prefix of the `…_interface` field.
    pub enum InterfaceKind {
        Bios = "bios",
        Boot = "boot",
        Console = "console",
        Deploy = "deploy",
        Firmware = "firmware",
        Inspect = "inspect",
        Management = "management",
        Network = "network",
        Power = "power",
        Raid = "raid",
        Rescue = "rescue",
        Storage = "storage",
        Vendor = "vendor",
    }
}

impl InterfaceKind {
    /// The node field that names the implementation.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Bios => "bios_interface",
            Self::Boot => "boot_interface",
            Self::Console => "console_interface",
            Self::Deploy => "deploy_interface",
            Self::Firmware => "firmware_interface",
            Self::Inspect => "inspect_interface",
            Self::Management => "management_interface",
            Self::Network => "network_interface",
            Self::Power => "power_interface",
            Self::Raid => "raid_interface",
            Self::Rescue => "rescue_interface",
            Self::Storage => "storage_interface",
            Self::Vendor => "vendor_interface",
        }
    }

    /// The kind whose node field is `field`.
    pub fn of_field(field: &str) -> Option<Self> {
        field.strip_suffix("_interface")?.parse().ok()
    }
}

/// The implementation chosen for each kind. An empty name means "not chosen yet".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interfaces([String; InterfaceKind::ALL.len()]);

impl Interfaces {
    /// The implementation's name; empty when none is chosen.
    pub fn get(&self, kind: InterfaceKind) -> &str {
        &self.0[kind as usize]
    }

    /// Chooses an implementation.
    pub fn set(&mut self, kind: InterfaceKind, name: impl Into<String>) {
        self.0[kind as usize] = name.into();
    }

    /// Forgets the choice, so that the default is computed anew.
    pub fn clear(&mut self, kind: InterfaceKind) {
        self.0[kind as usize].clear();
    }

    /// Kinds with their chosen names, in the order of [`InterfaceKind::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (InterfaceKind, &str)> {
        InterfaceKind::ALL
            .iter()
            .map(|&kind| (kind, self.get(kind)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_name_leads_back_to_its_kind() {
        for &kind in InterfaceKind::ALL {
            assert_eq!(InterfaceKind::of_field(kind.field()), Some(kind));
        }
        assert_eq!(InterfaceKind::of_field("driver"), None);
    }
}
