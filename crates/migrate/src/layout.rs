//! The tables of Ironic 39, with the migration that brought each table and column.
//!
//! Columns come in another order in every database, so they are always named. What the service keeps
//! for itself (conductors, locks, the versions of its objects) is not read.

use crate::revision::since;
use store::ironic::{ColumnType, Field, Join, Scan};

const fn field(name: &'static str, kind: ColumnType) -> Field {
    Field {
        name,
        kind,
        since: 0,
    }
}

const fn text(name: &'static str) -> Field {
    field(name, ColumnType::Text)
}

const fn int(name: &'static str) -> Field {
    field(name, ColumnType::Int)
}

const fn flag(name: &'static str) -> Field {
    field(name, ColumnType::Bool)
}

const fn time(name: &'static str) -> Field {
    field(name, ColumnType::Time)
}

/// A column that came with a later migration.
const fn later(field: Field, revision: &str) -> Field {
    Field {
        since: since(revision),
        ..field
    }
}

const CREATED: Field = time("created_at");
const UPDATED: Field = time("updated_at");

/// The UUID of the row that `on` refers to.
const fn uuid_of(name: &'static str, on: &'static str, table: &'static str) -> Join {
    Join {
        name,
        on,
        table,
        key: "id",
        value: "uuid",
        kind: ColumnType::Text,
    }
}

const NODE: Join = uuid_of("node_uuid", "node_id", "nodes");

/// A table whose rows have an `id`.
const fn table(name: &'static str, fields: &'static [Field], joins: &'static [Join]) -> Scan {
    Scan {
        table: name,
        since: 0,
        key: "id",
        then: None,
        fields,
        joins,
        newest_of: None,
    }
}

/// A table of parts of others.
const fn parts(
    name: &'static str,
    revision: &str,
    key: &'static str,
    then: &'static str,
    fields: &'static [Field],
    joins: &'static [Join],
) -> Scan {
    Scan {
        since: since(revision),
        key,
        then: Some(then),
        ..table(name, fields, joins)
    }
}

const FIRST: &str = "4dbec778866e";
const FIRMWARE: &str = "163040c5513f";
const RUNBOOKS: &str = "66bd9c5604d5";
const RUNBOOK_TRAITS: &str = "e2d316b60d9e";
const DYNAMIC_PORTGROUPS: &str = "2a3b4c5d6e7f";
const PORTGROUP_NETWORK: &str = "15e9d00367b0";
const NEWEST: &str = "9fb44677ef15";

pub(crate) const CHASSIS: Scan = table(
    "chassis",
    &[
        text("uuid"),
        text("description"),
        text("extra"),
        CREATED,
        UPDATED,
    ],
    &[],
);

pub(crate) const NODES: Scan = table(
    "nodes",
    &[
        text("uuid"),
        text("name"),
        text("instance_uuid"),
        later(text("instance_name"), PORTGROUP_NETWORK),
        text("power_state"),
        text("target_power_state"),
        text("provision_state"),
        text("target_provision_state"),
        time("provision_updated_at"),
        text("last_error"),
        text("instance_info"),
        text("properties"),
        text("driver"),
        text("driver_info"),
        text("driver_internal_info"),
        text("clean_step"),
        text("deploy_step"),
        later(text("service_step"), "aa2384fee727"),
        text("resource_class"),
        text("raid_config"),
        text("target_raid_config"),
        text("conductor_group"),
        flag("maintenance"),
        text("maintenance_reason"),
        text("fault"),
        flag("console_enabled"),
        time("inspection_finished_at"),
        time("inspection_started_at"),
        text("extra"),
        flag("automated_clean"),
        flag("protected"),
        text("protected_reason"),
        text("owner"),
        text("lessee"),
        int("allocation_id"),
        text("description"),
        text("bios_interface"),
        text("boot_interface"),
        text("console_interface"),
        text("deploy_interface"),
        later(text("firmware_interface"), FIRMWARE),
        text("inspect_interface"),
        text("management_interface"),
        text("network_interface"),
        text("raid_interface"),
        text("rescue_interface"),
        flag("retired"),
        text("retired_reason"),
        text("network_data"),
        text("storage_interface"),
        text("power_interface"),
        text("vendor_interface"),
        text("boot_mode"),
        flag("secure_boot"),
        text("shard"),
        later(text("parent_node"), FIRMWARE),
        later(flag("disable_power_off"), "6e9cf6acce0b"),
        later(text("health"), "9f8c7d6e5b4a"),
        text("reservation"),
        int("chassis_id"),
        CREATED,
        UPDATED,
    ],
    &[
        uuid_of("chassis_uuid", "chassis_id", "chassis"),
        uuid_of("allocation_uuid", "allocation_id", "allocations"),
        Join {
            value: "node_id",
            kind: ColumnType::Int,
            ..uuid_of("allocation_node", "allocation_id", "allocations")
        },
        Join {
            key: "uuid",
            ..uuid_of("parent_uuid", "parent_node", "nodes")
        },
    ],
);

/// What a first look at the nodes needs.
pub(crate) const NODES_SHORT: Scan = table(
    "nodes",
    &[
        text("uuid"),
        text("name"),
        text("driver"),
        text("provision_state"),
        text("reservation"),
        text("conductor_group"),
        text("driver_internal_info"),
        text("bios_interface"),
        text("boot_interface"),
        text("console_interface"),
        text("deploy_interface"),
        later(text("firmware_interface"), FIRMWARE),
        text("inspect_interface"),
        text("management_interface"),
        text("network_interface"),
        text("raid_interface"),
        text("rescue_interface"),
        text("storage_interface"),
        text("power_interface"),
        text("vendor_interface"),
    ],
    &[],
);

pub(crate) const NODE_TRAITS: Scan = parts(
    "node_traits",
    FIRST,
    "node_id",
    "trait",
    &[text("trait")],
    &[],
);

pub(crate) const PORTS: Scan = table(
    "ports",
    &[
        text("uuid"),
        text("address"),
        int("node_id"),
        text("extra"),
        text("local_link_connection"),
        int("portgroup_id"),
        flag("pxe_enabled"),
        text("internal_info"),
        text("physical_network"),
        flag("is_smartnic"),
        text("name"),
        later(text("description"), "1c14278d6e33"),
        later(text("vendor"), "3ef27505c9fb"),
        later(text("category"), "3ef27505c9fb"),
        later(flag("available_for_dynamic_portgroup"), DYNAMIC_PORTGROUPS),
        CREATED,
        UPDATED,
    ],
    &[
        NODE,
        uuid_of("portgroup_uuid", "portgroup_id", "portgroups"),
        Join {
            value: "node_id",
            kind: ColumnType::Int,
            ..uuid_of("portgroup_node", "portgroup_id", "portgroups")
        },
    ],
);

pub(crate) const PORTGROUPS: Scan = table(
    "portgroups",
    &[
        text("uuid"),
        text("name"),
        text("address"),
        text("extra"),
        text("internal_info"),
        flag("standalone_ports_supported"),
        text("mode"),
        text("properties"),
        later(text("physical_network"), PORTGROUP_NETWORK),
        later(text("category"), PORTGROUP_NETWORK),
        later(flag("dynamic_portgroup"), DYNAMIC_PORTGROUPS),
        CREATED,
        UPDATED,
    ],
    &[NODE],
);

pub(crate) const CONNECTORS: Scan = table(
    "volume_connectors",
    &[
        text("uuid"),
        text("type"),
        text("connector_id"),
        text("extra"),
        CREATED,
        UPDATED,
    ],
    &[NODE],
);

pub(crate) const TARGETS: Scan = table(
    "volume_targets",
    &[
        text("uuid"),
        text("volume_type"),
        text("properties"),
        int("boot_index"),
        text("volume_id"),
        text("extra"),
        CREATED,
        UPDATED,
    ],
    &[NODE],
);

pub(crate) const BIOS: Scan = parts(
    "bios_settings",
    FIRST,
    "node_id",
    "name",
    &[
        text("name"),
        text("value"),
        text("attribute_type"),
        text("allowable_values"),
        int("lower_bound"),
        int("upper_bound"),
        int("min_length"),
        int("max_length"),
        flag("read_only"),
        flag("reset_required"),
        flag("unique"),
        CREATED,
        UPDATED,
    ],
    &[NODE],
);

pub(crate) const FIRMWARE_INFORMATION: Scan = Scan {
    since: since(FIRMWARE),
    ..table(
        "firmware_information",
        &[
            text("component"),
            text("initial_version"),
            text("current_version"),
            text("last_version_flashed"),
            later(text("vendor"), NEWEST),
            later(text("model"), NEWEST),
            later(text("serial_number"), NEWEST),
            CREATED,
            UPDATED,
        ],
        &[NODE],
    )
};

pub(crate) const HISTORY: Scan = table(
    "node_history",
    &[
        text("uuid"),
        text("conductor"),
        text("event_type"),
        text("severity"),
        text("event"),
        text("user"),
        later(text("project"), "16990309ad9d"),
        later(text("state"), NEWEST),
        later(text("target_provision_state"), NEWEST),
        later(int("duration_seconds"), NEWEST),
        CREATED,
    ],
    &[NODE],
);

pub(crate) const INVENTORIES: Scan = Scan {
    newest_of: Some("node_id"),
    ..table(
        "node_inventory",
        &[
            text("inventory_data"),
            text("plugin_data"),
            CREATED,
            UPDATED,
        ],
        &[NODE],
    )
};

pub(crate) const ALLOCATIONS: Scan = table(
    "allocations",
    &[
        text("uuid"),
        text("name"),
        int("node_id"),
        text("state"),
        text("owner"),
        text("last_error"),
        text("resource_class"),
        text("traits"),
        text("candidate_nodes"),
        text("extra"),
        CREATED,
        UPDATED,
    ],
    &[
        NODE,
        Join {
            value: "allocation_id",
            kind: ColumnType::Int,
            ..uuid_of("node_allocation", "node_id", "nodes")
        },
    ],
);

pub(crate) const TEMPLATES: Scan = table(
    "deploy_templates",
    &[text("uuid"), text("name"), text("extra"), CREATED, UPDATED],
    &[],
);

pub(crate) const TEMPLATE_STEPS: Scan = parts(
    "deploy_template_steps",
    FIRST,
    "deploy_template_id",
    "id",
    &[
        text("interface"),
        text("step"),
        text("args"),
        int("priority"),
    ],
    &[],
);

pub(crate) const RUNBOOK: Scan = Scan {
    since: since(RUNBOOKS),
    ..table(
        "runbooks",
        &[
            text("uuid"),
            text("name"),
            later(text("description"), RUNBOOK_TRAITS),
            flag("public"),
            text("owner"),
            flag("disable_ramdisk"),
            text("extra"),
            CREATED,
            UPDATED,
        ],
        &[],
    )
};

pub(crate) const RUNBOOK_STEPS: Scan = parts(
    "runbook_steps",
    RUNBOOKS,
    "runbook_id",
    "id",
    &[text("interface"), text("step"), text("args"), int("order")],
    &[],
);

pub(crate) const TRAITS_OF_RUNBOOKS: Scan = parts(
    "runbook_traits",
    RUNBOOK_TRAITS,
    "runbook_id",
    "trait",
    &[text("trait")],
    &[],
);

pub(crate) const RULES: Scan = Scan {
    since: since("21c48150dea9"),
    ..table(
        "inspection_rules",
        &[
            text("uuid"),
            int("priority"),
            text("description"),
            text("scope"),
            flag("sensitive"),
            text("phase"),
            text("conditions"),
            text("actions"),
            CREATED,
            UPDATED,
        ],
        &[],
    )
};

/// Who serves the database; read to know whether they are alive.
pub(crate) const CONDUCTORS: Scan = table(
    "conductors",
    &[
        text("hostname"),
        flag("online"),
        text("conductor_group"),
        UPDATED,
    ],
    &[],
);

/// Everything that is imported.
pub(crate) const ALL: &[&Scan] = &[
    &CHASSIS,
    &NODES,
    &NODE_TRAITS,
    &PORTGROUPS,
    &PORTS,
    &CONNECTORS,
    &TARGETS,
    &BIOS,
    &FIRMWARE_INFORMATION,
    &HISTORY,
    &INVENTORIES,
    &ALLOCATIONS,
    &TEMPLATES,
    &TEMPLATE_STEPS,
    &RUNBOOK,
    &RUNBOOK_STEPS,
    &TRAITS_OF_RUNBOOKS,
    &RULES,
];
