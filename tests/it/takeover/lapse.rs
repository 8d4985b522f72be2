//! A conductor that loses its leases without dying: it stood still, or lost the database.

use super::{
    journal::check_order,
    team::{TTL, Team, available, manageable},
};
use crate::database::{Database, Engine};
use std::{sync::mpsc, time::Duration};
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    who_stood_still_lets_go_and_comes_back,
    who_loses_the_database_lets_go_and_comes_back,
);

async fn who_stood_still_lets_go_and_comes_back(engine: Engine) {
    let team = Team::new(engine);
    let heir = team.join("heir").await;
    let (first, second) = (
        available(&team, &heir).await,
        manageable(&team, &heir).await,
    );
    let mut options = team.options("sleeper");
    options
        .hardware
        .fake
        .set_delay(K::Deploy, "3600".parse().unwrap());
    let sleeper = team.join_with("sleeper", options).await;
    sleeper.asks(first, "active").await;
    team.called(first, "deploy.prepare").await;
    let frozen = sleeper.freeze();
    let done = team.reaches(first, S::Active).await;
    assert_eq!(done.last_error, None);
    let told = team.told(first).await.join("\n");
    assert!(told.contains("in place of sleeper"), "{told}");
    let (epoch, _) = team.row("sleeper").await;
    drop(frozen);

    // It notices by itself, and works on under a new epoch.
    team.until(second, "the new epoch", |_| {
        let now = "SELECT epoch FROM conductors WHERE hostname = 'sleeper'";
        Some(team.database.number(now) > epoch)
    })
    .await;
    sleeper.power_at_last(second, "power on").await;
    let node = team.rests(second).await;
    assert_eq!(node.power_state, Some(types::PowerState::On));
    assert_eq!(node.last_error, None);
    let now = team.node(first).await;
    assert_eq!(
        (now.version, now.provision_state),
        (done.version, S::Active),
        "the sleeper must not have written"
    );
    let lines = team.journal();
    check_order(&lines);
    let late = lines
        .iter()
        .filter(|line| line.node == first && line.who == "sleeper" && line.begins);
    assert_eq!(late.count(), 1, "it went on after it woke: {lines:#?}");
}

/// Nobody can renew for a while; all let go, and then all come back.
async fn who_loses_the_database_lets_go_and_comes_back(engine: Engine) {
    let team = Team::new(engine);
    let mut options = team.options("only");
    options
        .hardware
        .fake
        .set_delay(K::Deploy, "0.3".parse().unwrap());
    let only = team.join_with("only", options).await;
    let id = available(&team, &only).await;
    only.asks(id, "active").await;
    team.called(id, "deploy.prepare").await;
    tokio::task::block_in_place(|| hold(&team.database, engine, TTL));
    let node = team.reaches(id, S::Active).await;
    assert_eq!(node.last_error, None, "{node:#?}");
    team.until(id, "the new epoch", |_| {
        Some(team.database.number("SELECT epoch FROM conductors") >= 2)
    })
    .await;
    only.power_at_last(id, "power off").await;
    team.rests(id).await;
    check_order(&team.journal());
}

/// Keeps everybody from giving a sign of life for a while.
fn hold(database: &Database, engine: Engine, time: Duration) {
    let (begin, end) = match engine {
        Engine::Sqlite => ("BEGIN IMMEDIATE", "ROLLBACK"),
        Engine::Postgres => ("BEGIN; LOCK TABLE conductors IN EXCLUSIVE MODE", "ROLLBACK"),
        Engine::MariaDb => ("LOCK TABLES conductors WRITE", "UNLOCK TABLES"),
    };
    if let store::Location::Sqlite(file) = database.location() {
        let connection = rusqlite::Connection::open(file).unwrap();
        connection.busy_timeout(Duration::from_secs(10)).unwrap();
        connection.execute_batch(begin).unwrap();
        wait(time);
        connection.execute_batch(end).unwrap();
    } else {
        database.session(|session| {
            session.batch(begin);
            wait(time);
            session.batch(end);
        });
    }
}

/// The time itself is what is waited for: nobody ever sends.
fn wait(time: Duration) {
    let (_open, nobody) = mpsc::channel::<()>();
    let _ = nobody.recv_timeout(time);
}
