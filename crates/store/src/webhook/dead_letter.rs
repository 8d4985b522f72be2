//! What could not be delivered. Only so much of it is kept for each webhook; the oldest goes first.

use super::{Fence, fenced};
use crate::{
    Db, StoreError,
    conn::{Conn, Reader, Row},
};
use serde_json::Value;
use types::{Timestamp, WebhookId, webhook::DeadLetter};

/// How many are kept for a webhook.
const MOST: i64 = 1000;

const COLUMNS: &[&str] = &[
    "log_position",
    "event_data",
    "attempts",
    "last_error",
    "replay",
    "created_at",
];
const SELECT: &str = "SELECT log_position, event_data, attempts, last_error, replay, created_at \
    FROM webhook_dead_letters";

/// Gives up on the event at `cursor`, and goes on behind it.
pub async fn bury(
    db: &Db,
    fence: &Fence,
    cursor: i64,
    event: Value,
    attempts: i64,
    error: &str,
) -> Result<(), StoreError> {
    let (fence, error) = (fence.clone(), error.to_owned());
    db.write(move |conn| {
        const ON: &str = "UPDATE webhooks SET log_position = $1, failures = 0, \
            next_attempt = NULL, last_error = $2 \
            WHERE uuid = $3 AND version = $4 AND holder = $5 AND generation = $6";
        fenced(conn, ON, &fence, &[cursor.into(), (&error).into()])?;
        let id = fence.id.to_string();
        // It may have been given up before, and been reached again by a replay.
        forget(conn, &id, cursor)?;
        const INSERT: &str = "INSERT INTO webhook_dead_letters (webhook_uuid, log_position, \
            event_data, attempts, last_error, replay, created_at) \
            VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let params = [
            (&id).into(),
            cursor.into(),
            event.to_string().into(),
            attempts.into(),
            (&error).into(),
            false.into(),
            Timestamp::now().into(),
        ];
        conn.execute(INSERT, &params)?;
        trim(conn, &id)
    })
    .await
}

fn trim(conn: &mut Conn, id: &str) -> Result<(), StoreError> {
    const OLDEST_KEPT: &str = "SELECT MIN(id) FROM (SELECT id FROM webhook_dead_letters \
        WHERE webhook_uuid = $1 ORDER BY id DESC LIMIT $2) AS kept";
    if let Some(kept) = conn.number(OLDEST_KEPT, &[id.into(), MOST.into()])? {
        let sql = "DELETE FROM webhook_dead_letters WHERE webhook_uuid = $1 AND id < $2";
        conn.execute(sql, &[id.into(), kept.into()])?;
    }
    Ok(())
}

fn forget(conn: &mut Conn, id: &str, cursor: i64) -> Result<u64, StoreError> {
    let sql = "DELETE FROM webhook_dead_letters WHERE webhook_uuid = $1 AND log_position = $2";
    conn.execute(sql, &[id.into(), cursor.into()])
}

/// Those behind a cursor, oldest first.
pub async fn dead_letters(
    db: &Db,
    id: WebhookId,
    after: i64,
    limit: u32,
) -> Result<Vec<DeadLetter>, StoreError> {
    db.read(move |conn| {
        let sql = format!(
            "{SELECT} WHERE webhook_uuid = $1 AND log_position > $2 \
             ORDER BY log_position LIMIT $3"
        );
        let params = [id.to_string().into(), after.into(), i64::from(limit).into()];
        conn.query(&sql, &params, decode)
    })
    .await
}

/// Requests a retry of one of them, or of all; returns how many. The webhook's version is raised,
/// so that its delivery process notices.
pub async fn mark_for_replay(
    db: &Db,
    id: WebhookId,
    cursor: Option<i64>,
) -> Result<u64, StoreError> {
    db.write(move |conn| {
        let id = id.to_string();
        let marked = match cursor {
            Some(cursor) => {
                const ONE: &str = "UPDATE webhook_dead_letters SET replay = $1 \
                    WHERE webhook_uuid = $2 AND log_position = $3";
                conn.execute(ONE, &[true.into(), (&id).into(), cursor.into()])?
            }
            None => {
                const ALL: &str =
                    "UPDATE webhook_dead_letters SET replay = $1 WHERE webhook_uuid = $2";
                conn.execute(ALL, &[true.into(), (&id).into()])?
            }
        };
        let look = "UPDATE webhooks SET version = version + 1 WHERE uuid = $1";
        conn.execute(look, &[(&id).into()])?;
        Ok(marked)
    })
    .await
}

/// The oldest one that is to be tried again.
pub async fn next_replay(db: &Db, id: WebhookId) -> Result<Option<DeadLetter>, StoreError> {
    db.read(move |conn| {
        let sql = format!(
            "{SELECT} WHERE webhook_uuid = $1 AND replay = $2 ORDER BY log_position LIMIT 1"
        );
        conn.query_opt(&sql, &[id.to_string().into(), true.into()], decode)
    })
    .await
}

/// Records a retry: the dead letter is deleted, or stays with the new error. Refused if another
/// retry was requested meanwhile, which this would undo.
pub async fn replayed(
    db: &Db,
    fence: &Fence,
    cursor: i64,
    error: Option<&str>,
) -> Result<(), StoreError> {
    let (fence, error) = (fence.clone(), error.map(str::to_owned));
    db.write(move |conn| {
        let id = fence.id.to_string();
        let Some(error) = &error else {
            return forget(conn, &id, cursor).map(|_| ());
        };
        const FAILED: &str = "UPDATE webhooks SET last_error = $1 \
            WHERE uuid = $2 AND version = $3 AND holder = $4 AND generation = $5";
        fenced(conn, FAILED, &fence, &[error.as_str().into()])?;
        const STAYS: &str = "UPDATE webhook_dead_letters SET replay = $1, \
            attempts = attempts + 1, last_error = $2 \
            WHERE webhook_uuid = $3 AND log_position = $4";
        let params = [false.into(), error.into(), (&id).into(), cursor.into()];
        conn.execute(STAYS, &params).map(|_| ())
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<DeadLetter, StoreError> {
    let r = &mut Reader::new(row, "webhook_dead_letters", COLUMNS);
    Ok(DeadLetter {
        cursor: r.int()?,
        event: r.json()?,
        attempts: r.int()?,
        last_error: r.text()?,
        replay: r.boolean()?,
        created_at: r.time()?,
    })
}
