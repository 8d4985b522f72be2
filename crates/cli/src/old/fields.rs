//! The fields the old client prints of each kind of thing, with the headings of its tables.
//!
//! The lists are those of the last release that had the command (2.8.0). At an older version of the
//! API the service leaves out what came later; the lines are then there and empty, as they were.

/// A kind of thing that the service keeps.
pub(super) struct OldResource {
    /// The segments of its collection.
    pub(super) path: &'static [&'static str],
    /// The member of a list's answer that holds the things.
    pub(super) key: &'static str,
    /// How sentences call it.
    pub(super) noun: &'static str,
    /// All fields, in the order of a table's columns.
    pub(super) all: &'static [&'static str],
    /// The fields that a list shows unless asked for others.
    pub(super) brief: &'static [&'static str],
    /// Those of all fields that the service cannot sort by.
    pub(super) unsorted: &'static [&'static str],
}

impl OldResource {
    pub(super) fn sortable(&self) -> impl Iterator<Item = &'static str> + use<'_> {
        let fields = self.all.iter().copied();
        fields.filter(|field| !self.unsorted.contains(field))
    }
}

pub(super) const CHASSIS: OldResource = OldResource {
    path: &["chassis"],
    key: "chassis",
    noun: "chassis",
    all: &["uuid", "description", "created_at", "updated_at", "extra"],
    brief: &["uuid", "description"],
    unsorted: &["extra"],
};

pub(super) const NODE: OldResource = OldResource {
    path: &["nodes"],
    key: "nodes",
    noun: "node",
    all: &[
        "allocation_uuid",
        "automated_clean",
        "bios_interface",
        "boot_interface",
        "chassis_uuid",
        "clean_step",
        "conductor",
        "conductor_group",
        "console_enabled",
        "console_interface",
        "created_at",
        "raid_config",
        "deploy_interface",
        "deploy_step",
        "description",
        "driver",
        "driver_info",
        "driver_internal_info",
        "extra",
        "fault",
        "inspect_interface",
        "inspection_finished_at",
        "inspection_started_at",
        "instance_info",
        "instance_uuid",
        "last_error",
        "maintenance",
        "maintenance_reason",
        "management_interface",
        "name",
        "network_interface",
        "owner",
        "power_interface",
        "power_state",
        "properties",
        "protected",
        "protected_reason",
        "provision_updated_at",
        "provision_state",
        "raid_interface",
        "rescue_interface",
        "reservation",
        "resource_class",
        "storage_interface",
        "target_power_state",
        "target_provision_state",
        "target_raid_config",
        "traits",
        "uuid",
        "updated_at",
        "vendor_interface",
    ],
    brief: &[
        "uuid",
        "name",
        "instance_uuid",
        "power_state",
        "provision_state",
        "maintenance",
    ],
    unsorted: &[
        "allocation_uuid",
        "chassis_uuid",
        "clean_step",
        "deploy_step",
        "driver_info",
        "driver_internal_info",
        "extra",
        "instance_info",
        "properties",
        "raid_config",
        "target_raid_config",
        "traits",
    ],
};

pub(super) const PORT: OldResource = OldResource {
    path: &["ports"],
    key: "ports",
    noun: "port",
    all: &[
        "uuid",
        "address",
        "created_at",
        "extra",
        "node_uuid",
        "local_link_connection",
        "portgroup_uuid",
        "pxe_enabled",
        "physical_network",
        "updated_at",
        "internal_info",
        "is_smartnic",
    ],
    brief: &["uuid", "address"],
    unsorted: &["extra", "node_uuid", "portgroup_uuid", "internal_info"],
};

pub(super) const PORTGROUP: OldResource = OldResource {
    path: &["portgroups"],
    key: "portgroups",
    noun: "portgroup",
    all: &[
        "uuid",
        "address",
        "created_at",
        "extra",
        "standalone_ports_supported",
        "node_uuid",
        "name",
        "updated_at",
        "internal_info",
        "mode",
        "properties",
    ],
    brief: &["uuid", "address", "name"],
    unsorted: &["extra", "node_uuid", "internal_info", "properties"],
};

pub(super) const CONNECTOR: OldResource = OldResource {
    path: &["volume", "connectors"],
    key: "connectors",
    noun: "volume connector",
    all: &[
        "uuid",
        "node_uuid",
        "type",
        "connector_id",
        "extra",
        "created_at",
        "updated_at",
    ],
    brief: &["uuid", "node_uuid", "type", "connector_id"],
    unsorted: &["node_uuid", "extra"],
};

pub(super) const TARGET: OldResource = OldResource {
    path: &["volume", "targets"],
    key: "targets",
    noun: "volume target",
    all: &[
        "uuid",
        "node_uuid",
        "volume_type",
        "properties",
        "boot_index",
        "extra",
        "volume_id",
        "created_at",
        "updated_at",
    ],
    brief: &[
        "uuid",
        "node_uuid",
        "volume_type",
        "boot_index",
        "volume_id",
    ],
    unsorted: &["node_uuid", "extra", "properties"],
};

pub(super) const DRIVER: OldResource = OldResource {
    path: &["drivers"],
    key: "drivers",
    noun: "driver",
    all: &[
        "name",
        "type",
        "hosts",
        "default_bios_interface",
        "default_boot_interface",
        "default_console_interface",
        "default_deploy_interface",
        "default_inspect_interface",
        "default_management_interface",
        "default_network_interface",
        "default_power_interface",
        "default_raid_interface",
        "default_rescue_interface",
        "default_storage_interface",
        "default_vendor_interface",
        "enabled_bios_interfaces",
        "enabled_boot_interfaces",
        "enabled_console_interfaces",
        "enabled_deploy_interfaces",
        "enabled_inspect_interfaces",
        "enabled_management_interfaces",
        "enabled_network_interfaces",
        "enabled_power_interfaces",
        "enabled_raid_interfaces",
        "enabled_rescue_interfaces",
        "enabled_storage_interfaces",
        "enabled_vendor_interfaces",
    ],
    brief: &["name", "hosts"],
    unsorted: &[],
};

/// The heading that stands for the name of a driver; elsewhere a name is a name.
pub(super) const DRIVER_NAME: &str = "Supported driver(s)";

/// Fields of vendor methods.
pub(super) const METHOD: &[&str] = &["name", "http_methods", "async", "description", "attach"];

/// Headings that are not the words of the field with capitals.
const HEADINGS: &[(&str, &str)] = &[
    ("attach", "Response is attachment"),
    ("hosts", "Active host(s)"),
    ("http_methods", "Supported HTTP methods"),
    ("is_smartnic", "Is Smart NIC port"),
    ("provision_state", "Provisioning State"),
    ("pxe_enabled", "PXE boot enabled"),
    ("raid_config", "Current RAID configuration"),
    ("target_raid_config", "Target RAID configuration"),
    ("volume_type", "Driver Volume Type"),
];

/// Words that headings write in capitals.
const CAPITALS: &[&str] = &["bios", "id", "raid", "uuid"];

/// The heading of a field.
pub(super) fn heading(field: &str) -> String {
    if let Some((_, heading)) = HEADINGS.iter().find(|(name, _)| *name == field) {
        return (*heading).to_owned();
    }
    let words = field.split('_').map(|word| {
        let mut letters = word.chars();
        match letters.next() {
            _ if CAPITALS.contains(&word) => word.to_uppercase(),
            Some(first) => first.to_uppercase().chain(letters).collect(),
            None => String::new(),
        }
    });
    words.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_those_of_the_old_tables() {
        for (field, expected) in [
            ("uuid", "UUID"),
            ("instance_uuid", "Instance UUID"),
            ("provision_state", "Provisioning State"),
            ("provision_updated_at", "Provision Updated At"),
            ("default_raid_interface", "Default RAID Interface"),
            ("enabled_bios_interfaces", "Enabled BIOS Interfaces"),
            ("connector_id", "Connector ID"),
            ("created_at", "Created At"),
        ] {
            assert_eq!(heading(field), expected);
        }
    }

    #[test]
    fn brief_and_unsorted_fields_are_fields() {
        for kind in [CHASSIS, NODE, PORT, PORTGROUP, CONNECTOR, TARGET, DRIVER] {
            for field in kind.brief.iter().chain(kind.unsorted) {
                assert!(kind.all.contains(field), "{}: {field}", kind.noun);
            }
        }
        assert!(!NODE.sortable().any(|field| field == "driver_info"));
        assert!(NODE.sortable().any(|field| field == "provision_state"));
    }
}
