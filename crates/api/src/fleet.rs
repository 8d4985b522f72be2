//! All nodes in memory, as far as lists, counts and maps of a fleet need them.
//!
//! A page that shows a hundred thousand nodes asks how many there are of each sort several times a
//! minute, and every letter of a filter is a new question. A database would read every row for each.
//! So the part of each row that is searched and counted is kept here ([`index`]), is made at the
//! first question, is brought up to date before each further one ([`refresh`]), and is given back
//! when there are no more questions. Rows that are shown are read from the database.

pub(crate) mod cause;
mod entry;
pub(crate) mod failures;
pub(crate) mod filter;
pub(crate) mod group;
pub(crate) mod index;
pub(crate) mod look;
pub(crate) mod page;
pub mod query;
mod refresh;
mod symbols;
pub(crate) mod viewer;

pub use cause::{Example, examples};
pub(crate) use index::Index;

use crate::{error::ApiError, state::ApiState};
use refresh::Refresh;
use std::{
    mem,
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard,
        atomic::{AtomicBool, Ordering},
    },
};

/// The index of a process, if there is one now.
#[derive(Debug, Default)]
pub(crate) struct Fleet {
    index: RwLock<Option<Index>>,
    /// Held by the one that brings the index up to date.
    refresh: tokio::sync::Mutex<Refresh>,
    is_used: AtomicBool,
}

impl Fleet {
    fn read(&self) -> RwLockReadGuard<'_, Option<Index>> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a question about the fleet as it is now.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        state: &ApiState,
        question: impl FnOnce(&Index) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        self.is_used.store(true, Ordering::Relaxed);
        let fleet = Arc::clone(self);
        let current = {
            let (fleet, state) = (Arc::clone(self), state.clone());
            // It goes on without a client that gives up: others wait for the same.
            tokio::spawn(async move { refresh::bring_up_to_date(&fleet, &state).await })
        };
        let current = current.await;
        current.map_err(|error| ApiError::internal(error.to_string()))??;
        // A question looks at every node, which takes milliseconds.
        let asked = tokio::task::spawn_blocking(move || {
            fleet.is_used.store(true, Ordering::Relaxed);
            fleet.read().as_ref().map(question)
        });
        let answered = asked
            .await
            .map_err(|error| ApiError::internal(error.to_string()))?;
        answered.ok_or_else(|| ApiError::busy("The index of nodes was given back meanwhile."))
    }

    /// Gives the memory back if there was no question since the last call.
    pub(crate) fn release(&self, db: &store::Db) {
        // The task that holds it is about to need the index.
        let Ok(mut refresh) = self.refresh.try_lock() else {
            return;
        };
        if self.is_used.swap(false, Ordering::Relaxed) {
            return;
        }
        self.drop_index(db, &mut refresh);
    }

    /// Drops what was made of rows that are not there any more.
    pub(crate) async fn forget(&self, db: &store::Db) {
        let mut refresh = self.refresh.lock().await;
        self.drop_index(db, &mut refresh);
    }

    fn drop_index(&self, db: &store::Db, refresh: &mut Refresh) {
        let index = mem::take(&mut *self.index.write().unwrap_or_else(PoisonError::into_inner));
        if index.is_some() {
            db.watch_nodes(false);
            *refresh = Refresh::default();
        }
        drop(index);
    }
}
