//! Forgetting: old history entries, old events, and images that nobody needs.

use super::round::Round;
use crate::core::Core;
use std::{sync::Arc, time::Duration};
use store::{StoreError, history::Excess};
use types::Timestamp;

/// Events removed at a time, so that the writer is never held for long.
const BATCH: i64 = 5000;
/// The pause between two batches, in which others write.
const PAUSE: Duration = Duration::from_millis(20);
/// How often old events are looked for: days of them at once would be many.
pub(super) const EVENTS_EVERY: Duration = Duration::from_secs(3600);
const DAY_S: i64 = 86_400;
/// How often unused config drives are looked for, and how old one is before it counts as unused.
pub(super) const DRIVES_EVERY: Duration = Duration::from_secs(600);
const DRIVE_AGE_S: i64 = 600;

/// Nodes with too many entries lose the oldest ones.
pub(super) async fn history(core: Arc<Core>) -> Round {
    let settings = &core.settings;
    let (keep, batch) = (
        settings.node_history_max_entries,
        settings.node_history_cleanup_batch_count,
    );
    if keep == 0 || batch == 0 {
        return Round::default();
    }
    let before = match settings.node_history_minimum_days {
        0 => Timestamp(i64::MAX),
        days => Timestamp::now().plus_seconds(-days * DAY_S),
    };
    let excess = Excess { keep, before };
    let crowded = match store::history::crowded(&core.db, excess, core.mine()).await {
        Ok(crowded) => crowded,
        Err(error) => return failed("history entries", &error),
    };
    let mut removed = 0;
    for node in crowded {
        loop {
            match store::history::thin(&core.db, node, excess, batch).await {
                Ok(0) => break,
                Ok(count) => removed += count,
                Err(error) => return failed("history entries", &error),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    done("history entries", removed)
}

/// Events older than they are kept, and notifications that no message bus took for as long.
pub(super) async fn events(core: Arc<Core>) -> Round {
    let kept = i64::try_from(core.settings.event_retention.as_secs()).unwrap_or(i64::MAX);
    if kept == 0 {
        return Round::default();
    }
    let before = Timestamp::now().plus_seconds(-kept);
    if let Err(error) = notifications(&core, before).await {
        return failed("notifications", &error);
    }
    let mut removed = 0;
    loop {
        match store::event::purge(&core.db, before, BATCH).await {
            Ok(0) => return done("events", removed),
            Ok(count) => removed += count,
            Err(error) => return failed("events", &error),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Also where none are sent by now: they may have been before, or be written by others.
async fn notifications(core: &Core, before: Timestamp) -> Result<(), StoreError> {
    let mut lost = 0;
    loop {
        match store::notification::discard(&core.db, before, BATCH).await? {
            0 => break,
            count => lost += count,
        }
        tokio::time::sleep(PAUSE).await;
    }
    if lost > 0 {
        tracing::warn!(
            lost,
            "notifications were given up: no message bus took them in time"
        );
    }
    Ok(())
}

/// Config drives that no node refers to: of requests that were refused, or replaced by others.
pub(super) async fn config_drives(core: Arc<Core>) -> Round {
    // A request that is being accepted stores its drive before its node.
    let before = Timestamp::now().plus_seconds(-DRIVE_AGE_S);
    match store::config_drive::purge(&core.db, before).await {
        Ok(removed) => done("config drives", removed),
        Err(error) => failed("config drives", &error),
    }
}

/// Images that nobody used for long.
pub(super) async fn images(core: Arc<Core>) {
    if let Some(images) = core.registry.images() {
        images.clean_up().await;
    }
}

fn done(what: &str, removed: u64) -> Round {
    if removed > 0 {
        tracing::info!(count = removed, "old {what} removed");
    }
    Round {
        visited: removed,
        failed: 0,
    }
}

fn failed(what: &str, error: &StoreError) -> Round {
    tracing::warn!(error = %types::error::chain(error), "old {what} could not be removed");
    Round::FAILED
}
