//! A connection that sees the foreign database as it was at one moment, and cannot write to it.

use super::{
    Cell, ColumnType, Limit, Scan,
    spelling::{self, GroupRows, Rows},
};
use crate::{
    Engine, Location, StoreError,
    conn::{Conn, Row},
    open_sqlite,
    pace::Pace,
};
use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// Why a database cannot be read as one of Ironic.
#[derive(Debug, thiserror::Error)]
pub enum SchemaFault {
    #[error(
        "the database has no table 'alembic_version': it is not one of Ironic, its schema was never \
         completed, or this user may not read it"
    )]
    NoRevision,
    #[error("the table 'alembic_version' has {0} rows and must have one")]
    ManyRevisions(usize),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A snapshot. All calls block; there is one at a time.
pub struct Snapshot {
    conn: Conn,
    /// Columns by table.
    columns: HashMap<String, HashSet<String>>,
    statements: HashMap<(&'static str, usize, Option<usize>), String>,
    pace: Pace<(&'static str, usize)>,
    asked: ReadCost,
    group: Option<GroupRows>,
}

/// What reading has cost the foreign database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadCost {
    pub statements: u64,
    /// From each statement to its last row.
    pub time: Duration,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("engine", &self.conn.engine())
            .finish_non_exhaustive()
    }
}

impl Snapshot {
    /// Connects, and begins a transaction that only reads. Must not be called on a runtime thread.
    pub fn open(location: &Location) -> Result<Self, StoreError> {
        let mut conn = match location {
            Location::Sqlite(file) => open_sqlite(file, true)?,
            Location::Postgres(server) => server.connect()?,
            Location::MariaDb(server) => server.connect_to_read()?,
        };
        let mut asked = ReadCost::default();
        for statement in begin(conn.engine()) {
            asked.of(|| conn.batch(statement))?;
        }
        let columns = asked.of(|| columns(&mut conn))?;
        Ok(Self {
            conn,
            columns,
            statements: HashMap::new(),
            pace: Pace::default(),
            asked,
            group: None,
        })
    }

    /// From now on only rows of a group are read, of tables whose rows belong to nodes.
    pub fn restrict(&mut self, group: GroupRows) {
        self.statements.clear();
        self.group = Some(group);
    }

    /// Whether not all rows are read.
    pub fn is_restricted(&self) -> bool {
        self.group.is_some()
    }

    /// What this snapshot has cost so far.
    pub fn asked(&self) -> ReadCost {
        self.asked
    }

    /// What is different after most changes of a table: how many rows it has, and the newest of their
    /// times and keys. Far less is sent than by reading the rows, and two changes within the second that
    /// Ironic's times count in may look alike.
    pub fn fingerprint(&mut self, scan: &Scan) -> Result<Vec<Option<String>>, StoreError> {
        if !self.has_table(scan.table) {
            return Ok(Vec::new());
        }
        let present = |column: &str| self.has(scan.table, column);
        let (sql, columns) = spelling::fingerprint(self.conn.engine(), scan, &present);
        let rows = self.asked.of(|| {
            self.conn.query(&sql, &[], |row| {
                let kinds = columns.iter().enumerate();
                let texts = kinds.map(|(at, kind)| Ok(Cell::read(row, at, *kind)?.into_text()));
                texts.collect::<Result<Vec<_>, StoreError>>()
            })
        })?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Which migration of Ironic the schema is at.
    pub fn revision(&mut self) -> Result<String, SchemaFault> {
        if !self.has("alembic_version", "version_num") {
            return Err(SchemaFault::NoRevision);
        }
        let sql = "SELECT version_num FROM alembic_version";
        let read = |row: &Row<'_>| row.with_text(0, |text| text.unwrap_or_default().to_owned());
        let mut found = self.asked.of(|| self.conn.query(sql, &[], read))?;
        match (found.pop(), found.len()) {
            (Some(revision), 0) => Ok(revision),
            (None, _) => Err(SchemaFault::ManyRevisions(0)),
            (Some(_), others) => Err(SchemaFault::ManyRevisions(others + 1)),
        }
    }

    /// Whether a table has a column.
    pub fn has(&self, table: &str, column: &str) -> bool {
        self.columns
            .get(table)
            .is_some_and(|columns| columns.contains(column))
    }

    pub fn has_table(&self, table: &str) -> bool {
        self.columns.contains_key(table)
    }

    /// How many rows a table has; none if there is no such table.
    pub fn count(&mut self, table: &'static str) -> Result<i64, StoreError> {
        if !self.has_table(table) {
            return Ok(0);
        }
        let sql = format!("SELECT COUNT(*) FROM \"{table}\"");
        let count = self.asked.of(|| self.conn.number(&sql, &[]))?;
        Ok(count.unwrap_or(0))
    }

    /// The rows behind a key, up to a limit; empty behind the last one. Each begins with its key.
    pub fn page(
        &mut self,
        scan: &Scan,
        after: i64,
        limit: Limit,
    ) -> Result<Vec<Vec<Cell>>, StoreError> {
        if !self.has_table(scan.table) {
            return Ok(Vec::new());
        }
        let asked = self.pace.rows(&shape(scan), limit.rows);
        let sql = self.statement(scan, Rows::After { limit: asked });
        let (mut rows, mut bytes) = (Vec::new(), 0);
        self.asked.of(|| {
            self.conn.visit(&sql, &[after.into()], false, |row| {
                let row = cells(row, scan)?;
                bytes += row.iter().map(Cell::size).sum::<usize>();
                rows.push(row);
                Ok(if bytes > limit.bytes {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            })
        })?;
        let is_full = bytes > limit.bytes;
        self.pace.note(shape(scan), asked, rows.len(), is_full);
        Ok(rows)
    }

    /// All rows whose keys are behind one and not behind another.
    pub fn between(
        &mut self,
        scan: &Scan,
        after: i64,
        until: i64,
    ) -> Result<Vec<Vec<Cell>>, StoreError> {
        if !self.has_table(scan.table) || after >= until {
            return Ok(Vec::new());
        }
        let sql = self.statement(scan, Rows::Between);
        let params = [after.into(), until.into()];
        let read = || self.conn.query(&sql, &params, |row| cells(row, scan));
        self.asked.of(read)
    }

    /// The last of so many distinct keys behind one, of a table whose rows belong to others.
    pub fn last_key(
        &mut self,
        scan: &Scan,
        after: i64,
        keys: usize,
    ) -> Result<Option<i64>, StoreError> {
        if !self.has_table(scan.table) {
            return Ok(None);
        }
        let sql = spelling::last_of(self.conn.engine(), scan, keys, self.group.as_ref());
        self.asked.of(|| self.conn.number(&sql, &[after.into()]))
    }

    /// Parts that belong to no row of `owner`; without one, those whose key is no number, which no page
    /// has.
    pub fn astray(&mut self, scan: &Scan, owner: Option<&str>) -> Result<Astray, StoreError> {
        if !self.has_table(scan.table) {
            return Ok(Astray::default());
        }
        let engine = self.conn.engine();
        let count = spelling::count_astray(engine, scan, owner);
        let count = self.asked.of(|| self.conn.number(&count, &[]))?;
        let count = count.unwrap_or(0);
        let mut astray = Astray {
            count: count.unsigned_abs(),
            first: Vec::new(),
        };
        if count > 0 {
            let sql = spelling::select_astray(engine, scan, owner, MOST_ASTRAY);
            astray.first = self.asked.of(|| {
                self.conn.query(&sql, &[], |row| {
                    let text = |at| {
                        Ok::<_, StoreError>(Cell::read(row, at, ColumnType::Text)?.into_text())
                    };
                    Ok((text(0)?, text(1)?.unwrap_or_default()))
                })
            })?;
        }
        Ok(astray)
    }

    fn statement(&mut self, scan: &Scan, rows: Rows) -> String {
        let limit = match rows {
            Rows::After { limit } => Some(limit),
            Rows::Between => None,
        };
        let (table, columns) = shape(scan);
        let key = (table, columns, limit);
        if let Some(known) = self.statements.get(&key) {
            return known.clone();
        }
        let present = |table: &str, column: &str| self.has(table, column);
        let sql = spelling::select(
            self.conn.engine(),
            scan,
            &present,
            rows,
            self.group.as_ref(),
        );
        self.statements.insert(key, sql.clone());
        sql
    }
}

impl ReadCost {
    /// Counts one statement.
    fn of<T>(&mut self, ask: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let answered = ask();
        self.statements += 1;
        self.time += began.elapsed();
        answered
    }

    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            statements: self.statements + other.statements,
            time: self.time + other.time,
        }
    }
}

/// Parts of no row.
#[derive(Debug, Default)]
pub struct Astray {
    pub count: u64,
    /// The owner that each names, and what it is called.
    pub first: Vec<(Option<String>, String)>,
}

/// So many of them are named.
const MOST_ASTRAY: usize = 1000;

/// Scans of one table differ by their columns.
fn shape(scan: &Scan) -> (&'static str, usize) {
    (scan.table, scan.fields.len())
}

fn cells(row: &Row<'_>, scan: &Scan) -> Result<Vec<Cell>, StoreError> {
    let key = std::iter::once(ColumnType::Int);
    let fields = scan.fields.iter().map(|field| field.kind);
    let kinds = key
        .chain(fields)
        .chain(scan.joins.iter().map(|join| join.kind));
    let cells = kinds
        .enumerate()
        .map(|(at, kind)| Cell::read(row, at, kind));
    cells.collect()
}

/// What begins a snapshot.
fn begin(engine: Engine) -> &'static [&'static str] {
    match engine {
        // SQLite's snapshot begins with the first read.
        Engine::Sqlite => &["PRAGMA query_only = ON", "BEGIN"],
        Engine::Postgres => &[
            "SET idle_in_transaction_session_timeout = 0",
            "SET client_encoding = 'UTF8'",
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        ],
        Engine::MariaDb => &[
            "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
        ],
    }
}

/// The columns that can be seen, by table.
fn columns(conn: &mut Conn) -> Result<HashMap<String, HashSet<String>>, StoreError> {
    let sql = match conn.engine() {
        Engine::Sqlite => {
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
             WHERE m.type = 'table'"
        }
        Engine::Postgres => {
            "SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) \
             FROM information_schema.columns WHERE table_schema = current_schema()"
        }
        Engine::MariaDb => {
            "SELECT table_name, column_name FROM information_schema.columns \
             WHERE table_schema = DATABASE()"
        }
    };
    let mut found: HashMap<String, HashSet<String>> = HashMap::new();
    let text = |row: &Row<'_>, at| match Cell::read(row, at, ColumnType::Text)? {
        Cell::Text(text) => Ok(text),
        _ => Ok::<_, StoreError>(String::new()),
    };
    for (table, column) in conn.query(sql, &[], |row| Ok((text(row, 0)?, text(row, 1)?)))? {
        found.entry(table).or_default().insert(column);
    }
    Ok(found)
}
