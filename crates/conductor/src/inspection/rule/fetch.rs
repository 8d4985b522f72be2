//! Calling an address, for the one action that leaves the machine.

use async_trait::async_trait;
use std::{collections::BTreeMap, time::Duration};

/// A call that a rule wants.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) url: String,
    pub(crate) headers: BTreeMap<String, String>,
    /// Proxies by the scheme that goes through them.
    pub(crate) proxies: BTreeMap<String, String>,
    /// For each try.
    pub(crate) timeout: Duration,
    /// How often a call that failed is tried again.
    pub(crate) retries: u32,
    /// Seconds that the second pause takes; each is twice as long as the one before.
    pub(crate) backoff_s: f64,
}

/// Whoever can make calls. The error says what went wrong, without headers.
#[async_trait]
pub(crate) trait Fetch: Send + Sync {
    async fn get(&self, call: &Call) -> Result<(), String>;

    /// Writes a line into the log, which leaves the machine where logs are gathered.
    fn log(&self, level: tracing::Level, message: &str) {
        match level {
            tracing::Level::ERROR => tracing::error!("{message}"),
            tracing::Level::WARN => tracing::warn!("{message}"),
            tracing::Level::INFO => tracing::info!("{message}"),
            _ => tracing::debug!("{message}"),
        }
    }
}
