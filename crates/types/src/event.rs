//! The event log: what happened to which node, in the order in which it was committed.
//!
//! Every change of a node is appended in the same transaction as the change itself. History,
//! notifications, streams and timelines are readers of this log.

use crate::{Caller, NodeId, Timestamp, mask};
use serde::{Deserialize, Serialize};
use serde_json::Value;

crate::wire_enum! {
    /// The kind of a log entry.
    pub enum EventKind {
        Created = "created",
        Updated = "updated",
        Deleted = "deleted",
        Provision = "provision",
        Power = "power",
        Step = "step",
        Error = "error",
        /// The hardware did most of what it was asked.
        Warning = "warning",
        Maintenance = "maintenance",
        Console = "console",
        /// Work of a dead or restarted conductor was taken up again.
        Resumed = "resumed",
        /// A batch, or a node as one of a batch. `data` names the batch.
        Batch = "batch",
    }
}

/// An event about to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    pub node: NodeId,
    pub node_name: Option<String>,
    pub kind: EventKind,
    /// One sentence for people; never holds a secret.
    pub text: String,
    /// The same for programs.
    pub data: Value,
    pub user: Option<String>,
    pub project: Option<String>,
    pub request_id: Option<String>,
}

impl NewEvent {
    /// An event about `node` asked for by `caller`.
    pub fn new(
        node: &crate::Node,
        kind: EventKind,
        text: impl Into<String>,
        data: Value,
        caller: &Caller,
    ) -> Self {
        Self {
            node: node.id,
            node_name: node.name.clone(),
            kind,
            text: text.into(),
            data,
            user: caller.user.clone(),
            project: caller.project.clone(),
            request_id: Some(caller.request_id.clone()).filter(|id| !id.is_empty()),
        }
    }
}

/// An event as readers get it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoggedEvent {
    /// Position in the log: dense, rising in commit order.
    pub cursor: i64,
    pub at: Timestamp,
    pub node: NodeId,
    pub node_name: Option<String>,
    pub kind: EventKind,
    pub text: String,
    pub data: Value,
    pub user: Option<String>,
    pub project: Option<String>,
    pub request_id: Option<String>,
}

impl LoggedEvent {
    /// The event as other programs read it: without secrets, and without who asked for it.
    pub fn document(&self) -> Value {
        let data = match &self.data {
            Value::Object(map) => Value::Object(mask::masked(map)),
            other => other.clone(),
        };
        serde_json::json!({
            "cursor": self.cursor,
            "at": self.at.to_string(),
            "node": self.node,
            "node_name": self.node_name,
            "kind": self.kind,
            "text": self.text,
            "data": data,
        })
    }
}

/// An entry of a node's history, as the API shows it. What is absent was not recorded by the Ironic
/// that wrote the entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Order of creation.
    pub row: i64,
    pub id: crate::HistoryId,
    pub node: NodeId,
    pub created_at: Timestamp,
    pub conductor: Option<String>,
    pub user: Option<String>,
    pub project: Option<String>,
    /// True shows as severity `ERROR`, false as `INFO`.
    pub is_error: Option<bool>,
    pub event_type: Option<String>,
    pub event: String,
    pub state: Option<crate::ProvisionState>,
    pub target_provision_state: Option<crate::ProvisionState>,
    pub duration_seconds: Option<i64>,
}
