//! The statement that writes a node.
//!
//! A node is written whole. SQLite, however, takes every column that an `UPDATE` names for changed,
//! and writes a page of each of its indexes: a patch of `extra` would write a dozen pages in vain. So
//! there the columns with an index are left out whose values stay as they are. PostgreSQL and MariaDB
//! compare values themselves.

use super::row::{COLUMNS, INDEXED, WRITTEN};
use crate::{
    Engine, StoreError,
    conn::{Conn, P, Row},
};
use rusqlite::types::ValueRef;
use std::{borrow::Cow, fmt::Write as _, sync::LazyLock};
use types::NodeId;

/// The writer must find the row unreserved and as it was read …
static FREE: LazyLock<String> = LazyLock::new(|| update_without(&[], false));
/// … or hold the lease that this generation was granted.
static HELD: LazyLock<String> = LazyLock::new(|| update_without(&[], true));
static INDEXED_NOW: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM nodes WHERE uuid = $1", INDEXED.join(", ")));

/// The statement for these values, of which those that it does not need are removed. What it takes
/// besides them is the UUID, and the version or generation.
pub(super) fn statement(
    conn: &mut Conn,
    id: NodeId,
    values: &mut Vec<P<'_>>,
    held: bool,
) -> Result<Cow<'static, str>, StoreError> {
    if conn.engine() == Engine::Sqlite
        && let Some(unchanged) = unchanged_indexed(conn, id, values)?
    {
        let mut at = 0;
        values.retain(|_| {
            at += 1;
            !unchanged.contains(&(at - 1))
        });
        return Ok(Cow::Owned(update_without(&unchanged, held)));
    }
    let whole: &'static LazyLock<String> = if held { &HELD } else { &FREE };
    Ok(Cow::Borrowed(whole.as_str()))
}

/// The statement that writes a node, but for the columns at these positions.
fn update_without(left_out: &[usize], held: bool) -> String {
    let mut sql = String::with_capacity(1600);
    sql.push_str("UPDATE nodes SET ");
    let mut bound = 0;
    for (at, column) in COLUMNS[..WRITTEN].iter().enumerate() {
        if !left_out.contains(&at) {
            bound += 1;
            let comma = if bound > 1 { ", " } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(sql, "{comma}{column} = ${bound}");
        }
    }
    let (uuid, fence) = (bound + 1, bound + 2);
    let _ = write!(sql, " WHERE uuid = ${uuid} AND ");
    let _ = if !held {
        write!(sql, "version = ${fence} AND reservation IS NULL")
    } else if cfg!(feature = "unfenced") {
        write!(sql, "CAST(${fence} AS BIGINT) >= 0")
    } else {
        write!(
            sql,
            "lease_generation = ${fence} AND reservation IS NOT NULL"
        )
    };
    sql
}

/// Positions of the columns with an index whose values stay as they are; `None` without such a node.
/// Nobody else can write between this and the update: SQLite has one writer.
fn unchanged_indexed(
    conn: &mut Conn,
    id: NodeId,
    values: &[P<'_>],
) -> Result<Option<Vec<usize>>, StoreError> {
    conn.query_opt(&INDEXED_NOW, &[id.to_string().into()], |row| {
        let mut unchanged = Vec::with_capacity(INDEXED.len());
        let Row::Sqlite(row) = row else {
            return Ok(unchanged);
        };
        for (at, name) in INDEXED.iter().enumerate() {
            let column = COLUMNS.iter().position(|column| column == name);
            let Some((column, value)) = column.and_then(|c| Some((c, values.get(c)?))) else {
                continue;
            };
            let is_same = match (row.get_ref(at)?, value) {
                (ValueRef::Null, P::Null) => true,
                (ValueRef::Integer(now), P::Int(new)) => now == *new,
                (ValueRef::Integer(now), P::Bool(new)) => now == i64::from(*new),
                (ValueRef::Text(now), P::Text(new)) => now == new.as_bytes(),
                _ => false,
            };
            if is_same {
                unchanged.push(column);
            }
        }
        Ok(unchanged)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_used_once_and_in_order() {
        for left_out in [&[][..], &[0, 3]] {
            let sql = update_without(left_out, false);
            let numbers = sql.split('$').skip(1).map(|rest| {
                let digits = rest.split(|c: char| !c.is_ascii_digit());
                digits.take(1).collect::<String>().parse().unwrap()
            });
            let expected: Vec<usize> = (1..=WRITTEN - left_out.len() + 2).collect();
            assert_eq!(numbers.collect::<Vec<usize>>(), expected);
        }
    }
}
