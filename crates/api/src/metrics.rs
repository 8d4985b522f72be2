//! What operators watch, as Prometheus reads it: what this process counted, and what the database
//! knows of all.
//!
//! Served by the API to those who may see it (`GET /corten/v1/metrics`), and to everybody at the
//! addresses that the operator opened for it.

use std::time::Duration;
use store::{Db, StoreError};
use types::{
    Timestamp,
    metrics::{NO_LABELS, Page},
};

/// How old numbers may be that take long to count.
const AGE: Duration = Duration::from_secs(15);

/// The whole text.
pub async fn page(db: &Db) -> Result<String, StoreError> {
    let newest = store::event::newest(db).await?;
    let webhooks = store::webhook::list(db).await?;
    let census = store::census(db, AGE).await?;
    let oldest = store::notification::oldest(db).await?;
    let mut page = Page::of_this_process();
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

fn rows(
    label: &'static str,
    counts: Vec<(String, i64)>,
) -> Vec<([(&'static str, String); 1], i64)> {
    counts
        .into_iter()
        .map(|(name, count)| ([(label, name)], count))
        .collect()
}
