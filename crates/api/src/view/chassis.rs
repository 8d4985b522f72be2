//! How a chassis looks.

use crate::view::Field;
use types::{Chassis, version::since};

/// The fields of a chassis, in the order of the documents.
pub(crate) static FIELDS: &[Field<Chassis>] = &[
    Field::new("uuid", since::BASE, |w, c, _| w.plain(c.id)),
    Field::new("created_at", since::BASE, |w, c, _| w.time(c.created_at)),
    Field::new("updated_at", since::BASE, |w, c, _| {
        w.opt_time(c.updated_at)
    }),
    Field::new("description", since::BASE, |w, c, _| {
        w.opt_str(c.description.as_deref())
    }),
    Field::new("extra", since::BASE, |w, c, _| w.map(&c.extra)),
    Field::new("links", since::BASE, |w, _, s| s.links(w, "chassis")),
    // A list in a list: a stray comma in Ironic that its clients have learnt to expect.
    Field::new("nodes", since::BASE, |w, _, s| {
        w.begin_array();
        s.links_below(w, "chassis", "nodes");
        w.end_array();
    }),
];

/// What a list shows when nothing else is asked for.
pub(crate) const DEFAULT_FIELDS: &[&str] = &["uuid", "description"];

/// The names that `fields` may ask for, in the order of the message about others.
pub(crate) const QUERYABLE: &[&str] = &[
    "created_at",
    "description",
    "extra",
    "links",
    "nodes",
    "updated_at",
    "uuid",
];
