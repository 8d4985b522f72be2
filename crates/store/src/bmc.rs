//! Which nodes have their BMC at a host, by what their `driver_info` says.

use crate::{Db, StoreError, conn::Reader};
use types::{JsonMap, NodeId};

/// A node, and what it says about its BMC.
#[derive(Debug, Clone, PartialEq)]
pub struct BmcUser {
    pub id: NodeId,
    pub name: Option<String>,
    /// Secrets are sealed.
    pub driver_info: JsonMap,
}

/// The nodes in whose `driver_info` a host stands somewhere, whatever the case: all that can have
/// their BMC there, and maybe others.
pub async fn mentioning(db: &Db, host: &str) -> Result<Vec<BmcUser>, StoreError> {
    let like = format!("%{}%", host.to_lowercase());
    db.read(move |conn| {
        const SQL: &str = "SELECT uuid, name, driver_info FROM nodes \
            WHERE LOWER(driver_info) LIKE $1 ORDER BY id";
        conn.query(SQL, &[like.as_str().into()], |row| {
            let r = &mut Reader::new(row, "nodes", &["uuid", "name", "driver_info"]);
            Ok(BmcUser {
                id: r.parsed()?,
                name: r.opt_text()?,
                driver_info: r.map()?,
            })
        })
    })
    .await
}
