//! Power of machines that depend on each other.
//!
//! A child without a power supply of its own (a card in a server, a blade in a chassis) has power
//! only while its parent has: the parent is switched on before the child, and the children are
//! switched off before the parent. Rebooting and soft power changes concern one machine only.
//!
//! Relatives that lead back to where they began end at a lease that is already held, with an error
//! rather than a wait without end.

use super::power;
use crate::{lock, task::Task};
use drivers::{DriverError, Failure};
use serde_json::json;
use std::{future::Future, pin::Pin, sync::Arc};
use store::node::{Children, Columns, NodeFilter};
use types::{Fault, Node, NodeId, PowerState, PowerTarget, event::EventKind, pyrepr};

/// Does to the relatives what a power change of this machine needs first.
pub(super) async fn prepare(
    task: &Task,
    target: PowerTarget,
    timeout_s: Option<u64>,
) -> Result<(), DriverError> {
    match target {
        PowerTarget::On => parent_on(task, timeout_s).await,
        PowerTarget::Off => children_off(task, timeout_s).await,
        _ => Ok(()),
    }
}

async fn parent_on(task: &Task, timeout_s: Option<u64>) -> Result<(), DriverError> {
    let Some(parent) = &task.node.parent_node else {
        return Ok(());
    };
    if !needs_parent(&task.node) {
        return Ok(());
    }
    let id: NodeId = parent
        .parse()
        .map_err(|_| failed(&Fault::NodeNotFound(parent.clone())))?;
    let mut node = task.core.load(id).await.map_err(|f| failed(&f))?;
    if state(task, &mut node).await? == Some(PowerState::On) {
        return Ok(());
    }
    let switched = switch(task, id, PowerTarget::On, timeout_s).await;
    switched.map_err(|fault| match fault {
        Fault::Locked { .. } => DriverError::Busy(Failure::new(format!(
            "Node {} parent_node {id} is presently locked and we are unable to perform any action on it at this time. Please retry after the current operation is completed.",
            task.id()
        ))),
        other => failed(&other),
    })
}

async fn children_off(task: &Task, timeout_s: Option<u64>) -> Result<(), DriverError> {
    let mut running = Vec::new();
    for mut child in children(task).await? {
        if !needs_parent(&child) || state(task, &mut child).await? == Some(PowerState::Off) {
            continue;
        }
        // Better no child is switched off than some of them.
        if child.reservation.is_some() {
            return Err(child_locked(task, child.id));
        }
        running.push(child.id);
    }
    for id in running {
        let switched = switch(task, id, PowerTarget::Off, timeout_s).await;
        switched.map_err(|fault| match fault {
            Fault::Locked { .. } => child_locked(task, id),
            other => failed(&other),
        })?;
    }
    Ok(())
}

fn child_locked(task: &Task, child: NodeId) -> DriverError {
    DriverError::Busy(Failure::new(format!(
        "Node {} child_node {child} is presently locked and we are unable to perform any action on it at this time. Please retry after the current operation is completed.",
        task.id()
    )))
}

/// The child nodes of the node at work, in order of creation.
pub(crate) async fn children(task: &Task) -> Result<Vec<Node>, DriverError> {
    let filter = NodeFilter {
        children: Children::Of(task.id().to_string()),
        ..NodeFilter::default()
    };
    let page = store::Page::first(u32::MAX);
    store::node::list(&task.core.db, filter, page, Columns::Full)
        .await
        .map_err(|error| failed(&lock::fault(error, task.id())))
}

/// Whether a child has power only while its parent has.
pub(crate) fn needs_parent(child: &Node) -> bool {
    let own_supply = child.driver_info.get("has_dedicated_power_supply");
    !own_supply.is_some_and(pyrepr::truth)
}

async fn state(task: &Task, node: &mut Node) -> Result<Option<PowerState>, DriverError> {
    let core = &task.core;
    let hardware = core.hardware(node).map_err(|f| failed(&f))?;
    core.ask(node, async |machine| hardware.power.get(machine).await)
        .await
        .map_err(|fault| failed(&fault))
}

/// Switches a relative under a lease of its own.
///
/// Its own relatives may have to be switched too, which makes this recursive: hence the box.
fn switch<'a>(
    task: &'a Task,
    id: NodeId,
    target: PowerTarget,
    timeout_s: Option<u64>,
) -> Pin<Box<dyn Future<Output = Result<(), Fault>> + Send + 'a>> {
    let core = Arc::clone(&task.core);
    let talk = move |mut relative: Task| async move {
        let outcome = power::act(&mut relative, target, timeout_s).await;
        let mut story = relative.story();
        let answer = match outcome {
            Ok(()) => {
                let text = format!("{target} because of a relative");
                let data = json!({"asked": target, "is": relative.node.power_state});
                story.tell(&relative.node, EventKind::Power, text, data);
                Ok(())
            }
            Err(error) => {
                let fault = super::fault(&relative.node, &error);
                power::tell_failure(&mut relative, &mut story, target, &fault.to_string());
                Err(fault)
            }
        };
        let saved = relative.save(story).await;
        let answer = answer.and(saved.map_err(|_| Fault::Unavailable));
        (relative, answer)
    };
    Box::pin(async move { core.exclusively(id, &task.caller, talk).await })
}

fn failed(fault: &Fault) -> DriverError {
    DriverError::Environment(Failure::new(fault.to_string()))
}
