//! What whoever writes runbooks, deploy templates and inspection rules asks a conductor: which steps
//! there are, and what a rule would do.

use crate::{InterfaceKind, Inventory, JsonMap, step::StepKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A step that an implementation of an interface offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedStep {
    pub interface: InterfaceKind,
    /// The implementation, such as `redfish`.
    pub implementation: String,
    /// Whether nodes that do not choose have this implementation.
    pub is_default: bool,
    pub kind: StepKind,
    pub step: String,
    /// 0: it runs only when it is asked for.
    pub priority: i64,
    pub abortable: bool,
    pub requires_ramdisk: bool,
    pub args: Vec<StepArgument>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepArgument {
    pub name: String,
    pub description: String,
    pub required: bool,
}

/// Which rules are tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriedRules {
    /// One that is not stored.
    Draft {
        conditions: Vec<Value>,
        actions: Vec<Value>,
    },
    /// The one of this name.
    Stored(String),
    /// All that are in force, in their order.
    All,
}

/// What they are tried on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleTrial {
    pub rules: TriedRules,
    pub data: Inventory,
}

/// What rules would do. Nothing of it was done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialReport {
    pub rules: Vec<TriedRule>,
    /// What all of them together would change.
    pub changes: Vec<TrialChange>,
    /// Why the inspection would fail.
    pub error: Option<String>,
}

/// One rule, as far as it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedRule {
    /// None for one that is not stored.
    pub uuid: Option<String>,
    pub description: Option<String>,
    pub priority: i64,
    /// Its conditions and values are not shown.
    pub sensitive: bool,
    pub conditions: Vec<TriedCondition>,
    /// Whether all conditions hold.
    pub applies: bool,
    pub actions: Vec<TriedAction>,
    pub error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedCondition {
    pub op: String,
    /// None where it could not be judged.
    pub holds: Option<bool>,
    /// The arguments with what was found in the place of `{…}`; several for a loop. No secrets.
    pub seen: Vec<JsonMap>,
    pub error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedAction {
    pub op: String,
    /// Whether it was reached.
    pub done: bool,
    /// What it would do beyond changing the node: messages, and calls that were not made.
    pub effects: Vec<String>,
    pub changes: Vec<TrialChange>,
    pub error: Option<String>,
}

/// A value that would be another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialChange {
    /// `node`, `port ADDRESS` or `plugin_data`.
    pub subject: String,
    /// Such as `properties/cpu_arch`.
    pub path: String,
    /// None where there was nothing, or will be nothing. No secrets.
    pub before: Option<Value>,
    pub after: Option<Value>,
}
