//! Verifying: can the machine's power be read, and do the verify steps pass?

use super::reason;
use crate::{
    inband::steps::Offer,
    last_error::ErrorCode,
    steps,
    task::{Stop, Task},
};
use types::{
    Verb,
    step::{OnRestart, StepKind},
};

pub(crate) async fn run(task: &mut Task) -> Result<(), Stop> {
    let id = task.id();
    let hardware = task.hardware.clone();
    let mut failure = None;
    let mut power_state = None;
    let validated = hardware.power.validate(&task.machine()).await;
    if let Err(error) = validated {
        let why = reason(&task.node, &error);
        let text = format!("Failed to validate power driver interface for node {id}. Error: {why}");
        failure = Some((text, ErrorCode::of_hardware(&error)));
    } else {
        match hardware.power.get(&task.machine()).await {
            Ok(state) => power_state = state,
            Err(error) => {
                let why = reason(&task.node, &error);
                let text = format!("Failed to get power state for node {id}. Error: {why}");
                failure = Some((text, ErrorCode::of_hardware(&error)));
            }
        }
    }
    let mut story = task.story();
    // The steps run even when the power could not be read: each may tell something of its own.
    for step in steps::automatic(&hardware, task.settings(), StepKind::Verify, &Offer::None) {
        let outcome = match task.hands() {
            Ok((lease, mut machine)) => {
                hardware
                    .interface(step.interface)
                    .run_step(lease, &mut machine, &step)
                    .await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = outcome {
            let why = reason(&task.node, &error);
            let text = format!("Node {id} failed verify step {}: {why}", step.name());
            task.error(&mut story, "verifying", &text);
            // What went wrong first is the cause: a step of a node whose driver_info is wrong
            // fails for the same reason, and would be blamed for it.
            failure.get_or_insert((text, ErrorCode::of_hardware(&error)));
        }
    }
    if let Some((text, code)) = failure {
        match code {
            Some(code) => task.error_with(&mut story, "verify", &text, code),
            None => task.error(&mut story, "verify", &text),
        }
        task.process(Verb::Fail, &mut story);
        return task.end(story).await;
    }
    task.refresh().await?;
    super::power::note_state(task, &mut story, power_state);
    task.process(Verb::Done, &mut story);
    task.end(story).await
}

/// Reading is harmless; a verify step that is not stops the resumption.
pub(crate) fn on_restart(task: &Task) -> OnRestart {
    for step in steps::automatic(
        &task.hardware,
        task.settings(),
        StepKind::Verify,
        &Offer::None,
    ) {
        let spec = steps::find(&task.hardware, StepKind::Verify, step.interface, &step.step);
        match spec.map(|s| s.on_restart) {
            Some(OnRestart::Repeat) | None => {}
            Some(other) => return other,
        }
    }
    OnRestart::Repeat
}
