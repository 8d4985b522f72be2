//! Nodes that came from an Ironic in the middle of something.
//!
//! Those that wait for their agents simply go on: token and address are in the row. Those that a
//! conductor was at work on are taken up as after a restart of our own: each step says whether it is
//! repeated, and what cannot be ends as in Ironic, with the reason.

use super::resume;
use crate::core::Core;
use std::sync::Arc;
use store::{
    StoreError,
    node::{Fence, Log},
};
use types::{Node, NodeId, ProvisionState as S, Timestamp, Work, step::StepKind, work::Phase};

/// Puts imported rows right once, and takes up what was left.
pub(crate) async fn settle(core: &Arc<Core>) -> Result<(), StoreError> {
    if let Some(settled) = store::imported::settle(&core.db, Timestamp::now()).await? {
        tracing::info!(
            waiting = settled.waiting,
            power = settled.power,
            consoles = settled.consoles,
            "the database was imported from Ironic; time-outs of waiting nodes count from now"
        );
    }
    let searcher = store::imported::SEARCHER;
    core.resume_allocations(searcher, |epoch| epoch == 0)
        .await?;
    take_up(core).await
}

/// Takes up nodes whose conductor was one of Ironic.
pub(super) async fn take_up(core: &Arc<Core>) -> Result<(), StoreError> {
    for id in store::imported::abandoned(&core.db, core.mine()).await? {
        take_up_one(core, id).await?;
    }
    Ok(())
}

async fn take_up_one(core: &Arc<Core>, id: NodeId) -> Result<(), StoreError> {
    let Some(_taking) = core.begin_taking(id) else {
        return Ok(());
    };
    let Some(mut node) = store::node::find(&core.db, id).await? else {
        return Ok(());
    };
    let Some(work) = interrupted(&node) else {
        return Ok(());
    };
    tracing::info!(node = %id, state = %node.provision_state, "taking up a node that Ironic worked on");
    node.work = Some(work);
    let taken = store::node::save(&core.db, node, Fence::Take(core.me()), Log::default()).await;
    match taken {
        Ok(node) => {
            resume::go_on_after_restart(core, node);
            Ok(())
        }
        // Another conductor was first, or a user.
        Err(StoreError::Stale | StoreError::Locked { .. } | StoreError::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What a conductor must have been doing with a node in this state.
fn interrupted(node: &Node) -> Option<Work> {
    let phase = |kind: StepKind| match node.driver_internal_info.steps(kind).is_empty() {
        true => Phase::Prepare,
        false => Phase::Steps,
    };
    Some(match node.provision_state {
        S::Verifying => Work::Verify,
        S::Inspecting => Work::Inspect,
        S::Adopting => Work::Adopt,
        S::Deploying => Work::Deploy {
            phase: phase(StepKind::Deploy),
        },
        S::Cleaning => Work::Clean {
            phase: phase(StepKind::Clean),
        },
        S::Servicing => Work::Service {
            phase: phase(StepKind::Service),
        },
        S::Deleting => Work::TearDown { from: S::Active },
        S::Rescuing => Work::Rescue {
            phase: Phase::Prepare,
        },
        S::Unrescuing => Work::Unrescue,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_a_conductors_own_work_is_work_to_take_up() {
        for &state in S::ALL {
            let mut node = Node::new(NodeId::generate(), "fake-hardware");
            node.provision_state = state;
            assert_eq!(interrupted(&node).is_some(), node.needs_worker(), "{state}");
        }
    }
}
