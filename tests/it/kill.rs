//! `kill -9` of the real program at random moments, during whole lives.
//!
//! Several tasks lead machines through their lives over HTTP, while the service is killed and
//! started again and again. Nothing that was answered may be lost, no node may stay in anybody's
//! hands, and the event log must tell one story without gap or repetition.

mod check;
mod life;
mod server;

use crate::{
    database::{Database, Engine},
    lab::{Lab, Options},
};
use life::Lives;
use scenario::random::Random;
use server::Server;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use types::event::EventKind;

/// Tasks that lead lives at the same time.
const TASKS: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_on_sqlite() {
    survive(Engine::Sqlite, 200).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_on_postgres() {
    if Engine::Postgres.is_skipped() {
        return;
    }
    survive(Engine::Postgres, 80).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_on_mariadb() {
    if Engine::MariaDb.is_skipped() {
        return;
    }
    survive(Engine::MariaDb, 60).await;
}

async fn survive(engine: Engine, count: usize) {
    let mut random = Random::new();
    let database = Database::create(engine);
    // A cluster's keys are not made by whoever comes first, so they are made here.
    store::KeyRing::load_or_create(&database.key_file()).unwrap();
    let server = Arc::new(Server::new(&database));
    server.start().await;
    let lives = Arc::new(Lives::new(Arc::clone(&server), count, true));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..TASKS {
        tasks.spawn(life::run(Arc::clone(&lives), random.fork()));
    }
    let killer = tokio::spawn(kill_at_random(Arc::clone(&server), random.fork()));
    while let Some(ended) = tasks.join_next().await {
        if let Err(panic) = ended {
            killer.abort();
            let _ = killer.await;
            server.kill().await;
            std::panic::resume_unwind(panic.into_panic());
        }
    }
    killer.abort();
    let _ = killer.await;

    // One more kill in the middle of everything, then all must come to rest by themselves.
    server.start().await;
    lives.stir(&mut random).await;
    server.kill().await;
    server.start().await;
    let seen = lives.settle().await;
    server.stop().await;

    let kills = server.kills();
    println!("{kills} kills, {} lives, {}", count, seen);
    let log = check::everything(&database, &lives).await;
    let resumed = log.iter().filter(|e| e.kind == EventKind::Resumed).count();
    println!("work was taken up again {resumed} times");
    assert!(
        kills >= 20 && resumed >= 20,
        "{kills} kills, {resumed} resumed: this run proves little"
    );
}

every_server!(nothing_is_lost_with_the_connections);

/// The other side of the same coin: the service stays and loses its connections to the database, in
/// the middle of transactions and between them.
async fn nothing_is_lost_with_the_connections(engine: Engine) {
    let mut random = Random::new();
    let mut options = Options::default();
    options.conductor.automated_clean = true;
    let lab = Lab::with(engine, options).await;
    let server = Arc::new(Server::at(lab.client.clone()));
    // The hardware is fine and the conductor never stops: there is nothing to fail for.
    let lives = Arc::new(Lives::new(server, 60, false));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..TASKS {
        tasks.spawn(life::run(Arc::clone(&lives), random.fork()));
    }
    let mut cuts = 0;
    while !tasks.is_empty() {
        let moment = Duration::from_millis(10 + random.below(150) as u64);
        match tokio::time::timeout(moment, tasks.join_next()).await {
            Ok(Some(ended)) => ended.unwrap(),
            Ok(None) => break,
            Err(_) => {
                tokio::task::block_in_place(|| lab.database.cut_connections());
                cuts += 1;
            }
        }
    }
    println!("{cuts} cuts, {}", lives.settle().await);
    assert!(cuts >= 10, "only {cuts} cuts: this run proves little");
    let database = lab.stop().await;
    check::everything(&database, &lives).await;
}

/// Lets the service run for a moment, kills it, and starts it again, until aborted.
async fn kill_at_random(server: Arc<Server>, mut random: Random) {
    let mut longest = Duration::from_millis(300);
    loop {
        // The moments are what is being tested; nothing is waited for here.
        let moment = 10 + random.below(usize::try_from(longest.as_millis()).unwrap());
        tokio::time::sleep(Duration::from_millis(moment as u64)).await;
        server.kill().await;
        let started = Instant::now();
        server.start().await;
        // As long as the start took, so that as much happens in between on a machine that is slow.
        longest = started.elapsed().max(Duration::from_millis(300));
    }
}
