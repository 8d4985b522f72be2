//! Two adjacent versions serve one database: upgrades without a pause.
//!
//! The later version is the same program with more migrations (`examples/later.rs` of the crate
//! `corten`), and everything is done as an operator does it: `corten db upgrade` of the later one
//! while the earlier ones serve, then process after process is replaced. Clients go on all the
//! time. That this test would notice a migration that breaks the earlier version is tested too.

mod traffic;

use super::{
    Process,
    process::{Version, earlier},
};
use crate::database::{Database, Engine};
use store::{KeyRing, SCHEMA_VERSION};
use traffic::Traffic;

every_server!(
    versions_serve_side_by_side,
    an_earlier_release_serves_beside_this_one,
    a_migration_that_takes_something_away_is_noticed,
    two_versions_are_too_far_apart,
);

const LATER: Version = Version::Later(&["later.sql"]);
const MUCH_LATER: Version = Version::Later(&["later.sql", "much-later.sql"]);
const BREAKING: Version = Version::Later(&["breaking.sql"]);

/// A database of this version, with the migrations of later ones beside it.
fn database(engine: Engine) -> Database {
    let database = Database::create(engine);
    drop(database.open());
    let put = |name, text| std::fs::write(database.directory().join(name), text).unwrap();
    put("later.sql", include_str!("rolling/later.sql"));
    put(
        "much-later.sql",
        "CREATE TABLE much_later (id {pk}, body {long});\n",
    );
    put(
        "breaking.sql",
        "ALTER TABLE nodes RENAME COLUMN extra TO more;\n",
    );
    database
}

async fn upgrade(database: &Database, version: Version, to: i64) {
    let (is_well, said) = version.db(database, "upgrade").await;
    assert!(is_well && said.contains(&format!(" to {to}\n")), "{said}");
}

async fn start(version: Version, database: &Database, role: &str, name: &str) -> Process {
    Process::start_as(version, database, role, name, &[]).await
}

async fn versions_serve_side_by_side(engine: Engine) {
    let database = database(engine);
    // What the later version would write, and the earlier one knows nothing of.
    let marks = "UPDATE nodes SET later_note = 'kept', later_count = 7 WHERE name LIKE 'changes-%'";
    let kept = "SELECT COUNT(*) FROM nodes WHERE later_note = 'kept' AND later_count = 7";
    roll(&database, Version::This, LATER, SCHEMA_VERSION + 1, marks).await;
    let count = database.number(kept);
    assert_eq!(count, 2, "those who do not know a column leave it alone");
}

/// `make upgrade-check`: the same with a program that an earlier revision was built to.
async fn an_earlier_release_serves_beside_this_one(engine: Engine) {
    if earlier().is_none() {
        println!("SKIPPED: CORTEN_EARLIER names no program; see scripts/upgrade-check");
        return;
    }
    let database = Database::create(engine);
    KeyRing::load_or_create(&database.key_file()).unwrap();
    let (is_well, said) = Version::Earlier.db(&database, "upgrade").await;
    assert!(is_well, "{said}");
    println!("{said}");
    let nothing = "UPDATE counters SET value = value";
    roll(
        &database,
        Version::Earlier,
        Version::This,
        SCHEMA_VERSION,
        nothing,
    )
    .await;
}

/// From one version to the next, process by process, while clients go on.
async fn roll(database: &Database, before: Version, after: Version, to: i64, marks: &str) {
    let c1 = start(before, database, "conductor", "c1").await;
    let c2 = start(before, database, "conductor", "c2").await;
    let a1 = start(before, database, "api", "a1").await;
    let traffic = Traffic::start(&a1.client);
    traffic.goes_on("before").await;

    upgrade(database, after, to).await;
    database.execute(marks);
    traffic.goes_on("upgraded").await;

    // Whoever has to go back can: an earlier program starts on the later schema.
    c2.stop().await;
    match Process::try_start(before, database, "conductor", "c2", &[]).await {
        Ok(c2) => {
            traffic.goes_on("an earlier one came back").await;
            c2.stop().await;
        }
        // Programs of before this was promised.
        Err(log) => assert!(log.contains("start a newer program"), "{log}"),
    }

    let c2 = start(after, database, "conductor", "c2").await;
    traffic.goes_on("one conductor is later").await;
    let a2 = start(after, database, "api", "a2").await;
    traffic.ask(&[&a1.client, &a2.client]);
    traffic.goes_on("one API is later").await;
    c1.stop().await;
    let c1 = start(after, database, "conductor", "c1").await;
    traffic.ask(&[&a1.client]);
    traffic
        .goes_on("the earlier API and later conductors")
        .await;
    traffic.ask(&[&a2.client]);
    a1.stop().await;
    traffic.goes_on("after").await;

    assert_eq!(traffic.stop().await, Vec::<String>::new());
    let (is_well, said) = after.db(database, "check").await;
    assert!(is_well, "{said}");
    for process in [a2, c1, c2] {
        process.stop().await;
    }
}

async fn a_migration_that_takes_something_away_is_noticed(engine: Engine) {
    let database = database(engine);
    let conductor = start(Version::This, &database, "conductor", "c1").await;
    let api = start(Version::This, &database, "api", "a1").await;
    let traffic = Traffic::start(&api.client);
    traffic.goes_on("before").await;
    upgrade(&database, BREAKING, SCHEMA_VERSION + 1).await;
    let noticed = traffic.try_go_on("broken").await;
    assert!(noticed.is_err(), "nobody noticed");
    println!("{noticed:?}");
    traffic.stop().await;
    api.kill().await;
    conductor.kill().await;
}

async fn two_versions_are_too_far_apart(engine: Engine) {
    let database = database(engine);
    let conductor = start(Version::This, &database, "conductor", "c1").await;
    let api = start(Version::This, &database, "api", "a1").await;
    let refusal = async |version, role| {
        let started = Process::try_start(version, &database, role, "refused", &[]).await;
        let Err(log) = started else {
            panic!("{version:?} serves as {role}");
        };
        log
    };
    // Too new for the database, by one and by two.
    let log = refusal(LATER, "api").await;
    assert!(log.contains("corten db upgrade"), "{log}");
    assert!(log.contains("go on serving meanwhile"), "{log}");
    let log = refusal(MUCH_LATER, "api").await;
    let stop = format!("older than version {}", SCHEMA_VERSION + 1);
    assert!(log.contains(&stop), "{log}");

    // Those who cannot serve any more end, and say why.
    upgrade(&database, MUCH_LATER, SCHEMA_VERSION + 2).await;
    let why = format!(
        "no later one. Start a program of schema version {}",
        SCHEMA_VERSION + 1
    );
    for process in [conductor, api] {
        let log = process.failed().await;
        assert!(log.contains(&why), "{log}");
    }
    let log = refusal(Version::This, "conductor").await;
    assert!(log.contains(&why), "{log}");
    let (is_well, said) = Version::This.db(&database, "version").await;
    assert!(!is_well && said.contains(&why), "{said}");
    // Whoever is one behind serves.
    start(LATER, &database, "conductor", "c1")
        .await
        .stop()
        .await;
}

/// A database of one process: it is upgraded while it is served, and then the process is replaced.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_embedded_database_is_upgraded_while_it_is_served() {
    let database = database(Engine::Sqlite);
    let earlier = start(Version::This, &database, "alone", "s1").await;
    let traffic = Traffic::start(&earlier.client);
    traffic.goes_on("before").await;
    upgrade(&database, LATER, SCHEMA_VERSION + 1).await;
    traffic.goes_on("upgraded").await;
    earlier.stop().await;
    let later = start(LATER, &database, "alone", "s1").await;
    traffic.ask(&[&later.client]);
    traffic.goes_on("replaced").await;
    later.stop().await;
    // And back again.
    let earlier = start(Version::This, &database, "alone", "s1").await;
    traffic.ask(&[&earlier.client]);
    traffic.goes_on("the earlier one came back").await;
    assert_eq!(traffic.stop().await, Vec::<String>::new());
    earlier.stop().await;
}
