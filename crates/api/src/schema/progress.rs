//! The shape of what an agent tells about how far it is.

use super::{Pattern, Schema, Type};

const NUMBER: Schema = Schema {
    types: &[Type::Number, Type::Null],
    minimum: Some(0),
    ..Schema::ANY
};

const PRINTABLE: Pattern = Pattern {
    text: "^[^\\p{Cc}]*[^\\p{Cc}\\s][^\\p{Cc}]*$",
    test: |text| !text.trim().is_empty() && !text.chars().any(char::is_control),
};

const fn word(types: &'static [Type]) -> Schema {
    Schema {
        types,
        min_length: 1,
        max_length: 100,
        pattern: Some(PRINTABLE),
        ..Schema::ANY
    }
}

/// A body of `agent/progress`.
pub const PROGRESS: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("phase", word(&[Type::String])),
        ("bytes", NUMBER),
        ("total", NUMBER),
        ("rate", NUMBER),
        ("command", word(&[Type::String, Type::Null])),
    ],
    required: &["phase"],
    closed: true,
    ..Schema::ANY
};
