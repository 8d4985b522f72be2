//! `/corten/v1/tokens`: what scripts show in place of a password.

use super::{author, is_own, member, own_name, parsed, permit_change_of, place, users};
use crate::{
    args,
    auth::local::{place::credentials, secret},
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, account::TOKEN},
};
use serde_json::{Value, json};
use store::{
    StoreError,
    account::{self, Added, token},
};
use types::{
    AccessTokenId, Timestamp,
    account::{AccessToken, Grant, RoleName, RoleScope, UserName},
    id::canonical,
};

/// How long a token lasts that names no end, in days.
const USUAL_DAYS: i64 = 90;
const DAY: i64 = 24 * 3600;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["user", "all"])?;
    let (user, all) = (args.string("user")?, args.boolean("all")?);
    let user = match (user, all.unwrap_or(false)) {
        (_, true) => None,
        (Some(user), false) => Some(parsed::<UserName>(user)?),
        (None, false) => own_name(&call),
    };
    if !user.as_ref().is_some_and(|user| is_own(&call, user)) {
        call.permit(Rule::CortenAccountGet, &Target::NONE)?;
    }
    let tokens = token::list(&call.state.db, user.as_ref()).await?;
    let tokens: Vec<Value> = tokens.iter().map(document).collect();
    Ok(Reply::ok(JsonWriter::document(&json!({"tokens": tokens}))))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &TOKEN)?;
    let body = args::object(body);
    let text = |name: &str| member(&body, name);
    let user = match text("user") {
        Some(user) => Some(parsed::<UserName>(user)?),
        None => own_name(&call),
    };
    let Some(user) = user else {
        call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
        return Err(ApiError::invalid("Name the user whose token it is to be."));
    };
    permit_change_of(&call, &user)?;
    let is_system = body.get("system").and_then(Value::as_bool) == Some(true);
    let days = match body.get("days") {
        None => Some(USUAL_DAYS),
        Some(days) => days.as_i64(),
    };
    let now = Timestamp::now();
    let new = AccessToken {
        id: AccessTokenId::generate(),
        user,
        name: parsed(text("name").unwrap_or_default())?,
        place: place(text("project"), is_system)?,
        role: text("role").map(parsed).transpose()?,
        created_at: now,
        expires_at: days.map(|days| now.plus_seconds(days * DAY)),
        last_used_at: None,
    };
    let db = &call.state.db;
    let Some(owner) = account::standing(db, &new.user).await? else {
        return Err(users::not_found(&new.user));
    };
    check_reach(
        &new.user,
        &owner.grants,
        new.place.as_ref(),
        new.role.as_ref(),
    )?;
    let secret = secret::generate().map_err(|error| ApiError::internal(error.to_string()))?;
    let hash = secret::hash(secret.as_bytes());
    match token::insert(db, new.clone(), hash, author(&call)).await {
        Ok(Added::Done) => {}
        Ok(Added::Taken) => {
            return Err(ApiError::conflict(format!(
                "User {} has a token {} already.",
                new.user, new.name
            )));
        }
        Ok(Added::TooMany) => {
            return Err(ApiError::conflict(format!(
                "User {} has {} tokens already.",
                new.user,
                token::MOST_OF_USER
            )));
        }
        Err(StoreError::NotFound) => return Err(users::not_found(&new.user)),
        Err(other) => return Err(other.into()),
    }
    let mut shown = document(&new);
    shown["token"] = secret.into();
    let location = format!("{}/corten/v1/tokens/{}", call.ctx.base, new.id);
    Ok(Reply::created(JsonWriter::document(&shown), location))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let ident = call.param("token");
    let found = match canonical::<AccessTokenId>(ident) {
        Some(id) => token::find(&call.state.db, id).await?,
        None => None,
    };
    // Others learn nothing of which tokens there are.
    match &found {
        Some(found) => permit_change_of(&call, &found.user)?,
        None => call.permit(Rule::CortenAccountUpdate, &Target::NONE)?,
    }
    let not_found = || ApiError::not_found(format!("Token {ident} could not be found."));
    let found = found.ok_or_else(not_found)?;
    match token::delete(&call.state.db, &found, author(&call)).await {
        Err(StoreError::NotFound) => Err(not_found()),
        other => Ok(other.map(|()| Reply::no_content())?),
    }
}

/// Refuses a token that would be of no use: its owner has nothing to do with the place, or not that
/// role. What it is good for is found anew whenever it is used.
fn check_reach(
    user: &UserName,
    grants: &[Grant],
    place: Option<&RoleScope>,
    role: Option<&RoleName>,
) -> Result<(), ApiError> {
    let has_role = |place: &RoleScope| {
        let reached = credentials(user.as_str(), grants, Some(place), None);
        let roles = reached.map(|reached| reached.roles).unwrap_or_default();
        match role {
            Some(role) => roles.contains(&role.as_str().to_lowercase()),
            None => !roles.is_empty(),
        }
    };
    let is_of_use = match place {
        Some(place) => has_role(place),
        None => role.is_none() || grants.iter().any(|grant| has_role(&grant.place)),
    };
    if is_of_use {
        return Ok(());
    }
    let role = role.map_or("no role".to_owned(), |role| format!("not the role {role}"));
    let place = place.map_or("anywhere".to_owned(), |place| format!("in {place}"));
    Err(ApiError::invalid(format!(
        "User {user} has {role} {place}, so the token would be of no use."
    )))
}

fn document(token: &AccessToken) -> Value {
    let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let project = match &token.place {
        Some(RoleScope::Project(project)) => Some(project.as_str()),
        _ => None,
    };
    json!({
        "uuid": token.id,
        "user": token.user,
        "name": token.name,
        "project": project,
        "system": token.place == Some(RoleScope::System),
        "role": token.role,
        "created_at": token.created_at.to_string(),
        "expires_at": time(token.expires_at),
        "last_used_at": time(token.last_used_at),
    })
}
