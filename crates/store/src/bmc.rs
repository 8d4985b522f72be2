//! Which nodes have their BMC at a host, by what their `driver_info` says.

use crate::{
    Db, StoreError,
    conn::{Reader, Row},
};
use types::{JsonMap, NodeId};

/// A node, and what it says about its BMC.
#[derive(Debug, Clone, PartialEq)]
pub struct BmcUser {
    pub id: NodeId,
    pub name: Option<String>,
    /// Secrets are sealed.
    pub driver_info: JsonMap,
    pub extra: JsonMap,
}

/// The nodes in whose `driver_info` a host stands somewhere, whatever the case: all that can have
/// their BMC there, and maybe others.
pub async fn mentioning(db: &Db, host: &str) -> Result<Vec<BmcUser>, StoreError> {
    let like = format!("%{}%", host.to_lowercase());
    db.read(move |conn| {
        const SQL: &str = "SELECT uuid, name, driver_info, extra FROM nodes \
            WHERE LOWER(driver_info) LIKE $1 ORDER BY id";
        conn.query(SQL, &[like.as_str().into()], decode)
    })
    .await
}

/// The nodes that have one of these UUIDs, or in whose `extra` one of them stands somewhere: all that
/// can be the machines with these UUIDs, and maybe others.
pub async fn of_machine(db: &Db, uuids: &[String]) -> Result<Vec<BmcUser>, StoreError> {
    let uuids: Vec<String> = uuids.iter().map(|uuid| uuid.to_lowercase()).collect();
    db.read(move |conn| {
        const SQL: &str = "SELECT uuid, name, driver_info, extra FROM nodes \
            WHERE uuid = $1 OR LOWER(extra) LIKE $2 ORDER BY id";
        let mut found = Vec::new();
        for uuid in &uuids {
            let like = format!("%{uuid}%");
            let params = [uuid.as_str().into(), like.as_str().into()];
            found.extend(conn.query(SQL, &params, decode)?);
        }
        found.sort_by_key(|user| user.id);
        found.dedup_by_key(|user| user.id);
        Ok(found)
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<BmcUser, StoreError> {
    let r = &mut Reader::new(row, "nodes", &["uuid", "name", "driver_info", "extra"]);
    Ok(BmcUser {
        id: r.parsed()?,
        name: r.opt_text()?,
        driver_info: r.map()?,
        extra: r.map()?,
    })
}
