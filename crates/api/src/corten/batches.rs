//! `/corten/v1/batches`: one verb for many nodes, in waves.
//!
//! Whose the nodes are decides who may do what with a batch, and is asked at each request: who may
//! read every node of it sees it, and who may also do to every node what the batch does may pause,
//! resume and abort it.

mod action;
mod document;
mod dry_run;
pub(crate) mod members;
#[cfg(test)]
mod tests;

use super::accounts;
use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    schema::{
        self,
        batch::{BATCH, MOST_WAVES},
    },
};
use members::Member;
use serde_json::{Value, json};
use std::collections::HashSet;
use store::{
    StoreError,
    batch::{self, TooMany, Wish},
};
use types::{
    ApiVersion, BatchId, JsonMap, Timestamp,
    batch::{
        self as model, ActionKind, Batch, BatchNodeState, BatchState, Maker, Owners, WaveSize,
    },
    id::canonical,
};

const DEFAULT_AT_ONCE: i64 = 20;
const DEFAULT_WAVES: [WaveSize; 2] = [WaveSize::Nodes(1), WaveSize::Percent(10)];
const DEFAULT_LIMIT: i64 = 100;
const MAX_LIMIT: i64 = 1000;

pub(crate) async fn create(mut call: Call) -> Result<Reply, ApiError> {
    // There is no version to negotiate here, and the arguments are the newest.
    call.ctx.version = ApiVersion::MAX;
    let (body, args) = call.body_and_args(&["dry_run"])?;
    schema::check_unnamed(&body, &BATCH)?;
    let is_dry = args.boolean("dry_run")?.unwrap_or(false);
    let body = args::object(body);
    let sizes = asked_waves(&body)?;
    let members = match members::of(&call, &body).await? {
        Ok(members) => members,
        Err(refusal) => return Ok(*refusal),
    };
    permit(&call, Rule::CortenBatchCreate, &distinct(&members))?;
    let action = action::read(&call, body.get("arguments"), kind(&body)?, &members).await?;
    let total = u64::try_from(members.len()).unwrap_or(u64::MAX);
    let sizes = model::wave_sizes(total, &sizes);
    if is_dry {
        return dry_run::answer(&call, action, &members, &sizes).await;
    }
    let text = |name: &str| Some(body.get(name)?.as_str()?.to_owned());
    let number = |name: &str| body.get(name).and_then(Value::as_i64);
    let new = Batch {
        id: BatchId::generate(),
        version: 0,
        description: text("description"),
        query: text("query"),
        action: action.kind(),
        word: action.word().to_owned(),
        request: Value::Null,
        state: BatchState::Running,
        reason: None,
        node_count: i64::try_from(total).unwrap_or(i64::MAX),
        wave_sizes: sizes,
        wave: 0,
        at_once: number("at_once").unwrap_or(DEFAULT_AT_ONCE),
        max_failures: number("max_failures"),
        forgiven: 0,
        user: call.ctx.caller.user.clone(),
        project: call.ctx.caller.project.clone(),
        maker: maker(&call),
        holder: None,
        generation: 0,
        created_at: Timestamp::now(),
        updated_at: None,
        ended_at: None,
    };
    let db = &call.state.db;
    let cursor = store::event::newest(db).await?;
    let nodes = members.into_iter().map(|member| model::Member {
        node: member.id,
        name: member.name,
        owners: (member.owner, member.lessee),
    });
    let stored = batch::insert(db, new, action, nodes.collect()).await?;
    let batch = stored.map_err(|too_many| {
        ApiError::conflict(match too_many {
            TooMany::OfOne => format!(
                "There are {} batches already of this project (or user, without a project) that \
                 have not ended. End or abort one of them.",
                batch::MOST_OPEN_OF_ONE
            ),
            TooMany::OfAll => format!(
                "There are {} batches already, of all projects together, that have not ended. \
                 Try again when one of them has.",
                batch::MOST_OPEN
            ),
        })
    })?;
    let location = format!("{}/corten/v1/batches/{}", call.ctx.base, batch.id);
    let mut shown = document::whole(&call, &batch).await?;
    shown["cursor"] = cursor.into();
    Ok(Reply::created(JsonWriter::document(&shown), location))
}

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    // 403 for those who get no list of nodes either.
    call.reach(Rule::NodeListAll, Rule::NodeList, None)?;
    let mut shown = Vec::new();
    for batch in batch::list(&call.state.db).await? {
        if sees(&call, &batch).await? {
            shown.push(document::short(&call, &batch).await?);
        }
    }
    Ok(Reply::ok(JsonWriter::document(&json!({"batches": shown}))))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    // Before the batch is read, so that no event between the two is missed.
    let cursor = store::event::newest(&call.state.db).await?;
    let batch = find(&call).await?;
    let mut shown = document::whole(&call, &batch).await?;
    shown["cursor"] = cursor.into();
    Ok(Reply::ok(JsonWriter::document(&shown)))
}

pub(crate) async fn nodes(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["state", "after", "limit"])?;
    let state = args.string("state")?.map(|word| {
        word.parse::<BatchNodeState>().map_err(|_| {
            let known: Vec<&str> = BatchNodeState::ALL.iter().map(|s| s.as_str()).collect();
            ApiError::invalid(format!(
                "No node of a batch is \"{}\". It can be: {}.",
                crate::error::start_of(word),
                known.join(", ")
            ))
        })
    });
    let state = state.transpose()?;
    let after = args.integer("after")?.unwrap_or(-1);
    let limit = args.integer("limit")?.unwrap_or(DEFAULT_LIMIT);
    let limit = u32::try_from(limit.clamp(1, MAX_LIMIT)).unwrap_or(1);
    let batch = find(&call).await?;
    let rows = batch::nodes(&call.state.db, batch.id, state, after, limit).await?;
    let is_full = u32::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| is_full).map(|row| row.place);
    let readable = document::readable(&call, &rows).await?;
    let rows = rows.iter().map(|row| document::node(row, &readable));
    let rows: Vec<Value> = rows.collect();
    let document = json!({"nodes": rows, "next": next});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

pub(crate) async fn pause(call: Call) -> Result<Reply, ApiError> {
    change(call, Wish::Pause).await
}

pub(crate) async fn resume(call: Call) -> Result<Reply, ApiError> {
    change(call, Wish::Resume).await
}

pub(crate) async fn abort(call: Call) -> Result<Reply, ApiError> {
    change(call, Wish::Abort).await
}

async fn change(call: Call, wish: Wish) -> Result<Reply, ApiError> {
    call.no_args()?;
    let batch = find(&call).await?;
    alterable(&call, &batch, Rule::CortenBatchUpdate).await?;
    let caller = &call.ctx.caller;
    let (user, project) = (caller.user.clone(), caller.project.clone());
    let changed = batch::wish(&call.state.db, batch.id, wish, user, project).await;
    match changed {
        Ok(_) => Ok(Reply::accepted()),
        Err(StoreError::Stale) => Err(unfit(&batch, wish)),
        Err(StoreError::NotFound) => Err(missing(&batch.id.to_string())),
        Err(error) => Err(error.into()),
    }
}

fn unfit(batch: &Batch, wish: Wish) -> ApiError {
    let (word, can) = match wish {
        Wish::Pause => ("paused", "only a running batch can"),
        Wish::Resume => ("resumed", "only a paused or stopped batch can"),
        Wish::Abort => (
            "aborted",
            "only one that has not ended and is not being aborted can",
        ),
    };
    ApiError::conflict(format!(
        "Batch {} cannot be {word}: {can}, and it is {}.",
        batch.id, batch.state
    ))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let batch = find(&call).await?;
    alterable(&call, &batch, Rule::CortenBatchDelete).await?;
    match batch::delete(&call.state.db, batch.id).await {
        Ok(()) => Ok(Reply::no_content()),
        Err(StoreError::Stale) => Err(ApiError::conflict(format!(
            "Batch {} has not ended: it is {}. Abort it first.",
            batch.id, batch.state
        ))),
        Err(StoreError::NotFound) => Err(missing(&batch.id.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// The batch that the path names, if the caller may see it.
async fn find(call: &Call) -> Result<Batch, ApiError> {
    let ident = call.param("batch");
    let found = match canonical::<BatchId>(ident) {
        Some(id) => batch::find(&call.state.db, id).await?,
        None => None,
    };
    match found {
        Some(batch) if sees(call, &batch).await? => Ok(batch),
        _ => Err(missing(ident)),
    }
}

fn missing(ident: &str) -> ApiError {
    ApiError::not_found(format!(
        "Batch {} could not be found.",
        crate::error::start_of(ident)
    ))
}

async fn sees(call: &Call, batch: &Batch) -> Result<bool, ApiError> {
    if call.allows(Rule::CortenBatchGet, &Target::NONE) {
        return Ok(true);
    }
    let owners = batch::owners(&call.state.db, batch.id).await?;
    Ok(!owners.is_empty() && permit(call, Rule::CortenBatchGet, &owners).is_ok())
}

/// 403 unless the caller may change the batch, and do what it does to each of its nodes.
async fn alterable(call: &Call, batch: &Batch, rule: Rule) -> Result<(), ApiError> {
    let owners = batch::owners(&call.state.db, batch.id).await?;
    let verb = match batch.action {
        ActionKind::Provision => Rule::NodeSetProvisionState,
        ActionKind::Power => Rule::NodeSetPowerState,
        ActionKind::Maintenance if batch.word == "on" => Rule::NodeSetMaintenance,
        ActionKind::Maintenance => Rule::NodeClearMaintenance,
    };
    if owners.is_empty() {
        // All its nodes were deleted.
        return Ok(call.permit(rule, &Target::NONE)?);
    }
    permit(call, rule, &owners)?;
    permit(call, verb, &owners)
}

/// 403 unless the caller satisfies a rule for the nodes of all these owners and lessees.
fn permit(call: &Call, rule: Rule, owners: &[Owners]) -> Result<(), ApiError> {
    for (owner, lessee) in owners {
        call.permit(
            rule,
            &Target::owned_node(owner.as_deref(), lessee.as_deref()),
        )?;
    }
    Ok(())
}

fn distinct(members: &[Member]) -> Vec<Owners> {
    let mut seen = HashSet::new();
    let owners = members.iter().map(|member| (&member.owner, &member.lessee));
    owners
        .filter(|owners| seen.insert(*owners))
        .map(|(owner, lessee)| (owner.clone(), lessee.clone()))
        .collect()
}

/// The local user who asks, and the roles that count for the request.
fn maker(call: &Call) -> Option<Maker> {
    let credentials = &call.ctx.credentials;
    let project = credentials.project_id.as_deref();
    Some(Maker {
        user: accounts::own_name(call)?,
        place: project.map_or("system".to_owned(), |project| format!("project:{project}")),
        roles: credentials.roles.names().to_vec(),
    })
}

fn kind(body: &JsonMap) -> Result<ActionKind, ApiError> {
    let word = body.get("action").and_then(Value::as_str);
    word.and_then(|word| word.parse().ok())
        .ok_or_else(|| ApiError::missing_parameter("action"))
}

fn asked_waves(body: &JsonMap) -> Result<Vec<WaveSize>, ApiError> {
    let Some(waves) = body.get("waves").and_then(Value::as_array) else {
        return Ok(DEFAULT_WAVES.to_vec());
    };
    if waves.len() > MOST_WAVES {
        return Err(ApiError::invalid(format!(
            "waves: there are {}, and at most {MOST_WAVES} are allowed.",
            waves.len()
        )));
    }
    let read = waves.iter().map(|wave| {
        let text = match wave {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        text.parse::<WaveSize>().map_err(|error| {
            ApiError::invalid(format!(
                "waves: {} is not understood: {error}.",
                crate::error::start_of(&text)
            ))
        })
    });
    read.collect()
}
