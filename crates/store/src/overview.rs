//! What `corten status` asks of the database. Bounded, or counted by the database itself: nothing
//! here reads a node that nobody works on.

use crate::{Db, Engine, Location, StoreError, conn::Reader};
use std::{
    path::Path,
    time::{Duration, Instant},
};
use types::{NodeId, Timestamp, lease::Holder};

/// How many nodes of one hardware type there are in one conductor group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    pub group: String,
    pub driver: String,
    pub nodes: i64,
}

/// What is remembered between two counts.
pub(crate) type Remembered = tokio::sync::Mutex<Option<(Instant, Vec<Placement>)>>;

/// All placements, as of at most `age` ago: counting takes a look at every node.
pub async fn placements(db: &Db, age: Duration) -> Result<Vec<Placement>, StoreError> {
    // Held while counting: concurrent callers get the same numbers.
    let mut remembered = db.0.placements.lock().await;
    if let Some((at, placements)) = &*remembered
        && at.elapsed() < age
    {
        return Ok(placements.clone());
    }
    let placements = db
        .read(|conn| {
            const SQL: &str = "SELECT conductor_group, driver, COUNT(*) FROM nodes \
                GROUP BY conductor_group, driver ORDER BY conductor_group, driver";
            conn.query(SQL, &[], |row| {
                let names = &["conductor_group", "driver", "count"];
                let r = &mut Reader::new(row, "nodes", names);
                Ok(Placement {
                    group: r.text()?,
                    driver: r.text()?,
                    nodes: r.int()?,
                })
            })
        })
        .await?;
    *remembered = Some((Instant::now(), placements.clone()));
    Ok(placements)
}

/// Leases that are held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leases {
    /// How many each incarnation of a conductor holds.
    pub holders: Vec<(Holder, i64)>,
    /// The one whose node was not written for the longest time.
    pub quietest: Option<QuietLease>,
}

/// A lease, and since when nothing was written about its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietLease {
    pub node: NodeId,
    pub name: Option<String>,
    pub host: String,
    pub provision_state: String,
    pub since: Timestamp,
}

pub async fn leases(db: &Db) -> Result<Leases, StoreError> {
    db.read(|conn| {
        // Not "IS NOT NULL": for that, no engine is certain to use the index.
        const HOLDERS: &str = "SELECT reservation, lease_epoch, COUNT(*) FROM nodes \
            WHERE reservation > $1 GROUP BY reservation, lease_epoch \
            ORDER BY reservation, lease_epoch";
        const QUIETEST: &str = "SELECT uuid, name, reservation, provision_state, \
            COALESCE(updated_at, created_at) AS written FROM nodes WHERE reservation > $1 \
            ORDER BY written, id LIMIT 1";
        let holders = conn.query(HOLDERS, &["".into()], |row| {
            let names = &["reservation", "lease_epoch", "count"];
            let r = &mut Reader::new(row, "nodes", names);
            let holder = Holder {
                host: r.text()?,
                epoch: r.int()?,
            };
            Ok((holder, r.int()?))
        })?;
        let quietest = conn.query_opt(QUIETEST, &["".into()], |row| {
            let names = &["uuid", "name", "reservation", "provision_state", "written"];
            let r = &mut Reader::new(row, "nodes", names);
            Ok(QuietLease {
                node: r.parsed()?,
                name: r.opt_text()?,
                host: r.text()?,
                provision_state: r.text()?,
                since: r.time()?,
            })
        })?;
        Ok(Leases { holders, quietest })
    })
    .await
}

/// What the database is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub schema: i64,
    /// Of its files, in bytes, where it tells.
    pub size: Option<i64>,
    /// Of what SQLite has written and not yet put in its place.
    pub wal: Option<i64>,
    /// Cursors and times of the oldest and of the newest event.
    pub oldest: Option<(i64, Timestamp)>,
    pub newest: Option<(i64, Timestamp)>,
    /// Events that are committed and have no place in the log yet.
    pub unnumbered: i64,
    pub dead_letters: i64,
}

pub async fn facts(db: &Db) -> Result<Facts, StoreError> {
    let file = match &db.0.location {
        Location::Sqlite(file) => Some(file.clone()),
        Location::Postgres(_) | Location::MariaDb(_) => None,
    };
    db.read(move |conn| {
        const SCHEMA: &str = "SELECT MAX(version) FROM corten_schema";
        const UNNUMBERED: &str = "SELECT COUNT(*) FROM events WHERE sequence IS NULL";
        const DEAD: &str = "SELECT COUNT(*) FROM webhook_dead_letters";
        const OLDEST: &str = "SELECT sequence, at FROM events WHERE sequence IS NOT NULL \
            ORDER BY sequence LIMIT 1";
        const NEWEST: &str = "SELECT sequence, at FROM events WHERE sequence IS NOT NULL \
            ORDER BY sequence DESC LIMIT 1";
        let mut event = |sql: &str| {
            conn.query_opt(sql, &[], |row| {
                let r = &mut Reader::new(row, "events", &["sequence", "at"]);
                Ok((r.int()?, r.time()?))
            })
        };
        let (oldest, newest) = (event(OLDEST)?, event(NEWEST)?);
        let size = match conn.engine() {
            Engine::Sqlite => None,
            Engine::Postgres => Some("SELECT pg_database_size(current_database())"),
            Engine::MariaDb => Some(
                "SELECT CAST(SUM(data_length + index_length) AS SIGNED) \
                 FROM information_schema.tables WHERE table_schema = DATABASE()",
            ),
        };
        Ok(Facts {
            schema: conn.number(SCHEMA, &[])?.unwrap_or(0),
            size: match size {
                Some(sql) => conn.number(sql, &[])?,
                None => file.as_deref().and_then(length),
            },
            wal: file.as_deref().map(|file| length(&wal(file)).unwrap_or(0)),
            oldest,
            newest,
            unnumbered: conn.number(UNNUMBERED, &[])?.unwrap_or(0),
            dead_letters: conn.number(DEAD, &[])?.unwrap_or(0),
        })
    })
    .await
}

fn length(file: &Path) -> Option<i64> {
    i64::try_from(std::fs::metadata(file).ok()?.len()).ok()
}

fn wal(file: &Path) -> std::path::PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}
