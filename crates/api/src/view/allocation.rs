//! How an allocation looks.

use crate::view::Field;
use types::{Allocation, version::since};

/// The fields of an allocation, in the order of the documents.
pub(crate) static FIELDS: &[Field<Allocation>] = &[
    Field::new("uuid", since::ALLOCATIONS, |w, a, _| w.str(a.id.as_str())),
    Field::new("created_at", since::ALLOCATIONS, |w, a, _| {
        w.time(a.created_at)
    }),
    Field::new("updated_at", since::ALLOCATIONS, |w, a, _| {
        w.opt_time(a.updated_at)
    }),
    Field::new("candidate_nodes", since::ALLOCATIONS, |w, a, _| {
        w.begin_array();
        for node in &a.candidate_nodes {
            w.str(&node.to_string());
        }
        w.end_array();
    }),
    Field::new("extra", since::ALLOCATIONS, |w, a, _| w.map(&a.extra)),
    Field::new("last_error", since::ALLOCATIONS, |w, a, _| {
        w.opt_str(a.last_error.as_deref())
    }),
    Field::new("name", since::ALLOCATIONS, |w, a, _| {
        w.opt_str(a.name.as_deref())
    }),
    Field::new("owner", since::ALLOCATION_OWNER, |w, a, _| {
        w.opt_str(a.owner.as_deref())
    }),
    Field::new("resource_class", since::ALLOCATIONS, |w, a, _| {
        w.opt_str(a.resource_class.as_deref())
    }),
    Field::new("state", since::ALLOCATIONS, |w, a, _| {
        w.str(a.state.as_str())
    }),
    Field::new("traits", since::ALLOCATIONS, |w, a, _| {
        w.begin_array();
        for name in &a.traits {
            w.str(name);
        }
        w.end_array();
    }),
    Field::new("links", since::ALLOCATIONS, |w, _, s| {
        s.links(w, "allocations")
    }),
    Field::new("node_uuid", since::ALLOCATIONS, |w, a, _| match a.node {
        Some(node) => w.str(&node.to_string()),
        None => w.null(),
    }),
];

/// The names that `fields` may ask for, in the order of the message about others.
pub(crate) const QUERYABLE: &[&str] = &[
    "candidate_nodes",
    "created_at",
    "extra",
    "last_error",
    "links",
    "name",
    "node_uuid",
    "resource_class",
    "state",
    "traits",
    "updated_at",
    "uuid",
    "owner",
];
