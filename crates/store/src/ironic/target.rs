//! A database of Ironic, as a place for rows: an empty one for all of them, or one that Ironic serves for
//! those of a conductor group. All of it is one transaction: Ironic finds everything, or nothing.

use super::{
    Cell, ColumnType, Field, SchemaFault,
    lock::{MOVED, RETURNED},
    spelling,
};
use crate::{
    Engine, Location, StoreError,
    conn::{Conn, P, Row},
    group_move::GroupName,
    migrate::has_table,
};
use std::{borrow::Cow, collections::HashMap};
use types::Timestamp;

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Int(i64),
    Bool(bool),
    Text(String),
    Time(Timestamp),
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}
impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}
impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
impl From<Timestamp> for Value {
    fn from(value: Timestamp) -> Self {
        Self::Time(value)
    }
}

/// Why nothing is written.
#[derive(Debug, thiserror::Error)]
pub enum TargetFault {
    #[error(transparent)]
    Schema(#[from] SchemaFault),
    #[error(
        "the schema is at revision '{found}', and rows are written for '{wanted}' only: let Ironic 39 \
         make it with 'ironic-dbsync create_schema'"
    )]
    Revision { found: String, wanted: &'static str },
    #[error(
        "the table '{0}' does not exist: let Ironic 39 make it with 'ironic-dbsync create_schema'"
    )]
    NoTable(&'static str),
    #[error("the database is not empty: the table '{table}' has {rows} rows")]
    NotEmpty { table: &'static str, rows: i64 },
    #[error("the database refuses row {row} of '{table}'")]
    Refused {
        table: &'static str,
        row: String,
        #[source]
        source: StoreError,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Rows of one table.
#[derive(Debug)]
pub struct TargetRows {
    pub table: &'static str,
    pub fields: Vec<Field>,
    /// What messages call each row, and its values.
    pub rows: Vec<(String, Vec<Value>)>,
}

/// The database. All calls block; must not be used on a runtime thread.
pub struct IronicTarget {
    conn: Conn,
    /// By table, number of columns, and number of rows: nodes are written with numbers and without.
    statements: HashMap<(&'static str, usize, usize), String>,
    /// Tables whose numbers were given, not drawn.
    numbered: Vec<&'static str>,
    /// Whether Ironic may draw numbers meanwhile; those given are numbers that it drew before.
    is_shared: bool,
}

impl std::fmt::Debug for IronicTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IronicTarget")
            .field("engine", &self.conn.engine())
            .finish_non_exhaustive()
    }
}

/// Tables whose rows belong to nodes, those that others refer to last.
const OF_NODES: &[&str] = &[
    "node_traits",
    "node_tags",
    "ports",
    "portgroups",
    "volume_connectors",
    "volume_targets",
    "bios_settings",
    "firmware_information",
    "node_inventory",
    "node_history",
];
/// The rows of so many nodes are removed at a time.
const CLEARED: usize = 500;
/// So many rows are written by one statement.
const BATCHES: &[usize] = &[64, 8, 1];
/// A statement of several rows is not larger than this.
const BATCH_BYTES: usize = 4 << 20;

impl IronicTarget {
    /// Begins to write into a database that has this schema and no row in these tables.
    pub fn begin(
        location: &Location,
        revision: &'static str,
        tables: &[&'static str],
    ) -> Result<Self, TargetFault> {
        let mut conn = begin(location, revision)?;
        for &table in tables {
            if !has_table(&mut conn, table)? {
                return Err(TargetFault::NoTable(table));
            }
            let rows = conn.number(&format!("SELECT COUNT(*) FROM \"{table}\""), &[])?;
            match rows.unwrap_or(0) {
                0 => {}
                rows => return Err(TargetFault::NotEmpty { table, rows }),
            }
        }
        Ok(Self {
            conn,
            statements: HashMap::new(),
            numbered: Vec::new(),
            is_shared: false,
        })
    }

    /// Begins to write a conductor group into a database that Ironic may serve meanwhile. Of the nodes that
    /// this service has locked there, nothing is left: they are to be written anew. What is returned are
    /// the numbers that they had, by their UUIDs.
    pub fn begin_group(
        location: &Location,
        revision: &'static str,
        group: &GroupName,
    ) -> Result<(Self, HashMap<String, i64>), TargetFault> {
        let mut target = Self {
            conn: begin(location, revision)?,
            statements: HashMap::new(),
            numbered: Vec::new(),
            is_shared: true,
        };
        let engine = target.conn.engine();
        let which = format!(
            "{} AND n.\"reservation\" IN ('{MOVED}', '{RETURNED}')",
            spelling::in_group(engine, "n", group)
        );
        let column = |name, kind| spelling::cast(engine, &format!("n.\"{name}\""), kind);
        let sql = format!(
            "SELECT {}, {}, {} FROM \"nodes\" n WHERE {which}",
            column("uuid", ColumnType::Text),
            column("id", ColumnType::Int),
            column("allocation_id", ColumnType::Int)
        );
        let found = target.conn.query(&sql, &[], |row| {
            let cell = |at, kind| Cell::read(row, at, kind);
            let int = |cell| match cell {
                Cell::Int(number) => Some(number),
                _ => None,
            };
            let uuid = cell(0, ColumnType::Text)?.into_text().unwrap_or_default();
            let number = int(cell(1, ColumnType::Int)?).unwrap_or_default();
            Ok((uuid, number, int(cell(2, ColumnType::Int)?)))
        })?;
        for part in found.chunks(CLEARED) {
            let numbers: Vec<String> = part.iter().map(|(_, id, _)| id.to_string()).collect();
            let numbers = numbers.join(", ");
            for table in OF_NODES {
                let sql = format!("DELETE FROM \"{table}\" WHERE \"node_id\" IN ({numbers})");
                target.conn.batch(&sql)?;
            }
            let sql = format!("DELETE FROM \"nodes\" WHERE \"id\" IN ({numbers})");
            target.conn.batch(&sql)?;
            let allocations: Vec<String> = part
                .iter()
                .filter_map(|(_, _, allocation)| Some((*allocation)?.to_string()))
                .collect();
            let mut gone = format!("\"node_id\" IN ({numbers})");
            if !allocations.is_empty() {
                gone = format!("{gone} OR \"id\" IN ({})", allocations.join(", "));
            }
            target
                .conn
                .batch(&format!("DELETE FROM \"allocations\" WHERE {gone}"))?;
        }
        let numbers = found.into_iter().map(|(uuid, id, _)| (uuid, id));
        Ok((target, numbers.collect()))
    }

    /// The number of a row, if there is one with this UUID.
    pub fn number_of(
        &mut self,
        table: &'static str,
        uuid: &str,
    ) -> Result<Option<i64>, TargetFault> {
        let id = spelling::cast(self.conn.engine(), "\"id\"", ColumnType::Int);
        let sql = format!("SELECT {id} FROM \"{table}\" WHERE \"uuid\" = $1");
        Ok(self.conn.number(&sql, &[uuid.into()])?)
    }

    /// Lets an allocation name its node.
    pub fn link_allocation(&mut self, allocation: i64, node: i64) -> Result<(), TargetFault> {
        let sql =
            format!("UPDATE \"allocations\" SET \"node_id\" = {node} WHERE \"id\" = {allocation}");
        self.conn.batch(&sql)?;
        Ok(())
    }

    /// Adds rows; the first that the database refuses ends it all.
    pub fn put(&mut self, rows: &TargetRows) -> Result<(), TargetFault> {
        let gives_numbers = rows.fields.iter().any(|field| field.name == "id");
        if gives_numbers && !self.numbered.contains(&rows.table) {
            self.numbered.push(rows.table);
        }
        let mut rest = &rows.rows[..];
        while !rest.is_empty() {
            let mut bytes = 0;
            let fitting = rest.iter().take_while(|(_, values)| {
                bytes += values.iter().map(size).sum::<usize>();
                bytes <= BATCH_BYTES
            });
            let most = fitting.count().max(1);
            let count = BATCHES.iter().copied().find(|&count| count <= most);
            let (now, later) = rest.split_at(count.unwrap_or(1));
            self.put_together(rows, now)?;
            rest = later;
        }
        Ok(())
    }

    fn put_together(
        &mut self,
        rows: &TargetRows,
        which: &[(String, Vec<Value>)],
    ) -> Result<(), TargetFault> {
        let engine = self.conn.engine();
        let sql = self
            .statements
            .entry((rows.table, rows.fields.len(), which.len()))
            .or_insert_with(|| statement(engine, rows, which.len()));
        let params: Vec<P<'_>> = which
            .iter()
            .flat_map(|(_, values)| values.iter().map(|value| param(engine, value)))
            .collect();
        let added = self.conn.execute(sql, &params);
        added.map(|_| ()).map_err(|source| {
            let label = |(row, _): &(String, Vec<Value>)| row.clone();
            let row = match which {
                [only] => label(only),
                [first, .., last] => format!("between {} and {}", label(first), label(last)),
                [] => String::new(),
            };
            TargetFault::Refused {
                table: rows.table,
                row,
                source,
            }
        })
    }

    /// Makes it so. PostgreSQL draws numbers from sequences, which must not begin with those given.
    pub fn commit(mut self) -> Result<(), StoreError> {
        if self.conn.engine() == Engine::Postgres && !self.is_shared {
            for table in &self.numbered {
                let sql = format!(
                    "SELECT setval(pg_get_serial_sequence('{table}', 'id'), \
                     (SELECT MAX(id) FROM \"{table}\"))"
                );
                self.conn.query(&sql, &[], |_| Ok(()))?;
            }
        }
        self.conn.batch("COMMIT")
    }
}

/// Begins a transaction in a database that has this schema.
fn begin(location: &Location, revision: &'static str) -> Result<Conn, TargetFault> {
    let mut conn = match location {
        Location::Sqlite(file) => {
            if !file.exists() {
                return Err(SchemaFault::NoRevision.into());
            }
            crate::open_sqlite(file, false)?
        }
        Location::Postgres(server) => server.connect()?,
        Location::MariaDb(server) => server.connect_to_read()?,
    };
    for statement in match conn.engine() {
        Engine::Sqlite => &["BEGIN IMMEDIATE"][..],
        Engine::Postgres => &["SET idle_in_transaction_session_timeout = 0", "BEGIN"][..],
        Engine::MariaDb => &["BEGIN"][..],
    } {
        conn.batch(statement)?;
    }
    if !has_table(&mut conn, "alembic_version")? {
        return Err(SchemaFault::NoRevision.into());
    }
    let read = |row: &Row<'_>| row.with_text(0, |text| text.unwrap_or_default().to_owned());
    let found = conn.query("SELECT version_num FROM alembic_version", &[], read)?;
    if found != [revision] {
        return Err(TargetFault::Revision {
            found: found.join(", "),
            wanted: revision,
        });
    }
    Ok(conn)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Null | Value::Int(_) | Value::Bool(_) | Value::Time(_) => 8,
    }
}

fn param(engine: Engine, value: &Value) -> P<'_> {
    match value {
        Value::Null => P::Null,
        Value::Int(number) => P::Int(*number),
        Value::Bool(flag) => P::Bool(*flag),
        Value::Text(text) => P::Text(Cow::Borrowed(text)),
        Value::Time(time) => {
            let text = time.naive().replacen('T', " ", 1);
            // MariaDB's columns have whole seconds, and it would round.
            let whole = text.split('.').next().unwrap_or_default().to_owned();
            P::Text(Cow::Owned(match engine {
                Engine::MariaDb => whole,
                Engine::Sqlite | Engine::Postgres => text,
            }))
        }
    }
}

fn statement(engine: Engine, rows: &TargetRows, count: usize) -> String {
    let names: Vec<String> = rows
        .fields
        .iter()
        .map(|field| format!("\"{}\"", field.name))
        .collect();
    let mut next = 0;
    let tuples: Vec<String> = (0..count)
        .map(|_| {
            let places: Vec<String> = rows
                .fields
                .iter()
                .map(|field| {
                    next += 1;
                    place(engine, field.kind, next)
                })
                .collect();
            format!("({})", places.join(", "))
        })
        .collect();
    format!(
        "INSERT INTO \"{}\" ({}) VALUES {}",
        rows.table,
        names.join(", "),
        tuples.join(", ")
    )
}

/// PostgreSQL is told what each value is.
fn place(engine: Engine, kind: ColumnType, number: usize) -> String {
    match (engine, kind) {
        (Engine::Postgres, ColumnType::Int) => format!("CAST(${number} AS BIGINT)"),
        (Engine::Postgres, ColumnType::Time) => {
            format!("CAST(CAST(${number} AS TEXT) AS TIMESTAMP)")
        }
        (Engine::Postgres, ColumnType::Text) => format!("CAST(${number} AS TEXT)"),
        (Engine::Postgres, ColumnType::Bool) => format!("CAST(${number} AS BOOLEAN)"),
        (Engine::Sqlite | Engine::MariaDb, _) => format!("${number}"),
    }
}
