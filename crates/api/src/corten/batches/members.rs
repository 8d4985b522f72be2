//! Which nodes a new batch is for.

use crate::{
    call::Call,
    corten::query,
    error::ApiError,
    fleet::{
        filter::{Filter, SortKey},
        page::{Window, listing},
        viewer::Viewer,
    },
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    schema::batch::MOST_NODES,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use store::node::{Column, ColumnSet};
use types::{JsonMap, Node, NodeId, Timestamp};

/// A node as far as a new batch needs it.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) id: NodeId,
    pub(crate) name: Option<String>,
    pub(crate) owner: Option<String>,
    pub(crate) lessee: Option<String>,
    traits: Vec<String>,
}

impl Member {
    /// A node with what is known here.
    pub(crate) fn node(&self) -> Node {
        let mut node = Node::new(self.id, "");
        node.name.clone_from(&self.name);
        node.owner.clone_from(&self.owner);
        node.lessee.clone_from(&self.lessee);
        node.traits.clone_from(&self.traits);
        node
    }
}

const NAME: Column = Column::of("name");
const OWNER: Column = Column::of("owner");
const LESSEE: Column = Column::of("lessee");
const TRAITS: Column = Column::of("traits");

/// The nodes that a body names or asks for, in the order of the waves, or the answer that says what
/// is wrong with its query.
pub(super) async fn of(
    call: &Call,
    body: &JsonMap,
) -> Result<Result<Vec<Member>, Box<Reply>>, ApiError> {
    let asked = body.get("query").and_then(Value::as_str);
    let members = match (asked, body.get("nodes").and_then(Value::as_array)) {
        (Some(text), None) => {
            let query = match query::read(call, Some(text)) {
                Ok(query) => query,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let viewer = Viewer::of(call)?;
            let window = Window {
                sort: SortKey::Name,
                is_falling: false,
                offset: 0,
                limit: MOST_NODES + 1,
            };
            let (state, now) = (&call.state, Timestamp::now());
            let found = state.fleet.ask(state, move |index| {
                listing(&mut Filter::new(index, &query, &viewer, now), window)
            });
            let ids: Vec<NodeId> = found.await?.nodes.iter().map(|node| node.id).collect();
            bounded(ids.len())?;
            let mut rows = read(call, &ids).await?;
            // A node that was deleted meanwhile is in no batch.
            ids.iter().filter_map(|id| rows.remove(id)).collect()
        }
        (None, Some(idents)) => named(call, idents).await?,
        _ => {
            return Err(ApiError::invalid(
                "Say which nodes: either nodes (a list of UUIDs and names) or query.",
            ));
        }
    };
    if members.is_empty() {
        return Err(ApiError::invalid(
            "The query fits no node, so there is nothing to do.",
        ));
    }
    Ok(Ok(members))
}

fn bounded(count: usize) -> Result<(), ApiError> {
    if count > MOST_NODES {
        return Err(ApiError::invalid(format!(
            "A batch has at most {MOST_NODES} nodes. Make several, by narrower queries."
        )));
    }
    Ok(())
}

/// The nodes of a list, which the caller must see; a node that is named twice is there once.
async fn named(call: &Call, idents: &[Value]) -> Result<Vec<Member>, ApiError> {
    bounded(idents.len())?;
    let mut ids = Vec::with_capacity(idents.len());
    for ident in idents.iter().filter_map(Value::as_str) {
        let id = match lookup::id(ident) {
            Some(id) => id,
            None => lookup::node(call, ident).await?.id,
        };
        ids.push((ident, id));
    }
    let all: Vec<NodeId> = ids.iter().map(|(_, id)| *id).collect();
    let rows = read(call, &all).await?;
    let (mut taken, mut members) = (HashSet::new(), Vec::with_capacity(ids.len()));
    for (ident, id) in ids {
        let visible = |member: &&Member| {
            let target = Target::owned_node(member.owner.as_deref(), member.lessee.as_deref());
            call.allows(Rule::NodeGet, &target)
        };
        let Some(member) = rows.get(&id).filter(visible) else {
            return Err(ApiError::node_not_found(ident));
        };
        if taken.insert(id) {
            members.push(member.clone());
        }
    }
    Ok(members)
}

pub(super) async fn read(call: &Call, ids: &[NodeId]) -> Result<HashMap<NodeId, Member>, ApiError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let columns = [NAME, OWNER, LESSEE, TRAITS]
        .into_iter()
        .fold(ColumnSet::ID, ColumnSet::with);
    let read = store::node::show_some(
        &call.state.db,
        ids,
        columns,
        HashMap::with_capacity(ids.len()),
        |rows: &mut HashMap<NodeId, Member>, row| {
            let Some(id) = row.id() else { return Ok(()) };
            let text = |column| row.text(column).map(str::to_owned);
            let traits = row.text(TRAITS).map(serde_json::from_str);
            let member = Member {
                id,
                name: text(NAME),
                owner: text(OWNER),
                lessee: text(LESSEE),
                traits: traits.and_then(Result::ok).unwrap_or_default(),
            };
            rows.insert(id, member);
            Ok(())
        },
    );
    Ok(read.await?)
}
