//! The shape of a port in a body, for creation and after a patch.

use super::{Schema, Type};

const fn text(max_length: usize) -> Schema {
    Schema {
        types: &[Type::String, Type::Null],
        max_length,
        ..Schema::ANY
    }
}

const SWITCH: Schema = Schema::of(&[Type::String, Type::Boolean, Type::Null]);

/// Everything that a client may say about a port.
pub(crate) const PORT: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("address", Schema::of(&[Type::String])),
        ("extra", Schema::of(&[Type::Object, Type::Null])),
        ("is_smartnic", SWITCH),
        (
            "local_link_connection",
            Schema::of(&[Type::Null, Type::Object]),
        ),
        ("node_ident", Schema::of(&[Type::String])),
        ("node_uuid", Schema::of(&[Type::String])),
        ("physical_network", text(64)),
        ("portgroup_uuid", text(usize::MAX)),
        ("pxe_enabled", SWITCH),
        ("uuid", text(usize::MAX)),
        ("name", text(usize::MAX)),
        ("description", text(255)),
        ("vendor", text(32)),
        ("category", text(80)),
        (
            "available_for_dynamic_portgroup",
            Schema::of(&[Type::Boolean]),
        ),
    ],
    required: &["address"],
    closed: true,
    one_of: &[
        Schema {
            required: &["node_ident"],
            ..Schema::ANY
        },
        Schema {
            required: &["node_uuid"],
            ..Schema::ANY
        },
    ],
    ..Schema::ANY
};
