//! How an inspection rule looks. What a sensitive one asks and does is nobody's business.

use crate::{json_writer::JsonWriter, view::Field};
use serde_json::Value;
use types::{InspectionRule, version::since};

/// The fields of a rule, in the order of the documents.
pub(crate) static FIELDS: &[Field<InspectionRule>] = &[
    Field::new("uuid", since::INSPECTION_RULES, |w, r, _| {
        w.str(r.id.as_str())
    }),
    Field::new("created_at", since::INSPECTION_RULES, |w, r, _| {
        w.time(r.created_at)
    }),
    Field::new("updated_at", since::INSPECTION_RULES, |w, r, _| {
        w.opt_time(r.updated_at)
    }),
    Field::new("description", since::INSPECTION_RULES, |w, r, _| {
        w.opt_str(r.description.as_deref())
    }),
    Field::new("priority", since::INSPECTION_RULES, |w, r, _| {
        w.int(r.priority)
    }),
    Field::new("phase", since::INSPECTION_RULES, |w, r, _| w.str(&r.phase)),
    Field::new("sensitive", since::INSPECTION_RULES, |w, r, _| {
        w.bool(r.sensitive)
    }),
    Field::new("actions", since::INSPECTION_RULES, |w, r, _| {
        unless_sensitive(w, r, &r.actions)
    }),
    Field::new("conditions", since::INSPECTION_RULES, |w, r, _| {
        unless_sensitive(w, r, &r.conditions)
    }),
    // There is nothing at these addresses; Ironic links there all the same.
    Field::new("links", since::INSPECTION_RULES, |w, _, s| {
        s.links(w, "inspection")
    }),
];

/// What a list shows when nothing else is asked for.
pub(crate) const DEFAULT_FIELDS: &[&str] = &["uuid", "priority", "phase", "description"];

fn unless_sensitive(w: &mut JsonWriter, rule: &InspectionRule, items: &[Value]) {
    if rule.sensitive {
        w.null();
        return;
    }
    w.begin_array();
    for item in items {
        w.value(item);
    }
    w.end_array();
}
