//! The kinds of resources there are, beside nodes.

use super::{Created, Long, PLAIN, Resource, Verb};
use crate::attribute::{Attribute, EXTRA, Form, UUID, pairs, text};
use crate::listing::Filter;

pub(crate) const ALL: &[&Resource] = &[
    &PORT,
    &PORT_GROUP,
    &CHASSIS,
    &VOLUME_CONNECTOR,
    &VOLUME_TARGET,
    &ALLOCATION,
    &DEPLOY_TEMPLATE,
    &RUNBOOK,
    &INSPECTION_RULE,
    &SHARD,
    &DRIVER,
    &CONDUCTOR,
];

/// The node something belongs to, which it must be created with.
const NODE: Attribute = text("node_uuid", "node", "UUID", "Node it belongs to").forms(
    Form::Required(&Form::Text),
    Form::Text,
    Form::Absent,
);

const OF_NODE: Filter = Filter::text("node", "node", "NODE", "Only those of this node");

/// A text that cannot be taken away once it is set.
const fn lasting(
    field: &'static str,
    option: &'static str,
    metavar: &'static str,
    help: &'static str,
) -> Attribute {
    text(field, option, metavar, help).forms(Form::Required(&Form::Text), Form::Text, Form::Absent)
}

/// A list of steps or the like.
const fn json(field: &'static str, help: &'static str) -> Attribute {
    text(field, field, "JSON|FILE|-", help).forms(
        Form::Required(&Form::Json),
        Form::Json,
        Form::Absent,
    )
}

const PORT: Resource = Resource {
    words: "port",
    noun: "port",
    path: "ports",
    id: "UUID",
    verbs: &[
        (Verb::List, "List ports"),
        (Verb::Show, "Show all about one port"),
        (Verb::Create, "Tell the service of a port"),
        (Verb::Set, "Change a port's settings"),
        (Verb::Unset, "Clear a port's settings"),
        (Verb::Delete, "Forget ports"),
    ],
    brief: &["uuid", "address"],
    detailed: &[
        "uuid",
        "address",
        "created_at",
        "extra",
        "node_uuid",
        "category",
        "vendor",
        "local_link_connection",
        "portgroup_uuid",
        "pxe_enabled",
        "physical_network",
        "updated_at",
        "internal_info",
        "is_smartnic",
        "name",
    ],
    more: &["description"],
    long: Long::Path,
    filters: &[
        Filter::text(
            "address",
            "address",
            "MAC",
            "Only the one with this address",
        ),
        OF_NODE,
        Filter::text(
            "port-group",
            "portgroup",
            "GROUP",
            "Only members of this port group",
        ),
    ],
    found_by: Some(("address", "address")),
    attributes: &[
        text("address", "address", "MAC", "MAC address").forms(
            Form::Positional,
            Form::Text,
            Form::Absent,
        ),
        NODE,
        UUID,
        EXTRA,
        pairs(
            "local_link_connection",
            "local-link-connection",
            "Where it is plugged in: switch_id, port_id, switch_info, hostname",
        ),
        text(
            "portgroup_uuid",
            "port-group",
            "UUID",
            "Port group it is a member of",
        ),
        text(
            "pxe_enabled",
            "pxe-enabled",
            "BOOLEAN",
            "Boot the machine over this port",
        )
        .forms(
            Form::Boolean,
            Form::Switch(Some("pxe-disabled")),
            Form::Absent,
        ),
        text(
            "physical_network",
            "physical-network",
            "NAME",
            "Physical network it is connected to",
        ),
        text(
            "is_smartnic",
            "is-smartnic",
            "",
            "It is a port of a smart NIC",
        )
        .forms(Form::Switch(None), Form::Switch(None), Form::SwitchOff),
        text("name", "name", "NAME", "Name"),
        text("description", "description", "TEXT", "A note for people"),
        text("vendor", "vendor", "VENDOR", "Vendor of the interface"),
        text(
            "category",
            "category",
            "CATEGORY",
            "Category of the interface",
        ),
    ],
    examples: "\
Example:
  corten port create 52:54:00:12:34:56 --node 5b6d2a4e-… --physical-network physnet1
",
    ..PLAIN
};

const PORT_GROUP: Resource = Resource {
    words: "port group",
    noun: "port group",
    path: "portgroups",
    verbs: &[
        (Verb::List, "List port groups"),
        (Verb::Show, "Show all about one port group"),
        (Verb::Create, "Create a port group"),
        (Verb::Set, "Change a port group's settings"),
        (Verb::Unset, "Clear a port group's settings"),
        (Verb::Delete, "Delete port groups"),
    ],
    brief: &["uuid", "address", "name"],
    detailed: &[
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
        "physical_network",
        "category",
    ],
    long: Long::Path,
    filters: &[
        Filter::text(
            "address",
            "address",
            "MAC",
            "Only the one with this address",
        ),
        OF_NODE,
        Filter::words(
            "shards",
            "shard",
            "SHARD",
            "Only those of nodes in these shards",
        ),
    ],
    found_by: Some(("address", "address")),
    attributes: &[
        NODE,
        text("address", "address", "MAC", "MAC address of the group"),
        text("name", "name", "NAME", "Name"),
        UUID,
        EXTRA,
        text(
            "mode",
            "mode",
            "MODE",
            "Mode of the bond, such as active-backup or 802.3ad",
        )
        .forms(Form::Text, Form::Text, Form::Absent),
        pairs(
            "properties",
            "property",
            "Properties of the bond, such as miimon=100",
        ),
        text(
            "standalone_ports_supported",
            "support-standalone-ports",
            "",
            "Its ports may be used one by one as well",
        )
        .forms(
            Form::Switch(Some("unsupport-standalone-ports")),
            Form::Switch(Some("unsupport-standalone-ports")),
            Form::Absent,
        ),
        text(
            "physical_network",
            "physical-network",
            "NAME",
            "Physical network it is connected to",
        ),
        text("category", "category", "CATEGORY", "Category of the group"),
    ],
    links: &["links", "ports"],
    ..PLAIN
};

const CHASSIS: Resource = Resource {
    words: "chassis",
    noun: "chassis",
    path: "chassis",
    id: "UUID",
    verbs: &[
        (Verb::List, "List chassis"),
        (Verb::Show, "Show all about one chassis"),
        (Verb::Create, "Create a chassis"),
        (Verb::Set, "Change a chassis"),
        (Verb::Unset, "Clear settings of a chassis"),
        (Verb::Delete, "Delete chassis"),
    ],
    brief: &["uuid", "description"],
    detailed: &["uuid", "description", "created_at", "updated_at", "extra"],
    long: Long::Path,
    attributes: &[
        text("description", "description", "TEXT", "A note for people"),
        EXTRA,
        UUID,
    ],
    links: &["links", "nodes"],
    created: Created::AsSent,
    ..PLAIN
};

const CONNECTORS: &[&str] = &["iqn", "ip", "mac", "wwnn", "wwpn", "port", "portgroup"];

const VOLUME_CONNECTOR: Resource = Resource {
    words: "volume connector",
    noun: "volume connector",
    path: "volume/connectors",
    id: "UUID",
    verbs: &[
        (Verb::List, "List volume connectors"),
        (Verb::Show, "Show all about one volume connector"),
        (Verb::Create, "Create a volume connector"),
        (Verb::Set, "Change a volume connector"),
        (Verb::Unset, "Clear settings of a volume connector"),
        (Verb::Delete, "Delete volume connectors"),
    ],
    brief: &["uuid", "node_uuid", "type", "connector_id"],
    detailed: &[
        "uuid",
        "node_uuid",
        "type",
        "connector_id",
        "extra",
        "created_at",
        "updated_at",
    ],
    filters: &[OF_NODE],
    attributes: &[
        NODE,
        text("type", "type", "TYPE", "What kind of address it is").forms(
            Form::Required(&Form::OneOf(CONNECTORS)),
            Form::OneOf(CONNECTORS),
            Form::Absent,
        ),
        lasting("connector_id", "connector-id", "ADDRESS", "The address"),
        UUID,
        EXTRA,
    ],
    ..PLAIN
};

const VOLUME_TARGET: Resource = Resource {
    words: "volume target",
    noun: "volume target",
    path: "volume/targets",
    id: "UUID",
    verbs: &[
        (Verb::List, "List volume targets"),
        (Verb::Show, "Show all about one volume target"),
        (Verb::Create, "Create a volume target"),
        (Verb::Set, "Change a volume target"),
        (Verb::Unset, "Clear settings of a volume target"),
        (Verb::Delete, "Delete volume targets"),
    ],
    brief: &[
        "uuid",
        "node_uuid",
        "volume_type",
        "boot_index",
        "volume_id",
    ],
    detailed: &[
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
    filters: &[OF_NODE],
    attributes: &[
        NODE,
        lasting(
            "volume_type",
            "type",
            "TYPE",
            "Type of volume, such as iscsi",
        ),
        pairs(
            "properties",
            "property",
            "How to reach the volume, such as target_iqn=…",
        ),
        text(
            "boot_index",
            "boot-index",
            "NUMBER",
            "0 for the volume to boot from",
        )
        .forms(Form::Required(&Form::Number), Form::Number, Form::Absent),
        lasting(
            "volume_id",
            "volume-id",
            "ID",
            "What the storage calls the volume",
        ),
        UUID,
        EXTRA,
    ],
    ..PLAIN
};

const ALLOCATION: Resource = Resource {
    words: "allocation",
    noun: "allocation",
    path: "allocations",
    verbs: &[
        (Verb::List, "List allocations"),
        (Verb::Show, "Show all about one allocation"),
        (Verb::Create, "Ask for a machine"),
        (Verb::Set, "Change an allocation"),
        (Verb::Unset, "Clear settings of an allocation"),
        (Verb::Delete, "Give machines back"),
    ],
    brief: &["uuid", "name", "resource_class", "state", "node_uuid"],
    detailed: &[
        "uuid",
        "name",
        "state",
        "owner",
        "node_uuid",
        "last_error",
        "resource_class",
        "traits",
        "candidate_nodes",
        "extra",
        "created_at",
        "updated_at",
    ],
    long: Long::Always,
    filters: &[
        OF_NODE,
        Filter::text(
            "resource-class",
            "resource_class",
            "CLASS",
            "Only those of this class",
        ),
        Filter::text(
            "state",
            "state",
            "STATE",
            "Only those in this state: allocating, active, error",
        ),
        Filter::text("owner", "owner", "PROJECT", "Only those of this owner"),
    ],
    attributes: &[
        text(
            "resource_class",
            "resource-class",
            "CLASS",
            "Resource class the machine must have",
        )
        .forms(Form::Text, Form::Absent, Form::Absent),
        text("traits", "trait", "TRAIT", "Trait the machine must have").forms(
            Form::List,
            Form::Absent,
            Form::Absent,
        ),
        text(
            "candidate_nodes",
            "candidate-node",
            "NODE",
            "Take one of these machines",
        )
        .forms(Form::List, Form::Absent, Form::Absent),
        text("name", "name", "NAME", "Name, unique among allocations"),
        UUID,
        text(
            "owner",
            "owner",
            "PROJECT",
            "Project that owns the allocation",
        )
        .forms(Form::Text, Form::Absent, Form::Absent),
        EXTRA,
        text(
            "node",
            "node",
            "NODE",
            "Record an allocation for this machine, which is in use",
        )
        .forms(Form::Text, Form::Absent, Form::Absent),
    ],
    settles: true,
    examples: "\
Example:
  corten allocation create --resource-class baremetal --trait CUSTOM_GPU --wait 60
",
    ..PLAIN
};

const DEPLOY_TEMPLATE: Resource = Resource {
    words: "deploy template",
    noun: "deploy template",
    path: "deploy_templates",
    verbs: &[
        (Verb::List, "List deploy templates"),
        (Verb::Show, "Show all about one deploy template"),
        (Verb::Create, "Create a deploy template"),
        (Verb::Set, "Change a deploy template"),
        (Verb::Unset, "Clear settings of a deploy template"),
        (Verb::Delete, "Delete deploy templates"),
    ],
    brief: &["uuid", "name"],
    detailed: &["uuid", "name", "steps", "extra", "created_at", "updated_at"],
    attributes: &[
        text(
            "name",
            "name",
            "NAME",
            "The trait it is for, such as CUSTOM_RAID",
        )
        .forms(Form::Positional, Form::Text, Form::Absent),
        UUID,
        EXTRA,
        json("steps", "Deploy steps"),
    ],
    ..PLAIN
};

const RUNBOOK: Resource = Resource {
    words: "runbook",
    noun: "runbook",
    path: "runbooks",
    verbs: &[
        (Verb::List, "List runbooks"),
        (Verb::Show, "Show all about one runbook"),
        (Verb::Create, "Create a runbook"),
        (Verb::Set, "Change a runbook"),
        (Verb::Unset, "Clear settings of a runbook"),
        (Verb::Delete, "Delete runbooks"),
    ],
    brief: &["uuid", "name"],
    detailed: &[
        "uuid",
        "name",
        "description",
        "traits",
        "disable_ramdisk",
        "owner",
        "public",
        "steps",
        "extra",
        "created_at",
        "updated_at",
    ],
    attributes: &[
        text(
            "name",
            "name",
            "NAME",
            "Name, which is a trait such as CUSTOM_FIX",
        )
        .forms(Form::Required(&Form::Text), Form::Text, Form::Clear),
        text("description", "description", "TEXT", "A note for people"),
        UUID,
        text("public", "public", "BOOLEAN", "All projects may use it").forms(
            Form::OptionalBoolean,
            Form::OptionalBoolean,
            Form::Clear,
        ),
        text("owner", "owner", "PROJECT", "Project that owns it"),
        EXTRA,
        json("steps", "Steps"),
        text(
            "disable_ramdisk",
            "disable-ramdisk",
            "BOOLEAN",
            "Do not boot the agent; only steps that can do without it run",
        )
        .forms(Form::Switch(None), Form::OptionalBoolean, Form::Clear),
    ],
    ..PLAIN
};

const INSPECTION_RULE: Resource = Resource {
    words: "inspection rule",
    noun: "rule",
    path: "inspection_rules",
    id: "UUID",
    verbs: &[
        (Verb::List, "List inspection rules"),
        (Verb::Show, "Show all about one inspection rule"),
        (Verb::Create, "Create an inspection rule"),
        (Verb::Set, "Change an inspection rule"),
        (Verb::Unset, "Clear settings of an inspection rule"),
        (Verb::Delete, "Delete inspection rules"),
    ],
    brief: &["uuid", "description"],
    detailed: &[
        "uuid",
        "description",
        "priority",
        "sensitive",
        "phase",
        "actions",
        "conditions",
        "created_at",
        "updated_at",
    ],
    attributes: &[
        UUID,
        text("description", "description", "TEXT", "A note for people"),
        text(
            "priority",
            "priority",
            "NUMBER",
            "Rules with a higher number run first",
        )
        .forms(Form::Number, Form::Number, Form::Clear),
        text(
            "sensitive",
            "sensitive",
            "BOOLEAN",
            "What it does holds secrets, and is not shown",
        )
        .forms(Form::Boolean, Form::Absent, Form::Absent),
        text("phase", "phase", "PHASE", "When it runs, such as main"),
        json("conditions", "When it applies").forms(Form::Json, Form::Json, Form::Absent),
        json("actions", "What it does"),
        text("conditions", "condition", "", "").forms(Form::Absent, Form::Absent, Form::Keys),
        text("actions", "action", "", "").forms(Form::Absent, Form::Absent, Form::Keys),
    ],
    ..PLAIN
};

const SHARD: Resource = Resource {
    words: "shard",
    noun: "shard",
    path: "shards",
    verbs: &[(Verb::List, "List shards and how many nodes are in each")],
    brief: &["name", "count"],
    paged: false,
    ..PLAIN
};

const DRIVER: Resource = Resource {
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

const CONDUCTOR: Resource = Resource {
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
