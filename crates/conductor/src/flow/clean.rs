//! Cleaning: automated on the way to `available`, or by hand from `manageable`.

use super::{
    end_failed, note_aborted_flow, note_flow, put_into_maintenance, reason, shown,
    switch_off_failed,
};
use crate::{
    Settings,
    inband::{self, logs::Moment, steps::Offer},
    steps::{self, Ran},
    task::{Stop, Task},
};
use drivers::iface::{NetworkPurpose, Readiness};
use types::{
    Fault, Node, Verb, Work,
    node::NodeFault,
    step::{Step, StepKind},
    work::Phase,
};

const KIND: StepKind = StepKind::Clean;

pub(crate) async fn run(task: &mut Task, phase: Phase) -> Result<(), Stop> {
    if phase == Phase::Prepare && !prepare(task).await? {
        return Ok(());
    }
    if phase != Phase::Finish && steps::run(task, KIND).await? == Ran::Parked {
        return Ok(());
    }
    finish(task).await
}

/// Whether automated cleaning applies to a node.
pub(crate) fn is_wanted(task: &Task) -> bool {
    applies(&task.node, task.settings())
}

/// The same, for a node that no task has.
pub(crate) fn applies(node: &Node, settings: &Settings) -> bool {
    node.automated_clean.unwrap_or(settings.automated_clean)
}

/// Gets the machine ready and the list of steps together. False when the node is out of our hands.
async fn prepare(task: &mut Task) -> Result<bool, Stop> {
    let manual = task.node.is_manual_clean();
    if !manual && !is_wanted(task) {
        // Also a retired node goes on to `available` here: nothing was cleaned.
        let mut story = task.story();
        task.process(Verb::Done, &mut story);
        task.end(story).await?;
        return Ok(false);
    }
    if !manual && let Err(fault) = declare(task).await {
        failed(task, &fault.to_string(), None).await?;
        return Ok(false);
    }
    let mut no_ramdisk = task.node.driver_internal_info.cleans_without_ramdisk();
    let hardware = task.hardware.clone();
    let validated = match hardware.power.validate(&task.machine()).await {
        Ok(()) if no_ramdisk => Ok(()),
        Ok(()) => hardware.network.validate(&task.machine()).await,
        refused => refused,
    };
    if let Err(error) = validated {
        let why = reason(&task.node, &error);
        let text = format!(
            "Validation of node {} for cleaning failed: {why}",
            task.id()
        );
        failed(task, &text, None).await?;
        return Ok(false);
    }
    task.refresh().await?;
    let list = match task.node.driver_internal_info.requested_clean_steps() {
        Some(asked) => {
            let offer = offer(task);
            let (mut list, complaints) = steps::check(&hardware, KIND, &asked, no_ramdisk, &offer);
            if !complaints.is_empty() {
                let text = format!("Cannot clean node {}: {}", task.id(), complaints.join("; "));
                failed(task, &text, None).await?;
                return Ok(false);
            }
            list.retain(|s| !task.settings().disallow_clean_steps.contains(&s.name()));
            if !list.is_empty() && list.iter().all(|step| !step.requires_ramdisk) {
                no_ramdisk = true;
                task.node.driver_internal_info.clean_without_ramdisk();
            }
            list
        }
        None => steps::automatic(&hardware, task.settings(), KIND, &offer(task)),
    };
    steps::store_list(&mut task.node, KIND, &list);
    if !no_ramdisk {
        match inband::ready(task, NetworkPurpose::Cleaning).await {
            Ok(Readiness::Ready) => {
                // The agent was there already and has told what it can do.
                if let Err(text) = relist(task).await {
                    failed(task, &text, None).await?;
                    return Ok(false);
                }
            }
            Ok(Readiness::Wait(awaited)) => {
                steps::park(task, KIND, Verb::Wait, awaited).await?;
                return Ok(false);
            }
            Err(error) => {
                let why = reason(&task.node, &error);
                let text = format!("Failed to prepare node {} for cleaning: {why}", task.id());
                failed(task, &text, None).await?;
                return Ok(false);
            }
        }
    }
    let list = task.node.driver_internal_info.steps(KIND);
    let mut story = task.story();
    let (kind, text) = if manual {
        (
            "manual_cleaning_start",
            format!("Starting manual cleaning with steps={}", shown(&list)),
        )
    } else {
        (
            "automated_cleaning_start",
            format!("Starting automated cleaning with steps={}", shown(&list)),
        )
    };
    note_flow(task, &mut story, kind, text);
    task.node.work = Some(Work::Clean {
        phase: Phase::Steps,
    });
    task.save(story).await?;
    Ok(true)
}

fn offer(task: &Task) -> Offer {
    inband::steps::offer(&task.node, &task.hardware, task.settings(), KIND)
}

/// Makes the list anew, now that the agent has told what it can do.
pub(crate) async fn relist(task: &mut Task) -> Result<(), String> {
    let hardware = task.hardware.clone();
    let offer = offer(task);
    let info = &task.node.driver_internal_info;
    let is_asked_for = task.node.is_manual_clean() || info.is_declarative_cleaning();
    let asked = info.requested_clean_steps().filter(|_| is_asked_for);
    let list = match asked {
        Some(asked) => {
            let (mut list, complaints) = steps::check(&hardware, KIND, &asked, false, &offer);
            if !complaints.is_empty() {
                return Err(format!(
                    "Cannot clean node {}: {}",
                    task.id(),
                    complaints.join("; ")
                ));
            }
            list.retain(|s| !task.settings().disallow_clean_steps.contains(&s.name()));
            list
        }
        None => steps::automatic(&hardware, task.settings(), KIND, &offer),
    };
    steps::store_list(&mut task.node, KIND, &list);
    Ok(())
}

/// Puts the steps of automated cleaning into the row where a runbook says which, and forgets those
/// of an earlier cleaning where none does.
async fn declare(task: &mut Task) -> Result<(), Fault> {
    let declared = task.core.cleaning_runbook(&task.node).await?;
    steps::forget(&mut task.node, KIND);
    if let Some(declared) = declared.filter(|declared| !declared.steps.is_empty()) {
        let info = &mut task.node.driver_internal_info;
        info.request_clean_steps(declared.steps, declared.disable_ramdisk);
    }
    Ok(())
}

/// A retired node does not become available again.
fn end_event(node: &Node) -> Verb {
    if node.is_manual_clean() || node.is_retired() {
        Verb::Manage
    } else {
        Verb::Done
    }
}

async fn finish(task: &mut Task) -> Result<(), Stop> {
    inband::logs::collect(task, Moment::End, Some("cleaning")).await;
    if let Err(error) = inband::put_away(task, NetworkPurpose::Cleaning).await {
        let why = reason(&task.node, &error);
        let text = format!(
            "Failed to tear down from cleaning for node {}, reason: {why}",
            task.id()
        );
        return failed(task, &text, None).await;
    }
    task.refresh().await?;
    let manual = task.node.is_manual_clean();
    steps::forget(&mut task.node, KIND);
    let mut story = task.story();
    let (kind, text) = if manual {
        (
            "manual_cleaning_end",
            "Manual Cleaning completed successfully with steps=[]",
        )
    } else {
        (
            "automated_cleaning_end",
            "Automated Cleaning completed successfully with steps=[]",
        )
    };
    note_flow(task, &mut story, kind, text.into());
    task.process(end_event(&task.node), &mut story);
    task.end(story).await
}

/// Cleaning failed. A step that was running may have left the machine in any state, so the node
/// goes into maintenance until somebody looked.
pub(crate) async fn failed(task: &mut Task, text: &str, step: Option<&Step>) -> Result<(), Stop> {
    let mut story = task.story();
    if let Some(step) = step {
        let list = shown(&task.node.driver_internal_info.steps(KIND));
        let (kind, name) = if task.node.is_manual_clean() {
            ("manual_cleaning_end", "Manual Cleaning")
        } else {
            ("automated_cleaning_end", "Automated Cleaning")
        };
        let ended = format!("{name} aborted at step '{}' with steps={list}", step.step);
        note_aborted_flow(task, &mut story, kind, &ended);
        put_into_maintenance(task, NodeFault::Clean, text);
    }
    task.error(&mut story, "cleaning", text);
    inband::logs::collect(task, Moment::Failure, Some("cleaning")).await;
    if step.is_some()
        && let Err(error) = inband::put_away(task, NetworkPurpose::Cleaning).await
    {
        let why = reason(&task.node, &error);
        tracing::warn!(node = %task.id(), error = why, "cleaning could not be torn down");
    }
    if task.settings().poweroff_in_cleanfail {
        switch_off_failed(task).await;
    }
    end_failed(task, KIND, story).await
}
