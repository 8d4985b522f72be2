//! `/corten/v1/groups`.

use super::{author, grant_document, member, parsed, users};
use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, account::GROUP},
};
use serde_json::{Value, json};
use store::{
    StoreError,
    account::{Added, Changed, group, role},
};
use types::account::{GroupName, LocalGroup, RoleHolder, UserName};

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenAccountGet, &Target::NONE)?;
    let groups = group::list(&call.state.db).await?;
    let groups: Vec<Value> = groups.iter().map(document).collect();
    Ok(Reply::ok(JsonWriter::document(&json!({"groups": groups}))))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenAccountGet, &Target::NONE)?;
    let (name, db) = (named(&call)?, &call.state.db);
    let found = group::find(db, &name).await?;
    let found = found.ok_or_else(|| not_found(&name))?;
    let mut shown = document(&found);
    shown["members"] = json!(group::members(db, &name).await?);
    let grants = role::of(db, &RoleHolder::Group(name)).await?;
    shown["roles"] = grants.iter().map(grant_document).collect();
    Ok(Reply::ok(JsonWriter::document(&shown)))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &GROUP)?;
    call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
    let body = args::object(body);
    let name: GroupName = parsed(member(&body, "name").unwrap_or_default())?;
    let description = member(&body, "description").map(str::to_owned);
    let db = &call.state.db;
    match group::insert(db, &name, description, author(&call)).await? {
        Added::Done => {}
        Added::Taken => {
            return Err(ApiError::conflict(format!(
                "There is a group {name} already."
            )));
        }
        Added::TooMany => {
            let text = format!("There are {} groups already.", group::MOST);
            return Err(ApiError::conflict(text));
        }
    }
    let made = group::find(db, &name).await?;
    let made = made.ok_or_else(|| not_found(&name))?;
    let location = format!("{}/corten/v1/groups/{name}", call.ctx.base);
    Ok(Reply::created(
        JsonWriter::document(&document(&made)),
        location,
    ))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
    let name = named(&call)?;
    match group::delete(&call.state.db, &name, author(&call)).await {
        Err(StoreError::NotFound) => Err(not_found(&name)),
        other => Ok(other.map(|()| Reply::no_content())?),
    }
}

pub(crate) async fn add_member(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
    let (group, user) = (named(&call)?, user(&call)?);
    match group::add_member(&call.state.db, &group, &user, author(&call)).await? {
        Changed::Done | Changed::Already => Ok(Reply::no_content()),
        Changed::Nobody => Err(nobody(&call, &group, &user).await?),
        Changed::TooMany => Err(ApiError::conflict(format!(
            "User {user} is in {} groups already.",
            group::MOST_OF_USER
        ))),
    }
}

pub(crate) async fn remove_member(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
    let (group, user) = (named(&call)?, user(&call)?);
    match group::remove_member(&call.state.db, &group, &user, author(&call)).await? {
        Changed::Done => Ok(Reply::no_content()),
        _ => Err(ApiError::not_found(format!(
            "User {user} is not in group {group}."
        ))),
    }
}

/// Which of the two is not there.
async fn nobody(call: &Call, group: &GroupName, user: &UserName) -> Result<ApiError, ApiError> {
    Ok(match group::find(&call.state.db, group).await? {
        Some(_) => users::not_found(user),
        None => not_found(group),
    })
}

fn named(call: &Call) -> Result<GroupName, ApiError> {
    parsed(call.param("group"))
}

fn user(call: &Call) -> Result<UserName, ApiError> {
    parsed(call.param("user"))
}

pub(super) fn not_found(name: &GroupName) -> ApiError {
    ApiError::not_found(format!("Group {name} could not be found."))
}

fn document(group: &LocalGroup) -> Value {
    json!({
        "name": group.name,
        "description": group.description,
        "created_at": group.created_at.to_string(),
    })
}
