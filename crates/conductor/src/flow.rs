//! Flows: what workers do with a node, from the work recorded in its row.
//!
//! [`run`] is entered by a request that was just accepted, by a conductor that comes back and finds
//! its old work, and by one that takes over a dead peer's. Whatever goes wrong, a flow ends with a
//! write that gives the lease back.

pub(crate) mod adopt;
pub(crate) mod boot_again;
pub(crate) mod clean;
pub(crate) mod clean_up;
pub(crate) mod deploy;
pub(crate) mod inspect;
pub(crate) mod kin;
pub(crate) mod media;
pub(crate) mod networks;
pub(crate) mod poll;
pub(crate) mod power;
pub(crate) mod rescue;
pub(crate) mod service;
pub(crate) mod switch;
pub(crate) mod take_over;
pub(crate) mod tear_down;
pub(crate) mod verify;
pub(crate) mod volumes;

use crate::{
    core::Core,
    inband, last_error, lock,
    record::ChangeLog,
    steps,
    task::{Needs, Stop, Task},
};
use drivers::DriverError;
use serde_json::json;
use std::sync::Arc;
use store::node::Fence;
use types::{
    Caller, Fault, InterfaceKind, Node, NodeId, PowerTarget, Timestamp, Verb, Work,
    event::EventKind,
    node::NodeFault,
    step::{OnRestart, Step, StepKind},
    work::Phase,
};

/// How a worker comes to the work in a node's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A request was accepted just now.
    Asked,
    /// An earlier incarnation of this conductor left it.
    Restart,
    /// Another conductor died over it.
    TakeOver { from: String },
}

/// Carries out the work that a node's row records.
pub(crate) async fn run(core: Arc<Core>, node: Node, caller: Caller, origin: Origin) {
    let (id, generation) = (node.id, node.lease_generation);
    let needs = loop {
        match Needs::of(&core, &node).await {
            Ok(needs) => break needs,
            // The database is away for a moment; the work is in the row and waits.
            Err(Fault::Unavailable) => {
                let pause = tokio::time::sleep(lock::RECONNECT);
                if core.stop.run_until_cancelled(pause).await.is_none() {
                    return;
                }
            }
            Err(fault) => {
                tracing::error!(node = %id, %fault, "a worker could not start");
                fail_row(&core, id, generation, &fault.to_string()).await;
                return;
            }
        }
    };
    let mut task = Task::with(&core, node, caller, needs);
    let outcome = match origin {
        Origin::Asked => enter(&mut task).await,
        left => resume(&mut task, &left).await,
    };
    match outcome {
        Ok(()) => {}
        Err(Stop::LeaseLost) => {}
        Err(Stop::Shutdown) => {
            tracing::info!(node = %id, "stopped for shutdown; the work goes on after the next start");
        }
    }
}

async fn enter(task: &mut Task) -> Result<(), Stop> {
    // Boxed, or a worker would need the stack of all flows at once.
    match task.node.work.clone() {
        Some(Work::Verify) => Box::pin(verify::run(task)).await,
        Some(Work::Clean { phase }) => Box::pin(clean::run(task, phase)).await,
        Some(Work::Deploy { phase }) => Box::pin(deploy::run(task, phase)).await,
        Some(Work::TearDown { from }) => Box::pin(tear_down::run(task, from)).await,
        Some(Work::Inspect) => Box::pin(inspect::run(task)).await,
        Some(Work::ProcessInspection { data, error }) => {
            Box::pin(crate::inspection::process::run(task, data, error)).await
        }
        Some(Work::Adopt) => Box::pin(adopt::run(task)).await,
        Some(Work::Rescue { phase }) => Box::pin(rescue::run(task, phase)).await,
        Some(Work::Unrescue) => Box::pin(rescue::undo(task)).await,
        Some(Work::Service { phase }) => Box::pin(service::run(task, phase)).await,
        Some(Work::BootAgain) => Box::pin(boot_again::run(task)).await,
        Some(Work::Poll) => Box::pin(poll::run(task)).await,
        Some(Work::Report) => Box::pin(inband::report::run(task)).await,
        Some(Work::CleanUp { after }) => Box::pin(clean_up::run(task, after)).await,
        Some(Work::Power { target, timeout_s }) => {
            Box::pin(power::run(task, target, timeout_s)).await
        }
        Some(Work::BootMode { target }) => Box::pin(switch::boot_mode(task, &target)).await,
        Some(Work::SecureBoot { target }) => Box::pin(switch::secure_boot(task, target)).await,
        Some(Work::Console { enabled }) => Box::pin(switch::console(task, enabled)).await,
        Some(Work::AttachMedia { media }) => Box::pin(media::attach(task, &media)).await,
        Some(Work::DetachMedia { devices }) => {
            Box::pin(media::detach(task, devices.as_deref())).await
        }
        Some(Work::Vif { vif, is_attached }) => {
            Box::pin(crate::vif::go_on(task, &vif, is_attached)).await
        }
        Some(Work::BmcPassword) => Box::pin(crate::bmc_password::resume(task)).await,
        Some(Work::Exclusive) | None => {
            let story = task.story();
            task.end(story).await
        }
    }
}

/// Takes up the work of an incarnation that is gone.
async fn resume(task: &mut Task, origin: &Origin) -> Result<(), Stop> {
    let Some(work) = task.node.work.clone() else {
        return enter(task).await;
    };
    match on_restart(task, &work) {
        restart @ (OnRestart::Repeat | OnRestart::Reattach) => {
            let mut story = task.story();
            let text = match origin {
                Origin::TakeOver { from } => {
                    format!("going on with {} in place of {from}", work.describe())
                }
                _ => format!("going on with {} after a restart", work.describe()),
            };
            tracing::info!(node = %task.id(), "{text}");
            story.tell(
                &task.node,
                EventKind::Resumed,
                text,
                json!({"work": work.describe()}),
            );
            task.save(story).await?;
            if restart == OnRestart::Reattach {
                return inband::report::reattach(task).await;
            }
            enter(task).await
        }
        OnRestart::Fail(reason) | OnRestart::GoOn(reason) => {
            give_up(task, &work, reason, origin).await
        }
    }
}

fn on_restart(task: &Task, work: &Work) -> OnRestart {
    let of = |kind: InterfaceKind| task.hardware.interface(kind).on_restart();
    let steps = |kind: StepKind, phase: &Phase| match phase {
        Phase::Steps => steps::on_restart(task, kind),
        Phase::Prepare | Phase::Finish => of(InterfaceKind::Deploy),
    };
    match work {
        Work::Clean { phase } => steps(StepKind::Clean, phase),
        Work::Deploy { phase } => steps(StepKind::Deploy, phase),
        Work::Service { phase } => steps(StepKind::Service, phase),
        Work::Poll => {
            poll::kind(&task.node).map_or(OnRestart::Repeat, |kind| steps::on_restart(task, kind))
        }
        Work::Verify => verify::on_restart(task),
        Work::TearDown { .. } | Work::Adopt => of(InterfaceKind::Deploy),
        Work::Inspect => of(InterfaceKind::Inspect),
        Work::Rescue { .. } | Work::Unrescue => of(InterfaceKind::Rescue),
        Work::Power { target, .. } if target.is_idempotent() => OnRestart::Repeat,
        Work::Power { .. } => OnRestart::Fail("it cannot be told whether the machine rebooted"),
        Work::BootMode { .. }
        | Work::SecureBoot { .. }
        | Work::AttachMedia { .. }
        | Work::DetachMedia { .. } => of(InterfaceKind::Management),
        Work::ProcessInspection { .. }
        | Work::Report
        | Work::Console { .. }
        | Work::BootAgain
        | Work::CleanUp { .. }
        | Work::Vif { .. }
        | Work::BmcPassword
        | Work::Exclusive => OnRestart::Repeat,
    }
}

/// Ends work that cannot be taken up again, in a way that tells the operator why.
async fn give_up(task: &mut Task, work: &Work, reason: &str, origin: &Origin) -> Result<(), Stop> {
    let mut story = task.story();
    let taken_over = matches!(origin, Origin::TakeOver { .. });
    if task.node.needs_worker() || *work == Work::Poll {
        let (kind, text) = if taken_over {
            (
                "takeover",
                format!("Operation was aborted due to conductor take over: {reason}."),
            )
        } else {
            (
                "transition",
                format!(
                    "The {} state can't be resumed by conductor {}. Moving to fail state. Reason: {reason}.",
                    task.node.provision_state,
                    task.settings().host
                ),
            )
        };
        task.error(&mut story, kind, &text);
        if taken_over {
            keep_from_use(task, &text);
        }
        task.process(Verb::Fail, &mut story);
    } else if let Work::Power { target, .. } = work {
        let (kind, cause) = if taken_over {
            ("takeover", "take over")
        } else {
            ("conductor", "restart")
        };
        let text = format!(
            "Pending power operation ({target}) was aborted due to conductor {cause}: {reason}."
        );
        task.node.target_power_state = None;
        task.error(&mut story, kind, &text);
    }
    task.end(story).await
}

/// A clean step whose conductor died may have left the machine in any state: as in Ironic,
/// the node goes into maintenance until somebody looked.
fn keep_from_use(task: &mut Task, text: &str) {
    let cleaning = task.node.provision_state.is_cleaning();
    if cleaning && steps::current(&task.node, StepKind::Clean).is_some() {
        put_into_maintenance(task, NodeFault::Clean, text);
    }
}

/// The machine may be in any state: nothing is done with it until somebody looked.
pub(crate) fn put_into_maintenance(task: &mut Task, fault: NodeFault, text: &str) {
    let most = task.settings().log_in_db_max_size;
    task.node.maintenance = true;
    task.node.fault = Some(fault);
    task.node.maintenance_reason = Some(crate::record::truncated(text, most));
}

/// The last write of a flow whose steps failed: none of them is being carried out any more.
pub(crate) async fn end_failed(
    task: &mut Task,
    kind: StepKind,
    mut story: ChangeLog,
) -> Result<(), Stop> {
    steps::leave(&mut task.node, kind);
    task.process(Verb::Fail, &mut story);
    task.end(story).await
}

/// After a panic: the node must not stay in the hands of a worker that is no more.
pub(crate) async fn fail_lost(core: &Core, id: NodeId, generation: i64) {
    fail_row(
        core,
        id,
        generation,
        "Internal error in the conductor; see its log.",
    )
    .await;
}

/// Fails a node without its hardware, from what the row says.
pub(crate) async fn fail_row(core: &Core, id: NodeId, generation: i64, text: &str) {
    let Ok(mut node) = core.load(id).await else {
        return;
    };
    if node.lease_generation != generation || node.reservation.is_none() {
        return;
    }
    let mut story = ChangeLog::new(&Caller::service());
    story.error(&core.settings, &mut node, "UNKNOWN", text);
    node.target_power_state = None;
    let from = node.provision_state;
    if node.needs_worker() && node.process(Verb::Fail, Timestamp::now()).is_ok() {
        story.moved(&node, from, Verb::Fail);
    }
    let saved = store::node::save(&core.db, node, Fence::Release, story.into_log()).await;
    if let Err(error) = saved {
        let fault = lock::fault(error, id);
        tracing::error!(node = %id, %fault, "a node stays reserved until the next start");
    }
}

/// What went wrong with the hardware, for `last_error`.
pub(crate) fn reason(node: &Node, error: &DriverError) -> String {
    fault(node, error).to_string()
}

/// What went wrong with the hardware, for a client.
pub(crate) fn fault(node: &Node, error: &DriverError) -> Fault {
    match error {
        DriverError::Unsupported { what } => Fault::Unsupported {
            driver: node.driver.clone(),
            extension: (*what).to_owned(),
        },
        DriverError::InvalidParameter(text) => Fault::InvalidParameter(text.clone()),
        DriverError::Conflict(text) => Fault::Duplicate(text.clone()),
        unmanaged @ DriverError::UnmanagedInspection(_) => {
            Fault::InvalidParameter(unmanaged.to_string())
        }
        other => Fault::Hardware(types::error::chain(other)),
    }
}

/// A step failed: each kind of flow has its own way to end.
pub(crate) async fn step_failed(
    task: &mut Task,
    kind: StepKind,
    step: &Step,
    error: &DriverError,
) -> Result<(), Stop> {
    task.node.driver_internal_info.forget_step_poll();
    task.blame(error);
    let reason = reason(&task.node, error);
    let name = step.name();
    match kind {
        StepKind::Clean => {
            let text = format!("Node {} failed step {name}: {reason}", task.id());
            clean::failed(task, &text, Some(step)).await
        }
        StepKind::Service => {
            let text = format!("Node {} failed step {name}: {reason}", task.id());
            service::failed(task, &text, Some(step)).await
        }
        StepKind::Deploy | StepKind::Verify => {
            let text = format!("Deploy step {name} failed: {reason}.");
            deploy::failed(task, "deploying", &text, Some(step)).await
        }
    }
}

/// A user asked to abort while a step could not be aborted; now it is done.
pub(crate) async fn abort_between_steps(task: &mut Task, kind: StepKind) -> Result<(), Stop> {
    let from = task.node.provision_state;
    let done = steps::current(&task.node, kind);
    let step = done.map(|s| s.name()).unwrap_or_default();
    let operation = if kind == StepKind::Verify {
        "verify"
    } else {
        kind.as_str()
    };
    let text = format!(
        "By request, the {operation} operation was aborted during or after the completion of step \"{step}\""
    );
    let mut story = task.story();
    let most = task.settings().log_in_db_max_size;
    last_error::set(&mut task.node, crate::record::truncated(&text, most));
    task.process(Verb::Fail, &mut story);
    if kind == StepKind::Service {
        task.process(Verb::Abort, &mut story);
    }
    task.node.work = Some(Work::CleanUp { after: from });
    task.save(story).await?;
    clean_up::run(task, from).await
}

/// A flow's beginning and end in the history and in the log, where operators want it.
pub(crate) fn note_flow(task: &Task, story: &mut ChangeLog, kind: &str, text: String) {
    let settings = task.settings();
    if settings.log_step_flows {
        tracing::info!(node = %task.id(), "{}", types::mask::text(&text));
    }
    if settings.record_step_flows_in_history {
        story.note(settings, &task.node, kind, &text);
    }
}

/// The same for a flow that a step ended.
pub(crate) fn note_aborted_flow(task: &Task, story: &mut ChangeLog, kind: &str, text: &str) {
    let settings = task.settings();
    if settings.log_step_flows {
        tracing::warn!(node = %task.id(), "{}", types::mask::text(text));
    }
    if settings.record_step_flows_in_history {
        story.warn(settings, &task.node, kind, text);
    }
}

/// Switches a machine off whose work failed. That it stays on is no further failure.
pub(crate) async fn switch_off_failed(task: &mut Task) {
    if task.node.stays_on() {
        return;
    }
    if let Err(error) = power::act(task, PowerTarget::Off, None).await {
        let why = reason(&task.node, &error);
        tracing::warn!(node = %task.id(), error = why, "a machine stays on after a failure");
    }
}

/// The list of steps as messages show it.
pub(crate) fn shown(steps: &[Step]) -> String {
    let items: Vec<String> = steps
        .iter()
        .map(|s| types::pyrepr::repr(&s.to_json()))
        .collect();
    format!("[{}]", items.join(", "))
}
