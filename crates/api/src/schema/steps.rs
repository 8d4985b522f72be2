//! The shape of the steps of deploy templates and runbooks, which differ in one name only, and what
//! those that a user asks for have in common with them.

use super::{Pattern, Schema, Type};

/// Interfaces that have steps, in the order in which a refusal lists them.
pub(crate) const INTERFACES: &[&str] = &[
    "vendor",
    "power",
    "management",
    "firmware",
    "deploy",
    "bios",
    "raid",
];

const ARGS: Schema = Schema::of(&[Type::Object]);

pub(crate) const INTERFACE: Schema = Schema {
    options: INTERFACES,
    ..Schema::ANY
};

pub(crate) const STEP: Schema = Schema {
    types: &[Type::String],
    min_length: 1,
    ..Schema::ANY
};

/// A whole number that may come as a text.
pub(crate) const RANK: Schema = Schema {
    any_of: &[
        Schema {
            types: &[Type::Integer],
            minimum: Some(0),
            ..Schema::ANY
        },
        Schema {
            types: &[Type::String],
            min_length: 1,
            pattern: Some(Pattern {
                text: "^[0-9]+$",
                test: |text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()),
            }),
            ..Schema::ANY
        },
    ],
    ..Schema::ANY
};

const fn list(items: &'static Schema) -> Schema {
    Schema {
        types: &[Type::Array],
        items: Some(items),
        min_items: 1,
        ..Schema::ANY
    }
}

/// The steps of a deploy template.
pub(crate) const TEMPLATE_STEPS: Schema = list(&Schema {
    types: &[Type::Object],
    properties: &[
        ("args", ARGS),
        ("interface", INTERFACE),
        ("priority", RANK),
        ("step", STEP),
    ],
    required: &["interface", "step", "args", "priority"],
    closed: true,
    ..Schema::ANY
});

/// The steps of a runbook.
pub(crate) const RUNBOOK_STEPS: Schema = list(&Schema {
    types: &[Type::Object],
    properties: &[
        ("args", ARGS),
        ("interface", INTERFACE),
        ("order", RANK),
        ("step", STEP),
    ],
    required: &["interface", "step", "order"],
    closed: true,
    ..Schema::ANY
});
