//! What goes with a node, and how nodes are counted by shard.

use super::{entry, insert, new_node};
use crate::database::{Database, Engine};
use store::{Db, node::Log};
use types::{
    Allocation, AllocationId, BiosSetting, FirmwareComponent, Inventory, Node, NodeId, Port,
    PortId, Portgroup, PortgroupId, ReportId, Timestamp, VolumeConnector, VolumeConnectorId,
    VolumeTarget, VolumeTargetId,
    burnin::{BurninTest, BurninVerdict, CommissioningReport},
};

every_engine!(
    a_node_takes_its_belongings_along,
    shards_are_counted_the_largest_first,
);

/// Every table with rows of nodes.
const TABLES: &[&str] = &[
    "ports",
    "portgroups",
    "volume_connectors",
    "volume_targets",
    "bios_settings",
    "firmware_components",
    "node_inventories",
    "inspection_inbox",
    "node_history",
    "commissioning_reports",
    "allocations",
];

/// A node with one of everything.
async fn furnished(db: &Db, number: usize) -> Node {
    let node = insert(db, new_node()).await;
    let group = Portgroup::new(PortgroupId::generate(), node.id);
    let log = Log {
        events: Vec::new(),
        history: vec![entry(&node, "text")],
        reports: vec![report(&node)],
        ..Log::default()
    };
    let group = store::portgroup::insert(db, group, log).await.unwrap();
    let mac = format!("52:54:00:00:00:{number:02x}").parse().unwrap();
    let mut port = Port::new(PortId::generate(), node.id, mac);
    port.portgroup = Some(group.id.to_string());
    store::port::insert(db, port, Log::default()).await.unwrap();
    let id = VolumeConnectorId::generate();
    let connector = VolumeConnector::new(id, node.id, "iqn", number.to_string());
    store::volume::connector::insert(db, connector, Log::default())
        .await
        .unwrap();
    let target = VolumeTarget::new(VolumeTargetId::generate(), node.id, "iscsi", 0, "v");
    store::volume::target::insert(db, target, Log::default())
        .await
        .unwrap();
    let setting = BiosSetting::new("a", None);
    store::bios::replace(db, node.id, vec![setting])
        .await
        .unwrap();
    let component = FirmwareComponent::new("bmc", None);
    store::firmware::observe(db, node.id, vec![component])
        .await
        .unwrap();
    store::inventory::save(db, node.id, Inventory::default())
        .await
        .unwrap();
    let name = types::InspectionDataId::generate();
    store::inspection::receive(db, node.id, name, &Inventory::default())
        .await
        .unwrap();
    let allocation = Allocation::new(AllocationId::generate());
    let (_, node) = store::allocation::insert_bound(db, allocation, node, Log::default())
        .await
        .unwrap();
    node
}

/// What a test of its machine showed.
fn report(node: &Node) -> CommissioningReport {
    CommissioningReport {
        row: 0,
        id: ReportId::generate(),
        node: node.id,
        test: BurninTest::Cpu,
        verdict: BurninVerdict::Failed,
        ended_at: Timestamp::now(),
        seconds: None,
        figures: Vec::new(),
        error: Some("it got too hot".into()),
    }
}

async fn a_node_takes_its_belongings_along(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let nodes = [furnished(&db, 1).await, furnished(&db, 2).await];
    let left = |node: Option<NodeId>| {
        let belonging = node.map_or(String::new(), |id| format!(" WHERE node_uuid = '{id}'"));
        let count =
            |table: &&str| database.number(&format!("SELECT COUNT(*) FROM {table}{belonging}"));
        TABLES.iter().map(count).collect::<Vec<_>>()
    };
    assert_eq!(left(None), vec![2; TABLES.len()]);
    let mut stale = nodes[0].clone();
    stale.version -= 1;
    let refused = store::node::delete(&db, &stale, Log::default()).await;
    assert!(refused.is_err());
    assert_eq!(left(None), vec![2; TABLES.len()], "nothing happened");
    store::node::delete(&db, &nodes[0], Log::default())
        .await
        .unwrap();
    assert_eq!(left(Some(nodes[0].id)), vec![0; TABLES.len()]);
    assert_eq!(left(Some(nodes[1].id)), vec![1; TABLES.len()]);
}

async fn shards_are_counted_the_largest_first(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    assert_eq!(store::node::shards(&db).await.unwrap(), []);
    for shard in [
        Some("b"),
        None,
        Some("c"),
        Some("a"),
        Some("c"),
        Some("c"),
        None,
        Some("B"),
    ] {
        let mut node = new_node();
        node.shard = shard.map(str::to_owned);
        insert(&db, node).await;
    }
    let found = store::node::shards(&db).await.unwrap();
    let expected = [
        (Some("c"), 3),
        (None, 2),
        (Some("B"), 1),
        (Some("a"), 1),
        (Some("b"), 1),
    ];
    let expected = expected.map(|(shard, count)| (shard.map(str::to_owned), count));
    assert_eq!(found, expected);
}
