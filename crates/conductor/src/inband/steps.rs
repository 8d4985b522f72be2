//! The steps that agents bring: asking for them, putting them among the drivers' own, running them.
//!
//! What an agent offers depends on its hardware managers and is only known once it runs, so it is
//! kept with the node as long as the operation lasts. Of an agent's steps those count whose
//! interface the node leaves to agents: deployment, and RAID where it says so.

use super::{agent, ansible, failed, iscsi, told};
use crate::{settings::Settings, steps::StepResult, task::Task};
use drivers::{
    DriverError, Failure,
    agent::{AgentError, Command, CommandStatus, Inserted},
    iface::{Awaited, Hardware},
};
use serde_json::{Value, json};
use types::{
    InterfaceKind, JsonMap, Node, ProvisionState as S, Timestamp, pyrepr,
    step::{Step, StepKind, UserStep},
};

/// The part of an agent's answer that names the versions of its hardware managers.
const VERSION: &str = "hardware_manager_version";

/// The flow that a node is in.
pub(crate) fn kind_of(node: &Node) -> StepKind {
    match node.provision_state {
        S::Cleaning | S::CleanWait | S::CleanHold => StepKind::Clean,
        S::Servicing | S::ServiceWait | S::ServiceHold => StepKind::Service,
        _ => StepKind::Deploy,
    }
}

/// What is known of a node's in-band steps.
#[derive(Debug)]
pub(crate) enum Offer {
    /// No agent will come.
    None,
    /// An agent will come and tell.
    Later,
    Known(Vec<Step>),
}

/// What is known of the in-band steps for this flow.
pub(crate) fn offer(
    node: &Node,
    hardware: &Hardware,
    settings: &Settings,
    kind: StepKind,
) -> Offer {
    if !hardware.deploy.by().has_agent(kind) {
        return Offer::None;
    }
    let Some(offered) = node.driver_internal_info.agent_steps(kind) else {
        return Offer::Later;
    };
    let steps = offered
        .into_iter()
        .filter(|step| is_left_to_agents(hardware, step.interface))
        .map(|step| with_priority(step, settings, kind));
    Offer::Known(steps.collect())
}

fn is_left_to_agents(hardware: &Hardware, interface: InterfaceKind) -> bool {
    match interface {
        InterfaceKind::Deploy => true,
        InterfaceKind::Raid => hardware.raid.name() == "agent",
        _ => false,
    }
}

/// Operators may give the agent's clean steps another priority.
fn with_priority(mut step: Step, settings: &Settings, kind: StepKind) -> Step {
    if kind == StepKind::Clean {
        let name = step.name();
        let given = settings.ramdisk.clean_priorities.iter();
        if let Some((_, priority)) = given.into_iter().find(|(known, _)| *known == name) {
            step.set_priority(*priority);
        }
    }
    step
}

/// Whether the agent carries out this step.
///
/// Agents also offer steps of interfaces whose work the BMC does on this node, as software RAID
/// beside a RAID controller. Those are not theirs to do.
pub(crate) fn is_agents(node: &Node, hardware: &Hardware, kind: StepKind, step: &Step) -> bool {
    let info = &node.driver_internal_info;
    is_left_to_agents(hardware, step.interface)
        && info.has_agent_step(kind, step.interface, &step.step)
}

/// Complaints about a user's step that only an agent can carry out.
pub(crate) fn complaints(
    kind: StepKind,
    user: &UserStep,
    offered: &Step,
    shown: &str,
) -> Vec<String> {
    let mut complaints = Vec::new();
    let about = offered.to_map();
    let arguments = about.get("argsinfo").and_then(Value::as_object);
    let known = |name: &str| arguments.is_some_and(|all| all.contains_key(name));
    let unknown: Vec<&str> = user
        .args
        .keys()
        .map(String::as_str)
        .filter(|name| !known(name))
        .collect();
    if !unknown.is_empty() {
        complaints.push(format!(
            "{kind} step {shown} has these unexpected arguments: {}",
            unknown.join(", ")
        ));
    }
    let required = arguments.into_iter().flatten().filter(|(name, about)| {
        about.get("required").is_some_and(pyrepr::truth) && !user.args.contains_key(name.as_str())
    });
    let missing: Vec<String> = required
        .map(|(name, about)| {
            let text = about.get("description").map(pyrepr::to_str);
            format!("{name} ({})", text.unwrap_or_default())
        })
        .collect();
    if !missing.is_empty() {
        complaints.push(format!(
            "{kind} step {shown} is missing these required arguments: {}",
            missing.join(", ")
        ));
    }
    complaints
}

/// Asks the agent what it can do, and keeps the answer with the node.
pub(super) async fn refresh(task: &mut Task, kind: StepKind) -> Result<(), AgentError> {
    if ansible::is_writer(task) {
        return ansible::refresh(task, kind).await;
    }
    let name = format!("{kind}.get_{kind}_steps");
    let answer = {
        let agent = agent(task).await?;
        agent.command(&name, told::subject(task), true).await
    };
    let answer = match answer {
        // Agents of the time of that interface know no such steps.
        Err(AgentError::Refused { status: 404, .. })
            if kind == StepKind::Deploy && iscsi::is_writer(task) =>
        {
            let info = &mut task.node.driver_internal_info;
            info.set_agent_steps(kind, JsonMap::new(), Timestamp::now());
            return Ok(());
        }
        other => other?,
    };
    let nonsense = |reason: &str| AgentError::Nonsense {
        command: name.clone(),
        reason: reason.to_owned(),
    };
    if answer.status == CommandStatus::Failed {
        return Err(nonsense(&answer.complaint()));
    }
    let managers = answer
        .result
        .get(format!("{kind}_steps"))
        .and_then(Value::as_object)
        .ok_or_else(|| nonsense("it has no steps"))?;
    let mut by_interface = JsonMap::new();
    for step in managers.values().filter_map(Value::as_array).flatten() {
        let interface = step.get("interface").and_then(Value::as_str);
        let interface = interface.ok_or_else(|| nonsense("a step has no interface"))?;
        let list = by_interface
            .entry(interface.to_owned())
            .or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(step.clone());
        }
    }
    let version = answer.result.get(VERSION).cloned().unwrap_or_default();
    let info = &mut task.node.driver_internal_info;
    info.set_hardware_manager_version(version);
    info.set_agent_steps(kind, by_interface, Timestamp::now());
    Ok(())
}

/// Has the agent carry out one of its steps.
pub(super) async fn execute(
    task: &Task,
    kind: StepKind,
    step: &Step,
) -> Result<StepResult, DriverError> {
    let mut told = step.to_map();
    // The row holds secrets among the arguments sealed; the agent needs them as they are.
    let args = task.core.opened_args(&step.args, &task.id().to_string());
    let args = args.map_err(|fault| DriverError::Environment(Failure::new(fault.to_string())))?;
    told.insert("args".into(), Value::Object(args));
    if kind == StepKind::Clean {
        told.insert("requires_ramdisk".into(), true.into());
    }
    send(task, kind, told).await
}

/// Sends a step to the agent; how it ended is found out when the agent reports.
pub(super) async fn send(
    task: &Task,
    kind: StepKind,
    step: JsonMap,
) -> Result<StepResult, DriverError> {
    send_with(task, kind, step, None).await
}

/// As [`send`], with a large text among the arguments of the step.
pub(super) async fn send_with(
    task: &Task,
    kind: StepKind,
    step: JsonMap,
    inserted: Option<Inserted>,
) -> Result<StepResult, DriverError> {
    let name = step.get("step").map(pyrepr::to_str).unwrap_or_default();
    let wait = || StepResult::Wait(Awaited::Other(working_on(&name)));
    let version = task.node.driver_internal_info.hardware_manager_version();
    let mut params = told::subject(task);
    params.insert("step".into(), Value::Object(step));
    params.insert(
        format!("{kind}_version"),
        version.cloned().unwrap_or_default(),
    );
    let command = format!("{kind}.execute_{kind}_step");
    let started = match agent(task).await {
        Ok(agent) => agent.command_with(&command, params, inserted).await,
        Err(error) => Err(error),
    };
    match started {
        Ok(_) => Ok(wait()),
        // It is at it already.
        Err(AgentError::Busy(_)) => Ok(wait()),
        Err(error) => Err(failed(&error)),
    }
}

/// What a flow waits for while an agent works.
pub(crate) fn working_on(step: &str) -> String {
    format!("agent command {step}")
}

/// What the agent says about the step that the node waits for.
#[derive(Debug)]
pub(super) enum Progress {
    /// It has not been told of it.
    Untold,
    Running,
    Done(Command),
    Failed(String),
    /// Its hardware managers are not those that the steps were asked of.
    Changed,
}

/// Asks the agent about the step that the node waits for.
pub(super) async fn progress(
    task: &Task,
    kind: StepKind,
    step: &Step,
) -> Result<Progress, AgentError> {
    let commands = agent(task).await?.commands().await?;
    let get = format!("get_{kind}_steps");
    let execute = format!("execute_{kind}_step");
    if commands.iter().all(|command| command.name == get) {
        return Ok(Progress::Untold);
    }
    // Steps of ours may have told it other things since.
    let Some(last) = commands.into_iter().rev().find(|c| c.name == execute) else {
        return Ok(Progress::Untold);
    };
    let key = format!("{kind}_step");
    let same = |command: &Command| {
        let told = command.result.get(&key);
        let part = |name: &str| told.and_then(|t| t.get(name)?.as_str());
        part("interface") == Some(step.interface.as_str()) && part("step") == Some(&step.step)
    };
    Ok(match last.status {
        CommandStatus::Running => Progress::Running,
        CommandStatus::Failed => Progress::Failed(last.complaint()),
        CommandStatus::VersionMismatch => Progress::Changed,
        CommandStatus::Succeeded if same(&last) => Progress::Done(last),
        CommandStatus::Succeeded => Progress::Untold,
    })
}

/// Leaves word for the agent how disks are to be erased.
pub(super) fn note_erasure(task: &mut Task) {
    let erasure = task.settings().ramdisk.erasure;
    task.node.driver_internal_info.set_erasure(&erasure);
}
