//! What most tables have in common: their statements, spelled from their columns, and the requests
//! that are the same for all of them.
//!
//! For tables whose rows have a UUID and a version and are written whole. The nodes table, with its
//! fences, and the tables without versions spell theirs themselves.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::Record,
    conn::{Conn, P},
    fit::Widths,
    node::{self, Log},
    page::{Conditions, Source},
};
use std::marker::PhantomData;
use types::notification::Subject;

/// What the rows of a table have to obey.
pub(crate) trait Resource: Record + Subject {
    /// In the order in which a new row is checked.
    const UNIQUE: &'static [UniqueIndex<Self>];

    /// Before a write: seals what must not be readable at rest, and locks the rows that this one
    /// depends on.
    fn prepare(&mut self, conn: &mut Conn, keys: &KeyRing) -> Result<(), StoreError>;
}

/// An index that allows a value once. It is called by the table and the last of its columns.
pub(crate) struct UniqueIndex<T> {
    columns: &'static [&'static str],
    taken: fn(&T) -> StoreError,
}

impl<T> UniqueIndex<T> {
    /// `taken` says which value of the row is taken.
    pub(crate) const fn new(columns: &'static [&'static str], taken: fn(&T) -> StoreError) -> Self {
        Self { columns, taken }
    }

    fn is_called(&self, table: &str, index: &str) -> bool {
        let column = self.columns.last();
        let name = index
            .strip_prefix(table)
            .and_then(|rest| rest.strip_prefix('_'));
        name == column.copied()
    }
}

impl From<Unique> for StoreError {
    fn from(taken: Unique) -> Self {
        Self::Duplicate(taken)
    }
}

/// A table and its statements.
pub(crate) struct Table<T> {
    select: String,
    by_uuid: String,
    insert: String,
    update: String,
    widths: Widths,
    rows: PhantomData<fn() -> T>,
}

impl<T: Resource> Table<T> {
    pub(crate) fn new() -> Self {
        let (name, columns) = (T::TABLE, T::COLUMNS);
        let written = columns.len() - 1;
        let numbers: Vec<String> = (1..=written).map(|n| format!("${n}")).collect();
        let sets: Vec<String> = columns[..written]
            .iter()
            .zip(&numbers)
            .map(|(column, number)| format!("{column} = {number}"))
            .collect();
        let select = columns.join(", ");
        Self {
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
            rows: PhantomData,
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
            let (select, name) = (&self.select, T::TABLE);
            let sql = format!("SELECT {select} FROM {name} WHERE {column} = $1");
            conn.query_opt(&sql, &[value.into()], T::decode)
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
                table: T::TABLE,
                select: &self.select,
                sortable: T::COLUMNS,
                marker: "uuid",
            };
            source.read(conn, conditions, &page, T::decode)
        })
        .await
    }

    /// Stores a new row; returns it as it is now stored.
    pub(crate) async fn insert(&'static self, db: &Db, row: T, log: Log) -> Result<T, StoreError> {
        let keys = db.keys().clone();
        db.keep(log, move |conn| {
            let mut row = row.clone();
            row.prepare(conn, &keys)?;
            self.add(conn, &row)?;
            self.load(conn, &row.uuid())
        })
        .await
    }

    /// Writes a row that is still stored with the version it has.
    pub(crate) async fn update(&'static self, db: &Db, row: T, log: Log) -> Result<T, StoreError> {
        let keys = db.keys().clone();
        db.keep(log, move |conn| self.replace(conn, &keys, row.clone()))
            .await
    }

    /// Removes a row on which nothing depends.
    pub(crate) async fn remove(
        &'static self,
        db: &Db,
        uuid: String,
        log: Log,
    ) -> Result<(), StoreError> {
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
        conn.query_opt(&self.by_uuid, &[uuid.into()], T::decode)
    }

    /// The row with this UUID, which must exist.
    pub(crate) fn load(&self, conn: &mut Conn, uuid: &str) -> Result<T, StoreError> {
        self.find(conn, uuid)?.ok_or(StoreError::NotFound)
    }

    /// As [`Table::load`], with a row lock until we commit.
    pub(crate) fn hold(&self, conn: &mut Conn, uuid: &str) -> Result<T, StoreError> {
        if !conn.hold_row(T::TABLE, uuid)? {
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
        self.has_all(conn, &[column], &[value])
    }

    fn has_all(
        &self,
        conn: &mut Conn,
        columns: &[&str],
        values: &[P<'_>],
    ) -> Result<bool, StoreError> {
        let terms = columns.iter().zip(1..);
        let terms: Vec<String> = terms.map(|(name, n)| format!("{name} = ${n}")).collect();
        let sql = format!("SELECT 1 FROM {} WHERE {}", T::TABLE, terms.join(" AND "));
        let found = conn.query_opt(&sql, values, |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// Names a value that is taken before the database does.
    fn check_unique(&self, conn: &mut Conn, row: &T, values: &[P<'_>]) -> Result<(), StoreError> {
        for index in T::UNIQUE {
            let places = index.columns.iter().filter_map(|column| {
                let place = T::COLUMNS.iter().position(|known| known == column)?;
                values.get(place).cloned()
            });
            let values: Vec<P<'_>> = places.collect();
            // NULL is never taken.
            let is_set = !values.iter().any(|value| matches!(value, P::Null));
            if is_set && self.has_all(conn, index.columns, &values)? {
                return Err((index.taken)(row));
            }
        }
        Ok(())
    }

    /// Names the value that is taken when an index is violated; other errors stay as they are.
    fn explain(error: StoreError, row: &T) -> StoreError {
        let violated = error.violated_index();
        let violated = violated.as_deref().unwrap_or_default();
        let index = T::UNIQUE
            .iter()
            .find(|index| index.is_called(T::TABLE, violated));
        index.map_or(error, |index| (index.taken)(row))
    }

    /// All rows that meet the conditions.
    pub(crate) fn all(
        &self,
        conn: &mut Conn,
        conditions: Conditions,
        order: &str,
    ) -> Result<Vec<T>, StoreError> {
        let (filter, params) = conditions.into_parts();
        let (select, name) = (&self.select, T::TABLE);
        let sql = format!("SELECT {select} FROM {name}{filter} ORDER BY {order}");
        conn.query(&sql, &params, T::decode)
    }

    /// Stores a new row, as part of a transaction.
    pub(crate) fn add(&self, conn: &mut Conn, row: &T) -> Result<(), StoreError> {
        let values = row.encode();
        self.check_unique(conn, row, &values)?;
        self.widths.check(T::COLUMNS, &values)?;
        conn.execute(&self.insert, &values)
            .map(|_| ())
            .map_err(|error| Self::explain(error, row))
    }

    /// As [`Table::update`], as part of a transaction.
    pub(crate) fn replace(
        &self,
        conn: &mut Conn,
        keys: &KeyRing,
        mut row: T,
    ) -> Result<T, StoreError> {
        let base = row.version();
        row.prepare(conn, keys)?;
        row.touch();
        self.write(conn, row, base)
    }

    /// Writes a row as it is over one that still has the version `base`.
    pub(crate) fn write(&self, conn: &mut Conn, row: T, base: i64) -> Result<T, StoreError> {
        let mut values = row.encode();
        self.widths.check(T::COLUMNS, &values)?;
        values.push(values[0].clone());
        values.push(base.into());
        let touched = conn
            .execute(&self.update, &values)
            .map_err(|error| Self::explain(error, &row))?;
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
        let sql = format!("DELETE FROM {} WHERE uuid = $1", T::TABLE);
        conn.execute_on(&sql, &[uuid.into()])
    }
}

/// The table of a resource, and the functions that every such table has.
macro_rules! requests {
    ($Row:ident by $Id:ty) => {
        static TABLE: std::sync::LazyLock<$crate::table::Table<$Row>> =
            std::sync::LazyLock::new($crate::table::Table::new);

        /// The row with this UUID.
        pub async fn find(db: &Db, id: $Id) -> Result<Option<$Row>, StoreError> {
            TABLE.get(db, id.to_string()).await
        }

        /// Stores a new row, below rows that exist.
        pub async fn insert(db: &Db, row: $Row, log: Log) -> Result<$Row, StoreError> {
            TABLE.insert(db, row, log).await
        }

        /// Writes a row that is still stored with the version it has.
        pub async fn update(db: &Db, row: $Row, log: Log) -> Result<$Row, StoreError> {
            TABLE.update(db, row, log).await
        }

        /// Removes a row.
        pub async fn delete(db: &Db, id: $Id, log: Log) -> Result<(), StoreError> {
            TABLE.remove(db, id.to_string(), log).await
        }
    };
}
pub(crate) use requests;

#[cfg(test)]
mod tests {
    use super::*;
    use types::VolumeConnector;

    #[test]
    fn every_placeholder_is_used_once_and_in_order() {
        let table = Table::<VolumeConnector>::new();
        assert_eq!(
            table.insert,
            "INSERT INTO volume_connectors (uuid, version, node_uuid, type, connector_id, extra, \
             created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
        );
        assert_eq!(
            table.update,
            "UPDATE volume_connectors SET uuid = $1, version = $2, node_uuid = $3, type = $4, \
             connector_id = $5, extra = $6, created_at = $7, updated_at = $8 \
             WHERE uuid = $9 AND version = $10"
        );
    }

    #[test]
    fn an_index_is_called_by_its_table_and_last_column() {
        let index: UniqueIndex<VolumeConnector> =
            UniqueIndex::new(&["type", "connector_id"], |_| StoreError::NotFound);
        for (name, is_called) in [
            ("volume_connectors_connector_id", true),
            ("volume_connectors_type", false),
            ("volume_targets_connector_id", false),
            ("", false),
        ] {
            assert_eq!(
                index.is_called("volume_connectors", name),
                is_called,
                "{name}"
            );
        }
    }
}
