//! What a conductor keeps for a node besides its row: boot files, and a console that listens.
//!
//! Whoever becomes the owner of a node that is in use, that waits for its ramdisk, or whose console is
//! on, makes it anew; the row says who did so last. A machine that waits cannot wait long, so those
//! are also looked for as soon as conductors come or go, and made anew where files of ours are gone.
//! Whoever served a node and finds another's name there throws its own away, and leaves the machine
//! alone.

use crate::{core::Core, flow, inband::restore};
use std::{
    collections::HashSet,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};
use store::{StoreError, affinity::Unserved};
use tokio::task::JoinSet;
use types::{Caller, Fault, Node, NodeId, provision::StateClass};

pub(super) async fn pass(core: Arc<Core>) {
    let unserved = unserved(&core, false).await;
    sync(&core, unserved).await;
}

/// At the start also the consoles that this conductor had on are made to listen again. Which they
/// are is known when this returns: what requests change from then on needs nothing made anew.
pub(crate) async fn begin(core: &Arc<Core>) {
    let unserved = unserved(core, true).await;
    let core = Arc::clone(core);
    let tasks = core.tasks.clone();
    tasks.spawn(async move {
        core.leaving
            .run_until_cancelled(sync(&core, unserved))
            .await;
    });
}

/// Looks after machines that wait for their ramdisks whenever other conductors are alive than in the
/// round before.
pub(super) fn ring_pass()
-> impl FnMut(Arc<Core>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + 'static {
    let mut seen = Vec::new();
    move |core| {
        let before = std::mem::replace(&mut seen, core.view.hosts());
        let is_new = before != seen;
        Box::pin(async move {
            if is_new {
                let waiting = waiting(&core).await;
                take_over(&core, waiting, Reason::Waits).await;
            }
        })
    }
}

async fn unserved(core: &Core, all_consoles: bool) -> Vec<Unserved> {
    let host = &core.settings.host;
    or_none(store::affinity::unserved(&core.db, host, all_consoles).await)
}

async fn waiting(core: &Core) -> Vec<Unserved> {
    or_none(store::affinity::in_states(&core.db, restore::STATES).await)
}

fn or_none(found: Result<Vec<Unserved>, StoreError>) -> Vec<Unserved> {
    found.unwrap_or_else(|error| {
        tracing::warn!(error = %types::error::chain(&error), "nodes to take over cannot be looked for");
        Vec::new()
    })
}

async fn sync(core: &Arc<Core>, unserved: Vec<Unserved>) {
    take_over(core, unserved, Reason::Unserved).await;
    take_over(core, waiting(core).await, Reason::Waits).await;
    match store::affinity::served_by(&core.db, &core.settings.host).await {
        Ok(ours) => forget_others(core, ours).await,
        Err(error) => {
            tracing::warn!(error = %types::error::chain(&error), "nodes that others serve cannot be looked for");
        }
    }
}

/// Why a node is looked at.
#[derive(Debug, Clone, Copy)]
enum Reason {
    /// It is in use or has its console on, and somebody else served it.
    Unserved,
    /// It waits for a ramdisk that may not be here.
    Waits,
}

/// Takes over what is ours by the ring, a few at a time.
async fn take_over(core: &Arc<Core>, mut unserved: Vec<Unserved>, reason: Reason) {
    unserved.retain(|one| core.is_mine(one.node, &one.driver, &one.conductor_group));
    let queue = Arc::new(Mutex::new(unserved.into_iter()));
    let mut workers = JoinSet::new();
    for _ in 0..core.settings.periodic_max_workers {
        let (core, queue) = (Arc::clone(core), Arc::clone(&queue));
        workers.spawn(async move {
            let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some(Unserved { node, .. }) = next() {
                match visit(&core, node, reason).await {
                    // Somebody else works on it, or all places are taken: the next round comes.
                    Ok(())
                    | Err(Fault::Locked { .. } | Fault::NodeNotFound(_) | Fault::NoFreeWorker) => {}
                    Err(fault) => tracing::warn!(%node, %fault, "a node was not taken over"),
                }
            }
        });
    }
    while workers.join_next().await.is_some() {}
}

/// Takes one node over. One that waits has an agent that may call any moment, so its lease is only
/// taken when there is something to do.
async fn visit(core: &Arc<Core>, id: NodeId, reason: Reason) -> Result<(), Fault> {
    let caller = Caller::service();
    match reason {
        Reason::Unserved => core.exclusively(id, &caller, flow::take_over::run).await,
        Reason::Waits => {
            let mut node = core.load(id).await?;
            if !core.lacks_ramdisk(&mut node).await? {
                return Ok(());
            }
            core.exclusively(id, &caller, flow::take_over::restore)
                .await
        }
    }
}

/// Throws away what is kept here for nodes that somebody else serves by now. `ours` are those whose
/// rows name us.
async fn forget_others(core: &Arc<Core>, ours: Vec<NodeId>) {
    let ours: HashSet<NodeId> = ours.into_iter().collect();
    let mut kept = core.served(&ours);
    if let Some(boot) = core.registry.boot() {
        kept.extend(boot.roster().nodes());
    }
    for id in kept.difference(&ours) {
        match store::node::find(&core.db, *id).await {
            Ok(Some(node)) if is_in_use_elsewhere(core, &node) => core.forget_local(node).await,
            // Whoever removes a node takes its files away; this is what a crash left.
            Ok(None) => core.registry.forget(*id).await,
            Ok(Some(_)) | Err(_) => continue,
        }
        core.unserve(*id);
    }
}

/// Whether nothing that is kept here can be of use: a machine that is being worked on may be in the
/// middle of booting from it.
fn is_in_use_elsewhere(core: &Core, node: &Node) -> bool {
    let rests = matches!(
        node.provision_state.class(),
        StateClass::Stable | StateClass::Failed
    );
    rests
        && node.reservation.is_none()
        && !core.is_mine(node.id, &node.driver, &node.conductor_group)
}

impl Core {
    /// Throws away what is kept here for a node, and leaves its machine alone.
    async fn forget_local(&self, mut node: Node) {
        let id = node.id;
        tracing::info!(node = %id, "another conductor serves the node; what was kept here goes");
        self.registry.forget(id).await;
        let Ok(hardware) = self.hardware(&node) else {
            return;
        };
        hardware.console.forget(id).await;
        let gone = self
            .ask(&mut node, async |machine| {
                hardware.boot.forget(machine).await
            })
            .await;
        if let Err(fault) = gone {
            tracing::warn!(node = %id, %fault, "boot files of a node stay");
        }
    }
}
