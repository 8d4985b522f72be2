//! Batches that no conductor runs, and old ones.

use super::round::Round;
use crate::{batch, core::Core};
use std::{sync::Arc, time::Duration};
use types::Timestamp;

/// How soon a batch is taken on.
pub(super) const WORK_EVERY: Duration = Duration::from_secs(1);
/// How often old batches are looked for.
pub(super) const PURGE_EVERY: Duration = Duration::from_secs(3600);
/// For how long ended batches are kept.
const KEPT_S: i64 = 30 * 86_400;

pub(super) async fn work(core: Arc<Core>) -> Round {
    match batch::take_on(&core).await {
        Ok(visited) => Round { visited, failed: 0 },
        Err(error) => {
            tracing::warn!(error = %types::error::chain(&error), "the batches cannot be read");
            Round::FAILED
        }
    }
}

pub(super) async fn purge(core: Arc<Core>) -> Round {
    let before = Timestamp::now().plus_seconds(-KEPT_S);
    match store::batch::purge(&core.db, before).await {
        Ok(visited) => Round { visited, failed: 0 },
        Err(error) => {
            tracing::warn!(error = %types::error::chain(&error), "old batches could not be removed");
            Round::FAILED
        }
    }
}
