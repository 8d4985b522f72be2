//! Steps whose hardware works on by itself, and that look how far it is.
//!
//! Such a step is called again and again until it is done or has failed. What it must remember it
//! keeps in the node's row, which is saved before anything else happens; when it is due is
//! noted beside that. Meanwhile the node waits without a lease, and any conductor that serves it
//! may call the step: one that was restarted, or another one.

use super::{Ran, StepResult, carry_out};
use crate::{
    flow::power,
    inband::ramdisk,
    task::{Attempt, Stop, Task},
};
use drivers::iface::Awaited;
use serde_json::json;
use std::time::Duration;
use types::{
    Node, PowerTarget, Timestamp, Verb,
    event::EventKind,
    step::{Step, StepKind},
};

/// A step that wants to be called again.
#[derive(Debug)]
pub(crate) struct Again {
    pub(super) reason: String,
    pub(super) after: Duration,
    pub(super) reboot: bool,
}

/// Carries out a step as far as it goes without waiting.
pub(crate) async fn carry_on(task: &mut Task, step: &Step) -> Attempt<StepResult> {
    // A conductor that was stopped between the note and the reboot leaves the note behind.
    if task.node.driver_internal_info.has_pending_reboot()
        && let Err(error) = reboot(task).await?
    {
        return Ok(Err(error));
    }
    loop {
        let again = match carry_out(task, step).await? {
            Ok(StepResult::Again(again)) => again,
            other => return Ok(other),
        };
        if again.reboot {
            task.node.driver_internal_info.set_pending_reboot();
            let story = task.story();
            task.save(story).await?;
            if let Err(error) = reboot(task).await? {
                return Ok(Err(error));
            }
        }
        if !again.after.is_zero() {
            return Ok(Ok(StepResult::Again(again)));
        }
        let story = task.story();
        task.save(story).await?;
        task.check_shutdown()?;
    }
}

/// Whether an agent ran on the machine when it was rebooted, and is not back yet.
pub(crate) fn awaits_agent(node: &Node) -> bool {
    let info = &node.driver_internal_info;
    info.had_agent_at_reboot() && !info.has_agent()
}

async fn reboot(task: &mut Task) -> Attempt {
    let info = &mut task.node.driver_internal_info;
    let runs_agent = info.has_agent() || info.had_agent_at_reboot();
    let kind = crate::inband::steps::kind_of(&task.node);
    let info = &mut task.node.driver_internal_info;
    let rebooted = if runs_agent && task.hardware.deploy.by().has_agent(kind) {
        info.mark_agent_at_reboot();
        match ramdisk::switch_off(task).await {
            Ok(()) => ramdisk::start(task).await,
            failed => failed,
        }
    } else {
        power::act(task, PowerTarget::Reboot, None).await
    };
    if let Err(error) = rebooted {
        return Ok(Err(error));
    }
    task.node.driver_internal_info.forget_pending_reboot();
    let mut story = task.story();
    let data = json!({"asked": PowerTarget::Reboot, "is": task.node.power_state});
    let text = "rebooted for a step";
    story.tell(&task.node, EventKind::Power, text, data);
    task.save(story).await.map(Ok)
}

/// Notes when the step is due.
pub(crate) fn note(node: &mut Node, again: &Again) {
    let seconds = i64::try_from(again.after.as_secs()).unwrap_or(i64::MAX);
    let now = Timestamp::now();
    let due = now.plus_seconds(seconds);
    node.driver_internal_info.set_step_poll_due(due);
    // What keeps the time-out away: the step has limits of its own.
    node.provision_updated_at = Some(now);
}

/// Leaves the node until the step is due.
pub(super) async fn park(task: &mut Task, kind: StepKind, again: Again) -> Result<Ran, Stop> {
    note(&mut task.node, &again);
    super::park(task, kind, Verb::Wait, Awaited::Other(again.reason)).await
}
