//! Taking over a node that another conductor served: its boot files and its console.
//!
//! A machine in use, and one that waits for its ramdisk, gets from here what it boots; one that waits
//! gets it also where this conductor has lost it. Neither is restarted.
//!
//! The work is not recorded in the row. What is interrupted is begun anew by the next pass, because
//! the row still names the conductor before.

use super::reason;
use crate::{
    inband,
    last_error::{self, ErrorCode},
    record::ChangeLog,
    task::Task,
};
use serde_json::json;
use std::sync::Arc;
use types::{
    Fault, ProvisionState,
    event::EventKind,
    notification::{Action, Status},
};

/// Makes this conductor serve the node, and says so in its row.
pub(crate) async fn run(task: Task) -> (Task, Result<(), Fault>) {
    Box::pin(serve(task, true)).await
}

/// The same for a node that waits for its ramdisk and nothing else: its console, if it listens here,
/// goes on.
pub(crate) async fn restore(mut task: Task) -> (Task, Result<(), Fault>) {
    let core = Arc::clone(&task.core);
    match core.lacks_ramdisk(&mut task.node).await {
        Ok(true) => Box::pin(serve(task, false)).await,
        Ok(false) => (task, Ok(())),
        Err(fault) => (task, Err(fault)),
    }
}

async fn serve(mut task: Task, consoles: bool) -> (Task, Result<(), Fault>) {
    let host = task.settings().host.clone();
    // It may have changed while nobody had the lease.
    if task.node.maintenance {
        return (task, Ok(()));
    }
    let mut story = task.story();
    let before = task.node.conductor_affinity.clone();
    let moved = before.as_ref() != Some(&host);
    let core = Arc::clone(&task.core);
    let done = if moved && task.node.provision_state == ProvisionState::Active {
        let taken = inband::take_over(&mut task).await;
        taken.map(|()| Some("taken over"))
    } else {
        match core.lacks_ramdisk(&mut task.node).await {
            Ok(true) => {
                let restored = inband::restore::run(&mut task).await;
                restored.map(|restored| restored.then_some("ramdisk made available again"))
            }
            Ok(false) => Ok(None),
            Err(fault) => return (task, Err(fault)),
        }
    };
    match done {
        Ok(done) => {
            if let Some(what) = done {
                let from = before.as_deref().unwrap_or("nobody");
                tracing::info!(node = %task.id(), from, "{what}");
                let text = format!("{what} by conductor {host}");
                let data = json!({"conductor": host, "before": before});
                story.tell(&task.node, EventKind::Updated, text, data);
            }
            if ErrorCode::of(&task.node) == Some(ErrorCode::TakeOver) {
                last_error::clear(&mut task.node);
            }
        }
        Err(error) => {
            let why = reason(&task.node, &error);
            tell_failure(&mut task, &mut story, &why);
            return saved(task, story).await;
        }
    }
    if task.node.console_enabled && (consoles || moved) {
        restore_console(&mut task, &mut story).await;
    }
    if moved {
        task.node.conductor_affinity = Some(host);
    }
    task.core.serve(task.id());
    saved(task, story).await
}

/// The next pass tries again, so that only the first failure is told.
fn tell_failure(task: &mut Task, story: &mut ChangeLog, why: &str) {
    tracing::error!(node = %task.id(), error = why, "a node could not be taken over");
    if task.node.last_error.is_none() {
        let text = format!("Async execution of _do_takeover failed with error: {why}");
        let text = crate::record::truncated(&text, task.settings().log_in_db_max_size);
        last_error::set_with(&mut task.node, text.clone(), ErrorCode::TakeOver);
        story.tell(
            &task.node,
            EventKind::Error,
            text,
            json!({"type": "takeover"}),
        );
    }
}

async fn restore_console(task: &mut Task, story: &mut ChangeLog) {
    task.announce(Action::ConsoleRestore).await;
    let hardware = task.hardware.clone();
    let outcome = match task.hands() {
        Ok((lease, mut machine)) => hardware.console.start(lease, &mut machine).await,
        Err(error) => Err(error),
    };
    if let Err(error) = outcome {
        let why = reason(&task.node, &error);
        let text = format!(
            "Failed to start console while taking over the node {}: {why}.",
            task.id()
        );
        task.error(story, "takeover", &text);
        task.node.console_enabled = false;
        let data = json!({"enabled": false});
        story.tell(&task.node, EventKind::Console, "console off", data);
        story.notice(Action::ConsoleRestore, Status::Error);
        return;
    }
    let data = json!({"enabled": true, "restored": true});
    story.tell(&task.node, EventKind::Console, "console restored", data);
    story.notice(Action::ConsoleRestore, Status::End);
}

async fn saved(mut task: Task, story: ChangeLog) -> (Task, Result<(), Fault>) {
    let saved = task.save(story).await.map_err(|_| Fault::Unavailable);
    (task, saved)
}
