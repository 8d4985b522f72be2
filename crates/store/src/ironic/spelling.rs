//! The statements that read a foreign table, in the words of each engine.
//!
//! Names are quoted: `order`, `default` and others are reserved words.

use super::{ColumnType, Scan, lock::MOVING};
use crate::{Engine, group_move::GroupName};

/// Which rows are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// Those behind a key, so many.
    After { limit: usize },
    /// Those behind one key, and not behind another.
    Between,
}

/// The rows of one conductor group, and what hangs on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupRows {
    /// All of its nodes.
    All(GroupName),
    /// Those of its nodes that this service has locked to import them.
    Locked(GroupName),
}

impl GroupRows {
    /// What is true of a node, by the name that its table has in the statement.
    fn of_node(&self, engine: Engine, table: &str) -> String {
        match self {
            Self::All(group) => in_group(engine, table, group),
            Self::Locked(group) => format!(
                "{} AND {table}.\"reservation\" = '{MOVING}'",
                in_group(engine, table, group)
            ),
        }
    }

    /// What is true of the rows of a table, called `t`. Deploy templates and their kin belong to no
    /// group, and all of them come.
    fn condition(&self, engine: Engine, scan: &Scan) -> String {
        let (column, wanted) = match scan.table {
            "nodes" => return format!(" AND {}", self.of_node(engine, "t")),
            "chassis" => ("id", "chassis_id"),
            _ if belongs_to_nodes(scan) => ("node_id", "id"),
            _ => return String::new(),
        };
        format!(
            " AND t.\"{column}\" IN (SELECT g.\"{wanted}\" FROM \"nodes\" g WHERE {})",
            self.of_node(engine, "g")
        )
    }
}

/// Whether rows say by `node_id` whose they are.
fn belongs_to_nodes(scan: &Scan) -> bool {
    scan.key == "node_id" || scan.joins.iter().any(|join| join.on == "node_id")
}

/// What is true of a node of a group. The name of a group has no character that means anything in SQL.
pub(super) fn in_group(engine: Engine, table: &str, group: &GroupName) -> String {
    let column = cast(
        engine,
        &format!("{table}.\"conductor_group\""),
        ColumnType::Text,
    );
    format!("LOWER(COALESCE({column}, '')) = '{}'", group.as_str())
}

/// A statement for a scan of which only the `present` columns exist; others are read as NULL. It
/// takes one key, or two.
pub(super) fn select(
    engine: Engine,
    scan: &Scan,
    present: &dyn Fn(&str, &str) -> bool,
    rows: Rows,
    group: Option<&GroupRows>,
) -> String {
    let mut columns = vec![format!("t.\"{}\"", scan.key)];
    columns[0] = cast(engine, &columns[0], ColumnType::Int);
    for field in scan.fields {
        columns.push(if present(scan.table, field.name) {
            cast(engine, &format!("t.\"{}\"", field.name), field.kind)
        } else {
            null(engine, field.kind).to_owned()
        });
    }
    let mut from = format!("\"{}\" t", scan.table);
    for (number, join) in scan.joins.iter().enumerate() {
        if present(join.table, join.value) && present(scan.table, join.on) {
            let other = format!("j{number}");
            columns.push(cast(
                engine,
                &format!("{other}.\"{}\"", join.value),
                join.kind,
            ));
            from.push_str(&format!(
                " LEFT JOIN \"{}\" {other} ON {other}.\"{}\" = t.\"{}\"",
                join.table, join.key, join.on
            ));
        } else {
            columns.push(null(engine, join.kind).to_owned());
        }
    }
    let newest = scan.newest_of.map_or_else(String::new, |of| {
        format!(
            " AND NOT EXISTS (SELECT 1 FROM \"{}\" n WHERE n.\"{of}\" = t.\"{of}\" AND \
             (n.created_at > t.created_at OR (n.created_at = t.created_at AND n.id > t.id)))",
            scan.table
        )
    });
    let (first, second) = (place(engine, 1), place(engine, 2));
    let key = scan.key;
    let (until, limit) = match rows {
        Rows::After { limit } => (String::new(), format!(" LIMIT {limit}")),
        Rows::Between => (format!(" AND t.\"{key}\" <= {second}"), String::new()),
    };
    let then = scan
        .then
        .map_or_else(String::new, |then| format!(", t.\"{then}\""));
    let group = group.map_or_else(String::new, |group| group.condition(engine, scan));
    format!(
        "SELECT {} FROM {from} WHERE t.\"{key}\" > {first}{until}{newest}{group} \
         ORDER BY t.\"{key}\"{then}{limit}",
        columns.join(", ")
    )
}

/// The statement that tells whether most changes of a table happened, and what its columns are.
pub(super) fn fingerprint(
    engine: Engine,
    scan: &Scan,
    present: &dyn Fn(&str) -> bool,
) -> (String, Vec<ColumnType>) {
    let mut columns = vec![(cast(engine, "COUNT(*)", ColumnType::Int), ColumnType::Int)];
    for (column, kind) in [
        (scan.key, ColumnType::Int),
        ("updated_at", ColumnType::Time),
        ("created_at", ColumnType::Time),
    ] {
        if present(column) {
            columns.push((cast(engine, &format!("MAX(\"{column}\")"), kind), kind));
        }
    }
    let (columns, kinds): (Vec<String>, Vec<ColumnType>) = columns.into_iter().unzip();
    let sql = format!("SELECT {} FROM \"{}\"", columns.join(", "), scan.table);
    (sql, kinds)
}

/// The last of so many distinct keys behind one.
pub(super) fn last_of(
    engine: Engine,
    scan: &Scan,
    keys: usize,
    group: Option<&GroupRows>,
) -> String {
    let (table, key, first) = (scan.table, scan.key, place(engine, 1));
    let last = cast(engine, "MAX(k)", ColumnType::Int);
    let group = group.map_or_else(String::new, |group| group.condition(engine, scan));
    format!(
        "SELECT {last} FROM (SELECT DISTINCT t.\"{key}\" AS k FROM \"{table}\" t \
         WHERE t.\"{key}\" > {first}{}{group} ORDER BY t.\"{key}\" LIMIT {keys}) AS s",
        numbers_only(engine, key)
    )
}

/// SQLite may hold a text where a number belongs, and sorts it behind all numbers.
fn numbers_only(engine: Engine, key: &str) -> String {
    match engine {
        Engine::Sqlite => format!(" AND typeof(t.\"{key}\") = 'integer'"),
        Engine::Postgres | Engine::MariaDb => String::new(),
    }
}

/// Condition for parts that belong to no row of `owner`; without one, for those whose key is no number,
/// which no page has.
fn is_astray(engine: Engine, scan: &Scan, owner: Option<&str>) -> String {
    let key = format!("t.\"{}\"", scan.key);
    match (owner, engine) {
        (Some(owner), _) => {
            format!("NOT EXISTS (SELECT 1 FROM \"{owner}\" o WHERE o.\"id\" = {key})")
        }
        (None, Engine::Sqlite) => format!("typeof({key}) <> 'integer'"),
        (None, Engine::Postgres | Engine::MariaDb) => format!("{key} IS NULL"),
    }
}

/// How many parts are astray.
pub(super) fn count_astray(engine: Engine, scan: &Scan, owner: Option<&str>) -> String {
    let which = is_astray(engine, scan, owner);
    format!("SELECT COUNT(*) FROM \"{}\" t WHERE {which}", scan.table)
}

/// The first of them: the owner that they name, and what they are called.
pub(super) fn select_astray(
    engine: Engine,
    scan: &Scan,
    owner: Option<&str>,
    limit: usize,
) -> String {
    let text = |column: &str| match engine {
        Engine::MariaDb => format!("CAST(t.\"{column}\" AS CHAR)"),
        Engine::Postgres | Engine::Sqlite => format!("CAST(t.\"{column}\" AS TEXT)"),
    };
    let (key, then) = (text(scan.key), text(scan.then.unwrap_or(scan.key)));
    let which = is_astray(engine, scan, owner);
    format!(
        "SELECT {key}, {then} FROM \"{}\" t WHERE {which} LIMIT {limit}",
        scan.table
    )
}

/// PostgreSQL compares numbers of different widths with an index, if it knows them for numbers.
fn place(engine: Engine, number: usize) -> String {
    match engine {
        Engine::Postgres => format!("CAST(${number} AS BIGINT)"),
        Engine::Sqlite | Engine::MariaDb => format!("${number}"),
    }
}

pub(super) fn cast(engine: Engine, column: &str, kind: ColumnType) -> String {
    match (engine, kind) {
        (Engine::Postgres, ColumnType::Int) => format!("CAST({column} AS BIGINT)"),
        (Engine::Postgres, ColumnType::Bool) => {
            format!("CAST(CAST({column} AS INTEGER) AS BIGINT)")
        }
        (Engine::Postgres, ColumnType::Text | ColumnType::Time) => {
            format!("CAST({column} AS TEXT)")
        }
        (Engine::MariaDb, ColumnType::Time) => format!("CAST({column} AS CHAR)"),
        (Engine::MariaDb | Engine::Sqlite, _) => column.to_owned(),
    }
}

fn null(engine: Engine, kind: ColumnType) -> &'static str {
    match (engine, kind) {
        (Engine::Postgres, ColumnType::Int | ColumnType::Bool) => "CAST(NULL AS BIGINT)",
        (Engine::Postgres, ColumnType::Text | ColumnType::Time) => "CAST(NULL AS TEXT)",
        _ => "NULL",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ironic::{Field, Join};

    const STEPS: Scan = Scan {
        table: "runbook_steps",
        since: 0,
        key: "runbook_id",
        then: Some("id"),
        fields: &[
            Field {
                name: "order",
                kind: ColumnType::Int,
                since: 0,
            },
            Field {
                name: "created_at",
                kind: ColumnType::Time,
                since: 0,
            },
        ],
        joins: &[Join {
            name: "runbook",
            on: "runbook_id",
            table: "runbooks",
            key: "id",
            value: "uuid",
            kind: ColumnType::Text,
        }],
        newest_of: None,
    };

    #[test]
    fn every_engine_reads_the_same_in_its_own_words() {
        let all = |_: &str, _: &str| true;
        assert_eq!(
            select(Engine::MariaDb, &STEPS, &all, Rows::Between, None),
            "SELECT t.\"runbook_id\", t.\"order\", CAST(t.\"created_at\" AS CHAR), j0.\"uuid\" FROM \
             \"runbook_steps\" t LEFT JOIN \"runbooks\" j0 ON j0.\"id\" = t.\"runbook_id\" WHERE \
             t.\"runbook_id\" > $1 AND t.\"runbook_id\" <= $2 ORDER BY t.\"runbook_id\", t.\"id\""
        );
        let old = |_: &str, column: &str| column != "order";
        let text = select(
            Engine::Postgres,
            &STEPS,
            &old,
            Rows::After { limit: 7 },
            None,
        );
        assert!(
            text.contains("CAST(NULL AS BIGINT), CAST(t.\"created_at\" AS TEXT)"),
            "{text}"
        );
        assert!(text.ends_with("> CAST($1 AS BIGINT) ORDER BY t.\"runbook_id\", t.\"id\" LIMIT 7"));
    }

    #[test]
    fn a_group_is_its_nodes_and_what_hangs_on_them() {
        let group = GroupRows::Locked("Rack-B".parse().unwrap());
        let nodes = Scan {
            table: "nodes",
            key: "id",
            then: None,
            fields: &[],
            joins: &[],
            ..STEPS
        };
        let traits = Scan {
            table: "node_traits",
            key: "node_id",
            ..nodes
        };
        let chassis = Scan {
            table: "chassis",
            ..nodes
        };
        for (scan, expected) in [
            (
                &nodes,
                " AND LOWER(COALESCE(t.\"conductor_group\", '')) = 'rack-b' AND t.\"reservation\" = \
                 'corten-moving'",
            ),
            (
                &traits,
                " AND t.\"node_id\" IN (SELECT g.\"id\" FROM \"nodes\" g WHERE \
                 LOWER(COALESCE(g.\"conductor_group\", '')) = 'rack-b' AND g.\"reservation\" = \
                 'corten-moving')",
            ),
            (
                &chassis,
                " AND t.\"id\" IN (SELECT g.\"chassis_id\" FROM \"nodes\" g WHERE \
                 LOWER(COALESCE(g.\"conductor_group\", '')) = 'rack-b' AND g.\"reservation\" = \
                 'corten-moving')",
            ),
            (&STEPS, ""),
        ] {
            assert_eq!(
                group.condition(Engine::Sqlite, scan),
                expected,
                "{}",
                scan.table
            );
        }
    }
}
