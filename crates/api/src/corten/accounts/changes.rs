//! `GET /corten/v1/account-changes`: what was done to users, groups, roles and tokens, and by whom.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
};
use serde_json::{Value, json};
use store::account::change;
use types::account::AccountChange;

const USUAL: i64 = 100;
const MOST: i64 = 1000;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["before", "limit"])?;
    let (before, limit) = (args.integer("before")?, args.integer("limit")?);
    call.permit(Rule::CortenAccountGet, &Target::NONE)?;
    let limit = limit.unwrap_or(USUAL);
    let limit = u32::try_from(limit)
        .ok()
        .filter(|limit| (1..=1000).contains(limit));
    let limit = limit.ok_or_else(|| ApiError::invalid(format!("limit is from 1 to {MOST}.")))?;
    let changes = change::list(&call.state.db, before, limit).await?;
    let changes: Vec<Value> = changes.iter().map(document).collect();
    let document = json!({"account_changes": changes});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

fn document(change: &AccountChange) -> Value {
    json!({
        "id": change.id,
        "at": change.at.to_string(),
        "kind": change.kind,
        "subject": change.subject,
        "text": change.text,
        "actor": change.actor,
        "request_id": change.request_id,
    })
}
