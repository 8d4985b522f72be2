//! What an agent's RAID steps mean for the node.

use crate::task::Task;
use serde_json::Value;
use types::{
    InterfaceKind, JsonMap,
    step::{Step, StepKind},
};

/// Keeps what a RAID step came to.
pub(super) fn note(task: &mut Task, step: &Step, result: &Value, kind: StepKind) {
    if step.interface != InterfaceKind::Raid {
        return;
    }
    match step.step.as_str() {
        "create_configuration" | "apply_configuration" => {
            let made = result.get(format!("{kind}_result"));
            if let Some(made) = made.and_then(Value::as_object) {
                drivers::logical_disk::note_configuration(&mut task.node, made);
            }
        }
        "delete_configuration" => {
            task.node.raid_config = JsonMap::new();
            task.node.properties.remove("root_device");
        }
        _ => {}
    }
}
