//! The steps, exactly as IPA offers them.

use crate::hardware::StepKind;
use serde_json::{Value, json};
use types::JsonMap;

/// A step: its name, its interface, its priority, whether cleaning may be aborted during it.
struct Row(&'static str, &'static str, u8, Option<bool>);

const CLEAN: &[Row] = &[
    Row("erase_devices", "deploy", 10, Some(true)),
    Row("erase_devices_metadata", "deploy", 99, Some(true)),
    Row("erase_devices_express", "deploy", 0, Some(true)),
    Row("erase_pstore", "deploy", 0, Some(true)),
    Row("clean_uefi_nvram", "deploy", 0, Some(true)),
    Row("delete_configuration", "raid", 0, Some(true)),
    Row("create_configuration", "raid", 0, Some(true)),
    Row("burnin_cpu", "deploy", 0, Some(true)),
    Row("burnin_gpu", "deploy", 0, Some(true)),
    Row("burnin_disk", "deploy", 0, Some(true)),
    Row("burnin_memory", "deploy", 0, Some(true)),
    Row("burnin_network", "deploy", 0, Some(true)),
];

const DEPLOY: &[Row] = &[
    Row("erase_devices_metadata", "deploy", 0, None),
    Row("apply_configuration", "raid", 0, None),
    Row("clean_uefi_nvram", "deploy", 0, None),
    Row("write_image", "deploy", 0, None),
    Row("inject_files", "deploy", 0, None),
    Row("execute_bootc_install", "deploy", 0, None),
];

const SERVICE: &[Row] = &[
    Row("delete_configuration", "raid", 0, Some(true)),
    Row("apply_configuration", "raid", 0, None),
    Row("create_configuration", "raid", 0, Some(true)),
    Row("burnin_cpu", "deploy", 0, Some(true)),
    Row("burnin_gpu", "deploy", 0, Some(true)),
    Row("burnin_memory", "deploy", 0, Some(true)),
    Row("burnin_network", "deploy", 0, Some(true)),
    Row("write_image", "deploy", 0, None),
    Row("inject_files", "deploy", 0, None),
    Row("execute_bootc_install", "deploy", 0, None),
];

pub(super) fn list(kind: StepKind, inject_files_priority: u8) -> Vec<JsonMap> {
    let rows = match kind {
        StepKind::Clean => CLEAN,
        StepKind::Deploy => DEPLOY,
        StepKind::Service => SERVICE,
    };
    let step = |Row(name, interface, priority, abortable): &Row| {
        let priority = match *name {
            "inject_files" => inject_files_priority,
            _ => *priority,
        };
        let mut step = JsonMap::new();
        step.insert("step".into(), json!(name));
        step.insert("priority".into(), json!(priority));
        step.insert("interface".into(), json!(interface));
        step.insert("reboot_requested".into(), json!(false));
        if let Some(abortable) = abortable {
            step.insert("abortable".into(), json!(abortable));
        }
        if let Some(info) = arguments(name) {
            step.insert("argsinfo".into(), info);
        }
        step
    };
    rows.iter().map(step).collect()
}

/// What a step can be told.
fn arguments(step: &str) -> Option<Value> {
    let info = match step {
        "apply_configuration" => json!({
            "raid_config": {
                "description": "The RAID configuration to apply.",
                "required": true,
            },
            "delete_existing": {
                "description": "Setting this to 'True' indicates to delete existing RAID \
                                configuration prior to creating the new configuration. Default \
                                value is 'True'.",
                "required": false,
            },
        }),
        "clean_uefi_nvram" => json!({
            "match_patterns": {
                "description": r#"Json blob contains a list of regex patterns where any UEFI NVRAM entry matching that pattern will be deleted. Default value is '["^HD\(", "shim.*\.efi", "grub.*\.efi"]'"#,
                "required": false,
            },
        }),
        "inject_files" => json!({
            "files": {
                "description": "Files to inject, a list of file structures with keys: 'path' \
                                (path to the file), 'partition' (partition specifier), 'content' \
                                (base64 encoded string), 'mode' (new file mode) and 'dirmode' \
                                (mode for the leaf directory, if created). Merged with the values \
                                from node.properties[inject_files].",
                "required": false,
            },
            "verify_ca": {
                "description": "Whether to verify TLS certificates. Global agent options are used \
                                by default.",
                "required": false,
            },
        }),
        _ => return None,
    };
    Some(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_the_originals() {
        let clean = list(StepKind::Clean, 0);
        assert_eq!(clean.len(), 12);
        assert_eq!(
            Value::Object(clean[0].clone()),
            json!({"step": "erase_devices", "priority": 10, "interface": "deploy",
                   "reboot_requested": false, "abortable": true})
        );
        assert_eq!(clean[4]["argsinfo"]["match_patterns"]["required"], false);
        let deploy = list(StepKind::Deploy, 50);
        assert_eq!(deploy[4]["priority"], 50);
        assert!(deploy.iter().all(|step| !step.contains_key("abortable")));
        // A disk under test loses its data, so that is not done to a machine in service.
        let service = list(StepKind::Service, 0);
        assert!(service.iter().all(|step| step["step"] != "burnin_disk"));
        assert_eq!(service.len(), 10);
    }
}
