//! Conversations with the database servers themselves, past the store.

use super::Engine;
use mysql_async::prelude::Queryable;
use tokio::runtime::{Builder, Runtime};

/// Connection string of PostgreSQL's maintenance database, set by `scripts/with-postgres`.
pub(super) const POSTGRES: &str = "CORTEN_TEST_POSTGRES";
/// URL of MariaDB's maintenance database, set by `scripts/with-mariadb`.
pub(super) const MARIADB: &str = "CORTEN_TEST_MARIADB";

fn variable(name: &str, script: &str, skip: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| {
        panic!(
            "{name} is not set: run the tests under {script}, or set {skip}=1 to do without this \
             engine"
        )
    })
}

pub(super) fn postgres() -> String {
    variable(
        POSTGRES,
        "scripts/with-postgres",
        "CORTEN_TEST_SKIP_POSTGRES",
    )
}

pub(super) fn connection_string(database: &str) -> String {
    // The last of two equal keys holds.
    format!("{} dbname={database}", postgres())
}

/// The URL of a database, as `[database]connection` has it.
pub(super) fn mariadb_url(database: &str) -> String {
    let url = variable(MARIADB, "scripts/with-mariadb", "CORTEN_TEST_SKIP_MARIADB");
    let (server, options) = url.split_once("/mysql?").unwrap();
    format!("{server}/{database}?{options}")
}

/// A connection to a server, with SQL in the server's own words.
pub(crate) enum Session {
    Postgres(Box<postgres::Client>),
    MariaDb(MariaDbSession),
}

/// A client with the runtime that it is called on.
pub(crate) struct MariaDbSession {
    client: mysql_async::Conn,
    runtime: Runtime,
}

impl MariaDbSession {
    fn open(options: mysql_async::OptsBuilder) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(mysql_async::Conn::new(options)).unwrap();
        Self { client, runtime }
    }

    pub(crate) fn batch(&mut self, sql: &str) {
        self.runtime.block_on(self.client.query_drop(sql)).unwrap();
    }

    fn query<T: mysql_async::prelude::FromRow + Send + 'static>(&mut self, sql: &str) -> Vec<T> {
        self.runtime.block_on(self.client.query(sql)).unwrap()
    }
}

impl Session {
    pub(super) fn maintenance<T: Send>(
        engine: Engine,
        run: impl FnOnce(&mut Self) -> T + Send,
    ) -> T {
        let database = match engine {
            Engine::Postgres => "postgres",
            _ => "mysql",
        };
        Self::run(engine, database, run)
    }

    /// The clients bring a runtime along, which must not start inside the test's own one.
    pub(super) fn run<T: Send>(
        engine: Engine,
        database: &str,
        run: impl FnOnce(&mut Self) -> T + Send,
    ) -> T {
        let work = || run(&mut Self::open(engine, database));
        std::thread::scope(|scope| scope.spawn(work).join().unwrap())
    }

    fn open(engine: Engine, database: &str) -> Self {
        match engine {
            Engine::Sqlite => panic!("SQLite has no server"),
            Engine::Postgres => {
                let server = connection_string(database);
                let client = postgres::Client::connect(&server, postgres::NoTls).unwrap();
                Self::Postgres(Box::new(client))
            }
            Engine::MariaDb => {
                let url = mariadb_url(database);
                let (_, socket) = url.split_once("unix_socket=").unwrap();
                let options = mysql_async::OptsBuilder::default()
                    .user(Some("root"))
                    .socket(Some(socket))
                    .db_name(Some(database))
                    .init(vec!["SET NAMES utf8mb4"]);
                Self::MariaDb(MariaDbSession::open(options))
            }
        }
    }

    /// Runs statements that give no rows.
    pub(crate) fn batch(&mut self, sql: &str) {
        match self {
            Self::Postgres(client) => client.batch_execute(sql).unwrap(),
            Self::MariaDb(client) => client.batch(sql),
        }
    }

    /// The one number that a query gives.
    pub(crate) fn number(&mut self, sql: &str) -> i64 {
        match self {
            Self::Postgres(client) => client.query_one(sql, &[]).unwrap().get(0),
            Self::MariaDb(client) => client.query(sql)[0],
        }
    }

    /// The first column of a result, as texts.
    pub(crate) fn texts(&mut self, sql: &str) -> Vec<String> {
        match self {
            Self::Postgres(client) => {
                let rows = client.query(sql, &[]).unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
            Self::MariaDb(client) => client.query(sql),
        }
    }

    /// The columns of a table, as the server knows them.
    pub(crate) fn columns(&mut self, table: &str) -> Vec<String> {
        let sql = match self {
            Self::Postgres(_) => {
                "column_name::text FROM information_schema.columns \
                WHERE table_schema = current_schema()"
            }
            Self::MariaDb(_) => {
                "column_name FROM information_schema.columns \
                WHERE table_schema = DATABASE()"
            }
        };
        self.texts(&format!("SELECT {sql} AND table_name = '{table}'"))
    }

    /// Ends every other connection to the same database.
    pub(super) fn cut_others(&mut self) {
        match self {
            Self::Postgres(_) => self.batch(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            ),
            Self::MariaDb(client) => {
                let others: Vec<u64> = client.query(
                    "SELECT id FROM information_schema.processlist \
                     WHERE db = DATABASE() AND id <> CONNECTION_ID()",
                );
                let MariaDbSession { client, runtime } = client;
                for id in others {
                    // It may have ended by itself meanwhile.
                    let kill = client.query_drop(format!("KILL HARD CONNECTION {id}"));
                    let _ = runtime.block_on(kill);
                }
            }
        }
    }

    /// Waits until as many transactions as this wait for the lock of another one.
    pub(crate) fn await_waiting(&mut self, count: i64) {
        let sql = match self {
            Self::Postgres(_) => {
                "SELECT COUNT(*) FROM pg_stat_activity \
                WHERE datname = current_database() AND wait_event_type = 'Lock'"
            }
            Self::MariaDb(_) => {
                "SELECT COUNT(*) FROM information_schema.innodb_trx t \
                JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id \
                WHERE p.db = DATABASE() AND t.trx_state = 'LOCK WAIT'"
            }
        };
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while self.number(sql) < count {
            assert!(std::time::Instant::now() < deadline, "nobody waits");
            // MariaDB tells nothing new to who asks more often than ten times a second.
            std::thread::park_timeout(std::time::Duration::from_millis(120));
        }
    }

    /// The names of all tables.
    pub(super) fn tables(&mut self) -> Vec<String> {
        let tables = match self {
            Self::Postgres(_) => {
                "SELECT table_name::text FROM information_schema.tables \
                WHERE table_schema = current_schema()"
            }
            Self::MariaDb(_) => {
                "SELECT table_name FROM information_schema.tables \
                WHERE table_schema = DATABASE()"
            }
        };
        self.texts(tables)
    }

    /// Every row of every table as text.
    pub(super) fn dump(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for table in self.tables() {
            let rows = match self {
                Self::Postgres(_) => self.texts(&format!("SELECT t::text FROM {table} t")),
                Self::MariaDb(client) => {
                    let rows: Vec<mysql_async::Row> =
                        client.query(&format!("SELECT * FROM {table}"));
                    let cells = |row: mysql_async::Row| {
                        let cells = row.unwrap().into_iter().map(|cell| cell.as_sql(true));
                        cells.collect::<Vec<_>>().join(",")
                    };
                    rows.into_iter().map(cells).collect()
                }
            };
            lines.extend(rows.into_iter().map(|row| format!("{table} {row}")));
        }
        lines
    }
}
