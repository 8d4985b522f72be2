//! The shape of a webhook in a body.

use super::{Schema, Type};

const TEXT: Schema = Schema::of(&[Type::String]);

/// The kinds of events.
const KINDS: &[&str] = &[
    "created",
    "updated",
    "deleted",
    "provision",
    "power",
    "step",
    "error",
    "warning",
    "maintenance",
    "console",
    "resumed",
    "batch",
];

/// A text of so many characters, or nothing.
const fn text_or_null(min_length: usize, max_length: usize) -> Schema {
    Schema {
        types: &[Type::String, Type::Null],
        min_length,
        max_length,
        ..Schema::ANY
    }
}

const PROPERTIES: &[(&str, Schema)] = &[
    (
        "url",
        Schema {
            min_length: 1,
            max_length: 2048,
            ..TEXT
        },
    ),
    ("description", text_or_null(0, 255)),
    ("secret", text_or_null(16, 255)),
    ("verify_ca", Schema::of(&[Type::Boolean, Type::String])),
    (
        "kinds",
        Schema {
            types: &[Type::Array],
            items: Some(&Schema {
                options: KINDS,
                ..TEXT
            }),
            ..Schema::ANY
        },
    ),
    ("node", text_or_null(1, 255)),
    ("project", text_or_null(1, 255)),
    ("enabled", Schema::of(&[Type::Boolean])),
    (
        "after",
        Schema {
            minimum: Some(0),
            ..Schema::of(&[Type::Integer])
        },
    ),
];

/// A new webhook.
pub(crate) const WEBHOOK: Schema = Schema {
    types: &[Type::Object],
    properties: PROPERTIES,
    required: &["url"],
    closed: true,
    ..Schema::ANY
};

/// What is to be changed about one: `after` is said by a replay.
pub(crate) const CHANGES: Schema = Schema {
    types: &[Type::Object],
    properties: PROPERTIES.split_at(PROPERTIES.len() - 1).0,
    closed: true,
    ..Schema::ANY
};

/// What is to be delivered again.
pub(crate) const REPLAY: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "dead_letter",
            Schema {
                minimum: Some(0),
                ..Schema::of(&[Type::Integer])
            },
        ),
        ("dead_letters", Schema::of(&[Type::Boolean])),
        (
            "after",
            Schema {
                minimum: Some(0),
                ..Schema::of(&[Type::Integer])
            },
        ),
    ],
    closed: true,
    ..Schema::ANY
};

#[cfg(test)]
mod tests {
    use types::event::EventKind;

    #[test]
    fn kinds_are_those_of_the_log() {
        let all: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(super::KINDS, all);
    }
}
