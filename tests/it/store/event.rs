//! The event log: dense, in commit order, nothing lost and nothing doubled, also for readers that
//! follow while many write.

use super::{insert, new_node, news, stored};
use crate::database::{Database, Engine};
use serde_json::json;
use std::{collections::HashMap, time::Duration};
use store::{
    Db, StoreError, event,
    node::{Fence, Log},
};
use types::{
    Caller, Node, NodeId, Timestamp,
    event::{EventKind, LoggedEvent, NewEvent},
};

every_engine!(
    an_event_is_read_as_it_was_written,
    followers_see_every_event_once_and_in_order,
    one_nodes_events_can_be_paged,
    a_purged_cursor_is_too_old,
    waiting_ends_with_the_next_event_or_the_time,
);

/// Longer than any healthy wait; a test that runs into it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads the log from the start until `count` events were seen.
async fn follow(db: &Db, count: usize) -> Vec<LoggedEvent> {
    let mut seen: Vec<LoggedEvent> = Vec::new();
    let mut cursor = 0;
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while seen.len() < count {
        assert!(
            tokio::time::Instant::now() < deadline,
            "only {} of {count} events came",
            seen.len()
        );
        event::wait(db, cursor, PATIENCE).await.unwrap();
        let page = event::after(db, cursor, 7, store::event::EventFilter::default())
            .await
            .unwrap();
        for event in page.events {
            assert_eq!(event.cursor, cursor + 1, "a gap or a repetition");
            cursor = event.cursor;
            seen.push(event);
        }
        assert_eq!(page.next, cursor);
    }
    seen
}

async fn an_event_is_read_as_it_was_written(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut node = new_node();
    node.name = Some("a-node".into());
    let caller = Caller {
        user: Some("alice".into()),
        project: Some("p1".into()),
        request_id: "req-1".into(),
        token: None,
    };
    let data = json!({"from": "enroll", "to": "verifying", "deep": [1, {"ü": null}]});
    let new = NewEvent::new(
        &node,
        EventKind::Provision,
        "enroll -> verifying",
        data,
        &caller,
    );
    let before = Timestamp::now();
    store::node::insert(&db, node.clone(), Log::event(new.clone()))
        .await
        .unwrap();
    let seen = follow(&db, 1).await.remove(0);
    assert!(seen.at >= before);
    let expected = LoggedEvent {
        cursor: 1,
        at: seen.at,
        node: node.id,
        node_name: new.node_name,
        kind: new.kind,
        text: new.text,
        data: new.data,
        user: new.user,
        project: new.project,
        request_id: new.request_id,
    };
    assert_eq!(seen, expected);
}

/// Writes `count` events about a node of its own, one after the other.
async fn write(db: Db, writer: usize, count: usize) {
    let mut node = insert(&db, new_node()).await;
    for n in 0..count {
        let log = Log {
            // Several events of one change stay together and in order.
            events: vec![
                news(&node, json!({"writer": writer, "n": 2 * n})),
                news(&node, json!({"writer": writer, "n": 2 * n + 1})),
            ],
            history: Vec::new(),
            ..Log::default()
        };
        // Every third write comes too late and is refused; its events must not be seen.
        if n % 3 == 0 {
            let mut stale = node.clone();
            stale.version -= 1;
            let refused = store::node::save(&db, stale, Fence::Free, log.clone()).await;
            assert!(matches!(refused, Err(StoreError::Stale)), "{refused:?}");
        }
        node = store::node::save(&db, node, Fence::Free, log)
            .await
            .unwrap();
    }
}

async fn followers_see_every_event_once_and_in_order(engine: Engine) {
    const WRITERS: usize = 10;
    const EACH: usize = 60;
    const TOTAL: usize = WRITERS * EACH * 2;
    let database = Database::create(engine);
    let db = database.open();
    let processes = match engine {
        // One process owns the file; readers of another one would not hear its bell.
        Engine::Sqlite => [db.clone(), db],
        Engine::Postgres | Engine::MariaDb => [db, database.open()],
    };
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        tasks.spawn(write(processes[writer % 2].clone(), writer, EACH));
    }
    let (here, there) = tokio::join!(follow(&processes[0], TOTAL), follow(&processes[1], TOTAL));
    tasks.join_all().await;
    assert_eq!(here, there, "two readers saw two logs");
    let mut next: HashMap<u64, u64> = HashMap::new();
    for event in &here {
        let writer = event.data["writer"].as_u64().unwrap();
        let expected = next.entry(writer).or_default();
        assert_eq!(event.data["n"], *expected, "writer {writer} out of order");
        *expected += 1;
    }
    assert_eq!(next.len(), WRITERS);
    assert!(next.values().all(|&n| n == EACH as u64 * 2));
    assert_eq!(event::newest(&processes[0]).await.unwrap(), TOTAL as i64);
    assert_eq!(database.number("SELECT COUNT(*) FROM events"), TOTAL as i64);
}

async fn append(db: &Db, node: &Node, data: serde_json::Value) {
    let now = stored(db, node.id).await;
    let log = Log::event(news(node, data));
    store::node::save(db, now, Fence::Free, log).await.unwrap();
}

async fn one_nodes_events_can_be_paged(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (one, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    for n in 0..9 {
        append(&db, if n % 3 == 0 { &one } else { &other }, json!(n)).await;
    }
    follow(&db, 9).await;
    let page = |cursor, node: NodeId| {
        let db = db.clone();
        async move { event::after(&db, cursor, 2, node.into()).await.unwrap() }
    };
    let numbers = |page: &event::EventPage| -> Vec<i64> {
        page.events
            .iter()
            .map(|e| e.data.as_i64().unwrap())
            .collect()
    };
    let first = page(0, one.id).await;
    assert_eq!((numbers(&first), first.next), (vec![0, 3], 4));
    let second = page(first.next, one.id).await;
    // A page that is not full says that the log was seen up to its end.
    assert_eq!((numbers(&second), second.next), (vec![6], 9));
    let third = page(second.next, one.id).await;
    assert_eq!((numbers(&third), third.next), (vec![], 9));
    let nobody = page(0, NodeId::generate()).await;
    assert_eq!((numbers(&nobody), nobody.next), (vec![], 9));
}

async fn a_purged_cursor_is_too_old(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    for n in 0..6 {
        append(&db, &node, json!(n)).await;
    }
    let seen = follow(&db, 6).await;
    let later = Timestamp(seen[5].at.0 + 1);
    assert_eq!(event::purge(&db, seen[0].at, 100).await.unwrap(), 0);
    assert_eq!(event::purge(&db, later, 2).await.unwrap(), 2, "a batch");
    for cursor in [0, 1] {
        let refused = event::after(&db, cursor, 10, store::event::EventFilter::default()).await;
        assert!(
            matches!(refused, Err(StoreError::CursorTooOld { oldest: 3 })),
            "{cursor}: {refused:?}"
        );
    }
    assert_eq!(
        event::after(&db, 2, 10, store::event::EventFilter::default())
            .await
            .unwrap()
            .events,
        seen[2..]
    );
    assert_eq!(event::purge(&db, later, 100).await.unwrap(), 4);
    let refused = event::after(&db, 5, 10, store::event::EventFilter::default()).await;
    assert!(matches!(
        refused,
        Err(StoreError::CursorTooOld { oldest: 7 })
    ));
    assert_eq!(
        event::after(&db, 6, 10, store::event::EventFilter::default())
            .await
            .unwrap()
            .events,
        []
    );

    // Numbers go on where they were, also after a restart.
    drop(db);
    let db = database.open();
    append(&db, &node, json!("after the purge")).await;
    event::wait(&db, 6, PATIENCE).await.unwrap();
    let page = event::after(&db, 6, 10, store::event::EventFilter::default())
        .await
        .unwrap();
    assert_eq!((page.events[0].cursor, page.next), (7, 7));
}

async fn waiting_ends_with_the_next_event_or_the_time(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    let node = insert(&processes[0], new_node()).await;
    event::wait(&processes[0], 0, Duration::ZERO).await.unwrap();
    assert_eq!(event::newest(&processes[0]).await.unwrap(), 0);
    // An event of this process, and on a server one of another process too.
    let writers = match engine {
        Engine::Sqlite => vec![&processes[0]],
        Engine::Postgres | Engine::MariaDb => vec![&processes[0], &processes[1]],
    };
    for (n, writer) in writers.into_iter().enumerate() {
        let cursor = n as i64;
        let waiting =
            tokio::time::timeout(PATIENCE, event::wait(&processes[0], cursor, PATIENCE * 2));
        let (waited, ()) = tokio::join!(waiting, append(writer, &node, json!(n)));
        waited.expect("the bell never rang").unwrap();
        assert_eq!(event::newest(&processes[0]).await.unwrap(), cursor + 1);
    }
    // One that tells of no change rings as well.
    let db = &processes[0];
    let cursor = event::newest(db).await.unwrap();
    let waiting = tokio::time::timeout(PATIENCE, event::wait(db, cursor, PATIENCE * 2));
    let telling = event::tell(db, news(&node, json!("aside")));
    let (waited, told) = tokio::join!(waiting, telling);
    told.unwrap();
    waited.expect("the bell never rang").unwrap();
}

mod servers {
    use super::*;

    every_server!(a_commit_that_comes_late_is_not_missed);

    /// What plain row numbers would lose: a row that becomes visible after a later one was read.
    async fn a_commit_that_comes_late_is_not_missed(engine: Engine) {
        let database = Database::create(engine);
        let db = database.open();
        let node = insert(&db, new_node()).await;
        let runtime = tokio::runtime::Handle::current();
        database.session(|slow| {
            slow.batch("BEGIN");
            slow.batch(&format!(
                "INSERT INTO events (at, node_uuid, kind, text_line, data) \
                 VALUES (1, '{}', 'updated', 'late', '\"late\"')",
                node.id
            ));
            // While it is open, later rows are committed, numbered and read.
            runtime.block_on(async {
                append(&db, &node, json!("early")).await;
                let seen = follow(&db, 1).await;
                assert_eq!(seen[0].data, "early");
            });
            slow.batch("COMMIT");
        });
        let seen = follow(&db, 2).await;
        assert_eq!(seen[1].data, "late");
    }
}
