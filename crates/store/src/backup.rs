//! Copies of the embedded database: made while others write, examined, and put back into use.
//!
//! A copy is made by `VACUUM INTO`: one read transaction, so the copy is consistent as of one
//! moment, and writers are not blocked. The backup interface of SQLite would restart with every
//! write of another process, and never end beside a busy service.
//!
//! Where files go, what is overwritten and who may use what is decided by `corten db`; servers have
//! tools of their own.

use crate::{
    StoreError,
    conn::{Conn, Reader},
    event,
    migrate::{self, SchemaState},
    rotate,
    secret::{self, SecretScope},
};
use rusqlite::{Connection, OpenFlags};
use std::{collections::BTreeSet, path::Path, time::Duration};

/// How long a process that is ending may take to release the file.
const BUSY: Duration = Duration::from_secs(3);

/// What is in a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    pub schema: i64,
    pub nodes: i64,
    /// The cursor of the newest event.
    pub newest_event: i64,
    /// Names of the keys that its secrets are sealed with.
    pub keys: BTreeSet<String>,
}

/// Writes a consistent copy of a database into an empty file, while others use the database. The
/// copy is complete when this returns, but not synced to the disk yet.
pub fn copy(database: &Path, into: &Path) -> Result<(), StoreError> {
    let from = open(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let into = into
        .to_str()
        .ok_or_else(|| StoreError::Schema("the file name is not UTF-8".into()))?;
    from.execute("VACUUM INTO ?1", [into])?;
    Ok(())
}

/// Verifies a copy that no other process uses. Fails if it is damaged, not a Corten database, or of
/// a newer program.
pub fn examine(file: &Path) -> Result<Contents, StoreError> {
    let connection = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // A copy that was made by other tools may be in WAL mode, and opening it would create a second
    // file.
    let mode = journal_mode(&connection)?;
    if mode != "delete" {
        return Err(StoreError::Schema("the database is in use".into()));
    }
    let damage: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if damage != "ok" {
        return Err(StoreError::Schema(format!(
            "the database is damaged: {damage}"
        )));
    }
    let conn = &mut Conn::Sqlite(connection);
    let SchemaState::Version(schema) = migrate::inspect(conn)? else {
        return Err(StoreError::Schema("not a Corten database".into()));
    };
    let mut number = |sql: &str| Ok::<_, StoreError>(conn.number(sql, &[])?.unwrap_or(0));
    Ok(Contents {
        schema,
        nodes: number("SELECT COUNT(*) FROM nodes")?,
        newest_event: number("SELECT value FROM counters WHERE name = 'events'")?,
        keys: keys(conn)?,
    })
}

/// Prepares a copy for use as the database. The event log continues behind all cursors that were
/// ever read, at least behind `floor`. The recorded power states are cleared: they are stale, and
/// machines must not be switched because of them.
pub fn revive(copy: &Path, floor: i64) -> Result<(), StoreError> {
    let connection = open(copy, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let conn = &mut Conn::Sqlite(connection);
    conn.batch("BEGIN IMMEDIATE")?;
    event::jump(conn, floor)?;
    conn.batch("UPDATE nodes SET power_state = NULL WHERE target_power_state IS NULL")?;
    conn.batch("COMMIT")
}

/// The state of a database that is to be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retired {
    /// All of it is in its one file; the newest cursor of its event log, if it had one.
    Whole(Option<i64>),
    /// It cannot be read. The files beside it (`-wal`, `-shm`) belong to it.
    Broken,
}

/// Checkpoints a database into its one file. Fails when another process has it open: that process
/// would go on writing into the replaced file.
pub fn retire(database: &Path) -> Result<Retired, StoreError> {
    let in_use = || {
        StoreError::Unavailable("another program has the database open; stop it and retry".into())
    };
    let whole = || -> Result<Option<i64>, StoreError> {
        if !is_sound(database)? {
            return Err(StoreError::Sql("the database is damaged".into()));
        }
        let connection = open(database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut conn = Conn::Sqlite(connection);
        if migrate::has_table(&mut conn, "alembic_version")? {
            return Err(StoreError::Schema(
                "the database has the schema of OpenStack Ironic; it is not changed".into(),
            ));
        }
        let Conn::Sqlite(connection) = &conn else {
            return Ok(None);
        };
        if journal_mode(connection)? != "delete" {
            return Err(in_use());
        }
        let newest = "SELECT value FROM counters WHERE name = 'events'";
        Ok(conn.number(newest, &[]).unwrap_or(None))
    };
    match whole() {
        Ok(newest) => Ok(Retired::Whole(newest)),
        Err(error) if is_busy(&error) => Err(in_use()),
        Err(error @ (StoreError::Schema(_) | StoreError::Unavailable(_))) => Err(error),
        Err(error) => {
            tracing::warn!(error = %types::error::chain(&error), "cannot read the old database");
            Ok(Retired::Broken)
        }
    }
}

/// Whether a database can be read completely. Opens it read-only: opening a damaged one for writing
/// would lose its WAL.
fn is_sound(database: &Path) -> Result<bool, StoreError> {
    let connection = open(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let checked: rusqlite::Result<String> =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    match checked.map_err(StoreError::from) {
        Ok(found) => Ok(found == "ok"),
        Err(StoreError::Sql(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_busy(error: &StoreError) -> bool {
    let (StoreError::Sql(source) | StoreError::Unavailable(source)) = error else {
        return false;
    };
    let code = source
        .downcast_ref::<rusqlite::Error>()
        .and_then(rusqlite::Error::sqlite_error_code);
    use rusqlite::ErrorCode as C;
    matches!(code, Some(C::DatabaseBusy | C::DatabaseLocked))
}

fn open(file: &Path, access: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(file, access)
        .map_err(|error| StoreError::Unavailable(Box::new(error)))?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// Requests a journal mode without extra files; returns the mode after that.
fn journal_mode(connection: &Connection) -> Result<String, StoreError> {
    let asked = connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0));
    Ok(asked?)
}

/// The keys that are needed to decrypt the secrets.
fn keys(conn: &mut Conn) -> Result<BTreeSet<String>, StoreError> {
    const NODES: &[(&str, SecretScope, &[&str])] = &[
        (
            "nodes",
            SecretScope::SecretKeys,
            &["driver_info", "driver_internal_info"],
        ),
        ("nodes", SecretScope::InstanceInfo, &["instance_info"]),
    ];
    let mut keys = BTreeSet::new();
    for (table, place, columns) in rotate::TABLES.iter().chain(NODES).copied() {
        // Tables came with versions, and a backup may be older than some.
        if !migrate::has_table(conn, table)? {
            continue;
        }
        for column in columns {
            if place == SecretScope::Whole {
                keys.extend(keys_at_start(conn, table, column)?);
                continue;
            }
            let sql = format!("SELECT {column} FROM {table} WHERE {column} LIKE $1");
            let pattern = format!("%{}%", secret::PREFIX);
            let rows = conn.query(&sql, &[pattern.into()], |row| {
                Reader::new(row, "", &["sealed"]).text()
            })?;
            for row in rows {
                let value = serde_json::from_str(&row).map_err(|error| {
                    StoreError::Schema(format!("{table}.{column} holds no JSON: {error}"))
                })?;
                keys.extend(secret::key_names(value, place));
            }
        }
    }
    Ok(keys)
}

/// The keys of a column whose values are sealed as a whole: their names stand in front of values
/// that may be many and large.
fn keys_at_start(conn: &mut Conn, table: &str, column: &str) -> Result<Vec<String>, StoreError> {
    const LONGEST_NAME: usize = 128;
    let start = format!("\"{}", secret::PREFIX);
    let length = start.len() + LONGEST_NAME;
    let sql = format!("SELECT SUBSTR({column}, 1, {length}) FROM {table}");
    let found = conn.query(&sql, &[], |row| Reader::new(row, "", &["sealed"]).text())?;
    let named = |text: &String| {
        let (name, _) = text.strip_prefix(&start)?.split_once(':')?;
        Some(name.to_owned())
    };
    Ok(found.iter().filter_map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Db, KeyRing, Location, StoreError, Upgrade, event::EventFilter, node::Log};
    use serde_json::json;
    use types::{Caller, Node, NodeId, event::EventKind, event::NewEvent};

    struct Fixture {
        folder: tempfile::TempDir,
        keys: KeyRing,
        db: Db,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let keys = KeyRing::load_or_create(&folder.path().join("keys")).unwrap();
            let location = Location::Sqlite(folder.path().join("db"));
            let db = Db::open(&location, keys.clone(), Upgrade::Run).unwrap();
            Self { folder, keys, db }
        }

        fn path(&self, name: &str) -> std::path::PathBuf {
            self.folder.path().join(name)
        }

        fn open(&self, name: &str) -> Db {
            let location = Location::Sqlite(self.path(name));
            Db::open(&location, self.keys.clone(), Upgrade::Run).unwrap()
        }

        async fn node(&self, db: &Db) -> Node {
            let mut node = Node::new(NodeId::generate(), "fake-hardware");
            node.driver_info.insert("password".into(), json!("p"));
            node.power_state = Some(types::PowerState::On);
            let event = NewEvent::new(
                &node,
                EventKind::Created,
                "created",
                json!({}),
                &Caller::service(),
            );
            crate::node::insert(db, node, Log::event(event))
                .await
                .unwrap()
        }
    }

    #[tokio::test]
    async fn a_copy_has_everything_and_goes_on_as_a_log_of_its_own() {
        let scene = Fixture::new();
        for _ in 0..3 {
            scene.node(&scene.db).await;
        }
        let copied = scene.path("copy");
        copy(&scene.path("db"), &copied).unwrap();
        assert!(copy(&scene.path("db"), &copied).is_err(), "it is not empty");
        let later = scene.node(&scene.db).await;
        let contents = examine(&copied).unwrap();
        assert_eq!((contents.nodes, contents.newest_event), (3, 3));
        assert_eq!(contents.schema, crate::SCHEMA_VERSION);
        assert_eq!(scene.keys.missing(&contents.keys), Vec::<String>::new());
        let strange = KeyRing::ephemeral().unwrap();
        assert_eq!(strange.missing(&contents.keys).len(), 1);

        revive(&copied, 7).unwrap();
        let db = scene.open("copy");
        assert!(crate::node::find(&db, later.id).await.unwrap().is_none());
        let fresh = scene.node(&db).await;
        let after = |cursor| event::after(&db, cursor, 10, EventFilter::default());
        // Who had read all of the backup reads on without a gap.
        let page = after(3).await.unwrap();
        assert_eq!(page.events.len(), 1);
        assert_eq!(page.events[0].node, fresh.id);
        let place = page.events[0].cursor;
        // Who has seen more than the backup has is told so, and where to go on.
        for cursor in [4, 7, place - 2, place + 1] {
            match after(cursor).await {
                Err(StoreError::CursorUnknown { next }) if cursor < place => {
                    assert_eq!(next, place);
                }
                Err(StoreError::CursorUnknown { next }) => assert_eq!(next, 1),
                other => panic!("{cursor}: {other:?}"),
            }
        }
        assert_eq!(after(place - 1).await.unwrap().events.len(), 1);
        // The jump costs whoever searches nothing.
        let filter = EventFilter {
            kinds: vec![EventKind::Power],
            ..EventFilter::default()
        };
        let page = event::after(&db, 3, 10, filter).await.unwrap();
        assert_eq!((page.next, page.at_end), (place, true));
        // Machines are asked, not switched.
        let nodes = crate::node::list(
            &db,
            crate::node::NodeFilter::all(),
            crate::Page::first(10),
            crate::node::Columns::Full,
        );
        let known = nodes.await.unwrap();
        let known = known.iter().filter(|node| node.power_state.is_some());
        assert_eq!(known.count(), 1);
    }

    #[tokio::test]
    async fn what_is_in_use_is_not_taken_away() {
        let scene = Fixture::new();
        scene.node(&scene.db).await;
        let file = scene.path("db");
        let error = types::error::chain(&retire(&file).unwrap_err());
        assert!(
            error.contains("another program has the database open"),
            "{error}"
        );
        drop(scene.db);
        // Threads that own connections end by themselves, a moment later.
        let retired = loop {
            if let Ok(retired) = retire(&file) {
                break retired;
            }
        };
        assert_eq!(retired, Retired::Whole(Some(1)));
        for companion in ["db-wal", "db-shm"] {
            assert!(!scene.folder.path().join(companion).exists(), "{companion}");
        }
    }

    #[test]
    fn what_is_no_backup_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |name: &str| {
            let error = examine(&folder.path().join(name)).unwrap_err();
            types::error::chain(&error)
        };
        assert!(refused("missing").contains("not reachable"));
        std::fs::write(
            folder.path().join("text"),
            "not a database at all\n".repeat(99),
        )
        .unwrap();
        assert!(
            refused("text").contains("not a database"),
            "{}",
            refused("text")
        );
        assert_eq!(
            retire(&folder.path().join("text")).unwrap(),
            Retired::Broken
        );
        std::fs::write(folder.path().join("empty"), "").unwrap();
        assert!(refused("empty").contains("not a Corten database"));
        let foreign = folder.path().join("foreign");
        let connection = Connection::open(&foreign).unwrap();
        connection
            .execute_batch("CREATE TABLE alembic_version (version_num TEXT)")
            .unwrap();
        drop(connection);
        assert!(refused("foreign").contains("Ironic"));
        assert!(retire(&foreign).is_err(), "it stays untouched");
        let newer = folder.path().join("newer");
        let location = Location::Sqlite(newer.clone());
        crate::upgrade(&location).unwrap();
        let connection = Connection::open(&newer).unwrap();
        connection
            .execute_batch("INSERT INTO corten_schema (version) VALUES (999)")
            .unwrap();
        drop(connection);
        assert!(refused("newer").contains("999"), "{}", refused("newer"));
    }

    #[tokio::test]
    async fn damage_is_found() {
        let scene = Fixture::new();
        for _ in 0..50 {
            scene.node(&scene.db).await;
        }
        let copied = scene.path("copy");
        copy(&scene.path("db"), &copied).unwrap();
        let mut bytes = std::fs::read(&copied).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 8192].fill(0xa5);
        std::fs::write(&copied, bytes).unwrap();
        assert!(examine(&copied).is_err());
    }
}
