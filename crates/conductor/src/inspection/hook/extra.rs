//! Extra hardware data: the records of `hardware-detect` as a tree.

use super::{HookError, InspectionSettings, Subject};
use serde_json::Value;
use types::{JsonMap, pyrepr};

/// How many parts a record has: group, item, name and value.
const PARTS: usize = 4;

/// `extra-hardware`: turns `data` into `extra`, in the plugin data.
pub(super) fn convert(
    subject: &mut Subject,
    settings: &InspectionSettings,
) -> Result<(), HookError> {
    let node = subject.node.id;
    let strict = settings.extra_hardware_strict;
    let records = match subject.plugin_data.get("data") {
        None => {
            tracing::warn!(%node, "the ramdisk sent no extra hardware data");
            return Ok(());
        }
        Some(data) => records(data, strict),
    };
    let Some(records) = records else {
        tracing::warn!(%node, "extra hardware data has an unknown form");
        if strict {
            subject.plugin_data.shift_remove("data");
        }
        return Ok(());
    };
    let mut tree = JsonMap::new();
    for record in records {
        // Records that are too short are left out.
        let [group, item, name, value, ..] = &record[..] else {
            continue;
        };
        let branch = entry(&mut tree, group);
        let leaf = entry(branch, item);
        leaf.insert(key(name), number(value));
    }
    let data = &mut subject.plugin_data;
    data.insert("extra".into(), tree.into());
    data.shift_remove("data");
    Ok(())
}

fn records(data: &Value, strict: bool) -> Option<Vec<Vec<Value>>> {
    let records = data.as_array()?;
    records
        .iter()
        .map(|record| {
            let parts = record.as_array()?;
            (!strict || parts.len() == PARTS).then(|| parts.clone())
        })
        .collect()
}

fn key(value: &Value) -> String {
    pyrepr::to_str(value)
}

fn entry<'t>(tree: &'t mut JsonMap, name: &Value) -> &'t mut JsonMap {
    let slot = tree
        .entry(key(name))
        .or_insert_with(|| JsonMap::new().into());
    if !slot.is_object() {
        *slot = JsonMap::new().into();
    }
    match slot {
        Value::Object(found) => found,
        _ => unreachable!("the slot was made an object"),
    }
}

/// Numbers that came as texts become numbers.
fn number(value: &Value) -> Value {
    match value {
        Value::String(text) => text
            .trim()
            .parse::<i64>()
            .map_or_else(|_| value.clone(), Value::from),
        other => other.clone(),
    }
}
