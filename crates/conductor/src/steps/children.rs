//! Steps that a parent node has its children carry out.

use super::{StepResult, carry_out_here};
use crate::{
    flow,
    task::{Attempt, Task},
};
use drivers::{DriverError, Failure};
use std::sync::Arc;
use types::{
    Fault, PowerTarget,
    step::{Reserved, Step},
};

/// Runs a step on the child nodes, one after the other, each under its own lease.
pub(super) async fn run(task: &mut Task, step: &Step) -> Attempt {
    let wanted = &step.limit_child_node_execution;
    let mut children = match flow::kin::children(task).await {
        Ok(children) => children,
        Err(error) => return Ok(Err(error)),
    };
    children.retain(|child| wanted.is_empty() || wanted.contains(&child.id.to_string()));
    // Children that are switched on need this machine's power, and nobody else may switch it now.
    if step.reserved() == Some(Reserved::PowerOn) && children.iter().any(flow::kin::needs_parent) {
        if let Err(error) = flow::power::act(task, PowerTarget::On, None).await {
            return Ok(Err(error));
        }
        let story = task.story();
        task.save(story).await?;
    }
    let core = Arc::clone(&task.core);
    for child in children {
        let (id, own) = (child.id, step.clone());
        let done = core
            .exclusively(id, &task.caller, move |child| run_on(child, own))
            .await;
        if let Err(fault) = done {
            let name = step.name();
            let text = format!("While executing step {name} on child node {id}: {fault}");
            return Ok(Err(DriverError::Environment(Failure::new(text))));
        }
    }
    Ok(Ok(()))
}

async fn run_on(mut child: Task, step: Step) -> (Task, Result<(), Fault>) {
    let permitted = child.settings().permit_child_node_step_async_result;
    let answer = match carry_out_here(&mut child, &step).await {
        Ok(Ok(StepResult::Done)) => Ok(()),
        // The operator vouches that such a step needs no watching.
        Ok(Ok(StepResult::Wait(_))) if permitted => Ok(()),
        Ok(Ok(_)) => Err(Fault::InvalidParameter(
            "the step does not end at once, and a child node's step must".into(),
        )),
        Ok(Err(error)) => Err(flow::fault(&child.node, &error)),
        Err(_) => Err(Fault::Unavailable),
    };
    (child, answer)
}
