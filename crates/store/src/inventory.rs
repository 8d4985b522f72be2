//! What inspection found in nodes; the last inspection counts.

use crate::{
    Db, StoreError,
    conn::{Conn, Reader},
    node,
};
use types::{Inventory, NodeId, Timestamp};

/// What the last inspection of a node found.
pub async fn find(db: &Db, node: NodeId) -> Result<Option<Inventory>, StoreError> {
    db.read(move |conn| {
        const SQL: &str =
            "SELECT inventory, plugin_data FROM node_inventories WHERE node_uuid = $1";
        conn.query_opt(SQL, &[node.to_string().into()], |row| {
            let r = &mut Reader::new(row, "node_inventories", &["inventory", "plugin_data"]);
            Ok(Inventory {
                inventory: r.map()?,
                plugin_data: r.map()?,
            })
        })
    })
    .await
}

/// Stores what an inspection of a node that exists found, instead of what an earlier one did.
pub async fn save(db: &Db, node: NodeId, found: Inventory) -> Result<(), StoreError> {
    db.write(move |conn| {
        let uuid = node.to_string();
        node::hold(conn, &uuid)?;
        put(conn, &uuid, &found)
    })
    .await
}

/// As [`save`], in a transaction that has the node's row.
pub(crate) fn put(conn: &mut Conn, uuid: &str, found: &Inventory) -> Result<(), StoreError> {
    const UPDATE: &str = "UPDATE node_inventories SET inventory = $1, plugin_data = $2, \
        updated_at = $3 WHERE node_uuid = $4";
    const INSERT: &str = "INSERT INTO node_inventories \
        (inventory, plugin_data, created_at, node_uuid) VALUES ($1, $2, $3, $4)";
    let params = [
        (&found.inventory).into(),
        (&found.plugin_data).into(),
        Timestamp::now().into(),
        uuid.into(),
    ];
    if conn.execute(UPDATE, &params)? == 0 {
        conn.execute(INSERT, &params)?;
    }
    Ok(())
}

/// Forgets what inspection found.
pub async fn delete(db: &Db, node: NodeId) -> Result<(), StoreError> {
    db.write(move |conn| {
        const DELETE: &str = "DELETE FROM node_inventories WHERE node_uuid = $1";
        conn.execute_on(DELETE, &[node.to_string().into()])
    })
    .await
}
