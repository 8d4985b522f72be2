//! Which firmware interface a machine is to boot by.
//!
//! Instances may ask for one, nodes may be tied to one, and the configuration says what holds for
//! the rest. What a node is tied to cannot be overruled.

use crate::DriverError;
use serde_json::Value;
use types::{JsonMap, Node, pyrepr};

/// Whether the machine boots by UEFI.
pub fn is_uefi(node: &Node, default_uefi: bool) -> Result<bool, DriverError> {
    Ok(requested(node)?.unwrap_or(default_uefi))
}

/// Whether somebody wants the machine to boot by UEFI, or not to.
pub fn requested(node: &Node) -> Result<Option<bool>, DriverError> {
    let instance = instance_capabilities(node);
    let asked = |key: &str| instance.get(key).map(pyrepr::to_str);
    let tied = |key: &str| capability(node, key);
    let is_true = |text: String| text.eq_ignore_ascii_case("true");
    if asked("secure_boot")
        .or_else(|| tied("secure_boot"))
        .is_some_and(is_true)
    {
        return Ok(Some(true));
    }
    let of_instance = || {
        let mode = node.instance_info.get("deploy_boot_mode")?;
        pyrepr::truth(mode).then(|| pyrepr::to_str(mode))
    };
    let mode = asked("boot_mode")
        .or_else(of_instance)
        .or_else(|| tied("boot_mode"))
        .or_else(|| node.driver_internal_info.deploy_boot_mode());
    let Some(mode) = mode.map(|mode| mode.to_lowercase()) else {
        return Ok(None);
    };
    if let Some(tied) = tied("boot_mode").map(|mode| mode.to_lowercase())
        && tied != mode
    {
        return Err(DriverError::InvalidParameter(format!(
            "Node {} boot mode {mode} violates node properties/capabilities {tied}",
            node.id
        )));
    }
    Ok(Some(mode == "uefi"))
}

/// Whether the instance wants its boot loader and kernel to be checked by the firmware.
pub fn wants_secure_boot(node: &Node) -> bool {
    let instance = instance_capabilities(node);
    let asked = instance.get("secure_boot").map(pyrepr::to_str);
    asked.is_some_and(|text| text.eq_ignore_ascii_case("true"))
}

/// A capability among the node's properties, where they are one text: `a:1,b:2`.
pub fn capability(node: &Node, key: &str) -> Option<String> {
    let all = node.properties.get("capabilities")?.as_str()?;
    all.split(',')
        .filter_map(|pair| pair.split_once(':'))
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value.to_owned())
}

/// A capability that the instance asks for, or else that the node is tied to.
pub fn asked_or_tied(node: &Node, key: &str) -> Option<String> {
    let asked = instance_capabilities(node);
    let asked = asked.get(key).filter(|value| pyrepr::truth(value));
    asked.map(pyrepr::to_str).or_else(|| capability(node, key))
}

/// What an instance asks for: an object, or the text of one.
pub(crate) fn instance_capabilities(node: &Node) -> JsonMap {
    match node.instance_info.get("capabilities") {
        Some(Value::Object(all)) => all.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => JsonMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::NodeId;

    fn node(properties: Value, instance: Value, internal: Value) -> Node {
        let mut node = Node::new(NodeId::generate(), "ipmi");
        let object = |value: Value| value.as_object().cloned().unwrap();
        node.properties = object(properties);
        node.instance_info = object(instance);
        node.driver_internal_info = object(internal).into();
        node
    }

    #[test]
    fn the_first_that_says_something_counts() {
        let none = || json!({});
        let bios = json!({"capabilities": "a:b,boot_mode:BIOS"});
        let asks_uefi = json!({"capabilities": {"boot_mode": "uefi"}});
        let asks_text = json!({"capabilities": "{\"boot_mode\": \"bios\"}"});
        let secure = json!({"capabilities": {"secure_boot": "true"}});
        let noted = json!({"deploy_boot_mode": "bios"});
        for (node, expected) in [
            (node(none(), none(), none()), Ok(true)),
            (node(bios.clone(), none(), none()), Ok(false)),
            (node(none(), asks_uefi.clone(), noted.clone()), Ok(true)),
            (node(none(), asks_text, none()), Ok(false)),
            (node(none(), noted.clone(), none()), Ok(false)),
            (node(none(), none(), noted), Ok(false)),
            (node(bios.clone(), secure, none()), Ok(true)),
            (node(bios, asks_uefi, none()), Err(())),
        ] {
            assert_eq!(is_uefi(&node, true).map_err(drop), expected, "{node:?}");
        }
    }
}
