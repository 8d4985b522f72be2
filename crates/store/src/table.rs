//! The statements that most tables need, spelled from their columns.
//!
//! For tables whose rows have a UUID and a version and are written whole. The nodes table, with its
//! fences, and the tables without versions spell theirs themselves.

use crate::{
    Page, StoreError,
    conn::{Conn, P, Row},
    fit::Widths,
    page::{Conditions, Source},
};

pub(crate) type Decode<T> = fn(&Row<'_>) -> Result<T, StoreError>;

/// A table and its statements.
pub(crate) struct Table {
    name: &'static str,
    columns: &'static [&'static str],
    select: String,
    insert: String,
    update: String,
    widths: Widths,
}

impl Table {
    /// `columns` are in the order in which rows are read and written; the first is `uuid`, and the
    /// last is `id`, which is never written.
    pub(crate) fn new(name: &'static str, columns: &'static [&'static str]) -> Self {
        let written = columns.len() - 1;
        let numbers: Vec<String> = (1..=written).map(|n| format!("${n}")).collect();
        let sets: Vec<String> = columns[..written]
            .iter()
            .zip(&numbers)
            .map(|(column, number)| format!("{column} = {number}"))
            .collect();
        Self {
            name,
            columns,
            select: columns.join(", "),
            insert: format!(
                "INSERT INTO {name} ({}) VALUES ({})",
                columns[..written].join(", "),
                numbers.join(", ")
            ),
            update: format!(
                "UPDATE {name} SET {} WHERE uuid = ${} AND version = ${}",
                sets.join(", "),
                written + 1,
                written + 2
            ),
            widths: Widths::of(name),
        }
    }

    /// The row whose unique `column` has this value.
    pub(crate) fn find<T>(
        &self,
        conn: &mut Conn,
        column: &str,
        value: &str,
        decode: Decode<T>,
    ) -> Result<Option<T>, StoreError> {
        let (select, name) = (&self.select, self.name);
        let sql = format!("SELECT {select} FROM {name} WHERE {column} = $1");
        conn.query_opt(&sql, &[value.into()], decode)
    }

    /// The row with this UUID, which must exist.
    pub(crate) fn load<T>(
        &self,
        conn: &mut Conn,
        uuid: &str,
        decode: Decode<T>,
    ) -> Result<T, StoreError> {
        self.find(conn, "uuid", uuid, decode)?
            .ok_or(StoreError::NotFound)
    }

    /// As [`Table::load`], and nobody else changes the row before we commit.
    pub(crate) fn hold<T>(
        &self,
        conn: &mut Conn,
        uuid: &str,
        decode: Decode<T>,
    ) -> Result<T, StoreError> {
        if !conn.hold_row(self.name, uuid)? {
            return Err(StoreError::NotFound);
        }
        self.load(conn, uuid, decode)
    }

    /// Whether a row has this value.
    pub(crate) fn has(
        &self,
        conn: &mut Conn,
        column: &str,
        value: &str,
    ) -> Result<bool, StoreError> {
        let sql = format!("SELECT 1 FROM {} WHERE {column} = $1", self.name);
        let found = conn.query_opt(&sql, &[value.into()], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// A page of the rows that meet the conditions.
    pub(crate) fn page<T>(
        &'static self,
        conn: &mut Conn,
        conditions: Conditions,
        page: &Page,
        decode: Decode<T>,
    ) -> Result<Vec<T>, StoreError> {
        let source = Source {
            table: self.name,
            select: &self.select,
            sortable: self.columns,
            marker: "uuid",
        };
        let (sql, params) = source.page(conn, conditions, page)?;
        conn.query(&sql, &params, decode)
    }

    /// All rows that meet the conditions.
    pub(crate) fn all<T>(
        &self,
        conn: &mut Conn,
        conditions: Conditions,
        order: &str,
        decode: Decode<T>,
    ) -> Result<Vec<T>, StoreError> {
        let (filter, params) = conditions.into_parts();
        let (select, name) = (&self.select, self.name);
        let sql = format!("SELECT {select} FROM {name}{filter} ORDER BY {order}");
        conn.query(&sql, &params, decode)
    }

    /// Stores a new row, whose `values` are those of the columns in their order.
    pub(crate) fn insert(&self, conn: &mut Conn, values: &[P<'_>]) -> Result<(), StoreError> {
        self.widths.check(self.columns, values)?;
        conn.execute(&self.insert, values).map(|_| ())
    }

    /// Writes a row that still has the version `base`.
    pub(crate) fn update<'a>(
        &self,
        conn: &mut Conn,
        mut values: Vec<P<'a>>,
        uuid: &'a str,
        base: i64,
    ) -> Result<(), StoreError> {
        self.widths.check(self.columns, &values)?;
        values.push(uuid.into());
        values.push(base.into());
        if conn.execute(&self.update, &values)? > 0 {
            return Ok(());
        }
        Err(match self.has(conn, "uuid", uuid)? {
            true => StoreError::Stale,
            false => StoreError::NotFound,
        })
    }

    /// Removes a row.
    pub(crate) fn delete(&self, conn: &mut Conn, uuid: &str) -> Result<(), StoreError> {
        let sql = format!("DELETE FROM {} WHERE uuid = $1", self.name);
        match conn.execute(&sql, &[uuid.into()])? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_used_once_and_in_order() {
        let table = Table::new("chassis", &["uuid", "version", "extra", "id"]);
        assert_eq!(
            table.insert,
            "INSERT INTO chassis (uuid, version, extra) VALUES ($1, $2, $3)"
        );
        assert_eq!(
            table.update,
            "UPDATE chassis SET uuid = $1, version = $2, extra = $3 WHERE uuid = $4 AND version = $5"
        );
    }
}
