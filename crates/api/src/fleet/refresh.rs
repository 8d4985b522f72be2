//! How the index is made, and how it follows the database.
//!
//! Before each question three things are looked at: what this process has written
//! ([`store::Db::touched_nodes`]), which nodes the events since the last time are about, and which
//! conductors there are. Rows that are named by either are read again, so an answer is never older
//! than the cursor that it names. A change that another process makes without an event, such as a
//! power state found by a flow, is noticed when the versions of all rows are compared, which is done
//! in the background now and then.

use super::{
    Fleet, Index,
    entry::{self, COLUMNS, Read},
    index::{Change, owner},
    symbols::Symbols,
};
use crate::state::ApiState;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use store::{
    Db, Engine, Page, StoreError,
    event::{self, Concerned},
    node::{self, NodeFilter},
    touched::Touches,
};
use types::NodeId;

/// How many rows are read at a time.
const CHUNK: u32 = 10_000;
/// With more events than this since the last question, everything is read anew.
const MOST_EVENTS: u32 = 20_000;
/// How often the versions of all rows are compared. SQLite is written by this process and, seldom, by
/// a command of the operator; servers are written by every process of the cluster.
const COMPARE_SQLITE: Duration = Duration::from_secs(60);
const COMPARE_SERVER: Duration = Duration::from_secs(5);

/// What is remembered between two questions.
#[derive(Debug, Default)]
pub(super) struct Refresh {
    compared: Option<Instant>,
    /// Whether changes were taken up and did not get into the index, which must be made anew.
    is_broken: bool,
    /// What the comparison in the background has found.
    found: Arc<Mutex<BTreeSet<NodeId>>>,
}

/// Makes the index, or has it say what the database says now.
pub(super) async fn bring_up_to_date(
    fleet: &Arc<Fleet>,
    state: &ApiState,
) -> Result<(), StoreError> {
    let mut refresh = fleet.refresh.lock().await;
    let known = {
        let index = fleet.read();
        let is_usable = |index: &&Index| !index.is_littered() && !refresh.is_broken;
        let usable = index.as_ref().filter(is_usable);
        usable.map(|index| (index.cursor, index.conductors))
    };
    let revision = state.conductor.revision();
    let Some((cursor, conductors)) = known else {
        return rebuild(fleet, &mut refresh, state, revision).await;
    };
    refresh.is_broken = true;
    let before = cursor;
    let Some((mut changed, cursor)) = news(&state.db, cursor).await? else {
        return rebuild(fleet, &mut refresh, state, revision).await;
    };
    changed.append(&mut refresh.found.lock().unwrap_or_else(PoisonError::into_inner));
    let changed: Vec<NodeId> = changed.into_iter().collect();
    let reads = read_some(state, &changed).await?;
    let is_still = changed.is_empty() && cursor == before && conductors == revision;
    let work = {
        let (fleet, state) = (Arc::clone(fleet), state.clone());
        move || {
            let mut index = fleet.index.write().unwrap_or_else(PoisonError::into_inner);
            if let Some(index) = &mut *index {
                let changes = reads.take_in(&state, index, &changed);
                index.apply(changes);
                index.cursor = cursor;
                if conductors != revision {
                    index.assign(state.conductor.as_ref(), revision);
                }
            }
        }
    };
    if !is_still {
        aside(work).await?;
    }
    refresh.is_broken = false;
    compare_sometimes(fleet, &mut refresh, state);
    Ok(())
}

/// Does what takes long with many nodes on a thread that serves no requests.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| StoreError::Panicked)
}

/// Which nodes may have changed, and up to which cursor that is known; `None` if too many.
async fn news(db: &Db, cursor: i64) -> Result<Option<(BTreeSet<NodeId>, i64)>, StoreError> {
    let concerned = match event::concerned(db, cursor, MOST_EVENTS).await {
        Ok(concerned) if concerned.at_end => concerned,
        Ok(_) | Err(StoreError::CursorTooOld { .. } | StoreError::CursorUnknown { .. }) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let Concerned {
        mut nodes, next, ..
    } = concerned;
    match db.touched_nodes() {
        Touches::Nodes(touched) => nodes.extend(touched),
        Touches::TooMany => return Ok(None),
    }
    Ok(Some((nodes, next)))
}

/// Rows that were read, with texts of their own that are not yet those of the index.
#[derive(Debug, Default)]
struct Reads {
    rows: Vec<Read>,
    symbols: Symbols,
}

impl Reads {
    /// Translates the rows to the symbols of the index; nodes that were not found are gone.
    fn take_in(self, state: &ApiState, index: &mut Index, asked: &[NodeId]) -> Vec<Change> {
        let mut missing: BTreeSet<NodeId> = asked.iter().copied().collect();
        let mut changes = Vec::with_capacity(asked.len());
        for mut read in self.rows {
            let entry = &mut read.entry;
            missing.remove(&entry.id);
            for symbol in [
                &mut entry.driver,
                &mut entry.class,
                &mut entry.group,
                &mut entry.chassis,
                &mut entry.shard,
                &mut entry.owner,
                &mut entry.lessee,
                &mut entry.extra,
                &mut entry.traits,
            ] {
                *symbol = index.symbols.of(self.symbols.text(*symbol));
            }
            entry.conductor = owner(state.conductor.as_ref(), &mut index.symbols, entry);
            changes.push(Change {
                id: entry.id,
                now: Some(read),
            });
        }
        changes.extend(missing.into_iter().map(|id| Change { id, now: None }));
        changes
    }
}

async fn read_some(state: &ApiState, ids: &[NodeId]) -> Result<Reads, StoreError> {
    if ids.is_empty() {
        return Ok(Reads::default());
    }
    let key = state.settings.group_key.clone();
    let show = move |reads: &mut Reads, row: &node::NodeRow| {
        let read = entry::read(row, &mut reads.symbols, key.as_deref())?;
        reads.rows.push(read);
        Ok(())
    };
    let mut reads = node::show_some(&state.db, ids, COLUMNS, Reads::default(), show).await?;
    let mut macs: BTreeMap<NodeId, Vec<_>> = BTreeMap::new();
    for (_, node, mac) in store::port::addresses_of(&state.db, ids).await? {
        macs.entry(node).or_default().push(mac);
    }
    for read in &mut reads.rows {
        if let Some(macs) = macs.get(&read.entry.id) {
            read.entry.set_macs(macs);
        }
    }
    Ok(reads)
}

/// Reads everything.
async fn rebuild(
    fleet: &Arc<Fleet>,
    refresh: &mut Refresh,
    state: &ApiState,
    revision: u64,
) -> Result<(), StoreError> {
    let begun = Instant::now();
    let db = &state.db;
    refresh.is_broken = true;
    // Before anything is read: what is written meanwhile is read again at the next question.
    db.watch_nodes(true);
    let cursor = event::newest(db).await?;
    let mut reads = Reads::default();
    let mut page = Page::first(CHUNK);
    loop {
        let before = reads.rows.len();
        let key = state.settings.group_key.clone();
        let show = move |reads: &mut Reads, row: &node::NodeRow| {
            let read = entry::read(row, &mut reads.symbols, key.as_deref())?;
            reads.rows.push(read);
            Ok(ControlFlow::Continue(()))
        };
        let chunk = node::show(db, NodeFilter::all(), page.clone(), COLUMNS, reads, show);
        reads = chunk.await?;
        if reads.rows.len() - before < CHUNK as usize {
            break;
        }
        page.marker = reads.rows.last().map(|last| last.entry.id.to_string());
    }
    let mut macs: BTreeMap<NodeId, Vec<_>> = BTreeMap::new();
    let mut after = 0;
    loop {
        let ports = store::port::addresses(db, after, CHUNK).await?;
        let Some((last, ..)) = ports.last() else {
            break;
        };
        after = *last;
        for (_, node, mac) in ports {
            macs.entry(node).or_default().push(mac);
        }
    }
    let work = {
        let (fleet, conductor) = (Arc::clone(fleet), Arc::clone(&state.conductor));
        move || {
            let mut index = Index::new(reads.rows, reads.symbols, cursor);
            index.set_macs(&macs);
            index.assign(conductor.as_ref(), revision);
            let count = index.len();
            let mut place = fleet.index.write().unwrap_or_else(PoisonError::into_inner);
            let before = place.replace(index);
            drop(place);
            // Giving back a hundred thousand entries takes a while too.
            drop(before);
            count
        }
    };
    let count = aside(work).await?;
    *refresh = Refresh {
        compared: Some(Instant::now()),
        ..Refresh::default()
    };
    let took = begun.elapsed();
    tracing::debug!(count, ?took, "the index of nodes was made");
    Ok(())
}

/// Begins a comparison with all rows in the background, if one is due.
fn compare_sometimes(fleet: &Arc<Fleet>, refresh: &mut Refresh, state: &ApiState) {
    let pause = match state.db.engine() {
        Engine::Sqlite => COMPARE_SQLITE,
        Engine::Postgres | Engine::MariaDb => COMPARE_SERVER,
    };
    if refresh.compared.is_some_and(|at| at.elapsed() < pause) {
        return;
    }
    refresh.compared = Some(Instant::now());
    let (fleet, db, found) = (
        Arc::clone(fleet),
        state.db.clone(),
        Arc::clone(&refresh.found),
    );
    tokio::spawn(async move {
        match compare(&fleet, &db).await {
            Ok(mut differing) => found
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .append(&mut differing),
            Err(error) => {
                let error = types::error::chain(&error);
                tracing::warn!(%error, "the index of nodes could not be compared with the database");
            }
        }
    });
}

/// The nodes of which the index has another version than the database.
async fn compare(fleet: &Arc<Fleet>, db: &Db) -> Result<BTreeSet<NodeId>, StoreError> {
    let mut differing = BTreeSet::new();
    let all = {
        let fleet = Arc::clone(fleet);
        aside(move || {
            let index = fleet.read();
            index.as_ref().map(|index| index.ids().collect())
        })
    };
    let Some(mut unseen): Option<BTreeSet<NodeId>> = all.await? else {
        return Ok(differing);
    };
    let mut after = 0;
    loop {
        let rows = node::stored(db, after, CHUNK).await?;
        let Some(last) = rows.last() else {
            break;
        };
        after = last.row;
        let fleet = Arc::clone(fleet);
        let compared = aside(move || {
            let index = fleet.read();
            for row in &rows {
                unseen.remove(&row.id);
                let known = index.as_ref().and_then(|index| index.version(row.id));
                if known != Some(row.version) {
                    differing.insert(row.id);
                }
            }
            (unseen, differing)
        });
        (unseen, differing) = compared.await?;
    }
    differing.append(&mut unseen);
    Ok(differing)
}

#[cfg(test)]
impl Fleet {
    /// Compares with all rows now.
    pub(super) async fn compare_now(self: &Arc<Self>, db: &Db) {
        let differing = compare(self, db).await.unwrap();
        let refresh = self.refresh.lock().await;
        refresh.found.lock().unwrap().extend(differing);
    }
}
