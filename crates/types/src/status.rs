//! What a conductor tells about itself, for `corten status`.

use crate::{Timestamp, pass::PassReport};
use serde::{Deserialize, Serialize};

/// How a conductor fares, as it sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConductorReport {
    /// Of the program.
    pub version: String,
    /// The incarnation that it takes itself for.
    pub epoch: i64,
    pub uptime_s: f64,
    /// Whether its last sign of life is recent enough to call hardware.
    pub may_act: bool,
    /// Whether it is about to stop.
    pub is_leaving: bool,
    pub workers_busy: u64,
    pub workers: u64,
    pub passes: Vec<PassReport>,
    /// The services of OpenStack that did not answer when it called them last. Conductors of
    /// earlier versions do not tell.
    #[serde(default)]
    pub outages: Vec<OutageReport>,
}

/// A service that does not answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutageReport {
    pub service: String,
    /// The first call that failed, and the last one.
    pub since: Timestamp,
    pub last: Timestamp,
    pub error: String,
    /// How many calls are under way, and what some of them are for.
    pub waiting: u64,
    pub waiting_for: Vec<String>,
}
