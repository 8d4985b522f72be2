//! The shape of what a ramdisk found: the little that is needed to tell machines apart.

use super::{Schema, Type};

const ADDRESS: Schema = Schema::of(&[Type::String, Type::Null]);

const INTERFACE: Schema = Schema {
    types: &[Type::Object],
    properties: &[("mac_address", Schema::of(&[Type::String]))],
    required: &["mac_address"],
    required_last: true,
    ..Schema::ANY
};

const INVENTORY: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("bmc_address", ADDRESS),
        ("bmc_v6address", ADDRESS),
        (
            "interfaces",
            Schema {
                types: &[Type::Array],
                items: Some(&INTERFACE),
                min_items: 1,
                ..Schema::ANY
            },
        ),
    ],
    required: &["interfaces"],
    required_last: true,
    ..Schema::ANY
};

/// A body of `continue_inspection`.
pub(crate) const DATA: Schema = Schema {
    types: &[Type::Object],
    properties: &[("inventory", INVENTORY)],
    required: &["inventory"],
    required_last: true,
    ..Schema::ANY
};
