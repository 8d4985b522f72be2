//! Inspection by a ramdisk: what it sent until it is processed, and what processing came to.
//!
//! The data arrives under a name of its own before the lease is taken, so that the work recorded in
//! the node's row can refer to it; data whose lease was not granted is thrown away. Findings are
//! written in one transaction: the node, its ports and its inventory change together or not at all.

use crate::{
    Db, StoreError,
    conn::Reader,
    inventory,
    node::{self, Fence},
    port,
};
use types::{InspectionDataId, Inventory, Node, NodeId, Port, PortId, Timestamp};

/// What processing came to, beside the node itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Ports to be added. A port whose MAC address was taken meanwhile is left out.
    pub added: Vec<Port>,
    pub changed: Vec<Port>,
    pub removed: Vec<PortId>,
    /// What is to be kept of the data; nothing when it could not be processed.
    pub inventory: Option<Inventory>,
}

/// Keeps what a ramdisk sent until it is processed.
pub async fn receive(
    db: &Db,
    node: NodeId,
    name: InspectionDataId,
    data: &Inventory,
) -> Result<(), StoreError> {
    let data = data.clone();
    db.write(move |conn| {
        let uuid = node.to_string();
        node::hold(conn, &uuid)?;
        const INSERT: &str = "INSERT INTO inspection_inbox \
            (uuid, node_uuid, inventory, plugin_data, created_at) VALUES ($1, $2, $3, $4, $5)";
        let params = [
            name.to_string().into(),
            uuid.into(),
            (&data.inventory).into(),
            (&data.plugin_data).into(),
            Timestamp::now().into(),
        ];
        conn.execute(INSERT, &params).map(|_| ())
    })
    .await
}

/// What was received under this name.
pub async fn received(db: &Db, name: InspectionDataId) -> Result<Option<Inventory>, StoreError> {
    db.read(move |conn| {
        const SQL: &str = "SELECT inventory, plugin_data FROM inspection_inbox WHERE uuid = $1";
        conn.query_opt(SQL, &[name.to_string().into()], |row| {
            let r = &mut Reader::new(row, "inspection_inbox", &["inventory", "plugin_data"]);
            Ok(Inventory {
                inventory: r.map()?,
                plugin_data: r.map()?,
            })
        })
    })
    .await
}

/// Throws away what was received under this name, if it is still there.
pub async fn discard(db: &Db, name: InspectionDataId) -> Result<(), StoreError> {
    db.write(move |conn| {
        const DELETE: &str = "DELETE FROM inspection_inbox WHERE uuid = $1";
        conn.execute(DELETE, &[name.to_string().into()]).map(|_| ())
    })
    .await
}

/// Writes a node whose lease is held together with the findings, and empties its inbox.
///
/// Rules may have given the node anything, so what does not fit is refused here although the
/// writer holds the lease.
pub async fn save(db: &Db, node: Node, findings: &Findings) -> Result<Node, StoreError> {
    let keys = db.keys().clone();
    let (findings, touch) = (findings.clone(), db.touch(node.id));
    db.told(move |conn| {
        let _under_way = &touch;
        node::check_fit(&node)?;
        let saved = node::write(conn, &keys, node.clone(), &Fence::Held)?;
        let uuid = node.id.to_string();
        for id in &findings.removed {
            port::remove(conn, *id)?;
        }
        for changed in &findings.changed {
            match port::replace(conn, &keys, changed.clone()) {
                // It was deleted meanwhile: leave it deleted.
                Ok(_) | Err(StoreError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        for added in &findings.added {
            if !port::has_address(conn, &added.address)? {
                port::add(conn, added)?;
            }
        }
        if let Some(found) = &findings.inventory {
            inventory::put(conn, &uuid, found)?;
        }
        const EMPTY: &str = "DELETE FROM inspection_inbox WHERE node_uuid = $1";
        conn.execute(EMPTY, &[uuid.into()])?;
        Ok(saved)
    })
    .await
}
