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
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};
use types::NodeId;

/// Positions of the columns with an index.
static INDEXED_AT: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let at = |name: &&str| COLUMNS.iter().position(|column| column == name);
    INDEXED.iter().filter_map(at).collect()
});
const _: () = {
    assert!(
        WRITTEN <= 128,
        "the columns that are written have a bit each"
    )
};
static INDEXED_NOW: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM nodes WHERE uuid = $1", INDEXED.join(", ")));

/// The statement for these values, of which those that it does not need are removed. What it takes
/// besides them is the UUID, and the version or generation.
pub(super) fn statement(
    conn: &mut Conn,
    id: NodeId,
    values: &mut Vec<P<'_>>,
    held: bool,
) -> Result<Arc<str>, StoreError> {
    if conn.engine() == Engine::Sqlite
        && let Some(unchanged) = unchanged_indexed(conn, id, values)?
    {
        let mut at = 0;
        values.retain(|_| {
            at += 1;
            unchanged >> (at - 1) & 1 == 0
        });
        return Ok(known(unchanged, held));
    }
    Ok(known(0, held))
}

/// Statements that were asked for before: there are as many as there are sorts of changes.
static KNOWN: Mutex<BTreeMap<(u128, bool), Arc<str>>> = Mutex::new(BTreeMap::new());
/// With more than this they are forgotten.
const MOST_KNOWN: usize = 200;

/// The statement that leaves out the columns at the positions of these bits.
fn known(left_out: u128, held: bool) -> Arc<str> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() > MOST_KNOWN {
        known.clear();
    }
    let statement = known
        .entry((left_out, held))
        .or_insert_with(|| update_without(left_out, held).into());
    Arc::clone(statement)
}

/// The statement that writes a node, but for the columns at the positions of these bits. The writer
/// must find the row unreserved and as it was read, or hold the lease that this generation was
/// granted.
fn update_without(left_out: u128, held: bool) -> String {
    let mut sql = String::with_capacity(1600);
    sql.push_str("UPDATE nodes SET ");
    let mut bound = 0;
    for (at, column) in COLUMNS[..WRITTEN].iter().enumerate() {
        if left_out >> at & 1 == 0 {
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

/// Positions of the columns with an index whose values stay as they are, as bits; `None` without such a
/// node.
/// Nobody else can write between this and the update: SQLite has one writer.
fn unchanged_indexed(
    conn: &mut Conn,
    id: NodeId,
    values: &[P<'_>],
) -> Result<Option<u128>, StoreError> {
    conn.query_opt(&INDEXED_NOW, &[id.to_string().into()], |row| {
        let mut unchanged = 0_u128;
        let Row::Sqlite(row) = row else {
            return Ok(unchanged);
        };
        for (at, &column) in INDEXED_AT.iter().enumerate() {
            let Some(value) = values.get(column) else {
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
                unchanged |= 1 << column;
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
        for left_out in [0_u128, 0b1001] {
            let sql = update_without(left_out, false);
            let numbers = sql.split('$').skip(1).map(|rest| {
                let digits = rest.split(|c: char| !c.is_ascii_digit());
                digits.take(1).collect::<String>().parse().unwrap()
            });
            let expected: Vec<usize> = (1..=WRITTEN - left_out.count_ones() as usize + 2).collect();
            assert_eq!(numbers.collect::<Vec<usize>>(), expected);
        }
    }
}
