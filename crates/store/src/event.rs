//! The event log: appended with the change it tells of, read by cursor in commit order.
//!
//! A plain autoincrement would not do on a server with many writers: a row with a lower number can
//! become visible after one with a higher number, and a reader that moved on misses it. So rows are
//! inserted without a position, and a sequencer numbers what is committed while it holds the lock
//! on the counter's row. On SQLite there is one writer, which numbers at once.

use crate::{
    Db, StoreError,
    conn::{Conn, Engine, Reader, Row},
    fit,
    page::Conditions,
    pool::Connect,
};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::sync::watch;
use types::{
    NodeId, Timestamp,
    event::{EventKind, LoggedEvent, NewEvent},
};

/// A stretch of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct EventPage {
    pub events: Vec<LoggedEvent>,
    /// Where to go on reading: everything up to here was looked at.
    pub next: i64,
    /// Whether that was the end of the log.
    pub at_end: bool,
}

/// How many rows are numbered in one go.
const SEQUENCE_BATCH: i64 = 1000;
/// How long a row of a process that died before numbering may wait for another one's sequencer,
/// and how often this process looks for what others wrote, however many readers it has.
const IDLE: Duration = Duration::from_millis(500);
/// How much of the log is searched at a time for events of some kinds or of some project, which
/// no index finds.
const STRETCH: i64 = 20_000;

const COLUMNS: &[&str] = &[
    "sequence",
    "at",
    "node_uuid",
    "node_name",
    "kind",
    "text_line",
    "data",
    "user_name",
    "project",
    "request_id",
];

pub(crate) fn append(conn: &mut Conn, event: &NewEvent) -> Result<(), StoreError> {
    let sequence = match conn.engine() {
        Engine::Sqlite => {
            conn.execute(
                "UPDATE counters SET value = value + 1 WHERE name = 'events'",
                &[],
            )?;
            conn.number("SELECT value FROM counters WHERE name = 'events'", &[])?
        }
        Engine::Postgres | Engine::MariaDb => None,
    };
    const INSERT: &str = "INSERT INTO events (sequence, at, node_uuid, node_name, kind, \
        text_line, data, user_name, project, request_id) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let params = [
        sequence.into(),
        Timestamp::now().into(),
        event.node.to_string().into(),
        event.node_name.as_deref().into(),
        event.kind.as_str().into(),
        (&event.text).into(),
        event.data.to_string().into(),
        fit::cut(event.user.as_deref()).into(),
        fit::cut(event.project.as_deref()).into(),
        fit::cut(event.request_id.as_deref()).into(),
    ];
    conn.execute(INSERT, &params).map(|_| ())
}

/// Which events a reader gets. Absent values ask nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    pub node: Option<NodeId>,
    /// Owner or lessee of the node, which must still exist.
    pub project: Option<String>,
    /// Any of these kinds; all kinds when empty.
    pub kinds: Vec<EventKind>,
}

impl EventFilter {
    /// Whether events are searched for one by one.
    fn searches(&self) -> bool {
        self.node.is_none() && (self.project.is_some() || !self.kinds.is_empty())
    }
}

impl From<NodeId> for EventFilter {
    fn from(node: NodeId) -> Self {
        Self {
            node: Some(node),
            ..Self::default()
        }
    }
}

/// Events behind `cursor`, at most `limit`. A page may be empty before the end of the log, where
/// little of it fits the filter.
pub async fn after(
    db: &Db,
    cursor: i64,
    limit: u32,
    filter: EventFilter,
) -> Result<EventPage, StoreError> {
    db.read(move |conn| {
        let end = known_end(conn, cursor)?;
        let last = if filter.searches() {
            let next = next_after(conn, cursor)?.unwrap_or(end);
            end.min(next.saturating_add(STRETCH))
        } else {
            end
        };
        let mut c = Conditions::default();
        c.compare("sequence", ">", cursor);
        c.compare("sequence", "<=", last);
        c.equal_if("node_uuid", filter.node.map(|id| id.to_string()));
        let kinds = filter.kinds.iter().map(|kind| kind.as_str().to_owned());
        c.one_of("kind", kinds.collect());
        if let Some(project) = &filter.project {
            c.node_of(project);
        }
        let limit = i64::from(limit);
        let (conditions, mut params) = c.into_parts();
        params.push(limit.into());
        let sql = format!(
            "SELECT {} FROM events{conditions} ORDER BY sequence LIMIT ${}",
            COLUMNS.join(", "),
            params.len()
        );
        let events = conn.query(&sql, &params, decode)?;
        // After the rows were read: what was forgotten meanwhile would be missing among them.
        let oldest = conn
            .number("SELECT MIN(sequence) FROM events", &[])?
            .unwrap_or(end + 1);
        if cursor + 1 < oldest {
            return Err(StoreError::CursorTooOld { oldest });
        }
        // A full page may have more behind it; otherwise everything up to here was seen.
        let full = events.len() as i64 == limit;
        let next = events
            .last()
            .filter(|_| full)
            .map_or(last.max(cursor), |event| event.cursor);
        Ok(EventPage {
            events,
            next,
            at_end: next >= end,
        })
    })
    .await
}

/// The newest events about a node, oldest of them first.
pub async fn latest(db: &Db, node: NodeId, limit: u32) -> Result<Vec<LoggedEvent>, StoreError> {
    db.read(move |conn| {
        let sql = format!(
            "SELECT {} FROM events WHERE node_uuid = $1 AND sequence IS NOT NULL \
             ORDER BY sequence DESC LIMIT $2",
            COLUMNS.join(", ")
        );
        let params = [node.to_string().into(), i64::from(limit).into()];
        let mut events = conn.query(&sql, &params, decode)?;
        events.reverse();
        Ok(events)
    })
    .await
}

/// The newest events about each of these nodes, oldest of them first.
pub async fn latest_of(
    db: &Db,
    nodes: Vec<NodeId>,
    limit: u32,
) -> Result<Vec<(NodeId, Vec<LoggedEvent>)>, StoreError> {
    db.read(move |conn| {
        let sql = format!(
            "SELECT {} FROM events WHERE node_uuid = $1 AND sequence IS NOT NULL \
             ORDER BY sequence DESC LIMIT $2",
            COLUMNS.join(", ")
        );
        let mut found = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let params = [node.to_string().into(), i64::from(limit).into()];
            let mut events = conn.query(&sql, &params, decode)?;
            events.reverse();
            found.push((*node, events));
        }
        Ok(found)
    })
    .await
}

/// The nodes that the events behind a cursor are about, each once, and where that ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concerned {
    pub nodes: BTreeSet<NodeId>,
    pub next: i64,
    pub at_end: bool,
}

/// Whom at most `limit` events behind `cursor` are about.
pub async fn concerned(db: &Db, cursor: i64, limit: u32) -> Result<Concerned, StoreError> {
    db.get(move |conn| {
        let end = known_end(conn, cursor)?;
        if end == cursor {
            return Ok(Concerned {
                nodes: BTreeSet::new(),
                next: cursor,
                at_end: true,
            });
        }
        const SQL: &str = "SELECT sequence, node_uuid FROM events WHERE sequence > $1 \
            AND sequence <= $2 ORDER BY sequence LIMIT $3";
        let limit = i64::from(limit);
        let rows = conn.query(SQL, &[cursor.into(), end.into(), limit.into()], |row| {
            let r = &mut Reader::new(row, "events", &["sequence", "node_uuid"]);
            Ok((r.int()?, r.parsed::<NodeId>()?))
        })?;
        // Positions are dense: where one is missing, events were forgotten.
        let mut expected = cursor + 1;
        for (place, _) in &rows {
            if *place != expected {
                return Err(StoreError::CursorTooOld { oldest: *place });
            }
            expected += 1;
        }
        let full = rows.len() as i64 == limit;
        let next = rows.last().filter(|_| full).map_or(end, |last| last.0);
        if !full && expected != end + 1 {
            return Err(StoreError::CursorTooOld { oldest: end + 1 });
        }
        Ok(Concerned {
            nodes: rows.into_iter().map(|(_, node)| node).collect(),
            next,
            at_end: next >= end,
        })
    })
    .await
}

/// Tells of something that changes no row.
pub async fn tell(db: &Db, event: NewEvent) -> Result<(), StoreError> {
    db.told(move |conn| append(conn, &event)).await
}

/// The position of the newest event.
pub async fn newest(db: &Db) -> Result<i64, StoreError> {
    db.get(end).await
}

/// Wakes readers when there may be new events in the log. All readers of a process share it, so
/// that waiting costs the database nothing.
#[derive(Debug)]
pub struct Bell(watch::Receiver<u64>);

impl Bell {
    pub fn of(db: &Db) -> Self {
        Self(db.bell())
    }

    /// Forgets earlier rings; to be called before the log is read, so that whatever comes after
    /// that rings again.
    pub fn listen(&mut self) {
        self.0.borrow_and_update();
    }

    /// Whether it rang since [`Bell::listen`].
    pub fn has_rung(&self) -> bool {
        self.0.has_changed().unwrap_or(false)
    }

    /// Returns with the next ring. The database must be open for as long.
    pub async fn rings(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Returns once there may be events behind `cursor`, or when the time is up.
pub async fn wait(db: &Db, cursor: i64, at_most: Duration) -> Result<(), StoreError> {
    let mut bell = Bell::of(db);
    let deadline = tokio::time::Instant::now() + at_most;
    loop {
        bell.listen();
        if newest(db).await? > cursor || tokio::time::Instant::now() >= deadline {
            return Ok(());
        }
        let _ = tokio::time::timeout_at(deadline, bell.rings()).await;
    }
}

/// Forgets events older than `before`, at most `batch` of them; returns how many.
pub async fn purge(db: &Db, before: Timestamp, batch: i64) -> Result<u64, StoreError> {
    db.write(move |conn| {
        // Only the beginning of the log is looked at: events are numbered as they happen, so where
        // none of the first is old none of the others is.
        let newest_old: Option<i64> = conn.number(
            "SELECT MAX(sequence) FROM (SELECT sequence, at FROM events WHERE sequence IS NOT NULL \
             ORDER BY sequence LIMIT $1) AS oldest WHERE at < $2",
            &[batch.into(), before.into()],
        )?;
        match newest_old {
            Some(last) => conn.execute("DELETE FROM events WHERE sequence <= $1", &[last.into()]),
            None => Ok(0),
        }
    })
    .await
}

pub(crate) fn end(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(conn
        .number("SELECT value FROM counters WHERE name = 'events'", &[])?
        .unwrap_or(0))
}

/// The place of the first event behind a cursor.
fn next_after(conn: &mut Conn, cursor: i64) -> Result<Option<i64>, StoreError> {
    const NEXT: &str = "SELECT MIN(sequence) FROM events WHERE sequence > $1";
    conn.number(NEXT, &[cursor.into()])
}

/// The end of the log. Fails for a cursor that this log never had: its reader has read another log,
/// and would miss the events that this one has at those positions.
fn known_end(conn: &mut Conn, cursor: i64) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT name, value FROM counters WHERE name IN \
        ('events', 'events_lost_after', 'events_lost_until')";
    let rows: Vec<(String, i64)> = conn.query(SQL, &[], |row| {
        let r = &mut Reader::new(row, "counters", &["name", "value"]);
        Ok((r.text()?, r.int()?))
    })?;
    let value = |name: &str| rows.iter().find(|row| row.0 == name).map(|row| row.1);
    let end = value("events").unwrap_or(0);
    let lost = value(LOST_AFTER).zip(value(LOST_UNTIL));
    match lost {
        Some((after, until)) if (after + 1..until).contains(&cursor) => {
            Err(StoreError::CursorUnknown { next: until + 1 })
        }
        _ if cursor > end => Err(StoreError::CursorUnknown {
            next: next_after(conn, 0)?.unwrap_or(end + 1),
        }),
        _ => Ok(end),
    }
}

/// How far the log jumps when it is restored: farther than any log grows between a backup and its
/// restoration, so that no place is used twice. Readers and receivers know events by their place.
const JUMP: i64 = 1_000_000_000;
/// The counters with the places that were left out by the last jump, both ends not among them.
const LOST_AFTER: &str = "events_lost_after";
const LOST_UNTIL: &str = "events_lost_until";

/// Moves the end of the log behind all cursors that may have been read, at least behind `floor`.
/// For a database that was restored from a backup and is not in use yet.
pub(crate) fn jump(conn: &mut Conn, floor: i64) -> Result<(), StoreError> {
    let after = end(conn)?;
    let until = after.max(floor).saturating_add(JUMP);
    for (name, value) in [("events", until), (LOST_AFTER, after), (LOST_UNTIL, until)] {
        conn.execute("DELETE FROM counters WHERE name = $1", &[name.into()])?;
        const INSERT: &str = "INSERT INTO counters (name, value) VALUES ($1, $2)";
        conn.execute(INSERT, &[name.into(), value.into()])?;
    }
    Ok(())
}

fn decode(row: &Row<'_>) -> Result<LoggedEvent, StoreError> {
    let r = &mut Reader::new(row, "events", COLUMNS);
    Ok(LoggedEvent {
        cursor: r.int()?,
        at: r.time()?,
        node: r.parsed()?,
        node_name: r.opt_text()?,
        kind: r.parsed()?,
        text: r.text()?,
        data: r.json()?,
        user: r.opt_text()?,
        project: r.opt_text()?,
        request_id: r.opt_text()?,
    })
}

/// Numbers committed events in the background, on a connection of its own. Every process may run
/// one: the lock on the counter's row makes them take turns.
pub(crate) fn spawn_sequencer(db: &Db, connect: &Connect) -> Result<(), StoreError> {
    let weak = Arc::downgrade(&db.0);
    let connect = Arc::clone(connect);
    let mut conn = Some(connect()?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| StoreError::Unavailable(Box::new(error)))?;
    let mut news = db.news();
    let mut position = None;
    std::thread::Builder::new()
        .name("db-sequencer".into())
        .spawn(move || {
            loop {
                // Before reading: later announcements wake us again.
                news.borrow_and_update();
                if conn.is_none() {
                    conn = connect().ok();
                }
                match conn.as_mut().map(advance) {
                    None => {}
                    // Other processes number too: their events ring the bell as well as ours.
                    Some(Ok(now)) if position.replace(now) == Some(now) => {}
                    Some(Ok(_)) => match weak.upgrade() {
                        Some(inner) => Db(inner).ring(),
                        None => return,
                    },
                    Some(Err(error)) => {
                        let error = types::error::chain(&error);
                        tracing::warn!(%error, "the event sequencer cannot number new events: retrying");
                        conn = None;
                    }
                }
                // The sender is gone with the last handle to the database.
                let woken =
                    runtime.block_on(async { tokio::time::timeout(IDLE, news.changed()).await });
                if woken.is_ok_and(|changed| changed.is_err()) {
                    return;
                }
            }
        })
        .map_err(|error| StoreError::Unavailable(Box::new(error)))?;
    Ok(())
}

/// Gives positions to all committed events; returns where the log ends then.
fn advance(conn: &mut Conn) -> Result<i64, StoreError> {
    while number(conn)? == SEQUENCE_BATCH {}
    end(conn)
}

/// Gives positions to committed events that have none; returns how many.
fn number(conn: &mut Conn) -> Result<i64, StoreError> {
    // Looking first keeps the lock off the common path of an idle system.
    let waiting = "SELECT COUNT(*) FROM events WHERE sequence IS NULL";
    if conn.number(waiting, &[])?.unwrap_or(0) == 0 {
        return Ok(0);
    }
    conn.batch("BEGIN")?;
    let numbered = number_locked(conn);
    conn.batch(if numbered.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    })?;
    numbered
}

fn number_locked(conn: &mut Conn) -> Result<i64, StoreError> {
    let base = conn
        .number(
            "SELECT value FROM counters WHERE name = 'events' FOR UPDATE",
            &[],
        )?
        .unwrap_or(0);
    // Under the lock: what another sequencer numbered before us is visible now.
    let ids: Vec<i64> = conn.query(
        "SELECT id FROM events WHERE sequence IS NULL ORDER BY id LIMIT $1",
        &[SEQUENCE_BATCH.into()],
        |row| Reader::new(row, "events", &["id"]).int(),
    )?;
    let mut next = base;
    for id in ids {
        next += 1;
        conn.execute(
            "UPDATE events SET sequence = $1 WHERE id = $2",
            &[next.into(), id.into()],
        )?;
    }
    conn.execute(
        "UPDATE counters SET value = $1 WHERE name = 'events'",
        &[next.into()],
    )?;
    Ok(next - base)
}
