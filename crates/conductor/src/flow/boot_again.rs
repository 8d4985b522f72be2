//! Booting a machine again whose ramdisk does not report.

use super::reason;
use crate::{
    inband::ramdisk,
    task::{Stop, Task},
};
use drivers::DriverError;
use serde_json::json;
use types::{PowerTarget, event::EventKind};

/// The node goes on waiting, whatever comes of it: a time-out ends that.
pub(crate) async fn run(task: &mut Task) -> Result<(), Stop> {
    let outcome = again(task).await;
    let mut story = task.story();
    match outcome {
        Ok(()) => {
            let text = "the ramdisk did not report: booted again";
            let data = json!({"asked": PowerTarget::Reboot, "is": task.node.power_state});
            story.tell(&task.node, EventKind::Power, text, data);
        }
        Err(error) => {
            let why = reason(&task.node, &error);
            let text = format!("Failed to boot the ramdisk again: {why}");
            task.error(&mut story, "UNKNOWN", &text);
        }
    }
    task.end(story).await
}

async fn again(task: &mut Task) -> Result<(), DriverError> {
    ramdisk::switch_off(task).await?;
    // What was to be booted from once may have been used up.
    if let Some(from) = task.hardware.boot.retry_from() {
        ramdisk::boot_from(task, from).await?;
    }
    ramdisk::start(task).await
}
