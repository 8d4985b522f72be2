//! What inspection found in a machine.

use crate::JsonMap;
use serde::{Deserialize, Serialize};

/// The last inspection's findings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Inventory {
    /// Processors, memory, disks, interfaces: the agent's own words.
    pub inventory: JsonMap,
    /// What hooks made of it, and what extra collectors sent.
    pub plugin_data: JsonMap,
}
