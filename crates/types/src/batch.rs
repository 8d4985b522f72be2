//! Batches: one verb for many nodes, in waves.
//!
//! Which nodes a batch has is settled when it is made; each of them has a row of its own. A wave
//! begins when all nodes of the one before have ended.

mod maker;

pub use maker::Maker;

use crate::{
    BatchId, NodeId, PowerTarget, Timestamp, Verb, lease::Holder, rpc::ProvisionRequest, wire_enum,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt, str::FromStr};

wire_enum! {
    /// How a batch fares.
    pub enum BatchState {
        Running = "running",
        /// Somebody paused it.
        Paused = "paused",
        /// Too much failed.
        Stopped = "stopped",
        /// Somebody aborted it; nodes that were asked before are still working.
        Aborting = "aborting",
        Done = "done",
        Aborted = "aborted",
    }
}

impl BatchState {
    /// Whether nothing will happen any more.
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Done | Self::Aborted)
    }
}

wire_enum! {
    /// How a node of a batch fares.
    pub enum BatchNodeState {
        Waiting = "waiting",
        /// The node is being asked, or was when the conductor died.
        Asked = "asked",
        /// The node has accepted the verb.
        Running = "running",
        Done = "done",
        Failed = "failed",
        /// The batch was aborted before its turn.
        Skipped = "skipped",
    }
}

/// What a batch does with each of its nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum BatchAction {
    Provision {
        /// The word that the client used.
        word: String,
        request: ProvisionRequest,
    },
    Power {
        target: PowerTarget,
        timeout_s: Option<u64>,
    },
    Maintenance {
        on: bool,
        reason: Option<String>,
    },
}

impl BatchAction {
    /// Which of the three it is.
    pub fn kind(&self) -> ActionKind {
        match self {
            Self::Provision { .. } => ActionKind::Provision,
            Self::Power { .. } => ActionKind::Power,
            Self::Maintenance { .. } => ActionKind::Maintenance,
        }
    }

    /// What is asked for, in one word of the API.
    pub fn word(&self) -> &str {
        match self {
            Self::Provision { word, .. } => word,
            Self::Power { target, .. } => target.as_str(),
            Self::Maintenance { on: true, .. } => "on",
            Self::Maintenance { on: false, .. } => "off",
        }
    }

    /// The provision verb, if it is one.
    pub fn verb(&self) -> Option<Verb> {
        match self {
            Self::Provision { request, .. } => Some(request.verb()),
            _ => None,
        }
    }
}

wire_enum! {
    /// What kind of verb a batch has.
    pub enum ActionKind {
        Provision = "provision",
        Power = "power",
        Maintenance = "maintenance",
    }
}

/// How large a wave is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaveSize {
    Nodes(u64),
    /// So many hundredths of all nodes, at least one.
    Percent(u64),
    /// All that are left.
    Rest,
}

/// A text that is no size of a wave.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a wave is a number of nodes from 1, a share from 1% to 100%, or the word rest")]
pub struct BadWaveSize;

impl FromStr for WaveSize {
    type Err = BadWaveSize;

    fn from_str(text: &str) -> Result<Self, BadWaveSize> {
        let number = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => text.parse::<u64>().ok().filter(|number| *number > 0),
            false => None,
        };
        let size = match text.strip_suffix('%') {
            _ if text == "rest" => Some(Self::Rest),
            Some(share) => number(share).filter(|n| *n <= 100).map(Self::Percent),
            None => number(text).map(Self::Nodes),
        };
        size.ok_or(BadWaveSize)
    }
}

impl fmt::Display for WaveSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{nodes}"),
            Self::Percent(share) => write!(f, "{share}%"),
            Self::Rest => f.write_str("rest"),
        }
    }
}

/// How many nodes each wave has. What no wave was asked for makes one more.
pub fn wave_sizes(total: u64, asked: &[WaveSize]) -> Vec<u64> {
    let mut left = total;
    let mut sizes = Vec::new();
    for size in asked.iter().chain([&WaveSize::Rest]) {
        let size = match size {
            WaveSize::Nodes(nodes) => *nodes,
            WaveSize::Percent(share) => total.saturating_mul(*share).div_ceil(100),
            WaveSize::Rest => left,
        };
        let size = size.min(left);
        if size > 0 {
            sizes.push(size);
            left -= size;
        }
    }
    sizes
}

/// A batch as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    pub id: BatchId,
    pub version: i64,
    pub description: Option<String>,
    /// The query that its nodes are from, if they are from one.
    pub query: Option<String>,
    pub action: ActionKind,
    pub word: String,
    /// The [`BatchAction`], sealed.
    pub request: Value,
    pub state: BatchState,
    /// Why it stopped.
    pub reason: Option<String>,
    pub node_count: i64,
    pub wave_sizes: Vec<u64>,
    /// The wave that is under way, counted from zero.
    pub wave: i64,
    pub at_once: i64,
    /// How many nodes may fail; without it, none may before the next wave begins.
    pub max_failures: Option<i64>,
    /// How many nodes had failed when somebody had it go on.
    pub forgiven: i64,
    pub user: Option<String>,
    pub project: Option<String>,
    /// Who made it, if that is a local user.
    pub maker: Option<Maker>,
    pub holder: Option<Holder>,
    pub generation: i64,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

impl Batch {
    /// The id of the request to one of its nodes: by it the log tells whether the node accepted it.
    pub fn request_id(&self, place: i64) -> String {
        format!("batch-{}-{place}", self.id)
    }
}

/// A node of a new batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub node: NodeId,
    pub name: Option<String>,
    pub owners: Owners,
}

/// The owner and the lessee of a node.
pub type Owners = (Option<String>, Option<String>);

/// A node of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchNode {
    /// Its place in the order, counted from zero.
    pub place: i64,
    pub node: NodeId,
    /// What it was called when the batch was made.
    pub name: Option<String>,
    pub wave: i64,
    pub state: BatchNodeState,
    /// Why it failed.
    pub reason: Option<String>,
    /// The last error of the node when it failed, which fewer may read than the reason.
    pub last_error: Option<String>,
    /// Where the log ended before the node was asked.
    pub log_position: Option<i64>,
    pub asked_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(total: u64, asked: &[&str], expected: &[u64]) {
        let asked: Vec<WaveSize> = asked.iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(wave_sizes(total, &asked), expected);
    }

    #[test]
    fn waves_have_all_nodes_and_none_twice() {
        check(200, &["1", "10%"], &[1, 20, 179]);
        check(200, &["1", "10%", "rest"], &[1, 20, 179]);
        check(1, &["1", "10%"], &[1]);
        check(5, &["1", "10%"], &[1, 1, 3]);
        check(5, &[], &[5]);
        check(5, &["rest", "2"], &[5]);
        check(10, &["100", "100"], &[10]);
        check(0, &["1"], &[]);
    }

    #[test]
    fn other_texts_are_no_waves() {
        for text in [
            "", "0", "0%", "101%", "-1", "+1", "1.5", "all", "%", "1 %", "९",
        ] {
            assert_eq!(text.parse::<WaveSize>(), Err(BadWaveSize), "{text}");
        }
        for text in ["1", "100%", "rest", "100000"] {
            assert_eq!(text.parse::<WaveSize>().unwrap().to_string(), text);
        }
    }
}
