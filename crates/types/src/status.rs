//! What a conductor tells about itself, for `corten status`.

use crate::pass::PassReport;
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
}
