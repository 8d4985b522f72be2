//! Steps that a parent node has its children carry out.

use super::{StepResult, carry_out_here};
use crate::{flow, task::Task};
use drivers::DriverError;
use std::sync::Arc;
use types::{Fault, NodeId, step::Step};

/// Runs a step on the child nodes, one after the other, each under its own lease.
pub(super) async fn run(task: &Task, step: &Step) -> Result<(), DriverError> {
    let core = Arc::clone(&task.core);
    let wanted = &step.limit_child_node_execution;
    let ids: Vec<NodeId> = flow::kin::children(task)
        .await?
        .iter()
        .map(|child| child.id)
        .filter(|id| wanted.is_empty() || wanted.contains(&id.to_string()))
        .collect();
    for id in ids {
        let own = step.clone();
        let done = core
            .exclusively(id, &task.caller, move |child| run_on(child, own))
            .await;
        done.map_err(|fault| {
            DriverError::Failed(format!(
                "While executing step {} on child node {id}: {fault}",
                step.name()
            ))
        })?;
    }
    Ok(())
}

async fn run_on(mut child: Task, step: Step) -> (Task, Result<(), Fault>) {
    let permitted = child.settings().permit_child_node_step_async_result;
    let answer = match carry_out_here(&mut child, &step).await {
        Ok(Ok(StepResult::Done)) => Ok(()),
        // The operator vouches that such a step needs no watching.
        Ok(Ok(StepResult::Wait { .. })) if permitted => Ok(()),
        Ok(Ok(_)) => Err(Fault::InvalidParameter(
            "the step does not end at once, and a child node's step must".into(),
        )),
        Ok(Err(error)) => Err(flow::fault(&child.node, &error)),
        Err(_) => Err(Fault::Unavailable),
    };
    (child, answer)
}
