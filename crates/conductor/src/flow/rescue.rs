//! Rescuing: boots a machine into a rescue system, and back.

use super::reason;
use crate::{
    inband,
    task::{Stop, Task},
};
use drivers::iface::Readiness;
use types::{Verb, work::Phase};

pub(crate) async fn run(task: &mut Task, phase: Phase) -> Result<(), Stop> {
    let outcome = match phase {
        Phase::Finish => Ok(Readiness::Ready),
        Phase::Prepare | Phase::Steps => inband::rescue::begin(task).await,
    };
    let mut story = task.story();
    match outcome {
        Ok(Readiness::Ready) => task.process(Verb::Done, &mut story),
        Ok(Readiness::Wait(awaited)) => {
            task.process(Verb::Wait, &mut story);
            story.waits(&task.node, "rescue", &awaited);
        }
        Err(error) => {
            let why = reason(&task.node, &error);
            forget_password(&mut task.node);
            let text = format!("Failed to rescue: {why}");
            task.error(&mut story, "rescue", &text);
            task.process(Verb::Fail, &mut story);
        }
    }
    task.end(story).await
}

/// Back to the instance.
pub(crate) async fn undo(task: &mut Task) -> Result<(), Stop> {
    let outcome = inband::rescue::undo(task).await;
    let mut story = task.story();
    match outcome {
        Ok(()) => {
            task.node.driver_internal_info.forget_agent();
            task.process(Verb::Done, &mut story);
        }
        Err(error) => {
            let why = reason(&task.node, &error);
            let text = format!("Failed to unrescue: {why}");
            task.error(&mut story, "rescue", &text);
            task.process(Verb::Fail, &mut story);
        }
    }
    task.end(story).await
}

/// A rescue that does not happen needs no password.
pub(crate) fn forget_password(node: &mut types::Node) {
    node.instance_info.remove("rescue_password");
    node.instance_info.remove("hashed_rescue_password");
}
