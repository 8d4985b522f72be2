//! An empty database of Ironic, as a place for rows. All of it is one transaction: Ironic finds
//! everything, or nothing.

use super::{ColumnType, Field, SchemaFault};
use crate::{
    Engine, Location, StoreError,
    conn::{Conn, P, Row},
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
    statements: HashMap<(&'static str, usize), String>,
    /// Tables whose numbers were given, not drawn.
    numbered: Vec<&'static str>,
}

impl std::fmt::Debug for IronicTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IronicTarget")
            .field("engine", &self.conn.engine())
            .finish_non_exhaustive()
    }
}

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
        })
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
            .entry((rows.table, which.len()))
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
        if self.conn.engine() == Engine::Postgres {
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
