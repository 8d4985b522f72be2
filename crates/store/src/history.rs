//! A node's history: what went wrong and which step flows ran, for people.

use crate::{
    Db, Page, StoreError,
    candidate::{Mine, owned},
    conn::{Conn, P, Reader, Row},
    fit,
    page::{Conditions, Source},
};
use types::{HistoryId, NodeId, Timestamp, event::HistoryEntry};

pub(crate) const COLUMNS: &[&str] = &[
    "uuid",
    "node_uuid",
    "created_at",
    "conductor",
    "user_name",
    "project",
    "is_error",
    "severity_unset",
    "event_type",
    "event",
    "state",
    "target_provision_state",
    "duration_seconds",
    "id",
];
const SOURCE: Source = Source {
    table: "node_history",
    select: "uuid, node_uuid, created_at, conductor, user_name, project, is_error, severity_unset, \
        event_type, event, state, target_provision_state, duration_seconds, id",
    sortable: COLUMNS,
    marker: "uuid",
};
const BY_UUID: &str = "SELECT uuid, node_uuid, created_at, conductor, user_name, project, \
    is_error, severity_unset, event_type, event, state, target_provision_state, duration_seconds, id \
    FROM node_history WHERE uuid = $1";

/// A page of a node's history.
pub async fn list(db: &Db, node: NodeId, page: Page) -> Result<Vec<HistoryEntry>, StoreError> {
    db.read(move |conn| {
        let mut conditions = Conditions::default();
        conditions.equal("node_uuid", node.to_string());
        SOURCE.read(conn, conditions, &page, decode)
    })
    .await
}

/// One entry.
pub async fn find(db: &Db, id: HistoryId) -> Result<Option<HistoryEntry>, StoreError> {
    db.get(move |conn| conn.query_opt(BY_UUID, &[id.to_string().into()], decode))
        .await
}

/// Which entries are too many: all but the newest `keep` of those from before an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    pub keep: i64,
    pub before: Timestamp,
}

/// Nodes with too many entries.
pub async fn crowded(db: &Db, excess: Excess, mine: impl Mine) -> Result<Vec<NodeId>, StoreError> {
    const CROWDED: &str = "SELECT n.uuid, n.driver, n.conductor_group FROM nodes n \
        JOIN (SELECT node_uuid FROM node_history WHERE created_at < $1 GROUP BY node_uuid \
        HAVING COUNT(*) > $2) AS crowd ON crowd.node_uuid = n.uuid ORDER BY n.id";
    db.read(move |conn| {
        let params = [excess.before.into(), excess.keep.into()];
        let found = conn.query(CROWDED, &params, |row| {
            const NAMES: &[&str] = &["uuid", "driver", "conductor_group"];
            owned(&mut Reader::new(row, "nodes", NAMES), &mine)
        })?;
        Ok(found.into_iter().flatten().collect())
    })
    .await
}

/// Removes entries of a node that are too many, the oldest first and at most `batch` of them;
/// returns how many.
pub async fn thin(db: &Db, node: NodeId, excess: Excess, batch: i64) -> Result<u64, StoreError> {
    db.write(move |conn| {
        let (uuid, before) = (node.to_string(), excess.before);
        // The newest of those that are too many …
        const NEWEST: &str = "SELECT id FROM node_history WHERE node_uuid = $1 \
            AND created_at < $2 ORDER BY id DESC LIMIT 1 OFFSET $3";
        let params = [(&uuid).into(), before.into(), excess.keep.into()];
        let Some(newest) = conn.number(NEWEST, &params)? else {
            return Ok(0);
        };
        // … and the last one of this batch.
        const LAST: &str = "SELECT MAX(id) FROM (SELECT id FROM node_history WHERE node_uuid = $1 \
            AND created_at < $2 AND id <= $3 ORDER BY id LIMIT $4) AS batch";
        let params = [(&uuid).into(), before.into(), newest.into(), batch.into()];
        let last = conn.number(LAST, &params)?;
        const REMOVE: &str =
            "DELETE FROM node_history WHERE node_uuid = $1 AND created_at < $2 AND id <= $3";
        conn.execute(REMOVE, &[(&uuid).into(), before.into(), last.into()])
    })
    .await
}

/// What [`encode`] gives values for.
pub(crate) const WRITTEN: &[&str] = &[
    "uuid",
    "node_uuid",
    "created_at",
    "conductor",
    "user_name",
    "project",
    "is_error",
    "severity_unset",
    "event_type",
    "event",
    "state",
    "target_provision_state",
    "duration_seconds",
];

pub(crate) fn append(conn: &mut Conn, entry: &HistoryEntry) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO node_history (uuid, node_uuid, created_at, conductor, \
        user_name, project, is_error, severity_unset, event_type, event, state, \
        target_provision_state, duration_seconds) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    conn.execute(INSERT, &encode(entry)).map(|_| ())
}

pub(crate) fn encode(entry: &HistoryEntry) -> Vec<P<'_>> {
    vec![
        entry.id.to_string().into(),
        entry.node.to_string().into(),
        entry.created_at.into(),
        text(entry.conductor.as_deref()),
        fit::cut(entry.user.as_deref()).into(),
        fit::cut(entry.project.as_deref()).into(),
        (entry.is_error == Some(true)).into(),
        entry.is_error.is_none().into(),
        text(entry.event_type.as_deref()),
        (&entry.event).into(),
        text(entry.state.map(types::ProvisionState::as_str)),
        entry
            .target_provision_state
            .map(types::ProvisionState::as_str)
            .into(),
        entry.duration_seconds.into(),
    ]
}

/// These columns cannot be NULL: an empty text stands for what is absent.
fn text(value: Option<&str>) -> P<'_> {
    value.unwrap_or_default().into()
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

pub(crate) fn decode(row: &Row<'_>) -> Result<HistoryEntry, StoreError> {
    let r = &mut Reader::new(row, "node_history", COLUMNS);
    let mut entry = HistoryEntry {
        id: r.parsed()?,
        node: r.parsed()?,
        created_at: r.time()?,
        conductor: some(r.text()?),
        user: r.opt_text()?,
        project: r.opt_text()?,
        is_error: r.unset_or_boolean()?,
        event_type: some(r.text()?),
        event: r.text()?,
        state: r.parsed_unless_empty()?,
        target_provision_state: r.opt_parsed()?,
        duration_seconds: r.opt_int()?,
        row: 0,
    };
    entry.row = r.int()?;
    Ok(entry)
}
