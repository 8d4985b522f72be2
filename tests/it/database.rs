//! A database for one test: a file in a temporary directory, or a database of its own on the
//! PostgreSQL server of this test run. Both are gone afterwards, unless the test fails: then the
//! SQLite directory stays for a look, and its path is printed.

use std::path::{Path, PathBuf};
use store::{Db, KeyRing, Location, StoreError, Upgrade};

/// The engines that every test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// Makes one test per engine out of each `async fn name(engine: Engine)`.
macro_rules! both_engines {
    ($($name:ident),+ $(,)?) => {
        both_engines!(@ sqlite, Sqlite, $($name),+);
        both_engines!(@ postgres, Postgres, $($name),+);
    };
    (@ $module:ident, $engine:ident, $($name:ident),+) => {
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    if crate::database::Engine::$engine.is_skipped() {
                        return;
                    }
                    super::$name(crate::database::Engine::$engine).await;
                }
            )+
        }
    };
}

/// Connection string of the maintenance database, set by `scripts/with-postgres`.
const SERVER: &str = "CORTEN_TEST_POSTGRES";

impl Engine {
    /// Whether somebody decided to do without this engine.
    pub(crate) fn is_skipped(self) -> bool {
        let skip = std::env::var_os("CORTEN_TEST_SKIP_POSTGRES").is_some_and(|v| v == "1");
        let skipped = self == Self::Postgres && skip && std::env::var_os(SERVER).is_none();
        if skipped {
            println!("SKIPPED: there is no PostgreSQL, and CORTEN_TEST_SKIP_POSTGRES=1 says so");
        }
        skipped
    }
}

/// A database that exists as long as this value.
pub(crate) struct Database {
    engine: Engine,
    /// Holds the SQLite file and, on both engines, the key file.
    directory: Option<tempfile::TempDir>,
    /// Name on the PostgreSQL server.
    name: String,
}

impl Database {
    pub(crate) fn create(engine: Engine) -> Self {
        let name = format!("t_{}", uuid::Uuid::new_v4().simple());
        if engine == Engine::Postgres {
            on_server(&format!("CREATE DATABASE {name}"));
        }
        Self {
            engine,
            directory: Some(tempfile::tempdir().unwrap()),
            name,
        }
    }

    /// A private directory for whatever belongs to this database.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.as_ref().unwrap().path()
    }

    pub(crate) fn location(&self) -> Location {
        match self.engine {
            Engine::Sqlite => Location::Sqlite(self.file()),
            Engine::Postgres => Location::Postgres(connection_string(&self.name)),
        }
    }

    /// The same as `[database]connection` has it.
    pub(crate) fn url(&self) -> String {
        match self.engine {
            Engine::Sqlite => format!("sqlite:///{}", self.file().display()),
            Engine::Postgres => {
                let server = server();
                let words = server
                    .split(' ')
                    .filter(|word| !word.starts_with("dbname="));
                let query: Vec<&str> = words.collect();
                format!("postgresql:///{}?{}", self.name, query.join("&"))
            }
        }
    }

    fn file(&self) -> PathBuf {
        self.directory().join("corten.sqlite")
    }

    /// Where the keys of this database are.
    pub(crate) fn key_file(&self) -> PathBuf {
        self.directory().join("keys")
    }

    pub(crate) fn try_open(&self) -> Result<Db, StoreError> {
        let keys = KeyRing::load_or_create(&self.key_file())?;
        Db::open(&self.location(), keys, Upgrade::Run)
    }

    /// A further handle with its own connections and its own key ring, as another process has.
    pub(crate) fn open(&self) -> Db {
        self.try_open().unwrap()
    }

    /// Runs statements past the store.
    pub(crate) fn execute(&self, sql: &str) {
        match self.engine {
            Engine::Sqlite => self.sqlite().execute_batch(sql).unwrap(),
            Engine::Postgres => on_postgres(&self.name, |client| client.batch_execute(sql)),
        }
    }

    /// The one number that a query gives.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        match self.engine {
            Engine::Sqlite => self.sqlite().query_row(sql, [], |row| row.get(0)).unwrap(),
            Engine::Postgres => on_postgres(&self.name, |client| {
                client.query_one(sql, &[]).map(|row| row.get(0))
            }),
        }
    }

    /// Runs something on a connection of its own, PostgreSQL only.
    pub(crate) fn on_postgres<T: Send>(
        &self,
        run: impl FnOnce(&mut postgres::Client) -> Result<T, postgres::Error> + Send,
    ) -> T {
        on_postgres(&self.name, run)
    }

    fn sqlite(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.file()).unwrap();
        connection
            .busy_timeout(std::time::Duration::from_secs(10))
            .unwrap();
        connection
    }

    /// Everything that is stored, as bytes: what a thief of the disk would read.
    pub(crate) fn raw(&self) -> Vec<u8> {
        match self.engine {
            Engine::Sqlite => {
                let mut all = std::fs::read(self.file()).unwrap();
                let log = self.file().with_extension("sqlite-wal");
                all.extend(std::fs::read(log).unwrap_or_default());
                all
            }
            Engine::Postgres => self.dump().into_bytes(),
        }
    }

    /// Every row of every table as text, sorted: equal dumps mean that nothing changed.
    pub(crate) fn dump(&self) -> String {
        let mut lines = match self.engine {
            Engine::Sqlite => self.dump_sqlite(),
            Engine::Postgres => on_postgres(&self.name, dump_postgres),
        };
        lines.sort();
        lines.join("\n")
    }

    fn dump_sqlite(&self) -> Vec<String> {
        let connection = self.sqlite();
        let mut tables = connection
            .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
            .unwrap();
        let names: Vec<String> = tables
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let mut lines = Vec::new();
        for table in names {
            let mut rows = connection
                .prepare(&format!("SELECT * FROM {table}"))
                .unwrap();
            let columns = rows.column_count();
            let found = rows.query_map([], |row| {
                let cells = (0..columns).map(|i| row.get::<_, rusqlite::types::Value>(i));
                Ok(format!(
                    "{table} {:?}",
                    cells.collect::<Result<Vec<_>, _>>()?
                ))
            });
            lines.extend(found.unwrap().map(Result::unwrap));
        }
        lines
    }
}

fn dump_postgres(client: &mut postgres::Client) -> Result<Vec<String>, postgres::Error> {
    const TABLES: &str = "SELECT table_name::text FROM information_schema.tables \
        WHERE table_schema = current_schema()";
    let mut lines = Vec::new();
    for table in client.query(TABLES, &[])? {
        let table: String = table.get(0);
        for row in client.query(&format!("SELECT t::text FROM {table} t"), &[])? {
            lines.push(format!("{table} {}", row.get::<_, String>(0)));
        }
    }
    Ok(lines)
}

impl Drop for Database {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let kept = self.directory.take().map(tempfile::TempDir::keep);
            println!("database kept: {:?}, {} on the server", kept, self.name);
        } else if self.engine == Engine::Postgres {
            on_server(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
        }
    }
}

fn server() -> String {
    std::env::var(SERVER).unwrap_or_else(|_| {
        panic!(
            "{SERVER} is not set: run the tests under scripts/with-postgres, or set \
             CORTEN_TEST_SKIP_POSTGRES=1 to do without PostgreSQL"
        )
    })
}

fn connection_string(database: &str) -> String {
    // The last of two equal keys holds.
    format!("{} dbname={database}", server())
}

fn on_server(sql: &str) {
    on_postgres("postgres", |client| client.batch_execute(sql));
}

/// The blocking client brings a runtime along, which must not start inside the test's own one.
fn on_postgres<T: Send>(
    database: &str,
    run: impl FnOnce(&mut postgres::Client) -> Result<T, postgres::Error> + Send,
) -> T {
    let connection = connection_string(database);
    let work = || {
        let mut client = postgres::Client::connect(&connection, postgres::NoTls).unwrap();
        run(&mut client).unwrap()
    };
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}
