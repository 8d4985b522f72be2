//! Port groups: field by field, filters, and what a group and its ports mean to each other.

use super::{insert, map, new_node, news};
use crate::database::{Database, Engine};
use serde_json::json;
use store::{
    Db, Page, StoreError, Unique,
    node::Log,
    portgroup::{self, PortgroupFilter},
};
use types::{Node, NodeId, Port, PortId, Portgroup, PortgroupId, Timestamp};

every_engine!(
    every_field_of_a_group_survives,
    groups_name_the_value_that_is_taken,
    groups_are_filtered_and_sorted,
    a_group_with_ports_stays,
    a_new_physical_network_reaches_every_member,
    a_port_enters_only_a_group_of_its_own_node,
    a_group_never_goes_before_its_ports,
    a_group_never_outlives_its_node,
);

fn full(id: PortgroupId, node: NodeId, label: &str, mac: &str) -> Portgroup {
    let json = |field: &str| map(json!({"field": field, "label": [label, {"n": 1}]}));
    Portgroup {
        row: 0,
        id,
        version: 0,
        node,
        address: Some(mac.parse().unwrap()),
        name: Some(format!("{label}-name")),
        mode: Some(format!("{label}-mode")),
        properties: json("properties"),
        extra: json("extra"),
        internal_info: json("internal_info"),
        standalone_ports_supported: false,
        physical_network: Some(format!("{label}-net")),
        category: Some(format!("{label}-category")),
        dynamic_portgroup: Some(true),
        created_at: Timestamp(5),
        updated_at: Some(Timestamp(6)),
    }
}

async fn stored(db: &Db, portgroup: Portgroup) -> Portgroup {
    portgroup::insert(db, portgroup, Log::default())
        .await
        .unwrap()
}

async fn new_group(db: &Db, node: &Node) -> Portgroup {
    stored(db, Portgroup::new(PortgroupId::generate(), node.id)).await
}

/// A port that is not stored yet.
fn member(portgroup: &Portgroup, number: u8) -> Port {
    let mac = format!("52:54:00:00:00:{number:02x}").parse().unwrap();
    let mut port = Port::new(PortId::generate(), portgroup.node, mac);
    port.portgroup = Some(portgroup.id.to_string());
    port
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, StoreError>, expected: &str) {
    let refused = outcome.unwrap_err();
    assert_eq!(format!("{refused:?}"), expected);
}

async fn every_field_of_a_group_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let id = PortgroupId::generate();
    let mut first = full(id, node.id, "first", "52:54:00:00:00:01");
    let found = stored(&db, first.clone()).await;
    first.row = found.row;
    assert_eq!(found, first);
    assert_eq!(
        portgroup::find(&db, id).await.unwrap().as_ref(),
        Some(&first)
    );
    let by_name = portgroup::find_by_name(&db, "first-name").await.unwrap();
    assert_eq!(by_name, Some(first.clone()));

    let mut second = full(id, other.id, "second", "52:54:00:00:00:02");
    (second.row, second.created_at) = (first.row, Timestamp(9));
    (second.standalone_ports_supported, second.dynamic_portgroup) = (true, None);
    let saved = portgroup::update(&db, second.clone(), Log::default())
        .await
        .unwrap();
    assert!(saved.updated_at > Some(Timestamp(6)));
    (second.version, second.updated_at) = (1, saved.updated_at);
    assert_eq!(saved, second);
    assert_eq!(portgroup::find(&db, id).await.unwrap(), Some(second));
    assert_refused(portgroup::update(&db, first, Log::default()).await, "Stale");

    let mut empty = Portgroup::new(id, node.id);
    empty.mode = None;
    (empty.version, empty.row) = (1, saved.row);
    let saved = portgroup::update(&db, empty.clone(), Log::default())
        .await
        .unwrap();
    (empty.version, empty.updated_at) = (2, saved.updated_at);
    assert_eq!(portgroup::find(&db, id).await.unwrap(), Some(empty));
    assert_eq!(portgroup::of_node(&db, node.id).await.unwrap(), [saved]);
    assert_eq!(portgroup::of_node(&db, other.id).await.unwrap(), []);

    let log = Log::event(news(&node, json!("removed")));
    portgroup::delete(&db, id, log.clone()).await.unwrap();
    assert_eq!(portgroup::find(&db, id).await.unwrap(), None);
    assert_refused(portgroup::delete(&db, id, log).await, "NotFound");
    assert_eq!(database.number("SELECT COUNT(*) FROM events"), 1);
    let homeless = Portgroup::new(id, NodeId::generate());
    let refused = portgroup::insert(&db, homeless.clone(), Log::default()).await;
    assert_refused(refused, "NotFound");
    let refused = portgroup::update(&db, homeless, Log::default()).await;
    assert_refused(refused, "NotFound");
}

async fn groups_name_the_value_that_is_taken(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    let group = |label: &str, mac: &str| full(PortgroupId::generate(), node.id, label, mac);
    let (mac, other_mac) = ("52:54:00:00:00:01", "52:54:00:00:00:02");
    let first = stored(&db, group("first", mac)).await;
    let second = stored(&db, group("second", other_mac)).await;
    let third = "52:54:00:00:00:03";
    let mut same_uuid = group("third", third);
    same_uuid.id = first.id;
    let (same_mac, same_name) = (group("third", mac), group("first", third));
    let mut renamed = second.clone();
    renamed.name = first.name.clone();
    let mut moved = second.clone();
    moved.address = first.address;
    let by_uuid = Unique::PortgroupUuid(first.id.to_string());
    let by_mac = Unique::PortgroupAddress(mac.into());
    let by_name = Unique::PortgroupName("first-name".into());
    for (new, expected) in [
        (same_uuid, by_uuid),
        (same_mac, by_mac),
        (same_name, by_name),
    ] {
        let refused = portgroup::insert(&db, new, Log::default()).await;
        assert_refused(refused, &format!("Duplicate({expected:?})"));
    }
    for (changed, expected) in [
        (renamed, Unique::PortgroupName("first-name".into())),
        (moved, Unique::PortgroupAddress(mac.into())),
    ] {
        let refused = portgroup::update(&db, changed, Log::default()).await;
        assert_refused(refused, &format!("Duplicate({expected:?})"));
    }
    assert_eq!(portgroup::find(&db, second.id).await.unwrap(), Some(second));
    // Any number of groups may have neither name nor address.
    new_group(&db, &node).await;
    new_group(&db, &node).await;
    let mut long = group("long", third);
    long.category = Some("x".repeat(81));
    let refused = portgroup::insert(&db, long, Log::default()).await;
    assert!(
        matches!(
            refused,
            Err(StoreError::DoesNotFit {
                column: "category",
                ..
            })
        ),
        "{refused:?}"
    );
}

async fn groups_are_filtered_and_sorted(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut nodes = Vec::new();
    for (shard, group, owner, lessee) in [
        (Some("s1"), "", Some("p1"), None),
        (Some("s2"), "g1", Some("p2"), Some("p1")),
        (None, "g2", None, Some("p3")),
    ] {
        let mut node = new_node();
        node.shard = shard.map(str::to_owned);
        node.conductor_group = group.to_owned();
        node.owner = owner.map(str::to_owned);
        node.lessee = lessee.map(str::to_owned);
        nodes.push(insert(&db, node).await);
    }
    let mut groups = Vec::new();
    for (n, node) in nodes.iter().chain(&nodes[..1]).enumerate() {
        let mac = format!("52:54:00:00:00:0{}", 9 - n);
        let new = full(PortgroupId::generate(), node.id, &format!("g{n}"), &mac);
        groups.push(stored(&db, new).await);
    }
    let of = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
    let all = PortgroupFilter::default;
    let by_project = |project: &str| PortgroupFilter {
        project: Some(project.to_owned()),
        ..all()
    };
    let by_node = PortgroupFilter {
        node: Some(nodes[0].id),
        ..all()
    };
    let by_address = PortgroupFilter {
        address: groups[1].address,
        ..all()
    };
    let by_shard = PortgroupFilter {
        shard_in: of(&["s2", "s1"]),
        ..all()
    };
    let by_group = PortgroupFilter {
        conductor_group_in: of(&["g1", "g2"]),
        ..all()
    };
    let by_both = PortgroupFilter {
        shard_in: of(&["s2"]),
        ..by_group.clone()
    };
    for (filter, expected) in [
        (all(), vec![0, 1, 2, 3]),
        (by_node, vec![0, 3]),
        (by_address, vec![1]),
        (by_shard, vec![0, 1, 3]),
        (by_group, vec![1, 2]),
        (by_both, vec![1]),
        (by_project("p1"), vec![0, 1, 3]),
        (by_project("p3"), vec![2]),
        (by_project("x' OR 1=1 --"), vec![]),
    ] {
        let found = portgroup::list(&db, filter.clone(), Page::first(10)).await;
        let found: Vec<_> = found.unwrap().iter().map(|g| g.id).collect();
        let expected: Vec<_> = expected.iter().map(|&n: &usize| groups[n].id).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
    let page = Page {
        limit: 2,
        marker: Some(groups[3].id.to_string()),
        sort_key: "address".into(),
        descending: false,
    };
    let found = portgroup::list(&db, by_project("p1"), page).await.unwrap();
    assert_eq!(found, [groups[1].clone(), groups[0].clone()]);
}

async fn a_group_with_ports_stays(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let group = new_group(&db, &node).await;
    let port = store::port::insert(&db, member(&group, 1), Log::default()).await;
    let mut port = port.unwrap();
    assert_eq!(
        store::port::of_portgroup(&db, group.id).await.unwrap(),
        [port.clone()]
    );
    let refused = portgroup::delete(&db, group.id, Log::default()).await;
    assert_refused(refused, "NotEmpty");
    let mut moved = group.clone();
    moved.node = other.id;
    let refused = portgroup::update(&db, moved.clone(), Log::default()).await;
    assert_refused(refused, "NotEmpty");
    // Other changes are fine, and so is everything once the port has left.
    let mut renamed = group.clone();
    renamed.name = Some("bond0".into());
    let renamed = portgroup::update(&db, renamed, Log::default())
        .await
        .unwrap();
    port.portgroup = None;
    store::port::update(&db, port, Log::default())
        .await
        .unwrap();
    moved.version = renamed.version;
    portgroup::update(&db, moved, Log::default()).await.unwrap();
    portgroup::delete(&db, group.id, Log::default())
        .await
        .unwrap();
}

async fn a_new_physical_network_reaches_every_member(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    let (group, other) = (new_group(&db, &node).await, new_group(&db, &node).await);
    let mut ports = Vec::new();
    for (n, of) in [&group, &group, &other].into_iter().enumerate() {
        let mut port = member(of, u8::try_from(n).unwrap());
        port.physical_network = Some("old".into());
        let stored = store::port::insert(&db, port, Log::default()).await;
        ports.push(stored.unwrap());
    }
    let networks = async || {
        let mut seen = Vec::new();
        for port in &ports {
            let port = store::port::find(&db, port.id).await.unwrap().unwrap();
            seen.push((port.physical_network, port.version));
        }
        seen
    };
    let old = Some("old".to_owned());
    let mut changed = group.clone();
    changed.category = Some("storage".into());
    let changed = portgroup::update(&db, changed, Log::default())
        .await
        .unwrap();
    assert_eq!(
        networks().await,
        [(old.clone(), 0), (old.clone(), 0), (old.clone(), 0)],
        "nothing to pass on"
    );
    for (version, network) in [(1, Some("new".to_owned())), (2, None)] {
        let mut changed = portgroup::find(&db, changed.id).await.unwrap().unwrap();
        changed.physical_network = network.clone();
        portgroup::update(&db, changed, Log::default())
            .await
            .unwrap();
        assert_eq!(
            networks().await,
            [
                (network.clone(), version),
                (network, version),
                (old.clone(), 0)
            ]
        );
    }
    // Whoever read a port before must read it again.
    let refused = store::port::update(&db, ports[0].clone(), Log::default()).await;
    assert_refused(refused, "Stale");
    // A refused change reaches nobody.
    let mut stale = group;
    stale.physical_network = Some("never".into());
    let refused = portgroup::update(&db, stale, Log::default()).await;
    assert_refused(refused, "Stale");
    assert_eq!(networks().await[0], (None, 2));
}

async fn a_port_enters_only_a_group_of_its_own_node(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let (own, foreign) = (new_group(&db, &node).await, new_group(&db, &other).await);
    let nowhere = PortgroupId::generate().to_string();
    let port = store::port::insert(&db, member(&own, 1), Log::default()).await;
    let port = port.unwrap();
    for group in [&foreign.id.to_string(), &nowhere, "no uuid at all"] {
        let expected = format!("NoPortgroup({group:?})");
        let mut new = member(&own, 2);
        new.portgroup = Some(group.to_owned());
        let refused = store::port::insert(&db, new, Log::default()).await;
        assert_refused(refused, &expected);
        let mut changed = port.clone();
        changed.portgroup = Some(group.to_owned());
        let refused = store::port::update(&db, changed, Log::default()).await;
        assert_refused(refused, &expected);
    }
    // A port cannot take its group along to another node.
    let mut moved = port.clone();
    moved.node = other.id;
    let refused = store::port::update(&db, moved, Log::default()).await;
    assert_refused(refused, &format!("NoPortgroup({:?})", own.id.to_string()));
    assert_eq!(store::port::find(&db, port.id).await.unwrap(), Some(port));
}

async fn a_group_never_goes_before_its_ports(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    let node = insert(&processes[0], new_node()).await;
    let other = insert(&processes[0], new_node()).await;
    for round in 0..40 {
        let group = new_group(&processes[0], &node).await;
        let entered = store::port::insert(&processes[1], member(&group, round), Log::default());
        let is_gone = if round % 2 == 0 {
            let gone = portgroup::delete(&processes[0], group.id, Log::default());
            let (gone, entered) = tokio::join!(gone, entered);
            assert!(gone.is_ok() != entered.is_ok(), "{gone:?} {entered:?}");
            gone.is_ok()
        } else {
            let mut moved = group.clone();
            moved.node = other.id;
            let gone = portgroup::update(&processes[0], moved, Log::default());
            let (gone, entered) = tokio::join!(gone, entered);
            assert!(gone.is_ok() != entered.is_ok(), "{gone:?} {entered:?}");
            gone.is_ok()
        };
        let members = store::port::of_portgroup(&processes[0], group.id).await;
        assert_eq!(members.unwrap().is_empty(), is_gone);
    }
}

async fn a_group_never_outlives_its_node(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    for round in 0..30 {
        let node = insert(&processes[0], new_node()).await;
        let mut changing = new_group(&processes[0], &node).await;
        let port = store::port::insert(&processes[0], member(&changing, round), Log::default());
        port.await.unwrap();
        changing.physical_network = Some("net".into());
        let (deleted, added, changed) = tokio::join!(
            store::node::delete(&processes[0], &node, Log::default()),
            portgroup::insert(
                &processes[1],
                Portgroup::new(PortgroupId::generate(), node.id),
                Log::default()
            ),
            portgroup::update(&processes[1], changing, Log::default()),
        );
        deleted.unwrap();
        for outcome in [added, changed] {
            assert!(
                matches!(outcome, Ok(_) | Err(StoreError::NotFound)),
                "{outcome:?}"
            );
        }
    }
    for table in ["ports", "portgroups"] {
        let left = database.number(&format!("SELECT COUNT(*) FROM {table}"));
        assert_eq!(left, 0, "{table}");
    }
}
