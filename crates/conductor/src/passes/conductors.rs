//! Conductors that are gone for good.

use super::round::Round;
use crate::core::Core;
use std::sync::Arc;
use types::Timestamp;

/// Forgets conductors without a sign of life for weeks. It is wall-clock time that is compared, so
/// the limit is far beyond what clocks are wrong by; whoever is forgotten by mistake registers anew.
pub(super) async fn pass(core: Arc<Core>) -> Round {
    let settings = &core.settings;
    let limit = i64::try_from(settings.conductor_cleanup_timeout.as_secs()).unwrap_or(i64::MAX);
    let since = Timestamp::now().plus_seconds(-limit);
    let batch = settings.conductor_cleanup_batch_size;
    match store::member::forget_silent(&core.db, since, &core.me(), batch).await {
        Ok(count) => {
            if count > 0 {
                tracing::info!(count, "conductors that are gone for good were forgotten");
            }
            Round {
                visited: count,
                failed: 0,
            }
        }
        Err(error) => {
            tracing::warn!(error = %types::error::chain(&error), "stale conductors were not forgotten");
            Round::FAILED
        }
    }
}
