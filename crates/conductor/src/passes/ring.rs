//! Looking who else is there.

use crate::{Settings, core::Core};
use std::{sync::Arc, time::Duration};

/// Zero, which means never, for a conductor that shares its nodes with nobody.
pub(super) fn interval(settings: &Settings) -> Duration {
    if settings.url.is_none() {
        return Duration::ZERO;
    }
    settings.view().interval()
}

pub(super) async fn pass(core: Arc<Core>) {
    if let Err(error) = core.view.refresh().await {
        tracing::warn!(error = %types::error::chain(&error), "the other conductors cannot be seen");
    }
}
