//! Schema versions: forward only, one file a change, applied in order in one transaction, or step
//! by step where an engine has no such transactions.
//!
//! A program serves the version that it was made for, and the one after it: so a database goes one
//! version forward while programs serve it, and they are replaced afterwards, one by one. That the
//! next version has nothing in it that this one stumbles over is a rule for migrations, which the
//! tests in `additive.rs` hold them to.

#[cfg(test)]
mod additive;
mod steps;

use std::{collections::HashMap, sync::OnceLock};

use crate::{
    StoreError,
    conn::{Conn, Engine, spelled_for_mariadb},
    retry::Patience,
};

/// The migrations, oldest first; a database's version is how many of them it has seen.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_init.sql"),
    include_str!("../migrations/0002_resources.sql"),
    include_str!("../migrations/0003_inspection.sql"),
    include_str!("../migrations/0004_unset.sql"),
    include_str!("../migrations/0005_cluster.sql"),
    include_str!("../migrations/0006_affinity.sql"),
    include_str!("../migrations/0007_webhooks.sql"),
    include_str!("../migrations/0008_notifications.sql"),
    include_str!("../migrations/0009_filters.sql"),
    include_str!("../migrations/0010_config_drives.sql"),
    include_str!("../migrations/0011_passes.sql"),
    include_str!("../migrations/0012_images.sql"),
    include_str!("../migrations/0013_unset_flags.sql"),
    include_str!("../migrations/0014_networks.sql"),
    include_str!("../migrations/0015_batches.sql"),
    include_str!("../migrations/0018_users.sql"),
    include_str!("../migrations/0019_batch_rights.sql"),
    include_str!("../migrations/0020_erase_certificates.sql"),
    include_str!("../migrations/0021_baselines.sql"),
    include_str!("../migrations/0022_commissioning.sql"),
    include_str!("../migrations/0023_conductor_group_moves.sql"),
];

/// The version that this source is made for. Programs ask [`current`].
pub const CURRENT: i64 = MIGRATIONS.len() as i64;

/// How many versions a database may be ahead of a program that serves it.
pub const AHEAD: i64 = 1;

/// What comes after [`MIGRATIONS`] in a program that stands for a later version.
static LATER: OnceLock<Vec<&'static str>> = OnceLock::new();

/// Makes this process one of a later version, for tests of what happens when versions meet: its
/// schema has these migrations on top. To be called once, before anything else.
#[doc(hidden)]
pub fn become_later(migrations: Vec<&'static str>) {
    // A second call has no effect.
    let _ = LATER.set(migrations);
}

fn migrations() -> impl Iterator<Item = &'static str> {
    let later = LATER.get().map_or(&[][..], Vec::as_slice);
    MIGRATIONS.iter().chain(later).copied()
}

/// The version that this program makes, and works with.
pub fn current() -> i64 {
    CURRENT + LATER.get().map_or(0, Vec::len) as i64
}

/// What a database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaState {
    /// No table of ours.
    Empty,
    /// Our schema at this version.
    Version(i64),
}

/// Looks at a database without changing it. One that holds Ironic's own schema is
/// refused, and so is one that is in the middle of an upgrade.
pub(crate) fn inspect(conn: &mut Conn) -> Result<SchemaState, StoreError> {
    let found = inspect_tables(conn)?;
    // An unfinished first creation counts as empty: the next start continues it.
    let is_ours = found != SchemaState::Empty;
    if is_ours && conn.engine() == Engine::MariaDb && steps::is_unfinished(conn)? {
        return Err(StoreError::Schema(
            "an upgrade of this database was begun and is not finished; wait for it if it is \
             being made, and otherwise run 'corten db upgrade' to go on with it"
                .into(),
        ));
    }
    Ok(found)
}

fn inspect_tables(conn: &mut Conn) -> Result<SchemaState, StoreError> {
    if has_table(conn, "alembic_version")? {
        return Err(StoreError::Schema(
            "this database holds the schema of OpenStack Ironic (it has a table \
             'alembic_version'); Corten keeps its own schema and leaves this one untouched. Name \
             an empty database in [database]connection"
                .into(),
        ));
    }
    if !has_table(conn, "corten_schema")? {
        return Ok(SchemaState::Empty);
    }
    let Some(version) = conn.number("SELECT MAX(version) FROM corten_schema", &[])? else {
        return Ok(SchemaState::Empty);
    };
    if version > current() + AHEAD {
        return Err(StoreError::Schema(too_new(version)));
    }
    Ok(SchemaState::Version(version))
}

/// Why a database that is too far ahead is not served.
pub fn too_new(version: i64) -> String {
    let (mine, next) = (current(), current() + AHEAD);
    let least = version - AHEAD;
    format!(
        "the database has schema version {version}; this program is made for {mine} and can serve \
         {next} as well, but no later one. Start a program of schema version {least} or {version}"
    )
}

/// Why a database that is behind is not served by those who must not change it.
pub(crate) fn too_old(version: i64) -> String {
    let mine = current();
    if version + AHEAD >= mine {
        format!(
            "the database has schema version {version} and this program needs {mine}: run \
             'corten db upgrade'. Programs of version {version} go on serving meanwhile"
        )
    } else {
        format!(
            "the database has schema version {version} and this program needs {mine}: stop all \
             programs that are older than version {}, then run 'corten db upgrade'",
            mine - AHEAD
        )
    }
}

/// The version that the schema has now.
pub(crate) fn version(conn: &mut Conn) -> Result<i64, StoreError> {
    let version = conn.number("SELECT MAX(version) FROM corten_schema", &[])?;
    version.ok_or_else(|| StoreError::Schema("the database has lost its schema version".into()))
}

/// Brings the schema up to [`current`]; returns the version before.
pub(crate) fn upgrade(conn: &mut Conn) -> Result<i64, StoreError> {
    let begin = match conn.engine() {
        Engine::Sqlite => "BEGIN IMMEDIATE",
        // Two processes that start together must not both create the tables.
        Engine::Postgres => {
            "BEGIN; SELECT pg_advisory_xact_lock(6385); SET LOCAL lock_timeout = '2s'"
        }
        Engine::MariaDb => return steps::upgrade(conn),
    };
    // Running services hold locks on these tables for moments. Do not let them queue up behind us
    // for long (lock timeout), and in a deadlock, one side is aborted and retries.
    let mut patience = Patience::new();
    loop {
        conn.batch(begin)?;
        let upgraded = upgrade_inside(conn);
        conn.batch(if upgraded.is_ok() {
            "COMMIT"
        } else {
            "ROLLBACK"
        })?;
        let passes = |error: &StoreError| error.is_retryable() || error.is_busy();
        if !upgraded.as_ref().is_err_and(passes) || !patience.wait() {
            return upgraded;
        }
    }
}

fn upgrade_inside(conn: &mut Conn) -> Result<i64, StoreError> {
    let before = match inspect(conn)? {
        SchemaState::Empty => {
            conn.batch("CREATE TABLE corten_schema (version BIGINT NOT NULL)")?;
            0
        }
        SchemaState::Version(version) => version,
    };
    let engine = conn.engine();
    for (version, text) in (1..).zip(migrations()) {
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
    for text in migrations() {
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

pub(crate) fn has_table(conn: &mut Conn, name: &str) -> Result<bool, StoreError> {
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
        assert_eq!(inspect(&mut conn).unwrap(), SchemaState::Empty);
        assert_eq!(upgrade(&mut conn).unwrap(), 0);
        assert_eq!(upgrade(&mut conn).unwrap(), CURRENT);
        assert_eq!(inspect(&mut conn).unwrap(), SchemaState::Version(CURRENT));
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
    fn a_schema_that_is_one_ahead_is_served_and_left_alone() {
        let mut conn = memory();
        upgrade(&mut conn).unwrap();
        let mut put = |version: i64| {
            let sql = format!("INSERT INTO corten_schema (version) VALUES ({version})");
            conn.batch(&sql).unwrap();
            (inspect(&mut conn), upgrade(&mut conn))
        };
        let (found, upgraded) = put(CURRENT + 1);
        assert_eq!(found.unwrap(), SchemaState::Version(CURRENT + 1));
        assert_eq!(upgraded.unwrap(), CURRENT + 1);
        let (refused, not_upgraded) = put(CURRENT + 2);
        let text = refused.unwrap_err().to_string();
        let least = format!("Start a program of schema version {} or", CURRENT + 1);
        assert!(text.contains(&least), "{text}");
        assert!(not_upgraded.is_err());
    }

    #[test]
    fn what_is_behind_says_what_to_do() {
        let next_door = too_old(CURRENT - 1);
        assert!(next_door.contains("go on serving"), "{next_door}");
        let far = too_old(CURRENT - 2);
        let stop = format!(
            "stop all programs that are older than version {}",
            CURRENT - 1
        );
        assert!(far.contains(&stop), "{far}");
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
