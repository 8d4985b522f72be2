//! Conditions: what must hold for a rule to be applied.

use super::{
    super::{net::Network, subject::Subject},
    RuleError, Scope,
    argument::{self, OPERATORS, Signature},
    compare, items,
};
use regex::Regex;
use serde_json::Value;
use std::{cmp::Ordering, net::IpAddr};
use types::{JsonMap, pyrepr};

/// A compiled expression may not need more than this.
const EXPRESSION_BYTES: usize = 1 << 20;

/// Whether a condition holds.
pub(super) fn holds(subject: &Subject, condition: &Value, masked: bool) -> Result<bool, RuleError> {
    let op = condition
        .get("op")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let (name, inverted) = argument::inverted(op)?;
    let Some(signature) = OPERATORS.iter().find(|s| s.name == name) else {
        return Err(RuleError::Unexpected(format!(
            "Unsupported operator: '{name}'. Supported operators are: {}.",
            argument::names(OPERATORS)
        )));
    };
    let mut results = Vec::new();
    let multiple = condition.get("multiple").and_then(Value::as_str);
    let mut repeated = items(condition);
    if repeated.is_empty() {
        // A loop over something else than items is none for conditions.
        repeated.push(None);
    }
    for item in repeated {
        let scope = Scope {
            subject,
            masked,
            item,
        };
        let result = check(signature, condition, &scope)? != inverted;
        if item.is_none() {
            return Ok(result);
        }
        if multiple == Some("first") && result {
            return Ok(true);
        }
        results.push(result);
    }
    Ok(match multiple.unwrap_or("any") {
        "any" => results.contains(&true),
        "all" => !results.contains(&false),
        "last" => results.last() == Some(&true),
        _ => results.first() == Some(&true),
    })
}

/// What a condition compares, if it is sound.
pub(super) fn arguments(condition: &Value, scope: &Scope<'_>) -> Option<JsonMap> {
    let op = condition.get("op").and_then(Value::as_str)?;
    let (name, _) = argument::inverted(op).ok()?;
    let signature = OPERATORS.iter().find(|s| s.name == name)?;
    signature.arguments(condition, scope).ok()
}

fn check(signature: &Signature, condition: &Value, scope: &Scope<'_>) -> Result<bool, RuleError> {
    let args = signature.arguments(condition, scope)?;
    let value = args.get("value").unwrap_or(&Value::Null);
    match signature.name {
        "is-empty" => Ok(matches!(
            pyrepr::to_str(value).as_str(),
            "" | "None" | "[]" | "{}"
        )),
        "is-none" => Ok(value.is_null()),
        "is-true" => Ok(match value {
            Value::Bool(on) => *on,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => matches!(text.to_lowercase().as_str(), "yes" | "true"),
            _ => false,
        }),
        "is-false" => Ok(match value {
            Value::Bool(on) => !on,
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::String(text) => matches!(text.to_lowercase().as_str(), "no" | "false"),
            other => other.is_null(),
        }),
        "one-of" => is_one_of(value, args.get("values")),
        "in-net" => is_in_network(&args),
        "matches" | "contains" => fits(value, &args, signature.name == "matches"),
        name => in_order(name, &args, scope.item.is_some()),
    }
}

/// `eq`, `lt` and `gt`: whether it holds for each value and the next.
fn in_order(name: &str, args: &JsonMap, in_loop: bool) -> Result<bool, RuleError> {
    let values = match args.get("values") {
        Some(Value::Array(values)) => values,
        other => {
            let other = other.unwrap_or(&Value::Null);
            return Err(RuleError::Said(format!(
                "Inspection rule condition check failed. Reason: Failed to check condition: '{name}' on values: {}: Expected list for 'values', got: {}",
                pyrepr::to_str(other),
                compare::kind(other)
            )));
        }
    };
    // Items of loops have become texts, and a number beside them would never be equal.
    let forced = args.get("force_strings");
    let as_texts = in_loop || forced.is_some_and(super::super::hook::is_truthy);
    let texts: Vec<Value>;
    let values = if as_texts {
        texts = values.iter().map(|v| pyrepr::to_str(v).into()).collect();
        &texts
    } else {
        values
    };
    for pair in values.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        let fine = match name {
            "eq" => compare::equal(a, b),
            "lt" => compare::order(a, b, '<')? == Some(Ordering::Less),
            _ => compare::order(a, b, '>')? == Some(Ordering::Greater),
        };
        if !fine {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_one_of(value: &Value, values: Option<&Value>) -> Result<bool, RuleError> {
    let unexpected = |text: String| Err(RuleError::Unexpected(text));
    match (values, value) {
        (None, _) => Ok(false),
        (Some(Value::Array(values)), _) => Ok(values.iter().any(|v| compare::equal(v, value))),
        (Some(Value::String(text)), Value::String(part)) => Ok(text.contains(part.as_str())),
        (Some(Value::String(_)), other) => unexpected(format!(
            "'in <string>' requires string as left operand, not {}",
            compare::kind(other)
        )),
        (Some(Value::Object(map)), Value::String(key)) => Ok(map.contains_key(key)),
        (Some(Value::Object(_)), _) => Ok(false),
        (Some(other), _) => unexpected(format!(
            "argument of type '{}' is not iterable",
            compare::kind(other)
        )),
    }
}

fn is_in_network(args: &JsonMap) -> Result<bool, RuleError> {
    let text = |name: &str| pyrepr::to_str(args.get(name).unwrap_or(&Value::Null));
    let (address, subnet) = (text("address"), text("subnet"));
    let network: Network = subnet
        .parse()
        .map_err(|_| RuleError::Said(format!("invalid value: invalid IPNetwork {subnet}")))?;
    let address: IpAddr = address.parse().map_err(|_| {
        RuleError::Unexpected(format!(
            "failed to detect a valid IP address from {}",
            pyrepr::repr_str(&address)
        ))
    })?;
    Ok(network.contains(address))
}

/// Whether an expression is found in a value: from its beginning to its end, or anywhere.
fn fits(value: &Value, args: &JsonMap, whole: bool) -> Result<bool, RuleError> {
    let text = pyrepr::to_str(value);
    let mut expression = match args.get("regex") {
        Some(Value::String(expression)) => expression.clone(),
        other => {
            let kind = compare::kind(other.unwrap_or(&Value::Null));
            return Err(RuleError::Unexpected(format!(
                "first argument must be string or compiled pattern, not {kind}"
            )));
        }
    };
    let compile = |expression: &str| {
        let built = regex::RegexBuilder::new(expression)
            .size_limit(EXPRESSION_BYTES)
            .build();
        built.map_err(|error| {
            // The library draws the place on lines of its own; the last line says what is wrong.
            let text = error.to_string();
            let what = text.lines().last().unwrap_or_default();
            let what = what.trim_start_matches("error: ");
            RuleError::Said(format!("invalid regular expression: {what}"))
        })
    };
    let compiled: Regex = compile(&expression)?;
    let compiled = if whole {
        if expression.is_empty() {
            return Err(RuleError::Unexpected("string index out of range".into()));
        }
        if !expression.ends_with('$') {
            expression.push('$');
        }
        compile(&format!(r"\A(?:{expression})"))?
    } else {
        compiled
    };
    // In Python `$` also stands before a line feed at the very end.
    let shorter = text.strip_suffix('\n');
    Ok(compiled.is_match(&text) || shorter.is_some_and(|text| compiled.is_match(text)))
}
