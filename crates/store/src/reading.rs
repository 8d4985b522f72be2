//! What machines say of themselves, by node and name: BIOS settings and firmware components.
//!
//! A value that is read again unchanged keeps its times; there is no compare-and-swap, because the
//! last one to have read the machine knows best.

use crate::{
    StoreError,
    conn::{Conn, P, Row},
    fit::Widths,
    node,
};
use std::collections::HashMap;
use types::{NodeId, Timestamp};

/// When something was first read, and when it was last found to have changed.
type Times = (Timestamp, Option<Timestamp>);

/// A table, and how its rows look.
pub(crate) struct Readings<T> {
    /// All of a node.
    pub(crate) of_node: &'static str,
    /// Takes what `encode` gives, and the node.
    pub(crate) insert: &'static str,
    /// The same, and the name.
    pub(crate) update: &'static str,
    pub(crate) widths: Widths,
    /// The first is the name.
    pub(crate) columns: &'static [&'static str],
    pub(crate) encode: for<'a> fn(&'a T) -> Vec<P<'a>>,
    pub(crate) decode: fn(&Row<'_>) -> Result<T, StoreError>,
    pub(crate) name: fn(&T) -> &str,
    pub(crate) times: fn(&T) -> Times,
    pub(crate) set_times: fn(&mut T, Times),
}

impl<T: Clone + PartialEq> Readings<T> {
    pub(crate) fn load(&self, conn: &mut Conn, node: NodeId) -> Result<Vec<T>, StoreError> {
        conn.query(self.of_node, &[node.to_string().into()], self.decode)
    }

    pub(crate) fn by_name<'a>(&self, rows: &'a [T]) -> HashMap<&'a str, &'a T> {
        rows.iter().map(|row| ((self.name)(row), row)).collect()
    }

    /// Writes what is new or different of a node that exists; returns what was there before. Of
    /// two with the same name the last counts.
    pub(crate) fn put(
        &self,
        conn: &mut Conn,
        node: NodeId,
        rows: &[T],
    ) -> Result<Vec<T>, StoreError> {
        let uuid = node.to_string();
        node::hold(conn, &uuid)?;
        let old = self.load(conn, node)?;
        let known = self.by_name(&old);
        let now = Timestamp::now();
        for (name, &row) in &self.by_name(rows) {
            let before = known.get(name);
            let mut new = row.clone();
            let (created_at, updated_at) = before.map_or((now, None), |old| (self.times)(old));
            (self.set_times)(&mut new, (created_at, updated_at));
            if let Some(&before) = before {
                if *before == new {
                    continue;
                }
                (self.set_times)(&mut new, (created_at, Some(now)));
            }
            let mut params = (self.encode)(&new);
            self.widths.check(&self.columns[..1], &params)?;
            params.push((&uuid).into());
            if before.is_some() {
                params.push((*name).into());
                conn.execute(self.update, &params)?;
            } else {
                conn.execute(self.insert, &params)?;
            }
        }
        Ok(old)
    }
}
