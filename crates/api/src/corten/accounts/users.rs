//! `/corten/v1/users`.

use super::{author, grant_document, hashed, is_own, member, parsed, permit_change_of};
use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    schema::{
        self,
        account::{PASSWORD, USER, USER_CHANGES},
    },
};
use serde_json::{Value, json};
use store::{
    StoreError,
    account::{
        self, Added, group,
        user::{self, NewUser, UserChange},
    },
};
use types::account::{LocalUser, UserName};

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenAccountGet, &Target::NONE)?;
    let users = user::list(&call.state.db).await?;
    let users: Vec<Value> = users.iter().map(document).collect();
    Ok(Reply::ok(JsonWriter::document(&json!({"users": users}))))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let name = named(&call)?;
    if !is_own(&call, &name) {
        call.permit(Rule::CortenAccountGet, &Target::NONE)?;
    }
    let db = &call.state.db;
    let found = user::find(db, &name).await?;
    let found = found.ok_or_else(|| not_found(&name))?;
    let standing = account::standing(db, &name).await?;
    let groups = group::of(db, &name).await?;
    let mut shown = document(&found);
    shown["groups"] = json!(groups);
    let grants = standing.map(|standing| standing.grants).unwrap_or_default();
    shown["roles"] = grants.iter().map(grant_document).collect();
    Ok(Reply::ok(JsonWriter::document(&shown)))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &USER)?;
    call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
    let body = args::object(body);
    let name: UserName = parsed(member(&body, "name").unwrap_or_default())?;
    let password = match member(&body, "password") {
        Some(password) => Some(hashed(&call, password).await?),
        None => None,
    };
    let new = NewUser {
        name: name.clone(),
        description: member(&body, "description").map(str::to_owned),
        password,
    };
    let db = &call.state.db;
    match user::insert(db, new, author(&call)).await? {
        Added::Done => {}
        Added::Taken => {
            return Err(ApiError::conflict(format!(
                "There is a user {name} already."
            )));
        }
        Added::TooMany => {
            let text = format!("There are {} users already.", user::MOST);
            return Err(ApiError::conflict(text));
        }
    }
    let made = user::find(db, &name).await?;
    let made = made.ok_or_else(|| not_found(&name))?;
    let location = format!("{}/corten/v1/users/{name}", call.ctx.base);
    Ok(Reply::created(
        JsonWriter::document(&document(&made)),
        location,
    ))
}

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &USER_CHANGES)?;
    call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
    let (name, body) = (named(&call)?, args::object(body));
    let change = UserChange {
        description: body
            .get("description")
            .map(|text| text.as_str().map(str::to_owned)),
        enabled: body.get("enabled").and_then(Value::as_bool),
    };
    let changed = user::update(&call.state.db, &name, change, author(&call)).await;
    let changed = changed.map_err(|error| absent(error, &name))?;
    Ok(Reply::ok(JsonWriter::document(&document(&changed))))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenAccountUpdate, &Target::NONE)?;
    let name = named(&call)?;
    let deleted = user::delete(&call.state.db, &name, author(&call)).await;
    deleted.map_err(|error| absent(error, &name))?;
    Ok(Reply::no_content())
}

pub(crate) async fn set_password(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &PASSWORD)?;
    let (name, body) = (named(&call)?, args::object(body));
    permit_change_of(&call, &name)?;
    let hash = hashed(&call, member(&body, "password").unwrap_or_default()).await?;
    let set = user::set_password(&call.state.db, &name, hash, author(&call)).await;
    set.map_err(|error| absent(error, &name))?;
    Ok(Reply::no_content())
}

fn named(call: &Call) -> Result<UserName, ApiError> {
    parsed(call.param("user"))
}

pub(super) fn not_found(name: &UserName) -> ApiError {
    ApiError::not_found(format!("User {name} could not be found."))
}

fn absent(error: StoreError, name: &UserName) -> ApiError {
    match error {
        StoreError::NotFound => not_found(name),
        other => other.into(),
    }
}

fn document(user: &LocalUser) -> Value {
    json!({
        "name": user.name,
        "description": user.description,
        "enabled": user.enabled,
        "has_password": user.has_password,
        "password_changed_at": user.password_changed_at.map(|at| at.to_string()),
        "created_at": user.created_at.to_string(),
        "updated_at": user.updated_at.map(|at| at.to_string()),
    })
}
