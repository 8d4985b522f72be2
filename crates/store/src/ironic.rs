//! A database of Ironic, as a source of rows: read only, in one consistent snapshot.
//!
//! What a table has is described by data ([`Scan`]); the statements are spelled here, for three
//! engines. Rows come in pages by their `id`, limited in number and bytes, so that the memory in use
//! does not depend on how many nodes there are. Values are taken as they are: SQLite enforces no
//! types, and texts may be in a wrong encoding. What they mean is decided in the crate `migrate`.

mod cell;
mod lock;
mod snapshot;
mod spelling;
mod target;

pub use cell::Cell;
pub use lock::{GroupLocks, RETURNED, Resisting, ResistingNode};
pub use snapshot::{Astray, ReadCost, SchemaFault, Snapshot};
pub use spelling::GroupRows;
pub use target::{IronicTarget, TargetFault, TargetRows, Value};

/// What a column holds in Ironic's models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    Text,
    Int,
    Bool,
    /// Date and time without a zone.
    Time,
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub kind: ColumnType,
    /// The position of the revision that brought it, in the list of known revisions.
    pub since: usize,
}

/// A value of another table's row that a column refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Join {
    /// How the value is called in the row that is read.
    pub name: &'static str,
    /// The column of this table.
    pub on: &'static str,
    pub table: &'static str,
    /// The column there that `on` is equal to.
    pub key: &'static str,
    /// The column there whose value is wanted.
    pub value: &'static str,
    pub kind: ColumnType,
}

/// What is read of a table.
#[derive(Debug, Clone, Copy)]
pub struct Scan {
    pub table: &'static str,
    /// The position of the revision that brought the table.
    pub since: usize,
    /// The column that rows are paged by: `id`, or the `id` of what they belong to.
    pub key: &'static str,
    /// What orders rows of one key.
    pub then: Option<&'static str>,
    pub fields: &'static [Field],
    pub joins: &'static [Join],
    /// Only the newest row of each value of this column.
    pub newest_of: Option<&'static str>,
}

/// How much a page may hold.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    pub rows: usize,
    pub bytes: usize,
}
