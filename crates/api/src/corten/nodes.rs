//! `GET /corten/v1/nodes`: the nodes that fit a query, any part of the list at once.
//!
//! Which nodes fit, in which order, and how many there are is answered from memory ([`crate::fleet`]);
//! what is shown of them is read from their rows, so that it is never older than the request.

use super::query;
use crate::{
    call::Call,
    error::ApiError,
    fleet::{
        filter::{Filter, SortKey},
        look::Look,
        page::{Listed, Window, listing},
        viewer::Viewer,
    },
    json_writer::JsonWriter,
    reply::Reply,
};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use store::{
    StoreError,
    node::{Column, ColumnSet, NodeRow},
};
use types::{NodeId, ProvisionState, Timestamp};

const DEFAULT_LIMIT: i64 = 100;
const MAX_LIMIT: i64 = 1000;

/// What kind of value a column holds.
#[derive(Clone, Copy)]
enum ColumnType {
    Text,
    Flag,
    Time,
    List,
}

/// Where a field comes from.
#[derive(Clone, Copy)]
enum Source {
    Row(Column, ColumnType),
    Look,
    Conductor,
    Macs,
    Bmc,
    Cause,
}

macro_rules! fields {
    ($($name:literal: $source:expr, $is_default:literal;)*) => {
        /// What can be shown, and whether it is where nothing is asked for.
        const FIELDS: &[(&str, Source, bool)] = &[$(($name, $source, $is_default)),*];
    };
}

const fn row(name: &str, kind: ColumnType) -> Source {
    Source::Row(Column::of(name), kind)
}

fields! {
    "uuid": row("uuid", ColumnType::Text), true;
    "name": row("name", ColumnType::Text), true;
    "look": Source::Look, true;
    "provision_state": row("provision_state", ColumnType::Text), true;
    "target_provision_state": row("target_provision_state", ColumnType::Text), true;
    "provision_updated_at": row("provision_updated_at", ColumnType::Time), true;
    "power_state": row("power_state", ColumnType::Text), true;
    "target_power_state": row("target_power_state", ColumnType::Text), true;
    "maintenance": row("maintenance", ColumnType::Flag), true;
    "fault": row("fault", ColumnType::Text), true;
    "retired": row("retired", ColumnType::Flag), true;
    "protected": row("protected", ColumnType::Flag), true;
    "driver": row("driver", ColumnType::Text), true;
    "resource_class": row("resource_class", ColumnType::Text), true;
    "conductor": Source::Conductor, true;
    "conductor_group": row("conductor_group", ColumnType::Text), true;
    "chassis_uuid": row("chassis_uuid", ColumnType::Text), true;
    "shard": row("shard", ColumnType::Text), true;
    "owner": row("owner", ColumnType::Text), true;
    "lessee": row("lessee", ColumnType::Text), true;
    "instance_uuid": row("instance_uuid", ColumnType::Text), true;
    "reservation": row("reservation", ColumnType::Text), true;
    "description": row("description", ColumnType::Text), false;
    "created_at": row("created_at", ColumnType::Time), false;
    "traits": row("traits", ColumnType::List), false;
    "macs": Source::Macs, false;
    "bmc": Source::Bmc, false;
    "last_error": row("last_error", ColumnType::Text), false;
    "cause": Source::Cause, true;
}

const STATE: Column = Column::of("provision_state");

type Field = &'static (&'static str, Source, bool);

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["q", "sort", "fields", "limit", "offset"])?;
    let viewer = Viewer::of(&call)?;
    let query = match query::read(&call, args.string("q")?) {
        Ok(query) => query,
        Err(refusal) => return Ok(*refusal),
    };
    let window = window(
        args.string("sort")?,
        args.integer("limit")?,
        args.integer("offset")?,
    )?;
    let fields = wanted(args.string_list("fields")?)?;
    let (state, now) = (&call.state, Timestamp::now());
    let asked = state.fleet.ask(state, move |index| {
        listing(&mut Filter::new(index, &query, &viewer, now), window)
    });
    let listing = asked.await?;
    let rows = rows(&call, &listing.nodes, &fields).await?;
    let nodes = listing.nodes.iter().filter_map(|listed| {
        // A node that was deleted meanwhile is in neither.
        let row = rows.get(&listed.id)?;
        Some(shown(listed, row, &fields))
    });
    let document = json!({
        "nodes": nodes.collect::<Vec<_>>(),
        "total": listing.total,
        "cursor": listing.cursor,
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

fn window(sort: Option<&str>, limit: Option<i64>, offset: Option<i64>) -> Result<Window, ApiError> {
    let sort = sort.unwrap_or(SortKey::Name.as_str());
    let (is_falling, key) = match sort.strip_prefix('-') {
        Some(key) => (true, key),
        None => (false, sort),
    };
    let key = key.parse::<SortKey>().map_err(|_| {
        let known: Vec<&str> = SortKey::ALL.iter().map(|key| key.as_str()).collect();
        ApiError::invalid(format!(
            "Nodes cannot be sorted by \"{}\". It can be: {}.",
            crate::error::start_of(key),
            known.join(", ")
        ))
    })?;
    let number = |value: i64| usize::try_from(value).unwrap_or(0);
    Ok(Window {
        sort: key,
        is_falling,
        offset: number(offset.unwrap_or(0)),
        limit: number(limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT)),
    })
}

fn wanted(names: Option<Vec<String>>) -> Result<Vec<Field>, ApiError> {
    let Some(names) = names else {
        return Ok(FIELDS.iter().filter(|field| field.2).collect());
    };
    let find = |name: &String| FIELDS.iter().find(|field| field.0 == name);
    if let Some(unknown) = names.iter().find(|name| find(name).is_none()) {
        let unknown = crate::error::start_of(unknown);
        return Err(ApiError::invalid(format!(
            "Field(s) \"{unknown}\" are not valid."
        )));
    }
    Ok(names.iter().filter_map(find).collect())
}

/// The rows of these nodes, by their ids, with the values of the fields in their order.
async fn rows(
    call: &Call,
    nodes: &[Listed],
    fields: &[Field],
) -> Result<HashMap<NodeId, Vec<Value>>, StoreError> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let columns = fields
        .iter()
        .fold(ColumnSet::ID.with(STATE), |set, field| match field.1 {
            Source::Row(column, _) => set.with(column),
            _ => set,
        });
    let fields: Vec<Field> = fields.to_vec();
    let read = move |rows: &mut HashMap<NodeId, Vec<Value>>, row: &NodeRow| {
        if let Some(id) = row.id() {
            rows.insert(id, fields.iter().map(|field| value(row, field.1)).collect());
        }
        Ok(())
    };
    store::node::show_some(&call.state.db, &ids, columns, HashMap::new(), read).await
}

fn value(row: &NodeRow, source: Source) -> Value {
    match source {
        Source::Row(column, ColumnType::Text) => json!(row.text(column)),
        Source::Row(column, ColumnType::Flag) => json!(row.flag(column).unwrap_or_default()),
        Source::Row(column, ColumnType::Time) => {
            json!(row.int(column).map(|at| Timestamp(at).to_string()))
        }
        Source::Row(column, ColumnType::List) => {
            let list = row.text(column).map(serde_json::from_str::<Vec<String>>);
            json!(list.and_then(Result::ok).unwrap_or_default())
        }
        Source::Look => {
            let state: Option<ProvisionState> = row.text(STATE).and_then(|s| s.parse().ok());
            json!(state.map(Look::of))
        }
        Source::Conductor | Source::Macs | Source::Bmc | Source::Cause => Value::Null,
    }
}

fn shown(listed: &Listed, row: &[Value], fields: &[Field]) -> Value {
    let mut node = Map::new();
    for ((name, source, _), value) in fields.iter().zip(row) {
        let value = match (*name, source) {
            ("last_error", _) if listed.hides_error => Value::Null,
            ("reservation", _) if listed.hides_reservation => Value::Null,
            (_, Source::Conductor) => {
                json!(Some(&listed.conductor).filter(|name| !name.is_empty()))
            }
            (_, Source::Macs) => {
                let macs = listed.macs.split(',').filter(|mac| !mac.is_empty());
                json!(macs.collect::<Vec<_>>())
            }
            (_, Source::Bmc) => json!(listed.bmc),
            (_, Source::Cause) => json!(listed.cause.as_ref().map(|cause| json!({
                "kind": cause.trouble,
                "code": cause.code,
                "sentence": cause.sentence,
            }))),
            _ => value.clone(),
        };
        node.insert((*name).to_owned(), value);
    }
    Value::Object(node)
}

#[cfg(test)]
#[path = "nodes/tests.rs"]
mod tests;
