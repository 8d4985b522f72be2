//! What the service is made of: shards, drivers, conductors.

use super::{PLAIN, Resource, Verb};
use crate::listing::Filter;

pub(super) const SHARD: Resource = Resource {
    words: "shard",
    noun: "shard",
    path: "shards",
    verbs: &[(Verb::List, "List shards and how many nodes are in each")],
    brief: &["name", "count"],
    paged: false,
    ..PLAIN
};

pub(super) const DRIVER: Resource = Resource {
    words: "driver",
    noun: "driver",
    path: "drivers",
    id: "Name of the driver",
    verbs: &[
        (Verb::List, "List the drivers in use"),
        (
            Verb::Show,
            "Show all about one driver: its interfaces and their defaults",
        ),
    ],
    brief: &["name", "hosts"],
    detailed: &[
        "name",
        "type",
        "hosts",
        "default_bios_interface",
        "default_boot_interface",
        "default_console_interface",
        "default_deploy_interface",
        "default_firmware_interface",
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
        "enabled_firmware_interfaces",
        "enabled_inspect_interfaces",
        "enabled_management_interfaces",
        "enabled_network_interfaces",
        "enabled_power_interfaces",
        "enabled_raid_interfaces",
        "enabled_rescue_interfaces",
        "enabled_storage_interfaces",
        "enabled_vendor_interfaces",
    ],
    paged: false,
    filters: &[Filter::one_of(
        "type",
        "type",
        &["classic", "dynamic"],
        "Only drivers of this kind; today all are dynamic",
    )],
    links: &["links", "properties"],
    joined: true,
    ..PLAIN
};

pub(super) const CONDUCTOR: Resource = Resource {
    words: "conductor",
    noun: "conductor",
    path: "conductors",
    id: "Its host name",
    verbs: &[
        (Verb::List, "List conductors"),
        (Verb::Show, "Show all about one conductor"),
    ],
    brief: &["hostname", "conductor_group", "alive"],
    detailed: &[
        "hostname",
        "conductor_group",
        "alive",
        "drivers",
        "created_at",
        "updated_at",
    ],
    sorted: false,
    ..PLAIN
};
