//! From a body that has the right shape to a rule: what creation and patches have in common.

use crate::{
    args,
    error::ApiError,
    schema::inspection_rule::{ACTIONS, CONDITIONS, Operator},
};
use serde_json::Value;
use types::{InspectionRule, JsonMap, inspection_rule::MAIN_PHASE, pyrepr};

/// The highest priority of a rule that is not built in.
const MAX_PRIORITY: i64 = 9999;

/// What the actions on plugin data get besides their arguments.
const PLUGIN_DATA: &str = "plugin_data";

/// Sets all attributes but the identity.
pub(super) fn apply(body: &JsonMap, rule: &mut InspectionRule) -> Result<(), ApiError> {
    let phase = body.get("phase").map_or(MAIN_PHASE.into(), pyrepr::to_str);
    if phase != MAIN_PHASE {
        return Err(ApiError::invalid(format!(
            "Invalid phase: {phase}. Valid phases are: {MAIN_PHASE}"
        )));
    }
    rule.phase = phase;
    rule.priority = match body.get("priority") {
        Some(given) => args::integer("priority", given)?,
        None => 0,
    };
    if rule.priority > MAX_PRIORITY {
        return Err(ApiError::invalid(format!(
            "Priority must be between 0 and {MAX_PRIORITY} for user-defined rules."
        )));
    }
    rule.sensitive = body
        .get("sensitive")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    rule.description = body
        .get("description")
        .and_then(Value::as_str)
        .map(str::to_owned);
    rule.conditions = items(body, "conditions", |item| plain(item, CONDITIONS, true))?;
    rule.actions = items(body, "actions", |item| plain(item, ACTIONS, false))?;
    Ok(())
}

fn items(
    body: &JsonMap,
    name: &str,
    read: impl Fn(&Value) -> Result<Value, ApiError>,
) -> Result<Vec<Value>, ApiError> {
    let items = body.get(name).and_then(Value::as_array);
    items.into_iter().flatten().map(read).collect()
}

/// An action or condition without what means nothing. Only conditions say how many of several
/// rounds must hold, and only where there are any.
fn plain(item: &Value, operators: &[Operator], counts: bool) -> Result<Value, ApiError> {
    let op = item.get("op").and_then(Value::as_str).unwrap_or_default();
    let mut args = item.get("args").cloned().unwrap_or_default();
    let data = args
        .as_object_mut()
        .filter(|_| op.ends_with("-plugin-data"));
    if let Some(named) = data {
        // Ironic shows its own argument for the data too, whatever was given for it.
        named.shift_remove(PLUGIN_DATA);
        check_args(op, &args, operators)?;
        args[PLUGIN_DATA] = JsonMap::new().into();
    } else {
        check_args(op.trim_start_matches('!'), &args, operators)?;
    }
    let mut kept = JsonMap::new();
    kept.insert("op".into(), op.into());
    kept.insert("args".into(), args);
    let rounds = item.get("loop").filter(|rounds| !is_empty(rounds));
    if let Some(rounds) = rounds {
        kept.insert("loop".into(), rounds.clone());
        if counts {
            let multiple = item.get("multiple").cloned().unwrap_or("any".into());
            kept.insert("multiple".into(), multiple);
        }
    }
    Ok(Value::Object(kept))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => true,
    }
}

/// Ironic breaks over wrong arguments; we say the same as a refusal.
fn check_args(op: &str, args: &Value, operators: &[Operator]) -> Result<(), ApiError> {
    let Some((_, needed, also)) = operators.iter().find(|(name, ..)| *name == op) else {
        return Ok(());
    };
    match args {
        Value::Array(items) => {
            let missing = needed.get(items.len()..).unwrap_or_default();
            refuse("missing required argument(s)", missing)
        }
        Value::Object(map) => {
            let missing: Vec<&str> = needed
                .iter()
                .copied()
                .filter(|name| !map.contains_key(*name))
                .collect();
            refuse("missing required argument(s)", &missing)?;
            let unknown: Vec<&str> = map
                .keys()
                .map(String::as_str)
                .filter(|name| !needed.contains(name) && !also.contains(name))
                .collect();
            refuse("unexpected argument(s)", &unknown)
        }
        _ => Ok(()),
    }
}

fn refuse(what: &str, names: &[&str]) -> Result<(), ApiError> {
    if names.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid(format!("{what}: {}", names.join(", "))))
}
