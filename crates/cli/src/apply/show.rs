//! The plan on paper, with no secret in it.

use serde_json::{Value, json};

use super::change::Change;
use super::plan::{Deed, Plan, Step};
use crate::console::{GREEN, PLAIN, RED, YELLOW, printable};

/// Longer values are cut on paper.
const LONGEST_VALUE: usize = 120;

/// Parts of keys whose values are not shown. The service masks fewer; here a doubt hides a value,
/// since a plan ends up in the logs of whatever runs it.
const SECRET: &[&str] = &[
    "pass",
    "secret",
    "token",
    "key",
    "community",
    "credential",
    "pswd",
    "configdrive",
    "user_data",
    "image_url",
    "signature",
    "cert",
    "auth",
];

const HIDDEN: &str = "******";

pub(super) fn text(plan: &Plan, colour: bool) -> String {
    let mut text = String::new();
    for step in &plan.steps {
        let (sign, shade) = match step.deed {
            Deed::Create => ('+', GREEN),
            Deed::Change { .. } => ('~', YELLOW),
            Deed::Delete { .. } => ('-', RED),
        };
        let head = format!("{sign} {} {}", step.kind.noun(), printable(&step.name));
        let place = step.place.as_ref();
        let place = place.map_or_else(String::new, |place| format!("  ({})", printable(place)));
        text.push_str(&match colour {
            true => format!("{shade}{head}{PLAIN}{place}\n"),
            false => format!("{head}{place}\n"),
        });
        for (name, from, to) in rows(step) {
            let name = printable(&name);
            text.push_str(&match step.deed {
                Deed::Create => format!("    {name}: {}\n", shown(to.as_ref())),
                _ => format!(
                    "    {name}: {} -> {}\n",
                    shown(from.as_ref()),
                    shown(to.as_ref())
                ),
            });
        }
    }
    text.push_str(&summary(plan));
    text
}

pub(super) fn summary(plan: &Plan) -> String {
    let count = |fits: fn(&Deed) -> bool| plan.steps.iter().filter(|step| fits(&step.deed)).count();
    let mut text = format!(
        "{} to create, {} to change, {} to delete, {} as described\n",
        count(|deed| matches!(deed, Deed::Create)),
        count(|deed| matches!(deed, Deed::Change { .. })),
        count(|deed| matches!(deed, Deed::Delete { .. })),
        plan.unchanged
    );
    if !plan.forgotten.is_empty() {
        const NAMED: usize = 10;
        let names: Vec<String> = plan
            .forgotten
            .iter()
            .take(NAMED)
            .map(|name| printable(name))
            .collect();
        let more = match plan.forgotten.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        text.push_str(&format!(
            "no file describes any more: {}{more}; they stay, --prune deletes them\n",
            names.join(", ")
        ));
    }
    text
}

/// The plan for programs: an object a line.
pub(super) fn json(plan: &Plan) -> String {
    let lines = plan.steps.iter().map(|step| {
        let deed = match step.deed {
            Deed::Create => "create",
            Deed::Change { .. } => "change",
            Deed::Delete { .. } => "delete",
        };
        let changes: Vec<Value> = rows(step)
            .into_iter()
            .map(|(field, from, to)| json!({"field": field, "from": from, "to": to}))
            .collect();
        let line = json!({"action": deed, "kind": step.kind.noun(), "name": step.name,
            "place": step.place, "changes": changes});
        format!("{line}\n")
    });
    lines.collect()
}

/// Field by field: its name, what it is and what it becomes.
fn rows(step: &Step) -> Vec<(String, Option<Value>, Option<Value>)> {
    match &step.deed {
        Deed::Create => {
            let fields = step.fields.iter().filter(|(_, value)| !value.is_null());
            fields
                .flat_map(|(field, value)| created(field, value))
                .collect()
        }
        Deed::Change { changes, .. } => changes.iter().map(changed).collect(),
        Deed::Delete { .. } => Vec::new(),
    }
}

fn created(field: &str, value: &Value) -> Vec<(String, Option<Value>, Option<Value>)> {
    match value {
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| (format!("{field}.{key}"), None, Some(hidden(key, value))))
            .collect(),
        value => vec![(field.to_owned(), None, Some(hidden(field, value)))],
    }
}

fn changed(change: &Change) -> (String, Option<Value>, Option<Value>) {
    let (name, key) = match &change.key {
        Some(key) => (format!("{}.{key}", change.field), key),
        None => (change.field.clone(), &change.field),
    };
    let hide = |value: &Option<Value>| value.as_ref().map(|value| hidden(key, value));
    (name, hide(&change.from), hide(&change.to))
}

/// A value without its secrets.
fn hidden(key: &str, value: &Value) -> Value {
    let lower = key.to_lowercase();
    if SECRET.iter().any(|part| lower.contains(part)) {
        return match value {
            Value::Null | Value::Bool(_) => value.clone(),
            _ => Value::from(HIDDEN),
        };
    }
    match value {
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| (key.clone(), hidden(key, value)))
            .collect(),
        Value::Array(items) => items.iter().map(|item| hidden("", item)).collect(),
        Value::String(text) => Value::from(without_password(text)),
        other => other.clone(),
    }
}

/// An address without the name and password in it.
fn without_password(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    match host.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{HIDDEN}@{host}{path}"),
        None => format!("{scheme}://{host}{path}"),
    }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    let text = match value {
        Value::String(text) if text.is_empty() => "''".to_owned(),
        Value::String(text) => printable(text).replace('\n', "\\n"),
        other => printable(&other.to_string()),
    };
    match text.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        for (key, value, expected) in [
            ("redfish_password", json!("p"), json!(HIDDEN)),
            ("snmp_auth_key", json!("p"), json!(HIDDEN)),
            (
                "redfish_address",
                json!("https://u:p@h:1/x?sig=p"),
                json!("https://******@h:1/x"),
            ),
            (
                "plain",
                json!({"a": [{"password": "p"}], "b": 1}),
                json!({"a": [{"password": HIDDEN}], "b": 1}),
            ),
            ("redfish_verify_ca", json!(false), json!(false)),
            ("description", json!("rack 7: left"), json!("rack 7: left")),
        ] {
            assert_eq!(hidden(key, &value), expected, "{key}");
        }
    }
}
