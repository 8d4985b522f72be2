//! `GET /corten/v1/failures`: what needs a person, grouped by cause, with what to do about it.

use super::query;
use crate::{
    call::Call,
    error::ApiError,
    fleet::{
        failures::{self, Failures, Group, ProblemCounts},
        filter::Filter,
        index::NodeProblem,
        query::quoted,
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
use types::{NodeId, Timestamp};

const NAME: Column = Column::of("name");

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["q"])?;
    let viewer = Viewer::of(&call)?;
    let query = match query::read(&call, args.string("q")?) {
        Ok(query) => query,
        Err(refusal) => return Ok(*refusal),
    };
    let (state, now) = (&call.state, Timestamp::now());
    let asked = state.fleet.ask(state, move |index| {
        failures::failures(&mut Filter::new(index, &query, &viewer, now))
    });
    let failures = asked.await?;
    let names = names(&call, &failures).await?;
    let causes = failures.groups.iter().map(|group| document(group, &names));
    let document = json!({
        "cursor": failures.cursor,
        "total": failures.troubles.total(),
        "kinds": kinds(&failures.troubles),
        "causes": causes.collect::<Vec<_>>(),
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

/// The names of the nodes that are named, as they are written.
async fn names(
    call: &Call,
    failures: &Failures,
) -> Result<HashMap<NodeId, Option<String>>, StoreError> {
    let ids = failures.groups.iter().flat_map(|group| &group.nodes);
    let ids: Vec<NodeId> = ids.copied().collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let columns = ColumnSet::ID.with(NAME);
    let read = |names: &mut HashMap<NodeId, Option<String>>, row: &NodeRow| {
        if let Some(id) = row.id() {
            names.insert(id, row.text(NAME).map(str::to_owned));
        }
        Ok(())
    };
    store::node::show_some(&call.state.db, &ids, columns, HashMap::new(), read).await
}

fn document(group: &Group, names: &HashMap<NodeId, Option<String>>) -> Value {
    let nodes = group.nodes.iter().filter_map(|id| {
        let name = names.get(id)?;
        Some(json!({"uuid": id, "name": name}))
    });
    json!({
        "code": group.code,
        "sentence": group.sentence,
        "advice": group.advice,
        "docs": group.page,
        "kinds": kinds(&group.troubles),
        "count": group.troubles.total(),
        "since": group.since.to_string(),
        "latest": group.latest.to_string(),
        "nodes": nodes.collect::<Vec<_>>(),
        "q": group.has_query.then(|| format!("cause:{}", quoted(&group.code))),
        "example": group.example,
    })
}

fn kinds(troubles: &ProblemCounts) -> Value {
    let kinds = NodeProblem::ALL.iter();
    let kinds = kinds.map(|kind| (kind.to_string(), json!(troubles.of(*kind))));
    Value::Object(kinds.collect::<Map<_, _>>())
}
