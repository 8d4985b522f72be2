//! Batches as clients see them.

use super::action;
use crate::{call::Call, error::ApiError};
use serde_json::{Map, Value, json};
use store::batch;
use types::{
    Timestamp,
    batch::{Batch, BatchNode, BatchNodeState},
};

/// A batch with its arguments.
pub(super) async fn whole(call: &Call, row: &Batch) -> Result<Value, ApiError> {
    let mut shown = short(call, row).await?;
    let action = batch::action_of(&call.state.db, row)?;
    shown["arguments"] = action::shown(&action);
    Ok(shown)
}

/// A batch as it stands in a list.
pub(super) async fn short(call: &Call, row: &Batch) -> Result<Value, ApiError> {
    let found = batch::counts(&call.state.db, row.id).await?;
    let counts: Map<String, Value> = BatchNodeState::ALL
        .iter()
        .map(|state| {
            let count = found.iter().find(|count| count.state == *state);
            let count = count.map_or(0, |count| count.nodes);
            (state.as_str().to_owned(), count.into())
        })
        .collect();
    Ok(json!({
        "uuid": row.id,
        "description": row.description,
        "query": row.query,
        "action": row.action,
        "target": row.word,
        "state": row.state,
        "reason": row.reason,
        "node_count": row.node_count,
        "counts": counts,
        "waves": row.wave_sizes,
        "wave": row.wave + 1,
        "at_once": row.at_once,
        "max_failures": row.max_failures,
        "user": row.user,
        "project": row.project,
        "conductor": row.holder.as_ref().map(|holder| &holder.host),
        "created_at": row.created_at.to_string(),
        "updated_at": time(row.updated_at),
        "ended_at": time(row.ended_at),
    }))
}

pub(super) fn node(row: &BatchNode) -> Value {
    json!({
        "place": row.place,
        "node": row.node,
        "name": row.name,
        "wave": row.wave + 1,
        "state": row.state,
        "reason": row.reason,
        "asked_at": time(row.asked_at),
        "ended_at": time(row.ended_at),
    })
}

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}
