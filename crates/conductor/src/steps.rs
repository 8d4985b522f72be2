//! Steps: collecting what drivers offer, checking what users ask for, and running the list.

mod children;
pub(crate) mod poll;

use crate::{
    flow, inband,
    settings::Settings,
    task::{Attempt, Stop, Task},
};
use drivers::{
    DriverError, Failure,
    iface::{Awaited, Findings, Hardware},
};
use inband::steps::Offer;
use serde_json::{Value, json};
use std::time::Duration;
use tracing::Instrument;
use types::{
    InterfaceKind, JsonMap, Node, PowerTarget, Verb, Work,
    event::EventKind,
    pyrepr,
    step::{OnRestart, Reserved, Step, StepKind, StepOutcome, StepSpec, UserStep, sort},
    work::Phase,
};

/// What became of a list of steps.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    /// Every step is done.
    All,
    /// The node waits, holds or failed; the lease is given back.
    Parked,
}

/// The step of this name that a node's hardware offers.
pub(crate) fn find(
    hardware: &Hardware,
    kind: StepKind,
    interface: InterfaceKind,
    step: &str,
) -> Option<&'static StepSpec> {
    let offered = hardware.interface(interface).steps();
    offered
        .iter()
        .find(|spec| spec.kind == kind && spec.step == step)
}

/// The steps that run without being asked for, in order; those of an agent among them.
pub(crate) fn automatic(
    hardware: &Hardware,
    settings: &Settings,
    kind: StepKind,
    offer: &Offer,
) -> Vec<Step> {
    let (overrides, disallowed): (&[(String, i64)], &[String]) = match kind {
        StepKind::Clean => (
            &settings.clean_step_priority_override,
            &settings.disallow_clean_steps,
        ),
        StepKind::Verify => (&settings.verify_step_priority_override, &[]),
        StepKind::Deploy => (&[], &settings.disallow_deploy_steps),
        StepKind::Service => (&[], &[]),
    };
    let mut steps = Vec::new();
    for &interface in InterfaceKind::ALL.iter().filter(|i| kind.scans(**i)) {
        for spec in hardware
            .interface(interface)
            .steps()
            .iter()
            .filter(|s| s.kind == kind)
        {
            let name = format!("{interface}.{}", spec.step);
            let given = overrides
                .iter()
                .find(|(step, _)| *step == name)
                .map(|(_, p)| *p);
            let priority = given.unwrap_or(spec.priority);
            if priority > 0 && !disallowed.contains(&name) {
                steps.push(Step::offered(interface, &StepSpec { priority, ..*spec }));
            }
        }
    }
    if let Offer::Known(inband) = offer {
        let wanted = inband.iter().filter(|step| {
            let name = step.name();
            step.priority > 0
                && !disallowed.contains(&name)
                && find(hardware, kind, step.interface, &step.step).is_none()
        });
        steps.extend(wanted.cloned());
    }
    sort(kind, &mut steps);
    steps
}

/// Checks a user's steps against what the hardware offers. The second part are the complaints.
///
/// Reserved steps and steps for child nodes are kept in their place: the conductor itself carries
/// them out.
pub(crate) fn check(
    hardware: &Hardware,
    kind: StepKind,
    asked: &[UserStep],
    disable_ramdisk: bool,
    offer: &Offer,
) -> (Vec<Step>, Vec<String>) {
    let (mut steps, mut complaints) = (Vec::new(), Vec::new());
    for user in asked {
        let spec = find(hardware, kind, user.interface, &user.step);
        let step = Step::asked(user, spec);
        if user.execute_on_child_nodes || step.reserved().is_some() {
            steps.push(step);
            continue;
        }
        let Some(spec) = spec else {
            let given = pyrepr::repr(&Value::Object(user.given.clone()));
            match offer {
                // Judged when the agent has told what it can do.
                Offer::Later if !disable_ramdisk => {
                    steps.push(step);
                    continue;
                }
                Offer::Known(inband) => {
                    let name = step.name();
                    if let Some(offered) = inband.iter().find(|known| known.name() == name) {
                        complaints.extend(inband::steps::complaints(kind, user, offered, &given));
                        steps.push(step.completed(offered));
                        continue;
                    }
                }
                Offer::Later | Offer::None => {}
            }
            complaints.push(format!("node does not support this {kind} step: {given}"));
            continue;
        };
        // Ironic completes the steps when it first looks at them, which it does not do
        // before it refuses one that needs a ramdisk.
        let shown = if disable_ramdisk {
            Value::Object(user.given.clone())
        } else {
            step.to_json()
        };
        let shown = pyrepr::repr(&shown);
        complaints.extend(argument_complaints(kind, &step, &shown, spec));
        if disable_ramdisk && spec.requires_ramdisk {
            complaints.push(format!("{kind} step {shown} requires booting a ramdisk"));
        }
        steps.push(step);
    }
    (steps, complaints)
}

/// Complaints about the arguments of a step; `shown` is how they quote it.
pub(crate) fn argument_complaints(
    kind: StepKind,
    step: &Step,
    shown: &str,
    spec: &StepSpec,
) -> Vec<String> {
    let mut complaints = Vec::new();
    let unknown: Vec<&str> = step
        .args
        .keys()
        .filter(|name| !spec.args.iter().any(|arg| arg.name == name.as_str()))
        .map(String::as_str)
        .collect();
    if !unknown.is_empty() {
        let names = unknown.join(", ");
        complaints.push(format!(
            "{kind} step {shown} has these unexpected arguments: {names}"
        ));
    }
    let missing: Vec<String> = spec
        .args
        .iter()
        .filter(|arg| arg.required && !step.args.contains_key(arg.name))
        .map(|arg| format!("{} ({})", arg.name, arg.description))
        .collect();
    // A deploy step of priority 0 is only there to switch the driver's own off.
    let counts = kind != StepKind::Deploy || step.priority > 0;
    if !missing.is_empty() && counts {
        let names = missing.join(", ");
        complaints.push(format!(
            "{kind} step {shown} is missing these required arguments: {names}"
        ));
    }
    complaints
}

/// Stores the list that a flow is going to run.
pub(crate) fn store_list(node: &mut Node, kind: StepKind, steps: &[Step]) {
    node.driver_internal_info.set_steps(kind, steps);
    set_current(node, kind, None);
}

/// The step that is running or waited for.
pub(crate) fn current(node: &Node, kind: StepKind) -> Option<Step> {
    Step::from_map(current_field(node, kind))
}

pub(crate) fn current_field(node: &Node, kind: StepKind) -> &JsonMap {
    match kind {
        StepKind::Clean => &node.clean_step,
        StepKind::Deploy => &node.deploy_step,
        StepKind::Service | StepKind::Verify => &node.service_step,
    }
}

pub(crate) fn set_current(node: &mut Node, kind: StepKind, step: Option<&Step>) {
    let map = step.map(Step::to_map).unwrap_or_default();
    match kind {
        StepKind::Clean => node.clean_step = map,
        StepKind::Deploy => node.deploy_step = map,
        StepKind::Service => node.service_step = map,
        StepKind::Verify => {}
    }
}

/// Forgets the list, the current step and everything that belongs to them.
pub(crate) fn forget(node: &mut Node, kind: StepKind) {
    node.driver_internal_info.forget_steps(kind);
    set_current(node, kind, None);
}

/// The flow ends without its end: the list stays for whoever looks, but nothing of it runs.
pub(crate) fn leave(node: &mut Node, kind: StepKind) {
    node.driver_internal_info.forget_step_index(kind);
    set_current(node, kind, None);
}

/// The work record of a flow with steps.
pub(crate) fn work(kind: StepKind, phase: Phase) -> Work {
    match kind {
        StepKind::Clean => Work::Clean { phase },
        StepKind::Deploy => Work::Deploy { phase },
        StepKind::Service => Work::Service { phase },
        StepKind::Verify => Work::Verify,
    }
}

/// What an interruption of the current step means.
pub(crate) fn on_restart(task: &Task, kind: StepKind) -> OnRestart {
    // A list without a current step stopped between two steps: nothing was under way.
    let Some(step) = current(&task.node, kind) else {
        return OnRestart::Repeat;
    };
    match step.reserved() {
        Some(Reserved::Reboot) => OnRestart::Fail("it cannot be told whether the machine rebooted"),
        // Switching a child on or off that is so already does nothing.
        Some(_) => OnRestart::Repeat,
        None if step.execute_on_child_nodes => {
            OnRestart::Fail("it cannot be told which child nodes were done")
        }
        None => match find(&task.hardware, kind, step.interface, &step.step) {
            Some(spec) => {
                let state = task.node.driver_internal_info.step_state();
                spec.on_restart.with_state(state.is_some())
            }
            None if inband::steps::is_agents(&task.node, &task.hardware, kind, &step) => {
                OnRestart::Reattach
            }
            None => OnRestart::Fail("the driver no longer offers this step"),
        },
    }
}

/// Moves past a step that was waited for. A driver that wants it run again left a flag.
pub(crate) fn advance(node: &mut Node, kind: StepKind) {
    let again = node.driver_internal_info.take_step_repeat(kind);
    if !again && !current_field(node, kind).is_empty() {
        let next = index(node, kind) + 1;
        node.driver_internal_info.set_step_index(kind, next);
    }
    set_current(node, kind, None);
}

/// Moves past a step that ended while the node waited.
pub(crate) fn done(node: &mut Node, kind: StepKind) {
    let next = index(node, kind) + 1;
    set_index(node, kind, next);
}

/// Where the stored list has this step.
pub(crate) fn index_of(node: &Node, kind: StepKind, name: &str) -> Option<usize> {
    position(&node.driver_internal_info.steps(kind), name)
}

fn position(steps: &[Step], name: &str) -> Option<usize> {
    steps.iter().position(|step| step.name() == name)
}

/// Has the list go on from there.
pub(crate) fn set_index(node: &mut Node, kind: StepKind, index: usize) {
    node.driver_internal_info.set_step_index(kind, index);
    set_current(node, kind, None);
}

fn index(node: &Node, kind: StepKind) -> usize {
    node.driver_internal_info.step_index(kind).unwrap_or(0)
}

/// Runs the stored list from the stored index on.
pub(crate) async fn run(task: &mut Task, kind: StepKind) -> Result<Ran, Stop> {
    // Boxed: it is the largest part of three flows.
    Box::pin(run_each(task, kind)).await
}

async fn run_each(task: &mut Task, kind: StepKind) -> Result<Ran, Stop> {
    let mut steps = task.node.driver_internal_info.steps(kind);
    let mut index = index(&task.node, kind);
    // A step that was under way when its worker stopped goes on from what it left.
    let mut goes_on = current(&task.node, kind).is_some();
    while let Some(step) = steps.get(index) {
        task.node.work = Some(work(kind, Phase::Steps));
        task.node.driver_internal_info.set_step_index(kind, index);
        if let Err(stop) = task.check_shutdown() {
            // Between two steps: whoever resumes starts this one.
            set_current(&mut task.node, kind, None);
            let story = task.story();
            task.save(story).await?;
            return Err(stop);
        }
        if !std::mem::take(&mut goes_on) {
            task.node.driver_internal_info.forget_step_poll();
        }
        set_current(&mut task.node, kind, Some(step));
        let mut story = task.story();
        let text = format!(
            "{kind} step {} ({} of {})",
            step.name(),
            index + 1,
            steps.len()
        );
        let data = json!({"kind": kind, "step": step.name(), "index": index, "of": steps.len()});
        story.tell(&task.node, EventKind::Step, text, data);
        task.save(story).await?;
        let span = tracing::debug_span!(
            target: "spans", "step", otel.name = step.name(), node = %task.id(), kind = %kind,
        );
        // Boxed, or the span around it would hold it twice.
        let end = Box::pin(poll::carry_on(task, step))
            .instrument(span)
            .await?;
        let is_relisted = matches!(end, Ok(StepResult::Relisted));
        match end {
            Ok(StepResult::Done | StepResult::Relisted) => {
                task.node.driver_internal_info.forget_step_poll();
            }
            Ok(StepResult::Again(again)) => return poll::park(task, kind, again).await,
            Ok(StepResult::Wait(awaited)) => return park(task, kind, Verb::Wait, awaited).await,
            Ok(StepResult::Hold) => {
                let hold = Awaited::Other("held on request".into());
                return park(task, kind, Verb::Hold, hold).await;
            }
            Err(error) => {
                flow::step_failed(task, kind, step, &error).await?;
                return Ok(Ran::Parked);
            }
        }
        if current(&task.node, kind).is_some_and(|s| s.abort_after) {
            flow::abort_between_steps(task, kind).await?;
            return Ok(Ran::Parked);
        }
        if is_relisted {
            let name = step.name();
            steps = task.node.driver_internal_info.steps(kind);
            index = position(&steps, &name).map_or(index, |at| at.max(index));
        }
        index += 1;
    }
    Ok(Ran::All)
}

/// Leaves the node to whoever reports or releases it next.
pub(crate) async fn park(
    task: &mut Task,
    kind: StepKind,
    event: Verb,
    awaited: Awaited,
) -> Result<Ran, Stop> {
    let mut story = task.story();
    task.process(event, &mut story);
    story.waits(&task.node, kind.as_str(), &awaited);
    task.end(story).await?;
    Ok(Ran::Parked)
}

/// What a step that did not fail came to.
pub(crate) enum StepResult {
    Done,
    /// Done, and the flow has another list by now: the agent told what else there is to do.
    Relisted,
    Again(poll::Again),
    Wait(Awaited),
    Hold,
}

async fn carry_out(task: &mut Task, step: &Step) -> Attempt<StepResult> {
    if step.execute_on_child_nodes {
        let done = children::run(task, step).await?;
        return Ok(done.map(|()| StepResult::Done));
    }
    carry_out_here(task, step).await
}

async fn carry_out_here(task: &mut Task, step: &Step) -> Attempt<StepResult> {
    let target = match step.reserved() {
        Some(Reserved::PowerOn) => Some(PowerTarget::On),
        Some(Reserved::PowerOff) => Some(PowerTarget::Off),
        Some(Reserved::Reboot) => Some(PowerTarget::Reboot),
        Some(Reserved::Hold) => return Ok(Ok(StepResult::Hold)),
        Some(Reserved::Wait) => return wait_step(task, step).await.map(Ok),
        None => None,
    };
    if let Some(target) = target {
        return Ok(flow::power::act(task, target, None)
            .await
            .map(|()| StepResult::Done));
    }
    match inband::carry_out(task, step).await? {
        Ok(None) => {}
        Ok(Some(result)) => return Ok(Ok(result)),
        Err(error) => return Ok(Err(error)),
    }
    let hardware = task.hardware.clone();
    // The row holds the secrets among the arguments sealed.
    let mut opened = step.clone();
    match task.core.opened_args(&step.args, &task.id().to_string()) {
        Ok(args) => opened.args = args,
        Err(fault) => {
            return Ok(Err(DriverError::Environment(Failure::new(
                fault.to_string(),
            ))));
        }
    }
    if let Err(error) = task.open_step_state() {
        return Ok(Err(error));
    }
    let (outcome, mut found) = match task.hands() {
        Ok((lease, mut machine)) => {
            let interface = hardware.interface(step.interface);
            let outcome = interface.run_step(lease, &mut machine, &opened).await;
            (outcome, std::mem::take(&mut machine.found))
        }
        Err(error) => (Err(error), Findings::default()),
    };
    task.warn(std::mem::take(&mut found.warnings));
    let vifs = std::mem::take(&mut found.vifs);
    if let Err(error) = crate::flow::networks::keep_vifs(task, vifs).await {
        return Ok(Err(error));
    }
    if outcome.is_ok()
        && let Err(error) = task.keep(found).await?
    {
        return Ok(Err(error));
    }
    Ok(outcome.map(|outcome| match outcome {
        StepOutcome::Done => StepResult::Done,
        StepOutcome::Wait { reason } => StepResult::Wait(Awaited::Other(reason)),
        StepOutcome::Again {
            reason,
            after,
            reboot,
        } => StepResult::Again(poll::Again {
            reason,
            after,
            reboot,
        }),
    }))
}

/// With a number of seconds the conductor itself waits; without one the next report goes on.
async fn wait_step(task: &Task, step: &Step) -> Result<StepResult, Stop> {
    let seconds = step.args.get("seconds").and_then(|value| match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    });
    let Some(seconds) = seconds else {
        let heartbeat = "the agent's next heartbeat".into();
        return Ok(StepResult::Wait(Awaited::Other(heartbeat)));
    };
    let seconds = seconds.min(task.settings().max_conductor_wait_step_seconds);
    let pause = tokio::time::sleep(Duration::from_secs(seconds));
    match task.core.stop.run_until_cancelled(pause).await {
        Some(()) => Ok(StepResult::Done),
        None => Err(Stop::Shutdown),
    }
}
