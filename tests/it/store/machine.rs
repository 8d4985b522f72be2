//! What machines say about themselves: BIOS settings, firmware components, inventories.

use super::{insert, map, new_node};
use crate::database::{Database, Engine};
use serde_json::json;
use store::{Db, StoreError, bios, firmware, inventory};
use types::{BiosSetting, FirmwareComponent, Inventory, Node, NodeId, Timestamp};

every_engine!(
    every_field_of_a_setting_survives,
    settings_are_replaced,
    every_field_of_a_component_survives,
    components_are_added_and_changed,
    versions_that_are_seen_are_remembered,
    the_last_inventory_counts,
    nothing_is_stored_for_a_node_that_goes,
);

fn full_setting(name: &str) -> BiosSetting {
    BiosSetting {
        name: name.to_owned(),
        value: Some("Grüße".into()),
        attribute_type: Some("Enumeration".into()),
        allowable_values: Some(vec!["b".into(), "a".into()]),
        lower_bound: Some(-1),
        upper_bound: Some(i64::MAX),
        min_length: Some(0),
        max_length: Some(255),
        read_only: Some(true),
        reset_required: Some(false),
        unique: Some(true),
        created_at: Timestamp(5),
        updated_at: Some(Timestamp(6)),
    }
}

fn settings(values: &[(&str, &str)]) -> Vec<BiosSetting> {
    let each = values.iter();
    each.map(|(name, value)| BiosSetting::new(*name, Some((*value).to_owned())))
        .collect()
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, StoreError>, expected: &str) {
    let refused = outcome.unwrap_err();
    assert_eq!(format!("{refused:?}"), expected);
}

async fn every_field_of_a_setting_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    let before = Timestamp::now();
    let new = vec![full_setting("b"), BiosSetting::new("a", None)];
    bios::replace(&db, node.id, new.clone()).await.unwrap();
    let found = bios::list(&db, node.id).await.unwrap();
    assert_eq!(found.len(), 2);
    for (found, mut given) in found.iter().zip([new[1].clone(), new[0].clone()]) {
        // Times are the store's own.
        assert!(found.created_at >= before);
        (given.created_at, given.updated_at) = (found.created_at, None);
        assert_eq!(*found, given);
        let one = bios::find(&db, node.id, &given.name).await.unwrap();
        assert_eq!(one, Some(given));
    }
    assert_eq!(bios::find(&db, node.id, "B").await.unwrap(), None);
    let mut empty = BiosSetting::new("b", None);
    let changed = vec![empty.clone(), BiosSetting::new("a", None)];
    bios::replace(&db, node.id, changed).await.unwrap();
    let now = bios::find(&db, node.id, "b").await.unwrap().unwrap();
    assert!(now.updated_at >= Some(before));
    (empty.created_at, empty.updated_at) = (found[1].created_at, now.updated_at);
    assert_eq!(now, empty);
    let long = vec![BiosSetting::new("x".repeat(256), None)];
    let refused = bios::replace(&db, node.id, long).await;
    assert!(
        matches!(refused, Err(StoreError::DoesNotFit { column: "name", .. })),
        "{refused:?}"
    );
    assert_eq!(bios::list(&db, node.id).await.unwrap().len(), 2);
}

async fn bios_values(db: &Db, node: &Node) -> Vec<(String, String)> {
    let found = bios::list(db, node.id).await.unwrap();
    found
        .into_iter()
        .map(|s| (s.name, s.value.unwrap()))
        .collect()
}

fn pairs(values: &[(&str, &str)]) -> Vec<(String, String)> {
    let each = values.iter();
    each.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

async fn settings_are_replaced(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let first = settings(&[("b", "1"), ("a", "2"), ("c", "3")]);
    bios::replace(&db, node.id, first.clone()).await.unwrap();
    bios::replace(&db, other.id, first).await.unwrap();
    let before = bios::list(&db, node.id).await.unwrap();
    let second = settings(&[("d", "old"), ("c", "4"), ("a", "2"), ("d", "5")]);
    bios::replace(&db, node.id, second.clone()).await.unwrap();
    let expected = pairs(&[("a", "2"), ("c", "4"), ("d", "5")]);
    assert_eq!(bios_values(&db, &node).await, expected);
    let after = bios::list(&db, node.id).await.unwrap();
    assert_eq!(after[0], before[0], "what did not change keeps its times");
    assert_eq!(after[1].created_at, before[2].created_at);
    assert!(after[1].updated_at.is_some());
    assert_eq!(after[2].updated_at, None);
    bios::replace(&db, node.id, second).await.unwrap();
    assert_eq!(bios::list(&db, node.id).await.unwrap(), after);
    bios::replace(&db, node.id, Vec::new()).await.unwrap();
    assert_eq!(bios_values(&db, &node).await, []);
    let expected = pairs(&[("a", "2"), ("b", "1"), ("c", "3")]);
    assert_eq!(bios_values(&db, &other).await, expected);
}

fn full_component(component: &str) -> FirmwareComponent {
    FirmwareComponent {
        component: component.to_owned(),
        initial_version: Some("1.0".into()),
        current_version: Some("2.0".into()),
        last_version_flashed: Some("3.0".into()),
        vendor: Some("Grüße GmbH".into()),
        model: Some("m".into()),
        serial_number: Some("s".into()),
        created_at: Timestamp(5),
        updated_at: Some(Timestamp(6)),
    }
}

async fn every_field_of_a_component_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    let new = vec![full_component("bmc"), FirmwareComponent::new("bios", None)];
    firmware::observe(&db, node.id, new.clone()).await.unwrap();
    let found = firmware::list(&db, node.id).await.unwrap();
    assert_eq!(found.len(), 2);
    for (found, mut given) in found.iter().zip([new[1].clone(), new[0].clone()]) {
        assert!(found.created_at > Timestamp(5));
        (given.created_at, given.updated_at) = (found.created_at, None);
        assert_eq!(*found, given);
    }
}

async fn versions_that_are_seen_are_remembered(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, new_node()).await;
    let see = async |version: &str| {
        let seen = vec![FirmwareComponent::new("bmc", Some(version.to_owned()))];
        firmware::observe(&db, node.id, seen).await.unwrap();
        let found = firmware::list(&db, node.id).await.unwrap().remove(0);
        [
            found.initial_version,
            found.current_version,
            found.last_version_flashed,
        ]
    };
    let versions = |all: [&str; 3]| all.map(|v| (!v.is_empty()).then(|| v.to_owned()));
    assert_eq!(see("1").await, versions(["1", "1", ""]));
    assert_eq!(see("1").await, versions(["1", "1", ""]));
    assert_eq!(see("2").await, versions(["1", "2", "2"]));
    assert_eq!(see("2").await, versions(["1", "2", "2"]));
    assert_eq!(see("1").await, versions(["1", "1", "1"]));
    // What is not seen this time is not forgotten.
    firmware::observe(&db, node.id, Vec::new()).await.unwrap();
    assert_eq!(firmware::list(&db, node.id).await.unwrap().len(), 1);
}

async fn components_are_added_and_changed(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    let component =
        |name: &str, version: &str| FirmwareComponent::new(name, Some(version.to_owned()));
    let versions = async |node: &Node| {
        let found = firmware::list(&db, node.id).await.unwrap();
        let each = found.into_iter();
        each.map(|c| (c.component, c.current_version.unwrap()))
            .collect::<Vec<_>>()
    };
    let first = vec![component("bmc", "1"), component("bios", "1")];
    firmware::observe(&db, node.id, first.clone())
        .await
        .unwrap();
    firmware::observe(&db, other.id, first).await.unwrap();
    let before = firmware::list(&db, node.id).await.unwrap();
    let second = [("nic:1", "1"), ("bmc", "2"), ("bios", "1")];
    let second = second.map(|(name, version)| component(name, version));
    firmware::observe(&db, node.id, second.to_vec())
        .await
        .unwrap();
    let after = firmware::list(&db, node.id).await.unwrap();
    assert_eq!(after[0], before[0], "what did not change keeps its times");
    assert_eq!(after[1].created_at, before[1].created_at);
    assert!(after[1].updated_at.is_some());
    let expected = pairs(&[("bios", "1"), ("bmc", "2"), ("nic:1", "1")]);
    assert_eq!(versions(&node).await, expected);
    assert_eq!(versions(&other).await.len(), 2);
}

async fn the_last_inventory_counts(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (node, other) = (insert(&db, new_node()).await, insert(&db, new_node()).await);
    assert_eq!(inventory::find(&db, node.id).await.unwrap(), None);
    assert_refused(inventory::delete(&db, node.id).await, "NotFound");
    for n in 0..3 {
        let text = "x\u{0}Grüße".repeat(20_000);
        let found = Inventory {
            inventory: map(json!({"n": n, "zz": {"b": 1, "a": [text]}})),
            plugin_data: map(json!({"raid": n})),
        };
        inventory::save(&db, node.id, found.clone()).await.unwrap();
        assert_eq!(inventory::find(&db, node.id).await.unwrap(), Some(found));
    }
    inventory::save(&db, other.id, Inventory::default())
        .await
        .unwrap();
    inventory::delete(&db, node.id).await.unwrap();
    assert_eq!(inventory::find(&db, node.id).await.unwrap(), None);
    let kept = inventory::find(&db, other.id).await.unwrap();
    assert_eq!(kept, Some(Inventory::default()));
}

async fn nothing_is_stored_for_a_node_that_goes(engine: Engine) {
    let database = Database::create(engine);
    let processes = [database.open(), database.open()];
    let db = &processes[1];
    let absent = NodeId::generate();
    let found = settings(&[("a", "1")]);
    let component = vec![FirmwareComponent::new("bmc", None)];
    let refused = bios::replace(db, absent, found.clone()).await;
    assert_refused(refused, "NotFound");
    let refused = firmware::observe(db, absent, component.clone()).await;
    assert_refused(refused, "NotFound");
    let refused = inventory::save(db, absent, Inventory::default()).await;
    assert_refused(refused, "NotFound");
    for _ in 0..20 {
        let node = insert(&processes[0], new_node()).await;
        let (deleted, one, two, three) = tokio::join!(
            store::node::delete(&processes[0], &node, store::node::Log::default()),
            bios::replace(db, node.id, found.clone()),
            firmware::observe(db, node.id, component.clone()),
            inventory::save(db, node.id, Inventory::default()),
        );
        deleted.unwrap();
        for outcome in [one, two, three] {
            assert!(
                matches!(outcome, Ok(()) | Err(StoreError::NotFound)),
                "{outcome:?}"
            );
        }
    }
    for table in ["bios_settings", "firmware_components", "node_inventories"] {
        let left = database.number(&format!("SELECT COUNT(*) FROM {table}"));
        assert_eq!(left, 0, "{table}");
    }
}
