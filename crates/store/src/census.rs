//! Counts of nodes. Counting scans every node, so the result is cached for all callers.

use crate::{Db, StoreError, conn::Reader};
use std::time::{Duration, Instant};

/// Numbers as of some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Census {
    /// Nodes by provision state.
    pub nodes: Vec<(String, i64)>,
    /// Nodes in maintenance.
    pub maintenance: i64,
    /// Reserved nodes by the conductor that holds them.
    pub leases: Vec<(String, i64)>,
}

/// What is remembered between two counts.
pub(crate) type Remembered = tokio::sync::Mutex<Option<(Instant, Census)>>;

/// The numbers, not older than `age`.
pub async fn census(db: &Db, age: Duration) -> Result<Census, StoreError> {
    // Held while counting: concurrent callers get the same numbers.
    let mut remembered = db.0.census.lock().await;
    if let Some((at, census)) = &*remembered
        && at.elapsed() < age
    {
        return Ok(census.clone());
    }
    let census = db
        .read(|conn| {
            const NODES: &str = "SELECT provision_state, COUNT(*) FROM nodes \
                GROUP BY provision_state ORDER BY provision_state";
            const LEASES: &str = "SELECT reservation, COUNT(*) FROM nodes \
                WHERE reservation IS NOT NULL GROUP BY reservation ORDER BY reservation";
            let mut count = |sql: &str| {
                conn.query(sql, &[], |row| {
                    let r = &mut Reader::new(row, "nodes", &["group", "count"]);
                    Ok((r.text()?, r.int()?))
                })
            };
            const MAINTENANCE: &str = "SELECT COUNT(*) FROM nodes WHERE maintenance = $1";
            let (nodes, leases) = (count(NODES)?, count(LEASES)?);
            Ok(Census {
                nodes,
                maintenance: conn.number(MAINTENANCE, &[true.into()])?.unwrap_or(0),
                leases,
            })
        })
        .await?;
    *remembered = Some((Instant::now(), census.clone()));
    Ok(census)
}
