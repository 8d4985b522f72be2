//! Inspection rules: what operators want done about what was found.
//!
//! Rules run after the hooks, the highest priority first. A rule whose conditions all hold has its
//! actions carried out one after the other; the first thing that goes wrong ends the inspection,
//! and what was done before stays. Everything works on values in memory, save for the action that
//! calls an address ([`Fetch`]).

mod action;
mod argument;
mod attribute;
mod compare;
pub(super) mod fetch;
pub(super) mod file;
mod format;
mod operator;
mod place;

use super::{settings::MaskSecrets, subject::Subject};
pub(super) use argument::is_sound;
use fetch::Fetch;
use format::Scope;
use serde_json::Value;
use types::JsonMap;

/// A rule that is ready to be applied.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rule {
    pub(crate) uuid: String,
    pub(crate) priority: i64,
    pub(crate) sensitive: bool,
    pub(crate) conditions: Vec<Value>,
    pub(crate) actions: Vec<Value>,
}

impl Rule {
    /// One that is stored, opened.
    pub(super) fn of(rule: types::InspectionRule) -> Self {
        Self {
            uuid: rule.id.to_string(),
            priority: rule.priority,
            sensitive: rule.sensitive,
            conditions: rule.conditions,
            actions: rule.actions,
        }
    }
}

/// Why a rule could not be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RuleError {
    /// In words that are meant for the operator.
    Said(String),
    /// An accident: the rule or the data is not what was expected.
    Unexpected(String),
}

impl RuleError {
    fn action(reason: impl std::fmt::Display) -> Self {
        Self::Said(format!(
            "Inspection rule action execution failed. Reason: {reason}"
        ))
    }
}

/// Applies rules to a subject; the error is the whole explanation.
pub(super) async fn apply(
    subject: &mut Subject,
    mut rules: Vec<Rule>,
    mask: MaskSecrets,
    fetch: &dyn Fetch,
) -> Result<(), String> {
    // Stable, so that rules of the same priority keep their order.
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.priority));
    for rule in rules {
        let masked = match mask {
            MaskSecrets::Always => true,
            MaskSecrets::Never => false,
            MaskSecrets::Sensitive => !rule.sensitive,
        };
        apply_one(subject, &rule, masked, fetch)
            .await
            .map_err(|error| match error {
                RuleError::Said(text) => text,
                RuleError::Unexpected(text) => format!(
                    "Failed to apply rule {} to node {}: {text}",
                    rule.uuid, subject.node.id
                ),
            })?;
    }
    Ok(())
}

async fn apply_one(
    subject: &mut Subject,
    rule: &Rule,
    masked: bool,
    fetch: &dyn Fetch,
) -> Result<(), RuleError> {
    for condition in &rule.conditions {
        if !operator::holds(subject, condition, masked)? {
            tracing::debug!(node = %subject.node.id, rule = rule.uuid, "a condition does not hold");
            return Ok(());
        }
    }
    tracing::info!(node = %subject.node.id, rule = rule.uuid, "applying an inspection rule");
    for action in &rule.actions {
        for item in items(action) {
            action::carry_out(subject, action, item, masked, fetch).await?;
        }
    }
    Ok(())
}

/// Whether a condition holds for somebody who must not see secrets.
pub(super) fn holds(subject: &Subject, condition: &Value) -> Result<bool, RuleError> {
    operator::holds(subject, condition, true)
}

/// What a condition compares, for at most so many items of its loop; nothing if it has a mistake.
pub(super) fn seen(subject: &Subject, condition: &Value, most: usize) -> Vec<JsonMap> {
    let items = items(condition).into_iter().take(most);
    let seen = items.filter_map(|item| {
        let scope = Scope {
            subject,
            masked: true,
            item,
        };
        operator::arguments(condition, &scope)
    });
    seen.collect()
}

/// Carries out an action for somebody who must not see secrets.
pub(super) async fn carry_out(
    subject: &mut Subject,
    action: &Value,
    item: Option<&Value>,
    fetch: &dyn Fetch,
) -> Result<(), RuleError> {
    action::carry_out(subject, action, item, true, fetch).await
}

/// What an operation is repeated for: the items of its loop, or nothing in particular, once. An
/// object is one item.
pub(super) fn items(operation: &Value) -> Vec<Option<&Value>> {
    match operation.get("loop") {
        Some(Value::Array(items)) if !items.is_empty() => items.iter().map(Some).collect(),
        Some(object @ Value::Object(map)) if !map.is_empty() => vec![Some(object)],
        Some(other) if super::hook::is_truthy(other) => Vec::new(),
        _ => vec![None],
    }
}

#[cfg(test)]
mod tests;
