//! What a conductor tells about its periodic passes.
//!
//! Kept in memory by the conductor that runs them; `corten status` and the metrics show it.

use crate::Timestamp;
use serde::{Deserialize, Serialize};

/// How a periodic pass fares on one conductor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassReport {
    pub name: String,
    /// How often a round is meant to begin, in seconds.
    pub interval_s: f64,
    pub is_running: bool,
    /// Rounds that have ended.
    pub rounds: u64,
    /// When the last round began, also one that goes on.
    pub last_began: Option<Timestamp>,
    /// How long the last round that has ended took, in seconds.
    pub last_duration_s: f64,
    /// What it visited: nodes, or rows that were removed.
    pub last_visited: u64,
    /// What of it failed.
    pub last_failed: u64,
    /// The same for all rounds together.
    pub total_duration_s: f64,
    pub total_visited: u64,
    pub total_failed: u64,
    /// How much later than planned the last round began, or by how much the next one is overdue,
    /// in seconds.
    pub lag_s: f64,
}
