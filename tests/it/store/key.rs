//! Secrets at rest, and changing the key while somebody else writes.

use super::{insert, map, new_node, stored};
use crate::database::{Database, Engine};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use store::node::{Fence, Log};
use types::{JsonMap, Node};

every_engine!(
    no_secret_is_found_in_the_raw_database,
    keys_are_rotated_while_another_process_writes,
    a_secret_without_its_key_does_not_open,
);

fn node_with_secrets(secret: &str) -> Node {
    let mut node = new_node();
    node.driver_info = map(json!({
        "address": "visible-address",
        "ipmi_password": secret, "ipmi_hex_kg_key": secret, "snmp_community_write": secret,
        "nested": {"list": [{"snmp_auth_key": secret}], "API_TOKEN": {"a": secret}},
        "redfish_address": format!("https://root:{secret}@visible-host/"),
    }));
    node.instance_info = map(json!({
        "configdrive": secret, "rescue_password": secret,
        "image_url": format!("http://user:{secret}@host/"),
        "image_source": format!("http://user:{secret}@visible-images/i"),
    }));
    node.driver_internal_info = map(json!({"agent_secret_token": secret})).into();
    node
}

fn contains(haystack: &[u8], needle: &str) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle.as_bytes())
}

async fn no_secret_is_found_in_the_raw_database(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, node_with_secrets("s3cr3t-of-insert")).await;
    let mut changed = node_with_secrets("s3cr3t-of-save");
    (changed.id, changed.version) = (node.id, node.version);
    let saved = store::node::save(&db, changed, Fence::Free, Log::default())
        .await
        .unwrap();
    let raw = database.raw();
    assert!(
        contains(&raw, "visible-address"),
        "this looks at the wrong bytes"
    );
    assert!(contains(&raw, "visible-host") && contains(&raw, "visible-images"));
    assert!(!contains(&raw, "s3cr3t"));
    let instance = db
        .keys()
        .open_map(&saved.instance_info, &node.id.to_string());
    assert_eq!(
        instance.unwrap(),
        node_with_secrets("s3cr3t-of-save").instance_info
    );
    let opened = db.keys().open_map(&saved.driver_info, &node.id.to_string());
    assert_eq!(
        opened.unwrap(),
        node_with_secrets("s3cr3t-of-save").driver_info
    );
}

async fn a_secret_without_its_key_does_not_open(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = insert(&db, node_with_secrets("s3cr3t")).await;
    drop(db);
    std::fs::remove_file(database.key_file()).unwrap();
    let other = database.open();
    // The node itself is readable: reading opens nothing.
    let found = stored(&other, node.id).await;
    assert_eq!(found, node);
    let refused = other
        .keys()
        .open_map(&found.driver_info, &node.id.to_string());
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("is not in the key file")
    );
}

/// The key ids of the sealed values in these maps.
fn key_ids(maps: [&JsonMap; 3]) -> Vec<String> {
    fn collect(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => {
                if let Some((_, rest)) = text.split_once("corten:sealed:") {
                    out.push(rest.split(':').next().unwrap().to_owned());
                }
            }
            Value::Object(inner) => inner.values().for_each(|v| collect(v, out)),
            Value::Array(items) => items.iter().for_each(|v| collect(v, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    for map in maps {
        map.values().for_each(|v| collect(v, &mut out));
    }
    out
}

async fn keys_are_rotated_while_another_process_writes(engine: Engine) {
    const NODES: usize = 6;
    let database = Database::create(engine);
    let (rotating, writing) = (database.open(), database.open());
    let mut ids = Vec::new();
    for _ in 0..NODES {
        ids.push(insert(&rotating, node_with_secrets("s-0")).await.id);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = ids
        .iter()
        .map(|&id| {
            let (db, stop) = (writing.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut written = 0;
                while !stop.load(Ordering::Relaxed) {
                    let mut node = stored(&db, id).await;
                    // Sealed values are carried along, one secret is written anew.
                    node.driver_info["ipmi_password"] = json!(format!("s-{}", written + 1));
                    match store::node::save(&db, node, Fence::Free, Log::default()).await {
                        Ok(_) => written += 1,
                        Err(store::StoreError::Stale) => {}
                        Err(other) => panic!("{other:?}"),
                    }
                }
                written
            })
        })
        .collect();
    let mut newest = String::new();
    for _ in 0..4 {
        newest = rotating.keys().add_key().unwrap();
        store::node::rotate_secrets(&rotating).await.unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    let mut written = Vec::new();
    for writer in writers {
        written.push(writer.await.unwrap());
    }
    // Whatever the writers sealed with an older key meanwhile is rewritten by one more pass.
    store::node::rotate_secrets(&rotating).await.unwrap();
    let again = store::node::rotate_secrets(&rotating).await.unwrap();
    assert_eq!((again.rewritten, again.failures), (0, Vec::new()));
    for (&id, &count) in ids.iter().zip(&written) {
        let node = stored(&writing, id).await;
        let used = key_ids([
            &node.driver_info,
            &node.instance_info,
            node.driver_internal_info.raw_json(),
        ]);
        assert_eq!(used.len(), 11, "{node:?}");
        assert!(
            used.iter().all(|key| *key == newest),
            "{used:?}, not {newest}"
        );
        for db in [&rotating, &writing] {
            let opened = db.keys().open_map(&node.driver_info, &id.to_string());
            let opened = opened.unwrap();
            assert_eq!(opened["ipmi_password"], format!("s-{count}"));
            assert_eq!(opened["nested"]["list"][0]["snmp_auth_key"], "s-0");
        }
    }
}
