//! What inspection found in a machine.

use crate::{JsonMap, NodeId};
use serde::{Deserialize, Serialize};

/// The last inspection's findings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Inventory {
    /// Processors, memory, disks, interfaces: the agent's own words.
    pub inventory: JsonMap,
    /// What hooks made of it, and what extra collectors sent.
    pub plugin_data: JsonMap,
}

/// The names under which the two parts are kept in Swift.
pub fn object_names(node: NodeId) -> [String; 2] {
    ["inventory", "plugin"].map(|part| format!("inspector_data-{node}-{part}"))
}
