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
