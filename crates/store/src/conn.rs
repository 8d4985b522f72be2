//! One connection, whichever the engine, and what goes in and out of it.
//!
//! The same SQL text runs on every engine: placeholders are `$1 … $n`, each used once and in
//! order, so that SQLite (which numbers them by appearance) and MariaDB (where they become `?`)
//! agree with PostgreSQL.

mod mariadb;

pub(crate) use mariadb::{MariaDbConn, spelled as spelled_for_mariadb};

use crate::StoreError;
use postgres::{
    fallible_iterator::FallibleIterator as _,
    types::{IsNull, ToSql, Type, private::BytesMut},
};
use rusqlite::types::ValueRef;
use std::{borrow::Cow, collections::HashMap, ops::ControlFlow};
use types::{JsonMap, Timestamp};

/// A parameter.
#[derive(Debug, Clone)]
pub(crate) enum P<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Text(Cow<'a, str>),
}

impl P<'_> {
    /// JSON text of plain values: lists, options, JSON itself. Those always serialise.
    pub(crate) fn json(value: &impl serde::Serialize) -> Self {
        P::Text(Cow::Owned(serde_json::to_string(value).unwrap_or_default()))
    }

    /// What PostgreSQL is to take it for, where it does not find out by itself.
    fn kind(&self) -> Type {
        match self {
            P::Null => Type::UNKNOWN,
            P::Bool(_) => Type::BOOL,
            P::Int(_) => Type::INT8,
            P::Text(_) => Type::TEXT,
        }
    }
}

impl<'a> From<&'a str> for P<'a> {
    fn from(text: &'a str) -> Self {
        P::Text(Cow::Borrowed(text))
    }
}
impl<'a> From<&'a String> for P<'a> {
    fn from(text: &'a String) -> Self {
        P::Text(Cow::Borrowed(text))
    }
}
impl From<String> for P<'_> {
    fn from(text: String) -> Self {
        P::Text(Cow::Owned(text))
    }
}
impl From<i64> for P<'_> {
    fn from(value: i64) -> Self {
        P::Int(value)
    }
}
impl From<bool> for P<'_> {
    fn from(value: bool) -> Self {
        P::Bool(value)
    }
}
impl From<Timestamp> for P<'_> {
    fn from(value: Timestamp) -> Self {
        P::Int(value.0)
    }
}
impl<'a> From<&'a JsonMap> for P<'a> {
    fn from(map: &'a JsonMap) -> Self {
        if map.is_empty() {
            return P::Text(Cow::Borrowed("{}"));
        }
        // A map of JSON values always serialises.
        P::Text(Cow::Owned(serde_json::to_string(map).unwrap_or_default()))
    }
}
impl<'a, T: Into<P<'a>>> From<Option<T>> for P<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(P::Null, Into::into)
    }
}

impl rusqlite::ToSql for P<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::ToSqlOutput;
        Ok(ToSqlOutput::Borrowed(match self {
            P::Null => ValueRef::Null,
            P::Bool(value) => ValueRef::Integer(i64::from(*value)),
            P::Int(value) => ValueRef::Integer(*value),
            P::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

impl ToSql for P<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            P::Null => Ok(IsNull::Yes),
            P::Bool(value) => value.to_sql(kind, out),
            P::Int(value) => value.to_sql(kind, out),
            // PostgreSQL has no NUL in texts. What clients send was checked before; what hardware
            // said must not stop the write that tells of it.
            P::Text(text) if text.contains('\0') => {
                text.replace('\0', "\u{fffd}").to_sql(kind, out)
            }
            P::Text(text) => text.as_ref().to_sql(kind, out),
        }
    }
    fn accepts(_: &Type) -> bool {
        true
    }
    postgres::types::to_sql_checked!();
}

/// A connection.
pub(crate) enum Conn {
    Sqlite(rusqlite::Connection),
    Postgres {
        client: Box<postgres::Client>,
        statements: HashMap<String, postgres::Statement>,
    },
    MariaDb(Box<MariaDbConn>),
}

/// Which words an engine uses where the common subset has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
    MariaDb,
}

impl Conn {
    pub(crate) fn postgres(client: postgres::Client) -> Self {
        Self::Postgres {
            client: Box::new(client),
            statements: HashMap::new(),
        }
    }

    pub(crate) fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres { .. } => Engine::Postgres,
            Self::MariaDb(_) => Engine::MariaDb,
        }
    }

    /// Whether the connection is lost, as far as can be known before using it.
    pub(crate) fn is_closed(&mut self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            Self::Postgres { client, .. } => client.is_closed(),
            Self::MariaDb(client) => client.is_closed(),
        }
    }

    /// Takes the row of a parent, so that it cannot go away before we commit; false when there is
    /// none. SQLite has one writer and needs no lock.
    pub(crate) fn hold_row(&mut self, table: &str, uuid: &str) -> Result<bool, StoreError> {
        let lock = match self.engine() {
            Engine::Sqlite => "",
            Engine::Postgres | Engine::MariaDb => " FOR UPDATE",
        };
        let sql = format!("SELECT id FROM {table} WHERE uuid = $1{lock}");
        Ok(self.number(&sql, &[uuid.into()])?.is_some())
    }

    /// Runs statements that take no parameters and give no rows.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(conn) => Ok(conn.execute_batch(sql)?),
            Self::Postgres { client, .. } => Ok(client.batch_execute(sql)?),
            Self::MariaDb(client) => client.batch(sql),
        }
    }

    /// Runs a statement and says how many rows it touched.
    pub(crate) fn execute(&mut self, sql: &str, params: &[P<'_>]) -> Result<u64, StoreError> {
        match self {
            Self::Sqlite(conn) => {
                let mut statement = conn.prepare_cached(sql)?;
                let touched = statement.execute(rusqlite::params_from_iter(params))?;
                Ok(touched as u64)
            }
            Self::Postgres { client, statements } => {
                let statement = prepared(client, statements, sql)?;
                let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|p| p as _).collect();
                Ok(client.execute(&statement, &params)?)
            }
            Self::MariaDb(client) => client.execute(sql, params),
        }
    }

    /// Runs a statement about something that must be there.
    pub(crate) fn execute_on(&mut self, sql: &str, params: &[P<'_>]) -> Result<(), StoreError> {
        match self.execute(sql, params)? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    }

    /// Runs a query and reads every row.
    pub(crate) fn query<T>(
        &mut self,
        sql: &str,
        params: &[P<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        match self {
            Self::Sqlite(conn) => {
                let mut statement = conn.prepare_cached(sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(params))?;
                let mut out = Vec::new();
                while let Some(row) = rows.next()? {
                    out.push(read(&Row::Sqlite(row))?);
                }
                Ok(out)
            }
            Self::Postgres { client, statements } => {
                let statement = prepared(client, statements, sql)?;
                let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|p| p as _).collect();
                let rows = client.query(&statement, &params)?;
                rows.iter().map(|row| read(&Row::Postgres(row))).collect()
            }
            Self::MariaDb(client) => {
                let rows = client.query(sql, params)?;
                rows.iter().map(|row| read(&Row::MariaDb(row))).collect()
            }
        }
    }

    /// As [`Conn::query`], with a plan for just these values.
    ///
    /// A prepared statement of PostgreSQL ends up with one plan for all values, which supposes that
    /// each of them is as common as the others. It then walks through all nodes to find ten that are
    /// in a rare state. The other engines make no such guess.
    pub(crate) fn query_by_value<T>(
        &mut self,
        sql: &str,
        params: &[P<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let Self::Postgres { client, .. } = self else {
            return self.query(sql, params, read);
        };
        let typed = params.iter().map(|p| (p as &(dyn ToSql + Sync), p.kind()));
        let rows = client.query_typed(sql, &typed.collect::<Vec<_>>())?;
        rows.iter().map(|row| read(&Row::Postgres(row))).collect()
    }

    /// As [`Conn::query_by_value`] if `by_value` and [`Conn::query`] otherwise, but rows are lent to
    /// `read` one after the other, until it has enough: no engine's client collects them first.
    pub(crate) fn visit(
        &mut self,
        sql: &str,
        params: &[P<'_>],
        by_value: bool,
        mut read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(conn) => {
                let mut statement = conn.prepare_cached(sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(params))?;
                while let Some(row) = rows.next()? {
                    if read(&Row::Sqlite(row))?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
            Self::Postgres { client, statements } => {
                let mut rows = if by_value {
                    let typed = params.iter().map(|p| (p, p.kind()));
                    client.query_typed_raw(sql, typed)?
                } else {
                    let statement = prepared(client, statements, sql)?;
                    client.query_raw(&statement, params)?
                };
                while let Some(row) = rows.next()? {
                    if read(&Row::Postgres(&row))?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
            Self::MariaDb(client) => client.visit(sql, params, |row| read(&Row::MariaDb(row))),
        }
    }

    /// SQLite's number for what others have committed, as this connection sees it now.
    pub(crate) fn data_version(&mut self) -> Result<Option<i64>, StoreError> {
        match self {
            Self::Sqlite(conn) => {
                let mut statement = conn.prepare_cached("PRAGMA data_version")?;
                Ok(Some(statement.query_row([], |row| row.get(0))?))
            }
            Self::Postgres { .. } | Self::MariaDb(_) => Ok(None),
        }
    }

    /// Runs a query and reads its first row.
    pub(crate) fn query_opt<T>(
        &mut self,
        sql: &str,
        params: &[P<'_>],
        read: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.query(sql, params, read)?.into_iter().next())
    }

    /// The one number that a query gives.
    pub(crate) fn number(
        &mut self,
        sql: &str,
        params: &[P<'_>],
    ) -> Result<Option<i64>, StoreError> {
        Ok(self.query_opt(sql, params, |row| row.opt_int(0))?.flatten())
    }
}

/// Lists have many shapes of filters; beyond this many statements a cache starts anew.
const CACHED: usize = 256;

fn prepared(
    client: &mut postgres::Client,
    statements: &mut HashMap<String, postgres::Statement>,
    sql: &str,
) -> Result<postgres::Statement, StoreError> {
    if let Some(statement) = statements.get(sql) {
        return Ok(statement.clone());
    }
    let statement = client.prepare(sql)?;
    if statements.len() >= CACHED {
        statements.clear();
    }
    statements.insert(sql.to_owned(), statement.clone());
    Ok(statement)
}

/// A row of a result; columns are numbered from 0.
pub(crate) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a postgres::Row),
    MariaDb(&'a mysql_async::Row),
}

impl Row<'_> {
    pub(crate) fn opt_int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
            Self::MariaDb(row) => mariadb::opt_int(row, column),
        }
    }

    pub(crate) fn opt_bool(&self, column: usize) -> Result<Option<bool>, StoreError> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
            Self::MariaDb(row) => Ok(mariadb::opt_int(row, column)?.map(|value| value != 0)),
        }
    }

    /// How many bytes it takes, roughly.
    pub(crate) fn size(&self) -> Result<usize, StoreError> {
        Ok(match self {
            Self::Sqlite(row) => {
                let columns = row.as_ref().column_count();
                let mut bytes = 0;
                for column in 0..columns {
                    bytes += match row.get_ref(column)? {
                        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
                        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 8,
                    };
                }
                bytes
            }
            Self::Postgres(row) => row.raw_size_bytes(),
            Self::MariaDb(row) => mariadb::size(row),
        })
    }

    /// Lends the text of a column to `read`.
    pub(crate) fn with_text<T>(
        &self,
        column: usize,
        read: impl FnOnce(Option<&str>) -> T,
    ) -> Result<T, StoreError> {
        match self {
            Self::Sqlite(row) => {
                let value = row.get_ref(column)?;
                Ok(read(value.as_str_or_null().map_err(rusqlite::Error::from)?))
            }
            Self::Postgres(row) => Ok(read(row.try_get::<_, Option<&str>>(column)?)),
            Self::MariaDb(row) => Ok(read(mariadb::opt_text(row, column)?)),
        }
    }
}

/// Reads the columns of a row from left to right.
pub(crate) struct Reader<'r, 'a> {
    row: &'r Row<'a>,
    table: &'static str,
    columns: &'static [&'static str],
    next: usize,
}

impl<'r, 'a> Reader<'r, 'a> {
    /// `columns` are the names of the selected columns, for messages.
    pub(crate) fn new(
        row: &'r Row<'a>,
        table: &'static str,
        columns: &'static [&'static str],
    ) -> Self {
        Self {
            row,
            table,
            columns,
            next: 0,
        }
    }

    fn advance(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    fn corrupt(&self, column: usize, reason: impl Into<String>) -> StoreError {
        let column = self.columns.get(column).copied().unwrap_or("?").to_owned();
        StoreError::Corrupt {
            table: self.table,
            column,
            reason: reason.into(),
        }
    }

    pub(crate) fn opt_int(&mut self) -> Result<Option<i64>, StoreError> {
        let column = self.advance();
        self.row.opt_int(column)
    }

    pub(crate) fn int(&mut self) -> Result<i64, StoreError> {
        let column = self.advance();
        self.row
            .opt_int(column)?
            .ok_or_else(|| self.corrupt(column, "value is NULL"))
    }

    pub(crate) fn time(&mut self) -> Result<Timestamp, StoreError> {
        self.int().map(Timestamp)
    }

    pub(crate) fn opt_time(&mut self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.opt_int()?.map(Timestamp))
    }

    pub(crate) fn opt_bool(&mut self) -> Result<Option<bool>, StoreError> {
        let column = self.advance();
        self.row.opt_bool(column)
    }

    pub(crate) fn boolean(&mut self) -> Result<bool, StoreError> {
        Ok(self.opt_bool()?.unwrap_or(false))
    }

    /// A flag in two columns, of which the second is true where the first is not set.
    pub(crate) fn unset_or_boolean(&mut self) -> Result<Option<bool>, StoreError> {
        let (on, is_unset) = (self.boolean()?, self.boolean()?);
        // A program that knows only the first column may have set it meanwhile.
        Ok((on || !is_unset).then_some(on))
    }

    pub(crate) fn opt_text(&mut self) -> Result<Option<String>, StoreError> {
        let column = self.advance();
        self.row.with_text(column, |text| text.map(str::to_owned))
    }

    pub(crate) fn text(&mut self) -> Result<String, StoreError> {
        Ok(self.opt_text()?.unwrap_or_default())
    }

    /// A text that names a value: an id, a state.
    pub(crate) fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
        &mut self,
    ) -> Result<T, StoreError> {
        let column = self.advance();
        let read = self
            .row
            .with_text(column, |text| text.unwrap_or_default().parse::<T>())?;
        read.map_err(|error| self.corrupt(column, error.to_string()))
    }

    pub(crate) fn opt_parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
        &mut self,
    ) -> Result<Option<T>, StoreError> {
        let column = self.advance();
        let read = self
            .row
            .with_text(column, |text| text.map(str::parse::<T>).transpose())?;
        read.map_err(|error| self.corrupt(column, error.to_string()))
    }

    /// The same in a column that cannot be NULL, where an empty text stands for nothing.
    pub(crate) fn parsed_unless_empty<T: std::str::FromStr<Err: std::fmt::Display>>(
        &mut self,
    ) -> Result<Option<T>, StoreError> {
        let column = self.advance();
        let read = self.row.with_text(column, |text| {
            let text = text.filter(|text| !text.is_empty());
            text.map(str::parse::<T>).transpose()
        })?;
        read.map_err(|error| self.corrupt(column, error.to_string()))
    }

    /// A JSON value of any type.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        let column = self.advance();
        let read = self
            .row
            .with_text(column, |text| serde_json::from_str(text.unwrap_or("null")))?;
        read.map_err(|error| self.corrupt(column, error.to_string()))
    }

    /// A JSON object. Most are empty, and those cost nothing.
    pub(crate) fn map(&mut self) -> Result<JsonMap, StoreError> {
        let column = self.advance();
        let read = self.row.with_text(column, |text| match text {
            None | Some("{}") => Ok(JsonMap::new()),
            Some(text) => serde_json::from_str(text),
        })?;
        read.map_err(|error| self.corrupt(column, error.to_string()))
    }
}
