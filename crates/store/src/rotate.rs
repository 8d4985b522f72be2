//! Sealing every secret anew after a new key was added to the ring.

use crate::{
    Db, StoreError,
    conn::{Conn, Reader},
    node,
};
use types::JsonMap;

/// Tables whose rows have a UUID, a version and JSON columns with sealed values.
pub(crate) const TABLES: &[(&str, &[&str])] = &[
    ("volume_targets", &["properties"]),
    ("deploy_templates", &["steps"]),
    ("runbooks", &["steps"]),
    ("inspection_rules", &["conditions", "actions"]),
    ("webhooks", &["secret"]),
];

/// Seals every secret with the newest key; returns how many nodes and other resources were
/// rewritten.
pub async fn rotate_secrets(db: &Db) -> Result<u64, StoreError> {
    let mut rewritten = node::rotate_secrets(db).await?;
    for &(table, columns) in TABLES {
        let uuids: Vec<String> = db
            .read(move |conn| {
                let sql = format!("SELECT uuid FROM {table} ORDER BY id");
                conn.query(&sql, &[], |row| Reader::new(row, table, &["uuid"]).text())
            })
            .await?;
        for uuid in uuids {
            rewritten += u64::from(rotate_row(db, table, columns, uuid).await?);
        }
    }
    Ok(rewritten)
}

async fn rotate_row(
    db: &Db,
    table: &'static str,
    columns: &'static [&'static str],
    uuid: String,
) -> Result<bool, StoreError> {
    let keys = db.keys().clone();
    db.write(move |conn| {
        // The row stays as it is read here until we commit, or is gone.
        if !conn.hold_row(table, &uuid)? {
            return Ok(false);
        }
        let mut changed = false;
        for column in columns {
            let mut holder = JsonMap::new();
            holder.insert((*column).to_owned(), read(conn, table, column, &uuid)?);
            if keys.reseal_map(&mut holder, &uuid)? {
                let sql = format!("UPDATE {table} SET {column} = $1 WHERE uuid = $2");
                let text = holder.get(*column).map(serde_json::Value::to_string);
                conn.execute(&sql, &[text.into(), (&uuid).into()])?;
                changed = true;
            }
        }
        if changed {
            // Whoever read the row before writes nothing that was sealed with an older key.
            let sql = format!("UPDATE {table} SET version = version + 1 WHERE uuid = $1");
            conn.execute(&sql, &[(&uuid).into()])?;
        }
        Ok(changed)
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
    use types::{Node, NodeId};

    #[tokio::test]
    async fn what_was_stored_before_it_counted_as_a_secret_is_read_and_sealed() {
        let folder = tempfile::tempdir().unwrap();
        let keys = KeyRing::load_or_create(&folder.path().join("keys")).unwrap();
        let location = Location::Sqlite(folder.path().join("db"));
        let db = Db::open(&location, keys.clone(), Upgrade::Run).unwrap();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let id = node::insert(&db, node, Log::default()).await.unwrap().id;
        let clear = |value: serde_json::Value| value.as_object().unwrap().clone();
        let driver = clear(json!({"snmp_community": "hush", "ipmi_hex_kg_key": "00"}));
        let instance = clear(json!({"image_url": "http://h/?s=hush", "a": {"image_url": "b"}}));
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
        assert_eq!(rotate_secrets(&db).await.unwrap(), 1);
        let sealed = read().await;
        let text = format!("{:?}{:?}", sealed.driver_info, sealed.instance_info);
        assert!(!text.contains("hush") && !text.contains("00\""), "{text}");
        assert_eq!(sealed.instance_info["a"]["image_url"], "b");
        assert_eq!(opened(&sealed.driver_info), driver);
        assert_eq!(opened(&sealed.instance_info), instance);
        assert_eq!(rotate_secrets(&db).await.unwrap(), 0);
    }
}
