//! A connection to MariaDB: our statements in its words, and its values in ours.

use super::P;
use crate::{StoreError, mariadb::in_time};
use mysql_async::{Opts, Row, Statement, Value, prelude::Queryable};
use std::{
    collections::HashMap,
    ops::ControlFlow,
    time::{Duration, Instant},
};
use tokio::runtime::{Builder, Runtime};

/// A client with its prepared statements.
///
/// The client is written for async programs. It gets a runtime of its own that runs on the calling
/// thread, and only while a call waits for the server; the client of PostgreSQL does the same.
pub(crate) struct MariaDbConn {
    /// Taken when the connection is closed.
    client: Option<mysql_async::Conn>,
    runtime: Runtime,
    /// How long a statement may take. A server that is silent for so long is taken for lost.
    answer_timeout: Duration,
    /// By our own text of them.
    statements: HashMap<String, Statement>,
    used: Instant,
    /// The conversation was cut or is out of step.
    broken: bool,
}

/// Servers and load balancers drop idle connections. After so long a pause, ping before use.
const PAUSE: Duration = Duration::from_secs(5);

/// How long saying goodbye to the server may take. It logs connections that end without.
const GOODBYE: Duration = Duration::from_secs(1);

impl MariaDbConn {
    pub(crate) fn connect(
        options: Opts,
        connect_timeout: Duration,
        answer_timeout: Duration,
    ) -> mysql_async::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let connected = in_time(connect_timeout, mysql_async::Conn::new(options));
        let client = runtime.block_on(connected)?;
        Ok(Self {
            client: Some(client),
            runtime,
            answer_timeout,
            statements: HashMap::new(),
            used: Instant::now(),
            broken: false,
        })
    }

    /// Whether the connection is lost, as far as can be known before using it.
    pub(crate) fn is_closed(&mut self) -> bool {
        if !self.broken && self.used.elapsed() > PAUSE {
            self.broken |= self.ask(async |client| client.ping().await).is_err();
        }
        self.broken
    }

    /// Runs statements that take no parameters and give no rows, in MariaDB's own words.
    pub(super) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        self.ask(async |client| client.query_drop(sql).await)
    }

    pub(super) fn execute(&mut self, sql: &str, params: &[P<'_>]) -> Result<u64, StoreError> {
        let statement = self.prepared(sql)?;
        self.ask(async |client| {
            client.exec_drop(&statement, values(params)).await?;
            Ok(client.affected_rows())
        })
    }

    pub(super) fn query(&mut self, sql: &str, params: &[P<'_>]) -> Result<Vec<Row>, StoreError> {
        let statement = self.prepared(sql)?;
        self.ask(async |client| client.exec(&statement, values(params)).await)
    }

    /// Lends rows to `read` one after the other, until it has enough.
    pub(super) fn visit(
        &mut self,
        sql: &str,
        params: &[P<'_>],
        mut read: impl FnMut(&Row) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let statement = self.prepared(sql)?;
        self.ask(async |client| {
            let mut rows = client.exec_iter(&statement, values(params)).await?;
            let mut outcome = Ok(ControlFlow::Continue(()));
            // What is left behind the last row that is wanted must leave the connection all the same.
            let each = |row| {
                if let Ok(ControlFlow::Continue(())) = outcome {
                    outcome = read(&row);
                }
            };
            rows.for_each(each).await?;
            rows.drop_result().await?;
            Ok(outcome.map(|_| ()))
        })?
    }

    fn prepared(&mut self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.ask(async |client| client.prep(spelled(sql)).await)?;
        if self.statements.len() >= super::CACHED {
            for (_, old) in std::mem::take(&mut self.statements) {
                self.ask(async |client| client.close(old).await)?;
            }
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Waits for the server. Remembers when the connection was used last, and whether that was the
    /// end of it.
    fn ask<T>(
        &mut self,
        question: impl AsyncFnOnce(&mut mysql_async::Conn) -> mysql_async::Result<T>,
    ) -> Result<T, StoreError> {
        let outcome = match &mut self.client {
            Some(client) => {
                let answer = in_time(self.answer_timeout, question(client));
                self.runtime.block_on(answer)
            }
            None => Err(mysql_async::DriverError::ConnectionClosed.into()),
        };
        self.used = Instant::now();
        outcome.map_err(|error| {
            let error = StoreError::from(error);
            self.broken |= matches!(error, StoreError::Unavailable(_));
            error
        })
    }
}

impl Drop for MariaDbConn {
    fn drop(&mut self) {
        if let Some(client) = self.client.take().filter(|_| !self.broken) {
            let goodbye = in_time(GOODBYE, client.disconnect());
            let _ = self.runtime.block_on(goodbye);
        }
    }
}

fn values(params: &[P<'_>]) -> Vec<Value> {
    let value = |param: &P<'_>| match param {
        P::Null => Value::NULL,
        P::Bool(value) => Value::Int(i64::from(*value)),
        P::Int(value) => Value::Int(*value),
        P::Text(text) => Value::Bytes(text.as_bytes().to_vec()),
    };
    params.iter().map(value).collect()
}

pub(super) fn opt_int(row: &Row, column: usize) -> Result<Option<i64>, StoreError> {
    match row.as_ref(column) {
        Some(Value::NULL) => Ok(None),
        Some(Value::Int(value)) => Ok(Some(*value)),
        Some(Value::UInt(value)) => i64::try_from(*value).map(Some).map_err(odd),
        _ => Err(odd(format!("column {column} is not a number"))),
    }
}

pub(super) fn opt_text(row: &Row, column: usize) -> Result<Option<&str>, StoreError> {
    match row.as_ref(column) {
        Some(Value::NULL) => Ok(None),
        Some(Value::Bytes(bytes)) => std::str::from_utf8(bytes).map(Some).map_err(odd),
        _ => Err(odd(format!("column {column} is not text"))),
    }
}

/// How many bytes a row takes, roughly.
pub(super) fn size(row: &Row) -> usize {
    let size = |column| match row.as_ref(column) {
        Some(Value::Bytes(bytes)) => bytes.len(),
        _ => 8,
    };
    (0..row.len()).map(size).sum()
}

fn odd(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Sql(reason.into())
}

/// Names of ours that only MariaDB reserves.
const RESERVED: &[&str] = &["sensitive"];

/// A statement in MariaDB's words: placeholders are question marks, which the order of ours allows,
/// and reserved names are quoted. Texts between quotes stay as they are.
pub(crate) fn spelled(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 8);
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end =
            |text: &str, part: &dyn Fn(char) -> bool| text.find(|c| !part(c)).unwrap_or(text.len());
        let length = match first {
            quote @ ('\'' | '"') => rest[1..].find(quote).map_or(rest.len(), |at| at + 2),
            '$' => 1 + end(&rest[1..], &|c| c.is_ascii_digit()),
            c if is_word(c) => end(rest, &is_word),
            c => c.len_utf8(),
        };
        let (token, tail) = rest.split_at(length);
        match first {
            '$' => out.push('?'),
            _ if RESERVED.contains(&token) => {
                out.push('"');
                out.push_str(token);
                out.push('"');
            }
            _ => out.push_str(token),
        }
        rest = tail;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_spelled_for_mariadb() {
        for (ours, theirs) in [
            (
                "SELECT a FROM t WHERE b = $1 AND c IN ($2, $10)",
                "SELECT a FROM t WHERE b = ? AND c IN (?, ?)",
            ),
            (
                "SELECT '$1 sensitive', sensitive",
                "SELECT '$1 sensitive', \"sensitive\"",
            ),
            (
                "insensitive, sensitive_too, sensitive = $1",
                "insensitive, sensitive_too, \"sensitive\" = ?",
            ),
            ("t.\"sensitive\" = $1", "t.\"sensitive\" = ?"),
            ("x LIKE $1 ESCAPE '!'", "x LIKE ? ESCAPE '!'"),
            ("ü'", "ü'"),
        ] {
            assert_eq!(spelled(ours), theirs);
        }
    }
}
