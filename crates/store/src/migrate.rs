//! Schema versions: forward only, one file a change, applied in order in one transaction, or step
//! by step where an engine has no such transactions.

mod steps;

use std::collections::HashMap;

use crate::{
    StoreError,
    conn::{Conn, Engine, spelled_for_mariadb},
};

/// The migrations, oldest first; a database's version is how many of them it has seen.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_init.sql"),
    include_str!("../migrations/0002_resources.sql"),
    include_str!("../migrations/0003_inspection.sql"),
    include_str!("../migrations/0004_unset.sql"),
    include_str!("../migrations/0005_cluster.sql"),
    include_str!("../migrations/0006_affinity.sql"),
    include_str!("../migrations/0007_webhooks.sql"),
];

/// The version this program works with.
pub const CURRENT: i64 = MIGRATIONS.len() as i64;

/// What a database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// No table of ours.
    Empty,
    /// Our schema at this version.
    Version(i64),
}

/// Looks at a database without changing it. One that holds the original service's own schema is
/// refused, and so is one that is in the middle of an upgrade.
pub(crate) fn inspect(conn: &mut Conn) -> Result<Found, StoreError> {
    let found = inspect_tables(conn)?;
    // One that was never finished in the first place is as good as empty: whoever starts goes on.
    let is_ours = found != Found::Empty;
    if is_ours && conn.engine() == Engine::MariaDb && steps::is_unfinished(conn)? {
        return Err(StoreError::Schema(
            "an upgrade of this database was begun and is not finished; wait for it if it is \
             being made, and otherwise run 'corten db upgrade' to go on with it"
                .into(),
        ));
    }
    Ok(found)
}

fn inspect_tables(conn: &mut Conn) -> Result<Found, StoreError> {
    if has_table(conn, "alembic_version")? {
        return Err(StoreError::Schema(
            "this database holds the schema of OpenStack Ironic (it has a table \
             'alembic_version'); Corten keeps its own schema and leaves this one untouched. Name \
             an empty database in [database]connection"
                .into(),
        ));
    }
    if !has_table(conn, "corten_schema")? {
        return Ok(Found::Empty);
    }
    let Some(version) = conn.number("SELECT MAX(version) FROM corten_schema", &[])? else {
        return Ok(Found::Empty);
    };
    if version > CURRENT {
        return Err(StoreError::Schema(format!(
            "the database has schema version {version}, and this program knows versions up to \
             {CURRENT}; start a newer program"
        )));
    }
    Ok(Found::Version(version))
}

/// Brings the schema up to [`CURRENT`]; returns the version before.
pub(crate) fn upgrade(conn: &mut Conn) -> Result<i64, StoreError> {
    match conn.engine() {
        Engine::Sqlite => conn.batch("BEGIN IMMEDIATE")?,
        // Two processes that start together must not both create the tables.
        Engine::Postgres => conn.batch("BEGIN; SELECT pg_advisory_xact_lock(6385)")?,
        Engine::MariaDb => return steps::upgrade(conn),
    }
    let upgraded = upgrade_inside(conn);
    conn.batch(if upgraded.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    })?;
    upgraded
}

fn upgrade_inside(conn: &mut Conn) -> Result<i64, StoreError> {
    let before = match inspect(conn)? {
        Found::Empty => {
            conn.batch("CREATE TABLE corten_schema (version BIGINT NOT NULL)")?;
            0
        }
        Found::Version(version) => version,
    };
    let engine = conn.engine();
    for (index, text) in MIGRATIONS.iter().enumerate() {
        let version = index as i64 + 1;
        if version > before {
            conn.batch(&spelled_for(engine, text))?;
            conn.execute(
                "INSERT INTO corten_schema (version) VALUES ($1)",
                &[version.into()],
            )?;
        }
    }
    Ok(before)
}

/// How many characters the text columns of a table hold, read from the migrations themselves.
pub(crate) fn widths(table: &str) -> HashMap<&'static str, usize> {
    let head = format!("CREATE TABLE {table} (");
    let mut widths = HashMap::new();
    for text in MIGRATIONS {
        let Some((_, after)) = text.split_once(&head) else {
            continue;
        };
        let body = after.split(");").next().unwrap_or(after);
        for line in body.lines() {
            let Some((column, kind)) = line.trim().split_once(' ') else {
                continue;
            };
            let width = kind
                .strip_prefix("{text:")
                .and_then(|rest| rest.split_once('}'));
            if let Some(width) = width.and_then(|(digits, _)| digits.parse().ok()) {
                widths.insert(column, width);
            }
        }
    }
    widths
}

fn has_table(conn: &mut Conn, name: &str) -> Result<bool, StoreError> {
    let sql = match conn.engine() {
        Engine::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = $1",
        Engine::Postgres => {
            "SELECT COUNT(*) FROM information_schema.tables \
             WHERE table_schema = current_schema() AND table_name = $1"
        }
        Engine::MariaDb => {
            "SELECT COUNT(*) FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_name = $1"
        }
    };
    Ok(conn.number(sql, &[name.into()])?.unwrap_or(0) > 0)
}

/// Replaces the placeholders of a migration by an engine's own words.
fn spelled_for(engine: Engine, text: &str) -> String {
    let (pk, long, boolean) = match engine {
        Engine::Sqlite => ("INTEGER PRIMARY KEY AUTOINCREMENT", "TEXT", "BOOLEAN"),
        Engine::Postgres => (
            "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
            "TEXT COLLATE \"C\"",
            "BOOLEAN",
        ),
        Engine::MariaDb => (
            "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
            "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
            "BOOLEAN",
        ),
    };
    let text = text
        .replace("{pk}", pk)
        .replace("{long}", long)
        .replace("{bool}", boolean);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("{text:") {
        out.push_str(before);
        let (length, tail) = after.split_once('}').unwrap_or((after, ""));
        match engine {
            Engine::Sqlite => out.push_str("TEXT"),
            Engine::Postgres => out.push_str(&format!("VARCHAR({length}) COLLATE \"C\"")),
            Engine::MariaDb => out.push_str(&format!(
                "VARCHAR({length}) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
            )),
        }
        rest = tail;
    }
    out.push_str(rest);
    match engine {
        Engine::Sqlite | Engine::Postgres => out,
        Engine::MariaDb => spelled_for_mariadb(&out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Conn {
        Conn::Sqlite(rusqlite::Connection::open_in_memory().unwrap())
    }

    #[test]
    fn upgrading_twice_changes_nothing() {
        let mut conn = memory();
        assert_eq!(inspect(&mut conn).unwrap(), Found::Empty);
        assert_eq!(upgrade(&mut conn).unwrap(), 0);
        assert_eq!(upgrade(&mut conn).unwrap(), CURRENT);
        assert_eq!(inspect(&mut conn).unwrap(), Found::Version(CURRENT));
    }

    #[test]
    fn a_foreign_or_newer_schema_is_refused_untouched() {
        let mut conn = memory();
        conn.batch("CREATE TABLE alembic_version (version_num TEXT)")
            .unwrap();
        let refused = upgrade(&mut conn).unwrap_err();
        assert!(refused.to_string().contains("Ironic"), "{refused}");
        assert_eq!(
            conn.number("SELECT COUNT(*) FROM sqlite_master", &[])
                .unwrap(),
            Some(1)
        );

        let mut conn = memory();
        upgrade(&mut conn).unwrap();
        conn.batch("INSERT INTO corten_schema (version) VALUES (999)")
            .unwrap();
        assert!(upgrade(&mut conn).unwrap_err().to_string().contains("999"));
    }

    #[test]
    fn widths_are_those_of_the_tables() {
        let nodes = widths("nodes");
        assert_eq!(nodes.get("name"), Some(&255));
        assert_eq!(nodes.get("resource_class"), Some(&80));
        assert_eq!(nodes.get("health"), Some(&32));
        assert_eq!(nodes.get("last_error"), None);
        assert_eq!(widths("ports").get("vendor"), Some(&32));
        assert_eq!(widths("volume_connectors").get("type"), Some(&32));
    }

    #[test]
    fn each_engine_gets_its_own_words() {
        let text = "a {text:36} NOT NULL, b {text:255}, c {long}, d {bool}, id {pk}";
        assert_eq!(
            spelled_for(Engine::Sqlite, text),
            "a TEXT NOT NULL, b TEXT, c TEXT, d BOOLEAN, id INTEGER PRIMARY KEY AUTOINCREMENT"
        );
        assert!(spelled_for(Engine::Postgres, text).starts_with("a VARCHAR(36) COLLATE \"C\" NOT"));
        assert!(
            spelled_for(Engine::MariaDb, text)
                .starts_with("a VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT")
        );
    }
}
