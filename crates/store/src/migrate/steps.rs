//! Migrations on MariaDB, where each change of a table is committed by itself.
//!
//! So an upgrade is a list of single statements, and a row of the table `corten_upgrade` says which
//! one is next. It is updated after each of them; if a process dies in between, the next upgrade
//! resumes there. Only that one statement can have been executed already, and then the server
//! reports it. Versions are recorded together at the very end: until then the database counts as
//! unfinished, and no process serves from it.
//!
//! One process upgrades at a time, by a lock of the server that ends with the connection. In a
//! Galera cluster such a lock is known to one node only: upgrade through one address.

use super::{SchemaState, current, inspect_tables, migrations, spelled_for};
use crate::{
    StoreError,
    conn::{Conn, Engine, Reader},
    retry::Patience,
};

/// How long to wait for another process that upgrades.
const WAIT: i64 = 600;

/// One lock a database: the server has one list of names for all of them.
const LOCK: &str = "CONCAT('corten:', MD5(DATABASE()))";

/// Where an upgrade stands: the statement that is next, and whether it may have been run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Next {
    version: i64,
    statement: i64,
    begun: bool,
}

/// Whether an upgrade was interrupted, or is running in another process.
pub(super) fn is_unfinished(conn: &mut Conn) -> Result<bool, StoreError> {
    Ok(super::has_table(conn, "corten_upgrade")? && next(conn)?.is_some())
}

pub(super) fn upgrade(conn: &mut Conn) -> Result<i64, StoreError> {
    let locked = conn.number(&format!("SELECT GET_LOCK({LOCK}, $1)"), &[WAIT.into()])?;
    if locked != Some(1) {
        return Err(StoreError::Schema(
            "timeout: another process has been upgrading this database for ten minutes".into(),
        ));
    }
    let upgraded = upgrade_locked(conn);
    // With a lost connection the lock is lost too.
    let _ = conn.number(&format!("SELECT RELEASE_LOCK({LOCK})"), &[]);
    upgraded
}

fn upgrade_locked(conn: &mut Conn) -> Result<i64, StoreError> {
    let before = match inspect_tables(conn)? {
        SchemaState::Empty => 0,
        SchemaState::Version(version) => version,
    };
    let unfinished = is_unfinished(conn)?;
    if before >= current() && !unfinished {
        return Ok(before);
    }
    let statements = pending(before);
    if !unfinished {
        refuse_strangers(conn, &statements)?;
        // Galera wants primary keys everywhere.
        conn.batch(
            "CREATE TABLE IF NOT EXISTS corten_schema (version BIGINT NOT NULL PRIMARY KEY)",
        )?;
        conn.batch(
            "CREATE TABLE IF NOT EXISTS corten_upgrade (version BIGINT NOT NULL PRIMARY KEY, \
             statement BIGINT NOT NULL, begun BOOLEAN NOT NULL)",
        )?;
        conn.batch(&format!(
            "INSERT INTO corten_upgrade (version, statement, begun) VALUES ({}, 0, TRUE)",
            before + 1
        ))?;
    }
    let from = next(conn)?.ok_or_else(|| StoreError::Schema("the upgrade has no start".into()))?;
    let last = statements.last().map_or(before, |(version, _, _)| *version);
    // Beyond our last statement there is only the end of the upgrade.
    if before >= current() || from.version > last + 1 {
        return Err(StoreError::Schema(format!(
            "an upgrade of this database to a later version than {} was begun; go on with it by \
             'corten db upgrade' of the later program",
            current()
        )));
    }
    conn.batch("UPDATE corten_upgrade SET begun = TRUE")?;
    for (at, (version, statement, sql)) in statements.iter().enumerate() {
        if (*version, *statement) < (from.version, from.statement) {
            continue;
        }
        let after = statements
            .get(at + 1)
            .map_or((current() + 1, 0), |(version, statement, _)| {
                (*version, *statement)
            });
        let is_first = (*version, *statement) == (from.version, from.statement);
        let resumed = is_first && unfinished && from.begun;
        run(conn, sql, resumed, after)?;
    }
    finish(conn, before)?;
    Ok(before)
}

/// Runs one statement and moves the row on.
fn run(conn: &mut Conn, sql: &str, resumed: bool, after: (i64, i64)) -> Result<(), StoreError> {
    let moved = format!(
        "UPDATE corten_upgrade SET version = {}, statement = {}, begun = TRUE",
        after.0, after.1
    );
    let is_definition = ["CREATE ", "ALTER ", "DROP "]
        .iter()
        .any(|word| sql.starts_with(word));
    if !is_definition {
        // Changes of rows and the mark are one transaction.
        conn.batch("BEGIN")?;
        let done = conn.batch(sql).and_then(|()| conn.batch(&moved));
        conn.batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        return done;
    }
    // Those who serve meanwhile hold the table for moments; a wait that was in vain did nothing.
    let mut patience = Patience::new();
    let done = loop {
        match conn.batch(sql) {
            Err(error) if error.is_retryable() && patience.wait() => {}
            outcome => break outcome,
        }
    };
    match done {
        Ok(()) => {}
        Err(error) if resumed && error.is_done_already() => {}
        Err(error) => {
            // The statement certainly failed: clear the mark, so that the next attempt does not
            // take another program's table for ours. If this fails too the connection is lost, and
            // the state unknown.
            let _ = conn.batch("UPDATE corten_upgrade SET begun = FALSE");
            return Err(error);
        }
    }
    conn.batch(&moved)
}

/// Makes the new versions known, all at once.
fn finish(conn: &mut Conn, before: i64) -> Result<(), StoreError> {
    let versions: Vec<String> = (before + 1..=current()).map(|v| format!("({v})")).collect();
    conn.batch("BEGIN")?;
    let done = conn
        .batch(&format!(
            "INSERT INTO corten_schema (version) VALUES {}",
            versions.join(", ")
        ))
        .and_then(|()| conn.batch("DELETE FROM corten_upgrade"));
    conn.batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    // The table stays, empty: others may be looking at it.
    done
}

fn next(conn: &mut Conn) -> Result<Option<Next>, StoreError> {
    const SQL: &str = "SELECT version, statement, begun FROM corten_upgrade";
    conn.query_opt(SQL, &[], |row| {
        let names = &["version", "statement", "begun"];
        let r = &mut Reader::new(row, "corten_upgrade", names);
        Ok(Next {
            version: r.int()?,
            statement: r.int()?,
            begun: r.boolean()?,
        })
    })
}

/// The statements that lead from a version to the current one, each with its version and number.
fn pending(before: i64) -> Vec<(i64, i64, String)> {
    let mut out = Vec::new();
    for (version, text) in (1..).zip(migrations()) {
        if version > before {
            let spelled = split(text)
                .into_iter()
                .map(|sql| spelled_for(Engine::MariaDb, &sql));
            out.extend((0..).zip(spelled).map(|(n, sql)| (version, n, sql)));
        }
    }
    out
}

/// Single statements: they end with a semicolon at the end of a line, and comments fill lines.
pub(super) fn split(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim().starts_with("--"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let statements = text.split(";\n").map(|sql| sql.trim().to_owned());
    statements.filter(|sql| !sql.is_empty()).collect()
}

/// Refuses to start when a table that is to be made is there, before anything is changed.
fn refuse_strangers(conn: &mut Conn, statements: &[(i64, i64, String)]) -> Result<(), StoreError> {
    for (_, _, sql) in statements {
        let Some(rest) = sql.strip_prefix("CREATE TABLE ") else {
            continue;
        };
        let name = rest.split(' ').next().unwrap_or(rest);
        if super::has_table(conn, name)? {
            return Err(StoreError::Schema(format!(
                "there is a table '{name}' in this database that is not Corten's; name an empty \
                 database in [database]connection"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{super::CURRENT, *};

    #[test]
    fn migrations_are_single_statements() {
        let all = pending(0);
        assert_eq!(all[0].0, 1);
        assert_eq!(all.last().map(|last| last.0), Some(CURRENT));
        for (version, _, sql) in &all {
            let words: Vec<&str> = sql.split_whitespace().take(2).collect();
            let known = ["CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE"];
            assert!(known.contains(&words[0]), "{version}: {sql}");
            assert!(!sql.contains(';'), "{version}: {sql}");
            assert!(!sql.contains('{'), "{version}: {sql}");
        }
        assert!(pending(CURRENT).is_empty());
        assert_eq!(pending(CURRENT - 1)[0].0, CURRENT);
    }

    #[test]
    fn comments_are_left_out() {
        let text =
            "-- one; two\nCREATE TABLE a (\n    b BIGINT\n);\n\n-- x\nINSERT INTO a VALUES (1);\n";
        let expected = [
            "CREATE TABLE a (\n    b BIGINT\n)",
            "INSERT INTO a VALUES (1)",
        ];
        assert_eq!(split(text), expected);
    }
}
