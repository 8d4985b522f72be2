//! How resources look to a client: tables of fields, not mazes of conditions.
//!
//! A row says what a field is called, since which version it exists, and how it is written. The
//! same table answers which names `fields=` may ask for. Documents are written straight into the
//! answer; there is no tree in between.

pub(crate) mod allocation;
pub(crate) mod bios;
pub(crate) mod chassis;
pub(crate) mod conductor;
pub(crate) mod deploy_template;
pub(crate) mod firmware;
pub(crate) mod inspection_rule;
pub(crate) mod node;
pub(crate) mod port;
pub(crate) mod portgroup;
pub(crate) mod runbook;
pub(crate) mod secret;
pub(crate) mod step;
pub(crate) mod stored;
pub(crate) mod volume;

use crate::{call::Call, json_writer::JsonWriter};
use types::{ApiVersion, Conductor};

/// What the writers of fields need to know besides the row.
#[derive(Clone, Copy)]
pub(crate) struct ViewContext<'a> {
    /// What links start with.
    pub base: &'a str,
    pub version: ApiVersion,
    pub conductor: &'a dyn Conductor,
    /// What the caller sees of a node besides what everybody does.
    pub viewer: node::NodeVisibility<'a>,
    /// The text that links to the row use: its UUID, or a name where there is none.
    pub id: &'a str,
}

impl std::fmt::Debug for ViewContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scene")
            .field("version", &self.version)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl<'a> ViewContext<'a> {
    pub(crate) fn new(call: &'a Call, id: &'a str) -> Self {
        Self {
            base: &call.ctx.base,
            version: call.ctx.version,
            conductor: call.state.conductor.as_ref(),
            viewer: node::NodeVisibility::default(),
            id,
        }
    }

    /// The links of the row: `…/v1/{collection}/{id}` and the same without the version.
    pub(crate) fn links(&self, w: &mut JsonWriter, collection: &str) {
        w.links(self.base, &[collection, "/", self.id]);
    }

    /// Links to something below the row.
    pub(crate) fn links_below(&self, w: &mut JsonWriter, collection: &str, what: &str) {
        w.links(self.base, &[collection, "/", self.id, "/", what]);
    }
}

/// One field of a resource whose rows are of type `R`.
#[derive(Debug)]
pub(crate) struct Field<R: 'static> {
    pub name: &'static str,
    pub since: ApiVersion,
    pub write: fn(&mut JsonWriter, &R, &ViewContext<'_>),
}

impl<R> Field<R> {
    pub(crate) const fn new(
        name: &'static str,
        since: ApiVersion,
        write: fn(&mut JsonWriter, &R, &ViewContext<'_>),
    ) -> Self {
        Self { name, since, write }
    }
}

/// Which fields of a table are shown: one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Selection(u128);

impl Selection {
    /// Whether the field with this index in its table is shown.
    pub(crate) fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    /// Every field of the version.
    pub(crate) fn full<R>(table: &[Field<R>], version: ApiVersion) -> Self {
        Self::filter(table, version, |_| true)
    }

    /// The named fields, as far as the version has them, and `links`, which nobody can do without.
    pub(crate) fn named<R, S: AsRef<str>>(
        table: &[Field<R>],
        version: ApiVersion,
        names: &[S],
    ) -> Self {
        Self::filter(table, version, |field| {
            field == "links" || names.iter().any(|name| name.as_ref() == field)
        })
    }

    fn filter<R>(table: &[Field<R>], version: ApiVersion, wanted: impl Fn(&str) -> bool) -> Self {
        assert!(table.len() <= 128, "a selection has 128 bits");
        let mut bits = 0;
        for (index, field) in table.iter().enumerate() {
            if field.since <= version && wanted(field.name) {
                bits |= 1 << index;
            }
        }
        Self(bits)
    }
}

/// Writes the selected fields of a row as an object.
pub(crate) fn write<R>(
    w: &mut JsonWriter,
    table: &[Field<R>],
    selection: Selection,
    row: &R,
    scene: &ViewContext<'_>,
) {
    w.begin_object();
    for (index, field) in table.iter().enumerate() {
        if selection.has(index) {
            w.key(field.name);
            (field.write)(w, row, scene);
        }
    }
    w.end_object();
}
