//! Runbooks: named lists of steps that operators approve for machines by their traits.

use crate::{InterfaceKind, JsonMap, RunbookId, Timestamp, deploy_template::Rank};
use serde::{Deserialize, Serialize};

/// A step of a runbook.
///
/// Values under secret keys (see [`crate::mask`]) in `args` are sealed while the runbook is at rest
/// or in memory; the subject is the runbook's UUID.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunbookStep {
    pub interface: InterfaceKind,
    pub step: String,
    pub args: JsonMap,
    /// Kept and shown, but steps run in the order in which they were given.
    pub order: Rank,
}

/// A runbook row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Runbook {
    /// Order of creation; the paging key.
    pub row: i64,
    pub id: RunbookId,
    /// Compare-and-swap counter of the row.
    pub version: i64,
    pub name: String,
    pub description: Option<String>,
    /// In the order in which they were given.
    pub steps: Vec<RunbookStep>,
    /// A machine with one of these may run it. Sorted, without doubles.
    pub traits: Vec<String>,
    pub disable_ramdisk: bool,
    /// Everybody may use it; such a runbook has no owner.
    pub public: bool,
    pub owner: Option<String>,
    pub extra: JsonMap,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl Runbook {
    /// A runbook that is not stored yet.
    pub fn new(id: RunbookId, name: impl Into<String>, steps: Vec<RunbookStep>) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            name: name.into(),
            description: None,
            steps,
            traits: Vec::new(),
            disable_ramdisk: false,
            public: false,
            owner: None,
            extra: JsonMap::new(),
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }
}
