//! Allocations by themselves: field by field, lists, candidates, and whose search goes on.

use super::{holder, insert, map, new_node};
use crate::database::{Database, Engine};
use scenario::random::Random;
use serde_json::json;
use store::{
    Db, Page, StoreError,
    allocation::{self, AllocationFilter, CandidateFilter},
    node::Log,
};
use types::{
    Allocation, AllocationId, Node, NodeId, PowerState, ProvisionState, Timestamp,
    allocation::AllocationState,
};

every_engine!(
    every_field_of_an_allocation_survives,
    clients_change_name_and_extra_only,
    allocations_name_the_value_that_is_taken,
    allocations_are_filtered_and_sorted,
    random_candidates_are_those_that_suit,
    a_search_fails_once,
    a_search_is_taken_over_by_one,
);

fn new(name: &str) -> Allocation {
    let mut allocation = Allocation::new(AllocationId::generate());
    allocation.name = Some(name.to_owned());
    allocation.resource_class = Some("gold".into());
    allocation
}

async fn stored(db: &Db, id: &AllocationId) -> Allocation {
    allocation::find(db, id).await.unwrap().unwrap()
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, StoreError>, expected: &str) {
    let refused = outcome.unwrap_err();
    assert_eq!(format!("{refused:?}"), expected);
}

async fn every_field_of_an_allocation_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    // The UUID is any text, as with Ironic.
    for id in ["not a uuid Grüße".into(), AllocationId::generate()] {
        let mut new = Allocation {
            row: 0,
            id,
            version: 0,
            name: None,
            state: AllocationState::Allocating,
            node: None,
            resource_class: Some("gold".into()),
            traits: vec!["CUSTOM_B".into(), "CUSTOM_A".into()],
            candidate_nodes: vec![NodeId::generate(), NodeId::generate()],
            extra: map(json!({"a": [1, {"b": null}]})),
            last_error: Some("text".into()),
            owner: Some("p1".into()),
            holder: Some(holder("c1", 3)),
            created_at: Timestamp(5),
            updated_at: Some(Timestamp(6)),
        };
        new.name = Some(format!("name of {}", new.id));
        let found = allocation::insert(&db, new.clone(), Log::default())
            .await
            .unwrap();
        new.row = found.row;
        assert_eq!(found, new);
        assert_eq!(stored(&db, &new.id).await, new);
        let name = new.name.as_deref().unwrap();
        let by_name = allocation::find_by_name(&db, name).await.unwrap();
        assert_eq!(by_name, Some(new));
    }
    let mut empty = Allocation::new(AllocationId::generate());
    let found = allocation::insert(&db, empty.clone(), Log::default())
        .await
        .unwrap();
    empty.row = found.row;
    assert_eq!(stored(&db, &empty.id).await, empty);
    // A new allocation waits for a node, whatever it says.
    let mut claimed = new("claimed");
    claimed.state = AllocationState::Active;
    claimed.node = Some(insert(&db, new_node()).await.id);
    let found = allocation::insert(&db, claimed.clone(), Log::default())
        .await
        .unwrap();
    assert_eq!(found.state, AllocationState::Allocating);
    assert_eq!(found.node, None);
    let nothing = allocation::find_by_node(&db, claimed.node.unwrap()).await;
    assert_eq!(nothing.unwrap(), None);
    let mut long = new("long");
    long.id = "x".repeat(37).into();
    let refused = allocation::insert(&db, long, Log::default()).await;
    assert!(
        matches!(refused, Err(StoreError::DoesNotFit { column: "uuid", .. })),
        "{refused:?}"
    );
}

async fn clients_change_name_and_extra_only(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let read = allocation::insert(&db, new("first"), Log::default())
        .await
        .unwrap();
    let mut changed = read.clone();
    changed.name = None;
    changed.extra = map(json!({"a": 1}));
    let mut expected = changed.clone();
    changed.resource_class = Some("silver".into());
    changed.state = AllocationState::Error;
    changed.owner = Some("p2".into());
    let saved = allocation::update(&db, changed.clone(), Log::default())
        .await
        .unwrap();
    assert!(saved.updated_at.is_some());
    (expected.version, expected.updated_at) = (1, saved.updated_at);
    assert_eq!(saved, expected);
    assert_eq!(stored(&db, &read.id).await, expected);
    assert_refused(
        allocation::update(&db, changed, Log::default()).await,
        "Stale",
    );
    let absent = allocation::update(&db, new("absent"), Log::default()).await;
    assert_refused(absent, "NotFound");
}

async fn allocations_name_the_value_that_is_taken(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let first = allocation::insert(&db, new("first"), Log::default())
        .await
        .unwrap();
    let second = allocation::insert(&db, new("second"), Log::default())
        .await
        .unwrap();
    let by_name = "Duplicate(AllocationName(\"first\"))";
    assert_refused(
        allocation::insert(&db, new("first"), Log::default()).await,
        by_name,
    );
    let mut same_uuid = new("third");
    same_uuid.id = first.id.clone();
    let by_uuid = format!("Duplicate(AllocationUuid({:?}))", first.id.as_str());
    assert_refused(
        allocation::insert(&db, same_uuid, Log::default()).await,
        &by_uuid,
    );
    let mut renamed = second.clone();
    renamed.name = first.name.clone();
    assert_refused(
        allocation::update(&db, renamed, Log::default()).await,
        by_name,
    );
    assert_eq!(stored(&db, &second.id).await, second);

    let processes = [db, database.open()];
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..12 {
        let db = processes[n % 2].clone();
        tasks.spawn(async move { allocation::insert(&db, new("wanted"), Log::default()).await });
    }
    let outcomes = tasks.join_all().await;
    assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 1);
    for refused in outcomes.into_iter().filter(Result::is_err) {
        assert_refused(refused, "Duplicate(AllocationName(\"wanted\"))");
    }
}

async fn allocations_are_filtered_and_sorted(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut all = Vec::new();
    for (name, class, owner) in [
        ("d", "gold", Some("p1")),
        ("c", "silver", Some("p2")),
        ("b", "gold", None),
        ("a", "gold", Some("p2")),
    ] {
        let mut new = new(name);
        new.resource_class = Some(class.into());
        new.owner = owner.map(str::to_owned);
        all.push(
            allocation::insert(&db, new, Log::default())
                .await
                .unwrap()
                .id,
        );
    }
    allocation::fail(&db, &all[2], "none").await.unwrap();
    let anything = AllocationFilter::default;
    let by_class = AllocationFilter {
        resource_class: Some("gold".into()),
        ..anything()
    };
    let by_state = |state| AllocationFilter {
        state: Some(state),
        ..anything()
    };
    let by_owner = |owner: &str| AllocationFilter {
        owner: Some(owner.to_owned()),
        ..anything()
    };
    let by_node = AllocationFilter {
        node: Some(NodeId::generate()),
        ..anything()
    };
    let by_both = AllocationFilter {
        owner: Some("p2".into()),
        ..by_class.clone()
    };
    for (filter, expected) in [
        (anything(), vec![0, 1, 2, 3]),
        (by_class, vec![0, 2, 3]),
        (by_state(AllocationState::Error), vec![2]),
        (by_state(AllocationState::Active), vec![]),
        (by_owner("p2"), vec![1, 3]),
        (by_both, vec![3]),
        (by_node, vec![]),
    ] {
        let found = allocation::list(&db, filter.clone(), Page::first(9)).await;
        let found: Vec<_> = found.unwrap().into_iter().map(|a| a.id).collect();
        let expected: Vec<_> = expected.iter().map(|&n: &usize| all[n].clone()).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
    let page = Page {
        sort_key: "name".into(),
        marker: Some(all[2].to_string()),
        ..Page::first(9)
    };
    let found = allocation::list(&db, anything(), page).await.unwrap();
    let found: Vec<_> = found.into_iter().map(|a| a.id).collect();
    assert_eq!(found, [all[1].clone(), all[0].clone()]);
}

/// A node in which one thing or another may stand in the way.
fn random_node(random: &mut Random) -> Node {
    let owners = ["p1".to_owned(), "p2".to_owned()];
    let mut node = new_node();
    node.provision_state = match random.below(6) {
        0 => ProvisionState::Manageable,
        _ => ProvisionState::Available,
    };
    node.power_state = (!random.chance(10)).then_some(PowerState::Off);
    node.maintenance = random.chance(10);
    node.instance_uuid = random.chance(10).then(|| NodeId::generate().to_string());
    node.resource_class = random.maybe(&["gold".to_owned(), "silver".to_owned()]);
    node.owner = random.maybe(&owners);
    node.lessee = random.maybe(&owners);
    if random.chance(50) {
        node.traits = vec!["CUSTOM_A".into(), "CUSTOM_B".into()];
    }
    node
}

async fn random_candidates_are_those_that_suit(engine: Engine) {
    let mut random = Random::new();
    let database = Database::create(engine);
    let db = database.open();
    let mut nodes = Vec::new();
    for _ in 0..60 {
        nodes.push(insert(&db, random_node(&mut random)).await);
    }
    let mut hits = 0;
    for _ in 0..60 {
        let mut wanted = new("x");
        wanted.resource_class = Some((*random.pick(&["gold", "silver", "tin"])).to_owned());
        wanted.owner = random.maybe(&["p1".to_owned(), "p2".to_owned()]);
        wanted.traits = Vec::from(*random.pick(&[&["CUSTOM_A"][..], &[]]))
            .into_iter()
            .map(str::to_owned)
            .collect();
        if random.chance(30) {
            let some = nodes.iter().filter(|_| random.chance(30));
            wanted.candidate_nodes = some.map(|n| n.id).collect();
        }
        let filter = CandidateFilter {
            resource_class: wanted.resource_class.clone().unwrap(),
            project: wanted.owner.clone(),
            node_in: wanted.candidate_nodes.clone(),
        };
        let found = allocation::candidates(&db, filter).await.unwrap();
        let found: Vec<_> = found
            .into_iter()
            .filter(|candidate| wanted.accepts_traits(&candidate.traits))
            .map(|candidate| (candidate.node, candidate.name))
            .collect();
        let expected: Vec<_> = nodes
            .iter()
            .filter(|node| wanted.suits(node))
            .map(|node| (node.id, node.name.clone()))
            .collect();
        hits += usize::from(!expected.is_empty());
        assert_eq!(found, expected, "{wanted:?}");
    }
    assert!(hits > 5, "searches that find nothing prove nothing: {hits}");
}

async fn a_search_fails_once(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let read = allocation::insert(&db, new("a"), Log::default())
        .await
        .unwrap();
    let failed = allocation::fail(&db, &read.id, "no nodes").await.unwrap();
    assert_eq!(failed.state, AllocationState::Error);
    assert_eq!(failed.last_error.as_deref(), Some("no nodes"));
    assert!(failed.updated_at.is_some() && failed.version > read.version);
    assert_eq!(stored(&db, &read.id).await, failed);
    let again = allocation::fail(&db, &read.id, "other").await;
    assert_refused(again, "NotAllocating");
    let absent = allocation::fail(&db, &AllocationId::generate(), "other").await;
    assert_refused(absent, "NotAllocating");
    assert_eq!(stored(&db, &read.id).await, failed);
}

async fn a_search_is_taken_over_by_one(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut all = Vec::new();
    for (n, (host, epoch)) in [("c1", 1), ("c1", 2), ("c2", 1), ("c1", 1)]
        .into_iter()
        .enumerate()
    {
        let mut new = new(&format!("a{n}"));
        new.holder = Some(holder(host, epoch));
        all.push(allocation::insert(&db, new, Log::default()).await.unwrap());
    }
    let mut nobodys = new("nobody's");
    nobodys.holder = None;
    allocation::insert(&db, nobodys, Log::default())
        .await
        .unwrap();
    allocation::fail(&db, &all[3].id, "none").await.unwrap();
    let expected = [holder("c1", 1), holder("c1", 2), holder("c2", 1)];
    assert_eq!(allocation::holders(&db).await.unwrap(), expected);
    for (host, epoch, expected) in [
        ("c1", 1, vec![]),
        ("c1", 2, vec![0]),
        ("c1", i64::MAX, vec![0, 1]),
        ("c2", 9, vec![2]),
        ("c3", 9, vec![]),
    ] {
        let found = allocation::orphans(&db, host, epoch).await.unwrap();
        let expected: Vec<_> = expected.iter().map(|&n: &usize| &all[n]).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    }

    let processes = [db.clone(), database.open()];
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..12 {
        let (db, id) = (processes[n % 2].clone(), all[0].id.clone());
        tasks.spawn(async move {
            let me = holder(&format!("taker-{n}"), 7);
            let taken = allocation::take_over(&db, &id, &holder("c1", 1), &me).await;
            taken
                .unwrap()
                .inspect(|taken| assert_eq!(taken.holder, Some(me)))
        });
    }
    let taken: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    assert_eq!(taken.len(), 1);
    assert_eq!(stored(&db, &all[0].id).await, taken[0]);
    // A search that is over is not taken up again.
    let over = allocation::take_over(&db, &all[3].id, &holder("c1", 1), &holder("c2", 1)).await;
    assert_eq!(over.unwrap(), None);
}
