//! Conductors as members, and the history that they write.

use super::{entry, insert, new_node};
use crate::database::{Database, Engine};
use store::{Page, StoreError, member::Registration, node::Log};
use types::{InterfaceKind, Timestamp, member::OfferedInterface};

every_engine!(
    a_later_incarnation_supersedes_an_earlier_one,
    only_members_that_are_online_offer_interfaces,
    processes_that_start_together_both_register,
    members_that_are_gone_for_good_are_forgotten,
    history_is_read_as_it_was_written,
    old_history_is_purged_per_node,
);

fn offer(kind: InterfaceKind, name: &str) -> OfferedInterface {
    OfferedInterface {
        hardware_type: "fake-hardware".into(),
        kind,
        name: name.to_owned(),
        is_default: name == "fake",
    }
}

fn registration(host: &str) -> Registration {
    Registration {
        hostname: host.to_owned(),
        conductor_group: "rack".into(),
        drivers: vec!["fake-hardware".into(), "ipmi".into()],
        interfaces: vec![
            offer(InterfaceKind::Power, "fake"),
            offer(InterfaceKind::Deploy, "direct"),
        ],
        url: Some("http://10.0.0.1:8089".into()),
    }
}

async fn a_later_incarnation_supersedes_an_earlier_one(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let first = store::member::register(&db, registration("a"))
        .await
        .unwrap();
    assert_eq!((first.host.as_str(), first.epoch), ("a", 1));
    for _ in 0..3 {
        store::member::renew(&db, &first, true).await.unwrap();
    }
    let row = store::member::find(&db, "a").await.unwrap().unwrap();
    assert_eq!((row.epoch, row.counter, row.online), (1, 3, true));
    assert_eq!(row.conductor_group, "rack");
    assert_eq!(row.drivers, ["fake-hardware", "ipmi"]);

    let second = store::member::register(&db, registration("a"))
        .await
        .unwrap();
    assert_eq!(second.epoch, 2);
    let refused = store::member::renew(&db, &first, true).await;
    assert!(matches!(refused, Err(StoreError::Superseded { host }) if host == "a"));
    let row = store::member::find(&db, "a").await.unwrap().unwrap();
    assert_eq!(
        (row.epoch, row.counter),
        (2, 0),
        "the refused renewal left no trace"
    );
    // An earlier incarnation cannot sign the later one off.
    store::member::sign_off(&db, &first).await.unwrap();
    assert!(store::member::find(&db, "a").await.unwrap().unwrap().online);
    // Who leaves is alive, but not there for others; until it thinks better of it.
    for online in [false, true, false] {
        store::member::renew(&db, &second, online).await.unwrap();
        let row = store::member::find(&db, "a").await.unwrap().unwrap();
        assert_eq!((row.epoch, row.online), (2, online));
    }
    store::member::sign_off(&db, &second).await.unwrap();
    let row = store::member::find(&db, "a").await.unwrap().unwrap();
    assert_eq!((row.epoch, row.counter, row.online), (3, -1, false));
    let refused = store::member::renew(&db, &second, true).await;
    assert!(
        matches!(refused, Err(StoreError::Superseded { .. })),
        "whoever signed off is gone"
    );
    assert_eq!(store::member::find(&db, "b").await.unwrap(), None);
}

async fn only_members_that_are_online_offer_interfaces(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let a = store::member::register(&db, registration("a"))
        .await
        .unwrap();
    let mut fewer = registration("b");
    fewer.interfaces.truncate(1);
    store::member::register(&db, fewer).await.unwrap();
    let offered = store::member::interfaces(&db).await.unwrap();
    let of = |host: &str| -> Vec<_> {
        let own = offered.iter().filter(|(h, _)| h == host);
        own.map(|(_, offer)| offer.clone()).collect()
    };
    assert_eq!(of("a"), registration("a").interfaces);
    assert_eq!(of("b"), registration("b").interfaces[..1]);
    // Registering again replaces what was offered.
    let mut other = registration("b");
    other.interfaces.remove(0);
    store::member::register(&db, other).await.unwrap();
    store::member::sign_off(&db, &a).await.unwrap();
    let offered = store::member::interfaces(&db).await.unwrap();
    let expected = offer(InterfaceKind::Deploy, "direct");
    assert_eq!(offered, [("b".to_owned(), expected)]);
    let listed = store::member::list(&db, Page::first(10)).await.unwrap();
    assert_eq!(listed.len(), 2, "whoever signed off stays listed");
}

async fn processes_that_start_together_both_register(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    for round in 0..10 {
        let host = format!("host-{round}");
        let (a, b) = tokio::join!(
            store::member::register(&processes[0], registration(&host)),
            store::member::register(&processes[1], registration(&host)),
        );
        let mut epochs = [a.unwrap().epoch, b.unwrap().epoch];
        epochs.sort();
        assert_eq!(epochs, [1, 2], "in round {round}");
    }
}

async fn members_that_are_gone_for_good_are_forgotten(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut holders = Vec::new();
    for host in ["me", "gone", "working", "new", "away"] {
        let registered = store::member::register(&db, registration(host)).await;
        holders.push(registered.unwrap());
    }
    let held = insert(&db, new_node()).await;
    store::lease::take(&db, held, &holders[2]).await.unwrap();
    database.execute("UPDATE conductors SET updated_at = 5 WHERE hostname <> 'new'");
    let forget = |since, batch| {
        let (db, me) = (db.clone(), holders[0].clone());
        async move {
            let forgotten = store::member::forget_silent(&db, Timestamp(since), &me, batch).await;
            forgotten.unwrap()
        }
    };
    assert_eq!(forget(5, 10).await, 0, "not silent for long enough");
    assert_eq!(forget(6, 1).await, 1, "a batch");
    assert_eq!(forget(6, 10).await, 1);
    assert_eq!(forget(6, 10).await, 0);
    let left = store::member::list(&db, Page::first(10)).await.unwrap();
    let left: Vec<_> = left.iter().map(|m| m.hostname.as_str()).collect();
    assert_eq!(left, ["me", "working", "new"], "nor who holds a lease");
    let offers = store::member::interfaces(&db).await.unwrap();
    assert!(offers.iter().all(|(host, _)| left.contains(&host.as_str())));
}

async fn history_is_read_as_it_was_written(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let mut bare = entry(&node, "Grüße: it's \"fine\"\n");
    bare.user = None;
    bare.project = None;
    bare.is_error = Some(false);
    bare.target_provision_state = None;
    bare.duration_seconds = None;
    let written = [entry(&node, "first"), bare];
    let log = Log {
        events: Vec::new(),
        history: written.to_vec(),
        ..Log::default()
    };
    store::node::save(&db, node.clone(), store::node::Fence::Free, log)
        .await
        .unwrap();
    let listed = store::history::list(&db, node.id, Page::first(10))
        .await
        .unwrap();
    assert_eq!(listed.len(), 2);
    for (found, mut expected) in listed.into_iter().zip(written) {
        expected.row = found.row;
        assert!(found.row > 0);
        assert_eq!(found, expected);
        let again = store::history::find(&db, found.id).await.unwrap();
        assert_eq!(again, Some(expected));
    }
    let none = store::history::list(&db, other.id, Page::first(10)).await;
    assert_eq!(none.unwrap(), []);
}

async fn old_history_is_purged_per_node(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (busy, quiet) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    for n in 0..7 {
        for node in [&busy, &quiet] {
            if n > 2 && node.id == quiet.id {
                continue;
            }
            let now = super::stored(&db, node.id).await;
            let log = Log {
                events: Vec::new(),
                history: vec![entry(node, &n.to_string())],
                ..Log::default()
            };
            store::node::save(&db, now, store::node::Fence::Free, log)
                .await
                .unwrap();
        }
    }
    let excess = store::history::Excess {
        keep: 3,
        before: Timestamp(i64::MAX),
    };
    let crowded = |driver: &'static str| {
        let db = db.clone();
        async move {
            let mine = move |_, found: &str, _: &str| found == driver;
            store::history::crowded(&db, excess, mine).await.unwrap()
        }
    };
    assert_eq!(crowded("fake-hardware").await, [busy.id]);
    assert_eq!(crowded("somebody-elses").await, []);
    for (batch, removed) in [(2, 2), (100, 2), (100, 0)] {
        let found = store::history::thin(&db, busy.id, excess, batch).await;
        assert_eq!(found.unwrap(), removed, "at most {batch}");
    }
    assert_eq!(crowded("fake-hardware").await, []);
    let before = Timestamp(0);
    let none = store::history::Excess { keep: 0, before };
    assert_eq!(
        store::history::thin(&db, busy.id, none, 100).await.unwrap(),
        0,
        "all are younger"
    );
    for (node, expected) in [(&busy, ["4", "5", "6"]), (&quiet, ["0", "1", "2"])] {
        let left = store::history::list(&db, node.id, Page::first(10)).await;
        let left: Vec<_> = left.unwrap().into_iter().map(|e| e.event).collect();
        assert_eq!(left, expected);
    }
}
