//! Fences: who may write a node, and that of many who try at once exactly one may.

use super::{holder, insert, map, new_node, news, stored};
use crate::database::{Database, Engine};
use serde_json::json;
use store::{
    Db, StoreError,
    node::{Fence, Log, save},
};
use types::{Node, Work};

every_engine!(
    a_free_write_needs_the_version_that_was_read,
    a_taken_node_is_locked_for_everybody_else,
    a_lease_writes_until_it_is_given_back,
    of_many_takers_exactly_one_wins,
    no_free_update_is_lost,
    a_refused_write_leaves_no_event_behind,
    a_reserved_or_changed_node_is_not_deleted,
);

async fn write(db: &Db, node: &Node, fence: Fence) -> Result<Node, StoreError> {
    save(db, node.clone(), fence, Log::default()).await
}

async fn a_free_write_needs_the_version_that_was_read(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let read = insert(&db, new_node()).await;
    let mut first = read.clone();
    first.description = Some("first".into());
    let saved = write(&db, &first, Fence::Free).await.unwrap();
    assert_eq!(saved.version, read.version + 1);
    let mut second = read.clone();
    second.description = Some("second".into());
    for fence in [Fence::Free, Fence::Take(holder("c", 1))] {
        let refused = write(&db, &second, fence).await;
        assert!(matches!(refused, Err(StoreError::Stale)), "{refused:?}");
    }
    assert_eq!(stored(&db, read.id).await, saved);
    let again = write(&db, &saved, Fence::Free).await.unwrap();
    assert_eq!(again.version, saved.version + 1);
}

async fn a_taken_node_is_locked_for_everybody_else(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let free = insert(&db, new_node()).await;
    let mut wanted = free.clone();
    wanted.work = Some(Work::Verify);
    let me = holder("conductor-1", 4);
    let taken = write(&db, &wanted, Fence::Take(me)).await.unwrap();
    assert_eq!(taken.reservation.as_deref(), Some("conductor-1"));
    assert_eq!(taken.lease_epoch, 4);
    assert_eq!(taken.lease_generation, free.lease_generation + 1);
    assert_eq!(stored(&db, free.id).await, taken);
    for node in [&free, &taken] {
        for fence in [Fence::Free, Fence::Take(holder("conductor-2", 1))] {
            let refused = write(&db, node, fence).await;
            assert!(
                matches!(&refused, Err(StoreError::Locked { host }) if host == "conductor-1"),
                "{refused:?}"
            );
        }
    }
    assert_eq!(stored(&db, free.id).await, taken);
}

async fn a_lease_writes_until_it_is_given_back(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut node = insert(&db, new_node()).await;
    let not_yet = write(&db, &node, Fence::Held).await;
    assert!(
        matches!(not_yet, Err(StoreError::LeaseLost)),
        "nobody holds it: {not_yet:?}"
    );

    node.work = Some(Work::Inspect);
    let taken = write(&db, &node, Fence::Take(holder("c", 1)))
        .await
        .unwrap();
    // The holder may go on from any copy it has: nobody else can have written.
    let first = write(&db, &taken, Fence::Held).await.unwrap();
    assert_eq!(first.work, Some(Work::Inspect));
    let mut older = taken.clone();
    older.lease_generation -= 1;
    for fence in [Fence::Held, Fence::Release] {
        let refused = write(&db, &older, fence).await;
        assert!(matches!(refused, Err(StoreError::LeaseLost)), "{refused:?}");
    }
    let released = write(&db, &first, Fence::Release).await.unwrap();
    assert_eq!((&released.reservation, &released.work), (&None, &None));
    assert_eq!(released.lease_generation, taken.lease_generation);
    assert_eq!(stored(&db, node.id).await, released);
    for fence in [Fence::Held, Fence::Release] {
        let refused = write(&db, &released, fence).await;
        assert!(matches!(refused, Err(StoreError::LeaseLost)), "{refused:?}");
    }
    let refused = store::lease::release(&db, node.id, released.lease_generation).await;
    assert!(matches!(refused, Err(StoreError::LeaseLost)), "{refused:?}");

    // Giving back without a change of the node itself.
    let taken = store::lease::take(&db, released, &holder("c", 1))
        .await
        .unwrap();
    store::lease::release(&db, node.id, taken.lease_generation)
        .await
        .unwrap();
    let free = stored(&db, node.id).await;
    assert_eq!((free.reservation, free.work), (None, None));
    assert_eq!(
        free.version,
        taken.version + 1,
        "a reader that saw it reserved must notice"
    );
}

async fn of_many_takers_exactly_one_wins(engine: Engine) {
    const ROUNDS: usize = 15;
    const TAKERS: usize = 24;
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    let mut node = insert(&processes[0], new_node()).await;
    for round in 0..ROUNDS {
        let mut tasks = tokio::task::JoinSet::new();
        for taker in 0..TAKERS {
            let (db, node) = (processes[taker % 2].clone(), node.clone());
            tasks.spawn(async move {
                let me = holder(&format!("taker-{taker}"), 1);
                let log = Log::event(news(&node, json!({"round": round})));
                save(&db, node, Fence::Take(me), log).await
            });
        }
        let mut winners = Vec::new();
        for outcome in tasks.join_all().await {
            match outcome {
                Ok(node) => winners.push(node),
                Err(StoreError::Locked { .. } | StoreError::Stale) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
        assert_eq!(winners.len(), 1, "in round {round}: {winners:?}");
        let winner = winners.remove(0);
        assert_eq!(stored(&processes[1], node.id).await, winner);
        node = write(&processes[0], &winner, Fence::Release).await.unwrap();
    }
    let events = database.number("SELECT COUNT(*) FROM events");
    assert_eq!(events, ROUNDS as i64, "one event for each grant");
}

async fn no_free_update_is_lost(engine: Engine) {
    const WRITERS: usize = 8;
    const EACH: usize = 15;
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    let id = insert(&processes[0], new_node()).await.id;
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let db = processes[writer % 2].clone();
        tasks.spawn(async move {
            let mut written = 0;
            while written < EACH {
                let mut node = stored(&db, id).await;
                let count = node.extra.get("count").map_or(0, |n| n.as_i64().unwrap());
                node.extra = map(json!({"count": count + 1}));
                match write(&db, &node, Fence::Free).await {
                    Ok(_) => written += 1,
                    Err(StoreError::Stale) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
        });
    }
    tasks.join_all().await;
    let node = stored(&processes[0], id).await;
    assert_eq!(node.extra["count"], WRITERS * EACH);
    assert_eq!(node.version, (WRITERS * EACH) as i64);
}

async fn a_refused_write_leaves_no_event_behind(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    let log = |n: i32| Log {
        events: vec![news(&node, json!(n))],
        history: vec![super::entry(&node, "text")],
        ..Log::default()
    };
    save(&db, node.clone(), Fence::Free, log(1)).await.unwrap();
    for _ in 0..3 {
        assert!(save(&db, node.clone(), Fence::Free, log(2)).await.is_err());
    }
    let node = stored(&db, node.id).await;
    save(&db, node.clone(), Fence::Free, log(3)).await.unwrap();
    while store::event::newest(&db).await.unwrap() < 2 {
        store::event::wait(&db, 1, std::time::Duration::from_secs(30))
            .await
            .unwrap();
    }
    let page = store::event::after(&db, 0, 10, store::event::EventFilter::default())
        .await
        .unwrap();
    let seen: Vec<_> = page.events.iter().map(|e| (e.cursor, &e.data)).collect();
    assert_eq!(seen, [(1, &json!(1)), (2, &json!(3))]);
    assert_eq!(database.number("SELECT COUNT(*) FROM node_history"), 2);
}

async fn a_reserved_or_changed_node_is_not_deleted(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let read = insert(&db, new_node()).await;
    let changed = write(&db, &read, Fence::Free).await.unwrap();
    let refused = store::node::delete(&db, &read, Log::default()).await;
    assert!(matches!(refused, Err(StoreError::Stale)), "{refused:?}");
    let taken = store::lease::take(&db, changed, &holder("c", 1))
        .await
        .unwrap();
    let refused = store::node::delete(&db, &taken, Log::default()).await;
    assert!(
        matches!(refused, Err(StoreError::Locked { .. })),
        "{refused:?}"
    );
    let free = write(&db, &taken, Fence::Release).await.unwrap();
    store::node::delete(&db, &free, Log::default())
        .await
        .unwrap();
}
