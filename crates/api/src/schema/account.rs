//! The shapes of bodies about local users, groups, roles and tokens.

use super::{Schema, Type};
use crate::auth::passwords::LONGEST_PASSWORD;

const fn text(max_length: usize) -> Schema {
    Schema {
        min_length: 1,
        max_length,
        ..Schema::of(&[Type::String])
    }
}

const FLAG: Schema = Schema::of(&[Type::Boolean]);
const NAME: Schema = text(64);
const DESCRIPTION: Schema = Schema {
    types: &[Type::String, Type::Null],
    max_length: 255,
    ..Schema::ANY
};
const NEW_PASSWORD: Schema = text(LONGEST_PASSWORD);

const fn closed(
    properties: &'static [(&'static str, Schema)],
    required: &'static [&'static str],
) -> Schema {
    Schema {
        types: &[Type::Object],
        properties,
        required,
        closed: true,
        ..Schema::ANY
    }
}

/// A new user; one without a password can only have tokens.
pub(crate) const USER: Schema = closed(
    &[
        ("name", NAME),
        ("description", DESCRIPTION),
        ("password", NEW_PASSWORD),
    ],
    &["name"],
);

pub(crate) const USER_CHANGES: Schema =
    closed(&[("description", DESCRIPTION), ("enabled", FLAG)], &[]);

pub(crate) const PASSWORD: Schema = closed(&[("password", NEW_PASSWORD)], &["password"]);

pub(crate) const GROUP: Schema = closed(&[("name", NAME), ("description", DESCRIPTION)], &["name"]);

/// Of a user or a group, in the system or in a project.
pub(crate) const ROLE: Schema = closed(
    &[
        ("user", NAME),
        ("group", NAME),
        ("role", NAME),
        ("project", text(200)),
        ("system", FLAG),
    ],
    &["role"],
);

/// A new token: without a place it is good for all of its owner's.
pub(crate) const TOKEN: Schema = closed(
    &[
        ("name", NAME),
        ("user", NAME),
        ("role", NAME),
        ("project", text(200)),
        ("system", FLAG),
        (
            "days",
            Schema {
                types: &[Type::Integer, Type::Null],
                minimum: Some(1),
                maximum: Some(3650),
                ..Schema::ANY
            },
        ),
    ],
    &["name"],
);
