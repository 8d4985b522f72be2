//! The system event log of a machine: looking at it, and emptying it.

use crate::{core::Core, manage::answer};
use drivers::DriverError;
use serde_json::json;
use std::sync::Arc;
use types::{Caller, Fault, NodeId, event::EventKind, hardware_log::HardwareLog};

impl Core {
    pub(crate) async fn system_event_log(&self, id: NodeId) -> Result<HardwareLog, Fault> {
        let mut node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        let hardware = self.hardware(&node)?;
        self.ask(&mut node, async |machine| {
            hardware.management.event_log(machine).await
        })
        .await
    }

    /// Empties the log, and says so in the node's events: what stood in it cannot be read any more.
    pub(crate) async fn clear_system_event_log(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
    ) -> Result<(), Fault> {
        self.exclusively(id, who, move |mut task| async move {
            let hardware = task.hardware.clone();
            let outcome = match task.hands() {
                Ok((lease, mut machine)) => {
                    let management = &hardware.management;
                    management.clear_event_log(lease, &mut machine).await
                }
                Err(error) => Err::<(), DriverError>(error),
            };
            if outcome.is_ok() {
                let text = "the system event log was cleared";
                tracing::info!(node = %task.id(), "{text}");
                let mut story = task.story();
                let data = json!({"system_event_log": "cleared"});
                story.tell(&task.node, EventKind::Updated, text.to_owned(), data);
                // A lease that was lost meanwhile is noticed by the last write as well.
                let _ = task.save(story).await;
            }
            answer(task, outcome)
        })
        .await
    }
}
