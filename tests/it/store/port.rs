//! Ports and chassis: field by field, filters, and that neither outlives what it belongs to.

use super::{insert, map, new_node};
use crate::database::{Database, Engine};
use serde_json::json;
use store::{Page, StoreError, node::Log, port::PortFilter};
use types::{Chassis, ChassisId, Node, NodeId, Port, PortId, Portgroup, PortgroupId, Timestamp};

every_engine!(
    every_field_of_a_port_survives,
    a_port_needs_its_node_and_its_version,
    ports_are_filtered,
    a_port_never_outlives_its_node,
    a_chassis_never_goes_before_its_nodes,
    a_chassis_survives_and_is_kept_while_it_is_used,
);

fn full_port(id: PortId, node: NodeId, label: &str, mac: &str) -> Port {
    let json = |field: &str| map(json!({"field": field, "label": [label, {"n": 1}]}));
    Port {
        row: 0,
        id,
        version: 0,
        node,
        address: mac.parse().unwrap(),
        name: Some(format!("{label}-name")),
        description: Some(format!("{label} description Grüße")),
        extra: json("extra"),
        internal_info: json("internal_info"),
        local_link_connection: json("local_link_connection"),
        pxe_enabled: false,
        portgroup: None,
        physical_network: Some(format!("{label}-net")),
        is_smartnic: Some(true),
        vendor: Some(format!("{label}-vendor")),
        category: Some(format!("{label}-category")),
        available_for_dynamic_portgroup: false,
        created_at: Timestamp(5),
        updated_at: Some(Timestamp(6)),
    }
}

/// UUID text of a new port group of the node.
async fn new_group(db: &store::Db, node: &Node) -> Option<String> {
    let new = Portgroup::new(PortgroupId::generate(), node.id);
    let stored = store::portgroup::insert(db, new, Log::default()).await;
    Some(stored.unwrap().id.to_string())
}

async fn every_field_of_a_port_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    let other = insert(&db, new_node()).await;
    let mut first = full_port(PortId::generate(), node.id, "first", "52:54:00:00:00:01");
    first.portgroup = new_group(&db, &node).await;
    let found = store::port::insert(&db, first.clone(), Log::default())
        .await
        .unwrap();
    first.row = found.row;
    assert_eq!(found, first);
    assert_eq!(
        store::port::find(&db, first.id).await.unwrap(),
        Some(first.clone())
    );
    let by_name = store::port::find_by_name(&db, "first-name").await.unwrap();
    assert_eq!(by_name, Some(first.clone()));

    let mut second = full_port(first.id, other.id, "second", "52:54:00:00:00:02");
    second.portgroup = new_group(&db, &other).await;
    (second.pxe_enabled, second.is_smartnic) = (true, None);
    second.available_for_dynamic_portgroup = true;
    second.created_at = Timestamp(9);
    let saved = store::port::update(&db, second.clone(), Log::default())
        .await
        .unwrap();
    let found = store::port::find(&db, first.id).await.unwrap().unwrap();
    second.version = 1;
    second.updated_at = found.updated_at;
    assert!(found.updated_at > Some(Timestamp(6)));
    assert_eq!(saved.updated_at, found.updated_at);
    second.row = first.row;
    assert_eq!(found, second);

    let mut empty = Port::new(first.id, node.id, "52:54:00:00:00:03".parse().unwrap());
    empty.version = 1;
    store::port::update(&db, empty.clone(), Log::default())
        .await
        .unwrap();
    let found = store::port::find(&db, first.id).await.unwrap().unwrap();
    empty.version = 2;
    empty.row = first.row;
    empty.updated_at = found.updated_at;
    assert_eq!(found, empty);
    store::port::delete(&db, first.id, Log::default())
        .await
        .unwrap();
    assert_eq!(store::port::find(&db, first.id).await.unwrap(), None);
}

async fn a_port_needs_its_node_and_its_version(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mac = "52:54:00:00:00:01".parse().unwrap();
    let homeless = Port::new(PortId::generate(), NodeId::generate(), mac);
    let refused = store::port::insert(&db, homeless.clone(), Log::default()).await;
    assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
    let refused = store::port::update(&db, homeless.clone(), Log::default()).await;
    assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
    let refused = store::port::delete(&db, homeless.id, Log::default()).await;
    assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");

    let node = insert(&db, new_node()).await;
    let mut port = homeless;
    port.node = node.id;
    let read = store::port::insert(&db, port, Log::default())
        .await
        .unwrap();
    store::port::update(&db, read.clone(), Log::default())
        .await
        .unwrap();
    let refused = store::port::update(&db, read, Log::default()).await;
    assert!(matches!(refused, Err(StoreError::Stale)), "{refused:?}");
}

async fn ports_are_filtered(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = |shard: Option<&str>, group: &str| -> Node {
        let mut node = new_node();
        node.shard = shard.map(str::to_owned);
        node.conductor_group = group.to_owned();
        let project = shard.map(|shard| format!("project of {shard}"));
        match group {
            "" => node.owner = project,
            _ => node.lessee = project,
        }
        node
    };
    let nodes = [
        insert(&db, node(Some("s1"), "")).await,
        insert(&db, node(Some("s2"), "g1")).await,
        insert(&db, node(None, "g2")).await,
    ];
    let mut ports = Vec::new();
    for (n, owner) in nodes.iter().chain(&nodes[..1]).enumerate() {
        let mac = format!("52:54:00:00:00:0{n}");
        let mut port = full_port(PortId::generate(), owner.id, &format!("p{n}"), &mac);
        port.description = Some(format!("Port {n}"));
        port.portgroup = new_group(&db, owner).await;
        ports.push(
            store::port::insert(&db, port, Log::default())
                .await
                .unwrap(),
        );
    }
    let of = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
    let all = PortFilter::default();
    let cases = [
        (all.clone(), vec![0, 1, 2, 3]),
        (
            PortFilter {
                node: Some(nodes[0].id),
                ..all.clone()
            },
            vec![0, 3],
        ),
        (
            PortFilter {
                address: Some(ports[1].address),
                ..all.clone()
            },
            vec![1],
        ),
        (
            PortFilter {
                shard_in: of(&["s1"]),
                ..all.clone()
            },
            vec![0, 3],
        ),
        (
            PortFilter {
                shard_in: of(&["s2", "s1"]),
                ..all.clone()
            },
            vec![0, 1, 3],
        ),
        (
            PortFilter {
                conductor_group_in: of(&["g1", "g2"]),
                ..all.clone()
            },
            vec![1, 2],
        ),
        (
            PortFilter {
                description_contains: Some("port 2".into()),
                ..all.clone()
            },
            vec![2],
        ),
        (
            PortFilter {
                portgroup: ports[2].portgroup.clone(),
                ..all.clone()
            },
            vec![2],
        ),
        (
            PortFilter {
                project: Some("project of s1".into()),
                ..all.clone()
            },
            vec![0, 3],
        ),
        (
            PortFilter {
                project: Some("project of s2".into()),
                ..all.clone()
            },
            vec![1],
        ),
        (
            PortFilter {
                portgroup: Some("none".into()),
                ..all
            },
            vec![],
        ),
    ];
    for (filter, expected) in cases {
        let found = store::port::list(&db, filter.clone(), Page::first(10)).await;
        let found: Vec<_> = found.unwrap().iter().map(|p| p.id).collect();
        let expected: Vec<_> = expected.iter().map(|&n: &usize| ports[n].id).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

async fn a_port_never_outlives_its_node(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    for round in 0..60 {
        let node = insert(&processes[0], new_node()).await;
        let mac = format!("52:54:00:00:00:{round:02x}").parse().unwrap();
        let port = Port::new(PortId::generate(), node.id, mac);
        let (deleted, inserted) = tokio::join!(
            store::node::delete(&processes[0], &node, Log::default()),
            store::port::insert(&processes[1], port, Log::default()),
        );
        deleted.unwrap();
        assert!(
            matches!(inserted, Ok(_) | Err(StoreError::NotFound)),
            "{inserted:?}"
        );
    }
    let orphans = "SELECT COUNT(*) FROM ports WHERE NOT EXISTS \
        (SELECT 1 FROM nodes WHERE nodes.uuid = ports.node_uuid)";
    assert_eq!(database.number(orphans), 0);
}

async fn a_chassis_never_goes_before_its_nodes(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    for _ in 0..40 {
        let id = ChassisId::generate();
        store::chassis::insert(&processes[0], Chassis::new(id), Log::default())
            .await
            .unwrap();
        let mut node = new_node();
        node.chassis = Some(id);
        let (deleted, inserted) = tokio::join!(
            store::chassis::delete(&processes[0], id, Log::default()),
            store::node::insert(&processes[1], node, Log::default()),
        );
        assert!(
            matches!(deleted, Ok(()) | Err(StoreError::NotEmpty)),
            "{deleted:?}"
        );
        assert!(
            matches!(inserted, Ok(_) | Err(StoreError::NoChassis(_))),
            "{inserted:?}"
        );
        assert!(deleted.is_ok() != inserted.is_ok(), "one of them, not both");
    }
}

async fn a_chassis_survives_and_is_kept_while_it_is_used(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut new = Chassis::new(ChassisId::generate());
    new.description = Some("Rack 7 Grüße".into());
    new.extra = map(json!({"row": ["a"]}));
    let stored = store::chassis::insert(&db, new.clone(), Log::default())
        .await
        .unwrap();
    new.row = stored.row;
    assert_eq!(stored, new);
    let mut changed = stored.clone();
    changed.description = None;
    changed.extra = map(json!({}));
    let saved = store::chassis::update(&db, changed.clone(), Log::default())
        .await
        .unwrap();
    assert!(saved.updated_at.is_some());
    changed.updated_at = saved.updated_at;
    assert_eq!(
        store::chassis::find(&db, new.id).await.unwrap(),
        Some(changed)
    );

    let mut node = new_node();
    node.chassis = Some(new.id);
    let node = insert(&db, node).await;
    let refused = store::chassis::delete(&db, new.id, Log::default()).await;
    assert!(matches!(refused, Err(StoreError::NotEmpty)), "{refused:?}");
    store::node::delete(&db, &node, Log::default())
        .await
        .unwrap();
    store::chassis::delete(&db, new.id, Log::default())
        .await
        .unwrap();
    for outcome in [
        store::chassis::delete(&db, new.id, Log::default()).await,
        store::chassis::update(&db, new.clone(), Log::default())
            .await
            .map(|_| ()),
    ] {
        assert!(matches!(outcome, Err(StoreError::NotFound)), "{outcome:?}");
    }
}
