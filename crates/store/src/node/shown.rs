//! Rows of the nodes table as the database holds them, for those who only show them.
//!
//! A [`types::Node`] is a hundred allocations: texts of their own, and trees of JSON. A list of a
//! thousand nodes makes a thousand of them, only to write each out and drop it again. A [`NodeRow`]
//! keeps the selected columns of one row in a single buffer that the next row is read into, and JSON
//! stays the text that it is. What a row is refused for is the same: a state or an id that cannot be
//! read is [`StoreError::Corrupt`]. JSON is checked by whoever writes it out.

use super::row::{COLUMNS, encode};
use crate::{
    StoreError,
    conn::{P, Row},
};
use postgres::types::Type;
use rusqlite::types::ValueRef;
use types::{Node, NodeId, PowerState, PowerTarget, ProvisionState, node::NodeFault};

/// A column of the nodes table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column(usize);

impl Column {
    /// The column of this name, which must exist: for constants, where a wrong name does not
    /// compile.
    pub const fn of(name: &str) -> Self {
        let mut at = 0;
        while at < COLUMNS.len() && !is_equal(COLUMNS[at], name) {
            at += 1;
        }
        assert!(at < COLUMNS.len(), "the nodes table has no such column");
        Self(at)
    }

    /// The column of this name, if there is one.
    pub fn find(name: &str) -> Option<Self> {
        COLUMNS.iter().position(|column| *column == name).map(Self)
    }

    fn name(self) -> &'static str {
        COLUMNS[self.0]
    }
}

const fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

const UUID: Column = Column::of("uuid");

/// Columns that hold JSON.
const JSON_COLUMNS: &[&str] = &[
    "driver_info",
    "driver_internal_info",
    "properties",
    "extra",
    "instance_info",
    "network_data",
    "clean_step",
    "deploy_step",
    "service_step",
    "raid_config",
    "target_raid_config",
    "traits",
];

/// Which columns are read: one bit for each. The UUID always is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnSet(u128);

impl ColumnSet {
    /// Nothing but the UUID.
    pub const ID: Self = Self(1 << UUID.0);
    pub const ALL: Self = Self((1 << COLUMNS.len()) - 1);

    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub const fn with(self, column: Column) -> Self {
        Self(self.0 | 1 << column.0)
    }

    /// Whether these are few, so that a row is read in no time.
    pub(super) const fn is_short(self) -> bool {
        self.0.count_ones() <= 16
    }

    fn columns(self) -> impl Iterator<Item = Column> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let at = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (at < COLUMNS.len()).then_some(Column(at))
        })
    }

    /// The columns as text, in the order in which [`NodeRow::fill`] reads them.
    pub(super) fn select(self) -> String {
        let mut text = String::with_capacity(1200);
        for column in self.columns() {
            if !text.is_empty() {
                text.push_str(", ");
            }
            text.push_str(column.name());
        }
        text
    }
}

/// What a column holds. Texts are parts of the row's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Null,
    Int(i64),
    Text { start: u32, end: u32 },
}

/// The selected columns of a node; those that are not selected are null.
#[derive(Debug, Clone)]
pub struct NodeRow {
    text: String,
    cells: Vec<Cell>,
}

impl NodeRow {
    pub(super) fn new() -> Self {
        Self {
            text: String::with_capacity(2048),
            cells: vec![Cell::Null; COLUMNS.len()],
        }
    }

    /// A node as it would be stored.
    pub fn of(node: &Node) -> Self {
        let mut row = Self::new();
        for (cell, value) in row.cells.iter_mut().zip(encode(node)) {
            *cell = match value {
                P::Null => Cell::Null,
                P::Bool(value) => Cell::Int(value.into()),
                P::Int(value) => Cell::Int(value),
                P::Text(text) => {
                    let start = row.text.len();
                    row.text.push_str(&text);
                    span(start, row.text.len())
                }
            };
        }
        row
    }

    /// `None` only if the row was never read.
    pub fn id(&self) -> Option<NodeId> {
        self.uuid().parse().ok()
    }

    /// The UUID as it is stored.
    pub fn uuid(&self) -> &str {
        self.text(UUID).unwrap_or_default()
    }

    pub fn text(&self, column: Column) -> Option<&str> {
        match self.cells[column.0] {
            Cell::Text { start, end } => self.text.get(start as usize..end as usize),
            Cell::Null | Cell::Int(_) => None,
        }
    }

    pub fn int(&self, column: Column) -> Option<i64> {
        match self.cells[column.0] {
            Cell::Int(value) => Some(value),
            Cell::Null | Cell::Text { .. } => None,
        }
    }

    pub fn flag(&self, column: Column) -> Option<bool> {
        self.int(column).map(|value| value != 0)
    }

    /// Reads the next row of a statement that selects these columns.
    pub(super) fn fill(&mut self, row: &Row<'_>, columns: ColumnSet) -> Result<(), StoreError> {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        match row {
            // The fastest of them: each cell is written where it stays, and not passed on.
            Row::Sqlite(row) => {
                for (at, column) in columns.columns().enumerate() {
                    let cell = &mut self.cells[column.0];
                    match row.get_ref(at)? {
                        ValueRef::Null => *cell = Cell::Null,
                        ValueRef::Integer(value) => *cell = Cell::Int(value),
                        ValueRef::Text(text) => *cell = append(&mut bytes, text),
                        ValueRef::Real(_) | ValueRef::Blob(_) => return Err(odd(column)),
                    }
                }
            }
            Row::Postgres(row) => {
                for (at, column) in columns.columns().enumerate() {
                    self.cells[column.0] = postgres_cell(row, at, &mut bytes)?;
                }
            }
            Row::MariaDb(row) => {
                for (at, column) in columns.columns().enumerate() {
                    self.cells[column.0] = mariadb_cell(row, at, column, &mut bytes)?;
                }
            }
        }
        self.text = String::from_utf8(bytes)
            .map_err(|error| corrupt("?", error.utf8_error().to_string()))?;
        parsed::<NodeId>(UUID, self.uuid())?;
        self.check::<ProvisionState>(const { Column::of("provision_state") })?;
        self.check::<ProvisionState>(const { Column::of("target_provision_state") })?;
        self.check::<PowerState>(const { Column::of("power_state") })?;
        self.check::<PowerTarget>(const { Column::of("target_power_state") })?;
        self.check::<NodeFault>(const { Column::of("fault") })
    }

    fn check<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        column: Column,
    ) -> Result<(), StoreError> {
        match self.text(column) {
            Some(text) => parsed::<T>(column, text).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Says which column of a row that could not be shown holds broken JSON.
    pub fn corrupt_json(&self) -> StoreError {
        for column in JSON_COLUMNS.iter().map(|name| Column::find(name)) {
            let text = column.and_then(|column| self.text(column));
            if let (Some(column), Some(text)) = (column, text)
                && let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text)
            {
                return corrupt(column.name(), error.to_string());
            }
        }
        corrupt("?", "JSON of another kind".into())
    }
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
    column: Column,
    text: &str,
) -> Result<T, StoreError> {
    text.parse()
        .map_err(|error: T::Err| corrupt(column.name(), error.to_string()))
}

fn corrupt(column: &str, reason: String) -> StoreError {
    StoreError::Corrupt {
        table: "nodes",
        column: column.to_owned(),
        reason,
    }
}

/// Rows of more than 4 GiB cannot be: no engine of ours has them.
fn span(start: usize, end: usize) -> Cell {
    let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Cell::Text {
        start: narrow(start),
        end: narrow(end),
    }
}

fn odd(column: Column) -> StoreError {
    corrupt(column.name(), "neither text nor a number".into())
}

/// One column of a row; its text is appended to `bytes`.
fn postgres_cell(row: &postgres::Row, at: usize, bytes: &mut Vec<u8>) -> Result<Cell, StoreError> {
    Ok(match *row.columns()[at].type_() {
        Type::BOOL => {
            let value: Option<bool> = row.try_get(at)?;
            value.map_or(Cell::Null, |value| Cell::Int(value.into()))
        }
        Type::INT8 => row
            .try_get::<_, Option<i64>>(at)?
            .map_or(Cell::Null, Cell::Int),
        _ => match row.try_get::<_, Option<&str>>(at)? {
            Some(text) => append(bytes, text.as_bytes()),
            None => Cell::Null,
        },
    })
}

/// The same for MariaDB.
fn mariadb_cell(
    row: &mysql_async::Row,
    at: usize,
    column: Column,
    bytes: &mut Vec<u8>,
) -> Result<Cell, StoreError> {
    match row.as_ref(at) {
        Some(mysql_async::Value::NULL) => Ok(Cell::Null),
        Some(mysql_async::Value::Bytes(text)) => Ok(append(bytes, text)),
        Some(mysql_async::Value::Int(value)) => Ok(Cell::Int(*value)),
        Some(mysql_async::Value::UInt(value)) => {
            let value = i64::try_from(*value).map_err(|_| odd(column))?;
            Ok(Cell::Int(value))
        }
        _ => Err(odd(column)),
    }
}

fn append(bytes: &mut Vec<u8>, text: &[u8]) -> Cell {
    let start = bytes.len();
    bytes.extend_from_slice(text);
    span(start, bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_selects_its_columns_in_the_order_of_the_table() {
        let set = ColumnSet::ID
            .with(Column::of("owner"))
            .with(Column::of("name"));
        assert_eq!(set.select(), "uuid, name, owner");
        assert_eq!(ColumnSet::ALL.select(), COLUMNS.join(", "));
        assert_eq!(Column::find("conductor"), None);
    }

    #[test]
    fn a_node_is_the_row_that_it_would_be_stored_as() {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n\u{e9}".into());
        node.maintenance = true;
        let row = NodeRow::of(&node);
        assert_eq!(row.id(), Some(node.id));
        assert_eq!(row.uuid(), node.id.to_string());
        assert_eq!(row.text(Column::of("name")), Some("n\u{e9}"));
        assert_eq!(row.text(Column::of("owner")), None);
        assert_eq!(row.text(Column::of("extra")), Some("{}"));
        assert_eq!(row.flag(Column::of("maintenance")), Some(true));
        assert_eq!(row.int(Column::of("created_at")), Some(node.created_at.0));
    }
}
