//! Cleaning: automated on the way to `available`, or by hand from `manageable`.

use super::{note_flow, reason, shown};
use crate::{
    steps::{self, Ran},
    task::{Stop, Task},
};
use drivers::iface::Readiness;
use serde_json::Value;
use types::{
    Node, Verb, Work,
    node::NodeFault,
    step::{Step, StepKind, UserStep},
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
    task.node
        .automated_clean
        .unwrap_or(task.settings().automated_clean)
}

/// Gets the machine ready and the list of steps together. False when the node is out of our hands.
async fn prepare(task: &mut Task) -> Result<bool, Stop> {
    let manual = task.node.is_manual_clean();
    if !manual && !is_wanted(task) {
        let mut story = task.story();
        task.process(end_event(&task.node), &mut story);
        task.end(story).await?;
        return Ok(false);
    }
    let hardware = task.hardware.clone();
    let validated = match hardware.power.validate(&task.machine()).await {
        Ok(()) => hardware.network.validate(&task.machine()).await,
        refused => refused,
    };
    if let Err(error) = validated {
        let why = reason(&task.node, &error);
        let text = format!(
            "Failed to validate power driver interface. Can not clean node {}. Error: {why}",
            task.id()
        );
        failed(task, &text, None).await?;
        return Ok(false);
    }
    let no_ramdisk = task
        .node
        .driver_internal_info
        .get("cleaning_disable_ramdisk")
        == Some(&Value::Bool(true));
    let list = if manual {
        let asked = asked_steps(&task.node);
        let (list, complaints) = steps::check(&hardware, KIND, &asked, no_ramdisk);
        if !complaints.is_empty() {
            let text = format!("Cannot clean node {}: {}", task.id(), complaints.join("; "));
            failed(task, &text, None).await?;
            return Ok(false);
        }
        list
    } else {
        steps::automatic(&hardware, task.settings(), KIND)
    };
    steps::store_list(&mut task.node, KIND, &list);
    if !no_ramdisk {
        let ready = match task.hands() {
            Ok((lease, mut machine)) => hardware.deploy.prepare_cleaning(lease, &mut machine).await,
            Err(error) => Err(error),
        };
        match ready {
            Ok(Readiness::Ready) => {}
            Ok(Readiness::Wait { reason }) => {
                steps::park(task, KIND, Verb::Wait, &reason).await?;
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

/// The steps as the user wrote them, from the row.
fn asked_steps(node: &Node) -> Vec<UserStep> {
    let stored = node
        .driver_internal_info
        .get(KIND.list_key())
        .and_then(Value::as_array);
    stored
        .into_iter()
        .flatten()
        .filter_map(|value| {
            let mut step: UserStep = serde_json::from_value(value.clone()).ok()?;
            step.given = value.as_object()?.clone();
            Some(step)
        })
        .collect()
}

/// A retired node does not become available again.
fn end_event(node: &Node) -> Verb {
    if node.is_manual_clean() || node.retired {
        Verb::Manage
    } else {
        Verb::Done
    }
}

async fn finish(task: &mut Task) -> Result<(), Stop> {
    let hardware = task.hardware.clone();
    let torn_down = match task.hands() {
        Ok((lease, mut machine)) => {
            hardware
                .deploy
                .tear_down_cleaning(lease, &mut machine)
                .await
        }
        Err(error) => Err(error),
    };
    if let Err(error) = torn_down {
        let why = reason(&task.node, &error);
        let text = format!(
            "Failed to tear down from cleaning for node {}, reason: {why}",
            task.id()
        );
        return failed(task, &text, None).await;
    }
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
    let settings = task.core.settings.clone();
    let mut story = task.story();
    if let Some(step) = step {
        let list = shown(&steps::list(&task.node, KIND));
        let (kind, name) = if task.node.is_manual_clean() {
            ("manual_cleaning_end", "Manual Cleaning")
        } else {
            ("automated_cleaning_end", "Automated Cleaning")
        };
        if settings.record_step_flows_in_history {
            let ended = format!("{name} aborted at step '{}' with steps={list}", step.step);
            story.warn(&settings, &task.node, kind, &ended);
        }
        task.node.maintenance = true;
        task.node.fault = Some(NodeFault::Clean);
        task.node.maintenance_reason =
            Some(crate::record::truncated(text, settings.log_in_db_max_size));
    }
    story.error(&settings, &mut task.node, "cleaning", text);
    let hardware = task.hardware.clone();
    if step.is_some()
        && let Ok((lease, mut machine)) = task.hands()
        && let Err(error) = hardware
            .deploy
            .tear_down_cleaning(lease, &mut machine)
            .await
    {
        let why = reason(&task.node, &error);
        tracing::warn!(node = %task.id(), error = why, "cleaning could not be torn down");
    }
    steps::set_current(&mut task.node, KIND, None);
    task.node.driver_internal_info.remove(KIND.index_key());
    task.process(Verb::Fail, &mut story);
    task.end(story).await
}
