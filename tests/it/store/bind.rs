//! An allocation and its node: two rows that always tell the same story.

use super::{holder, insert, map, new_node, news, stored};
use crate::database::{Database, Engine};
use scenario::random::Random;
use serde_json::json;
use store::{
    Db, StoreError,
    allocation::{self, AllocationFilter},
    node::{Fence, Log, save},
};
use types::{
    Allocation, AllocationId, Node, NodeId, PowerState, ProvisionState, allocation::AllocationState,
};

every_engine!(
    a_bound_node_belongs_to_its_allocation,
    a_node_that_is_not_what_was_asked_for_is_refused,
    of_many_allocations_one_gets_the_node,
    an_allocation_gets_one_of_many_nodes,
    a_deleted_allocation_leaves_its_node_free,
    an_allocation_goes_or_gets_its_node,
    an_allocation_ends_with_its_instance,
    a_node_in_use_can_be_given_an_allocation,
    both_rows_agree_whatever_happens_at_once,
);

/// A node that can be given away.
async fn available(db: &Db) -> Node {
    let mut node = new_node();
    node.provision_state = ProvisionState::Available;
    node.power_state = Some(PowerState::Off);
    node.resource_class = Some("gold".into());
    node.instance_info = map(json!({"traits": ["old"], "kept": 1}));
    node.traits = vec!["CUSTOM_A".into(), "CUSTOM_B".into()];
    insert(db, node).await
}

async fn waiting(db: &Db) -> Allocation {
    let mut new = Allocation::new(AllocationId::generate());
    new.resource_class = Some("gold".into());
    new.traits = vec!["CUSTOM_B".into()];
    allocation::insert(db, new, Log::default()).await.unwrap()
}

async fn bind(db: &Db, to: &Allocation, node: &Node) -> Result<(Allocation, Node), StoreError> {
    allocation::bind(db, &to.id, node.clone(), Log::default()).await
}

async fn found(db: &Db, id: &AllocationId) -> Option<Allocation> {
    allocation::find(db, id).await.unwrap()
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, StoreError>, expected: &str) {
    let refused = outcome.unwrap_err();
    assert_eq!(format!("{refused:?}"), expected);
}

/// How many allocations and nodes do not agree about each other.
fn disagreements(database: &Database) -> i64 {
    let one_sided = database.number(
        "SELECT COUNT(*) FROM allocations a WHERE a.node_uuid IS NOT NULL AND NOT EXISTS \
         (SELECT 1 FROM nodes n WHERE n.uuid = a.node_uuid AND n.allocation_uuid = a.uuid \
         AND n.instance_uuid = a.uuid)",
    );
    let other_sided = database.number(
        "SELECT COUNT(*) FROM nodes n WHERE n.allocation_uuid IS NOT NULL AND NOT EXISTS \
         (SELECT 1 FROM allocations a WHERE a.uuid = n.allocation_uuid \
         AND a.node_uuid = n.uuid AND a.state = 'active')",
    );
    one_sided + other_sided
}

async fn a_bound_node_belongs_to_its_allocation(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, wanted) = (available(&db).await, waiting(&db).await);
    let log = Log {
        events: vec![news(&node, json!("allocated"))],
        history: vec![super::entry(&node, "allocated")],
        ..Log::default()
    };
    let (bound, claimed) = allocation::bind(&db, &wanted.id, node.clone(), log.clone())
        .await
        .unwrap();
    assert_eq!(bound.state, AllocationState::Active);
    assert_eq!(bound.node, Some(node.id));
    assert!(bound.updated_at.is_some());
    assert_eq!(found(&db, &wanted.id).await, Some(bound.clone()));
    assert_eq!(
        allocation::find_by_node(&db, node.id).await.unwrap(),
        Some(bound)
    );
    let mut expected = node.clone();
    expected.instance_uuid = Some(wanted.id.to_string());
    expected.allocation_uuid = Some(wanted.id.to_string());
    expected.instance_info = map(json!({"traits": ["CUSTOM_B"], "kept": 1}));
    (expected.version, expected.updated_at) = (node.version + 1, claimed.updated_at);
    assert_eq!(claimed, expected);
    assert_eq!(stored(&db, node.id).await, expected);
    assert_eq!(disagreements(&database), 0);
    let counts = || {
        let events = database.number("SELECT COUNT(*) FROM events");
        (events, database.number("SELECT COUNT(*) FROM node_history"))
    };
    assert_eq!(counts(), (1, 1));
    // Neither a second time, nor for somebody else; and what is refused leaves no trace.
    let again = allocation::bind(&db, &wanted.id, claimed.clone(), log.clone()).await;
    assert_refused(again, "NotAllocating");
    let other = waiting(&db).await;
    let taken = allocation::bind(&db, &other.id, claimed, log.clone()).await;
    assert_refused(taken, "Unsuitable");
    let taken = allocation::bind(&db, &other.id, node, log).await;
    assert_refused(taken, "Stale");
    assert_eq!(found(&db, &other.id).await, Some(other));
    assert_eq!(counts(), (1, 1));
    let by_node = AllocationFilter {
        node: Some(expected.id),
        ..AllocationFilter::default()
    };
    let listed = allocation::list(&db, by_node, store::Page::first(9)).await;
    assert_eq!(listed.unwrap().len(), 1);
}

async fn a_node_that_is_not_what_was_asked_for_is_refused(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let wanted = waiting(&db).await;
    let changes: [fn(&mut Node); 6] = [
        |node| node.provision_state = ProvisionState::Manageable,
        |node| node.power_state = None,
        |node| node.maintenance = true,
        |node| node.resource_class = None,
        |node| node.traits = vec!["CUSTOM_A".into()],
        |node| node.instance_uuid = Some(NodeId::generate().to_string()),
    ];
    for change in changes {
        let read = available(&db).await;
        let mut changed = read.clone();
        change(&mut changed);
        let changed = save(&db, changed, Fence::Free, Log::default())
            .await
            .unwrap();
        assert_refused(bind(&db, &wanted, &changed).await, "Unsuitable");
        assert_refused(bind(&db, &wanted, &read).await, "Stale");
        assert_eq!(stored(&db, read.id).await, changed);
    }
    let free = available(&db).await;
    let reserved = store::lease::take(&db, free.clone(), &holder("c1", 1))
        .await
        .unwrap();
    for node in [free, reserved] {
        let refused = bind(&db, &wanted, &node).await;
        assert_refused(refused, "Locked { host: \"c1\" }");
    }
    let gone = available(&db).await;
    store::node::delete(&db, &gone, Log::default())
        .await
        .unwrap();
    assert_refused(bind(&db, &wanted, &gone).await, "NotFound");
    assert_eq!(found(&db, &wanted.id).await, Some(wanted.clone()));

    let node = available(&db).await;
    allocation::fail(&db, &wanted.id, "none").await.unwrap();
    assert_refused(bind(&db, &wanted, &node).await, "NotAllocating");
    allocation::delete(&db, &wanted.id, None, Log::default())
        .await
        .unwrap();
    assert_refused(bind(&db, &wanted, &node).await, "NotAllocating");
    assert_eq!(stored(&db, node.id).await, node);
}

async fn of_many_allocations_one_gets_the_node(engine: Engine) {
    const TAKERS: usize = 16;
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    for _ in 0..6 {
        let node = available(&processes[0]).await;
        let mut tasks = tokio::task::JoinSet::new();
        for taker in 0..TAKERS {
            let (db, node) = (processes[taker % 2].clone(), node.clone());
            let wanted = waiting(&db).await;
            tasks.spawn(async move {
                let log = Log::event(news(&node, json!(taker)));
                allocation::bind(&db, &wanted.id, node, log).await
            });
        }
        let mut bound = Vec::new();
        for outcome in tasks.join_all().await {
            match outcome {
                Ok(pair) => bound.push(pair),
                refused => assert_refused(refused, "Stale"),
            }
        }
        assert_eq!(bound.len(), 1);
        assert_eq!(stored(&processes[1], node.id).await, bound[0].1);
    }
    assert_eq!(database.number("SELECT COUNT(*) FROM events"), 6);
    assert_eq!(disagreements(&database), 0);
}

async fn an_allocation_gets_one_of_many_nodes(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    let wanted = waiting(&processes[0]).await;
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..16 {
        let db = processes[n % 2].clone();
        let (node, wanted) = (available(&db).await, wanted.clone());
        tasks.spawn(async move { bind(&db, &wanted, &node).await });
    }
    let mut bound = 0;
    for outcome in tasks.join_all().await {
        match outcome {
            Ok(_) => bound += 1,
            refused => assert_refused(refused, "NotAllocating"),
        }
    }
    assert_eq!(bound, 1);
    let claimed = "SELECT COUNT(*) FROM nodes WHERE instance_uuid IS NOT NULL";
    assert_eq!(database.number(claimed), 1);
    assert_eq!(disagreements(&database), 0);
}

async fn a_deleted_allocation_leaves_its_node_free(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, wanted) = (available(&db).await, waiting(&db).await);
    let delete =
        async |node: Option<&Node>| allocation::delete(&db, &wanted.id, node, Log::default()).await;
    assert_refused(delete(Some(&node)).await, "Stale");
    let (_, bound) = bind(&db, &wanted, &node).await.unwrap();
    assert_refused(delete(None).await, "Stale");
    assert_refused(delete(Some(&node)).await, "Stale");
    let reserved = store::lease::take(&db, bound, &holder("c1", 1))
        .await
        .unwrap();
    let refused = delete(Some(&reserved)).await;
    assert_refused(refused, "Locked { host: \"c1\" }");
    let bound = save(&db, reserved, Fence::Release, Log::default())
        .await
        .unwrap();
    assert!(found(&db, &wanted.id).await.is_some());
    assert_eq!(stored(&db, node.id).await, bound);

    let log = Log::event(news(&bound, json!("released")));
    allocation::delete(&db, &wanted.id, Some(&bound), log)
        .await
        .unwrap();
    assert_eq!(found(&db, &wanted.id).await, None);
    let free = stored(&db, node.id).await;
    let mut expected = bound.clone();
    (expected.instance_uuid, expected.allocation_uuid) = (None, None);
    (expected.version, expected.updated_at) = (bound.version + 1, free.updated_at);
    assert_eq!(free, expected, "all else stays, instance_info too");
    assert_eq!(database.number("SELECT COUNT(*) FROM events"), 1);
    assert_refused(delete(Some(&free)).await, "NotFound");
    // One that never had a node just goes.
    let other = waiting(&db).await;
    allocation::delete(&db, &other.id, None, Log::default())
        .await
        .unwrap();
    assert_eq!(found(&db, &other.id).await, None);
}

async fn an_allocation_goes_or_gets_its_node(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    for _ in 0..60 {
        let node = available(&processes[0]).await;
        let wanted = waiting(&processes[0]).await;
        let (gone, bound) = tokio::join!(
            allocation::delete(&processes[0], &wanted.id, None, Log::default()),
            bind(&processes[1], &wanted, &node),
        );
        match (gone, bound) {
            (Ok(()), refused @ Err(_)) => assert_refused(refused, "NotAllocating"),
            (refused @ Err(_), Ok(_)) => assert_refused(refused, "Stale"),
            both => panic!("{both:?}"),
        }
    }
    assert_eq!(disagreements(&database), 0);
}

async fn an_allocation_ends_with_its_instance(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    // A change by a client …
    let (node, wanted) = (available(&db).await, waiting(&db).await);
    let (_, mut bound) = bind(&db, &wanted, &node).await.unwrap();
    bound.description = Some("kept".into());
    let bound = save(&db, bound, Fence::Free, Log::default()).await.unwrap();
    assert!(found(&db, &wanted.id).await.is_some(), "nothing to do yet");
    let mut freed = bound.clone();
    freed.instance_uuid = None;
    let mut stale = freed.clone();
    stale.version -= 1;
    let refused = save(&db, stale, Fence::Free, Log::default()).await;
    assert_refused(refused, "Stale");
    assert!(found(&db, &wanted.id).await.is_some(), "nothing happened");
    let freed = save(&db, freed, Fence::Free, Log::default()).await.unwrap();
    assert_eq!(freed.allocation_uuid, None);
    assert_eq!(stored(&db, node.id).await, freed);
    assert_eq!(found(&db, &wanted.id).await, None);
    // … by whoever holds the lease …
    for last in [Fence::Held, Fence::Release] {
        let wanted = waiting(&db).await;
        let node = available(&db).await;
        let (_, bound) = bind(&db, &wanted, &node).await.unwrap();
        let mut held = store::lease::take(&db, bound, &holder("c1", 1))
            .await
            .unwrap();
        assert!(held.allocation_uuid.is_some());
        held.instance_uuid = None;
        let saved = save(&db, held, last, Log::default()).await.unwrap();
        assert_eq!(saved.allocation_uuid, None);
        assert_eq!(found(&db, &wanted.id).await, None);
    }
    // … and the end of the node itself.
    let wanted = waiting(&db).await;
    let node = available(&db).await;
    let (_, bound) = bind(&db, &wanted, &node).await.unwrap();
    let refused = store::node::delete(&db, &node, Log::default()).await;
    assert_refused(refused, "Stale");
    assert!(found(&db, &wanted.id).await.is_some(), "nothing happened");
    store::node::delete(&db, &bound, Log::default())
        .await
        .unwrap();
    assert_eq!(found(&db, &wanted.id).await, None);
    assert_eq!(disagreements(&database), 0);
}

async fn a_node_in_use_can_be_given_an_allocation(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let backfill = async |id: &AllocationId, node: &Node| {
        let mut new = Allocation::new(id.clone());
        new.traits = vec!["CUSTOM_A".into()];
        let log = Log::event(news(node, json!("backfilled")));
        allocation::insert_bound(&db, new, node.clone(), log).await
    };
    let id = AllocationId::generate();
    let mut active = new_node();
    active.provision_state = ProvisionState::Active;
    active.instance_uuid = Some(id.to_string());
    let active = insert(&db, active).await;
    let other_id = AllocationId::generate();
    let refused = backfill(&other_id, &active).await;
    assert_refused(refused, "Unsuitable");
    assert_eq!(found(&db, &other_id).await, None);
    let (bound, claimed) = backfill(&id, &active).await.unwrap();
    assert_eq!(
        (bound.state, bound.node),
        (AllocationState::Active, Some(active.id))
    );
    assert_eq!(found(&db, &id).await, Some(bound));
    assert_eq!(claimed.allocation_uuid, Some(id.to_string()));
    assert_eq!(claimed.instance_info["traits"], json!(["CUSTOM_A"]));
    assert_eq!(stored(&db, active.id).await, claimed);
    let again = backfill(&id, &claimed).await;
    assert_refused(
        again,
        &format!("Duplicate(AllocationUuid({:?}))", id.as_str()),
    );

    // One without an instance gets the allocation's.
    let plain = insert(&db, new_node()).await;
    let (_, claimed) = backfill(&other_id, &plain).await.unwrap();
    assert_eq!(claimed.instance_uuid, Some(other_id.to_string()));
    let third = AllocationId::generate();
    assert_refused(backfill(&third, &plain).await, "Unsuitable");
    let read = insert(&db, new_node()).await;
    let changed = save(&db, read.clone(), Fence::Free, Log::default()).await;
    changed.unwrap();
    assert_refused(backfill(&third, &read).await, "Stale");
    let reserved = insert(&db, new_node()).await;
    store::lease::take(&db, reserved.clone(), &holder("c1", 1))
        .await
        .unwrap();
    let refused = backfill(&third, &reserved).await;
    assert_refused(refused, "Locked { host: \"c1\" }");
    assert_eq!(found(&db, &third).await, None);
    assert_eq!(disagreements(&database), 0);
    assert_eq!(database.number("SELECT COUNT(*) FROM events"), 2);
}

/// Random requests of two processes; the two rows never tell two stories.
async fn both_rows_agree_whatever_happens_at_once(engine: Engine) {
    const EACH: usize = 40;
    let mut random = Random::new();
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    let (mut nodes, mut allocations) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        nodes.push(available(&processes[0]).await.id);
        allocations.push(waiting(&processes[0]).await.id);
    }
    let mut tasks = tokio::task::JoinSet::new();
    for worker in 0..8 {
        let (db, mut random) = (processes[worker % 2].clone(), random.fork());
        let (nodes, allocations) = (nodes.clone(), allocations.clone());
        tasks.spawn(async move {
            let mut done = 0;
            for _ in 0..EACH {
                let (node, id) = (*random.pick(&nodes), random.pick(&allocations).clone());
                done += usize::from(something(&db, &mut random, node, &id).await);
            }
            done
        });
    }
    let done: usize = tasks.join_all().await.into_iter().sum();
    assert!(done > EACH, "little happened: {done}");
    assert_eq!(disagreements(&database), 0);
}

/// One random request; says whether it was done.
async fn something(db: &Db, random: &mut Random, node: NodeId, id: &AllocationId) -> bool {
    let mut node = stored(db, node).await;
    let outcome = match random.below(6) {
        0 | 1 => allocation::bind(db, id, node, Log::default())
            .await
            .map(|_| ()),
        2 => {
            let Some(known) = found(db, id).await else {
                let mut new = Allocation::new(id.clone());
                new.resource_class = Some("gold".into());
                return allocation::insert(db, new, Log::default()).await.is_ok();
            };
            let its_node = match known.node {
                Some(node) => Some(stored(db, node).await),
                None => None,
            };
            allocation::delete(db, id, its_node.as_ref(), Log::default()).await
        }
        3 => {
            node.instance_uuid = None;
            save(db, node, Fence::Free, Log::default())
                .await
                .map(|_| ())
        }
        4 => match store::lease::take(db, node, &holder("c", 1)).await {
            Ok(mut held) => {
                if random.chance(50) {
                    held.instance_uuid = None;
                }
                save(db, held, Fence::Release, Log::default())
                    .await
                    .map(|_| ())
            }
            Err(error) => Err(error),
        },
        _ => {
            let new = Allocation::new(id.clone());
            allocation::insert_bound(db, new, node, Log::default())
                .await
                .map(|_| ())
        }
    };
    match outcome {
        Ok(()) => true,
        Err(
            StoreError::Stale
            | StoreError::Locked { .. }
            | StoreError::Unsuitable
            | StoreError::NotAllocating
            | StoreError::NotFound
            | StoreError::Duplicate(_),
        ) => false,
        Err(other) => panic!("{other:?}"),
    }
}
