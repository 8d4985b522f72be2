//! Tearing down: takes the instance off a machine, then cleans it.

use super::{clean, reason};
use crate::{
    inband,
    task::{Stop, Task},
    vif,
};
use drivers::DriverError;
use store::config_drive;
use types::{
    JsonMap, Node, ProvisionState, Verb, Work,
    notification::{Action, Status},
    work::Phase,
};

pub(crate) async fn run(task: &mut Task, from: ProvisionState) -> Result<(), Stop> {
    // A machine that could not be switched off still runs: it keeps its ports.
    let outcome = match take_off(task, from).await {
        Ok(()) => vif::detach_all(task).await,
        failed => failed,
    };
    let mut story = task.story();
    forget_drive(task).await;
    // Whatever happened, the instance is no more: nobody may find its data on the node.
    forget_instance(&mut task.node);
    if let Err(error) = outcome {
        let why = reason(&task.node, &error);
        let text = format!("Failed to tear down: {why}");
        task.error(&mut story, "unprovision", &text);
        task.process(Verb::Fail, &mut story);
        return task.end(story).await;
    }
    task.process(Verb::Clean, &mut story);
    task.node.work = Some(Work::Clean {
        phase: Phase::Prepare,
    });
    task.save(story).await?;
    clean::run(task, Phase::Prepare).await
}

async fn take_off(task: &mut Task, from: ProvisionState) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    if from.is_rescue_family() {
        inband::rescue::clean_up(task).await?;
    }
    if task.node.console_enabled {
        task.announce(Action::ConsoleStop).await;
        let stopped = match task.hands() {
            Ok((lease, mut machine)) => hardware.console.stop(lease, &mut machine).await,
            Err(error) => Err(error),
        };
        let status = match stopped {
            Ok(()) => Status::End,
            Err(_) => Status::Error,
        };
        task.notice(Action::ConsoleStop, status);
        stopped?;
        task.node.console_enabled = false;
    }
    inband::clean_up(task).await?;
    inband::tear_down(task).await
}

/// A config drive that is stored beside the node goes with the instance.
async fn forget_drive(task: &Task) {
    let db = &task.core.db;
    let Ok(Some(drive)) = config_drive::referred(db.keys(), &task.node) else {
        return;
    };
    if let Err(error) = config_drive::remove(db, task.id(), &drive).await {
        tracing::warn!(node = %task.id(), error = %types::error::chain(&error), "the config drive of the instance was not removed; it is purged later");
    }
}

fn forget_instance(node: &mut Node) {
    node.instance_info = JsonMap::new();
    node.instance_uuid = None;
    node.instance_name = None;
    node.deploy_step = JsonMap::new();
    if node.driver_internal_info.take_automatic_lessee() {
        node.lessee = None;
    }
    node.driver_internal_info.forget_instance();
}
