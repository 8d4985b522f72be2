//! Values that must be unique: named in the refusal, also when two requests race.

use super::{insert, named, new_node};
use crate::database::{Database, Engine};
use store::{
    StoreError, Unique,
    node::{Fence, Log},
};
use types::{Chassis, ChassisId, Node, NodeId, Port, PortId};

every_engine!(
    a_new_node_names_the_value_that_is_taken,
    a_changed_node_names_the_value_that_is_taken,
    ports_name_the_value_that_is_taken,
    chassis_are_unique,
    of_many_equal_names_one_is_stored,
    of_many_equal_instances_one_is_set,
);

#[track_caller]
fn assert_taken<T: std::fmt::Debug>(outcome: Result<T, StoreError>, expected: &Unique) {
    match outcome {
        Err(StoreError::Duplicate(unique)) => assert_eq!(&unique, expected),
        other => panic!("expected {expected:?}, got {other:?}"),
    }
}

async fn a_new_node_names_the_value_that_is_taken(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let instance = NodeId::generate().to_string();
    let mut first = named("first");
    first.instance_uuid = Some(instance.clone());
    let first = insert(&db, first).await;

    let same_uuid = Node::new(first.id, "fake-hardware");
    let taken = store::node::insert(&db, same_uuid, Log::default()).await;
    assert_taken(taken, &Unique::NodeUuid(first.id.to_string()));
    let taken = store::node::insert(&db, named("first"), Log::default()).await;
    assert_taken(taken, &Unique::NodeName("first".into()));
    let mut same_instance = new_node();
    same_instance.instance_uuid = Some(instance.clone());
    let taken = store::node::insert(&db, same_instance, Log::default()).await;
    assert_taken(taken, &Unique::NodeInstance(instance));

    // Names differ by case, and any number of nodes may have none.
    insert(&db, named("First")).await;
    insert(&db, new_node()).await;
    insert(&db, new_node()).await;
}

async fn a_changed_node_names_the_value_that_is_taken(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let instance = NodeId::generate().to_string();
    let mut first = named("first");
    first.instance_uuid = Some(instance.clone());
    insert(&db, first).await;
    let second = insert(&db, named("second")).await;

    let mut renamed = second.clone();
    renamed.name = Some("first".into());
    let taken = store::node::save(&db, renamed, Fence::Free, Log::default()).await;
    assert_taken(taken, &Unique::NodeName("first".into()));
    let mut associated = second.clone();
    associated.instance_uuid = Some(instance.clone());
    let taken = store::node::save(&db, associated, Fence::Free, Log::default()).await;
    assert_taken(taken, &Unique::NodeInstance(instance));
    assert_eq!(super::stored(&db, second.id).await, second);
}

async fn ports_name_the_value_that_is_taken(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    let port = |mac: &str, name: &str| {
        let mut port = Port::new(PortId::generate(), node.id, mac.parse().unwrap());
        port.name = Some(name.to_owned());
        port
    };
    let (mac, other_mac) = ("52:54:00:00:00:01", "52:54:00:00:00:02");
    let insert = |port: Port| store::port::insert(&db, port, Log::default());
    let first = insert(port(mac, "first")).await.unwrap();
    let second = insert(port(other_mac, "second")).await.unwrap();

    let third = "52:54:00:00:00:03";
    assert_taken(
        insert(port(mac, "third")).await,
        &Unique::PortAddress(mac.into()),
    );
    assert_taken(
        insert(port(third, "first")).await,
        &Unique::PortName("first".into()),
    );
    let mut same_uuid = port(third, "third");
    same_uuid.id = first.id;
    assert_taken(
        insert(same_uuid).await,
        &Unique::PortUuid(first.id.to_string()),
    );

    let mut renamed = second.clone();
    renamed.name = Some("first".into());
    let taken = store::port::update(&db, renamed, Log::default()).await;
    assert_taken(taken, &Unique::PortName("first".into()));
    let mut moved = second.clone();
    moved.address = mac.parse().unwrap();
    let taken = store::port::update(&db, moved, Log::default()).await;
    assert_taken(taken, &Unique::PortAddress(mac.into()));
    let found = store::port::find(&db, second.id).await.unwrap();
    assert_eq!(found, Some(second));
}

async fn chassis_are_unique(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let id = ChassisId::generate();
    store::chassis::insert(&db, Chassis::new(id), Log::default())
        .await
        .unwrap();
    let taken = store::chassis::insert(&db, Chassis::new(id), Log::default()).await;
    assert_taken(taken, &Unique::ChassisUuid(id.to_string()));
}

async fn of_many_equal_names_one_is_stored(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    for round in 0..10 {
        let name = format!("wanted-{round}");
        let mut tasks = tokio::task::JoinSet::new();
        for taker in 0..16 {
            let (db, node) = (processes[taker % 2].clone(), named(&name));
            tasks.spawn(async move { store::node::insert(&db, node, Log::default()).await });
        }
        let mut stored = 0;
        for outcome in tasks.join_all().await {
            match outcome {
                Ok(_) => stored += 1,
                refused => assert_taken(refused, &Unique::NodeName(name.clone())),
            }
        }
        assert_eq!(stored, 1);
    }
}

async fn of_many_equal_instances_one_is_set(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    let instance = NodeId::generate().to_string();
    let mut tasks = tokio::task::JoinSet::new();
    for taker in 0..16 {
        let db = processes[taker % 2].clone();
        let mut node = insert(&db, new_node()).await;
        node.instance_uuid = Some(instance.clone());
        tasks.spawn(async move { store::node::save(&db, node, Fence::Free, Log::default()).await });
    }
    let mut set = 0;
    for outcome in tasks.join_all().await {
        match outcome {
            Ok(_) => set += 1,
            refused => assert_taken(refused, &Unique::NodeInstance(instance.clone())),
        }
    }
    assert_eq!(set, 1);
}
