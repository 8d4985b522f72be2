//! BIOS attributes: what the registry says about them, and what users ask for.
//!
//! Users write values as texts, as the service shows them; a BMC wants numbers and truth values as
//! such. The registry knows which is which. Attributes that it does not know are sent as they were
//! written, unless the BIOS now has a value of another type there.

use crate::DriverError;
use serde_json::Value;
use std::collections::HashMap;
use types::{BiosSetting, JsonMap, NodeId, pyrepr};

/// Several times what any BIOS has. Each is a row in the database, and the BMC may be anybody's.
pub(super) const MOST_SETTINGS: usize = 10_000;

/// What the registry says about attributes, by name.
#[derive(Debug, Default)]
pub(super) struct Registry(HashMap<String, JsonMap>);

impl Registry {
    /// The entries of a registry file.
    pub(super) fn read(body: &JsonMap) -> Self {
        let entries = body.get("RegistryEntries").and_then(Value::as_object);
        let attributes = entries.and_then(|entries| entries.get("Attributes")?.as_array());
        let maps = attributes
            .into_iter()
            .flatten()
            .filter_map(Value::as_object);
        let mut by_name = HashMap::new();
        for entry in maps {
            if let Some(name) = entry.get("AttributeName").and_then(Value::as_str) {
                // The first of a name counts.
                let first = by_name.entry(name.to_owned());
                first.or_insert_with(|| entry.clone());
            }
        }
        Self(by_name)
    }

    fn entry(&self, name: &str) -> Option<&JsonMap> {
        self.0.get(name)
    }
}

/// What the service keeps of the attributes that a BIOS has.
pub(super) fn settings(attributes: &JsonMap, registry: &Registry) -> Vec<BiosSetting> {
    attributes
        .iter()
        .take(MOST_SETTINGS)
        .map(|(name, value)| {
            let value = (!value.is_null()).then(|| pyrepr::to_str(value));
            let mut setting = BiosSetting::new(name.as_str(), value);
            if let Some(entry) = registry.entry(name) {
                describe(&mut setting, entry);
            }
            setting
        })
        .collect()
}

fn describe(setting: &mut BiosSetting, entry: &JsonMap) {
    let number = |key: &str| entry.get(key).and_then(Value::as_i64);
    let flag = |key: &str| entry.get(key).and_then(Value::as_bool);
    let kind = entry.get("Type").and_then(Value::as_str);
    setting.attribute_type = kind.map(str::to_owned);
    setting.allowable_values = allowed(entry);
    setting.lower_bound = number("LowerBound");
    setting.upper_bound = number("UpperBound");
    setting.min_length = number("MinLength");
    setting.max_length = number("MaxLength");
    setting.read_only = flag("ReadOnly");
    setting.reset_required = flag("ResetRequired");
    setting.unique = flag("IsSystemUniqueProperty");
}

fn allowed(entry: &JsonMap) -> Option<Vec<String>> {
    let values = entry.get("Value")?.as_array()?;
    let name = |value: &Value| {
        let names = ["ValueName", "ValueDisplayName"];
        let mut found = names.iter().filter_map(|key| value.get(key)?.as_str());
        found.find(|name| !name.is_empty()).map(str::to_owned)
    };
    Some(values.iter().filter_map(name).collect())
}

/// The attributes that a step asks for, with values as the BMC wants them.
pub(super) fn wanted(
    node: NodeId,
    asked: Option<&Value>,
    current: &JsonMap,
    registry: &Registry,
) -> Result<JsonMap, DriverError> {
    let malformed = || {
        DriverError::InvalidParameter(
            "settings must be a list of objects with a name and a value".to_owned(),
        )
    };
    let asked = asked.and_then(Value::as_array).ok_or_else(malformed)?;
    let (mut wanted, mut invalid) = (JsonMap::new(), Vec::new());
    for setting in asked {
        let name = setting.get("name").and_then(Value::as_str);
        let (Some(name), Some(value)) = (name, setting.get("value")) else {
            return Err(malformed());
        };
        let value = match registry.entry(name) {
            Some(entry) => converted(value, entry),
            None => Some(like(value, current.get(name))),
        };
        match value {
            Some(value) => {
                wanted.insert(name.to_owned(), value);
            }
            None => {
                let rule = registry.entry(name).and_then(rule);
                invalid
                    .push(rule.map_or_else(|| name.to_owned(), |rule| format!("{name} ({rule})")));
            }
        }
    }
    if !invalid.is_empty() {
        return Err(DriverError::InvalidParameter(format!(
            "Redfish BIOS apply_configuration failed for node {node}: invalid value for setting(s): {}",
            invalid.join(", ")
        )));
    }
    Ok(wanted)
}

/// What an attribute may be set to, for whoever set it to something else.
fn rule(entry: &JsonMap) -> Option<String> {
    if entry.get("ReadOnly").and_then(Value::as_bool) == Some(true) {
        return Some("it cannot be changed".to_owned());
    }
    let range = |least: &str, most: &str| {
        let bound = |key: &str| entry.get(key).and_then(Value::as_i64);
        match (bound(least), bound(most)) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(" of at least {least}"),
            (None, Some(most)) => format!(" of at most {most}"),
            (None, None) => String::new(),
        }
    };
    Some(match entry.get("Type").and_then(Value::as_str)? {
        "Enumeration" => format!("allowed: {}", allowed(entry)?.join(", ")),
        "Integer" => format!("a number{}", range("LowerBound", "UpperBound")),
        "Boolean" => "true or false".to_owned(),
        "String" | "Password" => format!("a text with a length{}", range("MinLength", "MaxLength")),
        _ => return None,
    })
}

/// A value in the type that the registry gives its attribute; nothing if it cannot be set so.
fn converted(value: &Value, entry: &JsonMap) -> Option<Value> {
    if entry.get("ReadOnly").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let within = |number: i64, lower: &str, upper: &str| {
        let bound = |key: &str| entry.get(key).and_then(Value::as_i64);
        bound(lower).is_none_or(|least| number >= least)
            && bound(upper).is_none_or(|most| number <= most)
    };
    match entry.get("Type").and_then(Value::as_str) {
        Some("Enumeration") => {
            let allowed = allowed(entry).unwrap_or_default();
            let text = value.as_str();
            let fits = allowed.is_empty() || text.is_some_and(|t| allowed.iter().any(|a| a == t));
            fits.then(|| value.clone())
        }
        Some("Integer") => {
            let number = integer(value)?;
            within(number, "LowerBound", "UpperBound").then(|| number.into())
        }
        Some("Boolean") => match value {
            Value::String(text) => Some(text.eq_ignore_ascii_case("true").into()),
            Value::Bool(_) => Some(value.clone()),
            _ => None,
        },
        Some("String") => {
            let text = value.as_str()?;
            let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
            within(length, "MinLength", "MaxLength").then(|| value.clone())
        }
        _ => Some(value.clone()),
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_i64(),
    }
}

/// A text as the type that the BIOS has in its place now.
fn like(value: &Value, current: Option<&Value>) -> Value {
    let as_now = match (value, current) {
        (Value::String(_), Some(Value::Number(_))) => integer(value).map(Value::from),
        (Value::String(text), Some(Value::Bool(_))) => match text.to_lowercase().as_str() {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        },
        _ => None,
    };
    as_now.unwrap_or_else(|| value.clone())
}

/// The attributes that do not have their wanted values. Some services keep only what was changed
/// in the place for pending settings, and it has to be gone from there; others keep everything.
pub(super) fn missing(wanted: &JsonMap, current: &JsonMap, pending: &JsonMap) -> JsonMap {
    let only_changes = pending.len() <= wanted.len();
    let is_missing = |(name, value): &(&String, &Value)| {
        current.get(*name) != Some(value) || (only_changes && pending.contains_key(*name))
    };
    let missing = wanted.iter().filter(is_missing);
    missing
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Whether everything is as wanted, and nothing else is about to happen to it.
pub(super) fn is_so(wanted: &JsonMap, current: &JsonMap, pending: &JsonMap) -> bool {
    wanted.iter().all(|(name, value)| {
        current.get(name) == Some(value) && pending.get(name).is_none_or(|next| next == value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap()
    }

    fn registry() -> Registry {
        Registry::read(&map(json!({"RegistryEntries": {"Attributes": [
            {"AttributeName": "ProcTurboMode", "Type": "Enumeration", "ReadOnly": false,
             "Value": [{"ValueName": "Enabled"}, {"ValueDisplayName": "Disabled"}]},
            {"AttributeName": "BootDelay", "Type": "Integer", "LowerBound": 0, "UpperBound": 30,
             "ResetRequired": true},
            {"AttributeName": "QuietBoot", "Type": "Boolean"},
            {"AttributeName": "AssetTag", "Type": "String", "MinLength": 1, "MaxLength": 4,
             "IsSystemUniqueProperty": true},
            {"AttributeName": "SerialNumber", "Type": "String", "ReadOnly": true},
        ]}})))
    }

    fn ask(name: &str, value: Value) -> Result<Value, String> {
        let node = types::NodeId::generate();
        let asked = json!([{"name": name, "value": value}]);
        let current = map(json!({"Unknown": 4, "Flag": false}));
        wanted(node, Some(&asked), &current, &registry())
            .map(|found| found[name].clone())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn values_get_the_types_of_the_registry() {
        assert_eq!(
            ask("ProcTurboMode", json!("Disabled")),
            Ok(json!("Disabled"))
        );
        assert_eq!(ask("BootDelay", json!("12")), Ok(json!(12)));
        assert_eq!(ask("QuietBoot", json!("TRUE")), Ok(json!(true)));
        assert_eq!(ask("AssetTag", json!("abcd")), Ok(json!("abcd")));
        assert_eq!(ask("Unknown", json!("7")), Ok(json!(7)));
        assert_eq!(ask("Flag", json!("true")), Ok(json!(true)));
        assert_eq!(ask("NotThere", json!("7")), Ok(json!("7")));
    }

    #[test]
    fn values_that_cannot_be_are_refused_by_name() {
        for (name, value, rule) in [
            (
                "ProcTurboMode",
                json!("Perhaps"),
                "allowed: Enabled, Disabled",
            ),
            ("BootDelay", json!(31), "a number from 0 to 30"),
            ("BootDelay", json!("soon"), "a number from 0 to 30"),
            (
                "AssetTag",
                json!("abcde"),
                "a text with a length from 1 to 4",
            ),
            ("AssetTag", json!(""), "a text with a length from 1 to 4"),
            ("SerialNumber", json!("x"), "it cannot be changed"),
            ("QuietBoot", json!(7), "true or false"),
        ] {
            let error = ask(name, value).unwrap_err();
            assert!(
                error.ends_with(&format!("invalid value for setting(s): {name} ({rule})")),
                "{error}"
            );
        }
        let node = types::NodeId::generate();
        for asked in [json!({}), json!([{"name": "x"}]), json!(["x"])] {
            let refused = wanted(node, Some(&asked), &JsonMap::new(), &registry());
            assert!(
                matches!(refused, Err(DriverError::InvalidParameter(_))),
                "{asked}"
            );
        }
    }

    #[test]
    fn the_cache_tells_what_the_registry_tells() {
        let attributes = map(
            json!({"BootDelay": 5, "ProcTurboMode": "Enabled", "Odd": null,
            "AssetTag": "a", "QuietBoot": true}),
        );
        let all = settings(&attributes, &registry());
        let by = |name: &str| all.iter().find(|s| s.name == name).unwrap();
        assert_eq!(by("BootDelay").value.as_deref(), Some("5"));
        assert_eq!(by("BootDelay").upper_bound, Some(30));
        assert_eq!(by("BootDelay").reset_required, Some(true));
        assert_eq!(by("QuietBoot").value.as_deref(), Some("True"));
        assert_eq!(
            by("ProcTurboMode").allowable_values.as_deref(),
            Some(&["Enabled".to_owned(), "Disabled".to_owned()][..])
        );
        assert_eq!(by("AssetTag").unique, Some(true));
        assert_eq!(by("Odd").value, None);
        assert_eq!(by("Odd").attribute_type, None);
    }

    #[test]
    fn what_is_pending_counts_only_where_nothing_else_is_kept_there() {
        let wanted = map(json!({"a": 1}));
        let now = |value: Value, pending: Value| missing(&wanted, &map(value), &map(pending)).len();
        assert_eq!(now(json!({"a": 1}), json!({})), 0);
        assert_eq!(now(json!({"a": 2}), json!({})), 1);
        assert_eq!(now(json!({}), json!({"a": 1})), 1);
        assert_eq!(now(json!({"a": 1}), json!({"a": 1})), 1, "not consumed yet");
        assert_eq!(
            now(json!({"a": 1}), json!({"a": 1, "b": 2})),
            0,
            "a full copy"
        );
        assert!(is_so(&wanted, &map(json!({"a": 1})), &map(json!({"a": 1}))));
        assert!(!is_so(
            &wanted,
            &map(json!({"a": 1})),
            &map(json!({"a": 3}))
        ));
    }

    #[test]
    fn no_more_settings_are_kept_than_a_bios_can_have() {
        let many = (0..=MOST_SETTINGS).map(|n| (format!("s{n}"), json!(n)));
        let kept = settings(&many.collect(), &Registry::default());
        assert_eq!(kept.len(), MOST_SETTINGS);
    }
}
