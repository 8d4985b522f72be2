//! The shape of a port group in a body, for creation and after a patch, and of the query of a list.

use super::{
    Pattern, Schema, Type,
    format::{MAC, UUID},
};
use crate::args::is_logical_name;

const fn text(max_length: usize) -> Schema {
    Schema {
        types: &[Type::String, Type::Null],
        max_length,
        ..Schema::ANY
    }
}

const OBJECT: Schema = Schema::of(&[Type::Object, Type::Null]);

/// Everything that a client may say about a port group.
pub(crate) const PORTGROUP: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("address", text(usize::MAX)),
        ("category", text(80)),
        ("extra", OBJECT),
        ("mode", text(usize::MAX)),
        ("name", text(usize::MAX)),
        ("node_uuid", Schema::of(&[Type::String])),
        ("physical_network", text(64)),
        ("properties", OBJECT),
        (
            "standalone_ports_supported",
            Schema::of(&[Type::String, Type::Boolean, Type::Null]),
        ),
        ("uuid", text(usize::MAX)),
    ],
    required: &["node_uuid"],
    closed: true,
    ..Schema::ANY
};

/// The filters of a list.
pub(crate) const QUERY: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "node",
            Schema {
                any_of: &[
                    UUID,
                    Schema {
                        types: &[Type::String],
                        pattern: Some(Pattern {
                            text: "^[a-zA-Z0-9-._~]+$",
                            test: is_logical_name,
                        }),
                        ..Schema::ANY
                    },
                ],
                ..Schema::ANY
            },
        ),
        ("address", MAC),
        ("marker", UUID),
    ],
    ..Schema::ANY
};
