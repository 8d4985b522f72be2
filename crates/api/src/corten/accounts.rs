//! `/corten/v1/users`, `groups`, `roles` and `tokens`: people and scripts that the service itself
//! knows, without Keystone.
//!
//! Administrators of the system look after them; everybody may change the own password and look
//! after the own tokens. A caller with a token may do neither of the last two: a token could have
//! itself replaced by one that lasts longer or is good for more.

pub(crate) mod changes;
pub(crate) mod groups;
pub(crate) mod roles;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;
pub(crate) mod users;

use crate::{
    auth::{Auth, AuthRefusal, Proof, passwords::LONGEST_PASSWORD},
    call::Call,
    error::ApiError,
    policy::{Rule, Target},
};
use serde_json::{Value, json};
use std::{fmt::Display, str::FromStr};
use store::account::Author;
use types::{
    JsonMap,
    account::{Grant, PasswordHash, RoleHolder, RoleRow, RoleScope, UserName},
};

/// Who makes a change, for its log.
fn author(call: &Call) -> Author {
    let caller = &call.ctx.caller;
    Author {
        name: caller.user.clone(),
        request_id: Some(caller.request_id.clone()),
    }
}

/// A value of a path, an argument or a body, in its own form.
fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, ApiError> {
    text.parse()
        .map_err(|error: T::Err| ApiError::invalid(error.to_string()))
}

fn member<'b>(body: &'b JsonMap, name: &str) -> Option<&'b str> {
    body.get(name).and_then(Value::as_str)
}

/// The local user who asks; nobody where users are known by others.
pub(super) fn own_name(call: &Call) -> Option<UserName> {
    let is_local = matches!(call.state.settings.auth, Auth::Local(_));
    let name = call.ctx.caller.user.as_deref()?;
    name.parse().ok().filter(|_| is_local)
}

fn is_own(call: &Call, user: &UserName) -> bool {
    own_name(call).as_ref() == Some(user)
}

/// 403 unless the caller may change what belongs to this user: an administrator may, and the user
/// with a password.
fn permit_change_of(call: &Call, user: &UserName) -> Result<(), ApiError> {
    if is_own(call, user) && call.ctx.proof == Proof::Password {
        return Ok(());
    }
    Ok(call.permit(Rule::CortenAccountUpdate, &Target::NONE)?)
}

/// The place that is named by `project` or `system`.
fn place(project: Option<&str>, is_system: bool) -> Result<Option<RoleScope>, ApiError> {
    match (project, is_system) {
        (Some(_), true) => Err(ApiError::invalid("Name one of project and system.")),
        (Some(project), false) => Ok(Some(RoleScope::Project(parsed(project)?))),
        (None, true) => Ok(Some(RoleScope::System)),
        (None, false) => Ok(None),
    }
}

fn holder(user: Option<&str>, group: Option<&str>) -> Result<Option<RoleHolder>, ApiError> {
    match (user, group) {
        (Some(_), Some(_)) => Err(ApiError::invalid("Name one of user and group.")),
        (Some(user), None) => Ok(Some(RoleHolder::User(parsed(user)?))),
        (None, Some(group)) => Ok(Some(RoleHolder::Group(parsed(group)?))),
        (None, None) => Ok(None),
    }
}

/// The hash of a new password.
async fn hashed(call: &Call, password: &str) -> Result<PasswordHash, ApiError> {
    if password.len() > LONGEST_PASSWORD {
        return Err(ApiError::invalid(format!(
            "The password has more than {LONGEST_PASSWORD} bytes, which is all that bcrypt looks at."
        )));
    }
    if password.contains('\0') {
        return Err(ApiError::invalid("The password has a NUL character in it."));
    }
    let passwords = &crate::auth::passwords::PASSWORDS;
    let hashed = passwords.hash(&call.address, password.to_owned()).await;
    hashed.map_err(|refusal| match refusal {
        AuthRefusal::Busy => ApiError::busy("Too many passwords are being verified."),
        other => ApiError::internal(other.to_string()),
    })
}

fn grant_document(grant: &Grant) -> Value {
    json!({"role": grant.role, "place": grant.place.to_string()})
}

fn role_document(row: &RoleRow) -> Value {
    let (user, group) = match &row.holder {
        RoleHolder::User(name) => (Some(name.as_str()), None),
        RoleHolder::Group(name) => (None, Some(name.as_str())),
    };
    let project = match &row.grant.place {
        RoleScope::System => None,
        RoleScope::Project(project) => Some(project.as_str()),
    };
    json!({
        "user": user,
        "group": group,
        "role": row.grant.role,
        "project": project,
        "system": row.grant.place == RoleScope::System,
        "created_at": row.created_at.to_string(),
    })
}
