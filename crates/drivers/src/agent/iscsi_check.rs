//! Whether an instance says enough to be written over iSCSI, in the words of Ironic up to version 17.

use crate::{
    DriverError,
    boot_image::{self, text},
    boot_mode,
    boot_option::{self, BootOption},
    glance::Reference,
    iface::Machine,
};
use types::{JsonMap, Node, pyrepr, words};

/// What a partition image is divided by; for each what the row of a deployed instance calls it.
const SIZES: [&str; 3] = ["root_gb", "swap_mb", "ephemeral_gb"];

pub(super) fn check(machine: &Machine<'_>) -> Result<(), DriverError> {
    let node = &*machine.node;
    check_boot_option(node)?;
    let info = &node.instance_info;
    let source = text(info, "image_source").ok_or_else(|| missing(&["image_source"]))?;
    let of_glance = matches!(Reference::read(&source)?, Reference::Glance(_));
    let whole = match of_glance && text(info, "image_type").is_none() {
        // Only Glance knows, and is asked when the deployment begins.
        true => node.driver_internal_info.is_whole_disk_image(),
        false => boot_image::is_of_whole_disk(info),
    };
    if whole {
        return Ok(());
    }
    let asks_network = boot_option::asked(node) == Some(BootOption::Network);
    let given = |key: &str| text(info, key).is_some();
    let pair = given("kernel") || given("ramdisk") || asks_network;
    let mut lacking: Vec<&str> = Vec::new();
    if !of_glance && pair {
        lacking.extend(["kernel", "ramdisk"].into_iter().filter(|key| !given(key)));
    }
    if !of_glance && !given("root_gb") {
        lacking.push("root_gb");
    }
    if !lacking.is_empty() {
        return Err(missing(&lacking));
    }
    for key in SIZES {
        size(info, key)?;
    }
    if preserves(info)? {
        check_same(node)?;
    }
    Ok(())
}

fn missing(keys: &[&str]) -> DriverError {
    let keys: Vec<String> = keys.iter().map(|key| format!("'{key}'")).collect();
    DriverError::InvalidParameter(format!(
        "Cannot validate iSCSI deploy. Some parameters were missing in node's instance_info. Missing are: [{}]",
        keys.join(", ")
    ))
}

fn invalid(key: &str, reason: &str) -> DriverError {
    DriverError::InvalidParameter(format!(
        "Cannot validate parameter for iSCSI deploy. Invalid parameter {key}. Reason: {reason}"
    ))
}

fn size(info: &JsonMap, key: &str) -> Result<u64, DriverError> {
    let Some(given) = info.get(key).filter(|value| !value.is_null()) else {
        return Ok(0);
    };
    let given = pyrepr::to_str(given);
    let parsed = given.trim().parse();
    parsed.map_err(|_| invalid(key, &format!("{given} is not an integer value.")))
}

fn preserves(info: &JsonMap) -> Result<bool, DriverError> {
    let key = "preserve_ephemeral";
    match info.get(key).filter(|value| pyrepr::truth(value)) {
        None => Ok(false),
        Some(given) => words::boolean_value(given).ok_or_else(|| {
            let given = pyrepr::to_str(given);
            let reason = format!("Unrecognized value '{given}', {}", words::ACCEPTED);
            invalid(key, &reason)
        }),
    }
}

/// A partition survives only where it stays.
fn check_same(node: &Node) -> Result<(), DriverError> {
    let Some(before) = node.driver_internal_info.deployed_sizes() else {
        return Ok(());
    };
    let mut differences = Vec::new();
    for key in SIZES {
        let wanted = size(&node.instance_info, key)?;
        match size(before, key) {
            Ok(deployed) if deployed != wanted => differences.push(format!(
                "Deployed value of {key} was {deployed} but requested value is {wanted}."
            )),
            _ => {}
        }
    }
    if differences.is_empty() {
        return Ok(());
    }
    Err(DriverError::InvalidParameter(format!(
        "The following parameters have different values from previous deployment: {}",
        differences.join(" ")
    )))
}

fn check_boot_option(node: &Node) -> Result<(), DriverError> {
    let asked = boot_mode::instance_capabilities(node);
    let asked = asked
        .get("boot_option")
        .filter(|value| pyrepr::truth(value));
    let tied = boot_mode::capability(node, "boot_option").filter(|value| !value.is_empty());
    for (field, value) in [
        ("properties/capabilities", tied),
        ("instance_info['capabilities']", asked.map(pyrepr::to_str)),
    ] {
        if let Some(value) = value.filter(|value| BootOption::named(value).is_none()) {
            return Err(DriverError::InvalidParameter(format!(
                "Invalid boot_option parameter from {field} has an invalid value: '{value}'. Acceptable values are: local, netboot."
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[track_caller]
    fn refused(instance: Value, internal: Value) -> Option<String> {
        let mut node = Node::new(types::NodeId::generate(), "ipmi");
        node.instance_info = instance.as_object().cloned().unwrap();
        node.driver_internal_info = internal.as_object().cloned().unwrap().into();
        let info = JsonMap::new();
        check(&Machine::new(&mut node, &info, &[]))
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn what_is_missing_is_named_as_ironic_named_it() {
        let none = || json!({});
        let complete =
            json!({"image_source": "http://h/i", "kernel": "k", "ramdisk": "r", "root_gb": 1});
        assert_eq!(refused(complete.clone(), none()), None);
        assert_eq!(refused(json!({"image_source": "http://h/i"}), none()), None);
        for (said, lacking) in [
            (json!({}), "['image_source']"),
            (
                json!({"image_source": "http://h/i", "kernel": "k"}),
                "['ramdisk', 'root_gb']",
            ),
            (
                json!({"image_source": "http://h/i", "image_type": "partition", "root_gb": 1,
                    "capabilities": {"boot_option": "netboot"}}),
                "['kernel', 'ramdisk']",
            ),
        ] {
            let text = refused(said, none()).unwrap();
            assert_eq!(
                text,
                format!(
                    "Cannot validate iSCSI deploy. Some parameters were missing in node's instance_info. Missing are: {lacking}"
                )
            );
        }
        let mut odd = complete.clone();
        odd["swap_mb"] = json!("x");
        assert!(
            refused(odd, none())
                .unwrap()
                .ends_with("Invalid parameter swap_mb. Reason: x is not an integer value.")
        );
        let mut odd = complete.clone();
        odd["capabilities"] = json!({"boot_option": "floppy"});
        assert!(refused(odd, none()).unwrap().contains("'floppy'"));
        let mut keeps = complete;
        keeps["preserve_ephemeral"] = json!("true");
        keeps["ephemeral_gb"] = json!(3);
        let before =
            |root: u64| json!({"instance": {"root_gb": root, "swap_mb": 0, "ephemeral_gb": 3}});
        assert_eq!(refused(keeps.clone(), before(1)), None);
        assert_eq!(
            refused(keeps, before(10)).unwrap(),
            "The following parameters have different values from previous deployment: Deployed value of root_gb was 10 but requested value is 1."
        );
    }
}
