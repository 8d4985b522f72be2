//! The forms of answers about looking after machines: certificates.

use super::small::{MAP, NUMBER, TEXT, list, object};
use crate::schema::Schema;

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
