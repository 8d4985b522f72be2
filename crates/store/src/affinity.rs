//! Which conductor was the last to serve what a node's machine needs: `nodes.conductor_affinity`.
//!
//! The column is written with the rest of the node; here it is looked for.

use crate::{
    Db, StoreError,
    conn::{P, Reader, Row},
};
use types::{NodeId, ProvisionState};

/// A node that another conductor may have served before, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unserved {
    pub node: NodeId,
    pub driver: String,
    pub conductor_group: String,
}

/// Free nodes outside maintenance that need a conductor to serve something (those in use, and those
/// whose console is on), and whose last one was not `host`. With `all_consoles` also those whose
/// console `host` had on itself.
pub async fn unserved(
    db: &Db,
    host: &str,
    all_consoles: bool,
) -> Result<Vec<Unserved>, StoreError> {
    let host = host.to_owned();
    db.read(move |conn| {
        // Two lists by an index each: with OR, SQLite goes through all nodes that are not reserved.
        const ACTIVE: &str = "SELECT uuid, driver, conductor_group, id FROM nodes \
            WHERE provision_state = $1 AND reservation IS NULL AND maintenance = $2 \
            AND (conductor_affinity IS NULL OR conductor_affinity <> $3)";
        const CONSOLES: &str = "SELECT uuid, driver, conductor_group, id FROM nodes \
            WHERE console_enabled = $4 AND reservation IS NULL AND maintenance = $5";
        let mut sql = format!("{ACTIVE} UNION {CONSOLES}");
        let active = ProvisionState::Active.as_str();
        let mut params: Vec<P<'_>> = vec![
            active.into(),
            false.into(),
            (&host).into(),
            true.into(),
            false.into(),
        ];
        if !all_consoles {
            sql.push_str(" AND (conductor_affinity IS NULL OR conductor_affinity <> $6)");
            params.push((&host).into());
        }
        sql.push_str(" ORDER BY id");
        conn.query(&sql, &params, decode)
    })
    .await
}

/// Free nodes outside maintenance in one of these states, which some conductor serves. Whether that
/// is the one that asks, and still does, is for it to find out.
pub async fn in_states(
    db: &Db,
    states: &'static [ProvisionState],
) -> Result<Vec<Unserved>, StoreError> {
    db.read(move |conn| {
        const SQL: &str = "SELECT uuid, driver, conductor_group FROM nodes \
            WHERE provision_state = $1 AND reservation IS NULL AND maintenance = $2 \
            AND conductor_affinity IS NOT NULL ORDER BY id";
        let mut found = Vec::new();
        for state in states {
            let params = [state.as_str().into(), false.into()];
            found.extend(conn.query(SQL, &params, decode)?);
        }
        Ok(found)
    })
    .await
}

/// Free nodes whose console is on.
pub async fn with_console(db: &Db) -> Result<Vec<Unserved>, StoreError> {
    db.read(move |conn| {
        const SQL: &str = "SELECT uuid, driver, conductor_group FROM nodes \
            WHERE console_enabled = $1 AND reservation IS NULL ORDER BY id";
        conn.query(SQL, &[true.into()], decode)
    })
    .await
}

/// The nodes that a conductor was the last to serve.
pub async fn served_by(db: &Db, host: &str) -> Result<Vec<NodeId>, StoreError> {
    let host = host.to_owned();
    db.read(move |conn| {
        const SQL: &str = "SELECT uuid FROM nodes WHERE conductor_affinity = $1 ORDER BY id";
        conn.query(SQL, &[host.into()], |row| {
            Reader::new(row, "nodes", &["uuid"]).parsed()
        })
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<Unserved, StoreError> {
    let r = &mut Reader::new(row, "nodes", &["uuid", "driver", "conductor_group"]);
    Ok(Unserved {
        node: r.parsed()?,
        driver: r.text()?,
        conductor_group: r.text()?,
    })
}
