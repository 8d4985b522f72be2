//! Notices that the database has become one that this program cannot serve.
//!
//! A running service tolerates an upgrade of the schema by one version: migrations are made so.
//! After a second one its statements may fail or do harm, so the service stops and says why.

use std::time::Duration;
use store::{Db, SCHEMA_AHEAD, schema_version};
use tokio::time::{MissedTickBehavior, interval};

/// The query reads one row of a small table, so it is cheap.
const LOOK: Duration = Duration::from_secs(5);

/// Waits until the schema is too far ahead, and says how far it is.
pub(super) async fn by(db: &Db) -> i64 {
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut known = schema_version();
    loop {
        looks.tick().await;
        // A database that is away is noticed by all others.
        let Ok(version) = db.schema_now().await else {
            continue;
        };
        if version > schema_version() + SCHEMA_AHEAD {
            return version;
        }
        if version > known {
            known = version;
            tracing::info!(
                "another process upgraded the database to schema version {version}; this program is made for {} and \
                 serves it until it is replaced",
                schema_version()
            );
        }
    }
}
