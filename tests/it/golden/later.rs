//! Requests of the recordings that need what a later release brings.

use serde_json::Value;

/// Paths, element by element (`*` is any one element, a trailing `**` any rest), and what they need.
const PATHS: &[(&str, &str)] = &[
    ("v1/portgroups/**", "port groups"),
    ("v1/nodes/*/portgroups/**", "port groups"),
    ("v1/volume/**", "volumes"),
    ("v1/nodes/*/volume/**", "volumes"),
    ("v1/deploy_templates/**", "deploy templates"),
    ("v1/runbooks/**", "runbooks"),
    ("v1/inspection_rules/**", "inspection rules"),
    ("v1/shards/**", "shards"),
    ("v1/continue_inspection", "the ramdisk's endpoints"),
    ("v1/events", "external events"),
    ("v1/nodes/*/bios/**", "BIOS settings"),
    ("v1/nodes/*/firmware", "firmware components"),
    ("v1/nodes/*/vmedia", "virtual media"),
    ("v1/nodes/*/inventory", "inventories"),
];

/// Requests that other paths or bodies make depend on something, by name.
const NAMES: &[(&str, &str)] = &[
    ("ports by portgroup", "port groups"),
    ("port create: portgroup of other node", "port groups"),
    (
        "port create: physical_network differs from portgroup",
        "port groups",
    ),
    ("patch interfaces", "the deploy interface 'direct'"),
];

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
