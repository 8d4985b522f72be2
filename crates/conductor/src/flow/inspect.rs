//! Inspecting: what is in this machine?

use super::reason;
use crate::task::{Stop, Task};
use drivers::iface::Inspection;
use serde_json::json;
use types::{Verb, event::EventKind};

pub(crate) async fn run(task: &mut Task) -> Result<(), Stop> {
    super::forget_agent(&mut task.node);
    let hardware = task.hardware.clone();
    let outcome = match task.hands() {
        Ok((lease, mut machine)) => hardware.inspect.inspect(lease, &mut machine).await,
        Err(error) => Err(error),
    };
    let mut story = task.story();
    match outcome {
        Ok(Inspection::Done) => task.process(Verb::Done, &mut story),
        Ok(Inspection::Wait { reason }) => {
            task.process(Verb::Wait, &mut story);
            let text = format!("waiting: {reason}");
            story.tell(
                &task.node,
                EventKind::Step,
                text,
                json!({"kind": "inspect"}),
            );
        }
        Err(error) => {
            let why = reason(&task.node, &error);
            let settings = task.core.settings.clone();
            let text = format!("Failed to inspect hardware. Reason: {why}");
            story.error(&settings, &mut task.node, "introspection", &text);
            task.process(Verb::Fail, &mut story);
        }
    }
    task.end(story).await
}
