//! Transactions that lose against others, against a cluster's certification or against a broken
//! connection: what was asked for happens once, or not at all, and whoever asked is told which.

mod proxy;

use super::{holder, insert, map, new_node, news, stored};
use crate::database::{Database, Engine};
use proxy::{Act, Proxy};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use store::{
    Db, KeyRing, StoreError, Upgrade, allocation,
    node::{Fence, Log, save},
};
use types::{Allocation, AllocationId, Node, PowerState, ProvisionState};

every_server!(
    a_deadlock_is_nobodys_problem,
    a_transaction_whose_connection_was_cut_before_is_run_again,
);

/// A node that can be given away, and an allocation that waits for one.
async fn pair(db: &Db) -> (Node, Allocation) {
    let mut node = new_node();
    node.provision_state = ProvisionState::Available;
    node.power_state = Some(PowerState::Off);
    node.resource_class = Some("gold".into());
    node.instance_info = map(json!({}));
    let mut wanted = Allocation::new(AllocationId::generate());
    wanted.resource_class = Some("gold".into());
    let node = insert(db, node).await;
    (
        node,
        allocation::insert(db, wanted, Log::default())
            .await
            .unwrap(),
    )
}

/// The store takes the allocation's row and then the node's. Somebody else takes them the other way
/// round, and makes the server prefer it as the one that goes on.
async fn a_deadlock_is_nobodys_problem(engine: Engine) {
    const ROUNDS: i64 = 3;
    let database = Database::create(engine);
    let db = database.open();
    database.execute("CREATE TABLE ballast (id BIGINT)");
    for round in 1..=ROUNDS {
        let (node, wanted) = pair(&db).await;
        let log = Log::event(news(&node, json!(round)));
        let runtime = tokio::runtime::Handle::current();
        let binding = database.session(|other| {
            if engine == Engine::Postgres {
                // Whose time is up first gives way.
                other.batch("SET deadlock_timeout = '60s'");
            }
            other.batch("BEGIN");
            // MariaDB sacrifices the one that has changed less.
            for _ in 0..100 {
                other.batch("INSERT INTO ballast VALUES (1)");
            }
            let lock = |table: &str, uuid: &str| {
                format!("SELECT id FROM {table} WHERE uuid = '{uuid}' FOR UPDATE")
            };
            other.batch(&lock("nodes", &node.id.to_string()));
            let (db, id, node) = (db.clone(), wanted.id.clone(), node.clone());
            let binding = runtime.spawn(async move { allocation::bind(&db, &id, node, log).await });
            database.session(|watcher| watcher.await_waiting(1));
            // This closes the circle. That we get the lock means that the store had to let go.
            other.batch(&lock("allocations", wanted.id.as_str()));
            other.batch("COMMIT");
            binding
        });
        let (bound, claimed) = binding.await.unwrap().unwrap();
        assert_eq!(bound.version, wanted.version + 1, "bound once");
        assert_eq!(claimed.version, node.version + 1, "claimed once");
        assert_eq!(stored(&db, node.id).await, claimed);
        assert_eq!(database.number("SELECT COUNT(*) FROM events"), round);
    }
}

/// Nobody asked for the commit yet, so there is nothing that could have happened.
async fn a_transaction_whose_connection_was_cut_before_is_run_again(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut node = insert(&db, new_node()).await;
    for round in 1..=10 {
        database.cut_connections();
        let log = Log::event(news(&node, json!(round)));
        node = save(&db, node, Fence::Free, log).await.unwrap();
        assert_eq!(database.number("SELECT COUNT(*) FROM events"), round);
    }
}

mod mariadb_behind_a_proxy {
    use super::*;

    on_engine!(
        mariadb,
        MariaDb,
        a_failed_certification_is_repeated,
        a_cluster_that_never_agrees_is_an_error,
        a_commit_without_an_answer_is_neither_forgotten_nor_repeated,
        an_upgrade_that_is_cut_at_every_statement_comes_to_its_end
    );

    const IS_DEADLOCK: Act = Act::Refuse(1213, "Deadlock found when trying to get lock");
    const IS_NOT_READY: Act =
        Act::Refuse(1047, "WSREP has not yet prepared node for application use");

    fn open(database: &Database, proxy: &Proxy) -> Db {
        let keys = KeyRing::load_or_create(&database.key_file()).unwrap();
        Db::open(&proxy.location(), keys, Upgrade::Run).unwrap()
    }

    /// Does something else with the next commits; those behind them pass.
    fn on_commits(proxy: &Proxy, acts: Vec<Act>) {
        let mut acts = acts.into_iter();
        proxy.plan(move |sql| match sql {
            "COMMIT" => acts.next().unwrap_or(Act::Pass),
            _ => Act::Pass,
        });
    }

    /// Takes the lease of a node with an event, and says what is stored then.
    async fn take(db: &Db, node: &Node) -> Result<Node, StoreError> {
        let log = Log::event(news(node, json!("taken")));
        save(db, node.clone(), Fence::Take(holder("c", 1)), log).await
    }

    async fn a_failed_certification_is_repeated(engine: Engine) {
        let database = Database::create(engine);
        let proxy = Proxy::start(&database);
        let db = open(&database, &proxy);
        for acts in [
            vec![IS_DEADLOCK],
            vec![IS_DEADLOCK; 4],
            vec![IS_NOT_READY],
            vec![IS_NOT_READY, IS_DEADLOCK, IS_NOT_READY],
        ] {
            let node = insert(&db, new_node()).await;
            let before = database.number("SELECT COUNT(*) FROM events");
            on_commits(&proxy, acts.clone());
            let taken = take(&db, &node).await.unwrap();
            assert_eq!(taken.version, node.version + 1);
            assert_eq!(taken.lease_generation, node.lease_generation + 1);
            assert_eq!(stored(&db, node.id).await, taken);
            let events = database.number("SELECT COUNT(*) FROM events");
            assert_eq!(events, before + 1, "{acts:?}");
        }
    }

    async fn a_cluster_that_never_agrees_is_an_error(engine: Engine) {
        let database = Database::create(engine);
        let proxy = Proxy::start(&database);
        let db = open(&database, &proxy);
        let node = insert(&db, new_node()).await;
        let commits = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&commits);
        proxy.plan(move |sql| match sql {
            "COMMIT" => {
                seen.fetch_add(1, Ordering::SeqCst);
                IS_DEADLOCK
            }
            _ => Act::Pass,
        });
        let refused = take(&db, &node).await;
        let is_refused = matches!(refused, Err(StoreError::Unavailable(_)));
        assert!(is_refused, "{refused:?}");
        let attempts = commits.load(Ordering::SeqCst);
        assert!((5..50).contains(&attempts), "{attempts} attempts");
        proxy.plan(|_| Act::Pass);
        assert_eq!(stored(&db, node.id).await, node, "nothing happened");
        take(&db, &node).await.unwrap();
    }

    async fn a_commit_without_an_answer_is_neither_forgotten_nor_repeated(engine: Engine) {
        let database = Database::create(engine);
        let proxy = Proxy::start(&database);
        let db = open(&database, &proxy);
        // The first two are what a node of Galera says that leaves its cluster during the commit.
        for (act, happened) in [
            (Act::Deny(1180, "Got error 6 during COMMIT"), true),
            (Act::Refuse(1180, "Got error 6 during COMMIT"), false),
            (Act::CutAfter, true),
            (Act::CutBefore, false),
        ] {
            let node = insert(&db, new_node()).await;
            let before = database.number("SELECT COUNT(*) FROM events");
            on_commits(&proxy, vec![act]);
            let lost = take(&db, &node).await;
            assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");
            let now = stored(&db, node.id).await;
            let times = i64::from(happened);
            assert_eq!(now.version, node.version + times, "{act:?}");
            assert_eq!(now.reservation.is_some(), happened, "{act:?}");
            let events = database.number("SELECT COUNT(*) FROM events");
            assert_eq!(events, before + times, "{act:?}");
        }
    }

    /// What the tables are, as the server describes them.
    fn shape(database: &Database) -> Vec<String> {
        database.session(|session| {
            session.texts(
                "SELECT CONCAT_WS(' ', table_name, column_name, column_type, is_nullable, \
                 collation_name, column_key) FROM information_schema.columns \
                 WHERE table_schema = DATABASE() ORDER BY table_name, column_name",
            )
        })
    }

    async fn an_upgrade_that_is_cut_at_every_statement_comes_to_its_end(engine: Engine) {
        let expected = {
            let whole = Database::create(engine);
            drop(whole.open());
            shape(&whole)
        };
        let database = Database::create(engine);
        let proxy = Proxy::start(&database);
        let location = proxy.location();
        let mut cuts = 0;
        loop {
            // The second change of each attempt is the last: every one is cut once on its way to
            // the server or on the way back.
            let mut changes = 0;
            let act = if cuts % 2 == 0 {
                Act::CutAfter
            } else {
                Act::CutBefore
            };
            proxy.plan(move |sql| {
                let is_change = !sql.starts_with("CREATE TABLE IF NOT EXISTS")
                    && [
                        "CREATE ",
                        "ALTER ",
                        "INSERT INTO ",
                        "UPDATE nodes ",
                        "UPDATE portgroups ",
                    ]
                    .iter()
                    .any(|word| sql.starts_with(word));
                changes += i32::from(is_change);
                if is_change && changes == 2 {
                    act
                } else {
                    Act::Pass
                }
            });
            match store::upgrade(&location) {
                Ok(versions) => {
                    assert_eq!(versions, (0, store::SCHEMA_VERSION));
                    break;
                }
                Err(StoreError::Unavailable(_)) => cuts += 1,
                Err(other) => panic!("after {cuts} cuts: {other:?}"),
            }
            assert!(cuts < 1000, "this upgrade does not end");
        }
        println!("{cuts} cuts");
        assert!(cuts > 50, "only {cuts} cuts");
        assert_eq!(shape(&database), expected);
        assert_eq!(database.number("SELECT COUNT(*) FROM counters"), 1);
        let db = database.open();
        take(&db, &insert(&db, new_node()).await).await.unwrap();
    }
}
