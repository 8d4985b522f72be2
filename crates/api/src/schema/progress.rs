//! The shape of what an agent tells about how far it is.

use super::{Pattern, Schema, Type};

const NUMBER: Schema = Schema {
    types: &[Type::Number, Type::Null],
    minimum: Some(0),
    ..Schema::ANY
};

const fn word(types: &'static [Type], min_length: usize) -> Schema {
    Schema {
        types,
        min_length,
        max_length: 100,
        pattern: Some(Pattern {
            text: "^[^\\x00-\\x1f\\x7f-\\x9f]*$",
            test: |text| !text.chars().any(char::is_control),
        }),
        ..Schema::ANY
    }
}

/// A body of `agent/progress`.
pub(crate) const PROGRESS: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("phase", word(&[Type::String], 1)),
        ("bytes", NUMBER),
        ("total", NUMBER),
        ("rate", NUMBER),
        // Empty before the first one.
        ("command", word(&[Type::String, Type::Null], 0)),
    ],
    required: &["phase"],
    closed: true,
    ..Schema::ANY
};
