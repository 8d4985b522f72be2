//! `{node.name}`, `{inventory[cpu][count]}`: texts with fields that are replaced by values.
//!
//! The language is that of Python's `str.format` with names. A text with a mistake in it, or with
//! a field that leads nowhere, stays as it is. What a field is replaced by is not looked at again,
//! except for the items of a loop: those were written by the author of the rule, like the text
//! itself, and may contain fields.

use super::{super::subject::Subject, attribute};
use serde_json::Value;
use std::borrow::Cow;
use types::{JsonMap, mask, pyrepr};

/// Keys whose values rules do not see unless they may.
const SENSITIVE: &[&str] = &["password", "auth_token", "bmc_password"];
const MASKED: &str = "***";

/// What fields can refer to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) subject: &'a Subject,
    pub(super) masked: bool,
    /// The item of a loop.
    pub(super) item: Option<&'a Value>,
}

/// Why a text stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// A name or a key that does not exist.
    Absent,
    Other,
}

/// Replaces fields in all texts of a value. Where `absent_is_null`, a field that leads nowhere
/// makes the whole text null.
pub(super) fn interpolate(value: &Value, scope: &Scope<'_>, absent_is_null: bool) -> Value {
    let text = |text: &str, items: Items| match write(text, scope, Depth { fields: 2, items }) {
        Ok(text) => text.into(),
        Err(Mistake::Absent) if absent_is_null => Value::Null,
        Err(_) => Value::from(text),
    };
    match value {
        Value::String(template) => text(template, Items::Replaced),
        Value::Array(items) => items
            .iter()
            .map(|item| match item {
                Value::String(template) => text(template, Items::Kept),
                other => interpolate(other, scope, absent_is_null),
            })
            .collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, item)| {
                let key = pyrepr::to_str(&text(key, Items::Kept));
                (key, interpolate(item, scope, absent_is_null))
            })
            .collect(),
        other => other.clone(),
    }
}

/// Whether fields in the items of a loop are replaced too. Ironic does not do that for the
/// texts of lists and for keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Items {
    Replaced,
    Kept,
}

/// How far replacing goes.
#[derive(Debug, Clone, Copy)]
struct Depth {
    /// How many fields may stand within each other: the format of a field can have one.
    fields: u8,
    items: Items,
}

fn write(template: &str, scope: &Scope<'_>, depth: Depth) -> Result<String, Mistake> {
    let depth = Depth {
        fields: depth.fields.checked_sub(1).ok_or(Mistake::Other)?,
        ..depth
    };
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(brace) {
            out.push_str(brace);
            rest = after;
            continue;
        }
        if brace == "}" {
            return Err(Mistake::Other);
        }
        let end = end_of_field(after).ok_or(Mistake::Other)?;
        out.push_str(&field(&after[..end], scope, depth)?);
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

/// Where the field ends that the text begins with.
fn end_of_field(text: &str) -> Option<usize> {
    let mut open = 1;
    for (at, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// What stands for `name!conversion:format`.
fn field(text: &str, scope: &Scope<'_>, depth: Depth) -> Result<String, Mistake> {
    let mut in_brackets = false;
    let end = text.find(|c| {
        in_brackets = (in_brackets || c == '[') && c != ']';
        !in_brackets && (c == '!' || c == ':')
    });
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    if name.contains(['{', '}']) {
        return Err(Mistake::Other);
    }
    let (conversion, spec) = match rest.strip_prefix('!') {
        Some(rest) => {
            let mut chars = rest.chars();
            let conversion = chars.next().ok_or(Mistake::Other)?;
            match chars.as_str() {
                "" => (Some(conversion), ""),
                rest => (
                    Some(conversion),
                    rest.strip_prefix(':').ok_or(Mistake::Other)?,
                ),
            }
        }
        None => (None, rest.strip_prefix(':').unwrap_or("")),
    };
    let (value, is_item) = find(name, scope)?;
    let value = match conversion {
        None => value,
        Some('s') => Cow::Owned(pyrepr::to_str(&value).into()),
        Some('r' | 'a') => Cow::Owned(pyrepr::repr(&value).into()),
        Some(_) => return Err(Mistake::Other),
    };
    let spec = write(spec, scope, depth)?;
    let text = super::place::laid_out(&value, &spec).ok_or(Mistake::Other)?;
    if is_item && depth.items == Items::Replaced && text.contains(['{', '}']) {
        // What only looks like a field, such as a printed object, stays.
        let inner = Scope {
            item: None,
            ..*scope
        };
        let depth = Depth { fields: 2, ..depth };
        return Ok(write(&text, &inner, depth).unwrap_or(text));
    }
    Ok(text)
}

/// The value that a name such as `inventory[disks][0][size]` leads to, and whether it is from the
/// item of a loop.
fn find<'s>(name: &str, scope: &Scope<'s>) -> Result<(Cow<'s, Value>, bool), Mistake> {
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (first, mut rest) = name.split_at(end);
    let subject = scope.subject;
    let is_item = first == "item";
    let mut value: Cow<'s, Value> = match first {
        "item" => Cow::Borrowed(scope.item.ok_or(Mistake::Absent)?),
        "node" => {
            let (attribute, after) = step(rest)?;
            let Step::Attribute(attribute) = attribute else {
                return Err(Mistake::Other);
            };
            rest = after;
            let found = attribute::read(&subject.node, attribute).ok_or(Mistake::Other)?;
            Cow::Owned(if scope.masked {
                without_secrets(found)
            } else {
                found
            })
        }
        "inventory" | "plugin_data" => {
            let map = match first {
                "inventory" => &subject.inventory,
                _ => &subject.plugin_data,
            };
            if rest.is_empty() {
                return Ok((Cow::Owned(masked_map(map, scope.masked)), false));
            }
            let (key, after) = step(rest)?;
            let Step::Item(key) = key else {
                return Err(Mistake::Other);
            };
            rest = after;
            if scope.masked && SENSITIVE.contains(&key) {
                Cow::Owned(MASKED.into())
            } else {
                Cow::Borrowed(map.get(key).ok_or(Mistake::Absent)?)
            }
        }
        "" => return Err(Mistake::Other),
        number if number.bytes().all(|b| b.is_ascii_digit()) => return Err(Mistake::Other),
        _ => return Err(Mistake::Absent),
    };
    let hides = scope.masked && !is_item && first != "node";
    while !rest.is_empty() {
        let (next, after) = step(rest)?;
        let Step::Item(key) = next else {
            return Err(Mistake::Other);
        };
        rest = after;
        value = if hides && value.is_object() && SENSITIVE.contains(&key) {
            Cow::Owned(MASKED.into())
        } else {
            match value {
                Cow::Borrowed(value) => item(value, key)?,
                Cow::Owned(value) => Cow::Owned(item(&value, key)?.into_owned()),
            }
        };
    }
    if hides && (value.is_object() || value.is_array()) {
        value = Cow::Owned(masked(&value));
    }
    Ok((value, is_item))
}

enum Step<'n> {
    Attribute(&'n str),
    Item(&'n str),
}

/// The first step of `.name` or `[key]`, and what follows.
fn step(text: &str) -> Result<(Step<'_>, &str), Mistake> {
    let (step, rest) = if let Some(text) = text.strip_prefix('.') {
        let end = text.find(['.', '[']).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        (Step::Attribute(name), rest)
    } else {
        let text = text.strip_prefix('[').ok_or(Mistake::Other)?;
        let (key, rest) = text.split_once(']').ok_or(Mistake::Other)?;
        (Step::Item(key), rest)
    };
    match step {
        Step::Attribute("") | Step::Item("") => Err(Mistake::Other),
        step => Ok((step, rest)),
    }
}

fn item<'v>(value: &'v Value, key: &str) -> Result<Cow<'v, Value>, Mistake> {
    let number = key.bytes().all(|b| b.is_ascii_digit());
    let index = number.then(|| key.parse::<usize>().ok()).flatten();
    match (value, index) {
        // Digits are a number, and no key of an object is one.
        (Value::Object(_), Some(_)) => Err(Mistake::Absent),
        (Value::Object(map), None) => map.get(key).map(Cow::Borrowed).ok_or(Mistake::Absent),
        (Value::Array(items), Some(index)) => {
            items.get(index).map(Cow::Borrowed).ok_or(Mistake::Other)
        }
        (Value::String(text), Some(index)) => {
            let found = text.chars().nth(index).ok_or(Mistake::Other)?;
            Ok(Cow::Owned(found.to_string().into()))
        }
        _ => Err(Mistake::Other),
    }
}

fn masked_map(map: &JsonMap, hides: bool) -> Value {
    let items = map.iter().map(|(key, value)| {
        let value = match value {
            _ if hides && SENSITIVE.contains(&key.as_str()) => MASKED.into(),
            value if hides => masked(value),
            value => value.clone(),
        };
        (key.clone(), value)
    });
    Value::Object(items.collect())
}

fn masked(value: &Value) -> Value {
    match value {
        Value::Object(map) => masked_map(map, true),
        Value::Array(items) => items.iter().map(masked).collect(),
        other => other.clone(),
    }
}

/// A node's value without what the API would not show either.
fn without_secrets(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .map(|(key, value)| match value {
                Value::String(_) | Value::Number(_) if mask::is_secret_key(&key) => {
                    (key, mask::MASK.into())
                }
                other => (key, without_secrets(other)),
            })
            .collect(),
        Value::Array(items) => items.into_iter().map(without_secrets).collect(),
        other => other,
    }
}
