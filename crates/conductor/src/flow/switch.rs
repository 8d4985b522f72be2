//! Small switches that the hardware may take its time for: boot mode, secure boot, console.

use super::reason;
use crate::{
    last_error,
    task::{Stop, Task},
};
use serde_json::json;
use types::{
    event::EventKind,
    notification::{Action, Status},
};

pub(crate) async fn boot_mode(task: &mut Task, mode: &str) -> Result<(), Stop> {
    let hardware = task.hardware.clone();
    let outcome = match task.hands() {
        Ok((lease, mut machine)) => {
            hardware
                .management
                .set_boot_mode(lease, &mut machine, mode)
                .await
        }
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => task.node.boot_mode = Some(mode.to_owned()),
        Err(error) => {
            let why = reason(&task.node, &error);
            // The quote that is missing here is missing in Ironic too; its users match on it.
            let text = format!("Failed to change boot mode to '{mode}: {why}");
            let text = fitting(task, &text);
            last_error::set(&mut task.node, text);
        }
    }
    finish(task, "boot mode", json!({"asked": mode})).await
}

pub(crate) async fn secure_boot(task: &mut Task, on: bool) -> Result<(), Stop> {
    let hardware = task.hardware.clone();
    let outcome = match task.hands() {
        Ok((lease, mut machine)) => {
            hardware
                .management
                .set_secure_boot(lease, &mut machine, on)
                .await
        }
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => task.node.secure_boot = Some(on),
        Err(error) => {
            let why = reason(&task.node, &error);
            let word = if on { "True" } else { "False" };
            let text = format!("Failed to change secure_boot state to '{word}': {why}");
            let text = fitting(task, &text);
            last_error::set(&mut task.node, text);
        }
    }
    finish(task, "secure boot", json!({"asked": on})).await
}

pub(crate) async fn console(task: &mut Task, enabled: bool) -> Result<(), Stop> {
    task.announce(Action::Console).await;
    let hardware = task.hardware.clone();
    let outcome = match task.hands() {
        Ok((lease, mut machine)) if enabled => hardware.console.start(lease, &mut machine).await,
        Ok((lease, mut machine)) => hardware.console.stop(lease, &mut machine).await,
        Err(error) => Err(error),
    };
    let mut story = task.story();
    match outcome {
        Ok(()) => {
            task.node.console_enabled = enabled;
            if enabled && !task.node.needs_worker() {
                task.node.conductor_affinity = Some(task.settings().host.clone());
            }
            let text = if enabled { "console on" } else { "console off" };
            story.tell(
                &task.node,
                EventKind::Console,
                text,
                json!({"enabled": enabled}),
            );
            story.notice(Action::Console, Status::End);
        }
        Err(error) => {
            let why = reason(&task.node, &error);
            let word = if enabled { "enabling" } else { "disabling" };
            let text = format!("Error {word} the console. Reason: {why}");
            task.error(&mut story, "console", &text);
            story.notice(Action::Console, Status::Error);
        }
    }
    task.end(story).await
}

fn fitting(task: &Task, text: &str) -> String {
    crate::record::truncated(text, task.settings().log_in_db_max_size)
}

async fn finish(task: &mut Task, what: &str, data: serde_json::Value) -> Result<(), Stop> {
    let mut story = task.story();
    match task.node.last_error.clone() {
        Some(error) => story.tell(&task.node, EventKind::Error, error, data),
        None => story.tell(
            &task.node,
            EventKind::Updated,
            format!("{what} changed"),
            data,
        ),
    }
    task.end(story).await
}
