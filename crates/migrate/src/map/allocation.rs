//! Allocations.

use crate::{finding::RowProblem, row::SourceRow};
use types::{Allocation, NodeId, Timestamp, allocation::AllocationState, lease::Holder};

/// An allocation. One that waited for a node waits on: a conductor of ours takes it up.
pub(crate) fn allocation(row: &mut SourceRow<'_>, now: Timestamp) -> Option<Allocation> {
    let mut allocation = Allocation::new(row.id()?);
    allocation.name = row.short_text("name", 255);
    let state = row.parsed("state", AllocationState::Error.as_str());
    allocation.state = state.unwrap_or(AllocationState::Error);
    allocation.owner = row.short_text("owner", 255);
    allocation.last_error = row.text("last_error");
    allocation.resource_class = row.short_text("resource_class", 80);
    allocation.traits = row.texts("traits").unwrap_or_default();
    let candidates = row.texts("candidate_nodes").unwrap_or_default();
    let asked = candidates.len();
    let known = candidates
        .iter()
        .filter_map(|uuid| uuid.parse::<NodeId>().ok());
    allocation.candidate_nodes = known.collect();
    if allocation.candidate_nodes.len() != asked {
        row.note(
            "candidate_nodes",
            RowProblem::BrokenLink("nodes by what is no UUID"),
        );
    }
    if allocation.state == AllocationState::Allocating {
        allocation.holder = Some(Holder {
            host: store::imported::SEARCHER.to_owned(),
            epoch: 0,
        });
    }
    allocation.extra = row.map("extra");
    (allocation.created_at, allocation.updated_at) = row.times(now);
    let is_named = row.int("node_id").is_some();
    let agrees = row.int("node_allocation") == Some(row.key());
    allocation.node = row.link("node_uuid").filter(|_| agrees);
    if is_named && allocation.node.is_none() {
        row.note("node_id", RowProblem::BrokenLink("a node"));
    }
    Some(allocation)
}
