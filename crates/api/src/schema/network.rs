//! The shape of a network of the DHCP server in a body.

use super::{Schema, Type};
use types::site_network::NetworkName;

const fn text(max_length: usize) -> Schema {
    Schema {
        min_length: 1,
        max_length,
        ..Schema::of(&[Type::String])
    }
}

const fn text_or_null(max_length: usize) -> Schema {
    Schema {
        min_length: 1,
        max_length,
        ..Schema::of(&[Type::String, Type::Null])
    }
}

const NUMBER_OR_NULL: Schema = Schema {
    minimum: Some(0),
    ..Schema::of(&[Type::Integer, Type::Null])
};

/// An address or a range.
const ITEM: Schema = text(100);

const TEXTS: Schema = Schema {
    types: &[Type::Array],
    items: Some(&ITEM),
    ..Schema::ANY
};

const PROPERTIES: &[(&str, Schema)] = &[
    ("name", text(NetworkName::MOST)),
    ("prefix", text(50)),
    ("vlan", NUMBER_OR_NULL),
    ("ranges", TEXTS),
    ("gateway", text_or_null(50)),
    ("dns_servers", TEXTS),
    ("ntp_servers", TEXTS),
    ("domain", text_or_null(253)),
    ("mtu", NUMBER_OR_NULL),
    ("relay", text_or_null(50)),
    ("interface", text_or_null(15)),
    ("server", text_or_null(50)),
    (
        "lease_seconds",
        Schema {
            minimum: Some(60),
            ..Schema::of(&[Type::Integer])
        },
    ),
    ("conductor", text_or_null(255)),
];

/// A new network.
pub(crate) const NETWORK: Schema = Schema {
    types: &[Type::Object],
    properties: PROPERTIES,
    required: &["name", "prefix"],
    closed: true,
    ..Schema::ANY
};

/// What changes about a network, which keeps its name.
pub(crate) const CHANGES: Schema = Schema {
    types: &[Type::Object],
    properties: PROPERTIES.split_at(1).1,
    closed: true,
    ..Schema::ANY
};

/// An address for a port or a MAC address.
pub(crate) const RESERVATION: Schema = Schema {
    types: &[Type::Object],
    properties: &[("port", text(255)), ("address", text(50))],
    required: &["port", "address"],
    closed: true,
    ..Schema::ANY
};
