//! The forms of answers about local users, groups, roles and tokens.

use super::small::{FLAG, NUMBER, OPTIONAL_TEXT, TEXT, list, object};
use crate::{openapi::shape::TEXTS, schema::Schema};

const GRANT: Schema = object(&[("role", TEXT), ("place", TEXT)]);

const USER_FIELDS: &[(&str, Schema)] = &[
    ("name", TEXT),
    ("description", OPTIONAL_TEXT),
    ("enabled", FLAG),
    ("has_password", FLAG),
    ("password_changed_at", OPTIONAL_TEXT),
    ("created_at", TEXT),
    ("updated_at", OPTIONAL_TEXT),
    ("groups", TEXTS),
    ("roles", list(&GRANT)),
];
pub(super) const USER: Schema = object(USER_FIELDS.split_at(USER_FIELDS.len() - 2).0);
pub(super) const USER_WITH_ROLES: Schema = object(USER_FIELDS);
pub(super) const USERS: Schema = object(&[("users", list(&USER))]);

const GROUP_FIELDS: &[(&str, Schema)] = &[
    ("name", TEXT),
    ("description", OPTIONAL_TEXT),
    ("created_at", TEXT),
    ("members", TEXTS),
    ("roles", list(&GRANT)),
];
pub(super) const GROUP: Schema = object(GROUP_FIELDS.split_at(GROUP_FIELDS.len() - 2).0);
pub(super) const GROUP_WITH_ROLES: Schema = object(GROUP_FIELDS);
pub(super) const GROUPS: Schema = object(&[("groups", list(&GROUP))]);

const ROLE: Schema = object(&[
    ("user", OPTIONAL_TEXT),
    ("group", OPTIONAL_TEXT),
    ("role", TEXT),
    ("project", OPTIONAL_TEXT),
    ("system", FLAG),
    ("created_at", TEXT),
]);
pub(super) const ROLES: Schema = object(&[("roles", list(&ROLE))]);

const TOKEN_FIELDS: &[(&str, Schema)] = &[
    ("uuid", TEXT),
    ("user", TEXT),
    ("name", TEXT),
    ("project", OPTIONAL_TEXT),
    ("system", FLAG),
    ("role", OPTIONAL_TEXT),
    ("created_at", TEXT),
    ("expires_at", OPTIONAL_TEXT),
    ("last_used_at", OPTIONAL_TEXT),
    ("token", TEXT),
];
const TOKEN: Schema = object(TOKEN_FIELDS.split_at(TOKEN_FIELDS.len() - 1).0);
pub(super) const NEW_TOKEN: Schema = object(TOKEN_FIELDS);
pub(super) const TOKENS: Schema = object(&[("tokens", list(&TOKEN))]);

const CHANGE: Schema = object(&[
    ("id", NUMBER),
    ("at", TEXT),
    ("kind", TEXT),
    ("subject", TEXT),
    ("text", TEXT),
    ("actor", OPTIONAL_TEXT),
    ("request_id", OPTIONAL_TEXT),
]);
pub(super) const CHANGES: Schema = object(&[("account_changes", list(&CHANGE))]);
