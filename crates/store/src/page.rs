//! Filtered, sorted and paged lists: the one place where SQL is put together at run time.
//!
//! Column names come from constants, values are always parameters.

use crate::{
    Engine, StoreError,
    conn::{Conn, P, Row},
};
use std::{fmt::Write, ops::ControlFlow};

/// Which part of a list is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub limit: u32,
    /// Unique name of the last row that was seen.
    pub marker: Option<String>,
    /// A column, or `id` for the order of creation.
    pub sort_key: String,
    pub descending: bool,
}

impl Page {
    /// The first rows in order of creation.
    pub fn first(limit: u32) -> Self {
        Self {
            limit,
            marker: None,
            sort_key: "id".into(),
            descending: false,
        }
    }
}

/// What a list is taken from.
pub(crate) struct Source {
    pub(crate) table: &'static str,
    /// Selected columns, as text.
    pub(crate) select: &'static str,
    /// Columns that may be sorted by, besides `id`.
    pub(crate) sortable: &'static [&'static str],
    /// The unique column that markers name.
    pub(crate) marker: &'static str,
}

/// Collects conditions and their parameters.
#[derive(Default)]
pub(crate) struct Conditions {
    sql: String,
    params: Vec<P<'static>>,
    /// Whose nodes the rows are, if they are to be somebody's.
    project: Option<String>,
}

impl Conditions {
    /// Whether a value decides which rows there are.
    fn is_narrowed(&self) -> bool {
        !self.params.is_empty() || self.project.is_some()
    }

    fn and(&mut self) {
        self.sql.push_str(if self.sql.is_empty() {
            " WHERE "
        } else {
            " AND "
        });
    }

    fn bind(&mut self, value: impl Into<P<'static>>) {
        self.params.push(value.into());
        let _ = write!(self.sql, "${}", self.params.len());
    }

    /// A condition without a value.
    pub(crate) fn plain(&mut self, sql: &str) {
        self.and();
        self.sql.push_str(sql);
    }

    /// `column = value`.
    pub(crate) fn equal(&mut self, column: &str, value: impl Into<P<'static>>) {
        self.compare(column, "=", value);
    }

    /// `column <operator> value`.
    pub(crate) fn compare(&mut self, column: &str, operator: &str, value: impl Into<P<'static>>) {
        self.and();
        let _ = write!(self.sql, "{column} {operator} ");
        self.bind(value);
    }

    /// `column = value` where the value may be absent, and then nothing is asked.
    pub(crate) fn equal_if<T: Into<P<'static>>>(&mut self, column: &str, value: Option<T>) {
        if let Some(value) = value {
            self.equal(column, value);
        }
    }

    /// `column` is one of the values; nothing is asked when there are none.
    pub(crate) fn one_of(&mut self, column: &str, values: Vec<String>) {
        if values.is_empty() {
            return;
        }
        self.and();
        self.among(column, values);
    }

    fn among(&mut self, column: &str, values: Vec<String>) {
        let _ = write!(self.sql, "{column} IN (");
        for (i, value) in values.into_iter().enumerate() {
            if i > 0 {
                self.sql.push_str(", ");
            }
            self.bind(value);
        }
        self.sql.push(')');
    }

    /// The row is a node that the project owns or leases.
    pub(crate) fn owned_or_leased_by(&mut self, project: &str) {
        self.project = Some(project.to_owned());
    }

    /// Restricts rows to a project's in any order.
    ///
    /// Not by `OR`: SQLite would then fetch and sort all of the project's nodes for each page. This
    /// way it collects their ids from the indexes and reads only the rows of the page, in order.
    fn restrict_to_project(&mut self) {
        let Some(project) = self.project.take() else {
            return;
        };
        self.and();
        self.sql
            .push_str("id IN (SELECT own.id FROM nodes own WHERE own.owner = ");
        self.bind(project.clone());
        self.sql
            .push_str(" UNION ALL SELECT leased.id FROM nodes leased WHERE leased.lessee = ");
        self.bind(project);
        self.sql.push(')');
    }

    /// One column has one value, or the other has the other.
    pub(crate) fn any_of(
        &mut self,
        column: &str,
        value: impl Into<P<'static>>,
        other_column: &str,
        other_value: impl Into<P<'static>>,
    ) {
        self.and();
        let _ = write!(self.sql, "({column} = ");
        self.bind(value);
        let _ = write!(self.sql, " OR {other_column} = ");
        self.bind(other_value);
        self.sql.push(')');
    }

    /// The row belongs to a node that the project owns or leases.
    pub(crate) fn node_of(&mut self, project: &str) {
        self.and();
        self.sql
            .push_str("node_uuid IN (SELECT nodes.uuid FROM nodes WHERE nodes.owner = ");
        self.bind(project.to_owned());
        self.sql.push_str(" OR nodes.lessee = ");
        self.bind(project.to_owned());
        self.sql.push(')');
    }

    /// The row belongs to a node whose column has one of the values; nothing is asked when there
    /// are none.
    pub(crate) fn node_one_of(&mut self, column: &str, values: Vec<String>) {
        if values.is_empty() {
            return;
        }
        self.and();
        self.sql
            .push_str("node_uuid IN (SELECT nodes.uuid FROM nodes WHERE ");
        self.among(&format!("nodes.{column}"), values);
        self.sql.push(')');
    }

    /// The column's text contains the value, whatever the case. `%` and `_` keep their SQL meaning,
    /// as they do in Ironic; the backslash has none on any engine.
    pub(crate) fn contains(&mut self, column: &str, value: &str) {
        self.and();
        let _ = write!(self.sql, "LOWER({column}) LIKE LOWER(");
        self.bind(format!("%{}%", value.replace('!', "!!")));
        self.sql.push_str(") ESCAPE '!'");
    }

    /// The column's text contains just this value.
    pub(crate) fn has_text(&mut self, column: &str, value: &str) {
        let mut pattern = String::from("%");
        for c in value.chars() {
            if matches!(c, '%' | '_' | '!') {
                pattern.push('!');
            }
            pattern.push(c);
        }
        pattern.push('%');
        self.compare(column, "LIKE", pattern);
        self.sql.push_str(" ESCAPE '!'");
    }

    /// The collected `WHERE` clause with its parameters.
    pub(crate) fn into_parts(mut self) -> (String, Vec<P<'static>>) {
        self.restrict_to_project();
        (self.sql, self.params)
    }
}

impl Source {
    /// Reads a page of the rows that meet the conditions.
    pub(crate) fn read<T>(
        &self,
        conn: &mut Conn,
        conditions: Conditions,
        page: &Page,
        decode: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let is_narrowed = conditions.is_narrowed();
        let (sql, params) = self.page(conn, conditions, page, self.select)?;
        if is_narrowed {
            conn.query_by_value(&sql, &params, decode)
        } else {
            conn.query(&sql, &params, decode)
        }
    }

    /// As [`Source::read`], with other columns, `id` among them; rows are lent to `read` until it
    /// has enough.
    pub(crate) fn visit(
        &self,
        conn: &mut Conn,
        conditions: Conditions,
        page: &Page,
        select: &str,
        read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let is_narrowed = conditions.is_narrowed();
        let (sql, params) = self.page(conn, conditions, page, select)?;
        conn.visit(&sql, &params, is_narrowed, read)
    }

    /// The statement and parameters that select a page.
    fn page(
        &self,
        conn: &mut Conn,
        mut conditions: Conditions,
        page: &Page,
        select: &str,
    ) -> Result<(String, Vec<P<'static>>), StoreError> {
        let key = page.sort_key.as_str();
        let column = if key == "id" {
            "id"
        } else {
            self.sortable
                .iter()
                .find(|column| **column == key)
                .copied()
                .ok_or_else(|| StoreError::BadSortKey(key.to_owned()))?
        };
        if let Some(marker) = &page.marker {
            self.after_marker(conn, &mut conditions, column, page.descending, marker)?;
        }
        let direction = if page.descending { " DESC" } else { "" };
        if column == "id"
            && let Some(project) = conditions.project.take()
        {
            let order = format!(" ORDER BY id{direction} LIMIT ");
            let select = format!("SELECT {select} FROM {}", self.table);
            let limit = i64::from(page.limit);
            return Ok(of_project(
                conn.engine(),
                &select,
                conditions,
                &project,
                &order,
                limit,
            ));
        }
        let (filter, mut params) = conditions.into_parts();
        let mut sql = format!("SELECT {select} FROM {}{filter} ORDER BY ", self.table);
        if column != "id" {
            // Nulls come first when ascending, last when descending, on every engine.
            let _ = write!(
                sql,
                "CASE WHEN {column} IS NULL THEN 0 ELSE 1 END{direction}, {column}{direction}, "
            );
        }
        params.push(i64::from(page.limit).into());
        let _ = write!(sql, "id{direction} LIMIT ${}", params.len());
        Ok((sql, params))
    }

    /// Restricts to the rows behind the marker in the order of the list.
    fn after_marker(
        &self,
        conn: &mut Conn,
        conditions: &mut Conditions,
        column: &str,
        descending: bool,
        marker: &str,
    ) -> Result<(), StoreError> {
        let sql = format!("SELECT id FROM {} WHERE {} = $1", self.table, self.marker);
        let row = conn
            .number(&sql, &[marker.into()])?
            .ok_or(StoreError::MarkerNotFound)?;
        let beyond = if descending { "<" } else { ">" };
        if column == "id" {
            conditions.compare("id", beyond, row);
            return Ok(());
        }
        // The marker's value is compared inside SQL, so that it needs no type here.
        let own = format!("(SELECT {column} FROM {} WHERE id = ", self.table);
        conditions.and();
        let _ = write!(conditions.sql, "(({column} {beyond} {own}");
        conditions.bind(row);
        conditions.sql.push_str(")) OR ");
        let _ = write!(conditions.sql, "({column} = {own}");
        conditions.bind(row);
        let _ = write!(conditions.sql, ") AND id {beyond} ");
        conditions.bind(row);
        conditions.sql.push_str(") OR ");
        // Nulls: behind a null marker come other nulls and, ascending, everything that has a value;
        // behind a value come, descending, all nulls.
        let _ = write!(conditions.sql, "({own}");
        conditions.bind(row);
        let _ = write!(
            conditions.sql,
            ") IS NULL AND (({column} IS NULL AND id {beyond} "
        );
        conditions.bind(row);
        conditions.sql.push(')');
        if !descending {
            let _ = write!(conditions.sql, " OR {column} IS NOT NULL");
        }
        conditions.sql.push_str("))");
        if descending {
            let _ = write!(conditions.sql, " OR ({own}");
            conditions.bind(row);
            let _ = write!(conditions.sql, ") IS NOT NULL AND {column} IS NULL)");
        }
        conditions.sql.push(')');
        Ok(())
    }
}

/// A page of the nodes that a project owns or leases, in order of creation.
///
/// The nodes that it owns and those that it only leases are two lists, each in the order of its
/// index, and the database merges them until the page is full. So a project's page costs what a page
/// of all nodes does, however many nodes the project has. MariaDB would collect both lists first;
/// there and on PostgreSQL each of them is limited, which SQLite has no words for and does not need.
fn of_project(
    engine: Engine,
    select: &str,
    conditions: Conditions,
    project: &str,
    order: &str,
    limit: i64,
) -> (String, Vec<P<'static>>) {
    let (mut sql, mut params) = (String::new(), Vec::new());
    for is_owner in [true, false] {
        let mut arm = Conditions {
            sql: renumbered(&conditions.sql, params.len()),
            params: std::mem::take(&mut params),
            project: None,
        };
        arm.params.extend(conditions.params.iter().cloned());
        if is_owner {
            arm.equal("owner", project.to_owned());
        } else {
            arm.equal("lessee", project.to_owned());
            arm.and();
            arm.sql.push_str("(owner IS NULL OR owner <> ");
            arm.bind(project.to_owned());
            arm.sql.push(')');
        }
        if !is_owner {
            sql.push_str(" UNION ALL ");
        }
        let bounded = engine != Engine::Sqlite;
        sql.push_str(if bounded { "(" } else { "" });
        sql.push_str(select);
        if bounded {
            arm.sql.push_str(order);
            arm.bind(limit);
            arm.sql.push(')');
        }
        sql.push_str(&arm.sql);
        params = arm.params;
    }
    params.push(limit.into());
    let _ = write!(sql, "{order}${}", params.len());
    (sql, params)
}

/// The statement with `by` added to the number of each placeholder. It has no other `$`.
fn renumbered(sql: &str, by: usize) -> String {
    let mut parts = sql.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        let (number, rest) = part.split_at(end);
        let number = number.parse::<usize>().unwrap_or_default() + by;
        let _ = write!(out, "${number}{rest}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_two_lists_and_every_placeholder_is_used_once_and_in_order() {
        let statement = |engine| {
            let mut conditions = Conditions::default();
            conditions.equal("driver", "d".to_owned());
            let order = " ORDER BY id LIMIT ";
            of_project(engine, "SELECT id FROM nodes", conditions, "p", order, 7)
        };
        let (sql, params) = statement(Engine::Sqlite);
        assert_eq!(
            sql,
            "SELECT id FROM nodes WHERE driver = $1 AND owner = $2 UNION ALL \
             SELECT id FROM nodes WHERE driver = $3 AND lessee = $4 \
             AND (owner IS NULL OR owner <> $5) ORDER BY id LIMIT $6"
        );
        assert_eq!(params.len(), 6);
        let (sql, params) = statement(Engine::MariaDb);
        assert_eq!(
            sql,
            "(SELECT id FROM nodes WHERE driver = $1 AND owner = $2 ORDER BY id LIMIT $3) \
             UNION ALL (SELECT id FROM nodes WHERE driver = $4 AND lessee = $5 \
             AND (owner IS NULL OR owner <> $6) ORDER BY id LIMIT $7) ORDER BY id LIMIT $8"
        );
        assert_eq!(params.len(), 8);
    }
}
