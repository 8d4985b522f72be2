//! What an agent's RAID steps need to know, and mean for the node.

use crate::task::Task;
use drivers::{DriverError, Failure};
use serde_json::{Value, json};
use types::{
    InterfaceKind, JsonMap, Node,
    step::{Step, StepKind},
};

/// Leaves word for the agent which disks a step is to put together.
pub(super) fn prepare(task: &mut Task, step: &Step) -> Result<(), DriverError> {
    if step.interface == InterfaceKind::Raid && step.step == "create_configuration" {
        let target = wanted(&task.node, step).map_err(DriverError::InvalidParameter)?;
        task.node
            .driver_internal_info
            .set_target_raid_config(target);
    }
    Ok(())
}

/// The configuration to aim at, without what the step leaves out.
fn wanted(node: &Node, step: &Step) -> Result<JsonMap, String> {
    let id = node.id;
    if node.target_raid_config.is_empty() {
        return Err(format!("Node {id} has no target RAID configuration."));
    }
    let mut target = node.target_raid_config.clone();
    let disks = target.get("logical_disks").and_then(Value::as_array);
    let mut disks = disks.cloned().unwrap_or_default();
    let is_root = |disk: &Value| disk.get("is_root_volume") == Some(&json!(true));
    let skips = |argument: &str| step.args.get(argument) == Some(&json!(false));
    let mut skipped = Vec::new();
    if skips("create_root_volume") {
        disks.retain(|disk| !is_root(disk));
        skipped.push("skipping root volume");
    }
    if skips("create_nonroot_volumes") {
        disks.retain(is_root);
        skipped.push("skipping non-root volumes");
    }
    if disks.is_empty() {
        let skipped = skipped.join(" and ");
        return Err(format!(
            "Node {id} has empty target RAID configuration after {skipped}."
        ));
    }
    target.insert("logical_disks".into(), Value::Array(disks));
    Ok(target)
}

/// Keeps what a RAID step came to.
pub(super) fn note(
    task: &mut Task,
    step: &Step,
    result: &Value,
    kind: StepKind,
) -> Result<(), DriverError> {
    if step.interface != InterfaceKind::Raid {
        return Ok(());
    }
    match step.step.as_str() {
        "create_configuration" | "apply_configuration" => {
            let made = result.get(format!("{kind}_result"));
            let made = made.and_then(Value::as_object).filter(|m| !m.is_empty());
            let Some(made) = made else {
                return Err(DriverError::Protocol(Failure::new(format!(
                    "Agent ramdisk didn't return a proper command result while building RAID on {}. It returned '{result}' after command execution.",
                    task.id()
                ))));
            };
            drivers::logical_disk::note_configuration(&mut task.node, made);
        }
        "delete_configuration" => {
            task.node.raid_config = JsonMap::new();
            task.node.properties.remove("root_device");
        }
        _ => {}
    }
    Ok(())
}
