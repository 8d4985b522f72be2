//! What the sender needs: the claim to be the one, the messages, and getting rid of them.
//!
//! One process of a cluster sends, so that messages leave in order. Its claim is a row with a
//! heartbeat counter; a process that sees the counter unchanged for long enough, on its own
//! monotonic clock, takes the claim over. A sender that was paused meanwhile notices when it
//! deletes messages from the table: the new sender owns them, and they may be sent a second time,
//! as duplicates with the same identifiers.

use super::Pending;
use crate::{
    Db, Engine, StoreError,
    conn::{Conn, Reader},
};
use std::time::Duration;
use types::Timestamp;

/// How long rows of other processes may wait until they are seen.
const LOOK: Duration = Duration::from_millis(500);

/// A process that would send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimant {
    /// Unique among running processes: an old incarnation is replaced at once.
    pub host: String,
    /// Random; tells incarnations apart.
    pub token: String,
}

/// The heartbeat counter of another process's claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen(i64);

/// Whose the claim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    Mine,
    /// Another process sends; the caller must watch whether it is alive.
    Other(Seen),
}

/// Requests the claim. It is granted when it is free, when an earlier incarnation of this host has
/// it, and when its heartbeat counter is still `dead`.
pub async fn claim(db: &Db, me: &Claimant, dead: Option<Seen>) -> Result<Claim, StoreError> {
    let me = me.clone();
    db.write(move |conn| {
        const SELECT: &str = "SELECT host, token, beat FROM senders WHERE name = 'notifications'";
        let found = conn.query_opt(SELECT, &[], |row| {
            let r = &mut Reader::new(row, "senders", &["host", "token", "beat"]);
            Ok((r.opt_text()?, r.opt_text()?, r.int()?))
        })?;
        let (host, token, beat) = found.ok_or(StoreError::NotFound)?;
        if token.as_ref() == Some(&me.token) {
            return Ok(Claim::Mine);
        }
        let free = token.is_none() || host.as_ref() == Some(&me.host) || dead == Some(Seen(beat));
        if !free {
            return Ok(Claim::Other(Seen(beat)));
        }
        const TAKE: &str = "UPDATE senders SET host = $1, token = $2, beat = beat + 1 \
            WHERE name = 'notifications' AND beat = $3";
        let params = [(&me.host).into(), (&me.token).into(), beat.into()];
        Ok(match conn.execute(TAKE, &params)? {
            0 => Claim::Other(Seen(beat)),
            _ => Claim::Mine,
        })
    })
    .await
}

/// Increments the heartbeat counter; false when the claim was lost.
pub async fn renew(db: &Db, me: &Claimant) -> Result<bool, StoreError> {
    let token = me.token.clone();
    db.write(move |conn| beat(conn, &token)).await
}

/// Lets go of the claim, if it is ours.
pub async fn release(db: &Db, me: &Claimant) -> Result<(), StoreError> {
    let token = me.token.clone();
    db.write(move |conn| {
        const RELEASE: &str = "UPDATE senders SET host = NULL, token = NULL, beat = beat + 1 \
            WHERE name = 'notifications' AND token = $1";
        conn.execute(RELEASE, &[(&token).into()]).map(|_| ())
    })
    .await
}

/// The oldest messages, in order.
pub async fn pending(db: &Db, limit: u32) -> Result<Vec<Pending>, StoreError> {
    db.read(move |conn| {
        const SELECT: &str = "SELECT id, level, body FROM notifications ORDER BY id LIMIT $1";
        conn.query(SELECT, &[i64::from(limit).into()], |row| {
            let r = &mut Reader::new(row, "notifications", &["id", "level", "body"]);
            Ok(Pending {
                id: r.int()?,
                level: r.parsed()?,
                body: r.text()?,
            })
        })
    })
    .await
}

/// When the oldest message was written that still waits.
pub async fn oldest(db: &Db) -> Result<Option<Timestamp>, StoreError> {
    const OLDEST: &str = "SELECT created_at FROM notifications ORDER BY id LIMIT 1";
    let found = db.get(|conn| conn.number(OLDEST, &[])).await?;
    Ok(found.map(Timestamp))
}

/// Removes what the bus has. False when the claim was lost; then nothing is removed.
pub async fn sent(db: &Db, me: &Claimant, ids: Vec<i64>) -> Result<bool, StoreError> {
    let token = me.token.clone();
    db.write(move |conn| {
        if !beat(conn, &token)? {
            return Ok(false);
        }
        for id in &ids {
            conn.execute("DELETE FROM notifications WHERE id = $1", &[(*id).into()])?;
        }
        Ok(true)
    })
    .await
}

/// Deletes messages that could not be sent for this long, as far as they are among the oldest
/// `batch`; returns how many.
pub async fn discard(db: &Db, before: Timestamp, batch: i64) -> Result<u64, StoreError> {
    db.write(move |conn| {
        // Only the beginning is looked at: messages are numbered about as they are written.
        const NEWEST: &str = "SELECT MAX(id) FROM (SELECT id, created_at FROM notifications \
            ORDER BY id LIMIT $1) AS oldest WHERE created_at < $2";
        let Some(newest) = conn.number(NEWEST, &[batch.into(), before.into()])? else {
            return Ok(0);
        };
        const DELETE: &str = "DELETE FROM notifications WHERE id <= $1 AND created_at < $2";
        conn.execute(DELETE, &[newest.into(), before.into()])
    })
    .await
}

/// Returns once there are messages, or when the time is up.
pub async fn wait(db: &Db, at_most: Duration) -> Result<(), StoreError> {
    let mut news = match db.engine() {
        Engine::Sqlite => db.bell(),
        // The bell waits for events to be numbered, which notifications need not.
        _ => db.news(),
    };
    let deadline = tokio::time::Instant::now() + at_most;
    loop {
        news.borrow_and_update();
        let any = db.get(|conn| conn.number("SELECT MIN(id) FROM notifications", &[]));
        if any.await?.is_some() || tokio::time::Instant::now() >= deadline {
            return Ok(());
        }
        let limit = match db.engine() {
            Engine::Sqlite => deadline,
            // Other processes write too, and do not ring our bell.
            _ => deadline.min(tokio::time::Instant::now() + LOOK),
        };
        // An error means that the database is being closed; the next look says so.
        let _ = tokio::time::timeout_at(limit, news.changed()).await;
    }
}

fn beat(conn: &mut Conn, token: &str) -> Result<bool, StoreError> {
    const BEAT: &str = "UPDATE senders SET beat = beat + 1 \
        WHERE name = 'notifications' AND token = $1";
    Ok(conn.execute(BEAT, &[token.into()])? > 0)
}
