//! Nodes, as far as they are like other resources.

use super::{Created, Long, PLAIN, Resource, Verb};
use crate::attribute::{Attribute, EXTRA, Form, UUID, pairs, text};
use crate::listing::Filter;

pub(crate) const NODE: Resource = Resource {
    words: "node",
    noun: "node",
    path: "nodes",
    verbs: &[
        (Verb::List, "List machines"),
        (Verb::Show, "Show all about one machine"),
        (Verb::Create, "Enroll a machine"),
        (Verb::Delete, "Forget machines"),
    ],
    brief: &[
        "uuid",
        "name",
        "instance_uuid",
        "power_state",
        "provision_state",
        "maintenance",
    ],
    spare: &["instance_uuid", "uuid"],
    detailed: &[
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
    ],
    more: &["service_step", "shard"],
    long: Long::Path,
    filters: FILTERS,
    found_by: Some(("instance", "instance_uuid")),
    attributes: ATTRIBUTES,
    links: &["links", "ports", "portgroups", "states", "volume"],
    created: Created::AsSent,
    sorted: false,
    examples: "\
Example:
  corten node create --driver redfish --name m1 \\
    --driver-info redfish_address=https://10.0.0.7 \\
    --driver-info redfish_username=admin --driver-info redfish_password=… \\
    --property cpu_arch=x86_64 --resource-class baremetal

A value that reads as JSON is sent as such: cpus=4 is a number, x='{\"a\": 1}' an object.
`corten driver property list DRIVER` says what a driver wants to know.
",
    ..PLAIN
};

const FILTERS: &[Filter] = &[
    Filter::yes("associated", "associated", "Only those with an instance").but_not("unassociated"),
    Filter::no(
        "unassociated",
        "associated",
        "Only those without an instance",
    ),
    Filter::yes("maintenance", "maintenance", "Only those in maintenance")
        .but_not("no-maintenance"),
    Filter::no(
        "no-maintenance",
        "maintenance",
        "Only those not in maintenance",
    ),
    Filter::yes("retired", "retired", "Only retired ones").but_not("no-retired"),
    Filter::no("no-retired", "retired", "Only those not retired"),
    Filter::text(
        "fault",
        "fault",
        "FAULT",
        "Only those with this fault, such as `power failure`",
    ),
    Filter::text(
        "provision-state",
        "provision_state",
        "STATE",
        "Only those in this provision state, such as available or `clean failed`",
    ),
    Filter::text("driver", "driver", "DRIVER", "Only those of this driver"),
    Filter::text(
        "resource-class",
        "resource_class",
        "CLASS",
        "Only those of this class",
    ),
    Filter::text(
        "chassis",
        "chassis_uuid",
        "UUID",
        "Only those of this chassis",
    ),
    Filter::text(
        "conductor-group",
        "conductor_group",
        "GROUP",
        "Only those of this conductor group",
    ),
    Filter::text(
        "conductor",
        "conductor",
        "HOST",
        "Only those this conductor cares for",
    ),
    Filter::text("owner", "owner", "PROJECT", "Only those of this owner"),
    Filter::text("lessee", "lessee", "PROJECT", "Only those of this lessee"),
    Filter::yes("sharded", "sharded", "Only those in a shard").but_not("unsharded"),
    Filter::no("unsharded", "sharded", "Only those in no shard"),
    Filter::text(
        "where",
        super::SEARCH,
        "QUERY",
        "Only those that fit a query, such as 'state:failed class:gpu age>1h' (Corten only)",
    ),
    Filter::words("shards", "shard", "SHARD", "Only those in these shards"),
    Filter::text(
        "parent-node",
        "parent_node",
        "NODE",
        "Only parts of this node",
    ),
    Filter::yes(
        "include-children",
        "include_children",
        "Nodes that are parts of others as well",
    )
    .but_not("parent-node"),
    Filter::text(
        "description-contains",
        "description_contains",
        "TEXT",
        "Only those whose description has this in it",
    ),
    Filter::text(
        "instance-name",
        "instance_name",
        "NAME",
        "Only those with an instance of this name",
    ),
];

/// A text that is only given to a node that exists.
const fn later(
    field: &'static str,
    option: &'static str,
    metavar: &'static str,
    help: &'static str,
) -> Attribute {
    text(field, option, metavar, help).forms(Form::Absent, Form::Text, Form::Clear)
}

/// Which implementation of an interface the driver uses.
macro_rules! interface {
    ($name:literal, $help:literal) => {
        text(
            concat!($name, "_interface"),
            concat!($name, "-interface"),
            "NAME",
            $help,
        )
        .forms(
            Form::Text,
            Form::TextOrReset(concat!("reset-", $name, "-interface")),
            Form::Clear,
        )
    };
}

pub(crate) const ATTRIBUTES: &[Attribute] = &[
    text(
        "driver",
        "driver",
        "DRIVER",
        "What to drive the machine with; `corten driver list` says what there is",
    )
    .forms(Form::Required(&Form::Text), Form::Text, Form::Absent),
    later(
        "instance_uuid",
        "instance-uuid",
        "UUID",
        "UUID of the instance on the machine",
    ),
    text(
        "instance_name",
        "instance-name",
        "NAME",
        "Name of the instance on the machine",
    ),
    UUID,
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
    text(
        "automated_clean",
        "automated-clean",
        "",
        "Clean the machine between uses",
    )
    .forms(
        Form::Switch(Some("no-automated-clean")),
        Form::Switch(Some("no-automated-clean")),
        Form::Clear,
    ),
    text(
        "protected",
        "protected",
        "",
        "Refuse to undeploy, rebuild or delete the machine",
    )
    .forms(Form::Absent, Form::Switch(None), Form::Clear),
    later(
        "protected_reason",
        "protected-reason",
        "TEXT",
        "Why it is protected",
    ),
    text(
        "retired",
        "retired",
        "",
        "Do not offer the machine for use again",
    )
    .forms(Form::Absent, Form::Switch(None), Form::Clear),
    later(
        "retired_reason",
        "retired-reason",
        "TEXT",
        "Why it is retired",
    ),
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
    text(
        "disable_power_off",
        "disable-power-off",
        "",
        "Never switch the machine off",
    )
    .forms(
        Form::Switch(None),
        Form::Switch(Some("enable-power-off")),
        Form::Absent,
    ),
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
    EXTRA,
    pairs(
        "driver_info",
        "driver-info",
        "How to reach its BMC: address, credentials and such",
    ),
    pairs(
        "instance_info",
        "instance-info",
        "What to deploy, such as image_source=http://…",
    )
    .forms(Form::Absent, Form::Pairs, Form::Keys),
    text(
        "network_data",
        "network-data",
        "JSON|FILE|-",
        "Network configuration for ramdisks",
    )
    .forms(Form::Json, Form::Json, Form::Clear),
];
