//! Remote volumes of nodes: one file a table.

pub mod connector;
pub mod target;

use crate::page::Conditions;
use types::NodeId;

/// Which connectors or targets a list shows. Absent values ask nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VolumeFilter {
    pub node: Option<NodeId>,
    /// Owner or lessee of the node.
    pub project: Option<String>,
}

impl VolumeFilter {
    fn conditions(self) -> Conditions {
        let mut c = Conditions::default();
        c.equal_if("node_uuid", self.node.map(|id| id.to_string()));
        if let Some(project) = &self.project {
            c.node_of(project);
        }
        c
    }
}
