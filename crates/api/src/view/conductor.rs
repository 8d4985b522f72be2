//! How a conductor looks.

use crate::view::Field;
use types::{member::Member, version::since};

/// A conductor and whether it gave a sign of life lately.
#[derive(Debug)]
pub(crate) struct Shown {
    pub member: Member,
    pub alive: bool,
}

/// The fields of a conductor, in the order of the documents.
pub(crate) static FIELDS: &[Field<Shown>] = &[
    Field::new("created_at", since::CONDUCTORS, |w, c, _| {
        w.time(c.member.created_at)
    }),
    Field::new("updated_at", since::CONDUCTORS, |w, c, _| {
        w.opt_time(c.member.updated_at)
    }),
    Field::new("hostname", since::CONDUCTORS, |w, c, _| {
        w.str(&c.member.hostname)
    }),
    Field::new("conductor_group", since::CONDUCTORS, |w, c, _| {
        w.str(&c.member.conductor_group)
    }),
    Field::new("drivers", since::CONDUCTORS, |w, c, _| {
        w.begin_array();
        for driver in &c.member.drivers {
            w.str(driver);
        }
        w.end_array();
    }),
    Field::new("links", since::CONDUCTORS, |w, _, s| {
        s.links(w, "conductors")
    }),
    Field::new("alive", since::CONDUCTORS, |w, c, _| w.bool(c.alive)),
];

/// What a list shows when nothing else is asked for.
pub(crate) const DEFAULT_FIELDS: &[&str] = &["hostname", "conductor_group", "alive"];

/// The names that `fields` may ask for, in the order of the message about others.
pub(crate) const QUERYABLE: &[&str] = &[
    "alive",
    "conductor_group",
    "created_at",
    "drivers",
    "hostname",
    "links",
    "updated_at",
];
