//! The fields of a node: which ones lists show, and how each is given on the command line.

use crate::attribute::{Attribute, Form, Table, Verb};

/// What a plain list shows.
pub(super) const BRIEF: &[&str] = &[
    "uuid",
    "name",
    "instance_uuid",
    "power_state",
    "provision_state",
    "maintenance",
];

/// What a long list shows, in the stock client's order.
pub(super) const DETAILED: &[&str] = &[
    "allocation_uuid",
    "automated_clean",
    "bios_interface",
    "boot_interface",
    "boot_mode",
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
    "disable_power_off",
    "driver",
    "driver_info",
    "driver_internal_info",
    "extra",
    "fault",
    "firmware_interface",
    "health",
    "inspect_interface",
    "inspection_finished_at",
    "inspection_started_at",
    "instance_info",
    "instance_name",
    "instance_uuid",
    "last_error",
    "lessee",
    "maintenance",
    "maintenance_reason",
    "management_interface",
    "name",
    "network_data",
    "network_interface",
    "owner",
    "parent_node",
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
    "retired",
    "retired_reason",
    "secure_boot",
    "storage_interface",
    "target_power_state",
    "target_provision_state",
    "target_raid_config",
    "traits",
    "uuid",
    "updated_at",
    "vendor_interface",
];

/// What can be asked for by name: the long list, and what it leaves out.
pub(super) const NAMES: &[&str] = &const {
    let mut names = [""; DETAILED.len() + 2];
    let mut index = 0;
    while index < DETAILED.len() {
        names[index] = DETAILED[index];
        index += 1;
    }
    names[DETAILED.len()] = "service_step";
    names[DETAILED.len() + 1] = "shard";
    names
};

/// A text that can be given at any time and taken away again.
const fn text(
    field: &'static str,
    option: &'static str,
    metavar: &'static str,
    help: &'static str,
) -> Attribute {
    Attribute {
        field,
        option,
        metavar,
        create: Form::Text,
        set: Form::Text,
        unset: Form::Clear,
        help,
    }
}

/// Which implementation of an interface the driver uses.
macro_rules! interface {
    ($name:literal, $help:literal) => {
        Attribute {
            set: Form::TextOrReset(concat!("reset-", $name, "-interface")),
            ..text(
                concat!($name, "_interface"),
                concat!($name, "-interface"),
                "NAME",
                $help,
            )
        }
    };
}

const fn pairs(field: &'static str, option: &'static str, help: &'static str) -> Attribute {
    Attribute {
        field,
        option,
        metavar: "KEY=VALUE",
        create: Form::Pairs,
        set: Form::Pairs,
        unset: Form::Keys,
        help,
    }
}

const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        create: Form::Absent,
        ..text(
            "instance_uuid",
            "instance-uuid",
            "UUID",
            "UUID of the instance on the machine",
        )
    },
    text(
        "instance_name",
        "instance-name",
        "NAME",
        "Name of the instance on the machine",
    ),
    Attribute {
        set: Form::Absent,
        unset: Form::Absent,
        ..text("uuid", "uuid", "UUID", "UUID to enroll the machine under")
    },
    text("name", "name", "NAME", "Name, unique among nodes"),
    text(
        "chassis_uuid",
        "chassis-uuid",
        "UUID",
        "Chassis the machine belongs to",
    ),
    text(
        "resource_class",
        "resource-class",
        "CLASS",
        "Resource class, which schedulers go by",
    ),
    text(
        "conductor_group",
        "conductor-group",
        "GROUP",
        "Group of conductors to care for it",
    ),
    Attribute {
        metavar: "",
        create: Form::Switch(Some("no-automated-clean")),
        set: Form::Switch(Some("no-automated-clean")),
        ..text(
            "automated_clean",
            "automated-clean",
            "",
            "Clean the machine between uses",
        )
    },
    Attribute {
        create: Form::Absent,
        set: Form::Switch(None),
        ..text(
            "protected",
            "protected",
            "",
            "Refuse to undeploy, rebuild or delete the machine",
        )
    },
    Attribute {
        create: Form::Absent,
        ..text(
            "protected_reason",
            "protected-reason",
            "TEXT",
            "Why it is protected",
        )
    },
    Attribute {
        create: Form::Absent,
        set: Form::Switch(None),
        ..text(
            "retired",
            "retired",
            "",
            "Do not offer the machine for use again",
        )
    },
    Attribute {
        create: Form::Absent,
        ..text(
            "retired_reason",
            "retired-reason",
            "TEXT",
            "Why it is retired",
        )
    },
    text("owner", "owner", "PROJECT", "Project that owns the machine"),
    text(
        "lessee",
        "lessee",
        "PROJECT",
        "Project that may use the machine",
    ),
    text("description", "description", "TEXT", "A note for people"),
    text(
        "shard",
        "shard",
        "SHARD",
        "Shard, by which other services divide the work",
    ),
    text(
        "parent_node",
        "parent-node",
        "NODE",
        "Node this one is a part of",
    ),
    Attribute {
        create: Form::Switch(None),
        set: Form::Switch(Some("enable-power-off")),
        unset: Form::Absent,
        ..text(
            "disable_power_off",
            "disable-power-off",
            "",
            "Never switch the machine off",
        )
    },
    interface!("bios", "How to change BIOS settings"),
    interface!("boot", "How to boot ramdisks and instances"),
    interface!("console", "How to reach the console"),
    interface!("deploy", "How to write images"),
    interface!("firmware", "How to update firmware"),
    interface!("inspect", "How to find out about hardware"),
    interface!("management", "How to set boot devices and such"),
    interface!("network", "How to switch networks"),
    interface!("power", "How to switch power"),
    interface!("raid", "How to configure RAID"),
    interface!("rescue", "How to rescue"),
    interface!("storage", "How to attach volumes"),
    interface!("vendor", "How to call the vendor's own methods"),
    pairs(
        "properties",
        "property",
        "What the machine is like, such as cpu_arch=x86_64",
    ),
    pairs("extra", "extra", "Anything you want to remember about it"),
    pairs(
        "driver_info",
        "driver-info",
        "How to reach its BMC: address, credentials and such",
    ),
    Attribute {
        create: Form::Absent,
        ..pairs(
            "instance_info",
            "instance-info",
            "What to deploy, such as image_source=http://…",
        )
    },
    Attribute {
        create: Form::Json,
        set: Form::Json,
        ..text(
            "network_data",
            "network-data",
            "JSON|FILE|-",
            "Network configuration for ramdisks",
        )
    },
];

macro_rules! tables {
    ($($name:ident: $verb:ident),*) => {$(
        #[derive(Debug)]
        pub(super) struct $name;
        impl Table for $name {
            const ATTRIBUTES: &'static [Attribute] = ATTRIBUTES;
            const VERB: Verb = Verb::$verb;
        }
    )*};
}

tables!(Creating: Create, Setting: Set, Unsetting: Unset);
