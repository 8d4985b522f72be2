//! Texts of a named form, as the resources with strict queries and bodies ask for them.

use super::{Format, Pattern, Schema, Type};
use crate::args::is_logical_name;
use types::{id::is_uuid_like, port::MacAddress};

/// A text that counts as a UUID.
pub(crate) const UUID: Schema = Schema {
    types: &[Type::String],
    format: Some(Format {
        name: "uuid",
        test: is_uuid_like,
    }),
    ..Schema::ANY
};

/// What a resource is found by.
pub(crate) const UUID_OR_NAME: Schema = Schema {
    any_of: &[
        UUID,
        Schema {
            types: &[Type::String],
            min_length: 1,
            max_length: 255,
            pattern: Some(Pattern {
                text: r"(?i)^[A-Z0-9-._~]+$",
                test: is_logical_name,
            }),
            ..Schema::ANY
        },
    ],
    ..Schema::ANY
};

/// A MAC address.
pub(crate) const MAC: Schema = Schema {
    types: &[Type::String],
    format: Some(Format {
        name: "mac-address",
        test: |text| text.parse::<MacAddress>().is_ok(),
    }),
    ..Schema::ANY
};

/// As [`UUID`], or nothing.
pub(crate) const OPTIONAL_UUID: Schema = Schema {
    types: &[Type::String, Type::Null],
    ..UUID
};
