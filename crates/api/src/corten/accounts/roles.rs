//! `/corten/v1/roles`: who has which role where.

use super::{author, groups, holder, member, parsed, place, role_document, users};
use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, account::ROLE},
};
use serde_json::{Value, json};
use store::account::{Changed, role};
use types::account::{Grant, RoleHolder};

const NOT_NAMED: &str = "Name a user or a group, a role, and project or system.";

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenAccountGet, &Target::NONE)?;
    let rows = role::list(&call.state.db).await?;
    let rows: Vec<Value> = rows.iter().map(role_document).collect();
    Ok(Reply::ok(JsonWriter::document(&json!({"roles": rows}))))
}

pub(crate) async fn grant(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &ROLE)?;
    call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
    let body = args::object(body);
    let text = |name: &str| member(&body, name);
    let is_system = body.get("system").and_then(Value::as_bool) == Some(true);
    let (holder, grant) = named(
        (text("user"), text("group")),
        text("role"),
        (text("project"), is_system),
    )?;
    match role::grant(&call.state.db, &holder, &grant, author(&call)).await? {
        Changed::Done | Changed::Already => Ok(Reply::no_content()),
        Changed::Nobody => Err(match &holder {
            RoleHolder::User(user) => users::not_found(user),
            RoleHolder::Group(group) => groups::not_found(group),
        }),
        Changed::TooMany => Err(ApiError::conflict(format!(
            "{holder} has {} roles already.",
            role::MOST
        ))),
    }
}

pub(crate) async fn revoke(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["user", "group", "role", "project", "system"])?;
    let is_system = args.boolean("system")?.unwrap_or(false);
    call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
    let (holder, grant) = named(
        (args.string("user")?, args.string("group")?),
        args.string("role")?,
        (args.string("project")?, is_system),
    )?;
    match role::revoke(&call.state.db, &holder, &grant, author(&call)).await? {
        Changed::Done => Ok(Reply::no_content()),
        _ => Err(ApiError::not_found(format!(
            "{holder} does not have the role {} in {}.",
            grant.role, grant.place
        ))),
    }
}

fn named(
    (user, group): (Option<&str>, Option<&str>),
    role: Option<&str>,
    (project, is_system): (Option<&str>, bool),
) -> Result<(RoleHolder, Grant), ApiError> {
    let (holder, place) = (holder(user, group)?, place(project, is_system)?);
    let (Some(holder), Some(place), Some(role)) = (holder, place, role) else {
        return Err(ApiError::invalid(NOT_NAMED));
    };
    let role = parsed(role)?;
    Ok((holder, Grant { place, role }))
}
