//! The arguments of operations: by name, or as a list in the order of their names.

use super::{RuleError, format, format::Scope};
use serde_json::Value;
use types::{JsonMap, pyrepr};

/// What an operation takes.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) required: &'static [&'static str],
    pub(super) optional: &'static [&'static str],
    /// Arguments in which `{…}` is replaced. In a loop all are.
    pub(super) formatted: &'static [&'static str],
}

/// Operators of conditions, in the order in which messages name them.
pub(super) const OPERATORS: &[Signature] = &[
    sign("eq", &["values"], &["force_strings"], &["values"]),
    sign("lt", &["values"], &["force_strings"], &["values"]),
    sign("gt", &["values"], &["force_strings"], &["values"]),
    sign("is-empty", &["value"], &[], &["value"]),
    sign(
        "in-net",
        &["address", "subnet"],
        &[],
        &["address", "subnet"],
    ),
    sign("matches", &["value", "regex"], &[], &["value"]),
    sign("contains", &["value", "regex"], &[], &["value"]),
    sign("one-of", &["value"], &["values"], &["value"]),
    sign("is-none", &["value"], &[], &["value"]),
    sign("is-true", &["value"], &[], &["value"]),
    sign("is-false", &["value"], &[], &["value"]),
];

/// Actions, in the order in which messages name them.
pub(super) const ACTIONS: &[Signature] = &[
    sign("fail", &["msg"], &[], &[]),
    sign("log", &["msg"], &["level"], &["msg"]),
    sign("set-attribute", &["path", "value"], &[], &["value"]),
    sign(
        "extend-attribute",
        &["path", "value"],
        &["unique"],
        &["value"],
    ),
    sign("del-attribute", &["path"], &[], &[]),
    sign("set-capability", &["name", "value"], &[], &["value"]),
    sign("unset-capability", &["name"], &[], &[]),
    sign("add-trait", &["name"], &[], &[]),
    sign("remove-trait", &["name"], &[], &[]),
    sign("set-plugin-data", &["path", "value"], &[], &["value"]),
    sign(
        "extend-plugin-data",
        &["path", "value"],
        &["unique"],
        &["value"],
    ),
    sign("unset-plugin-data", &["path"], &[], &[]),
    sign(
        "set-port-attribute",
        &["port_id", "path", "value"],
        &[],
        &["value"],
    ),
    sign(
        "extend-port-attribute",
        &["port_id", "path", "value"],
        &["unique"],
        &["value"],
    ),
    sign("del-port-attribute", &["port_id", "path"], &[], &[]),
    sign(
        "api-call",
        &["url"],
        &["headers", "proxies", "timeout", "retries", "backoff_factor"],
        &["url"],
    ),
];

const fn sign(
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    formatted: &'static [&'static str],
) -> Signature {
    Signature {
        name,
        required,
        optional,
        formatted,
    }
}

/// An operator's name, and whether a `!` inverts it.
pub(super) fn inverted(op: &str) -> Result<(&str, bool), RuleError> {
    let op = op.trim();
    if op.matches('!').count() > 1 {
        return Err(RuleError::Unexpected("Multiple exclamation marks are not allowed. To apply the invert of an operation, simply add an exclamation mark (with an optional space) before the operator, e.g. eq - !eq.".into()));
    }
    let name = op.strip_prefix('!').map(str::trim);
    Ok((name.unwrap_or(op), name.is_some()))
}

/// The names of all operations of a table.
pub(super) fn names(table: &[Signature]) -> String {
    let names: Vec<&str> = table.iter().map(|s| s.name).collect();
    names.join(", ")
}

impl Signature {
    /// The arguments of an operation by name, with `{…}` replaced where that is to be.
    pub(super) fn arguments(
        &self,
        operation: &Value,
        scope: &Scope<'_>,
    ) -> Result<JsonMap, RuleError> {
        let mut given = self.named(operation.get("args"))?;
        for (name, value) in &mut given {
            if scope.item.is_some() || self.formatted.contains(&name.as_str()) {
                *value = format::interpolate(value, scope, self.name == "is-empty");
            }
        }
        Ok(given)
    }

    fn named(&self, args: Option<&Value>) -> Result<JsonMap, RuleError> {
        let mut names = self.required.iter().chain(self.optional);
        let given: JsonMap = match args {
            Some(Value::Object(given)) => given.clone(),
            Some(Value::Array(items)) => items
                .iter()
                .map_while(|item| Some(((*names.next()?).to_owned(), item.clone())))
                .collect(),
            _ => JsonMap::new(),
        };
        for name in self.required {
            if !given.contains_key(*name) {
                return Err(RuleError::Unexpected(format!(
                    "{} misses its argument '{name}'",
                    self.name
                )));
            }
        }
        Ok(given)
    }

    fn check(&self, args: Option<&Value>) -> Result<(), String> {
        let given = self.named(args).map_err(|error| match error {
            RuleError::Said(text) | RuleError::Unexpected(text) => text,
        })?;
        let known = |name: &str| self.required.contains(&name) || self.optional.contains(&name);
        match given.keys().find(|name| !known(name)) {
            Some(name) => Err(format!("{} has no argument '{name}'", self.name)),
            None => Ok(()),
        }
    }
}

/// Whether a rule from a file can be applied: every operation exists and has its arguments.
pub(in crate::inspection) fn is_sound(
    conditions: &[Value],
    actions: &[Value],
) -> Result<(), String> {
    let op = |operation: &Value| match operation.get("op") {
        Some(Value::String(op)) => Ok(op.clone()),
        _ => Err(format!("{} has no 'op'", pyrepr::repr(operation))),
    };
    let check = |name: &str, table: &[Signature], operation: &Value| {
        let found = table.iter().find(|s| s.name == name);
        let found = found.ok_or_else(|| format!("there is no operation '{name}'"))?;
        found.check(operation.get("args"))
    };
    for condition in conditions {
        let op = op(condition)?;
        let (name, _) = inverted(&op).map_err(|_| format!("'{op}' has too many '!'"))?;
        check(name, OPERATORS, condition)?;
    }
    if actions.is_empty() {
        return Err("there are no actions".into());
    }
    for action in actions {
        check(&op(action)?, ACTIONS, action)?;
    }
    Ok(())
}
