//! The forms of answers that the web page reads.

use super::small::{
    FLAG, MAP, NUMBER, OPTIONAL_FLAG, OPTIONAL_NUMBER, OPTIONAL_TEXT, TEXT, list, object, optional,
};
use crate::{
    openapi::shape::TEXTS,
    schema::{Schema, Type},
};

/// What is wrong with a query, besides the usual form of an error.
pub(super) const WRONG_QUERY: Schema = object(&[
    ("error_message", TEXT),
    (
        "query_error",
        object(&[
            ("text", TEXT),
            ("word", TEXT),
            ("start", NUMBER),
            ("end", NUMBER),
            ("suggestion", OPTIONAL_TEXT),
        ]),
    ),
]);

const CAUSE_OF_NODE: Schema =
    optional(&[("kind", TEXT), ("code", TEXT), ("sentence", OPTIONAL_TEXT)]);
const NODE: Schema = object(&[
    ("uuid", TEXT),
    ("name", OPTIONAL_TEXT),
    ("look", OPTIONAL_TEXT),
    ("provision_state", TEXT),
    ("target_provision_state", OPTIONAL_TEXT),
    ("provision_updated_at", OPTIONAL_TEXT),
    ("power_state", OPTIONAL_TEXT),
    ("target_power_state", OPTIONAL_TEXT),
    ("maintenance", FLAG),
    ("fault", OPTIONAL_TEXT),
    ("retired", FLAG),
    ("protected", FLAG),
    ("driver", TEXT),
    ("resource_class", OPTIONAL_TEXT),
    ("conductor", OPTIONAL_TEXT),
    ("conductor_group", TEXT),
    ("chassis_uuid", OPTIONAL_TEXT),
    ("shard", OPTIONAL_TEXT),
    ("owner", OPTIONAL_TEXT),
    ("lessee", OPTIONAL_TEXT),
    ("instance_uuid", OPTIONAL_TEXT),
    ("reservation", OPTIONAL_TEXT),
    ("description", OPTIONAL_TEXT),
    ("created_at", TEXT),
    ("traits", TEXTS),
    ("macs", TEXTS),
    ("bmc", OPTIONAL_TEXT),
    ("last_error", OPTIONAL_TEXT),
    ("cause", CAUSE_OF_NODE),
]);
pub(super) const NODES: Schema = object(&[
    ("nodes", list(&NODE)),
    ("total", NUMBER),
    ("cursor", NUMBER),
]);

const LOOKS: Schema = object(&[
    ("ready", NUMBER),
    ("in_use", NUMBER),
    ("working", NUMBER),
    ("waiting", NUMBER),
    ("held", NUMBER),
    ("failed", NUMBER),
]);
pub(super) const FLEET: Schema = object(&[
    ("cursor", NUMBER),
    ("by", OPTIONAL_TEXT),
    ("total", NUMBER),
    ("looks", LOOKS),
    ("states", MAP),
    ("maintenance", NUMBER),
    ("faults", MAP),
    (
        "groups",
        list(&object(&[
            ("name", OPTIONAL_TEXT),
            ("q", TEXT),
            ("total", NUMBER),
            ("looks", LOOKS),
            ("states", MAP),
            ("maintenance", NUMBER),
            ("faults", MAP),
        ])),
    ),
    ("left_out", NUMBER),
]);
pub(super) const MAP_OF_FLEET: Schema = object(&[
    ("cursor", NUMBER),
    ("by", TEXT),
    ("total", NUMBER),
    ("letters", MAP),
    (
        "groups",
        list(&object(&[
            ("name", OPTIONAL_TEXT),
            ("q", TEXT),
            ("total", NUMBER),
            ("cells", TEXT),
        ])),
    ),
    ("left_out", NUMBER),
]);

const KINDS: Schema = object(&[
    ("failed", NUMBER),
    ("fault", NUMBER),
    ("stuck", NUMBER),
    ("error", NUMBER),
]);
pub(super) const FAILURES: Schema = object(&[
    ("cursor", NUMBER),
    ("total", NUMBER),
    ("kinds", KINDS),
    (
        "causes",
        list(&object(&[
            ("code", TEXT),
            ("sentence", OPTIONAL_TEXT),
            ("advice", OPTIONAL_TEXT),
            ("docs", OPTIONAL_TEXT),
            ("kinds", KINDS),
            ("count", NUMBER),
            ("since", TEXT),
            ("latest", TEXT),
            (
                "nodes",
                list(&object(&[("uuid", TEXT), ("name", OPTIONAL_TEXT)])),
            ),
            ("q", OPTIONAL_TEXT),
            ("example", OPTIONAL_TEXT),
        ])),
    ),
]);

pub(super) const WORK: Schema = object(&[
    ("at", TEXT),
    ("total", NUMBER),
    (
        "operations",
        list(&object(&[
            ("node", TEXT),
            ("name", OPTIONAL_TEXT),
            ("verb", OPTIONAL_TEXT),
            ("look", TEXT),
            ("provision_state", TEXT),
            ("target_provision_state", OPTIONAL_TEXT),
            ("conductor", OPTIONAL_TEXT),
            ("started_at", OPTIONAL_TEXT),
            ("state_since", TEXT),
            ("phase", OPTIONAL_TEXT),
            ("step", OPTIONAL_TEXT),
            ("steps_done", OPTIONAL_NUMBER),
            ("steps_total", OPTIONAL_NUMBER),
            (
                "waiting",
                optional(&[
                    ("for", TEXT),
                    ("since", TEXT),
                    ("timeout_at", OPTIONAL_TEXT),
                    ("is_stuck", FLAG),
                ]),
            ),
            (
                "progress",
                optional(&[
                    ("phase", TEXT),
                    ("bytes", NUMBER),
                    ("total", OPTIONAL_NUMBER),
                    ("rate", OPTIONAL_NUMBER),
                    ("eta", OPTIONAL_NUMBER),
                    ("at", TEXT),
                ]),
            ),
        ])),
    ),
]);

pub(super) const DIAGNOSIS: Schema = object(&[
    ("node", TEXT),
    ("name", OPTIONAL_TEXT),
    ("at", TEXT),
    ("kind", TEXT),
    ("look", TEXT),
    ("provision_state", TEXT),
    ("target_provision_state", OPTIONAL_TEXT),
    ("since", TEXT),
    ("meaning", TEXT),
    (
        "maintenance",
        optional(&[("reason", OPTIONAL_TEXT), ("fault", OPTIONAL_TEXT)]),
    ),
    (
        "cause",
        optional(&[
            ("code", TEXT),
            ("sentence", TEXT),
            ("advice", OPTIONAL_TEXT),
            ("docs", OPTIONAL_TEXT),
        ]),
    ),
    ("finding", OPTIONAL_TEXT),
    (
        "waiting",
        optional(&[
            ("for", TEXT),
            ("since", TEXT),
            ("timeout_at", OPTIONAL_TEXT),
            ("is_stuck", FLAG),
            ("progress", OPTIONAL_TEXT),
        ]),
    ),
    ("locked_by", OPTIONAL_TEXT),
    (
        "evidence",
        list(&object(&[("kind", TEXT), ("text", TEXT), ("href", TEXT)])),
    ),
    (
        "next",
        list(&object(&[("verb", TEXT), ("target", TEXT), ("to", TEXT)])),
    ),
]);

const fn optional_list(items: &'static Schema) -> Schema {
    Schema {
        types: &[Type::Array, Type::Null],
        ..list(items)
    }
}

/// What an inventory says of a disk, which is up to the ramdisk.
const FOUND: Schema = Schema::ANY;
pub(super) const PLAN: Schema = object(&[
    ("node", TEXT),
    ("name", OPTIONAL_TEXT),
    ("target", TEXT),
    ("verb", OPTIONAL_TEXT),
    ("is_accepted", FLAG),
    ("refusal", optional(&[("status", NUMBER), ("text", TEXT)])),
    ("states", TEXTS),
    (
        "steps",
        list(&object(&[
            ("interface", TEXT),
            ("step", TEXT),
            ("priority", NUMBER),
            ("args", MAP),
            ("source", TEXT),
        ])),
    ),
    ("more_steps", OPTIONAL_TEXT),
    (
        "validation",
        optional_list(&object(&[
            ("interface", TEXT),
            ("result", OPTIONAL_FLAG),
            ("reason", OPTIONAL_TEXT),
        ])),
    ),
    (
        "root_device",
        optional(&[("hint", MAP), ("error", OPTIONAL_TEXT)]),
    ),
    (
        "disks",
        optional_list(&object(&[
            ("name", FOUND),
            ("size", FOUND),
            ("model", FOUND),
            ("vendor", FOUND),
            ("serial", FOUND),
            ("wwn", FOUND),
            ("by_path", FOUND),
            ("rotational", FOUND),
            ("fits", OPTIONAL_FLAG),
            ("hint", Schema::of(&[Type::Object, Type::Null])),
        ])),
    ),
]);

pub(super) const ME: Schema = object(&[
    ("mode", TEXT),
    ("user", OPTIONAL_TEXT),
    ("project", OPTIONAL_TEXT),
    ("system_scope", OPTIONAL_TEXT),
    ("roles", TEXTS),
    ("is_open", FLAG),
    ("session", optional(&[("expires_at", TEXT)])),
    ("version", TEXT),
    ("api_version", TEXT),
    ("group_key", OPTIONAL_TEXT),
    ("node", OPTIONAL_TEXT),
    ("rules", TEXTS),
    ("own_rules", TEXTS),
]);
pub(super) const SESSION: Schema = object(&[("mode", TEXT), ("is_signed_in", FLAG)]);

const BATCH_FIELDS: &[(&str, Schema)] = &[
    ("uuid", TEXT),
    ("description", OPTIONAL_TEXT),
    ("query", OPTIONAL_TEXT),
    ("action", TEXT),
    ("target", TEXT),
    ("state", TEXT),
    ("reason", OPTIONAL_TEXT),
    ("node_count", NUMBER),
    (
        "counts",
        object(&[
            ("waiting", NUMBER),
            ("asked", NUMBER),
            ("running", NUMBER),
            ("done", NUMBER),
            ("failed", NUMBER),
            ("skipped", NUMBER),
        ]),
    ),
    ("waves", list(&NUMBER)),
    ("wave", NUMBER),
    ("at_once", NUMBER),
    ("max_failures", OPTIONAL_NUMBER),
    ("user", OPTIONAL_TEXT),
    ("project", OPTIONAL_TEXT),
    ("conductor", OPTIONAL_TEXT),
    ("created_at", TEXT),
    ("updated_at", OPTIONAL_TEXT),
    ("ended_at", OPTIONAL_TEXT),
    ("arguments", MAP),
    ("cursor", NUMBER),
];
pub(super) const BATCH: Schema = object(BATCH_FIELDS);
/// In a list they stand without their arguments.
const BATCH_IN_LIST: Schema = object(BATCH_FIELDS.split_at(BATCH_FIELDS.len() - 2).0);
pub(super) const BATCHES: Schema = object(&[("batches", list(&BATCH_IN_LIST))]);
pub(super) const BATCH_NODES: Schema = object(&[
    (
        "nodes",
        list(&object(&[
            ("place", NUMBER),
            ("node", TEXT),
            ("name", OPTIONAL_TEXT),
            ("wave", NUMBER),
            ("state", TEXT),
            ("reason", OPTIONAL_TEXT),
            ("asked_at", OPTIONAL_TEXT),
            ("ended_at", OPTIONAL_TEXT),
        ])),
    ),
    ("next", OPTIONAL_NUMBER),
]);
pub(super) const DRY_RUN: Schema = object(&[
    ("action", TEXT),
    ("target", TEXT),
    ("node_count", NUMBER),
    ("waves", list(&NUMBER)),
    ("accepted", NUMBER),
    ("refused", NUMBER),
    ("left_out", NUMBER),
    (
        "nodes",
        list(&object(&[
            ("place", NUMBER),
            ("node", TEXT),
            ("name", OPTIONAL_TEXT),
            ("wave", NUMBER),
            ("is_accepted", FLAG),
            ("refusal", optional(&[("status", NUMBER), ("text", TEXT)])),
            ("states", TEXTS),
        ])),
    ),
]);
