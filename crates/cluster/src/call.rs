//! What one process tells another: a [`Request`] on its way, and its answer.
//!
//! A call says where it belongs ([`CallTarget`]), so that whoever gets it can tell without the database
//! whether it came to the right conductor. Both sides of a cluster are of the same or of adjacent
//! versions; a variant that only one of them knows is a refusal, not a misunderstanding (see
//! [`crate::adjacent`]).

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use types::{Caller, Fault, Node, NodeId, rpc::Request};

/// Who a call is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallTarget {
    /// Whoever a node of this hardware type and group belongs to.
    Node {
        node: NodeId,
        driver: String,
        group: String,
    },
    /// Anybody who serves this hardware type.
    Driver(String),
    /// This very conductor.
    Host(String),
    Anybody,
}

impl CallTarget {
    pub(crate) fn of(node: &Node) -> Self {
        Self::Node {
            node: node.id,
            driver: node.driver.clone(),
            group: node.conductor_group.clone(),
        }
    }
}

/// A call on its way.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Whose words these are; a program of before this was told says nothing.
    #[serde(default)]
    pub(crate) program: String,
    pub(crate) place: CallTarget,
    /// Whoever is behind it; the service itself, if nobody.
    #[serde(default)]
    pub(crate) who: Caller,
    /// The span that the call is made in, as W3C writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<String>,
    pub(crate) request: Box<Request>,
}

/// What came of a call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// The value that the method returned.
    Done(Box<RawValue>),
    Refused(Fault),
    /// Nothing was done: the node belongs to another conductor, as far as this one knows.
    NotMine {
        owner: Option<String>,
    },
}

impl From<Result<Box<RawValue>, Fault>> for Answer {
    fn from(outcome: Result<Box<RawValue>, Fault>) -> Self {
        match outcome {
            Ok(value) => Self::Done(value),
            Err(fault) => Self::Refused(fault),
        }
    }
}
