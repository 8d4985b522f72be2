//! What the arguments of operations may be, by name: with few exceptions a name means the same
//! wherever it appears.
//!
//! Most are read from texts, so that `yes` is a boolean and `1,2` a list; the document gives the
//! plain form only.

use crate::schema::{Schema, Type};

const TEXT: Schema = Schema::of(&[Type::String]);
const FLAG: Schema = Schema::of(&[Type::Boolean]);
const NUMBER: Schema = Schema::of(&[Type::Integer]);
const STEPS: Schema = Schema {
    types: &[Type::Array],
    items: Some(&Schema::of(&[Type::Object])),
    ..Schema::ANY
};

const fn one_of(options: &'static [&'static str]) -> Schema {
    Schema {
        types: &[Type::String],
        options,
        ..Schema::ANY
    }
}

/// What the power of a machine can be changed to.
pub(super) const POWER_TARGETS: &[&str] = &[
    "power on",
    "power off",
    "rebooting",
    "soft rebooting",
    "soft power off",
];

/// What can be done with a node.
pub(super) const VERBS: &[&str] = &[
    "manage", "provide", "inspect", "adopt", "active", "rebuild", "deleted", "clean", "rescue",
    "unrescue", "service", "abort", "unhold", "deploy", "undeploy",
];

/// Every argument there is.
pub(crate) static ARGUMENTS: &[(&str, Schema)] = &[
    ("address", TEXT),
    ("addresses", TEXT),
    (
        "after",
        Schema {
            minimum: Some(0),
            ..NUMBER
        },
    ),
    ("agent_status", TEXT),
    ("agent_status_message", TEXT),
    ("agent_token", TEXT),
    ("agent_verify_ca", TEXT),
    ("agent_version", TEXT),
    ("all", FLAG),
    ("associated", FLAG),
    ("length", NUMBER),
    (
        "before",
        Schema {
            minimum: Some(0),
            ..NUMBER
        },
    ),
    ("boot_device", TEXT),
    ("by", TEXT),
    ("callback_url", TEXT),
    ("chassis_uuid", TEXT),
    ("clean_steps", STEPS),
    ("conductor", TEXT),
    ("conductor_group", TEXT),
    ("conductor_groups", TEXT),
    (
        "configdrive",
        Schema::of(&[Type::String, Type::Object, Type::Null]),
    ),
    ("deploy_steps", STEPS),
    ("description_contains", TEXT),
    ("detail", FLAG),
    ("device_types", TEXT),
    ("disable_ramdisk", FLAG),
    ("driver", TEXT),
    ("dry_run", FLAG),
    ("enabled", FLAG),
    ("fault", TEXT),
    ("fields", TEXT),
    ("force", FLAG),
    ("group", TEXT),
    ("include_children", FLAG),
    ("instance_name", TEXT),
    ("instance_uuid", TEXT),
    ("kind", TEXT),
    ("lessee", TEXT),
    (
        "limit",
        Schema {
            minimum: Some(1),
            ..NUMBER
        },
    ),
    ("maintenance", FLAG),
    ("marker", TEXT),
    ("method", TEXT),
    ("mode", one_of(&["read", "write"])),
    ("node", TEXT),
    ("node_uuid", TEXT),
    (
        "offset",
        Schema {
            minimum: Some(0),
            ..NUMBER
        },
    ),
    ("owner", TEXT),
    ("parent_node", TEXT),
    ("persistent", FLAG),
    ("phase", TEXT),
    ("portgroup", TEXT),
    ("project", TEXT),
    ("provision_state", TEXT),
    ("q", TEXT),
    ("reason", TEXT),
    ("rescue_password", TEXT),
    ("reset_interfaces", FLAG),
    ("resource_class", TEXT),
    ("retired", FLAG),
    ("role", TEXT),
    ("runbook", TEXT),
    ("service_steps", STEPS),
    ("shard", TEXT),
    ("sharded", FLAG),
    ("sort", TEXT),
    ("sort_dir", one_of(&["asc", "desc"])),
    ("sort_key", TEXT),
    ("state", TEXT),
    ("system", FLAG),
    ("take_over", FLAG),
    ("target", TEXT),
    (
        "timeout",
        Schema {
            minimum: Some(1),
            ..NUMBER
        },
    ),
    ("token", TEXT),
    ("type", one_of(&["classic", "dynamic"])),
    ("user", TEXT),
    (
        "wait",
        Schema {
            minimum: Some(0),
            maximum: Some(60),
            ..NUMBER
        },
    ),
];

/// Names that mean something else in these operations.
static EXCEPTIONS: &[(&str, &str, Schema)] = &[
    ("nodes/{node}/states/power", "target", one_of(POWER_TARGETS)),
    ("nodes/{node}/states/provision", "target", one_of(VERBS)),
    ("corten/v1/nodes/{node}/plan", "target", one_of(VERBS)),
    (
        "nodes/{node}/states/boot_mode",
        "target",
        one_of(&["bios", "uefi"]),
    ),
    ("nodes/{node}/states/secure_boot", "target", FLAG),
    ("runbooks", "project", FLAG),
];

/// The form of an argument of the operation with this path.
pub(crate) fn schema(path: &str, name: &str) -> Option<&'static Schema> {
    let here = |(at, known, _): &&(&str, &str, Schema)| *at == path && *known == name;
    if let Some((_, _, schema)) = EXCEPTIONS.iter().find(here) {
        return Some(schema);
    }
    let known = ARGUMENTS.iter().find(|(known, _)| *known == name);
    known.map(|(_, schema)| schema)
}
