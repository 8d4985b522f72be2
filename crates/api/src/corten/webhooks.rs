//! `/corten/v1/webhooks`: addresses that events are posted to.
//!
//! A webhook hears of all nodes, and has this service send requests to an address of somebody's
//! choice, so only administrators of the system have them. What a receiver answers is not shown to
//! anybody but its status. A secret is shown once, in the answer to whoever creates the webhook.

#[cfg(test)]
mod tests;

use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    schema::{
        self,
        webhook::{CHANGES, REPLAY, WEBHOOK},
    },
    webhook::{Letter, Outcome, Post, address, authorities},
};
use axum::http::StatusCode;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};
use std::time::Instant;
use store::webhook;
use types::{
    JsonMap, NodeId, Timestamp, WebhookId, hex,
    id::canonical,
    webhook::{DeadLetter, VerifyCa, Webhook},
};

const MAX_LETTERS: i64 = 1000;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenWebhookGet, &Target::NONE)?;
    let rows = webhook::list(&call.state.db).await?;
    let rows: Vec<Value> = rows.iter().map(document).collect();
    Ok(Reply::ok(JsonWriter::document(&json!({"webhooks": rows}))))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenWebhookGet, &Target::NONE)?;
    let row = find(&call).await?;
    Ok(Reply::ok(JsonWriter::document(&document(&row))))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &WEBHOOK)?;
    call.permit(Rule::CortenWebhookCreate, &Target::NONE)?;
    let body = args::object(body);
    let db = &call.state.db;
    let newest = store::event::newest(db).await?;
    let after = body.get("after").and_then(Value::as_i64);
    let cursor = after.map_or(newest, |after| after.min(newest));
    let mut row = Webhook::new(WebhookId::generate(), String::new(), cursor);
    apply(&call, &body, &mut row).await?;
    let secret = match given_secret(&body) {
        Some(secret) => secret,
        None => fresh_secret()?,
    };
    row.secret = Value::from(secret.as_str());
    let Some(row) = webhook::insert(db, row).await? else {
        let text = format!("There are {} webhooks already.", webhook::MOST);
        return Err(ApiError::conflict(text));
    };
    let location = format!("{}/corten/v1/webhooks/{}", call.ctx.base, row.id);
    let mut shown = document(&row);
    shown["secret"] = secret.into();
    Ok(Reply::created(JsonWriter::document(&shown), location))
}

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &CHANGES)?;
    call.permit(Rule::CortenWebhookUpdate, &Target::NONE)?;
    let body = args::object(body);
    let mut row = find(&call).await?;
    apply(&call, &body, &mut row).await?;
    let secret = match body.get("secret") {
        Some(Value::Null) => Some(fresh_secret()?),
        _ => given_secret(&body),
    };
    let is_fresh = matches!(body.get("secret"), Some(Value::Null));
    let row = webhook::update(&call.state.db, row, secret.clone()).await?;
    let mut shown = document(&row);
    if is_fresh {
        shown["secret"] = secret.into();
    }
    Ok(Reply::ok(JsonWriter::document(&shown)))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenWebhookDelete, &Target::NONE)?;
    let row = find(&call).await?;
    webhook::delete(&call.state.db, row.id).await?;
    Ok(Reply::no_content())
}

/// Posts something that is no event, at once and from here, and tells what came of it.
pub(crate) async fn test(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenWebhookTest, &Target::NONE)?;
    let row = find(&call).await?;
    let secret = webhook::secret_of(&call.state.db, &row)?;
    let settings = &call.state.settings.webhooks;
    let post = Post::new(&row, &secret, settings).await;
    let post = post.map_err(ApiError::invalid)?;
    let body = json!({
        "kind": "test",
        "at": Timestamp::now().to_string(),
        "text": "This is a test of the webhook.",
    });
    let started = Instant::now();
    let letter = Letter {
        kind: "test",
        delivery: format!("{}-test-{}", row.id, uuid::Uuid::new_v4()),
        attempt: 1,
        body: body.to_string().into_bytes(),
    };
    let (status, error) = match post.send(letter).await {
        Outcome::Delivered(status) => (Some(status), None),
        Outcome::Gone => (Some(410), Some("the receiver answered 410 Gone".to_owned())),
        Outcome::Failed { status, reason, .. } => (status, Some(reason)),
    };
    let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let document = json!({
        "delivered": error.is_none(),
        "status": status,
        "error": error,
        "duration_ms": took,
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

pub(crate) async fn dead_letters(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["after", "limit"])?;
    let after = args.integer("after")?.unwrap_or(0);
    let limit = args.integer("limit")?.unwrap_or(MAX_LETTERS);
    let limit = u32::try_from(limit.clamp(1, MAX_LETTERS)).unwrap_or(1);
    call.permit(Rule::CortenWebhookGet, &Target::NONE)?;
    let row = find(&call).await?;
    let letters = webhook::dead_letters(&call.state.db, row.id, after, limit).await?;
    let letters: Vec<Value> = letters.iter().map(letter).collect();
    let document = json!({"dead_letters": letters});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

/// Has one dead letter, or all of them, or everything behind a cursor delivered again.
pub(crate) async fn replay(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &REPLAY)?;
    call.permit(Rule::CortenWebhookReplay, &Target::NONE)?;
    let row = find(&call).await?;
    let db = &call.state.db;
    let number = |name: &str| body.get(name).and_then(Value::as_i64);
    let all = body.get("dead_letters").and_then(Value::as_bool);
    match (number("dead_letter"), all, number("after")) {
        (Some(cursor), None, None) => {
            if webhook::mark_for_replay(db, row.id, Some(cursor)).await? == 0 {
                return Err(ApiError::not_found(format!(
                    "Webhook {} has no dead letter {cursor}.",
                    row.id
                )));
            }
        }
        (None, Some(true), None) => {
            webhook::mark_for_replay(db, row.id, None).await?;
        }
        (None, None, Some(after)) => {
            // What is not there yet is delivered anyway.
            let after = after.min(store::event::newest(db).await?);
            // Fails when the log does not reach back so far.
            match store::event::after(db, after, 1, NodeId::generate().into()).await {
                Err(store::StoreError::CursorTooOld { oldest }) => {
                    return Err(ApiError::service(
                        StatusCode::GONE,
                        format!("The event log begins with {oldest}."),
                    ));
                }
                Err(store::StoreError::CursorUnknown { next }) => {
                    return Err(ApiError::service(
                        StatusCode::GONE,
                        format!(
                            "Unknown cursor: the event log never had it; its next event is {next}."
                        ),
                    ));
                }
                other => other.map(|_| ())?,
            }
            webhook::seek(db, row.id, after).await?;
        }
        _ => {
            return Err(ApiError::invalid(
                "Say one of dead_letter (the cursor of one), dead_letters (true, for all of them) \
                 or after (a cursor).",
            ));
        }
    }
    Ok(Reply::accepted())
}

async fn find(call: &Call) -> Result<Webhook, ApiError> {
    let ident = call.param("webhook");
    let found = match canonical::<WebhookId>(ident) {
        Some(id) => webhook::find(&call.state.db, id).await?,
        None => None,
    };
    found.ok_or_else(|| ApiError::not_found(format!("Webhook {ident} could not be found.")))
}

/// Writes into a webhook what a body says about it.
async fn apply(call: &Call, body: &JsonMap, row: &mut Webhook) -> Result<(), ApiError> {
    let text = |name: &str| {
        body.get(name)
            .map(|value| value.as_str().map(str::to_owned))
    };
    if let Some(Some(url)) = text("url") {
        let refused = |reason: String| ApiError::invalid(format!("url: {reason}"));
        let place = address(&url).map_err(refused)?;
        let outbound = &call.state.settings.webhooks.outbound;
        let judged = outbound.check(&place);
        judged.map_err(|reason| refused(reason.to_string()))?;
        row.url = url;
    }
    if let Some(description) = text("description") {
        row.description = description;
    }
    if let Some(project) = text("project") {
        row.project = project;
    }
    if let Some(node) = text("node") {
        row.node = match node {
            Some(ident) => Some(node_of(call, &ident).await?),
            None => None,
        };
    }
    if let Some(Value::Array(kinds)) = body.get("kinds") {
        let kinds = kinds.iter().filter_map(|kind| kind.as_str()?.parse().ok());
        row.kinds = kinds.collect();
    }
    if let Some(enabled) = body.get("enabled").and_then(Value::as_bool) {
        row.enabled = enabled;
    }
    match body.get("verify_ca") {
        Some(Value::Bool(true)) => row.verify_ca = VerifyCa::System,
        Some(Value::Bool(false)) => row.verify_ca = VerifyCa::Nothing,
        Some(Value::String(pem)) => {
            let refused = |reason| ApiError::invalid(format!("verify_ca: {reason}"));
            authorities(pem).map_err(refused)?;
            row.verify_ca = VerifyCa::Authorities(pem.clone());
        }
        _ => {}
    }
    Ok(())
}

/// The node of a UUID, which need not exist (any more), or of a name.
async fn node_of(call: &Call, ident: &str) -> Result<NodeId, ApiError> {
    let value = Value::from(ident);
    let ident = args::uuid_or_name("node", &value)?;
    if let Some(id) = lookup::id(ident) {
        return Ok(id);
    }
    let found = store::node::find_by_name(&call.state.db, ident).await?;
    found
        .map(|node| node.id)
        .ok_or_else(|| ApiError::node_not_found(ident))
}

fn given_secret(body: &JsonMap) -> Option<String> {
    Some(body.get("secret")?.as_str()?.to_owned())
}

fn fresh_secret() -> Result<String, ApiError> {
    let mut bytes = [0; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| ApiError::internal("no randomness"))?;
    Ok(hex::encode(&bytes))
}

fn document(row: &Webhook) -> Value {
    let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let delivery = &row.delivery;
    json!({
        "uuid": row.id,
        "description": row.description,
        "url": row.url,
        "verify_ca": match &row.verify_ca {
            VerifyCa::System => Value::Bool(true),
            VerifyCa::Nothing => Value::Bool(false),
            VerifyCa::Authorities(pem) => Value::from(pem.as_str()),
        },
        "kinds": row.kinds,
        "node": row.node,
        "project": row.project,
        "enabled": row.enabled,
        "disabled_reason": row.disabled_reason,
        "cursor": delivery.cursor,
        "failures": delivery.failures,
        "next_attempt": time(delivery.next_attempt),
        "last_error": delivery.last_error,
        "last_success": time(delivery.last_success),
        "sender": delivery.lease.holder,
        "created_at": row.created_at.to_string(),
        "updated_at": time(row.updated_at),
    })
}

fn letter(letter: &DeadLetter) -> Value {
    json!({
        "cursor": letter.cursor,
        "event": letter.event,
        "attempts": letter.attempts,
        "last_error": letter.last_error,
        "replay": letter.replay,
        "created_at": letter.created_at.to_string(),
    })
}
