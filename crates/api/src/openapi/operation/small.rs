//! The forms of answers that belong to no resource.

use crate::{
    openapi::shape::{LINKS, TEXTS},
    schema::{Schema, Type},
};

pub(super) const TEXT: Schema = Schema::of(&[Type::String]);
pub(super) const OPTIONAL_TEXT: Schema = Schema::of(&[Type::String, Type::Null]);
pub(super) const FLAG: Schema = Schema::of(&[Type::Boolean]);
pub(super) const OPTIONAL_FLAG: Schema = Schema::of(&[Type::Boolean, Type::Null]);
pub(super) const NUMBER: Schema = Schema::of(&[Type::Integer]);
pub(super) const MAP: Schema = Schema::of(&[Type::Object]);

pub(super) const fn object(properties: &'static [(&'static str, Schema)]) -> Schema {
    Schema {
        types: &[Type::Object],
        properties,
        closed: true,
        ..Schema::ANY
    }
}

pub(super) const fn list(items: &'static Schema) -> Schema {
    Schema {
        types: &[Type::Array],
        items: Some(items),
        ..Schema::ANY
    }
}

/// Things with names.
pub(super) const ANY_OBJECTS: Schema = list(&MAP);

/// Anything with names.
pub(super) const ANY_OBJECT: Schema = MAP;

const VERSION: Schema = object(&[
    ("id", TEXT),
    ("links", LINKS),
    ("status", TEXT),
    ("min_version", TEXT),
    ("version", TEXT),
]);
pub(super) const ROOT: Schema = object(&[
    ("name", TEXT),
    ("description", TEXT),
    ("default_version", VERSION),
    ("versions", list(&VERSION)),
]);
/// Besides these, a list of links for each resource.
pub(super) const V1: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("id", TEXT),
        ("links", LINKS),
        ("media_types", MAP),
        ("version", VERSION),
    ],
    required: &["id", "links", "version"],
    ..Schema::ANY
};
pub(super) const STATES: Schema = object(&[
    ("console_enabled", FLAG),
    ("last_error", OPTIONAL_TEXT),
    ("power_state", OPTIONAL_TEXT),
    ("provision_state", OPTIONAL_TEXT),
    ("target_power_state", OPTIONAL_TEXT),
    ("target_provision_state", OPTIONAL_TEXT),
    ("provision_updated_at", OPTIONAL_TEXT),
    ("raid_config", MAP),
    ("target_raid_config", MAP),
    ("boot_mode", OPTIONAL_TEXT),
    ("secure_boot", OPTIONAL_FLAG),
]);
pub(super) const CONSOLE: Schema = object(&[
    ("console_enabled", FLAG),
    ("console_info", Schema::of(&[Type::Object, Type::Null])),
]);
pub(super) const BOOT_DEVICE: Schema = object(&[
    ("boot_device", OPTIONAL_TEXT),
    ("persistent", OPTIONAL_FLAG),
]);
pub(super) const BOOT_DEVICES: Schema = object(&[("supported_boot_devices", TEXTS)]);
pub(super) const INDICATORS: Schema = object(&[(
    "indicators",
    list(&object(&[
        ("name", TEXT),
        ("component", TEXT),
        ("readonly", FLAG),
        ("states", TEXTS),
        ("links", LINKS),
    ])),
)]);
pub(super) const INDICATOR: Schema = object(&[("state", OPTIONAL_TEXT)]);
pub(super) const TRAITS: Schema = object(&[("traits", TEXTS)]);
pub(super) const VIFS: Schema = object(&[("vifs", list(&object(&[("id", TEXT)])))]);
pub(super) const CHILDREN: Schema = object(&[("children", TEXTS), ("links", MAP)]);
pub(super) const INVENTORY: Schema = object(&[("inventory", MAP), ("plugin_data", MAP)]);
pub(super) const HISTORY_ENTRY: Schema = object(&[
    ("uuid", TEXT),
    ("created_at", TEXT),
    ("severity", OPTIONAL_TEXT),
    ("event_type", OPTIONAL_TEXT),
    ("event", TEXT),
    ("conductor", OPTIONAL_TEXT),
    ("user", OPTIONAL_TEXT),
    ("project", OPTIONAL_TEXT),
    ("state", OPTIONAL_TEXT),
    ("target_provision_state", OPTIONAL_TEXT),
    ("duration_seconds", Schema::of(&[Type::Integer, Type::Null])),
    ("links", LINKS),
]);
pub(super) const HISTORY: Schema = object(&[("history", list(&HISTORY_ENTRY)), ("next", TEXT)]);
pub(super) const VOLUME: Schema =
    object(&[("links", LINKS), ("connectors", LINKS), ("targets", LINKS)]);
pub(super) const SHARDS: Schema = object(&[(
    "shards",
    list(&object(&[("name", TEXT), ("count", NUMBER)])),
)]);
pub(super) const LOOKUP: Schema = object(&[("node", MAP), ("config", MAP)]);
pub(super) const EVENTS: Schema = object(&[
    (
        "events",
        list(&object(&[
            ("cursor", NUMBER),
            ("at", TEXT),
            ("node", TEXT),
            ("node_name", OPTIONAL_TEXT),
            ("kind", TEXT),
            ("text", TEXT),
            ("data", Schema::ANY),
        ])),
    ),
    ("next", NUMBER),
]);
/// An error of the usual form.
pub(super) const FAULT: Schema = object(&[("error_message", TEXT)]);
pub(super) const EVENTS_GONE: Schema = object(&[("error", TEXT), ("oldest", NUMBER)]);

const EXCHANGE: Schema = object(&[
    ("first", TEXT),
    ("last", TEXT),
    ("count", NUMBER),
    ("took_ms", NUMBER),
    ("peer", TEXT),
    ("operation", TEXT),
    ("question", MAP),
    ("answer", MAP),
    ("failure", TEXT),
    ("summary", TEXT),
]);
pub(super) const RECORDING: Schema = object(&[
    (
        "recording",
        object(&[
            ("format", TEXT),
            ("version", NUMBER),
            ("node", TEXT),
            ("driver", TEXT),
            ("at", TEXT),
            ("dropped", NUMBER),
        ]),
    ),
    ("exchanges", list(&EXCHANGE)),
]);
pub(super) const BOOT_LOG: Schema = object(&[
    ("node_uuid", TEXT),
    ("diagnosis", MAP),
    ("events", ANY_OBJECTS),
]);

pub(super) const TIMELINE: Schema = object(&[
    ("node_uuid", TEXT),
    ("at", TEXT),
    ("provision_state", TEXT),
    ("target_provision_state", OPTIONAL_TEXT),
    ("power_state", OPTIONAL_TEXT),
    ("flows", ANY_OBJECTS),
]);
const SEL_ENTRY: Schema = object(&[
    ("id", TEXT),
    ("log", TEXT),
    ("at", OPTIONAL_TEXT),
    ("severity", OPTIONAL_TEXT),
    ("sensor_type", OPTIONAL_TEXT),
    ("sensor", OPTIONAL_TEXT),
    ("text", TEXT),
    ("is_asserted", OPTIONAL_FLAG),
    ("raw", OPTIONAL_TEXT),
]);
pub(super) const SEL: Schema = object(&[
    ("node_uuid", TEXT),
    ("entries", list(&SEL_ENTRY)),
    ("is_cut", FLAG),
    ("has_overflown", OPTIONAL_FLAG),
]);
pub(super) const SENSORS: Schema = object(&[("node_uuid", TEXT), ("sensors", MAP)]);

const WEBHOOK_FIELDS: &[(&str, Schema)] = &[
    ("uuid", TEXT),
    ("description", OPTIONAL_TEXT),
    ("url", TEXT),
    ("verify_ca", Schema::of(&[Type::Boolean, Type::String])),
    ("kinds", list(&TEXT)),
    ("node", OPTIONAL_TEXT),
    ("project", OPTIONAL_TEXT),
    ("enabled", FLAG),
    ("disabled_reason", OPTIONAL_TEXT),
    ("cursor", NUMBER),
    ("failures", NUMBER),
    ("next_attempt", OPTIONAL_TEXT),
    ("last_error", OPTIONAL_TEXT),
    ("last_success", OPTIONAL_TEXT),
    ("sender", OPTIONAL_TEXT),
    ("created_at", TEXT),
    ("updated_at", OPTIONAL_TEXT),
    // Only where it is new.
    ("secret", TEXT),
];
pub(super) const WEBHOOK: Schema = object(WEBHOOK_FIELDS);
pub(super) const WEBHOOKS: Schema = object(&[("webhooks", list(&WEBHOOK))]);
pub(super) const WEBHOOK_TEST: Schema = object(&[
    ("delivered", FLAG),
    ("status", Schema::of(&[Type::Integer, Type::Null])),
    ("error", OPTIONAL_TEXT),
    ("duration_ms", NUMBER),
]);
pub(super) const DEAD_LETTERS: Schema = object(&[(
    "dead_letters",
    list(&object(&[
        ("cursor", NUMBER),
        ("event", MAP),
        ("attempts", NUMBER),
        ("last_error", TEXT),
        ("replay", FLAG),
        ("created_at", TEXT),
    ])),
)]);

const BOOT_VERDICT: Schema = object(&[("boots", TEXT), ("reason", TEXT)]);
const IMAGE_SURVEY: Schema = optional(&[
    ("kind", TEXT),
    ("format", TEXT),
    ("packing", OPTIONAL_TEXT),
    ("disk_size", OPTIONAL_NUMBER),
    ("architectures", TEXTS),
    ("bios", BOOT_VERDICT),
    ("uefi", BOOT_VERDICT),
]);
/// What every answer about an image says, and what only that about one of them does.
const IMAGE_FIELDS: &[(&str, Schema)] = &[
    ("uuid", TEXT),
    ("name", TEXT),
    ("state", TEXT),
    ("url", OPTIONAL_TEXT),
    ("checksum", OPTIONAL_TEXT),
    ("checksum_url", OPTIONAL_TEXT),
    ("sha256", OPTIONAL_TEXT),
    ("size", OPTIONAL_NUMBER),
    ("survey", IMAGE_SURVEY),
    ("fetched_at", OPTIONAL_TEXT),
    ("conductor", OPTIONAL_TEXT),
    ("done_bytes", NUMBER),
    ("total_bytes", OPTIONAL_NUMBER),
    ("last_error", OPTIONAL_TEXT),
    ("created_at", TEXT),
    ("updated_at", OPTIONAL_TEXT),
    ("copies", ANY_OBJECTS),
    ("nodes", TEXTS),
];
pub(super) const IMAGE: Schema = object(IMAGE_FIELDS.split_at(IMAGE_FIELDS.len() - 2).0);
pub(super) const IMAGE_WITH_COPIES: Schema = object(IMAGE_FIELDS);
pub(super) const IMAGES: Schema = object(&[("images", list(&IMAGE))]);
pub(super) const IMAGE_PART: Schema = object(&[("received", NUMBER), ("size", OPTIONAL_NUMBER)]);
pub(super) const NETWORK: Schema = object(&[
    ("name", TEXT),
    ("prefix", TEXT),
    ("vlan", OPTIONAL_NUMBER),
    ("ranges", TEXTS),
    ("gateway", OPTIONAL_TEXT),
    ("dns_servers", TEXTS),
    ("ntp_servers", TEXTS),
    ("domain", OPTIONAL_TEXT),
    ("mtu", OPTIONAL_NUMBER),
    ("relay", OPTIONAL_TEXT),
    ("interface", OPTIONAL_TEXT),
    ("server", OPTIONAL_TEXT),
    ("lease_seconds", NUMBER),
    ("conductor", OPTIONAL_TEXT),
    ("served_by", OPTIONAL_TEXT),
    ("created_at", TEXT),
    ("updated_at", OPTIONAL_TEXT),
]);
pub(super) const NETWORKS: Schema = object(&[("networks", list(&NETWORK))]);
pub(super) const RESERVATION: Schema = object(&[
    ("network", TEXT),
    ("address", TEXT),
    ("mac", TEXT),
    ("created_at", TEXT),
]);
pub(super) const RESERVATIONS: Schema = object(&[
    ("reservations", list(&RESERVATION)),
    ("next", OPTIONAL_TEXT),
]);
const LEASE: Schema = object(&[
    ("address", TEXT),
    ("mac", TEXT),
    ("port_uuid", OPTIONAL_TEXT),
    ("node_uuid", OPTIONAL_TEXT),
    ("node_name", OPTIONAL_TEXT),
    ("ends_at", TEXT),
    ("kind", TEXT),
    ("conductor", TEXT),
]);
pub(super) const LEASES: Schema = object(&[("leases", list(&LEASE)), ("next", OPTIONAL_TEXT)]);
pub(super) const ADDRESSES: Schema = object(&[
    ("node_uuid", TEXT),
    (
        "addresses",
        list(&object(&[("address", TEXT), ("from", TEXT)])),
    ),
]);

const AMOUNT: Schema = Schema::of(&[Type::Number]);
const OPTIONAL_AMOUNT: Schema = Schema::of(&[Type::Number, Type::Null]);
pub(super) const OPTIONAL_NUMBER: Schema = Schema::of(&[Type::Integer, Type::Null]);

pub(super) const fn optional(properties: &'static [(&'static str, Schema)]) -> Schema {
    Schema {
        types: &[Type::Object, Type::Null],
        ..object(properties)
    }
}

const PASS: Schema = object(&[
    ("name", TEXT),
    ("interval_s", AMOUNT),
    ("lag_s", AMOUNT),
    ("is_running", FLAG),
    ("rounds", NUMBER),
    ("last_began", OPTIONAL_TEXT),
    ("last_duration_s", AMOUNT),
    ("last_visited", NUMBER),
    ("last_failed", NUMBER),
]);
const OUTAGE: Schema = object(&[
    ("service", TEXT),
    ("since", TEXT),
    ("since_s", AMOUNT),
    ("last_s", AMOUNT),
    ("error", TEXT),
    ("waiting", NUMBER),
    ("waiting_for", TEXTS),
]);
const STATUS_OF_CONDUCTOR: Schema = object(&[
    ("host", TEXT),
    ("group", TEXT),
    ("drivers", TEXTS),
    ("state", TEXT),
    ("last_seen_s", AMOUNT),
    ("epoch", NUMBER),
    ("nodes", NUMBER),
    ("leases", NUMBER),
    ("version", OPTIONAL_TEXT),
    ("uptime_s", OPTIONAL_AMOUNT),
    ("may_act", OPTIONAL_FLAG),
    ("workers_busy", OPTIONAL_NUMBER),
    ("workers", OPTIONAL_NUMBER),
    ("passes", list(&PASS)),
    ("outages", list(&OUTAGE)),
    ("error", OPTIONAL_TEXT),
]);
const PART_OF_RING: Schema = object(&[
    ("group", TEXT),
    ("driver", TEXT),
    ("nodes", NUMBER),
    (
        "shares",
        list(&object(&[("host", TEXT), ("share", AMOUNT)])),
    ),
]);
const QUIET_LEASE: Schema = optional(&[
    ("node", TEXT),
    ("name", OPTIONAL_TEXT),
    ("conductor", TEXT),
    ("provision_state", TEXT),
    ("quiet_s", AMOUNT),
]);
const PLACE_IN_LOG: Schema = optional(&[("cursor", NUMBER), ("at", TEXT)]);
const STATUS_OF_DATABASE: Schema = object(&[
    ("engine", TEXT),
    ("location", TEXT),
    ("error", OPTIONAL_TEXT),
    ("latency_s", OPTIONAL_AMOUNT),
    ("schema", OPTIONAL_NUMBER),
    ("program_schema", NUMBER),
    ("size_bytes", OPTIONAL_NUMBER),
    ("wal_bytes", OPTIONAL_NUMBER),
    ("oldest_event", PLACE_IN_LOG),
    ("newest_event", PLACE_IN_LOG),
    ("unnumbered_events", OPTIONAL_NUMBER),
]);
pub(super) const STATUS: Schema = object(&[
    ("verdict", TEXT),
    (
        "problems",
        list(&object(&[
            ("severity", TEXT),
            ("code", TEXT),
            ("text", TEXT),
            ("advice", TEXT),
        ])),
    ),
    ("at", TEXT),
    (
        "process",
        object(&[("host", TEXT), ("role", TEXT), ("version", TEXT)]),
    ),
    (
        "nodes",
        optional(&[
            ("count", NUMBER),
            ("failed", NUMBER),
            ("maintenance", NUMBER),
            ("by_state", MAP),
        ]),
    ),
    ("conductors", list(&STATUS_OF_CONDUCTOR)),
    ("ring", list(&PART_OF_RING)),
    (
        "leases",
        optional(&[
            ("count", NUMBER),
            ("orphaned", NUMBER),
            ("quietest", QUIET_LEASE),
        ]),
    ),
    ("database", STATUS_OF_DATABASE),
    (
        "webhooks",
        optional(&[
            ("count", NUMBER),
            ("disabled", NUMBER),
            ("failing", NUMBER),
            ("dead_letters", NUMBER),
        ]),
    ),
]);
