//! Deadlocks by the dozen on real servers: transactions that take two rows in opposite order, and
//! what they add up to.

use crate::{Db, KeyRing, Location, MariaDb, Postgres, StoreError, Upgrade, aside, connector};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

const TASKS: i64 = 8;
const EACH: i64 = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn opposite_orders_add_up_on_postgres() {
    let Some(server) = server("POSTGRES") else {
        return;
    };
    // The last of two equal keys holds. The server looks for deadlocks after a second otherwise.
    on_database(|name| {
        let words = format!("{server} dbname={name} options='-c deadlock_timeout=5ms'");
        Location::Postgres(Postgres::parse(&words).unwrap())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn opposite_orders_add_up_on_mariadb() {
    let Some(server) = server("MARIADB") else {
        return;
    };
    let (_, rest) = server.split_once("://").unwrap();
    on_database(|name| {
        let rest = rest.replace("/mysql?", &format!("/{name}?"));
        Location::MariaDb(MariaDb::parse(&rest).unwrap())
    })
    .await;
}

/// The maintenance database of a server. Without one there is nothing to test here; that CI has
/// both is for the tests of the whole service to insist on.
#[allow(clippy::print_stderr, reason = "whoever runs the test should know")]
fn server(engine: &str) -> Option<String> {
    let found = std::env::var(format!("CORTEN_TEST_{engine}")).ok();
    if found.is_none() {
        let script = engine.to_lowercase();
        eprintln!("SKIPPED: run this under scripts/with-{script}");
    }
    found
}

/// A database of its own, which is gone afterwards.
async fn on_database(locate: impl Fn(&str) -> Location) {
    let name = format!("t_{}", uuid::Uuid::new_v4().simple());
    let (maintenance, force) = match locate("mysql") {
        Location::MariaDb(_) => (locate("mysql"), ""),
        _ => (locate("postgres"), " WITH (FORCE)"),
    };
    let run = |sql: String| aside(|| connector(maintenance.clone())()?.batch(&sql)).unwrap();
    run(format!("CREATE DATABASE {name}"));
    let folder = tempfile::tempdir().unwrap();
    let keys = KeyRing::load_or_create(&folder.path().join("keys")).unwrap();
    opposite_orders_add_up(&Db::open(&locate(&name), keys, Upgrade::Run).unwrap()).await;
    run(format!("DROP DATABASE {name}{force}"));
}

async fn opposite_orders_add_up(db: &Db) {
    db.write(|conn| {
        const ROWS: &str = "INSERT INTO counters (name, value) VALUES ('a', 0), ('b', 0)";
        conn.execute(ROWS, &[])
    })
    .await
    .unwrap();
    let runs = Arc::new(AtomicI64::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let (db, runs) = (db.clone(), Arc::clone(&runs));
        tasks.spawn(async move {
            for _ in 0..EACH {
                add(&db, task % 2 == 0, Arc::clone(&runs)).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    let runs = runs.load(Ordering::SeqCst);
    for row in ["a", "b"] {
        let value = db
            .read(move |conn| {
                let sql = "SELECT value FROM counters WHERE name = $1";
                conn.number(sql, &[row.into()])
            })
            .await
            .unwrap();
        assert_eq!(value, Some(TASKS * EACH), "{row}, in {runs} runs");
    }
    assert!(runs > TASKS * EACH, "no deadlock: this run proves little");
}

async fn add(db: &Db, forward: bool, runs: Arc<AtomicI64>) -> Result<(), StoreError> {
    db.write(move |conn| {
        runs.fetch_add(1, Ordering::SeqCst);
        let rows = if forward { ["a", "b"] } else { ["b", "a"] };
        for row in rows {
            let sql = "UPDATE counters SET value = value + 1 WHERE name = $1";
            conn.execute(sql, &[row.into()])?;
            // Time for others to come between.
            std::thread::park_timeout(std::time::Duration::from_millis(2));
        }
        Ok(())
    })
    .await
}
