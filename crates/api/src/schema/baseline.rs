//! The shape of a baseline in a body.

use super::{Schema, Type};

/// Texts under names of the machine's; [`crate::corten::baselines`] looks at each.
const TEXTS: Schema = Schema::of(&[Type::Object]);

pub(crate) const BASELINE: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "description",
            Schema {
                max_length: 255,
                ..Schema::of(&[Type::String, Type::Null])
            },
        ),
        ("firmware", TEXTS),
        ("bios_settings", TEXTS),
    ],
    closed: true,
    ..Schema::ANY
};
