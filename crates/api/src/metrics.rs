//! What operators watch, as Prometheus reads it: what this process counted, and what the database
//! knows of all.
//!
//! Served by the API to those who may see it (`GET /corten/v1/metrics`), and to everybody at the
//! addresses that the operator opened for it.

mod process;

use crate::standing::Standing;
use std::time::Duration;
use store::{Db, StoreError};
use types::{
    Timestamp,
    member::Member,
    metrics::{NO_LABELS, Page},
};

/// How old numbers may be that take long to count.
const AGE: Duration = Duration::from_secs(15);

/// The whole text. A conductor that was silent for longer than `silence_s` is not alive.
pub async fn page(db: &Db, silence_s: u64) -> Result<String, StoreError> {
    let members = store::member::list(db, store::Page::first(u32::MAX)).await?;
    let newest = store::event::newest(db).await?;
    let webhooks = store::webhook::list(db).await?;
    let census = store::census(db, AGE).await?;
    let oldest = store::notification::oldest(db).await?;
    let mut page = Page::of_this_process();
    page.gauges(
        "corten_build_info",
        "What this program is.",
        [([("version", env!("CARGO_PKG_VERSION"))], 1)],
    );
    // Files of the kernel, but files: they are not read on a thread of the runtime.
    if let Ok(Some(usage)) = tokio::task::spawn_blocking(process::Usage::read).await {
        usage.write(&mut page);
    }
    page.gauges(
        "corten_conductors",
        "Conductors by how they are.",
        conductors(&members, silence_s),
    );
    page.gauges(
        "corten_nodes_maintenance",
        "Nodes in maintenance.",
        [(NO_LABELS, census.maintenance)],
    );
    page.gauges(
        "corten_event_log_position",
        "The cursor of the newest event.",
        [(NO_LABELS, newest)],
    );
    page.gauges(
        "corten_nodes",
        "Nodes by provision state.",
        rows("provision_state", census.nodes),
    );
    page.gauges(
        "corten_leases",
        "Nodes that a conductor works on.",
        rows("conductor", census.leases),
    );
    let of_webhooks = |value: fn(&types::webhook::Webhook, i64) -> i64| {
        let rows: Vec<_> = webhooks
            .iter()
            .map(|row| ([("webhook", row.id.to_string())], value(row, newest)))
            .collect();
        rows
    };
    page.gauges(
        "corten_webhook_lag_events",
        "How many events are in the log behind what a webhook is done with.",
        of_webhooks(|row, newest| (newest - row.delivery.cursor).max(0)),
    );
    page.gauges(
        "corten_webhook_failures",
        "How often the next event of a webhook was posted in vain.",
        of_webhooks(|row, _| row.delivery.failures),
    );
    let waits = |since: Timestamp| Timestamp::now().seconds_since(since).max(0);
    page.gauges(
        "corten_notification_lag_seconds",
        "How long the oldest notification waits for the message bus.",
        [(NO_LABELS, oldest.map_or(0, waits))],
    );
    page.gauges(
        "corten_webhook_enabled",
        "Whether a webhook is served.",
        of_webhooks(|row, _| i64::from(row.enabled)),
    );
    Ok(page.finish())
}

/// How many conductors there are in each state; every state is told, so that a rule sees zeros.
fn conductors(
    members: &[Member],
    silence_s: u64,
) -> [([(&'static str, &'static str); 1], usize); 4] {
    let now = Timestamp::now();
    let limit = i64::try_from(silence_s).unwrap_or(i64::MAX);
    Standing::ALL.map(|state| {
        let is_so = |member: &&Member| Standing::of(member, None, limit, now) == state;
        let count = members.iter().filter(is_so).count();
        ([("state", state.as_str())], count)
    })
}

fn rows(
    label: &'static str,
    counts: Vec<(String, i64)>,
) -> Vec<([(&'static str, String); 1], i64)> {
    counts
        .into_iter()
        .map(|(name, count)| ([(label, name)], count))
        .collect()
}
