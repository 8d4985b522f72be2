//! The shape of a batch in a body.

use super::{Schema, Type};

/// The most nodes of a batch.
pub(crate) const MOST_NODES: usize = 100_000;
/// The most nodes that a batch works on at a time.
pub(crate) const MOST_AT_ONCE: i64 = 500;
/// The most waves that a batch can be asked to have.
pub(crate) const MOST_WAVES: usize = 100;

const fn text(max_length: usize) -> Schema {
    Schema {
        min_length: 1,
        max_length,
        ..Schema::of(&[Type::String])
    }
}

const COUNT: Schema = Schema {
    minimum: Some(0),
    ..Schema::of(&[Type::Integer, Type::Null])
};

/// A new batch.
pub(crate) const BATCH: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "action",
            Schema {
                options: &["provision", "power", "maintenance"],
                ..Schema::of(&[Type::String])
            },
        ),
        ("arguments", Schema::of(&[Type::Object])),
        ("query", text(2000)),
        (
            "nodes",
            Schema {
                items: Some(&text(255)),
                min_items: 1,
                ..Schema::of(&[Type::Array])
            },
        ),
        (
            "waves",
            Schema {
                items: Some(&Schema::of(&[Type::Integer, Type::String])),
                min_items: 1,
                ..Schema::of(&[Type::Array])
            },
        ),
        (
            "at_once",
            Schema {
                minimum: Some(1),
                maximum: Some(MOST_AT_ONCE),
                ..Schema::of(&[Type::Integer])
            },
        ),
        ("max_failures", COUNT),
        (
            "description",
            Schema {
                max_length: 255,
                ..Schema::of(&[Type::String, Type::Null])
            },
        ),
    ],
    required: &["action", "arguments"],
    closed: true,
    ..Schema::ANY
};
