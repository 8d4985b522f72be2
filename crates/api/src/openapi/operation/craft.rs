//! The forms of answers for whoever writes recipes, and of what conductors hold and serve.

use super::small::{
    FLAG, MAP, NUMBER, OPTIONAL_FLAG, OPTIONAL_NUMBER, OPTIONAL_TEXT, TEXT, list, object, optional,
};
use crate::{openapi::shape::TEXTS, schema::Schema};

const STEP_ARGUMENT: Schema = object(&[("name", TEXT), ("description", TEXT), ("required", FLAG)]);
pub(super) const STEPS: Schema = object(&[
    ("drivers", TEXTS),
    (
        "steps",
        list(&object(&[
            ("kind", TEXT),
            ("interface", TEXT),
            ("step", TEXT),
            ("implementation", TEXT),
            ("priority", NUMBER),
            ("abortable", FLAG),
            ("requires_ramdisk", FLAG),
            ("args", list(&STEP_ARGUMENT)),
            ("drivers", TEXTS),
            ("default_in", TEXTS),
        ])),
    ),
]);

const OPERATOR: Schema = object(&[
    ("op", TEXT),
    ("required", TEXTS),
    ("optional", TEXTS),
    ("about", TEXT),
]);
pub(super) const OPERATORS: Schema = object(&[
    ("conditions", list(&OPERATOR)),
    ("actions", list(&OPERATOR)),
]);

const CHANGES: Schema = list(&object(&[
    ("subject", TEXT),
    ("path", TEXT),
    ("before", Schema::ANY),
    ("after", Schema::ANY),
]));
const CONDITION: Schema = object(&[
    ("op", TEXT),
    ("holds", OPTIONAL_FLAG),
    ("seen", super::small::ANY_OBJECTS),
    ("error", OPTIONAL_TEXT),
]);
const ACTION: Schema = object(&[
    ("op", TEXT),
    ("done", FLAG),
    ("effects", TEXTS),
    ("changes", CHANGES),
    ("error", OPTIONAL_TEXT),
]);
pub(super) const TRIAL: Schema = object(&[
    ("node", TEXT),
    ("name", OPTIONAL_TEXT),
    (
        "rules",
        list(&object(&[
            ("uuid", OPTIONAL_TEXT),
            ("description", OPTIONAL_TEXT),
            ("priority", NUMBER),
            ("sensitive", FLAG),
            ("conditions", list(&CONDITION)),
            ("applies", FLAG),
            ("actions", list(&ACTION)),
            ("error", OPTIONAL_TEXT),
        ])),
    ),
    ("changes", CHANGES),
    ("error", OPTIONAL_TEXT),
]);

pub(super) const CONFIG: Schema = object(&[
    ("host", TEXT),
    ("role", TEXT),
    ("version", TEXT),
    (
        "options",
        list(&object(&[
            ("section", TEXT),
            ("name", TEXT),
            ("values", TEXTS),
            ("is_masked", FLAG),
            ("is_set", FLAG),
            ("source", TEXT),
            ("default", OPTIONAL_TEXT),
            ("about", TEXT),
            ("effect", OPTIONAL_TEXT),
        ])),
    ),
]);

const DIFFERENCES: Schema = list(&object(&[
    ("at", TEXT),
    ("method", TEXT),
    ("path", TEXT),
    ("version", OPTIONAL_TEXT),
    ("place", TEXT),
    ("ironic", OPTIONAL_TEXT),
    ("here", OPTIONAL_TEXT),
]));
const IMPORTS: Schema = object(&[
    ("imports", NUMBER),
    ("unchanged", NUMBER),
    ("failed", NUMBER),
    ("last_error", OPTIONAL_TEXT),
    ("last_at", OPTIONAL_TEXT),
    ("last_ms", NUMBER),
    ("nodes", NUMBER),
    ("findings", NUMBER),
]);
const LOAD: Schema = object(&[
    ("statements", NUMBER),
    ("statements_ms", NUMBER),
    ("requests", NUMBER),
    ("requests_ms", NUMBER),
]);
pub(super) const SHADOW: Schema = object(&[(
    "shadow",
    optional(&[
        ("ironic", TEXT),
        ("source", TEXT),
        ("proxy", OPTIONAL_TEXT),
        ("release", TEXT),
        ("since", TEXT),
        ("compared", NUMBER),
        ("same", NUMBER),
        ("newer", NUMBER),
        ("explained", NUMBER),
        ("differ", NUMBER),
        ("pending", NUMBER),
        ("not_compared", MAP),
        ("reasons", MAP),
        ("differences", DIFFERENCES),
        ("import", IMPORTS),
        ("load", LOAD),
    ]),
)]);

const COPY: Schema = object(&[
    ("file", TEXT),
    ("source", OPTIONAL_TEXT),
    ("bytes", NUMBER),
    ("fetched_at", OPTIONAL_TEXT),
    ("used_at", OPTIONAL_TEXT),
    ("users", NUMBER),
]);
const DOWNLOAD: Schema = object(&[
    ("source", TEXT),
    ("since", TEXT),
    ("bytes", NUMBER),
    ("total", OPTIONAL_NUMBER),
]);
const CACHE: Schema = object(&[
    ("purpose", TEXT),
    ("folder", TEXT),
    ("bytes", NUMBER),
    ("most_bytes", NUMBER),
    ("ttl_s", NUMBER),
    ("free_bytes", OPTIONAL_NUMBER),
    ("files", NUMBER),
    ("copies", list(&COPY)),
    ("downloads", list(&DOWNLOAD)),
]);
pub(super) const IMAGE_CACHES: Schema = object(&[
    ("at", TEXT),
    (
        "conductors",
        list(&object(&[
            ("host", TEXT),
            ("error", OPTIONAL_TEXT),
            ("caches", list(&CACHE)),
        ])),
    ),
]);

const NETWORK: Schema = object(&[
    ("network", TEXT),
    ("interface", OPTIONAL_TEXT),
    ("first", OPTIONAL_TEXT),
    ("last", OPTIONAL_TEXT),
    ("size", NUMBER),
    ("used", NUMBER),
    ("lease_seconds", NUMBER),
]);
const LEASE: Schema = object(&[
    ("address", TEXT),
    ("mac", TEXT),
    ("until", TEXT),
    ("used", TEXT),
    ("node", OPTIONAL_TEXT),
    ("name", OPTIONAL_TEXT),
]);
const PUBLISHED: Schema = object(&[
    ("node", TEXT),
    ("name", OPTIONAL_TEXT),
    ("macs", TEXTS),
    ("way", TEXT),
    ("mode", TEXT),
    ("starts", TEXT),
    ("files", list(&object(&[("name", TEXT), ("source", TEXT)]))),
]);
pub(super) const BOOT: Schema = object(&[
    ("at", TEXT),
    (
        "conductors",
        list(&object(&[
            ("host", TEXT),
            ("error", OPTIONAL_TEXT),
            (
                "services",
                list(&object(&[
                    ("name", TEXT),
                    ("addresses", TEXTS),
                    ("detail", TEXT),
                ])),
            ),
            ("networks", list(&NETWORK)),
            ("leases_total", NUMBER),
            ("leases", list(&LEASE)),
            ("published_total", NUMBER),
            ("published", list(&PUBLISHED)),
        ])),
    ),
]);
