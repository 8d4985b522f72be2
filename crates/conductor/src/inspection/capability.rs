//! `properties/capabilities`: a list of `name:value` in one text.

use super::hook::HookError;
use serde_json::Value;
use types::{JsonMap, pyrepr};

const KEY: &str = "capabilities";

/// Sets capabilities, each in the place of the one that has its name.
pub(super) fn update(
    properties: &mut JsonMap,
    new: impl IntoIterator<Item = (String, String)>,
) -> Result<(), HookError> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut set = |name: String, value: String| match all.iter_mut().find(|(n, _)| *n == name) {
        Some(entry) => entry.1 = value,
        None => all.push((name, value)),
    };
    let old = properties.get(KEY).map(pyrepr::to_str).unwrap_or_default();
    for item in old.split(',').filter(|_| !old.is_empty() && old != "None") {
        let Some((name, value)) = item.split_once(':') else {
            let text = format!("Invalid capabilities string '{old}'.");
            return Err(HookError::unexpected("ValueError", text));
        };
        set(name.to_owned(), value.to_owned());
    }
    for (name, value) in new {
        set(name, value);
    }
    let text: Vec<String> = all.iter().map(|(n, v)| format!("{n}:{v}")).collect();
    properties.insert(KEY.into(), text.join(",").into());
    Ok(())
}

/// Adds one at the end, whatever is there already.
pub(super) fn append(properties: &mut JsonMap, name: &str, value: &str) {
    let text = match properties.get(KEY) {
        Some(Value::String(old)) if !old.is_empty() => format!("{old},{name}:{value}"),
        _ => format!("{name}:{value}"),
    };
    properties.insert(KEY.into(), text.into());
}

/// Removes all that have a name.
pub(super) fn remove(properties: &mut JsonMap, name: &str) {
    let old = match properties.get(KEY) {
        Some(Value::String(old)) => old.clone(),
        _ => String::new(),
    };
    let start = format!("{name}:");
    let rest: Vec<&str> = old.split(',').filter(|c| !c.starts_with(&start)).collect();
    properties.insert(KEY.into(), rest.join(",").into());
}

#[cfg(test)]
mod tests {
    use super::{super::subject::tests::map, *};
    use serde_json::json;

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.into(), value.into())
    }

    #[test]
    fn new_values_take_the_place_of_old_ones() {
        for (old, new, expected) in [
            (json!({}), pair("a", "1"), "a:1"),
            (json!({"capabilities": null}), pair("a", "1"), "a:1"),
            (json!({"capabilities": ""}), pair("a", "1"), "a:1"),
            (
                json!({"capabilities": "a:0,b:x:y"}),
                pair("a", "1"),
                "a:1,b:x:y",
            ),
            (json!({"capabilities": "b:2"}), pair("a", "1"), "b:2,a:1"),
        ] {
            let mut properties = map(old);
            update(&mut properties, [new]).unwrap();
            assert_eq!(properties["capabilities"], expected);
        }
        let mut properties = map(json!({"capabilities": "a"}));
        let error = update(&mut properties, [pair("b", "1")]).unwrap_err();
        assert_eq!(error.to_string(), "Invalid capabilities string 'a'.");
        assert_eq!(properties, map(json!({"capabilities": "a"})));
    }

    #[test]
    fn rules_append_and_remove() {
        let mut properties = map(json!({"capabilities": "a:b,c:d"}));
        append(&mut properties, "a", "e");
        assert_eq!(properties["capabilities"], "a:b,c:d,a:e");
        remove(&mut properties, "a");
        assert_eq!(properties["capabilities"], "c:d");
        remove(&mut properties, "c");
        assert_eq!(properties["capabilities"], "");
        append(&mut properties, "x", "y");
        assert_eq!(properties["capabilities"], "x:y");
    }
}
