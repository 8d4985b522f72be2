//! A node's history: what went wrong and which step flows ran, for people.

use crate::{
    Db, Page, StoreError,
    conn::{Conn, Reader, Row},
    fit,
    page::{Conditions, Source},
};
use types::{HistoryId, NodeId, event::HistoryEntry};

const COLUMNS: &[&str] = &[
    "uuid",
    "node_uuid",
    "created_at",
    "conductor",
    "user_name",
    "project",
    "is_error",
    "event_type",
    "event",
    "state",
    "target_provision_state",
    "duration_seconds",
    "id",
];
const SOURCE: Source = Source {
    table: "node_history",
    select: "uuid, node_uuid, created_at, conductor, user_name, project, is_error, event_type, \
        event, state, target_provision_state, duration_seconds, id",
    sortable: COLUMNS,
    marker: "uuid",
};
const BY_UUID: &str = "SELECT uuid, node_uuid, created_at, conductor, user_name, project, \
    is_error, event_type, event, state, target_provision_state, duration_seconds, id \
    FROM node_history WHERE uuid = $1";

/// A page of a node's history.
pub async fn list(db: &Db, node: NodeId, page: Page) -> Result<Vec<HistoryEntry>, StoreError> {
    db.read(move |conn| {
        let mut conditions = Conditions::default();
        conditions.equal("node_uuid", node.to_string());
        let (sql, params) = SOURCE.page(conn, conditions, &page)?;
        conn.query(&sql, &params, decode)
    })
    .await
}

/// One entry.
pub async fn find(db: &Db, id: HistoryId) -> Result<Option<HistoryEntry>, StoreError> {
    db.get(move |conn| conn.query_opt(BY_UUID, &[id.to_string().into()], decode))
        .await
}

/// Removes all but the newest `keep` entries of each node, at most `batch` rows at a time;
/// returns how many were removed.
pub async fn purge(db: &Db, keep: i64, batch: i64) -> Result<u64, StoreError> {
    db.write(move |conn| {
        let old: Vec<i64> = conn.query(
            "SELECT h.id FROM node_history h WHERE (SELECT COUNT(*) FROM node_history n \
             WHERE n.node_uuid = h.node_uuid AND n.id > h.id) >= $1 ORDER BY h.id LIMIT $2",
            &[keep.into(), batch.into()],
            |row| Reader::new(row, "node_history", &["id"]).int(),
        )?;
        let mut removed = 0;
        for id in old {
            removed += conn.execute("DELETE FROM node_history WHERE id = $1", &[id.into()])?;
        }
        Ok(removed)
    })
    .await
}

pub(crate) fn append(conn: &mut Conn, entry: &HistoryEntry) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO node_history (uuid, node_uuid, created_at, conductor, \
        user_name, project, is_error, event_type, event, state, target_provision_state, \
        duration_seconds) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let params = [
        entry.id.to_string().into(),
        entry.node.to_string().into(),
        entry.created_at.into(),
        (&entry.conductor).into(),
        fit::cut(entry.user.as_deref()).into(),
        fit::cut(entry.project.as_deref()).into(),
        entry.is_error.into(),
        (&entry.event_type).into(),
        (&entry.event).into(),
        entry.state.as_str().into(),
        entry
            .target_provision_state
            .map(types::ProvisionState::as_str)
            .into(),
        entry.duration_seconds.into(),
    ];
    conn.execute(INSERT, &params).map(|_| ())
}

fn decode(row: &Row<'_>) -> Result<HistoryEntry, StoreError> {
    let r = &mut Reader::new(row, "node_history", COLUMNS);
    let mut entry = HistoryEntry {
        id: r.parsed()?,
        node: r.parsed()?,
        created_at: r.time()?,
        conductor: r.text()?,
        user: r.opt_text()?,
        project: r.opt_text()?,
        is_error: r.boolean()?,
        event_type: r.text()?,
        event: r.text()?,
        state: r.parsed()?,
        target_provision_state: r.opt_parsed()?,
        duration_seconds: r.opt_int()?,
        row: 0,
    };
    entry.row = r.int()?;
    Ok(entry)
}
