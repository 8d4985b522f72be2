//! What a report of an agent leads to.
//!
//! An agent reports when it is up, whenever a command has ended, and now and then. The node is then
//! looked at: an agent that is new is asked for its steps, one that works is asked how far it is, and
//! the flow goes on when the step is done. A conductor that takes up a step after a restart comes
//! here too, and asks instead of telling twice.

use super::{
    bash, burnin, certificate, failed, image, installer, ramdisk, rescue,
    steps::{self, Progress},
};
use crate::{
    flow::{self, clean, deploy, service},
    steps::{current, done, index_of, set_index},
    task::{Stop, Task},
};
use drivers::{
    DriverError,
    agent::AgentError,
    iface::{Awaited, DeployBy},
};
use serde_json::{Value, json};
use types::{
    ProvisionState as S, Timestamp, Verb,
    event::EventKind,
    step::{Step, StepKind},
    work::Phase,
};

pub(crate) async fn run(task: &mut Task) -> Result<(), Stop> {
    if let (S::DeployWait | S::Deploying, Some(ramdisk)) =
        (task.node.provision_state, bash::of(task))
    {
        return bash::run(task, ramdisk).await;
    }
    if matches!(task.node.provision_state, S::DeployWait | S::Deploying)
        && task.hardware.deploy.by() == DeployBy::Installer
    {
        return installer::report(task).await;
    }
    let asked = match task.node.provision_state {
        S::CleanWait | S::DeployWait | S::ServiceWait => ReportCause::ByAgent,
        // A conductor that was stopped had begun to act on a report.
        S::Cleaning | S::Deploying | S::Servicing => ReportCause::AfterRestart,
        S::RescueWait | S::Rescuing => return rescue::finish(task).await,
        _ => return leave(task).await,
    };
    let kind = steps::kind_of(&task.node);
    match current(&task.node, kind) {
        None => begin(task, kind).await,
        Some(step) if is_first_contact(kind, &step) => begin(task, kind).await,
        Some(step) => look(task, kind, &step, asked).await,
    }
}

/// Takes up an in-band step that was under way when its conductor was stopped.
pub(crate) async fn reattach(task: &mut Task) -> Result<(), Stop> {
    let kind = steps::kind_of(&task.node);
    match current(&task.node, kind) {
        Some(step) => look(task, kind, &step, ReportCause::AfterRestart).await,
        None => go_on(task, kind).await,
    }
}

/// Why the agent is asked about a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportCause {
    ByAgent,
    /// Nobody knows whether the agent was told of the step at all.
    AfterRestart,
}

/// The step in which a deployment waits for the agent to come up.
fn is_first_contact(kind: StepKind, step: &Step) -> bool {
    kind == StepKind::Deploy && step.name() == "deploy.deploy"
}

async fn leave(task: &mut Task) -> Result<(), Stop> {
    let story = task.story();
    task.end(story).await
}

/// The agent is up: its steps are put among the others, and the first one starts.
async fn begin(task: &mut Task, kind: StepKind) -> Result<(), Stop> {
    if let Err(error) = steps::refresh(task, kind).await {
        let why = types::error::chain(&error);
        let text = match kind {
            StepKind::Deploy => format!("Failed to load in-band deploy steps: {why}"),
            StepKind::Clean => format!("Node failed to start the first cleaning step: {why}"),
            _ => format!("Node failed to start the first service step: {why}"),
        };
        resume(task).await?;
        return fail(task, kind, &text, None).await;
    }
    resume(task).await?;
    let listed = match kind {
        StepKind::Deploy => deploy::relist(task).await,
        StepKind::Clean => clean::relist(task).await,
        _ => service::relist(task),
    };
    if let Err(text) = listed {
        return fail(task, kind, &text, None).await;
    }
    if kind == StepKind::Deploy {
        // What comes before the agent has been done.
        let after = index_of(&task.node, kind, "deploy.deploy").map_or(0, |at| at + 1);
        set_index(&mut task.node, kind, after);
    }
    run_steps(task, kind).await
}

/// The agent works, or has ended: asks how far it is.
async fn look(
    task: &mut Task,
    kind: StepKind,
    step: &Step,
    asked: ReportCause,
) -> Result<(), Stop> {
    if !steps::is_agents(&task.node, &task.hardware, kind, step) {
        let is_rebooted = is_rebooted(task, kind);
        task.node.driver_internal_info.forget_reboot_by_step(kind);
        if asked == ReportCause::ByAgent && is_rebooted {
            // A step of ours rebooted the machine and is done; now the agent is up again.
            resume(task).await?;
            return go_on(task, kind).await;
        }
        // A step of ours that waits for something else.
        return match asked {
            ReportCause::ByAgent => leave(task).await,
            ReportCause::AfterRestart => run_steps(task, kind).await,
        };
    }
    match steps::progress(task, kind, step).await {
        Ok(Progress::Running) => wait(task, kind, step).await,
        Ok(Progress::Untold) if is_rebooted(task, kind) => {
            // It was rebooted at the end of the step, and is up again.
            task.node.driver_internal_info.forget_reboot_by_step(kind);
            resume(task).await?;
            go_on(task, kind).await
        }
        Ok(Progress::Untold) => match asked {
            ReportCause::ByAgent => leave(task).await,
            ReportCause::AfterRestart => run_steps(task, kind).await,
        },
        Ok(Progress::Done(command)) => {
            resume(task).await?;
            if let Err(error) = super::raid::note(task, step, &command.result, kind) {
                return flow::step_failed(task, kind, step, &error).await;
            }
            certificate::note(task, step, &command.result, kind).await;
            burnin::note_passed(task, step, &command.result, kind);
            if step.to_map().get("reboot_requested") == Some(&Value::Bool(true)) {
                return reboot(task, kind, step).await;
            }
            go_on(task, kind).await
        }
        Ok(Progress::Failed(why)) => {
            resume(task).await?;
            let why = match step.name() == "deploy.write_image" {
                true => image::complaint(&task.node, why, Timestamp::now()),
                false => why,
            };
            burnin::note_failed(task, step, &why);
            let error = DriverError::Rejected(why.into());
            flow::step_failed(task, kind, step, &error).await
        }
        Ok(Progress::Changed) => {
            resume(task).await?;
            if let Err(error) = steps::refresh(task, kind).await {
                return flow::step_failed(task, kind, step, &failed(&error)).await;
            }
            run_steps(task, kind).await
        }
        // It is restarting, or the network is away: it reports again, or the time-out comes.
        Err(AgentError::Connection(why)) => {
            tracing::warn!(node = %task.id(), error = why, "an agent cannot be asked how far it is");
            wait(task, kind, step).await
        }
        Err(error) => {
            resume(task).await?;
            flow::step_failed(task, kind, step, &failed(&error)).await
        }
    }
}

/// Leaves the node waiting for the agent's next report.
async fn wait(task: &mut Task, kind: StepKind, step: &Step) -> Result<(), Stop> {
    let waits = matches!(
        task.node.provision_state,
        S::CleanWait | S::DeployWait | S::ServiceWait
    );
    if waits {
        return leave(task).await;
    }
    let awaited = Awaited::Other(steps::working_on(&step.step));
    crate::steps::park(task, kind, Verb::Wait, awaited)
        .await
        .map(|_| ())
}

/// Whether the machine was rebooted at the end of the current step.
fn is_rebooted(task: &Task, kind: StepKind) -> bool {
    task.node.driver_internal_info.is_rebooted_by_step(kind)
}

/// The agent wants to be started anew before the next step.
async fn reboot(task: &mut Task, kind: StepKind, step: &Step) -> Result<(), Stop> {
    task.node.driver_internal_info.mark_rebooted_by_step(kind);
    let again = async {
        ramdisk::switch_off(task).await?;
        ramdisk::start(task).await
    };
    if let Err(error) = again.await {
        return flow::step_failed(task, kind, step, &error).await;
    }
    let awaited = Awaited::Ramdisk("the restarted ramdisk's heartbeat");
    crate::steps::park(task, kind, Verb::Wait, awaited)
        .await
        .map(|_| ())
}

/// From waiting to working, if the node waits.
pub(super) async fn resume(task: &mut Task) -> Result<(), Stop> {
    if !matches!(
        task.node.provision_state,
        S::CleanWait | S::DeployWait | S::ServiceWait
    ) {
        return Ok(());
    }
    let mut story = task.story();
    task.process(Verb::Resume, &mut story);
    story.tell(
        &task.node,
        EventKind::Step,
        "the agent reports",
        json!({"kind": steps::kind_of(&task.node)}),
    );
    task.save(story).await
}

/// The step is done: goes on with the next one.
pub(super) async fn go_on(task: &mut Task, kind: StepKind) -> Result<(), Stop> {
    if current(&task.node, kind).is_some_and(|step| step.abort_after) {
        return flow::abort_between_steps(task, kind).await;
    }
    done(&mut task.node, kind);
    run_steps(task, kind).await
}

pub(super) async fn run_steps(task: &mut Task, kind: StepKind) -> Result<(), Stop> {
    resume(task).await?;
    task.node.work = Some(crate::steps::work(kind, Phase::Steps));
    match kind {
        StepKind::Clean => clean::run(task, Phase::Steps).await,
        StepKind::Deploy => deploy::run(task, Phase::Steps).await,
        StepKind::Service | StepKind::Verify => service::run(task, Phase::Steps).await,
    }
}

async fn fail(
    task: &mut Task,
    kind: StepKind,
    text: &str,
    step: Option<&Step>,
) -> Result<(), Stop> {
    match kind {
        StepKind::Clean => clean::failed(task, text, step).await,
        StepKind::Service => service::failed(task, text, step).await,
        StepKind::Deploy | StepKind::Verify => deploy::failed(task, "deploying", text, step).await,
    }
}
