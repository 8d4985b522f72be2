//! Batches and their nodes.
//!
//! Two kinds of writers share the row of a batch. Requests change its state, and name the states
//! that they may change. The conductor that runs it names the generation that it was granted
//! ([`run`]), and writes how far it is. What either tells the log is in the same transaction.

mod removal;
mod rights;
mod run;

pub use removal::{delete, purge};
pub use rights::{Hindrance, hindrance, owners};
pub use run::{
    BatchFence, Change, Seen, Turn, advance, begin, claim, finish, is_told, look, release, settle,
    skip_waiting, stop, waiting,
};

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    event,
    fit::{self, Widths},
};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use types::{
    BatchId, NodeId, Timestamp,
    batch::{Batch, BatchAction, BatchNode, BatchNodeState, BatchState, Member},
    event::{EventKind, NewEvent},
    lease::Holder,
};

/// How many batches there may be that have not ended.
pub const MOST_OPEN: i64 = 200;
/// How many of them may be of one project, or of one user without a project.
pub const MOST_OPEN_OF_ONE: i64 = 20;
/// How many rows are written or removed by one statement.
const AT_ONCE: usize = 100;

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "description",
    "query_text",
    "action",
    "word",
    "request",
    "state",
    "reason",
    "node_count",
    "wave_sizes",
    "wave",
    "at_once",
    "max_failures",
    "forgiven",
    "user_name",
    "project",
    "maker",
    "holder",
    "holder_epoch",
    "generation",
    "created_at",
    "updated_at",
    "ended_at",
];
const NODE_COLUMNS: &[&str] = &[
    "place",
    "node_uuid",
    "node_name",
    "wave",
    "state",
    "reason",
    "last_error",
    "log_position",
    "asked_at",
    "ended_at",
];
static WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::of("batches"));
static SELECT: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM batches", COLUMNS.join(", ")));
static SELECT_NODES: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM batch_nodes", NODE_COLUMNS.join(", ")));

/// Of what there are too many that have not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooMany {
    /// Batches of the project, or of the user without a project.
    OfOne,
    OfAll,
}

/// Stores a new batch with its nodes, in their order.
pub async fn insert(
    db: &Db,
    batch: Batch,
    action: BatchAction,
    nodes: Vec<Member>,
) -> Result<Result<Batch, TooMany>, StoreError> {
    let keys = db.keys().clone();
    let nodes = Arc::new(nodes);
    let stored = db
        .write(move |conn| {
            if let Some(too_many) = too_many(conn, &batch)? {
                return Ok(Err(too_many));
            }
            let id = batch.id.to_string();
            let request = serde_json::to_value(&action)
                .map_err(|error| StoreError::Secret(error.to_string()))?;
            let sealed = keys.seal(&request, &id)?;
            const INSERT: &str = "INSERT INTO batches (uuid, version, description, query_text, \
                action, word, request, state, node_count, wave_sizes, wave, at_once, \
                max_failures, forgiven, user_name, project, maker, generation, created_at) \
                VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, 0, $12, $13, $14, 0, \
                $15)";
            let values: [P<'_>; 15] = [
                id.as_str().into(),
                batch.description.as_deref().into(),
                batch.query.as_deref().into(),
                batch.action.as_str().into(),
                batch.word.as_str().into(),
                P::json(&sealed),
                BatchState::Running.as_str().into(),
                batch.node_count.into(),
                P::json(&batch.wave_sizes),
                batch.at_once.into(),
                batch.max_failures.into(),
                fit::cut(batch.user.as_deref()).into(),
                fit::cut(batch.project.as_deref()).into(),
                batch.maker.as_ref().map_or(P::Null, P::json),
                batch.created_at.into(),
            ];
            WIDTHS.check(&["uuid", "description", "query_text"], &values)?;
            conn.execute(INSERT, &values)?;
            insert_nodes(conn, &id, &batch.wave_sizes, &nodes)?;
            let word = format!("{} {}", batch.action, batch.word);
            let text = format!(
                "batch {id}: {word} for {} nodes in {} waves was asked for",
                batch.node_count,
                batch.wave_sizes.len()
            );
            tell(conn, &batch, BatchState::Running, text)?;
            load(conn, batch.id)?.ok_or(StoreError::NotFound).map(Ok)
        })
        .await?;
    db.announce();
    Ok(stored)
}

const ENDED: [&str; 2] = [BatchState::Done.as_str(), BatchState::Aborted.as_str()];

/// Whether there is no room for one more batch of this project or user.
fn too_many(conn: &mut Conn, batch: &Batch) -> Result<Option<TooMany>, StoreError> {
    const OPEN: &str = "SELECT user_name, project FROM batches WHERE state NOT IN ($1, $2)";
    let open = conn.query(OPEN, &ENDED.map(Into::into), |row| {
        let r = &mut Reader::new(row, "batches", &["user_name", "project"]);
        Ok(payer(r.opt_text()?, r.opt_text()?))
    })?;
    let own = payer(
        fit::cut(batch.user.as_deref()),
        fit::cut(batch.project.as_deref()),
    );
    let of_one = open.iter().filter(|other| **other == own).count();
    Ok(if reaches(of_one, MOST_OPEN_OF_ONE) {
        Some(TooMany::OfOne)
    } else {
        reaches(open.len(), MOST_OPEN).then_some(TooMany::OfAll)
    })
}

fn reaches(count: usize, most: i64) -> bool {
    i64::try_from(count).unwrap_or(i64::MAX) >= most
}

/// Whose batches are counted together: those of a project, or of a user without one.
fn payer(user: Option<String>, project: Option<String>) -> (Option<String>, Option<String>) {
    match project {
        Some(project) => (None, Some(project)),
        None => (user, None),
    }
}

fn insert_nodes(
    conn: &mut Conn,
    batch: &str,
    waves: &[u64],
    nodes: &[Member],
) -> Result<(), StoreError> {
    const EACH: usize = 7;
    let of_waves = waves.iter().zip(0i64..).flat_map(|(size, wave)| {
        let size = usize::try_from(*size).unwrap_or(usize::MAX);
        std::iter::repeat_n(wave, size)
    });
    let rows: Vec<_> = nodes.iter().zip(0i64..).zip(of_waves).collect();
    for some in rows.chunks(AT_ONCE) {
        let mut sql = "INSERT INTO batch_nodes (batch_uuid, place, node_uuid, node_name, wave, \
            state, owners) VALUES "
            .to_owned();
        let mut params: Vec<P<'_>> = Vec::with_capacity(some.len() * EACH);
        for ((member, place), wave) in some {
            let first = params.len() + 1;
            let comma = if first == 1 { "" } else { ", " };
            let marks: Vec<String> = (first..first + EACH).map(|n| format!("${n}")).collect();
            sql.push_str(&format!("{comma}({})", marks.join(", ")));
            params.extend([
                batch.into(),
                (*place).into(),
                member.node.to_string().into(),
                member.name.as_deref().into(),
                (*wave).into(),
                BatchNodeState::Waiting.as_str().into(),
                P::json(&member.owners),
            ]);
        }
        conn.execute(&sql, &params)?;
    }
    Ok(())
}

/// Tells the log of a batch as a whole. Every event is about a node: this one is about the first
/// node of the batch, which everybody who may see the batch may see.
fn tell(conn: &mut Conn, batch: &Batch, state: BatchState, text: String) -> Result<(), StoreError> {
    const FIRST: &str =
        "SELECT node_uuid, node_name FROM batch_nodes WHERE batch_uuid = $1 AND place = 0";
    let first = conn.query_opt(FIRST, &[batch.id.to_string().into()], |row| {
        let r = &mut Reader::new(row, "batch_nodes", &["node_uuid", "node_name"]);
        Ok((r.parsed()?, r.opt_text()?))
    })?;
    let Some((node, node_name)) = first else {
        return Ok(());
    };
    let data = json!({"batch": batch.id, "state": state, "wave": batch.wave + 1});
    append(conn, batch, node, node_name, text, data)
}

fn append(
    conn: &mut Conn,
    batch: &Batch,
    node: NodeId,
    node_name: Option<String>,
    text: String,
    data: Value,
) -> Result<(), StoreError> {
    let event = NewEvent {
        node,
        node_name,
        kind: EventKind::Batch,
        text,
        data,
        user: batch.user.clone(),
        project: batch.project.clone(),
        request_id: None,
    };
    event::append(conn, &event)
}

/// The batch with this UUID.
pub async fn find(db: &Db, id: BatchId) -> Result<Option<Batch>, StoreError> {
    db.get(move |conn| load(conn, id)).await
}

fn load(conn: &mut Conn, id: BatchId) -> Result<Option<Batch>, StoreError> {
    let sql = format!("{} WHERE uuid = $1", *SELECT);
    conn.query_opt(&sql, &[id.to_string().into()], decode)
}

/// All batches, the newest first.
pub async fn list(db: &Db) -> Result<Vec<Batch>, StoreError> {
    db.read(|conn| conn.query(&format!("{} ORDER BY id DESC", *SELECT), &[], decode))
        .await
}

/// The batches that have not ended.
pub async fn open(db: &Db) -> Result<Vec<Batch>, StoreError> {
    db.get(|conn| {
        let sql = format!("{} WHERE state IN ($1, $2, $3, $4) ORDER BY id", *SELECT);
        let states = [
            BatchState::Running,
            BatchState::Paused,
            BatchState::Stopped,
            BatchState::Aborting,
        ];
        conn.query(&sql, &states.map(|state| state.as_str().into()), decode)
    })
    .await
}

/// What a batch does.
pub fn action_of(db: &Db, batch: &Batch) -> Result<BatchAction, StoreError> {
    let open = db.keys().open(&batch.request, &batch.id.to_string())?;
    serde_json::from_value(open).map_err(|error| StoreError::Corrupt {
        table: "batches",
        column: "request".to_owned(),
        reason: error.to_string(),
    })
}

/// How many nodes of a batch are in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub state: BatchNodeState,
    pub nodes: i64,
}

/// How many nodes of a batch are in which state.
pub async fn counts(db: &Db, id: BatchId) -> Result<Vec<Count>, StoreError> {
    db.get(move |conn| {
        const SQL: &str =
            "SELECT state, COUNT(*) FROM batch_nodes WHERE batch_uuid = $1 GROUP BY state";
        conn.query(SQL, &[id.to_string().into()], |row| {
            let r = &mut Reader::new(row, "batch_nodes", &["state", "count"]);
            Ok(Count {
                state: r.parsed()?,
                nodes: r.int()?,
            })
        })
    })
    .await
}

/// The nodes of a batch behind a place, in their order; those in one state, if one is given.
pub async fn nodes(
    db: &Db,
    id: BatchId,
    state: Option<BatchNodeState>,
    after: i64,
    limit: u32,
) -> Result<Vec<BatchNode>, StoreError> {
    db.read(move |conn| {
        let mut values: Vec<P<'_>> = vec![id.to_string().into(), after.into()];
        let mut sql = format!("{} WHERE batch_uuid = $1 AND place > $2", *SELECT_NODES);
        if let Some(state) = state {
            values.push(state.as_str().into());
            sql.push_str(" AND state = $3");
        }
        sql.push_str(&format!(" ORDER BY place LIMIT {limit}"));
        conn.query(&sql, &values, decode_node)
    })
    .await
}

/// What somebody wants of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    Pause,
    Resume,
    Abort,
}

impl Wish {
    /// The states in which it can be had, and the one that it leads to.
    fn states(self) -> (&'static [BatchState], BatchState) {
        use BatchState as S;
        match self {
            Self::Pause => (&[S::Running], S::Paused),
            Self::Resume => (&[S::Paused, S::Stopped], S::Running),
            Self::Abort => (&[S::Running, S::Paused, S::Stopped], S::Aborting),
        }
    }

    fn told(self) -> &'static str {
        match self {
            Self::Pause => "paused",
            Self::Resume => "resumed",
            Self::Abort => "aborted",
        }
    }
}

/// Changes a batch as `user` wishes. Fails as stale in a state in which that cannot be had.
pub async fn wish(
    db: &Db,
    id: BatchId,
    wish: Wish,
    user: Option<String>,
    project: Option<String>,
) -> Result<Batch, StoreError> {
    db.told(move |conn| {
        let (from, to) = wish.states();
        let Some(batch) = load(conn, id)? else {
            return Err(StoreError::NotFound);
        };
        let forgiven = match wish {
            Wish::Resume => {
                const FAILED: &str =
                    "SELECT COUNT(*) FROM batch_nodes WHERE batch_uuid = $1 AND state = $2";
                let failed = BatchNodeState::Failed.as_str().into();
                conn.number(FAILED, &[id.to_string().into(), failed])?
            }
            Wish::Pause | Wish::Abort => None,
        };
        let mut values: Vec<P<'_>> = vec![
            to.as_str().into(),
            Timestamp::now().into(),
            forgiven.unwrap_or(batch.forgiven).into(),
            id.to_string().into(),
        ];
        values.extend(from.iter().map(|state| P::from(state.as_str())));
        let marks: Vec<String> = (5..5 + from.len()).map(|n| format!("${n}")).collect();
        let sql = format!(
            "UPDATE batches SET state = $1, reason = NULL, updated_at = $2, forgiven = $3, \
             version = version + 1 WHERE uuid = $4 AND state IN ({})",
            marks.join(", ")
        );
        if conn.execute(&sql, &values)? == 0 {
            return Err(StoreError::Stale);
        }
        let by = Batch {
            user: user.clone(),
            project: project.clone(),
            ..batch
        };
        tell(conn, &by, to, format!("batch {id} was {}", wish.told()))?;
        load(conn, id)?.ok_or(StoreError::NotFound)
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<Batch, StoreError> {
    let r = &mut Reader::new(row, "batches", COLUMNS);
    let mut batch = Batch {
        id: r.parsed()?,
        version: r.int()?,
        description: r.opt_text()?,
        query: r.opt_text()?,
        action: r.parsed()?,
        word: r.text()?,
        request: r.json()?,
        state: r.parsed()?,
        reason: r.opt_text()?,
        node_count: r.int()?,
        wave_sizes: r.json()?,
        wave: r.int()?,
        at_once: r.int()?,
        max_failures: r.opt_int()?,
        forgiven: r.int()?,
        user: r.opt_text()?,
        project: r.opt_text()?,
        maker: r.json()?,
        holder: None,
        generation: 0,
        created_at: Timestamp(0),
        updated_at: None,
        ended_at: None,
    };
    let (host, epoch) = (r.opt_text()?, r.opt_int()?);
    batch.holder = host.zip(epoch).map(|(host, epoch)| Holder { host, epoch });
    batch.generation = r.int()?;
    batch.created_at = r.time()?;
    batch.updated_at = r.opt_time()?;
    batch.ended_at = r.opt_time()?;
    Ok(batch)
}

fn decode_node(row: &Row<'_>) -> Result<BatchNode, StoreError> {
    let r = &mut Reader::new(row, "batch_nodes", NODE_COLUMNS);
    Ok(BatchNode {
        place: r.int()?,
        node: r.parsed()?,
        name: r.opt_text()?,
        wave: r.int()?,
        state: r.parsed()?,
        reason: r.opt_text()?,
        last_error: r.opt_text()?,
        log_position: r.opt_int()?,
        asked_at: r.opt_time()?,
        ended_at: r.opt_time()?,
    })
}
