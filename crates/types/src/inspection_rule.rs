//! Inspection rules: what to do about what inspection found.
//!
//! Conditions and actions are kept as the JSON that clients write; what their operators mean is
//! the conductor's matter.

use crate::{InspectionRuleId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The only phase there is.
pub const MAIN_PHASE: &str = "main";

/// An inspection rule row.
///
/// While a sensitive rule is at rest or in memory, each of its conditions and actions is sealed as
/// a whole, and is one sealed text; the subject is the rule's UUID. The others are public anyway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InspectionRule {
    /// Order of creation; the paging key.
    pub row: i64,
    pub id: InspectionRuleId,
    /// Compare-and-swap counter of the row.
    pub version: i64,
    pub description: Option<String>,
    /// The highest runs first.
    pub priority: i64,
    pub phase: String,
    /// Whether conditions and actions are hidden from everybody.
    pub sensitive: bool,
    pub conditions: Vec<Value>,
    pub actions: Vec<Value>,
    pub scope: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl InspectionRule {
    /// A rule with the defaults of a new one.
    pub fn new(id: InspectionRuleId, conditions: Vec<Value>, actions: Vec<Value>) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            description: None,
            priority: 0,
            phase: MAIN_PHASE.to_owned(),
            sensitive: false,
            conditions,
            actions,
            scope: None,
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }
}
