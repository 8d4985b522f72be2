//! Requests of the recordings that need what a later release brings.

use serde_json::Value;

/// Paths, element by element (`*` is any one element, a trailing `**` any rest), and what they need.
const PATHS: &[(&str, &str)] = &[("v1/continue_inspection", "the ramdisk's endpoints")];

/// Requests that other paths or bodies make depend on something, by name.
const NAMES: &[(&str, &str)] = &[("patch interfaces", "the deploy interface 'direct'")];

/// What a request needs that is not there yet.
pub(super) fn reason(entry: &Value) -> Option<&'static str> {
    let name = entry["name"].as_str().unwrap_or_default();
    let path = entry["path"].as_str()?.split('?').next()?;
    let elements: Vec<&str> = path.split('/').filter(|e| !e.is_empty()).collect();
    let by_path = PATHS.iter().find(|(pattern, _)| fits(pattern, &elements));
    let by_name = NAMES.iter().find(|(known, _)| *known == name);
    by_path.or(by_name).map(|(_, needs)| *needs)
}

fn fits(pattern: &str, elements: &[&str]) -> bool {
    let mut rest = elements.iter();
    for wanted in pattern.split('/') {
        match (wanted, rest.next()) {
            ("**", _) => return true,
            ("*", Some(_)) => {}
            (wanted, Some(found)) if wanted == *found => {}
            _ => return false,
        }
    }
    rest.next().is_none()
}
