//! A conductor group comes over from an Ironic that goes on with the others; interrupted anywhere, the
//! move goes on or back.

use super::*;
use migrate::{GroupFault, GroupMover, TakeOver, Taken};
use std::{sync::Arc, sync::Mutex};
use store::{
    group_move::{GroupName, MovePhase, Moves},
    ironic::GroupLocks,
    node::Fence,
};

every_engine!(
    a_group_joins_what_is_there_and_ironic_is_locked_out,
    an_interrupted_move_goes_on_wherever_it_ended,
    a_group_goes_back_as_it_is_by_then,
    an_interrupted_way_back_goes_on_or_is_undone,
    a_move_that_cannot_be_leaves_nothing,
);

/// Ironic's, with its nodes in groups: two in `rack-a`, one of which waits for its agent.
const GROUPS: &str = "UPDATE nodes SET conductor_group = 'rack-a' WHERE id IN (1, 2);
    UPDATE nodes SET conductor_group = 'rack-c' WHERE id IN (3, 4);
    UPDATE nodes SET conductor_group = '' WHERE id = 6;
    DELETE FROM ports WHERE id = 4;
    UPDATE nodes SET console_enabled = 1, target_power_state = 'rebooting' WHERE id = 1;
    INSERT INTO ports (id, uuid, address, node_id, extra, internal_info, local_link_connection) VALUES
        (9, '20000000-0000-4000-8000-000000000009', '52:54:00:00:00:09', 3, '{}', '{}', '{}');";

struct Both {
    source: Location,
    database: Database,
}

impl Both {
    fn new(engine: Engine) -> Self {
        let database = Database::create(engine);
        let source = ironic(database.directory(), GROUPS);
        drop(database.open());
        Self { source, database }
    }

    fn ironic(&self) -> rusqlite::Connection {
        let Location::Sqlite(file) = &self.source else {
            panic!("a file")
        };
        rusqlite::Connection::open(file).unwrap()
    }

    /// Who holds the nodes in Ironic's database, in the order of their numbers.
    fn holders(&self) -> Vec<Option<String>> {
        let ironic = self.ironic();
        let mut rows = ironic
            .prepare("SELECT reservation FROM nodes ORDER BY id")
            .unwrap();
        let holders = rows.query_map([], |row| row.get(0)).unwrap();
        holders.map(Result::unwrap).collect()
    }

    fn keys(&self) -> KeyRing {
        KeyRing::load(&self.database.key_file()).unwrap()
    }

    async fn with<T: Send + 'static>(
        &self,
        group: &'static str,
        run: impl FnOnce(&mut GroupMover) -> T + Send + 'static,
    ) -> T {
        let (source, target) = (self.source.clone(), self.database.location());
        let keys = self.keys();
        aside(move || {
            let group = group.parse().unwrap();
            run(&mut GroupMover::open(source, target, keys, group).unwrap())
        })
        .await
    }

    async fn take_over(&self, group: &'static str, how: TakeOver) -> Result<Taken, GroupFault> {
        self.with(group, move |mover| mover.take_over(how, &mut |_| ()))
            .await
    }

    async fn give_back(&self, group: &'static str) -> Result<(), GroupFault> {
        let give = |mover: &mut GroupMover| mover.give_back(Duration::ZERO, &mut |_| ());
        self.with(group, give).await.map(drop)
    }

    /// One text of Ironic's database.
    fn ask(&self, sql: &str) -> Option<String> {
        let text: Result<Option<String>, _> = self.ironic().query_row(sql, [], |row| row.get(0));
        text.unwrap()
    }

    async fn phases(&self) -> Vec<(String, MovePhase)> {
        let target = self.database.location();
        let moves = aside(move || store::group_move::read(&target))
            .await
            .unwrap();
        let named = moves.into_iter();
        named
            .map(|one| (one.group.as_str().to_owned(), one.phase))
            .collect()
    }

    async fn node(&self, uuid: &str) -> Option<types::Node> {
        let db = self.database.open();
        store::node::find(&db, uuid.parse().unwrap()).await.unwrap()
    }
}

const AT_ONCE: TakeOver = TakeOver {
    patience: Duration::ZERO,
    with_working: false,
    heartbeat_timeout: Duration::from_secs(60),
};

fn held(by: &str) -> Option<String> {
    Some(by.to_owned())
}

fn name(group: &str) -> GroupName {
    group.parse().unwrap()
}

async fn a_group_joins_what_is_there_and_ironic_is_locked_out(engine: Engine) {
    let both = Both::new(engine);
    let db = both.database.open();
    let own = types::Node::new(types::NodeId::generate(), "fake-hardware");
    let own = store::node::insert(&db, own, store::node::Log::default());
    let own = own.await.unwrap();
    drop(db);

    let taken = both.take_over("Rack-A", AT_ONCE).await.unwrap();
    assert_eq!(taken.outcome.taken("nodes"), 2, "{taken:#?}");
    assert_eq!(taken.outcome.taken("ports"), 2);
    assert_eq!(taken.outcome.taken("allocations"), 1);
    assert_eq!(taken.newcomers, 0);
    let moved = held("corten-moved");
    let others = [held("ctl1"), None, None, None];
    assert_eq!(
        both.holders(),
        [vec![moved.clone(), moved.clone()], others.to_vec()].concat()
    );
    assert_eq!(
        both.phases().await,
        [("rack-a".to_owned(), MovePhase::Moved)]
    );

    // What is only true of the old conductor is right at once, because others may serve here already.
    let active = both.node(ACTIVE).await.unwrap();
    assert_eq!(active.target_power_state, None);
    assert!(active.last_error.unwrap().contains("aborted"));
    assert_eq!(active.traits, ["CUSTOM_A", "CUSTOM_B"]);
    assert!(active.chassis.is_some() && active.allocation_uuid.is_some());
    let waits = both.node(WAITS).await.unwrap();
    let age = types::Timestamp::now().0 - waits.provision_updated_at.unwrap().0;
    assert!(age < 600_000_000, "{age}");
    assert!(both.node(&own.id.to_string()).await.is_some());
    assert!(both.node(WORKS).await.is_none());
    let db = both.database.open();
    let log = store::event::after(&db, 0, 10, Default::default()).await;
    let told: Vec<_> = log.unwrap().events.iter().map(|event| event.node).collect();
    assert_eq!(told, [active.id, waits.id]);
    drop(db);

    // Another group comes beside it, with what both share; an import of everything would lose them.
    let with_working = TakeOver {
        with_working: true,
        ..AT_ONCE
    };
    both.take_over("rack-c", with_working).await.unwrap();
    assert!(both.node(WORKS).await.is_some());
    let db = both.database.open();
    assert_eq!(
        store::runbook::list(&db, Default::default(), store::Page::first(9))
            .await
            .unwrap()
            .len(),
        1
    );
    drop(db);
    let (target, keys) = (both.database.location(), both.keys());
    let whole = aside(move || Load::begin(&target, keys, Existing::Replace, Purpose::Move).err());
    assert!(matches!(whole.await, Some(LoadFault::Moved(_))));

    // A node that is made in Ironic later comes by the next run.
    both.ironic()
        .execute_batch(
            "INSERT INTO nodes (id, uuid, provision_state, driver, conductor_group) VALUES
             (7, '10000000-0000-4000-8000-000000000007', 'enroll', 'fake-hardware', 'RACK-A')",
        )
        .unwrap();
    let taken = both.take_over("rack-a", AT_ONCE).await.unwrap();
    assert_eq!(taken.outcome.taken("nodes"), 1);
    assert_eq!(both.holders()[6], moved);
}

/// Ends a move after so many of its steps.
fn interrupted(both: &Both, steps: usize) {
    let group = name("rack-a");
    let target = both.database.location();
    let mut moves = Moves::open(&target).unwrap();
    let mut locks = GroupLocks::open(&both.source, group.clone()).unwrap();
    moves.begin(&group).unwrap();
    if steps > 0 {
        both.ironic()
            .execute(
                "UPDATE nodes SET reservation = 'corten-moving' WHERE id = 1",
                [],
            )
            .unwrap();
    }
    if steps > 1 {
        locks.take(false).unwrap();
    }
    if steps > 2 {
        let mut import = Import::open(&both.source).unwrap();
        import.restrict(locks.rows());
        let load = Load::join(&target, both.keys(), group.clone()).unwrap();
        import.run(load).unwrap();
    }
    if steps > 3 {
        locks.keep().unwrap();
    }
}

async fn an_interrupted_move_goes_on_wherever_it_ended(engine: Engine) {
    for steps in 0..5 {
        for back in [false, true] {
            let both = Arc::new(Both::new(engine));
            let begun = Arc::clone(&both);
            aside(move || interrupted(&begun, steps)).await;
            // Either Ironic has the nodes or this service has, and never both.
            let is_here = both.node(ACTIVE).await.is_some();
            assert_eq!(is_here, steps > 2, "{steps}");
            assert!(!is_here || both.holders()[0].is_some());
            if back && steps < 3 {
                both.give_back("rack-a").await.unwrap();
                assert_eq!(both.holders()[..2], [None, None], "{steps}");
                assert_eq!(both.phases().await, []);
                assert!(both.node(ACTIVE).await.is_none());
                continue;
            }
            both.take_over("rack-a", AT_ONCE).await.unwrap();
            let moved = held("corten-moved");
            assert_eq!(both.holders()[..2], [moved.clone(), moved], "{steps}");
            assert_eq!(
                both.phases().await,
                [("rack-a".to_owned(), MovePhase::Moved)]
            );
            assert!(both.node(ACTIVE).await.is_some() && both.node(WAITS).await.is_some());
        }
    }
}

async fn a_move_that_cannot_be_leaves_nothing(engine: Engine) {
    let both = Both::new(engine);
    let before = both.holders();
    // A conductor is at work.
    let fault = both.take_over("rack-c", AT_ONCE).await.unwrap_err();
    assert!(
        matches!(&fault, GroupFault::StillWorkedOn(_)) && fault.to_string().contains("ctl1"),
        "{fault}"
    );
    // A name is taken here.
    let db = both.database.open();
    let mut own = types::Node::new(types::NodeId::generate(), "fake-hardware");
    own.name = Some("web-1".to_owned());
    store::node::insert(&db, own, store::node::Log::default())
        .await
        .unwrap();
    drop(db);
    let fault = both.take_over("rack-a", AT_ONCE).await.unwrap_err();
    assert!(fault.to_string().contains(ACTIVE), "{fault}");
    // A row has no UUID.
    let fault = both.take_over("", AT_ONCE).await.unwrap_err();
    assert!(fault.to_string().contains("not-a-uuid"), "{fault}");
    assert_eq!(both.holders(), before);
    assert_eq!(both.phases().await, []);
    assert!(both.node(ACTIVE).await.is_none() && both.node(WAITS).await.is_none());
    let fault = both.give_back("rack-a").await.unwrap_err();
    assert!(matches!(fault, GroupFault::NotHere(_)), "{fault}");

    // A node is waited for, and the lock is taken as soon as its conductor gives it up.
    let both = Arc::new(both);
    let (ironic, said) = (Arc::clone(&both), Arc::new(Mutex::new(0)));
    let told = Arc::clone(&said);
    let patient = TakeOver {
        patience: Duration::from_secs(60),
        ..AT_ONCE
    };
    let taken = both
        .with("rack-c", move |mover| {
            mover.take_over(patient, &mut |_| {
                *told.lock().unwrap() += 1;
                ironic
                    .ironic()
                    .execute_batch(
                        "UPDATE nodes SET reservation = NULL, provision_state = 'deploy failed' \
                         WHERE reservation = 'ctl1'",
                    )
                    .unwrap();
            })
        })
        .await;
    assert_eq!(taken.unwrap().outcome.taken("nodes"), 2);
    assert_eq!(*said.lock().unwrap(), 1);
}

async fn a_group_goes_back_as_it_is_by_then(engine: Engine) {
    let both = Both::new(engine);
    both.take_over("rack-a", AT_ONCE).await.unwrap();
    let db = both.database.open();
    let log = store::node::Log::default;
    let mut active = both.node(ACTIVE).await.unwrap();
    active.name = Some("web-9".to_owned());
    store::node::save(&db, active, Fence::Free, log())
        .await
        .unwrap();
    let mut new = types::Node::new(types::NodeId::generate(), "fake-hardware");
    new.conductor_group = "rack-a".to_owned();
    let new = store::node::insert(&db, new, log()).await.unwrap();
    let waits = both.node(WAITS).await.unwrap();
    store::node::delete(&db, &waits, log()).await.unwrap();
    drop(db);

    both.give_back("rack-a").await.unwrap();
    let rows = "SELECT group_concat(uuid || ' ' || id || ' ' || coalesce(reservation, '-') || ' ' || \
        coalesce(name, '-'), ', ') FROM (SELECT * FROM nodes WHERE conductor_group = 'rack-a' ORDER BY id)";
    assert_eq!(
        both.ask(rows).unwrap(),
        format!("{ACTIVE} 1 - web-9, {} 7 - -", new.id)
    );
    let parts = "SELECT (SELECT count(*) FROM ports WHERE node_id = 1) || ' ' || \
        (SELECT count(*) FROM node_traits WHERE node_id = 1) || ' ' || \
        (SELECT count(*) FROM bios_settings WHERE node_id = 1) || ' ' || \
        (SELECT count(*) FROM node_inventory WHERE node_id = 1) || ' ' || \
        (SELECT count(*) FROM node_history WHERE node_id = 1) || ' ' || \
        (SELECT count(*) FROM chassis c, nodes n WHERE n.id = 1 AND c.id = n.chassis_id) || ' ' || \
        (SELECT count(*) FROM allocations a, nodes n WHERE n.id = a.node_id AND a.id = n.allocation_id) \
        || ' ' || (SELECT count(*) FROM ports) || ' ' || (SELECT count(*) FROM nodes)";
    assert_eq!(both.ask(parts).unwrap(), "2 2 1 1 1 1 1 4 6");
    let secret = "SELECT driver_info FROM nodes WHERE id = 1";
    assert!(both.ask(secret).unwrap().contains("hunter2"));
    // Nothing is left here but what nodes of other groups need, and those that follow the log know it.
    assert_eq!(both.phases().await, []);
    assert!(both.node(ACTIVE).await.is_none() && both.node(&new.id.to_string()).await.is_none());
    let db = both.database.open();
    let log = store::event::after(&db, 0, 20, Default::default()).await;
    let kinds = log.unwrap().events.into_iter().map(|event| event.kind);
    use types::event::EventKind::{Created, Deleted};
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [Created, Created, Deleted, Deleted]
    );
    drop(db);
    // And it can come again.
    let taken = both.take_over("rack-a", AT_ONCE).await.unwrap();
    assert_eq!(taken.outcome.taken("nodes"), 2);
    let active = both.node(ACTIVE).await.unwrap();
    assert_eq!(active.name.as_deref(), Some("web-9"));
    assert!(active.allocation_uuid.is_some() && active.chassis.is_some());

    // Nothing goes back while somebody here works on it.
    let db = both.database.open();
    let me = types::lease::Holder {
        host: "here".to_owned(),
        epoch: 1,
    };
    let taken = store::lease::take(&db, active, &me).await.unwrap();
    drop(db);
    let fault = both.give_back("rack-a").await.unwrap_err();
    assert!(
        matches!(&fault, GroupFault::StillWorkedOn(_)) && fault.to_string().contains("here"),
        "{fault}"
    );
    assert_eq!(
        both.phases().await,
        [("rack-a".to_owned(), MovePhase::Moved)]
    );
    let other = both.node(&new.id.to_string()).await.unwrap();
    assert_eq!(other.reservation, None);
    let holder =
        "SELECT group_concat(DISTINCT reservation) FROM nodes WHERE conductor_group = 'rack-a'";
    assert_eq!(both.ask(holder).unwrap(), "corten-moved");
    assert_eq!(taken.reservation, Some(me.host));
}

/// Ends a way back after so many of its steps.
fn interrupted_way_back(both: &Both, steps: usize) {
    let group = name("rack-a");
    let mut moves = Moves::open(&both.database.location()).unwrap();
    moves.set(&group, MovePhase::Leaving).unwrap();
    if steps > 0 {
        assert_eq!(moves.lock_own(&group).unwrap(), 2);
    }
    if steps > 1 {
        let written =
            "UPDATE nodes SET reservation = 'corten-returned' WHERE conductor_group = 'rack-a'";
        both.ironic().execute(written, []).unwrap();
    }
    if steps > 2 {
        assert!(moves.remove_rows(&group).unwrap());
    }
}

async fn an_interrupted_way_back_goes_on_or_is_undone(engine: Engine) {
    for steps in 0..4 {
        for back in [false, true] {
            let both = Arc::new(Both::new(engine));
            both.take_over("rack-a", AT_ONCE).await.unwrap();
            let begun = Arc::clone(&both);
            aside(move || interrupted_way_back(&begun, steps)).await;
            assert!(both.holders()[0].is_some() && both.holders()[1].is_some());
            if back {
                both.give_back("rack-a").await.unwrap();
                assert_eq!(both.holders()[..2], [None, None], "{steps}");
                assert_eq!(both.phases().await, []);
                assert!(both.node(ACTIVE).await.is_none());
                continue;
            }
            both.take_over("rack-a", AT_ONCE).await.unwrap();
            let moved = held("corten-moved");
            assert_eq!(both.holders()[..2], [moved.clone(), moved], "{steps}");
            assert_eq!(
                both.phases().await,
                [("rack-a".to_owned(), MovePhase::Moved)]
            );
            let active = both.node(ACTIVE).await.unwrap();
            assert_eq!(active.reservation, None, "{steps}");
        }
    }
}
