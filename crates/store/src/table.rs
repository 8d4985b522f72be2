//! What most tables have in common: their statements, spelled from their columns, and the requests
//! that are the same for all of them.
//!
//! For tables whose rows have a UUID and a version and are written whole. The nodes table, with its
//! fences, and the tables without versions spell theirs themselves.

use crate::{
    Db, Page, StoreError, Unique,
    conn::{Conn, P, Row},
    fit::Widths,
    node::{self, Log},
    page::{Conditions, Source},
};
use types::notification::Subject;

type Encode<T> = for<'a> fn(&'a T) -> Vec<P<'a>>;
type Decode<T> = fn(&Row<'_>) -> Result<T, StoreError>;
/// Names the value that is taken when an index is violated; other errors stay as they are.
type Taken<T> = fn(StoreError, &T) -> StoreError;

/// A table and its statements.
pub(crate) struct Table<T> {
    name: &'static str,
    columns: &'static [&'static str],
    select: String,
    by_uuid: String,
    insert: String,
    update: String,
    widths: Widths,
    encode: Encode<T>,
    decode: Decode<T>,
    taken: Taken<T>,
}

impl<T: Send + 'static> Table<T> {
    /// `columns` are in the order in which rows are read and written; the first is `uuid`, and the
    /// last is `id`, which is never written.
    pub(crate) fn new(
        name: &'static str,
        columns: &'static [&'static str],
        encode: Encode<T>,
        decode: Decode<T>,
        taken: Taken<T>,
    ) -> Self {
        let written = columns.len() - 1;
        let numbers: Vec<String> = (1..=written).map(|n| format!("${n}")).collect();
        let sets: Vec<String> = columns[..written]
            .iter()
            .zip(&numbers)
            .map(|(column, number)| format!("{column} = {number}"))
            .collect();
        let select = columns.join(", ");
        Self {
            name,
            columns,
            by_uuid: format!("SELECT {select} FROM {name} WHERE uuid = $1"),
            select,
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
            encode,
            decode,
            taken,
        }
    }

    /// The row with this UUID.
    pub(crate) async fn get(&'static self, db: &Db, uuid: String) -> Result<Option<T>, StoreError> {
        db.get(move |conn| self.find(conn, &uuid)).await
    }

    /// The row whose unique `column` has this value.
    pub(crate) async fn get_by(
        &'static self,
        db: &Db,
        column: &'static str,
        value: String,
    ) -> Result<Option<T>, StoreError> {
        db.get(move |conn| {
            let (select, name) = (&self.select, self.name);
            let sql = format!("SELECT {select} FROM {name} WHERE {column} = $1");
            conn.query_opt(&sql, &[value.into()], self.decode)
        })
        .await
    }

    /// The few rows whose `column` has this value.
    pub(crate) async fn with(
        &'static self,
        db: &Db,
        column: &'static str,
        value: String,
        order: &'static str,
    ) -> Result<Vec<T>, StoreError> {
        db.get(move |conn| {
            let mut conditions = Conditions::default();
            conditions.equal(column, value);
            self.all(conn, conditions, order)
        })
        .await
    }

    /// A page of the rows that meet the conditions.
    pub(crate) async fn page(
        &'static self,
        db: &Db,
        conditions: Conditions,
        page: Page,
    ) -> Result<Vec<T>, StoreError> {
        db.read(move |conn| {
            let source = Source {
                table: self.name,
                select: &self.select,
                sortable: self.columns,
                marker: "uuid",
            };
            source.read(conn, conditions, &page, self.decode)
        })
        .await
    }

    /// Removes a row on which nothing depends.
    pub(crate) async fn remove(
        &'static self,
        db: &Db,
        uuid: String,
        log: Log,
    ) -> Result<(), StoreError>
    where
        T: Subject,
    {
        let outbox = db.outbox();
        db.told(move |conn| {
            outbox.tell_gone(conn, &log, |conn| self.find(conn, &uuid))?;
            self.delete(conn, &uuid)?;
            node::append(conn, &log)
        })
        .await
    }

    /// As [`Table::get`], as part of a transaction.
    pub(crate) fn find(&self, conn: &mut Conn, uuid: &str) -> Result<Option<T>, StoreError> {
        conn.query_opt(&self.by_uuid, &[uuid.into()], self.decode)
    }

    /// The row with this UUID, which must exist.
    pub(crate) fn load(&self, conn: &mut Conn, uuid: &str) -> Result<T, StoreError> {
        self.find(conn, uuid)?.ok_or(StoreError::NotFound)
    }

    /// As [`Table::load`], with a row lock until we commit.
    pub(crate) fn hold(&self, conn: &mut Conn, uuid: &str) -> Result<T, StoreError> {
        if !conn.hold_row(self.name, uuid)? {
            return Err(StoreError::NotFound);
        }
        self.load(conn, uuid)
    }

    /// Whether a row has this value.
    pub(crate) fn has(
        &self,
        conn: &mut Conn,
        column: &str,
        value: P<'_>,
    ) -> Result<bool, StoreError> {
        let sql = format!("SELECT 1 FROM {} WHERE {column} = $1", self.name);
        let found = conn.query_opt(&sql, &[value], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// Names a value that is taken before the database does.
    pub(crate) fn free(
        &self,
        conn: &mut Conn,
        column: &str,
        value: &str,
        taken: fn(String) -> Unique,
    ) -> Result<(), StoreError> {
        match self.has(conn, column, value.into())? {
            true => Err(StoreError::Duplicate(taken(value.to_owned()))),
            false => Ok(()),
        }
    }

    /// All rows that meet the conditions.
    pub(crate) fn all(
        &self,
        conn: &mut Conn,
        conditions: Conditions,
        order: &str,
    ) -> Result<Vec<T>, StoreError> {
        let (filter, params) = conditions.into_parts();
        let (select, name) = (&self.select, self.name);
        let sql = format!("SELECT {select} FROM {name}{filter} ORDER BY {order}");
        conn.query(&sql, &params, self.decode)
    }

    /// Stores a new row.
    pub(crate) fn add(&self, conn: &mut Conn, row: &T) -> Result<(), StoreError> {
        let values = (self.encode)(row);
        self.widths.check(self.columns, &values)?;
        conn.execute(&self.insert, &values)
            .map(|_| ())
            .map_err(|error| (self.taken)(error, row))
    }

    /// Stores a new row with this UUID; returns it as it is now stored.
    pub(crate) fn insert(&self, conn: &mut Conn, row: &T, uuid: &str) -> Result<T, StoreError> {
        self.add(conn, row)?;
        self.load(conn, uuid)
    }

    /// Writes a row that still has the version `base`.
    pub(crate) fn update(&self, conn: &mut Conn, row: T, base: i64) -> Result<T, StoreError> {
        let mut values = (self.encode)(&row);
        self.widths.check(self.columns, &values)?;
        values.push(values[0].clone());
        values.push(base.into());
        let touched = conn
            .execute(&self.update, &values)
            .map_err(|error| (self.taken)(error, &row))?;
        if touched == 0 {
            return Err(match self.has(conn, "uuid", values.swap_remove(0))? {
                true => StoreError::Stale,
                false => StoreError::NotFound,
            });
        }
        Ok(row)
    }

    /// Removes a row.
    pub(crate) fn delete(&self, conn: &mut Conn, uuid: &str) -> Result<(), StoreError> {
        let sql = format!("DELETE FROM {} WHERE uuid = $1", self.name);
        conn.execute_on(&sql, &[uuid.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_used_once_and_in_order() {
        let columns = &["uuid", "version", "extra", "id"];
        let table: Table<()> =
            Table::new("chassis", columns, |_| vec![], |_| Ok(()), |error, _| error);
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
