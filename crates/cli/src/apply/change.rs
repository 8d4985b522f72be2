//! What differs between a description and what the service shows, field by field.
//!
//! The service masks secrets, so whether a password differs cannot be seen. It counts as the same
//! unless the caller wants all secrets to be written.

use serde_json::{Map, Value, json};

use super::kind::{Form, ResourceKind, normal};
use crate::error::Error;
use crate::patch::{self, Operation};

/// What the service shows instead of a secret.
const MASK: &str = "******";

/// One field, or one key of a field, that is to become another.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Change {
    pub(super) field: String,
    pub(super) key: Option<String>,
    pub(super) from: Option<Value>,
    pub(super) to: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Equality {
    Same,
    /// As far as can be seen: there is a mask in it.
    Masked,
    Different,
}

impl Equality {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Different, _) | (_, Self::Different) => Self::Different,
            (Self::Masked, _) | (_, Self::Masked) => Self::Masked,
            (Self::Same, Self::Same) => Self::Same,
        }
    }
}

/// What is to be changed. `set_secrets`: what is masked is written too.
pub(super) fn between(
    kind: ResourceKind,
    wanted: &Map<String, Value>,
    existing: &Map<String, Value>,
    set_secrets: bool,
) -> Vec<Change> {
    let differs = |equality| match equality {
        Equality::Same => false,
        Equality::Masked => set_secrets,
        Equality::Different => true,
    };
    let mut changes = Vec::new();
    for (field, value) in wanted {
        let have = existing.get(field).cloned().unwrap_or_default();
        let have = normal(field, have);
        let equality = match kind.form(field) {
            _ if field == "uuid" => continue,
            Some(Form::Keys) => {
                if let (Some(wanted), have) = (value.as_object(), have.as_object()) {
                    for (key, value) in wanted {
                        let have = have.and_then(|have| have.get(key));
                        if differs(equality(value, have.unwrap_or(&Value::Null))) {
                            changes.push(Change {
                                field: field.clone(),
                                key: Some(key.clone()),
                                from: have.cloned(),
                                to: present(value),
                            });
                        }
                    }
                    continue;
                }
                equality(value, &have)
            }
            Some(Form::Words) => in_any_order(value, &have, equality),
            Some(Form::Steps) => in_any_order(value, &have, same_step),
            _ => equality(value, &have),
        };
        if differs(equality) {
            changes.push(Change {
                field: field.clone(),
                key: None,
                from: present(&have),
                to: present(value),
            });
        }
    }
    changes
}

fn present(value: &Value) -> Option<Value> {
    (!is_nothing(value)).then(|| value.clone())
}

/// Ironic shows columns without a value as null or as nothing of their kind.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(object) => object.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn equality(wanted: &Value, have: &Value) -> Equality {
    match (wanted, have) {
        (Value::Null, _) if is_nothing(have) => Equality::Same,
        (Value::Object(_) | Value::Array(_), Value::Null) if is_nothing(wanted) => Equality::Same,
        (wanted, Value::String(have)) if have == MASK => match wanted {
            Value::Null => Equality::Different,
            _ => Equality::Masked,
        },
        (Value::String(wanted), Value::String(have)) if have.contains(MASK) => {
            masked_text(wanted, have)
        }
        (Value::Object(wanted), Value::Object(have)) if wanted.len() == have.len() => {
            let each = wanted.iter().map(|(key, value)| match have.get(key) {
                Some(have) => equality(value, have),
                None => Equality::Different,
            });
            each.fold(Equality::Same, Equality::and)
        }
        (Value::Array(wanted), Value::Array(have)) if wanted.len() == have.len() => {
            let each = wanted.iter().zip(have).map(|(a, b)| equality(a, b));
            each.fold(Equality::Same, Equality::and)
        }
        (wanted, have) if wanted == have => Equality::Same,
        _ => Equality::Different,
    }
}

/// An address whose password is masked: what stands before and after it must fit.
fn masked_text(wanted: &str, have: &str) -> Equality {
    if wanted == have {
        return Equality::Same;
    }
    let Some((before, after)) = have.split_once(MASK) else {
        return Equality::Different;
    };
    let after = after.rsplit(MASK).next().unwrap_or(after);
    let rest = wanted.strip_prefix(before);
    match rest.is_some_and(|rest| rest.ends_with(after)) {
        true => Equality::Masked,
        false => Equality::Different,
    }
}

/// Each of one list has one in the other.
fn in_any_order(
    wanted: &Value,
    have: &Value,
    same: impl Fn(&Value, &Value) -> Equality,
) -> Equality {
    let none = Vec::new();
    let mut left: Vec<&Value> = have.as_array().unwrap_or(&none).iter().collect();
    let wanted = wanted.as_array().unwrap_or(&none);
    if left.len() != wanted.len() {
        return Equality::Different;
    }
    let mut all = Equality::Same;
    for item in wanted {
        // What is the same for certain is taken before what only may be.
        let exact = left
            .iter()
            .position(|have| same(item, have) == Equality::Same);
        let found = exact.or_else(|| {
            left.iter()
                .position(|have| same(item, have) == Equality::Masked)
        });
        match found {
            Some(place) => all = all.and(same(item, left.swap_remove(place))),
            None => return Equality::Different,
        }
    }
    all
}

/// Arguments may be left out, and ranks may be written as texts.
fn same_step(wanted: &Value, have: &Value) -> Equality {
    let part = |step: &Value, key: &str| step.get(key).cloned().unwrap_or_default();
    let known = ["interface", "step", "args", "priority", "order"];
    let odd = wanted.as_object().is_some_and(|step| {
        let mut keys = step.keys();
        keys.any(|key| !known.contains(&key.as_str()))
    });
    if odd {
        return Equality::Different;
    }
    let rank = |step: &Value, key: &str| match part(step, key) {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let ranked = |key: &str| rank(wanted, key) == rank(have, key);
    let named = |key: &str| part(wanted, key) == part(have, key);
    if !(named("interface") && named("step") && ranked("priority") && ranked("order")) {
        return Equality::Different;
    }
    let args = match part(wanted, "args") {
        Value::Null => json!({}),
        args => args,
    };
    equality(&args, &part(have, "args"))
}

/// The operations that make these changes.
pub(super) fn operations(
    changes: &[Change],
    existing: &Map<String, Value>,
) -> Result<Vec<Operation>, Error> {
    let mut whole: Vec<&str> = Vec::new();
    let mut operations = Vec::new();
    for change in changes {
        let field = change.field.as_str();
        match (&change.key, &change.to) {
            (None, Some(value)) => operations.push(patch::add(field, value.clone())),
            (None, None) => operations.push(patch::remove(field)),
            (Some(key), to) if is_plain(key) => {
                let path = format!("{field}/{key}");
                operations.push(match to {
                    Some(value) => patch::add(&path, value.clone()),
                    None => patch::remove(&path),
                });
            }
            (Some(_), _) if !whole.contains(&field) => whole.push(field),
            (Some(_), _) => {}
        }
    }
    for field in whole {
        operations.push(patch::add(field, replaced(field, changes, existing)?));
    }
    Ok(operations)
}

/// What a path in a patch can name.
fn is_plain(key: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    !key.is_empty() && key.bytes().all(plain)
}

/// A whole object, because a path cannot name one of its keys.
fn replaced(
    field: &str,
    changes: &[Change],
    existing: &Map<String, Value>,
) -> Result<Value, Error> {
    let mut object = existing
        .get(field)
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    for change in changes.iter().filter(|change| change.field == field) {
        let Some(key) = &change.key else { continue };
        match &change.to {
            Some(value) => object.insert(key.clone(), value.clone()),
            None => object.remove(key),
        };
    }
    let object = Value::Object(object);
    if object.to_string().contains(MASK) {
        return Err(Error::failed(format!(
            "a key of {field} has characters that a patch cannot name, and {field} has secrets that \
             only the service knows"
        ))
        .with_hint(format!(
            "write keys of {field} with letters, digits, '-' and '_' only, or give all its secrets \
             and say --set-secrets"
        )));
    }
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn of_node(wanted: Value, have: Value, set_secrets: bool) -> Vec<Change> {
        between(
            ResourceKind::Node,
            &object(wanted),
            &object(have),
            set_secrets,
        )
    }

    #[test]
    fn only_what_is_named_and_differs_is_changed() {
        let wanted = json!({"name": "a", "owner": null, "conductor_group": "", "resource_class": "x",
            "driver_info": {"a": 1, "b": {"c": [1, 2]}, "d": null, "e": null}, "network_data": {},
            "traits": ["B", "A"]});
        let have = json!({"name": "a", "owner": null, "conductor_group": "", "resource_class": null,
            "driver_info": {"b": {"c": [1, 2]}, "d": 4, "z": 5}, "network_data": null,
            "traits": ["A", "B"]});
        let changes = of_node(wanted, have.clone(), false);
        let operations = operations(&changes, &object(have)).unwrap();
        assert_eq!(
            operations,
            [
                json!({"op": "add", "path": "/resource_class", "value": "x"}),
                json!({"op": "add", "path": "/driver_info/a", "value": 1}),
                json!({"op": "remove", "path": "/driver_info/d"}),
            ]
        );
    }

    #[test]
    fn masked_secrets_are_the_same_unless_they_shall_be_set() {
        let wanted = json!({"driver_info": {"password": "p", "url": "http://u:p@h/x",
            "other": "http://u:p@elsewhere/"}});
        let have = json!({"driver_info": {"password": MASK, "url": "http://u:******@h/x",
            "other": "http://u:******@h/"}});
        let keys = |changes: &[Change]| -> Vec<String> {
            changes.iter().filter_map(|one| one.key.clone()).collect()
        };
        let seen = of_node(wanted.clone(), have.clone(), false);
        assert_eq!(keys(&seen), ["other"]);
        let all = of_node(wanted, have.clone(), true);
        assert_eq!(keys(&all), ["password", "url", "other"]);
        let gone = of_node(json!({"driver_info": {"password": null}}), have, false);
        assert_eq!(keys(&gone), ["password"]);
    }

    #[test]
    fn steps_and_words_are_in_any_order() {
        let wanted = json!({"steps": [
            {"interface": "bios", "step": "a", "args": {"s": [{"password": "p"}]}, "order": "2"},
            {"interface": "bios", "step": "b", "order": 1}]});
        let have = json!({"steps": [
            {"interface": "bios", "step": "b", "args": {}, "order": 1},
            {"interface": "bios", "step": "a", "args": {"s": [{"password": MASK}]}, "order": 2}]});
        let of = |set| {
            between(
                ResourceKind::Runbook,
                &object(wanted.clone()),
                &object(have.clone()),
                set,
            )
        };
        assert_eq!(of(false), []);
        assert_eq!(of(true).len(), 1);
        let fewer = json!({"steps": [{"interface": "bios", "step": "b", "order": 1}]});
        assert_eq!(
            between(ResourceKind::Runbook, &object(fewer), &object(have), false).len(),
            1
        );
    }

    #[test]
    fn a_key_that_no_path_names_takes_its_object_along() {
        let wanted = object(json!({"extra": {"a.b": 1, "c": 2}}));
        let have = object(json!({"extra": {"kept": 3}}));
        let changes = between(ResourceKind::Node, &wanted, &have, false);
        let whole = json!({"a.b": 1, "c": 2, "kept": 3});
        let made = operations(&changes, &have).unwrap();
        assert_eq!(
            made.last(),
            Some(&json!({"op": "add", "path": "/extra", "value": whole}))
        );
        let secret = object(json!({"extra": {"kept_password": MASK}}));
        assert!(
            operations(
                &between(ResourceKind::Node, &wanted, &secret, false),
                &secret
            )
            .is_err()
        );
    }
}
