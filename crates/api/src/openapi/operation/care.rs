//! The forms of answers about looking after machines: certificates, baselines,
//! reports of tests.

use super::small::{MAP, NUMBER, OPTIONAL_TEXT, TEXT, list, object};
use crate::schema::{Schema, Type};

const SIGNATURE: Schema = object(&[
    ("algorithm", TEXT),
    ("key", TEXT),
    ("public_key", TEXT),
    ("value", TEXT),
]);
pub(super) const CERTIFICATE: Schema = object(&[
    ("number", NUMBER),
    ("certificate", MAP),
    ("signature", SIGNATURE),
]);
pub(super) const CERTIFICATES: Schema = object(&[("certificates", list(&CERTIFICATE))]);
pub(super) const CERTIFICATE_KEYS: Schema = object(&[(
    "keys",
    list(&object(&[
        ("key", TEXT),
        ("algorithm", TEXT),
        ("public_key", TEXT),
        ("pem", TEXT),
    ])),
)]);

pub(super) const BASELINE: Schema = object(&[
    ("resource_class", TEXT),
    ("description", OPTIONAL_TEXT),
    ("firmware", MAP),
    ("bios_settings", MAP),
    ("created_at", TEXT),
    ("updated_at", OPTIONAL_TEXT),
]);
pub(super) const BASELINES: Schema = object(&[("baselines", list(&BASELINE))]);
const DEVIATION: Schema = object(&[
    ("part", TEXT),
    ("name", TEXT),
    ("wanted", TEXT),
    ("found", OPTIONAL_TEXT),
]);
pub(super) const BASELINE_REPORT: Schema = object(&[
    ("resource_class", TEXT),
    (
        "nodes",
        list(&object(&[
            ("node_uuid", TEXT),
            ("node_name", OPTIONAL_TEXT),
            ("verdict", TEXT),
            ("deviations", list(&DEVIATION)),
        ])),
    ),
    ("next", OPTIONAL_TEXT),
]);

const FIGURE: Schema = object(&[("name", TEXT), ("value", NUMBER), ("unit", TEXT)]);
const REPORT: Schema = object(&[
    ("number", NUMBER),
    ("uuid", TEXT),
    ("test", TEXT),
    ("verdict", TEXT),
    ("ended_at", TEXT),
    ("seconds", Schema::of(&[Type::Integer, Type::Null])),
    ("figures", list(&FIGURE)),
    ("error", OPTIONAL_TEXT),
]);
pub(super) const REPORTS: Schema = object(&[
    ("node_uuid", TEXT),
    ("verdict", OPTIONAL_TEXT),
    ("last", list(&REPORT)),
    ("history", list(&REPORT)),
]);
