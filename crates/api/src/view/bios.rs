//! How a BIOS setting looks. What it is linked by is its node, as the request names it.

use crate::{json_writer::JsonWriter, view::Field};
use types::{BiosSetting, version::since};

/// The fields of a setting, in the order of the documents.
pub(crate) static FIELDS: &[Field<BiosSetting>] = &[
    Field::new("created_at", since::BIOS, |w, b, _| w.time(b.created_at)),
    Field::new("updated_at", since::BIOS, |w, b, _| {
        w.opt_time(b.updated_at)
    }),
    Field::new("name", since::BIOS, |w, b, _| w.str(&b.name)),
    Field::new("value", since::BIOS, |w, b, _| {
        w.opt_str(b.value.as_deref())
    }),
    Field::new("attribute_type", since::BIOS_REGISTRY, |w, b, _| {
        w.opt_str(b.attribute_type.as_deref())
    }),
    Field::new("allowable_values", since::BIOS_REGISTRY, |w, b, _| {
        w.begin_array();
        for value in b.allowable_values.iter().flatten() {
            w.str(value);
        }
        w.end_array();
    }),
    Field::new("lower_bound", since::BIOS_REGISTRY, |w, b, _| {
        opt_int(w, b.lower_bound);
    }),
    Field::new("max_length", since::BIOS_REGISTRY, |w, b, _| {
        opt_int(w, b.max_length);
    }),
    Field::new("min_length", since::BIOS_REGISTRY, |w, b, _| {
        opt_int(w, b.min_length);
    }),
    Field::new("read_only", since::BIOS_REGISTRY, |w, b, _| {
        w.opt_bool(b.read_only)
    }),
    Field::new("reset_required", since::BIOS_REGISTRY, |w, b, _| {
        w.opt_bool(b.reset_required)
    }),
    Field::new("unique", since::BIOS_REGISTRY, |w, b, _| {
        w.opt_bool(b.unique)
    }),
    Field::new("upper_bound", since::BIOS_REGISTRY, |w, b, _| {
        opt_int(w, b.upper_bound);
    }),
    Field::new("links", since::BIOS, |w, b, s| {
        s.links_below(w, "nodes", &format!("bios/{}", b.name))
    }),
];

/// What is always shown.
pub(crate) const ALWAYS: [&str; 2] = ["created_at", "updated_at"];

/// What a list shows when nothing else is asked for.
pub(crate) const DEFAULT_FIELDS: [&str; 2] = ["name", "value"];

/// What may be asked for, in the order in which a refusal lists it. Ironic forgot one bound.
pub(crate) const QUERYABLE: &[&str] = &[
    "allowable_values",
    "attribute_type",
    "created_at",
    "lower_bound",
    "links",
    "max_length",
    "min_length",
    "name",
    "node_uuid",
    "read_only",
    "reset_required",
    "unique",
    "updated_at",
    "value",
];

fn opt_int(w: &mut JsonWriter, value: Option<i64>) {
    match value {
        Some(value) => w.int(value),
        None => w.null(),
    }
}
