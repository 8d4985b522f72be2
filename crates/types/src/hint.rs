//! Root device hints: conditions on disks, such as `{"size": ">= 60", "vendor": "<in> acme"}`.
//!
//! Texts are compared in lower case. Sizes of hints are in GiB, those of disks in bytes. A disk may
//! have several values for one hint, as a list: one that fits is enough.

use crate::{JsonMap, pyrepr, words};
use serde_json::Value;
use std::cmp::Ordering;

/// Hints that are texts; the others are `size` and `rotational`.
const TEXTS: &[&str] = &[
    "model",
    "wwn",
    "serial",
    "vendor",
    "wwn_with_extension",
    "wwn_vendor_extension",
    "name",
    "hctl",
    "by_path",
    TRANSPORT,
];
/// The agent knows this hint, the service does not.
const TRANSPORT: &str = "tran";
/// The service's hints, in the order in which messages name them.
const NAMES: &str = "size, model, wwn, serial, vendor, wwn_with_extension, wwn_vendor_extension, name, rotational, hctl, by_path";

/// Who compares, and thereby which hints there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Service,
    Agent,
}

impl Side {
    fn knows(self, text: &str) -> bool {
        TEXTS.contains(&text) && (self == Self::Agent || text != TRANSPORT)
    }

    fn names(self) -> String {
        match self {
            Self::Service => NAMES.to_owned(),
            Self::Agent => format!("{NAMES}, {TRANSPORT}"),
        }
    }
}
/// Longer ones first: `<=` is no `<`.
const OPERATORS: &[&str] = &[
    "<range-in>",
    "<all-in>",
    "<in>",
    "<or>",
    "s==",
    "s!=",
    "s<=",
    "s>=",
    "s<",
    "s>",
    "==",
    "!=",
    ">=",
    "<=",
    "=",
    ">",
    "<",
];
const GIB: f64 = 1_073_741_824.0;

/// The disks that satisfy all hints, in their order.
pub fn fitting<'d>(
    side: Side,
    disks: &[&'d JsonMap],
    hints: &Value,
) -> Result<Vec<&'d JsonMap>, String> {
    let Value::Object(hints) = hints else {
        return Err("root device hints must be an object".into());
    };
    let hints: Vec<Hint> = hints
        .iter()
        .map(|(name, value)| Hint::parse(side, name, value))
        .collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for &disk in disks {
        let mut fits = true;
        for hint in &hints {
            fits = fits && hint.fits(disk)?;
        }
        if fits {
            found.push(disk);
        }
    }
    Ok(found)
}

#[derive(Debug)]
enum Hint<'a> {
    Text {
        name: &'a str,
        operator: &'static str,
        values: Vec<String>,
    },
    Size {
        operator: &'static str,
        values: Vec<String>,
    },
    Rotational(bool),
}

impl<'a> Hint<'a> {
    fn parse(side: Side, name: &'a str, value: &Value) -> Result<Self, String> {
        let shown = pyrepr::to_str(value);
        let (operator, values) = split(&shown, name)?;
        if name == "rotational" {
            let on = words::boolean_value(value).ok_or_else(|| {
                format!(
                    "Root device hint \"{name}\" is not a Boolean value. Current value: {shown}"
                )
            })?;
            return Ok(Self::Rotational(on));
        }
        if name == "size" {
            if operator != "<range-in>" {
                check_sizes(&values, &shown)?;
            }
            return Ok(Self::Size { operator, values });
        }
        if !side.knows(name) {
            let names = side.names();
            return Err(format!(
                "The hints \"{name}\" are invalid. Valid hints are: \"{names}\""
            ));
        }
        if !value.is_string() {
            return Err(format!(
                "Root device hint \"{name}\" is not a string value. Hint expression: {shown}"
            ));
        }
        Ok(Self::Text {
            name,
            operator,
            values,
        })
    }

    fn fits(&self, disk: &JsonMap) -> Result<bool, String> {
        match self {
            Self::Rotational(wanted) => {
                Ok(disk.get("rotational").and_then(words::boolean_value) == Some(*wanted))
            }
            Self::Size { operator, values } => {
                let size = disk.get("size").and_then(Value::as_f64);
                let size = size.ok_or("a disk does not tell its size")? / GIB;
                compare_size(size, operator, values)
            }
            Self::Text {
                name,
                operator,
                values,
            } => {
                let found = match disk.get(*name) {
                    None | Some(Value::Null) => &[],
                    Some(Value::Array(several)) => several.as_slice(),
                    Some(one) => std::slice::from_ref(one),
                };
                let mut found = found.iter().filter(|one| !one.is_null());
                Ok(found.any(|one| {
                    let one = pyrepr::to_str(one).trim().to_lowercase();
                    !one.is_empty() && compare_text(&one, operator, values)
                }))
            }
        }
    }
}

/// An expression's operator and values; without an operator it means equality.
fn split(expression: &str, name: &str) -> Result<(&'static str, Vec<String>), String> {
    let expression = expression.trim().to_lowercase();
    if expression.is_empty() {
        return Err(format!("Root device hint \"{name}\" expression is empty"));
    }
    let found = OPERATORS.iter().find(|op| {
        // `s==` is also how a text may begin; it is an operator when something follows.
        expression.starts_with(**op) && expression.len() > op.len()
    });
    let Some(operator) = found else {
        return Ok(("", vec![expression]));
    };
    let values = expression
        .split(operator)
        .map(|value| value.trim().to_owned())
        .filter(|value| !value.is_empty());
    Ok((operator, values.collect()))
}

fn check_sizes(values: &[String], shown: &str) -> Result<(), String> {
    for value in values {
        match value.parse::<i64>() {
            Err(_) => {
                return Err(format!(
                    "Root device hint \"size\" is not an integer value. Current value: {shown}"
                ));
            }
            Ok(size) if size <= 0 => {
                return Err(format!(
                    "Root device hint \"size\" should be a positive integer. Current value: {shown}"
                ));
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

fn compare_text(found: &str, operator: &str, values: &[String]) -> bool {
    let Some(first) = values.first() else {
        return false;
    };
    let order = found.cmp(first.as_str());
    match operator {
        "" | "s==" => order == Ordering::Equal,
        "s!=" => order != Ordering::Equal,
        "s<" => order == Ordering::Less,
        "s<=" => order != Ordering::Greater,
        "s>" => order == Ordering::Greater,
        "s>=" => order != Ordering::Less,
        "<in>" => found.contains(first.as_str()),
        "<or>" => values.iter().any(|value| value == found),
        "<all-in>" => all_in(found, first),
        "<range-in>" => found
            .parse()
            .is_ok_and(|found| in_range(found, first).unwrap_or(false)),
        _ => match (found.parse::<f64>(), first.parse::<f64>()) {
            (Ok(a), Ok(b)) => compare_numbers(a, operator, b),
            _ => false,
        },
    }
}

/// Whether a text that is a list, such as `['a', 'b']`, has all the words. No other text has any.
fn all_in(found: &str, words: &str) -> bool {
    let Some(list) = found.strip_prefix('[').and_then(|f| f.strip_suffix(']')) else {
        return false;
    };
    let items: Vec<&str> = list
        .split(',')
        .map(|item| item.trim().trim_matches(['\'', '"']))
        .collect();
    words.split_whitespace().all(|word| items.contains(&word))
}

fn compare_size(size: f64, operator: &str, values: &[String]) -> Result<bool, String> {
    let number = |text: &String| {
        text.parse::<f64>()
            .map_err(|_| format!("could not convert string to float: '{text}'"))
    };
    match operator {
        "<range-in>" => in_range(size, values.first().map_or("", String::as_str)),
        "<or>" => Ok(values
            .iter()
            .filter_map(|v| v.parse::<f64>().ok())
            .any(|v| v == size)),
        _ => match values.first() {
            Some(value) => Ok(compare_numbers(size, operator, number(value)?)),
            None => Ok(false),
        },
    }
}

fn compare_numbers(a: f64, operator: &str, b: f64) -> bool {
    match operator {
        "" | "==" | "s==" => a == b,
        "!=" | "s!=" => a != b,
        "<" | "s<" => a < b,
        "<=" | "s<=" => a <= b,
        ">" | "s>" => a > b,
        // A lone `=` always meant "at least".
        "=" | ">=" | "s>=" => a >= b,
        _ => false,
    }
}

/// `[ 10 20 ]`, with round brackets for a bound that is outside.
fn in_range(size: f64, text: &str) -> Result<bool, String> {
    let wrong = || {
        "<range-in> operator has to be followed by 2 space separated numeric value surrounded by brackets \"range_in [ 10 20 ] \""
            .to_owned()
    };
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [open, low, high, close] = parts[..] else {
        return Err(wrong());
    };
    let (low, high): (f64, f64) = match (low.parse(), high.parse()) {
        (Ok(low), Ok(high)) => (low, high),
        _ => return Err(wrong()),
    };
    let above = match open {
        "[" => size >= low,
        "(" => size > low,
        _ => return Err(wrong()),
    };
    let below = match close {
        "]" => size <= high,
        ")" => size < high,
        _ => return Err(wrong()),
    };
    Ok(above && below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        match value {
            Value::Object(map) => map,
            other => panic!("{other}"),
        }
    }

    #[track_caller]
    fn check(hints: Value, expected: Result<&[&str], &str>) {
        let disks = [
            map(
                json!({"name": "/dev/sda", "size": 64_i64 << 30, "model": "ACME Big",
                "rotational": true, "vendor": "acme", "serial": [null, "S1", "ACME_S1"], "tran": "['sas', 'fc']"}),
            ),
            map(
                json!({"name": "/dev/sdb", "size": 32_i64 << 30, "model": "Other",
                "rotational": false, "vendor": "other", "serial": "S2", "wwn": ""}),
            ),
        ];
        let disks: Vec<&JsonMap> = disks.iter().collect();
        let found = fitting(Side::Agent, &disks, &hints);
        let names = found.as_ref().map(|found| {
            let names = found.iter().map(|disk| disk["name"].as_str().unwrap());
            names.collect::<Vec<_>>()
        });
        match expected {
            Ok(expected) => assert_eq!(names.unwrap(), expected, "{hints}"),
            Err(text) => assert_eq!(names.unwrap_err(), text, "{hints}"),
        }
    }

    #[test]
    fn hints_choose_disks() {
        let (a, b): (&[&str], &[&str]) = (&["/dev/sda"], &["/dev/sdb"]);
        let both: &[&str] = &["/dev/sda", "/dev/sdb"];
        check(json!({}), Ok(both));
        check(json!({"size": 64}), Ok(a));
        check(json!({"size": ">= 32"}), Ok(both));
        check(json!({"size": "= 33"}), Ok(a));
        check(json!({"size": "< 64"}), Ok(b));
        check(json!({"size": "<range-in> [ 32 64 )"}), Ok(b));
        check(json!({"size": "<or> 64 <or> 1"}), Ok(a));
        check(json!({"model": "acme big"}), Ok(a));
        check(json!({"model": "s== ACME BIG"}), Ok(a));
        check(json!({"model": "<in> big"}), Ok(a));
        check(json!({"vendor": "<or> x <or> other"}), Ok(b));
        check(json!({"vendor": "s!= acme"}), Ok(b));
        check(json!({"rotational": "no"}), Ok(b));
        check(json!({"rotational": true, "serial": "s2"}), Ok(&[]));
        check(json!({"wwn": "x"}), Ok(&[]));
        check(json!({"serial": "acme_s1"}), Ok(a));
        check(json!({"tran": "<all-in> fc sas"}), Ok(a));
        check(json!({"tran": "<all-in> fc usb"}), Ok(&[]));
        check(json!({"model": "<all-in> other"}), Ok(&[]));
        check(
            json!({"size": "x"}),
            Err("Root device hint \"size\" is not an integer value. Current value: x"),
        );
        check(
            json!({"size": 0}),
            Err("Root device hint \"size\" should be a positive integer. Current value: 0"),
        );
        check(
            json!({"serial": 5}),
            Err("Root device hint \"serial\" is not a string value. Hint expression: 5"),
        );
        check(
            json!({"serial": ""}),
            Err("Root device hint \"serial\" expression is empty"),
        );
        check(
            json!({"rotational": "maybe"}),
            Err("Root device hint \"rotational\" is not a Boolean value. Current value: maybe"),
        );
        check(
            json!({"odd": "x"}),
            Err(&format!(
                "The hints \"odd\" are invalid. Valid hints are: \"{NAMES}, tran\""
            )),
        );
        let refused = fitting(Side::Service, &[], &json!({"tran": "sas"})).unwrap_err();
        assert!(refused.ends_with(&format!("\"{NAMES}\"")), "{refused}");
    }

    proptest! {
        #[test]
        fn no_expression_panics(name in "size|model|rotational", text: String) {
            let disk = map(json!({"size": 1, "model": "x"}));
            let _ = fitting(Side::Service, &[&disk], &json!({name: text}));
        }
    }
}
