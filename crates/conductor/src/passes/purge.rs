//! Forgetting: old history entries, old events, and images that nobody needs.

use crate::core::Core;
use std::sync::Arc;
use types::Timestamp;

/// Events removed at a time, so that the writer is never held for long.
const BATCH: i64 = 5000;

pub(super) async fn pass(core: Arc<Core>) {
    let settings = &core.settings;
    let (keep, batch) = (
        settings.node_history_max_entries,
        settings.node_history_cleanup_batch_count,
    );
    if keep > 0 && batch > 0 {
        report(
            "history entries",
            store::history::purge(&core.db, keep, batch).await,
        );
    }
    let seconds = i64::try_from(settings.event_retention.as_secs()).unwrap_or(i64::MAX);
    if seconds > 0 {
        let before = Timestamp::now().plus_seconds(-seconds);
        loop {
            let removed = store::event::purge(&core.db, before, BATCH).await;
            let more = matches!(removed, Ok(n) if n > 0);
            report("events", removed);
            if !more {
                return;
            }
        }
    }
}

/// Images that nobody used for long.
pub(super) async fn images(core: Arc<Core>) {
    if let Some(images) = core.registry.images() {
        images.clean_up().await;
    }
}

fn report(what: &str, removed: Result<u64, store::StoreError>) {
    match removed {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "old {what} removed"),
        Err(error) => {
            tracing::warn!(error = %types::error::chain(&error), "old {what} could not be removed");
        }
    }
}
