//! Volume connectors and targets: field by field, what is unique, filters, and sealed properties.

use super::{insert, map, new_node};
use crate::database::{Database, Engine};
use serde_json::json;
use store::{
    Db, Page, StoreError,
    node::Log,
    volume::{VolumeFilter, connector, target},
};
use types::{
    Node, NodeId, Timestamp, VolumeConnector, VolumeConnectorId, VolumeTarget, VolumeTargetId,
};

every_engine!(
    every_field_of_a_connector_survives,
    every_field_of_a_target_survives,
    a_connector_is_unique_by_its_type_and_id,
    a_boot_index_is_unique_within_its_node,
    volumes_are_filtered_by_node_and_project,
    a_volume_never_outlives_its_node,
);

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, StoreError>, expected: &str) {
    let refused = outcome.unwrap_err();
    assert_eq!(format!("{refused:?}"), expected);
}

fn new_connector(node: &Node, kind: &str, connector_id: &str) -> VolumeConnector {
    VolumeConnector::new(VolumeConnectorId::generate(), node.id, kind, connector_id)
}

fn new_target(node: &Node, boot_index: i64) -> VolumeTarget {
    let volume = format!("volume-{boot_index}");
    VolumeTarget::new(
        VolumeTargetId::generate(),
        node.id,
        "iscsi",
        boot_index,
        volume,
    )
}

async fn add_connector(db: &Db, new: VolumeConnector) -> Result<VolumeConnector, StoreError> {
    connector::insert(db, new, Log::default()).await
}

async fn add_target(db: &Db, new: VolumeTarget) -> Result<VolumeTarget, StoreError> {
    target::insert(db, new, Log::default()).await
}

async fn every_field_of_a_connector_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let mut first = new_connector(&node, "iqn", "iqn.2026-01.test:Grüße");
    first.extra = map(json!({"a": [1]}));
    (first.created_at, first.updated_at) = (Timestamp(5), Some(Timestamp(6)));
    let found = add_connector(&db, first.clone()).await.unwrap();
    first.row = found.row;
    assert_eq!(found, first);
    let mut second = first.clone();
    second.node = other.id;
    (second.kind, second.connector_id) = ("wwpn".into(), "x".into());
    (second.extra, second.created_at) = (map(json!({})), Timestamp(9));
    let saved = connector::update(&db, second.clone(), Log::default())
        .await
        .unwrap();
    assert!(saved.updated_at > Some(Timestamp(6)));
    (second.version, second.updated_at) = (1, saved.updated_at);
    assert_eq!(saved, second);
    assert_eq!(
        connector::find(&db, first.id).await.unwrap(),
        Some(second.clone())
    );
    assert_eq!(connector::of_node(&db, other.id).await.unwrap(), [second]);
    assert_eq!(connector::of_node(&db, node.id).await.unwrap(), []);
    let refused = connector::update(&db, first.clone(), Log::default()).await;
    assert_refused(refused, "Stale");
    connector::delete(&db, first.id, Log::default())
        .await
        .unwrap();
    let refused = connector::delete(&db, first.id, Log::default()).await;
    assert_refused(refused, "NotFound");
    let refused = connector::update(&db, first.clone(), Log::default()).await;
    assert_refused(refused, "NotFound");
    first.node = NodeId::generate();
    assert_refused(add_connector(&db, first).await, "NotFound");
}

async fn every_field_of_a_target_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let mut first = new_target(&node, 3);
    let properties = map(json!({"target_iqn": "iqn.visible", "auth_password": "s3cr3t-1"}));
    first.properties = properties.clone();
    first.extra = map(json!({"a": [1]}));
    (first.created_at, first.updated_at) = (Timestamp(5), Some(Timestamp(6)));
    let found = add_target(&db, first.clone()).await.unwrap();
    let subject = first.id.to_string();
    assert_ne!(found.properties, properties);
    let opened = db.keys().open_map(&found.properties, &subject).unwrap();
    assert_eq!(opened, properties);
    (first.row, first.properties) = (found.row, found.properties.clone());
    assert_eq!(found, first);

    let mut second = first.clone();
    second.node = other.id;
    (second.volume_type, second.volume_id) = ("fc".into(), "x".into());
    (second.boot_index, second.extra) = (-1, map(json!({})));
    second.properties["auth_password"] = json!("s3cr3t-2");
    let saved = target::update(&db, second.clone(), Log::default())
        .await
        .unwrap();
    let opened = db.keys().open_map(&saved.properties, &subject).unwrap();
    assert_eq!(opened["auth_password"], "s3cr3t-2");
    assert_eq!(opened["target_iqn"], "iqn.visible");
    (second.version, second.updated_at) = (1, saved.updated_at);
    second.properties = saved.properties.clone();
    assert_eq!(saved, second);
    assert_eq!(target::find(&db, first.id).await.unwrap(), Some(second));
    let raw = database.raw();
    let has = |text: &str| raw.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(has("iqn.visible"), "this looks at the wrong bytes");
    assert!(!has("s3cr3t"));

    let refused = target::update(&db, first.clone(), Log::default()).await;
    assert_refused(refused, "Stale");
    target::delete(&db, first.id, Log::default()).await.unwrap();
    let refused = target::delete(&db, first.id, Log::default()).await;
    assert_refused(refused, "NotFound");
    let refused = target::update(&db, first.clone(), Log::default()).await;
    assert_refused(refused, "NotFound");
    first.node = NodeId::generate();
    assert_refused(add_target(&db, first).await, "NotFound");
}

async fn a_connector_is_unique_by_its_type_and_id(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let first = add_connector(&db, new_connector(&node, "iqn", "a"))
        .await
        .unwrap();
    let second = add_connector(&db, new_connector(&node, "ip", "a"))
        .await
        .unwrap();
    add_connector(&db, new_connector(&node, "iqn", "b"))
        .await
        .unwrap();
    let expected = "Duplicate(Connector { kind: \"iqn\", connector_id: \"a\" })";
    let same = add_connector(&db, new_connector(&other, "iqn", "a")).await;
    assert_eq!(
        same.as_ref().unwrap_err().to_string(),
        "duplicate value: A volume connector with type iqn and connector ID a already exists."
    );
    assert_refused(same, expected);
    let mut changed = second.clone();
    changed.kind = "iqn".into();
    let refused = connector::update(&db, changed, Log::default()).await;
    assert_refused(refused, expected);
    let mut same_uuid = new_connector(&node, "iqn", "c");
    same_uuid.id = first.id;
    let expected = format!("Duplicate(ConnectorUuid({:?}))", first.id.to_string());
    assert_refused(add_connector(&db, same_uuid).await, &expected);
    assert_eq!(connector::find(&db, second.id).await.unwrap(), Some(second));

    // Also of many at once.
    let processes = [db, database.open()];
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..12 {
        let (db, new) = (processes[n % 2].clone(), new_connector(&node, "iqn", "z"));
        tasks.spawn(async move { add_connector(&db, new).await });
    }
    let outcomes = tasks.join_all().await;
    assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 1);
    for refused in outcomes.into_iter().filter(Result::is_err) {
        let expected = "Duplicate(Connector { kind: \"iqn\", connector_id: \"z\" })";
        assert_refused(refused, expected);
    }
}

async fn a_boot_index_is_unique_within_its_node(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let first = add_target(&db, new_target(&node, 0)).await.unwrap();
    let second = add_target(&db, new_target(&node, 1)).await.unwrap();
    let third = add_target(&db, new_target(&other, 0)).await.unwrap();
    assert_refused(
        add_target(&db, new_target(&node, 0)).await,
        "Duplicate(TargetBootIndex(0))",
    );
    let mut changed = second.clone();
    changed.boot_index = 0;
    let mut moved = third.clone();
    moved.node = node.id;
    for target in [changed, moved] {
        let refused = target::update(&db, target, Log::default()).await;
        assert_refused(refused, "Duplicate(TargetBootIndex(0))");
    }
    let mut same_uuid = new_target(&node, 7);
    same_uuid.id = first.id;
    let expected = format!("Duplicate(TargetUuid({:?}))", first.id.to_string());
    assert_refused(add_target(&db, same_uuid).await, &expected);
    assert_eq!(
        target::of_node(&db, node.id).await.unwrap(),
        [first, second]
    );
}

async fn volumes_are_filtered_by_node_and_project(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (mut owned, mut leased) = (new_node(), new_node());
    owned.owner = Some("p1".into());
    (leased.owner, leased.lessee) = (Some("p2".into()), Some("p1".into()));
    let nodes = [
        insert(&db, owned).await,
        insert(&db, leased).await,
        insert(&db, new_node()).await,
    ];
    let (mut connectors, mut targets) = (Vec::new(), Vec::new());
    for (n, node) in nodes.iter().enumerate() {
        let new = new_connector(node, "iqn", &format!("c{}", 9 - n));
        connectors.push(add_connector(&db, new).await.unwrap());
        targets.push(add_target(&db, new_target(node, 0)).await.unwrap());
    }
    let filter = |node: Option<usize>, project: Option<&str>| VolumeFilter {
        node: node.map(|n| nodes[n].id),
        project: project.map(str::to_owned),
    };
    for (filter, expected) in [
        (filter(None, None), vec![0, 1, 2]),
        (filter(Some(1), None), vec![1]),
        (filter(None, Some("p1")), vec![0, 1]),
        (filter(None, Some("p2")), vec![1]),
        (filter(Some(2), Some("p1")), vec![]),
    ] {
        let found = connector::list(&db, filter.clone(), Page::first(9)).await;
        let wanted: Vec<_> = expected.iter().map(|&n: &usize| &connectors[n]).collect();
        assert_eq!(found.unwrap().iter().collect::<Vec<_>>(), wanted);
        let found = target::list(&db, filter, Page::first(9)).await;
        let wanted: Vec<_> = expected.iter().map(|&n| &targets[n]).collect();
        assert_eq!(found.unwrap().iter().collect::<Vec<_>>(), wanted);
    }
    let by = |key: &str, marker: &str| Page {
        sort_key: key.into(),
        marker: Some(marker.to_owned()),
        ..Page::first(9)
    };
    let page = by("connector_id", &connectors[1].id.to_string());
    let found = connector::list(&db, filter(None, None), page).await;
    assert_eq!(found.unwrap(), connectors[..1]);
    for key in ["type", "extra", "node_uuid", "updated_at"] {
        let page = by(key, &connectors[0].id.to_string());
        connector::list(&db, filter(None, None), page)
            .await
            .unwrap();
    }
    for key in ["boot_index", "volume_type", "volume_id", "created_at"] {
        let page = by(key, &targets[0].id.to_string());
        target::list(&db, filter(None, None), page).await.unwrap();
    }
}

async fn a_volume_never_outlives_its_node(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    for round in 0..30 {
        let node = insert(&processes[0], new_node()).await;
        let (deleted, connected, targeted) = tokio::join!(
            store::node::delete(&processes[0], &node, Log::default()),
            add_connector(
                &processes[1],
                new_connector(&node, "iqn", &round.to_string())
            ),
            add_target(&processes[1], new_target(&node, 0)),
        );
        deleted.unwrap();
        let outcomes = [connected.map(|_| ()), targeted.map(|_| ())];
        for outcome in outcomes {
            assert!(
                matches!(outcome, Ok(()) | Err(StoreError::NotFound)),
                "{outcome:?}"
            );
        }
    }
    for table in ["volume_connectors", "volume_targets"] {
        let left = database.number(&format!("SELECT COUNT(*) FROM {table}"));
        assert_eq!(left, 0, "{table}");
    }
}
