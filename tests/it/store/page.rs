//! Paging: every row once, in the same order on every engine, whatever is sorted by.

use super::{entry, insert, new_node};
use crate::database::{Database, Engine};
use scenario::random::Random;
use store::{
    Page, StoreError,
    node::{Columns, Log, NodeFilter},
    port::PortFilter,
};
use types::{Chassis, ChassisId, Node, NodeId, Port, PortId, PowerState, Timestamp};

every_engine!(
    every_walk_visits_every_node_once_and_in_order,
    every_column_for_clients_can_be_sorted_by,
    a_marker_or_key_that_does_not_exist_is_refused,
    other_lists_are_paged_alike,
);

/// A column to sort by: its name and how the model reads it. Missing values come first.
type Key = (&'static str, fn(&Node) -> Option<Vec<u8>>);

fn number(value: i64) -> Vec<u8> {
    // Bytes that sort as the numbers do.
    (value.wrapping_sub(i64::MIN) as u64).to_be_bytes().to_vec()
}

const KEYS: &[Key] = &[
    ("id", |n| Some(number(n.row))),
    ("uuid", |n| Some(n.id.to_string().into_bytes())),
    ("name", |n| n.name.clone().map(String::into_bytes)),
    ("owner", |n| n.owner.clone().map(String::into_bytes)),
    ("description", |n| {
        n.description.clone().map(String::into_bytes)
    }),
    ("resource_class", |n| {
        n.resource_class.clone().map(String::into_bytes)
    }),
    ("instance_uuid", |n| {
        n.instance_uuid.clone().map(String::into_bytes)
    }),
    ("power_state", |n| n.power_state.map(|s| s.as_str().into())),
    ("provision_updated_at", |n| {
        n.provision_updated_at.map(|t| number(t.0))
    }),
    ("maintenance", |n| Some(vec![u8::from(n.maintenance)])),
    ("automated_clean", |n| {
        n.automated_clean.map(|b| vec![u8::from(b)])
    }),
    ("driver", |n| Some(n.driver.clone().into_bytes())),
];

/// Texts on which collations differ: case, accents, punctuation, digits, the empty text.
const TEXTS: &[&str] = &[
    "",
    "a",
    "A",
    "aa",
    "b",
    "B",
    "Z",
    "_",
    "-",
    "~",
    "10",
    "9",
    "é",
    "e",
    "f",
    "ß",
    "\u{1f40d}",
    "\u{ffff}",
    "a b",
    "a-b",
    "ab",
];

async fn random_nodes(db: &store::Db, random: &mut Random, count: usize) -> Vec<Node> {
    let text = |random: &mut Random| random.maybe(TEXTS).map(str::to_owned);
    let mut nodes = Vec::new();
    for n in 0..count {
        let mut node = new_node();
        node.name = text(random).map(|t| format!("{t}{n}"));
        node.owner = text(random);
        node.description = text(random);
        node.resource_class = text(random);
        node.instance_uuid = random.chance(50).then(|| NodeId::generate().to_string());
        node.power_state = random.maybe(PowerState::ALL);
        node.provision_updated_at = random.maybe(&[Timestamp(-5), Timestamp(0), Timestamp(7)]);
        node.maintenance = random.chance(50);
        node.automated_clean = random.maybe(&[true, false]);
        node.driver = (*random.pick(TEXTS)).to_owned();
        nodes.push(insert(db, node).await);
    }
    nodes
}

/// Reads a whole list page by page.
async fn walk(
    db: &store::Db,
    key: &str,
    descending: bool,
    limit: u32,
    columns: Columns,
) -> Vec<NodeId> {
    let mut page = Page {
        limit,
        marker: None,
        sort_key: key.to_owned(),
        descending,
    };
    let mut seen = Vec::new();
    loop {
        let rows = store::node::list(db, NodeFilter::all(), page.clone(), columns)
            .await
            .unwrap();
        assert!(rows.len() <= limit as usize);
        let Some(last) = rows.last() else { return seen };
        page.marker = Some(last.id.to_string());
        seen.extend(rows.iter().map(|n| n.id));
        assert!(seen.len() <= 1000, "this walk does not end");
    }
}

async fn every_walk_visits_every_node_once_and_in_order(engine: Engine) {
    let mut random = Random::new();
    let database = Database::create(engine);
    let db = database.open();
    let nodes = random_nodes(&db, &mut random, 40).await;
    for (key, value) in KEYS {
        for descending in [false, true] {
            let mut expected: Vec<_> = nodes.iter().map(|n| (value(n), n.row, n.id)).collect();
            expected.sort();
            if descending {
                expected.reverse();
            }
            let expected: Vec<_> = expected.into_iter().map(|(_, _, id)| id).collect();
            let limit = u32::try_from(1 + random.below(9)).unwrap();
            for columns in [Columns::Summary, Columns::Full] {
                let seen = walk(&db, key, descending, limit, columns).await;
                assert_eq!(
                    seen, expected,
                    "{key}, descending: {descending}, by {limit}"
                );
            }
        }
    }
}

async fn every_column_for_clients_can_be_sorted_by(engine: Engine) {
    let mut random = Random::new();
    let database = Database::create(engine);
    let db = database.open();
    let nodes = random_nodes(&db, &mut random, 5).await;
    // The columns as the database itself lists them.
    let columns: Vec<String> = match engine {
        Engine::Sqlite => {
            let text = database.dump();
            assert!(text.contains("nodes"), "{text}");
            SORTABLE.iter().map(|c| (*c).to_owned()).collect()
        }
        Engine::Postgres | Engine::MariaDb => database.session(|session| session.columns("nodes")),
    };
    let is_open = |column: &&String| !UNSORTABLE.contains(&column.as_str());
    for column in columns.iter().filter(is_open) {
        for descending in [false, true] {
            let seen = walk(&db, column, descending, 2, Columns::Summary).await;
            assert_eq!(seen.len(), nodes.len(), "{column}");
        }
    }
    for column in UNSORTABLE {
        let page = Page {
            sort_key: (*column).to_owned(),
            ..Page::first(2)
        };
        let refused = store::node::list(&db, NodeFilter::all(), page, Columns::Summary).await;
        assert!(
            matches!(refused, Err(StoreError::BadSortKey(_))),
            "{column}"
        );
    }
}

/// References to other tables, and what is the store's own business.
const UNSORTABLE: &[&str] = &[
    "chassis_uuid",
    "allocation_uuid",
    "conductor_affinity",
    "lease_epoch",
    "lease_generation",
    "retired_unset",
    "work",
];

/// What clients sort by.
const SORTABLE: &[&str] = &[
    "id",
    "uuid",
    "name",
    "created_at",
    "updated_at",
    "driver",
    "conductor_group",
    "owner",
    "lessee",
    "shard",
    "parent_node",
    "power_state",
    "target_power_state",
    "provision_state",
    "provision_updated_at",
    "maintenance",
    "fault",
    "reservation",
    "console_enabled",
    "protected",
    "retired",
    "boot_mode",
    "secure_boot",
    "inspection_started_at",
    "bios_interface",
    "vendor_interface",
];

async fn a_marker_or_key_that_does_not_exist_is_refused(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    insert(&db, new_node()).await;
    for marker in [
        NodeId::generate().to_string(),
        "x' OR 1=1 --".into(),
        "".into(),
    ] {
        for key in ["id", "name"] {
            let page = Page {
                marker: Some(marker.clone()),
                sort_key: key.into(),
                ..Page::first(10)
            };
            let listed = store::node::list(&db, NodeFilter::all(), page, Columns::Full).await;
            assert!(
                matches!(listed, Err(StoreError::MarkerNotFound)),
                "{listed:?}"
            );
        }
    }
    for key in ["", "nope", "ID", "name; DROP TABLE nodes", "1"] {
        let page = Page {
            sort_key: key.into(),
            ..Page::first(10)
        };
        let listed = store::node::list(&db, NodeFilter::all(), page, Columns::Full).await;
        assert!(matches!(listed, Err(StoreError::BadSortKey(k)) if k == key));
    }
}

async fn other_lists_are_paged_alike(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    let mut ports = Vec::new();
    let mut history = Vec::new();
    let mut chassis = Vec::new();
    let mut hosts = Vec::new();
    for n in 0..5 {
        let mut port = Port::new(
            PortId::generate(),
            node.id,
            format!("52:54:00:00:00:0{n}").parse().unwrap(),
        );
        port.name = (n % 2 == 0).then(|| format!("port-{n}"));
        let told = entry(&node, &format!("entry {n}"));
        history.push(told.id);
        let log = Log {
            events: Vec::new(),
            history: vec![told],
            ..Log::default()
        };
        ports.push(store::port::insert(&db, port, log).await.unwrap().id);
        let mut new = Chassis::new(ChassisId::generate());
        new.description = (n % 2 == 1).then(|| format!("chassis {n}"));
        chassis.push(
            store::chassis::insert(&db, new, Log::default())
                .await
                .unwrap()
                .id,
        );
        let host = format!("host-{n}");
        let new = store::member::Registration {
            hostname: host.clone(),
            conductor_group: String::new(),
            drivers: Vec::new(),
            interfaces: Vec::new(),
            url: None,
        };
        store::member::register(&db, new).await.unwrap();
        hosts.push(host);
    }
    let after = |marker: Option<String>, key: &str| Page {
        limit: 2,
        marker,
        sort_key: key.into(),
        descending: false,
    };
    // Names are missing for 1 and 3, descriptions for 0, 2 and 4.
    let by_name = [ports[1], ports[3], ports[0], ports[2], ports[4]];
    let by_description = [chassis[0], chassis[2], chassis[4], chassis[1], chassis[3]];
    let (mut port_walk, mut chassis_walk) = (Vec::new(), Vec::new());
    let (mut entry_walk, mut host_walk) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let marker = port_walk.last().map(PortId::to_string);
        let page = store::port::list(&db, PortFilter::default(), after(marker, "name"));
        port_walk.extend(page.await.unwrap().iter().map(|p| p.id));
        let marker = chassis_walk.last().map(ChassisId::to_string);
        let page = store::chassis::list(&db, after(marker, "description"));
        chassis_walk.extend(page.await.unwrap().iter().map(|c| c.id));
        let marker = entry_walk.last().map(types::HistoryId::to_string);
        let page = store::history::list(&db, node.id, after(marker, "created_at"));
        entry_walk.extend(page.await.unwrap().iter().map(|e| e.id));
        let marker = host_walk.last().cloned();
        let page = store::member::list(&db, after(marker, "hostname"));
        host_walk.extend(page.await.unwrap().into_iter().map(|m| m.hostname));
    }
    assert_eq!(port_walk, by_name);
    assert_eq!(chassis_walk, by_description);
    assert_eq!(entry_walk, history);
    assert_eq!(host_walk, hosts);
}
