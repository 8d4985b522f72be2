//! What the conductor that runs a batch writes and reads. Every write names the generation that
//! the conductor was granted, and is refused when another one was granted since.

use super::{SELECT_NODES, append, decode_node, load, tell};
use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader},
    event,
};
use serde_json::json;
use types::{
    BatchId, NodeId, PowerState, ProvisionState, Timestamp,
    batch::{Batch, BatchNode, BatchNodeState, BatchState},
    lease::Holder,
};

/// The longest reason that is kept.
const MOST_REASON: usize = 2000;

/// The right to write how far a batch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchFence {
    pub id: BatchId,
    pub generation: i64,
}

impl BatchFence {
    /// Takes the row of the batch for this transaction, if it is still ours.
    fn hold(self, conn: &mut Conn) -> Result<Batch, StoreError> {
        const HOLD: &str = "UPDATE batches SET updated_at = $1 WHERE uuid = $2 AND generation = $3";
        let values = [
            Timestamp::now().into(),
            self.id.to_string().into(),
            self.generation.into(),
        ];
        if conn.execute(HOLD, &values)? == 0 {
            return Err(StoreError::Stale);
        }
        load(conn, self.id)?.ok_or(StoreError::Stale)
    }

    /// The same, if it is also in this state.
    fn hold_in(self, conn: &mut Conn, state: BatchState) -> Result<Batch, StoreError> {
        let batch = self.hold(conn)?;
        match batch.state == state {
            true => Ok(batch),
            false => Err(StoreError::Stale),
        }
    }
}

/// Takes a batch on as it was read; fails as stale if somebody else did meanwhile.
pub async fn claim(db: &Db, batch: &Batch, me: &Holder) -> Result<BatchFence, StoreError> {
    let (id, generation, me) = (batch.id, batch.generation, me.clone());
    db.write(move |conn| {
        const CLAIM: &str = "UPDATE batches SET holder = $1, holder_epoch = $2, \
            generation = generation + 1 WHERE uuid = $3 AND generation = $4";
        let values = [
            me.host.as_str().into(),
            me.epoch.into(),
            id.to_string().into(),
            generation.into(),
        ];
        match conn.execute(CLAIM, &values)? {
            0 => Err(StoreError::Stale),
            _ => Ok(BatchFence {
                id,
                generation: generation + 1,
            }),
        }
    })
    .await
}

/// Gives a batch back, so that another conductor takes it on at once.
pub async fn release(db: &Db, fence: BatchFence) -> Result<(), StoreError> {
    db.write(move |conn| {
        const RELEASE: &str = "UPDATE batches SET holder = NULL, holder_epoch = NULL \
            WHERE uuid = $1 AND generation = $2";
        let values = [fence.id.to_string().into(), fence.generation.into()];
        conn.execute(RELEASE, &values).map(|_| ())
    })
    .await
}

/// The first nodes of a wave that wait, in their order.
pub async fn waiting(
    db: &Db,
    id: BatchId,
    wave: i64,
    limit: usize,
) -> Result<Vec<BatchNode>, StoreError> {
    db.get(move |conn| {
        let sql = format!(
            "{} WHERE batch_uuid = $1 AND state = $2 AND wave = $3 ORDER BY place LIMIT {limit}",
            *SELECT_NODES
        );
        let state = BatchNodeState::Waiting.as_str().into();
        conn.query(
            &sql,
            &[id.to_string().into(), state, wave.into()],
            decode_node,
        )
    })
    .await
}

/// Notes that these nodes are about to be asked. Fails as stale unless the batch is running.
pub async fn begin(db: &Db, fence: BatchFence, places: Vec<i64>) -> Result<(), StoreError> {
    db.write(move |conn| {
        fence.hold_in(conn, BatchState::Running)?;
        let end = event::end(conn)?;
        let now = Timestamp::now();
        for place in &places {
            const ASK: &str = "UPDATE batch_nodes SET state = $1, log_position = $2, \
                asked_at = $3 WHERE batch_uuid = $4 AND place = $5 AND state = $6";
            let values = [
                BatchNodeState::Asked.as_str().into(),
                end.into(),
                now.into(),
                fence.id.to_string().into(),
                (*place).into(),
                BatchNodeState::Waiting.as_str().into(),
            ];
            if conn.execute(ASK, &values)? == 0 {
                return Err(StoreError::Stale);
            }
        }
        Ok(())
    })
    .await
}

/// What the log says about a request to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The node has accepted it.
    Accepted,
    NotAccepted,
    /// The log has forgotten the time of the request.
    Unknown,
}

/// Whether the log tells that a node accepted the request with this id, which was sent when the log
/// ended with `position`.
pub async fn is_told(
    db: &Db,
    node: NodeId,
    request_id: String,
    position: i64,
) -> Result<Turn, StoreError> {
    db.read(move |conn| {
        const TOLD: &str = "SELECT COUNT(*) FROM events WHERE node_uuid = $1 AND request_id = $2";
        let values = [node.to_string().into(), (&request_id).into()];
        if conn.number(TOLD, &values)?.unwrap_or(0) > 0 {
            return Ok(Turn::Accepted);
        }
        let oldest = conn.number("SELECT MIN(sequence) FROM events", &[])?;
        let reaches_back = match oldest {
            Some(oldest) => oldest <= position + 1,
            None => event::end(conn)? <= position,
        };
        Ok(match reaches_back {
            true => Turn::NotAccepted,
            false => Turn::Unknown,
        })
    })
    .await
}

/// What became of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub place: i64,
    pub node: NodeId,
    pub name: Option<String>,
    pub state: BatchNodeState,
    pub reason: Option<String>,
    /// The last error of the node, if it failed with one. The log has it as the node's own.
    pub last_error: Option<String>,
}

/// Writes what became of nodes, and tells of those that have ended.
pub async fn settle(db: &Db, fence: BatchFence, changes: Vec<Change>) -> Result<(), StoreError> {
    db.told(move |conn| {
        let batch = fence.hold(conn)?;
        let now = Timestamp::now();
        for change in &changes {
            let is_ended = matches!(change.state, BatchNodeState::Done | BatchNodeState::Failed);
            let cut = |text: &Option<String>| {
                let text = text.as_deref()?;
                Some(text.chars().take(MOST_REASON).collect::<String>())
            };
            let (reason, last_error) = (cut(&change.reason), cut(&change.last_error));
            const SET: &str = "UPDATE batch_nodes SET state = $1, reason = $2, last_error = $3, \
                ended_at = $4 WHERE batch_uuid = $5 AND place = $6";
            let values = [
                change.state.as_str().into(),
                reason.as_deref().into(),
                last_error.as_deref().into(),
                is_ended.then_some(now).into(),
                fence.id.to_string().into(),
                change.place.into(),
            ];
            conn.execute_on(SET, &values)?;
            if !is_ended {
                continue;
            }
            let why = reason.as_deref().map(|why| format!(": {why}"));
            let text = format!(
                "batch {}: {} {} {}{}",
                batch.id,
                batch.action,
                batch.word,
                change.state,
                why.unwrap_or_default()
            );
            let data = json!({
                "batch": batch.id, "node_state": change.state, "place": change.place,
                "wave": batch.wave + 1, "reason": reason,
            });
            append(conn, &batch, change.node, change.name.clone(), text, data)?;
        }
        Ok(())
    })
    .await
}

/// Begins the next wave.
pub async fn advance(db: &Db, fence: BatchFence) -> Result<(), StoreError> {
    db.told(move |conn| {
        let mut batch = fence.hold_in(conn, BatchState::Running)?;
        batch.wave += 1;
        set(conn, fence, "wave = wave + 1", &[])?;
        let wave = usize::try_from(batch.wave).unwrap_or(usize::MAX);
        let text = format!(
            "batch {}: wave {} of {} begins, {} nodes",
            batch.id,
            batch.wave + 1,
            batch.wave_sizes.len(),
            batch.wave_sizes.get(wave).copied().unwrap_or(0)
        );
        tell(conn, &batch, batch.state, text)
    })
    .await
}

/// Stops a batch because too much failed.
pub async fn stop(db: &Db, fence: BatchFence, reason: String) -> Result<(), StoreError> {
    db.told(move |conn| {
        let batch = fence.hold_in(conn, BatchState::Running)?;
        let state = BatchState::Stopped;
        let values = [state.as_str().into(), (&reason).into()];
        set(conn, fence, "state = $1, reason = $2", &values)?;
        tell(
            conn,
            &batch,
            state,
            format!("batch {} stopped: {reason}", batch.id),
        )
    })
    .await
}

/// Ends a batch: from `running` it is done, from `aborting` it is aborted.
pub async fn finish(db: &Db, fence: BatchFence, from: BatchState) -> Result<(), StoreError> {
    db.told(move |conn| {
        let batch = fence.hold_in(conn, from)?;
        let state = match from {
            BatchState::Aborting => BatchState::Aborted,
            _ => BatchState::Done,
        };
        let values = [state.as_str().into(), Timestamp::now().into()];
        let change = "state = $1, ended_at = $2, holder = NULL, holder_epoch = NULL";
        set(conn, fence, change, &values)?;
        const FAILED: &str =
            "SELECT COUNT(*) FROM batch_nodes WHERE batch_uuid = $1 AND state = $2";
        let id = batch.id.to_string();
        let failed = BatchNodeState::Failed.as_str().into();
        let failed = conn.number(FAILED, &[(&id).into(), failed])?.unwrap_or(0);
        let text = match state {
            BatchState::Aborted => format!("batch {id} is aborted"),
            _ => format!(
                "batch {id} is done: {failed} of {} nodes failed",
                batch.node_count
            ),
        };
        tell(conn, &batch, state, text)
    })
    .await
}

/// Gives up all nodes that wait.
pub async fn skip_waiting(db: &Db, fence: BatchFence) -> Result<(), StoreError> {
    db.write(move |conn| {
        fence.hold_in(conn, BatchState::Aborting)?;
        const SKIP: &str = "UPDATE batch_nodes SET state = $1, ended_at = $2 \
            WHERE batch_uuid = $3 AND state = $4";
        let values = [
            BatchNodeState::Skipped.as_str().into(),
            Timestamp::now().into(),
            fence.id.to_string().into(),
            BatchNodeState::Waiting.as_str().into(),
        ];
        conn.execute(SKIP, &values).map(|_| ())
    })
    .await
}

fn set(
    conn: &mut Conn,
    fence: BatchFence,
    change: &str,
    values: &[P<'_>],
) -> Result<(), StoreError> {
    let (id, generation) = (values.len() + 1, values.len() + 2);
    let sql = format!(
        "UPDATE batches SET {change}, version = version + 1 \
         WHERE uuid = ${id} AND generation = ${generation}"
    );
    let mut values = values.to_vec();
    values.extend([fence.id.to_string().into(), fence.generation.into()]);
    match conn.execute(&sql, &values)? {
        0 => Err(StoreError::Stale),
        _ => Ok(()),
    }
}

/// What a batch looks for in the row of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub node: NodeId,
    pub provision_state: ProvisionState,
    pub power_state: Option<PowerState>,
    pub is_switching: bool,
    pub last_error: Option<String>,
}

/// How these nodes are now; those that were deleted are left out.
pub async fn look(db: &Db, nodes: Vec<NodeId>) -> Result<Vec<Seen>, StoreError> {
    const NAMES: &[&str] = &[
        "uuid",
        "provision_state",
        "power_state",
        "target_power_state",
        "last_error",
    ];
    const AT_ONCE: usize = 200;
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    db.get(move |conn| {
        let mut all = Vec::with_capacity(nodes.len());
        for some in nodes.chunks(AT_ONCE) {
            let marks: Vec<String> = (1..=some.len()).map(|n| format!("${n}")).collect();
            let sql = format!(
                "SELECT {} FROM nodes WHERE uuid IN ({})",
                NAMES.join(", "),
                marks.join(", ")
            );
            let values: Vec<P<'_>> = some.iter().map(|id| id.to_string().into()).collect();
            all.extend(conn.query_by_value(&sql, &values, |row| {
                let r = &mut Reader::new(row, "nodes", NAMES);
                Ok(Seen {
                    node: r.parsed()?,
                    provision_state: r.parsed()?,
                    power_state: r.opt_parsed()?,
                    is_switching: r.opt_text()?.is_some(),
                    last_error: r.opt_text()?,
                })
            })?);
        }
        Ok(all)
    })
    .await
}
