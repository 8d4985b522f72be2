//! A database for one test: a file in a temporary directory, or a database of its own on the
//! PostgreSQL or MariaDB server of this test run. All are gone afterwards, unless the test fails:
//! then the SQLite directory stays for a look, and its path is printed.

mod server;

pub(crate) use server::Session;
use server::{connection_string, mariadb_url};
use std::path::{Path, PathBuf};
use store::{Db, KeyRing, Location, MariaDb, Postgres, StoreError, Upgrade};

/// The engines that every test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
    MariaDb,
}

/// Makes one test per engine out of each `async fn name(engine: Engine)`.
macro_rules! every_engine {
    ($($name:ident),+ $(,)?) => {
        on_engine!(sqlite, Sqlite, $($name),+);
        every_server!($($name),+);
    };
}

/// The same, for what only servers have: other clients, and connections that break.
macro_rules! every_server {
    ($($name:ident),+ $(,)?) => {
        on_engine!(postgres, Postgres, $($name),+);
        on_engine!(mariadb, MariaDb, $($name),+);
    };
}

macro_rules! on_engine {
    ($module:ident, $engine:ident, $($name:ident),+) => {
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

impl Engine {
    /// Whether somebody decided to do without this engine.
    pub(crate) fn is_skipped(self) -> bool {
        let (server, skip) = match self {
            Self::Sqlite => return false,
            Self::Postgres => (server::POSTGRES, "CORTEN_TEST_SKIP_POSTGRES"),
            Self::MariaDb => (server::MARIADB, "CORTEN_TEST_SKIP_MARIADB"),
        };
        let decided = std::env::var_os(skip).is_some_and(|v| v == "1");
        let skipped = decided && std::env::var_os(server).is_none();
        if skipped {
            println!("SKIPPED: there is no {self:?}, and {skip}=1 says so");
        }
        skipped
    }
}

/// A database that exists as long as this value.
pub(crate) struct Database {
    engine: Engine,
    /// Holds the SQLite file and, on every engine, the key file.
    directory: Option<tempfile::TempDir>,
    /// Name on the server.
    name: String,
}

impl Database {
    pub(crate) fn create(engine: Engine) -> Self {
        let name = format!("t_{}", uuid::Uuid::new_v4().simple());
        if engine != Engine::Sqlite {
            // In words that nobody would choose: the schema must not depend on the default.
            let words = match engine {
                Engine::MariaDb => " CHARACTER SET latin1",
                _ => "",
            };
            Session::maintenance(engine, |session| {
                session.batch(&format!("CREATE DATABASE {name}{words}"));
            });
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
            Engine::Postgres => {
                Location::Postgres(Postgres::parse(&connection_string(&self.name)).unwrap())
            }
            Engine::MariaDb => {
                let url = mariadb_url(&self.name);
                let (_, rest) = url.split_once("://").unwrap();
                Location::MariaDb(MariaDb::parse(rest).unwrap())
            }
        }
    }

    /// The same for another user of the server.
    pub(crate) fn location_as(&self, user: &str) -> Location {
        match self.engine {
            Engine::Sqlite => panic!("SQLite has no users"),
            Engine::Postgres => {
                let server = format!("{} user={user}", connection_string(&self.name));
                Location::Postgres(Postgres::parse(&server).unwrap())
            }
            Engine::MariaDb => {
                let url = mariadb_url(&self.name);
                let (_, rest) = url.split_once('@').unwrap();
                Location::MariaDb(MariaDb::parse(&format!("{user}@{rest}")).unwrap())
            }
        }
    }

    /// A new user who may read and write all tables, but not do one thing with one of them.
    pub(crate) fn user_without(&self, right: &str, table: &str) -> String {
        const RIGHTS: [&str; 4] = ["SELECT", "INSERT", "UPDATE", "DELETE"];
        let user = format!("{}_user", self.name);
        let others = RIGHTS.iter().filter(|other| **other != right);
        let others: Vec<&str> = others.copied().collect();
        let others = others.join(", ");
        self.session(|session| match self.engine {
            Engine::MariaDb => {
                session.batch(&format!("CREATE USER {user}@localhost"));
                for other in session.tables() {
                    let rights = if other == table { &others } else { "ALL" };
                    session.batch(&format!("GRANT {rights} ON `{other}` TO {user}@localhost"));
                }
            }
            _ => session.batch(&format!(
                "CREATE ROLE {user} LOGIN; \
                 GRANT ALL ON ALL TABLES IN SCHEMA public TO {user}; \
                 GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {user}; \
                 REVOKE ALL ON {table} FROM {user}; GRANT {others} ON {table} TO {user}"
            )),
        });
        user
    }

    /// The same as `[database]connection` has it.
    pub(crate) fn url(&self) -> String {
        match self.engine {
            Engine::Sqlite => format!("sqlite:///{}", self.file().display()),
            Engine::MariaDb => mariadb_url(&self.name),
            Engine::Postgres => {
                let server = server::postgres();
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
            _ => self.session(|session| session.batch(sql)),
        }
    }

    /// The one number that a query gives.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        match self.engine {
            Engine::Sqlite => self.sqlite().query_row(sql, [], |row| row.get(0)).unwrap(),
            _ => self.session(|session| session.number(sql)),
        }
    }

    /// Runs something on a connection of its own; servers only.
    pub(crate) fn session<T: Send>(&self, run: impl FnOnce(&mut Session) -> T + Send) -> T {
        Session::run(self.engine, &self.name, run)
    }

    /// Ends every connection to this database but the one that asks for it.
    pub(crate) fn cut_connections(&self) {
        self.session(Session::cut_others);
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
            _ => self.dump().into_bytes(),
        }
    }

    /// Every row of every table as text, sorted: equal dumps mean that nothing changed.
    pub(crate) fn dump(&self) -> String {
        let mut lines = match self.engine {
            Engine::Sqlite => self.dump_sqlite(),
            _ => self.session(Session::dump),
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

impl Drop for Database {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let kept = self.directory.take().map(tempfile::TempDir::keep);
            println!("database kept: {:?}, {} on the server", kept, self.name);
        } else if self.engine != Engine::Sqlite {
            let force = match self.engine {
                Engine::Postgres => " WITH (FORCE)",
                _ => "",
            };
            Session::maintenance(self.engine, |session| {
                session.batch(&format!("DROP DATABASE {}{force}", self.name));
            });
        }
    }
}
