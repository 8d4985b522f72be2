//! Servicing: steps on a machine that is in use.

use super::{
    end_failed, note_aborted_flow, note_flow, put_into_maintenance, reason, shown,
    switch_off_failed,
};
use crate::{
    inband::{self, logs::Moment, steps::Offer},
    steps::{self, Ran},
    task::{Stop, Task},
};
use drivers::iface::{NetworkPurpose, Readiness};
use types::{
    Verb, Work,
    node::NodeFault,
    step::{Step, StepKind},
    work::Phase,
};

const KIND: StepKind = StepKind::Service;

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
    task.refresh().await?;
    let hardware = task.hardware.clone();
    // The list as the user gave it, completed by what the driver says of each step. A step that
    // the driver does not know stays in: it fails when its turn comes.
    let list: Vec<Step> = task
        .node
        .driver_internal_info
        .steps(KIND)
        .into_iter()
        .map(|mut step| {
            if let Some(spec) = steps::find(&hardware, KIND, step.interface, &step.step) {
                step.requires_ramdisk = spec.requires_ramdisk;
            }
            step
        })
        .collect();
    let needs_ramdisk = list
        .iter()
        .any(|s| s.reserved().is_none() && s.requires_ramdisk);
    let disabled = task.node.driver_internal_info.services_without_ramdisk();
    if needs_ramdisk && !disabled {
        match inband::ready(task, NetworkPurpose::Servicing).await {
            Ok(Readiness::Ready) => {}
            Ok(Readiness::Wait(awaited)) => {
                steps::park(task, KIND, Verb::Wait, awaited).await?;
                return Ok(false);
            }
            Err(error) => {
                let why = reason(&task.node, &error);
                let text = format!("Failed to prepare node {} for service: {why}", task.id());
                failed(task, &text, None).await?;
                return Ok(false);
            }
        }
    }
    let mut story = task.story();
    let text = format!("Starting servicing with steps={}", shown(&list));
    note_flow(task, &mut story, "servicing_start", text);
    task.node.work = Some(Work::Service {
        phase: Phase::Steps,
    });
    task.save(story).await?;
    Ok(true)
}

/// Judges the list anew, now that the agent has told what it can do.
pub(crate) fn relist(task: &mut Task) -> Result<(), String> {
    let offer = inband::steps::offer(&task.node, &task.hardware, task.settings(), KIND);
    let Offer::Known(inband) = offer else {
        return Ok(());
    };
    let list: Vec<Step> = task
        .node
        .driver_internal_info
        .steps(KIND)
        .into_iter()
        .map(
            |step| match inband.iter().find(|known| known.name() == step.name()) {
                Some(offered) => step.completed(offered),
                None => step,
            },
        )
        .collect();
    steps::store_list(&mut task.node, KIND, &list);
    Ok(())
}

async fn finish(task: &mut Task) -> Result<(), Stop> {
    inband::logs::collect(task, Moment::End, Some("service")).await;
    if let Err(error) = inband::put_away(task, NetworkPurpose::Servicing).await {
        let why = reason(&task.node, &error);
        let text = format!(
            "Failed to tear down from service for node {}, reason: {why}",
            task.id()
        );
        return failed(task, &text, None).await;
    }
    task.refresh().await?;
    steps::forget(&mut task.node, KIND);
    task.node.driver_internal_info.forget_agent();
    let mut story = task.story();
    let text = "Servicing completed successfully with steps=[]".to_owned();
    note_flow(task, &mut story, "servicing_end", text);
    task.process(Verb::Done, &mut story);
    task.end(story).await
}

/// Servicing failed; the machine is in use, so it goes into maintenance until somebody looked.
pub(crate) async fn failed(task: &mut Task, text: &str, step: Option<&Step>) -> Result<(), Stop> {
    let mut story = task.story();
    if let Some(step) = step {
        let list = shown(&task.node.driver_internal_info.steps(KIND));
        let ended = format!(
            "Servicing aborted at step '{}' with steps={list}",
            step.step
        );
        note_aborted_flow(task, &mut story, "servicing_end", &ended);
        put_into_maintenance(task, NodeFault::Service, text);
    }
    task.error(&mut story, "servicing", text);
    inband::logs::collect(task, Moment::Failure, Some("service")).await;
    if task.settings().poweroff_in_servicefail {
        switch_off_failed(task).await;
    }
    end_failed(task, KIND, story).await
}
