//! Deploying: from `available` to `active`, and again by a rebuild.

use super::{end_failed, note_aborted_flow, note_flow, reason, shown};
use crate::{
    inband::{self, logs::Moment},
    steps::{self, Ran},
    task::{Stop, Task},
};
use types::{
    Verb, Work,
    step::{Step, StepKind},
    work::Phase,
};

const KIND: StepKind = StepKind::Deploy;

pub(crate) async fn run(task: &mut Task, phase: Phase) -> Result<(), Stop> {
    if phase == Phase::Prepare && !prepare(task).await? {
        return Ok(());
    }
    if phase != Phase::Finish && steps::run(task, KIND).await? == Ran::Parked {
        return Ok(());
    }
    finish(task).await
}

async fn prepare(task: &mut Task) -> Result<bool, Stop> {
    if let Err(error) = inband::check_deploy(task).await {
        let why = reason(&task.node, &error);
        let text = format!("Failed to prepare to deploy: {why}");
        refused(task, &text).await?;
        return Ok(false);
    }
    if let Err(error) = inband::upload_for_deploy(task).await? {
        let text = reason(&task.node, &error);
        refused(task, &text).await?;
        return Ok(false);
    }
    if let Err(error) = inband::prepare_deploy(task).await {
        let why = reason(&task.node, &error);
        let text = format!("Failed to prepare to deploy: {why}");
        failed(task, "provisioning", &text, None).await?;
        return Ok(false);
    }
    let list = task.node.driver_internal_info.steps(KIND);
    if list.is_empty() {
        steps::forget(&mut task.node, KIND);
        let text = "No deploy steps returned by the driver";
        failed(task, "deploying", text, None).await?;
        return Ok(false);
    }
    // From here on it is this conductor that serves what the machine needs.
    task.node.conductor_affinity = Some(task.settings().host.clone());
    let mut story = task.story();
    let text = format!("Starting deployment with steps={}", shown(&list));
    note_flow(task, &mut story, "deployment_start", text);
    task.node.work = Some(Work::Deploy {
        phase: Phase::Steps,
    });
    task.save(story).await?;
    Ok(true)
}

/// Makes the list anew, now that the agent has told what it can do.
pub(crate) async fn relist(task: &mut Task) -> Result<(), String> {
    let core = std::sync::Arc::clone(&task.core);
    let hardware = task.hardware.clone();
    let listed = core.relist_deploy(&mut task.node, &hardware).await;
    listed.map_err(|fault| fault.to_string())
}

async fn finish(task: &mut Task) -> Result<(), Stop> {
    let list = shown(&task.node.driver_internal_info.steps(KIND));
    steps::forget(&mut task.node, KIND);
    task.node.driver_internal_info.forget_agent();
    let mut story = task.story();
    let text = format!("Deployment completed successfully with steps={list}");
    note_flow(task, &mut story, "deployment_end", text);
    task.process(Verb::Done, &mut story);
    task.end(story).await
}

/// The deploy cannot be done, and the machine was not touched: whatever runs on it goes on.
async fn refused(task: &mut Task, text: &str) -> Result<(), Stop> {
    let mut story = task.story();
    task.error(&mut story, "provisioning", text);
    inband::abandon_deploy(task).await;
    end_failed(task, KIND, story).await
}

/// The deploy failed. The instance's image may be half written; the machine is put back as far as
/// its driver can.
pub(crate) async fn failed(
    task: &mut Task,
    event_type: &str,
    text: &str,
    step: Option<&Step>,
) -> Result<(), Stop> {
    let mut story = task.story();
    if let Some(step) = step {
        let list = shown(&task.node.driver_internal_info.steps(KIND));
        let ended = format!(
            "Deployment aborted at step '{}' with steps={list}",
            step.step
        );
        note_aborted_flow(task, &mut story, "deployment_end", &ended);
    }
    task.error(&mut story, event_type, text);
    inband::logs::collect(task, Moment::Failure, None).await;
    if let Err(error) = inband::clean_up_failed(task).await {
        let why = reason(&task.node, &error);
        tracing::warn!(node = %task.id(), error = why, "a failed deploy could not be cleaned up");
    }
    if let Err(error) = inband::switch_off_after_failure(task).await {
        let why = reason(&task.node, &error);
        tracing::warn!(node = %task.id(), error = why, "a machine stays on after a failed deploy");
    }
    end_failed(task, KIND, story).await
}
