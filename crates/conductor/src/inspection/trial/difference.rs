//! What differs between a node before and after: attribute by attribute, objects key by key.

use super::{super::subject::Subject, shown};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use types::{JsonMap, Port, mask, rpc::recipe::TrialChange};

/// How many changes are told.
const MOST: usize = 200;

/// What belongs to the row and not to the node.
const UNTOLD: &[&str] = &["version", "updated_at"];

pub(super) fn changes(before: &Subject, after: &Subject) -> Vec<TrialChange> {
    let mut all = Vec::new();
    compare(&mut all, "node", &json!(before.node), &json!(after.node));
    for port in &after.ports {
        let old = before.ports.iter().find(|old| old.id == port.id);
        let old = old.map_or(Value::Null, |old| json!(old));
        compare(&mut all, &named(port), &old, &json!(port));
    }
    for port in &before.ports {
        if !after.ports.iter().any(|kept| kept.id == port.id) {
            compare(&mut all, &named(port), &json!(port), &Value::Null);
        }
    }
    let (old, new) = (&before.plugin_data, &after.plugin_data);
    pairs(&mut all, "plugin_data", "", old, new, 1);
    all.truncate(MOST);
    all
}

fn named(port: &Port) -> String {
    format!("port {}", port.address)
}

fn compare(all: &mut Vec<TrialChange>, subject: &str, before: &Value, after: &Value) {
    let nothing = JsonMap::new();
    let before = before.as_object().unwrap_or(&nothing);
    let after = after.as_object().unwrap_or(&nothing);
    pairs(all, subject, "", before, after, 2);
}

/// Objects are gone into so many levels deep.
fn pairs(
    all: &mut Vec<TrialChange>,
    subject: &str,
    path: &str,
    before: &JsonMap,
    after: &JsonMap,
    depth: u8,
) {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let (old, new) = (before.get(name), after.get(name));
        if old == new || (path.is_empty() && UNTOLD.contains(&name.as_str())) {
            continue;
        }
        let path = match path {
            "" => name.clone(),
            _ => format!("{path}/{name}"),
        };
        if let (Some(Value::Object(old)), Some(Value::Object(new))) = (old, new)
            && depth > 0
        {
            pairs(all, subject, &path, old, new, depth - 1);
            continue;
        }
        let value = |value: Option<&Value>| match mask::is_secret_key(name) {
            true => value.map(|_| mask::MASK.into()),
            false => value.map(shown),
        };
        all.push(TrialChange {
            subject: subject.to_owned(),
            path,
            before: value(old),
            after: value(new),
        });
    }
}
