//! What machines are made of and stand in: ports, port groups, chassis, volumes.

use super::{Created, Long, PLAIN, Resource, Verb};
use crate::attribute::{Attribute, EXTRA, Form, UUID, pairs, text};
use crate::listing::Filter;

/// The node something belongs to, which it must be created with.
const NODE: Attribute = text(
    "node_uuid",
    "node",
    "NODE",
    "Node it belongs to, by UUID or name",
)
.forms(Form::Required(&Form::Text), Form::Text, Form::Absent);

pub(super) const OF_NODE: Filter = Filter::text("node", "node", "NODE", "Only those of this node");

/// A text that cannot be taken away once it is set.
const fn lasting(
    field: &'static str,
    option: &'static str,
    metavar: &'static str,
    help: &'static str,
) -> Attribute {
    text(field, option, metavar, help).forms(Form::Required(&Form::Text), Form::Text, Form::Absent)
}

pub(super) const PORT: Resource = Resource {
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
    shows_node: true,
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

pub(super) const PORT_GROUP: Resource = Resource {
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

pub(super) const CHASSIS: Resource = Resource {
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

pub(super) const VOLUME_CONNECTOR: Resource = Resource {
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

pub(super) const VOLUME_TARGET: Resource = Resource {
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
