//! What is sent to sign in.

use super::{Schema, Type};

const TEXT: Schema = Schema::of(&[Type::String]);

/// All modes together; which fields belong to which is judged by the handler.
pub(crate) const SIGN_IN: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("username", TEXT),
        ("password", TEXT),
        ("user_domain", TEXT),
        ("project", TEXT),
        ("project_domain", TEXT),
        ("system", Schema::of(&[Type::Boolean])),
        ("token", TEXT),
        (
            "application_credential",
            Schema {
                types: &[Type::Object],
                properties: &[("id", TEXT), ("secret", TEXT)],
                required: &["id", "secret"],
                closed: true,
                ..Schema::ANY
            },
        ),
    ],
    closed: true,
    ..Schema::ANY
};
