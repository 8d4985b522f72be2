//! How a runbook looks.

use crate::view::{Field, step};
use types::{Runbook, version::since};

/// The fields of a runbook, in the order of the documents.
pub(crate) static FIELDS: &[Field<Runbook>] = &[
    Field::new("uuid", since::RUNBOOKS, |w, r, _| w.plain(r.id)),
    Field::new("created_at", since::RUNBOOKS, |w, r, _| {
        w.time(r.created_at)
    }),
    Field::new("updated_at", since::RUNBOOKS, |w, r, _| {
        w.opt_time(r.updated_at)
    }),
    Field::new("name", since::RUNBOOKS, |w, r, _| w.str(&r.name)),
    Field::new("steps", since::RUNBOOKS, |w, r, _| {
        w.begin_array();
        for s in &r.steps {
            step::write(w, s.interface, &s.step, &s.args, ("order", &s.order));
        }
        w.end_array();
    }),
    Field::new("disable_ramdisk", since::RUNBOOKS, |w, r, _| {
        w.bool(r.disable_ramdisk)
    }),
    Field::new("public", since::RUNBOOKS, |w, r, _| w.bool(r.public)),
    Field::new("owner", since::RUNBOOKS, |w, r, _| {
        w.opt_str(r.owner.as_deref())
    }),
    Field::new("extra", since::RUNBOOKS, |w, r, _| w.map(&r.extra)),
    Field::new("description", since::RUNBOOK_TRAITS, |w, r, _| {
        w.opt_str(r.description.as_deref())
    }),
    Field::new("traits", since::RUNBOOK_TRAITS, |w, r, _| {
        w.begin_array();
        for name in &r.traits {
            w.str(name);
        }
        w.end_array();
    }),
    Field::new("links", since::RUNBOOKS, |w, _, s| s.links(w, "runbooks")),
];

/// What a list shows when nothing else is asked for.
pub(crate) const DEFAULT_FIELDS: &[&str] = &["uuid", "name"];
