//! Calling a step again whose hardware works on by itself.
//!
//! The node stays in its waiting state as long as there is nothing new, so that hours of looking
//! leave no trace in the history.

use super::{clean, deploy, service, step_failed};
use crate::{
    steps::{self, StepResult, poll},
    task::{Stop, Task},
};
use types::{Node, ProvisionState as S, Verb, step::StepKind, work::Phase};

/// The flow of a waiting node.
pub(crate) fn kind(node: &Node) -> Option<StepKind> {
    match node.provision_state {
        S::CleanWait => Some(StepKind::Clean),
        S::DeployWait => Some(StepKind::Deploy),
        S::ServiceWait => Some(StepKind::Service),
        _ => None,
    }
}

pub(crate) async fn run(task: &mut Task) -> Result<(), Stop> {
    let current = kind(&task.node).and_then(|kind| Some((kind, steps::current(&task.node, kind)?)));
    let Some((kind, step)) = current else {
        task.node.driver_internal_info.forget_step_poll();
        let story = task.story();
        return task.end(story).await;
    };
    match poll::carry_on(task, &step).await? {
        Ok(StepResult::Again(again)) => {
            poll::note(&mut task.node, &again);
            let story = task.story();
            task.end(story).await
        }
        Ok(StepResult::Wait(_) | StepResult::Hold) => {
            task.node.driver_internal_info.forget_step_poll();
            let story = task.story();
            task.end(story).await
        }
        Ok(StepResult::Done | StepResult::Relisted) => go_on(task, kind).await,
        Err(error) => {
            let mut story = task.story();
            task.process(Verb::Resume, &mut story);
            // Whoever has to go on from here calls the step once more, and hears the same.
            task.node.work = Some(steps::work(kind, Phase::Steps));
            task.save(story).await?;
            step_failed(task, kind, &step, &error).await
        }
    }
}

/// The step is done: goes on with the next one.
async fn go_on(task: &mut Task, kind: StepKind) -> Result<(), Stop> {
    let aborts = steps::current(&task.node, kind).is_some_and(|step| step.abort_after);
    let awaits_agent = poll::awaits_agent(&task.node);
    task.node.driver_internal_info.forget_step_poll();
    if awaits_agent && !aborts {
        // Its next report goes on.
        task.node.driver_internal_info.mark_rebooted_by_step(kind);
        let story = task.story();
        return task.end(story).await;
    }
    let mut story = task.story();
    task.process(Verb::Resume, &mut story);
    if aborts {
        task.node.work = Some(steps::work(kind, Phase::Steps));
        task.save(story).await?;
        return super::abort_between_steps(task, kind).await;
    }
    steps::done(&mut task.node, kind);
    task.node.work = Some(steps::work(kind, Phase::Steps));
    task.save(story).await?;
    match kind {
        StepKind::Clean => clean::run(task, Phase::Steps).await,
        StepKind::Deploy => deploy::run(task, Phase::Steps).await,
        StepKind::Service | StepKind::Verify => service::run(task, Phase::Steps).await,
    }
}
