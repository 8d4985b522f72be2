//! The database: SQL, migrations, membership, leases, the event log and secrets at rest.
//!
//! One file a table; free functions that take `&Db` first. SQLite is embedded, PostgreSQL or
//! MariaDB serve a cluster; the statements are the same text on all of them. Nothing outside this crate sees SQL, and no
//! transaction ever waits for the network.

mod census;
mod column;
mod conn;
mod error;
mod fit;
mod mariadb;
mod migrate;
mod pace;
mod page;
mod pool;
mod postgresql;
mod reading;
mod retry;
mod rotate;
mod secret;
mod stall;
mod table;
pub mod touched;

pub mod account;
pub mod affinity;
pub mod allocation;
pub mod backup;
pub mod baseline;
pub mod batch;
pub mod bios;
pub mod bmc;
pub mod candidate;
pub mod chassis;
pub mod commissioning;
pub mod config_drive;
pub mod deploy_template;
pub mod dhcp_lease;
pub mod dns_name;
pub mod dump;
pub mod erase_certificate;
pub mod event;
pub mod firmware;
pub mod group_move;
pub mod history;
pub mod image;
pub mod imported;
pub mod inspection;
pub mod inspection_rule;
pub mod inventory;
pub mod ironic;
pub mod lease;
pub mod load;
pub mod member;
pub mod node;
pub mod notification;
pub mod overview;
pub mod port;
pub mod portgroup;
pub mod runbook;
pub mod site_network;
pub mod volume;
pub mod webhook;

pub use census::{Census, census};
pub use conn::Engine;
pub use error::{StoreError, Unique};
pub use mariadb::MariaDb;
pub use migrate::{
    AHEAD as SCHEMA_AHEAD, CURRENT as SCHEMA_VERSION, SchemaState, become_later,
    current as schema_version, too_new,
};
pub use page::Page;
pub use postgresql::Postgres;
pub use rotate::{Rotation, rotate_secrets};
pub use secret::{KeyRing, PublicKey};

use conn::Conn;
use pool::{Connect, Pool};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};
use tokio::sync::watch;
use types::metrics;

/// Where the database is.
#[derive(Debug, Clone)]
pub enum Location {
    /// A file; it is created when absent.
    Sqlite(PathBuf),
    Postgres(Postgres),
    MariaDb(MariaDb),
}

impl Location {
    /// Name of the database for logs: without its password.
    pub fn public(&self) -> String {
        match self {
            Self::Sqlite(file) => file.display().to_string(),
            Self::Postgres(server) => server.public(),
            Self::MariaDb(server) => server.public(),
        }
    }
}

/// What to do about a schema that is missing or older than ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upgrade {
    Run,
    /// Create the schema in an empty database, but leave an older one to `corten db upgrade`.
    OnlyCreate,
}

/// A state of the database. Those of one handle are equal if nothing was committed in between; one
/// does not come before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision(i64);

/// A handle to the database. Cheap to clone.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

struct Inner {
    pool: Pool,
    keys: KeyRing,
    engine: Engine,
    /// Counts the commits that may have added events; the sequencer waits on it.
    news: watch::Sender<u64>,
    /// Counts how often the log got longer; readers of the log wait on it.
    bell: watch::Sender<u64>,
    census: census::Remembered,
    /// Which notifications are written; none until it is set.
    notifications: OnceLock<Arc<notification::NotificationFilter>>,
    placements: overview::Remembered,
    touched: touched::Touched,
    location: Location,
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Db")
            .field("engine", &self.0.engine)
            .finish_non_exhaustive()
    }
}

impl Db {
    /// Opens the database and brings its schema up to date.
    ///
    /// Blocks while it connects: call it before serving anything.
    pub fn open(location: &Location, keys: KeyRing, upgrade: Upgrade) -> Result<Self, StoreError> {
        aside(|| Self::open_here(location, keys, upgrade))
    }

    fn open_here(location: &Location, keys: KeyRing, upgrade: Upgrade) -> Result<Self, StoreError> {
        let connect = connector(location.clone());
        let mut first = patient(location)?;
        let engine = first.engine();
        match migrate::inspect(&mut first).map_err(|error| explained(location, error))? {
            SchemaState::Version(version) if version >= schema_version() => {}
            SchemaState::Version(version) if upgrade == Upgrade::OnlyCreate => {
                return Err(StoreError::Schema(migrate::too_old(version)));
            }
            _ => {
                migrate::upgrade(&mut first)?;
            }
        }
        durable(&mut first)?;
        let pool = match engine {
            Engine::Sqlite => {
                let Location::Sqlite(file) = location.clone() else {
                    return Err(StoreError::Schema("a SQLite database needs a file".into()));
                };
                let reader: Connect = Arc::new(move || open_sqlite(&file, true));
                Pool::sqlite(first, reader, SQLITE_READERS)?
            }
            Engine::Postgres | Engine::MariaDb => Pool::server(&connect, SERVER_CONNECTIONS)?,
        };
        let (news, _) = watch::channel(0);
        let (bell, _) = watch::channel(0);
        let db = Self(Arc::new(Inner {
            pool,
            keys,
            engine,
            news,
            bell,
            census: census::Remembered::default(),
            notifications: OnceLock::new(),
            placements: overview::Remembered::default(),
            touched: touched::Touched::default(),
            location: location.clone(),
        }));
        if engine != Engine::Sqlite {
            event::spawn_sequencer(&db, &connect)?;
        }
        Ok(db)
    }

    /// Which engine serves this handle.
    pub fn engine(&self) -> Engine {
        self.0.engine
    }

    /// Where the database is.
    pub fn location(&self) -> &Location {
        &self.0.location
    }

    /// The keys that secrets are sealed with.
    pub fn keys(&self) -> &KeyRing {
        &self.0.keys
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.read(|conn| {
            conn.number("SELECT COUNT(*) FROM counters", &[])
                .map(|_| ())
        })
        .await
    }

    /// Whether the rows are a copy of an Ironic that goes on serving them: nothing is changed here then.
    pub async fn is_shadow(&self) -> Result<bool, StoreError> {
        self.get(|conn| Ok(load::mark(conn, load::SHADOW)?.is_some()))
            .await
    }

    /// The version that the schema has now; others may upgrade it while we serve.
    pub async fn schema_now(&self) -> Result<i64, StoreError> {
        self.get(migrate::version).await
    }

    /// What is wrong with the database file itself; empty when nothing is, or when a server minds
    /// its own files.
    pub async fn damage(&self) -> Result<Vec<String>, StoreError> {
        if self.engine() != Engine::Sqlite {
            return Ok(Vec::new());
        }
        // However long it takes: all of the file is read.
        let found = self
            .0
            .pool
            .read(|conn| {
                conn.query("PRAGMA integrity_check", &[], |row| {
                    row.with_text(0, |text| text.unwrap_or_default().to_owned())
                })
            })
            .await?;
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }

    pub(crate) async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _timed = Timed::new("read");
        in_time(self.0.pool.read(query)).await
    }

    pub(crate) async fn get<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _timed = Timed::new("get");
        in_time(self.0.pool.get(query)).await
    }

    pub(crate) fn write<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> {
        let timed = Timed::new("write");
        let answer = self.0.pool.write(body);
        async move {
            let _timed = timed;
            answer.await
        }
    }

    /// As [`Db::write`], on this thread if nobody else is writing.
    pub(crate) fn write_now<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> {
        let timed = Timed::new("write");
        let answer = self.0.pool.write_now(body);
        async move {
            let _timed = timed;
            answer.await
        }
    }

    /// What was committed so far, by this process and all others; `None` where the engine does not
    /// tell at no cost, which only SQLite does.
    ///
    /// Whoever remembers something of the database asks before and after reading it, and again
    /// whenever it is to be used: it still holds if all three are equal.
    pub fn revision(&self) -> Option<Revision> {
        self.0.pool.revision().map(Revision)
    }

    /// Begins or ends to note which nodes this process writes. One reader at a time can do so.
    pub fn watch_nodes(&self, on: bool) {
        self.0.touched.watch(on);
    }

    /// The nodes that this process has written since the last call, and those that it is writing.
    pub fn touched_nodes(&self) -> touched::Touches {
        self.0.touched.take()
    }

    pub(crate) fn touch(&self, node: types::NodeId) -> touched::Touch {
        self.0.touched.begin(node)
    }

    /// Returns when writes wait and the database has answered none for a long time. What waits may
    /// still be committed.
    pub async fn stalls(&self) {
        self.0.pool.stall.lasts(PATIENCE).await;
    }

    /// Tells that events were committed. Only SQLite has them in the log by then.
    pub(crate) fn announce(&self) {
        match self.engine() {
            Engine::Sqlite => self.ring(),
            Engine::Postgres | Engine::MariaDb => self.0.news.send_modify(|count| *count += 1),
        }
    }

    /// Wakes the readers of the event log.
    pub(crate) fn ring(&self) {
        self.0.bell.send_modify(|count| *count += 1);
    }

    pub(crate) fn bell(&self) -> watch::Receiver<u64> {
        self.0.bell.subscribe()
    }

    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.0.news.subscribe()
    }
}

/// Applies a timeout. Only for reads: a write may still be committed after a timeout, and its
/// caller has to know.
async fn in_time<T>(answer: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(StoreError::Unavailable(
            format!("timeout: no answer within {} s", PATIENCE.as_secs()).into(),
        )),
    }
}

/// Counts something that is asked of the database, and how long it takes, when it is dropped.
struct Timed(&'static str, Instant);

impl Timed {
    fn new(kind: &'static str) -> Self {
        Self(kind, Instant::now())
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        metrics::DATABASE.observe([self.0], self.1.elapsed());
    }
}

/// Runs blocking database code on a thread of its own: the PostgreSQL client brings a small
/// runtime along, which must not start or end inside another one.
fn aside<T: Send>(run: impl FnOnce() -> Result<T, StoreError> + Send) -> Result<T, StoreError> {
    std::thread::scope(|scope| scope.spawn(run).join().unwrap_or(Err(StoreError::Panicked)))
}

/// What the database holds, without changing it: for `corten db version`.
pub fn inspect(location: &Location) -> Result<SchemaState, StoreError> {
    aside(|| {
        let found = migrate::inspect(&mut patient(location)?);
        found.map_err(|error| explained(location, error))
    })
}

/// Brings the schema up to date; returns the versions before and after.
pub fn upgrade(location: &Location) -> Result<(i64, i64), StoreError> {
    aside(|| {
        let before = migrate::upgrade(&mut patient(location)?)?;
        Ok((before, before.max(schema_version())))
    })
}

/// Threads for lists and scans; point reads run on the caller's thread.
const SQLITE_READERS: usize = 2;
/// Writers, and as many readers.
const SERVER_CONNECTIONS: usize = 4;
/// Timeout of reads: less than clients and proxies usually wait.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long SQLite waits for another process (a backup, `corten db`) to let go of the file.
const BUSY: Duration = Duration::from_secs(10);

fn connector(location: Location) -> Connect {
    Arc::new(move || match &location {
        Location::Sqlite(file) => open_sqlite(file, false),
        Location::Postgres(server) => server.connect(),
        Location::MariaDb(server) => server.connect(),
    })
}

/// A connection for changes of the schema, which may take as long as they take.
fn patient(location: &Location) -> Result<Conn, StoreError> {
    connector(match location {
        Location::MariaDb(server) => Location::MariaDb(server.patient()),
        other => other.clone(),
    })()
}

fn open_sqlite(file: &Path, read_only: bool) -> Result<Conn, StoreError> {
    use rusqlite::{OpenFlags, config::DbConfig};
    if !read_only {
        create_private(file)?;
    }
    let access = if read_only {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    } else {
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
    };
    let conn =
        rusqlite::Connection::open_with_flags(file, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(|error| StoreError::Unavailable(Box::new(error)))?;
    conn.busy_timeout(BUSY)?;
    // Without this promise SQLite compiles a statement anew each time it is run with a parameter for
    // LIMIT, to plan by its value (sqlite.org/queryplanner-ng.html, "query planner stability
    // guarantee"). That takes longer than to read a page.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(256);
    Ok(Conn::Sqlite(conn))
}

/// Readers beside the writer, and answers that mean that the disk has it; group commits make that
/// affordable. Only once it is certain that the file is ours: this changes it.
fn durable(conn: &mut Conn) -> Result<(), StoreError> {
    match conn.engine() {
        Engine::Sqlite => conn.batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"),
        Engine::Postgres | Engine::MariaDb => Ok(()),
    }
}

/// A database that nobody else sees and that is gone when it is closed; in the folder for temporary
/// files, because it may be larger than the memory.
fn passing() -> Result<Conn, StoreError> {
    const UNSAFE: &str = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;";
    let conn = rusqlite::Connection::open("")?;
    conn.set_prepared_statement_cache_capacity(256);
    let mut conn = Conn::Sqlite(conn);
    conn.batch(UNSAFE)?;
    migrate::upgrade(&mut conn)?;
    Ok(conn)
}

/// SQLite only says that it cannot open a file that may not be written; the system says why. To be
/// asked only when opening has failed: closing the file gives locks of this process away.
fn explained(location: &Location, error: StoreError) -> StoreError {
    let (Location::Sqlite(file), StoreError::Unavailable(_)) = (location, &error) else {
        return error;
    };
    match std::fs::OpenOptions::new().append(true).open(file) {
        Ok(_) => error,
        Err(why) => StoreError::Unavailable(why.into()),
    }
}

/// Makes the file of a new database readable for its owner only; it holds what machines are.
fn create_private(file: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::OpenOptionsExt;
    let made = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file);
    match made {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::Unavailable(
            format!("{}: {error}", file.display()).into(),
        )),
    }
}
