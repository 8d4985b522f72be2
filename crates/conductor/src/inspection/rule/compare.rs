//! JSON values compared the way Python compares its own.

use super::RuleError;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Whether two values are equal: `1`, `1.0` and `true` are, `1` and `"1"` are not.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let has = |(key, value): (&String, &Value)| b.get(key).is_some_and(|v| equal(value, v));
            a.len() == b.len() && a.iter().all(has)
        }
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => order_of(&a, &b) == Some(Ordering::Equal),
            _ => a == b,
        },
    }
}

/// Which of two values comes first; `sign` is the operator that wants to know.
pub(super) fn order(a: &Value, b: &Value, sign: char) -> Result<Option<Ordering>, RuleError> {
    let incomparable = || {
        Err(RuleError::Unexpected(format!(
            "'{sign}' not supported between instances of '{}' and '{}'",
            kind(a),
            kind(b)
        )))
    };
    match (a, b) {
        (Value::String(a), Value::String(b)) => Ok(Some(a.cmp(b))),
        (Value::Array(x), Value::Array(y)) => {
            let differing = x.iter().zip(y).find(|(a, b)| !equal(a, b));
            match differing {
                Some((a, b)) => order(a, b, sign),
                None => Ok(Some(x.len().cmp(&y.len()))),
            }
        }
        _ => match (number(a), number(b)) {
            (Some(a), Some(b)) => Ok(order_of(&a, &b)),
            _ => incomparable(),
        },
    }
}

/// A number, be it true or false.
fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Bool(on) => Some(u64::from(*on).into()),
        Value::Number(number) => Some(number.clone()),
        _ => None,
    }
}

fn order_of(a: &Number, b: &Number) -> Option<Ordering> {
    let whole = |n: &Number| n.as_i64().map(i128::from).or(n.as_u64().map(i128::from));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

/// What Python calls the type of a value.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}
