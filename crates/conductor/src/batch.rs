//! Batches: one verb for many nodes, in waves.
//!
//! A batch is run by one conductor, which holds it as long as it lives; another one, or the next
//! incarnation, goes on from the rows. A node is asked in two steps: its row says that it is about
//! to be asked, then it is asked, under an id that no other request has. Whoever finds such a row
//! learns from the log of events whether the node accepted, because what is accepted is logged in
//! the same transaction.

mod ask;
mod outcome;
mod run;

use crate::core::Core;
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use types::{BatchId, Conductor, batch::Batch};

/// What a conductor does about batches.
#[derive(Default)]
pub(crate) struct BatchWork {
    running: Mutex<HashSet<BatchId>>,
    /// All conductors, each asked about its own nodes.
    crew: Mutex<Option<Arc<dyn Conductor>>>,
}

impl BatchWork {
    /// From now on batches are run, and this is who is asked about their nodes.
    pub(crate) fn open(&self, crew: Arc<dyn Conductor>) {
        *locked(&self.crew) = Some(crew);
    }

    /// Lets go of the crew, which this conductor is one of.
    pub(crate) fn close(&self) {
        *locked(&self.crew) = None;
    }

    fn running(&self) -> MutexGuard<'_, HashSet<BatchId>> {
        locked(&self.running)
    }

    fn begin(&self, id: BatchId) -> Option<Running<'_>> {
        self.running()
            .insert(id)
            .then_some(Running { work: self, id })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A batch that is run here; forgotten when dropped.
struct Running<'a> {
    work: &'a BatchWork,
    id: BatchId,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.work.running().remove(&self.id);
    }
}

/// Takes on batches that no conductor runs; returns how many there are.
pub(crate) async fn take_on(core: &Arc<Core>) -> Result<u64, store::StoreError> {
    let Some(crew) = locked(&core.batches.crew).clone() else {
        return Ok(0);
    };
    let open = store::batch::open(&core.db).await?;
    let count = u64::try_from(open.len()).unwrap_or(u64::MAX);
    for batch in open {
        if core.is_left(&batch) {
            run::begin(core, Arc::clone(&crew), batch);
        }
    }
    Ok(count)
}

impl Core {
    /// Whether the conductor that the row names does not run the batch any more.
    fn is_left(&self, batch: &Batch) -> bool {
        let Some(holder) = &batch.holder else {
            return true;
        };
        if holder.host != self.settings.host {
            return self.view.is_alive(&holder.host) == Some(false);
        }
        holder.epoch != self.me().epoch || !self.batches.running().contains(&batch.id)
    }
}
