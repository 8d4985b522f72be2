//! Opening a database: empty, our own, somebody else's, and after trouble.

use super::{insert, named, new_node, news, stored};
use crate::database::{Database, Engine};
use serde_json::json;
use std::time::Duration;
use store::{
    Db, KeyRing, SCHEMA_VERSION, SchemaState, StoreError, Upgrade,
    node::{Fence, Log},
};

every_engine!(
    what_was_written_is_there_after_reopening,
    the_schema_of_ironic_is_refused_untouched,
    a_newer_schema_is_refused_untouched,
    an_older_schema_waits_for_the_operator,
    processes_that_start_together_share_one_schema,
);

async fn what_was_written_is_there_after_reopening(engine: Engine) {
    let database = Database::create(engine);
    assert_eq!(
        store::inspect(&database.location()).unwrap(),
        SchemaState::Empty
    );
    let db = database.open();
    db.ping().await.unwrap();
    let node = insert(&db, named("a")).await;
    drop(db);
    let found = store::inspect(&database.location()).unwrap();
    assert_eq!(found, SchemaState::Version(SCHEMA_VERSION));
    let versions = store::upgrade(&database.location()).unwrap();
    assert_eq!(versions, (SCHEMA_VERSION, SCHEMA_VERSION));
    let db = database.open();
    assert_eq!(stored(&db, node.id).await, node);
}

async fn the_schema_of_ironic_is_refused_untouched(engine: Engine) {
    let database = Database::create(engine);
    database.execute(
        "CREATE TABLE alembic_version (version_num VARCHAR(32)); \
         INSERT INTO alembic_version VALUES ('c1846a214450'); \
         CREATE TABLE nodes (id INTEGER, uuid VARCHAR(36)); INSERT INTO nodes VALUES (1, 'u');",
    );
    let before = database.dump();
    let refusals = [
        database.try_open().map(|_| ()).unwrap_err(),
        store::inspect(&database.location())
            .map(|_| ())
            .unwrap_err(),
        store::upgrade(&database.location())
            .map(|_| ())
            .unwrap_err(),
    ];
    for refused in refusals {
        assert!(matches!(refused, StoreError::Schema(_)), "{refused:?}");
        assert!(refused.to_string().contains("Ironic"), "{refused}");
    }
    assert_eq!(database.dump(), before);
}

async fn a_newer_schema_is_refused_untouched(engine: Engine) {
    let database = Database::create(engine);
    drop(database.open());
    database.execute("INSERT INTO corten_schema (version) VALUES (999)");
    let before = database.dump();
    let refused = database.try_open().unwrap_err();
    assert!(refused.to_string().contains("999"), "{refused}");
    assert_eq!(database.dump(), before);
}

async fn an_older_schema_waits_for_the_operator(engine: Engine) {
    let database = Database::create(engine);
    let open = |upgrade| {
        let keys = KeyRing::load_or_create(&database.key_file()).unwrap();
        Db::open(&database.location(), keys, upgrade)
    };
    // An empty database is filled even by those who must not upgrade.
    drop(open(Upgrade::OnlyCreate).unwrap());
    drop(open(Upgrade::OnlyCreate).unwrap());
    database.execute(&format!(
        "UPDATE corten_schema SET version = version - {SCHEMA_VERSION}"
    ));
    let refused = open(Upgrade::OnlyCreate).unwrap_err();
    assert!(
        refused.to_string().contains("corten db upgrade"),
        "{refused}"
    );
}

async fn processes_that_start_together_share_one_schema(engine: Engine) {
    let database = Database::create(engine);
    KeyRing::load_or_create(&database.key_file()).unwrap();
    let opened: Vec<Db> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..4).map(|_| scope.spawn(|| database.open())).collect();
        starts
            .into_iter()
            .map(|start| start.join().unwrap())
            .collect()
    });
    for (n, db) in opened.iter().enumerate() {
        let node = insert(db, named(&format!("node-{n}"))).await;
        assert_eq!(stored(&opened[0], node.id).await, node);
    }
    let applied = database.number("SELECT COUNT(*) FROM corten_schema");
    assert_eq!(applied, SCHEMA_VERSION, "each migration once");
}

mod servers {
    use super::*;

    every_server!(connections_that_the_server_dropped_are_replaced);

    /// The server restarts or drops idle connections: each costs at most one failed request.
    async fn connections_that_the_server_dropped_are_replaced(engine: Engine) {
        /// More than the connections of a handle.
        const FAILURES: usize = 20;
        let database = Database::create(engine);
        let db = database.open();
        let mut node = insert(&db, new_node()).await;
        database.cut_connections();
        let (mut written, mut read, mut failed) = (0, 0, 0);
        while written < 8 || read < 8 {
            assert!(failed < FAILURES, "{written} writes, {read} reads");
            let log = Log::event(news(&node, json!(written)));
            match store::node::save(&db, node.clone(), Fence::Free, log).await {
                Ok(saved) => {
                    node = saved;
                    written += 1;
                }
                Err(StoreError::Unavailable(_)) => failed += 1,
                Err(other) => panic!("{other:?}"),
            }
            match store::node::find(&db, node.id).await {
                Ok(_) => read += 1,
                Err(StoreError::Unavailable(_)) => failed += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
        // The sequencer came back too.
        let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
        while store::event::newest(&db).await.unwrap() < written as i64 {
            assert!(
                tokio::time::Instant::now() < deadline,
                "events stay without number"
            );
            store::event::wait(&db, written as i64 - 1, Duration::from_secs(5))
                .await
                .unwrap();
        }
    }
}
