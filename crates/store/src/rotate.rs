//! Sealing every secret anew after a new key was added to the ring.
//!
//! A value that no key opens is reported and left alone: after a key leaked, one damaged row must
//! not keep all others under it.

use crate::{
    Db, StoreError,
    conn::{Conn, Reader},
    node,
    secret::SecretScope,
};

/// Tables whose rows have a UUID, a version and JSON columns with sealed values.
pub(crate) const TABLES: &[(&str, SecretScope, &[&str])] = &[
    ("volume_targets", SecretScope::SecretKeys, &["properties"]),
    ("deploy_templates", SecretScope::SecretKeys, &["steps"]),
    ("runbooks", SecretScope::SecretKeys, &["steps"]),
    (
        "inspection_rules",
        SecretScope::Items,
        &["conditions", "actions"],
    ),
    ("webhooks", SecretScope::Whole, &["secret"]),
    ("config_drive_parts", SecretScope::Whole, &["sealed"]),
    ("images", SecretScope::Whole, &["source"]),
    ("batches", SecretScope::Whole, &["request"]),
];

/// What came of sealing all secrets anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rotation {
    /// How many nodes and other resources were rewritten.
    pub rewritten: u64,
    /// Which values no key opens, a line for each.
    pub failures: Vec<String>,
}

impl Rotation {
    pub(crate) fn add(&mut self, changed: bool, what: &str, failures: Vec<String>) {
        self.rewritten += u64::from(changed);
        let named = failures.into_iter().map(|why| format!("{what}: {why}"));
        self.failures.extend(named);
    }
}

/// Seals every secret with the newest key.
pub async fn rotate_secrets(db: &Db) -> Result<Rotation, StoreError> {
    let mut rotation = node::rotate_secrets(db).await?;
    for &(table, place, columns) in TABLES {
        let uuids: Vec<String> = db
            .read(move |conn| {
                let sql = format!("SELECT uuid FROM {table} ORDER BY id");
                conn.query(&sql, &[], |row| Reader::new(row, table, &["uuid"]).text())
            })
            .await?;
        for uuid in uuids {
            let what = format!("{table} {uuid}");
            let (changed, failures) = rotate_row(db, table, place, columns, uuid).await?;
            rotation.add(changed, &what, failures);
        }
    }
    Ok(rotation)
}

async fn rotate_row(
    db: &Db,
    table: &'static str,
    place: SecretScope,
    columns: &'static [&'static str],
    uuid: String,
) -> Result<(bool, Vec<String>), StoreError> {
    let keys = db.keys().clone();
    db.write(move |conn| {
        // The row stays as it is read here until we commit, or is gone.
        if !conn.hold_row(table, &uuid)? {
            return Ok((false, Vec::new()));
        }
        let (mut changed, mut failures) = (false, Vec::new());
        for column in columns {
            let mut value = read(conn, table, column, &uuid)?;
            let resealed = keys.reseal(&mut value, place, &uuid);
            failures.extend(resealed.failures);
            if resealed.changed {
                let sql = format!("UPDATE {table} SET {column} = $1 WHERE uuid = $2");
                conn.execute(&sql, &[value.to_string().into(), (&uuid).into()])?;
                changed = true;
            }
        }
        if changed {
            // Bump the version, so that a writer with an older copy cannot restore values that were
            // encrypted with an older key.
            let sql = format!("UPDATE {table} SET version = version + 1 WHERE uuid = $1");
            conn.execute(&sql, &[(&uuid).into()])?;
        }
        Ok((changed, failures))
    })
    .await
}

fn read(
    conn: &mut Conn,
    table: &'static str,
    column: &'static &'static str,
    uuid: &str,
) -> Result<serde_json::Value, StoreError> {
    let sql = format!("SELECT {column} FROM {table} WHERE uuid = $1");
    let found = conn.query_opt(&sql, &[uuid.into()], |row| {
        Reader::new(row, table, std::slice::from_ref(column)).json()
    })?;
    found.ok_or(StoreError::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyRing, Location, Upgrade, node::Log};
    use serde_json::json;
    use types::{JsonMap, Node, NodeId};

    #[tokio::test]
    async fn what_was_stored_before_it_counted_as_a_secret_is_read_and_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let keys = KeyRing::load_or_create(&folder.path().join("keys")).unwrap();
        let location = Location::Sqlite(folder.path().join("db"));
        let db = Db::open(&location, keys.clone(), Upgrade::Run).unwrap();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let id = node::insert(&db, node, Log::default()).await.unwrap().id;
        let clear = |value: serde_json::Value| value.as_object().unwrap().clone();
        let driver = clear(json!({
            "snmp_community": "hush", "ipmi_hex_kg_key": "00", "redfish_address": "http://u:hush@h",
        }));
        let instance = clear(json!({
            "image_url": "http://h/?s=hush", "a": {"image_url": "b"},
            "image_source": "http://u:hush@h/i",
        }));
        let rows = (driver.clone(), instance.clone());
        db.write(move |conn| {
            let sql = "UPDATE nodes SET driver_info = $1, instance_info = $2 WHERE uuid = $3";
            let (driver, instance) = &rows;
            conn.execute(
                sql,
                &[driver.into(), instance.into(), id.to_string().into()],
            )
        })
        .await
        .unwrap();
        let read = async || node::find(&db, id).await.unwrap().unwrap();
        let opened = |map: &JsonMap| keys.open_map(map, &id.to_string()).unwrap();
        assert_eq!(opened(&read().await.driver_info), driver);
        assert_eq!(rotate_secrets(&db).await.unwrap().rewritten, 1);
        let sealed = read().await;
        let text = format!("{:?}{:?}", sealed.driver_info, sealed.instance_info);
        assert!(!text.contains("hush") && !text.contains("00\""), "{text}");
        assert_eq!(sealed.instance_info["a"]["image_url"], "b");
        assert_eq!(opened(&sealed.driver_info), driver);
        assert_eq!(opened(&sealed.instance_info), instance);
        assert_eq!(rotate_secrets(&db).await.unwrap().rewritten, 0);
    }
}
