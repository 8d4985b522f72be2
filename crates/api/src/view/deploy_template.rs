//! How a deploy template looks.

use crate::view::{Field, step};
use types::{DeployTemplate, version::since};

/// The fields of a template, in the order of the documents.
pub(crate) static FIELDS: &[Field<DeployTemplate>] = &[
    Field::new("uuid", since::DEPLOY_TEMPLATES, |w, t, _| w.plain(t.id)),
    Field::new("created_at", since::DEPLOY_TEMPLATES, |w, t, _| {
        w.time(t.created_at)
    }),
    Field::new("updated_at", since::DEPLOY_TEMPLATES, |w, t, _| {
        w.opt_time(t.updated_at)
    }),
    Field::new("extra", since::DEPLOY_TEMPLATES, |w, t, _| w.map(&t.extra)),
    Field::new("name", since::DEPLOY_TEMPLATES, |w, t, _| w.str(&t.name)),
    Field::new("steps", since::DEPLOY_TEMPLATES, |w, t, _| {
        w.begin_array();
        for s in &t.steps {
            step::write(w, s.interface, &s.step, &s.args, ("priority", &s.priority));
        }
        w.end_array();
    }),
    Field::new("links", since::DEPLOY_TEMPLATES, |w, _, s| {
        s.links(w, "deploy_templates")
    }),
];

/// What a list shows when nothing else is asked for.
pub(crate) const DEFAULT_FIELDS: &[&str] = &["uuid", "name"];

/// What may be asked for, in the order in which a refusal lists it. There is no description, but
/// Ironic knows that only later.
pub(crate) const QUERYABLE: &[&str] = &[
    "created_at",
    "description",
    "extra",
    "links",
    "name",
    "steps",
    "updated_at",
    "uuid",
];
