//! Batches as clients see them.

use super::{action, members};
use crate::{
    call::Call,
    error::ApiError,
    policy::{HiddenFields, Rule, Target},
};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use store::batch;
use types::{
    NodeId, Timestamp,
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

/// The nodes among these whose last error the caller may read.
pub(super) async fn readable(call: &Call, rows: &[BatchNode]) -> Result<HashSet<NodeId>, ApiError> {
    let failed = rows.iter().filter(|row| row.last_error.is_some());
    let failed: Vec<NodeId> = failed.map(|row| row.node).collect();
    let policy = &call.state.settings.policy;
    if policy.sees_all_fields(&call.ctx.credentials) {
        return Ok(failed.into_iter().collect());
    }
    // Of a node that was deleted nobody knows whose it is.
    let found = members::read(call, &failed).await?;
    let is_readable = |member: &members::Member| {
        let target = Target::owned_node(member.owner.as_deref(), member.lessee.as_deref());
        call.allows(Rule::NodeGetLastError, &target)
    };
    let readable = found.into_iter().filter(|(_, member)| is_readable(member));
    Ok(readable.map(|(id, _)| id).collect())
}

/// A node of a batch; its last error, which ends the reason, only if it is `readable`.
pub(super) fn node(row: &BatchNode, readable: &HashSet<NodeId>) -> Value {
    let error = row.last_error.as_deref();
    let error = error.map(|error| match readable.contains(&row.node) {
        true => error,
        false => HiddenFields::LAST_ERROR,
    });
    let reason = match (row.reason.as_deref(), error) {
        (Some(reason), Some(error)) => Some(format!("{reason}: {error}")),
        (reason, error) => reason.or(error).map(str::to_owned),
    };
    json!({
        "place": row.place,
        "node": row.node,
        "name": row.name,
        "wave": row.wave + 1,
        "state": row.state,
        "reason": reason,
        "asked_at": time(row.asked_at),
        "ended_at": time(row.ended_at),
    })
}

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}
