//! Work that nobody does any more: our own from before a restart, that of dead peers, and that
//! which we were given without hearing of it.

use crate::{core::Core, flow::Origin, hands::Lease};
use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};
use store::{Page, StoreError, lease::Held};
use types::{
    Caller, Node, NodeId,
    lease::{Holder, Verdict, Watch},
};

/// Takes up everything that earlier incarnations of this host left.
pub(crate) async fn resume_own(core: &Arc<Core>) -> Result<(), StoreError> {
    let me = core.me();
    core.resume_allocations(&me.host, |epoch| epoch < me.epoch)
        .await?;
    let left = store::lease::orphans(&core.db, &me.host, me.epoch).await?;
    if left.is_empty() {
        return Ok(());
    }
    tracing::info!(nodes = left.len(), "taking up work from before the restart");
    for node in left {
        take_up_own(core, node, &me).await?;
    }
    Ok(())
}

/// One's own earlier incarnation is dead by definition.
async fn take_up_own(core: &Arc<Core>, node: NodeId, me: &Holder) -> Result<(), StoreError> {
    let Some(found) = store::node::find(&core.db, node).await? else {
        return Ok(());
    };
    let dead = Holder {
        host: me.host.clone(),
        epoch: found.lease_epoch,
    };
    let Some(row) = store::member::find(&core.db, &me.host).await? else {
        return Ok(());
    };
    let verdict = Verdict {
        dead,
        epoch: row.epoch,
        counter: row.counter,
    };
    // A sign of life of ours in between is no harm: whoever looks next finds the lease again.
    if verdict.dead.epoch < me.epoch {
        take_up(core, node, &verdict, me).await?;
    }
    Ok(())
}

/// What was heard of other conductors, and when.
pub(super) type Silence = Arc<Mutex<Option<Watch>>>;

/// A pass that finishes the searches of conductors that are dead by what the other pass heard.
pub(super) fn allocation_pass(
    silence: &Silence,
) -> impl FnMut(Arc<Core>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + 'static {
    let watch = Arc::clone(silence);
    move |core| {
        let watch = Arc::clone(&watch);
        Box::pin(async move {
            if let Err(error) = take_allocations(&core, &watch).await {
                tracing::warn!(error = %types::error::chain(&error), "looking for allocations of dead conductors failed");
            }
        })
    }
}

async fn take_allocations(
    core: &Arc<Core>,
    watch: &Mutex<Option<Watch>>,
) -> Result<(), StoreError> {
    let me = core.me();
    if !core.may_act(me.epoch) {
        return Ok(());
    }
    let searching = store::allocation::holders(&core.db).await?;
    let now = core.clock();
    let silent: Vec<Holder> = {
        let watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        let dead = |holder: &Holder| {
            let watch = watch.as_ref();
            *holder != me && watch.is_some_and(|watch| watch.verdict(holder, now).is_some())
        };
        searching.into_iter().filter(dead).collect()
    };
    for Holder { host, epoch } in silent {
        core.resume_allocations(&host, |of| of == epoch).await?;
    }
    Ok(())
}

/// A pass that looks for leases whose holders are dead.
pub(super) fn take_over_pass(
    silence: &Silence,
) -> impl FnMut(Arc<Core>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + 'static {
    let watch = Arc::clone(silence);
    move |core| {
        let watch = Arc::clone(&watch);
        Box::pin(async move {
            if let Err(error) = look(&core, &watch).await {
                tracing::warn!(error = %types::error::chain(&error), "looking for dead conductors failed");
            }
        })
    }
}

/// What is to be done about a lease.
enum Finding {
    /// Its holder is dead.
    Orphaned(NodeId, Verdict),
    /// It is that of an earlier incarnation of ours, granted after we had looked for such.
    Left(NodeId),
    /// It is ours, and nobody here works under it.
    Unheard(NodeId, i64),
}

async fn look(core: &Arc<Core>, watch: &Mutex<Option<Watch>>) -> Result<(), StoreError> {
    let me = core.me();
    if !core.may_act(me.epoch) {
        return Ok(());
    }
    let members = store::member::list(&core.db, Page::first(u32::MAX)).await?;
    // Before the leases: whose work ends in between is not to be taken for one that nobody heard of,
    // and kept from whoever asks for the node next.
    let before = core.hands.all();
    let held = store::lease::held(&core.db).await?;
    let now = core.clock();
    let findings: Vec<Finding> = {
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        let watch = watch.get_or_insert_with(|| Watch::new(core.settings.heartbeat_timeout));
        for member in &members {
            watch.observe(&member.hostname, member.epoch, member.counter, now);
        }
        held.iter()
            .filter(|lease| {
                let was_known = before.get(&lease.node) == Some(&lease.generation);
                lease.holder != me || !was_known
            })
            .filter_map(|lease| judge(core, watch, lease, &me, now))
            .collect()
    };
    super::imported::take_up(core).await?;
    for finding in findings {
        match finding {
            Finding::Orphaned(node, verdict) => take_up(core, node, &verdict, &me).await?,
            Finding::Left(node) => take_up_own(core, node, &me).await?,
            Finding::Unheard(node, generation) => reclaim(core, node, generation, &me).await?,
        }
    }
    Ok(())
}

/// What concerns us about a lease: those of dead peers if the node is ours by the ring, and our own
/// in any case.
fn judge(
    core: &Core,
    watch: &Watch,
    lease: &Held,
    me: &Holder,
    now: std::time::Duration,
) -> Option<Finding> {
    if core.is_taking(lease.node) {
        return None;
    }
    if lease.holder == *me {
        let known = core.hands.hold(lease.node, lease.generation);
        return (!known).then_some(Finding::Unheard(lease.node, lease.generation));
    }
    if lease.holder.host == me.host {
        return Some(Finding::Left(lease.node));
    }
    let ours = core.is_mine(lease.node, &lease.driver, &lease.conductor_group);
    let verdict = watch.verdict(&lease.holder, now).filter(|_| ours)?;
    Some(Finding::Orphaned(lease.node, verdict))
}

async fn take_up(
    core: &Arc<Core>,
    node: NodeId,
    verdict: &Verdict,
    me: &Holder,
) -> Result<(), StoreError> {
    let Some(_taking) = core.begin_taking(node) else {
        return Ok(());
    };
    let Some(node) = store::lease::take_over(&core.db, node, verdict, me).await? else {
        return Ok(());
    };
    let from = verdict.dead.host.clone();
    let origin = if from == me.host {
        Origin::Restart
    } else {
        tracing::warn!(node = %node.id, from, "taking a node over from a dead conductor");
        Origin::TakeOver { from }
    };
    go_on(core, core.in_hand(node), origin);
    Ok(())
}

async fn reclaim(
    core: &Arc<Core>,
    node: NodeId,
    generation: i64,
    me: &Holder,
) -> Result<(), StoreError> {
    let Some(_taking) = core.begin_taking(node) else {
        return Ok(());
    };
    // It may have been taken, worked under and given back since we looked.
    if core.hands.hold(node, generation) {
        return Ok(());
    }
    if let Some(node) = store::lease::reclaim(&core.db, node, generation, me).await? {
        tracing::warn!(node = %node.id, "taking up work that was accepted without our hearing of it");
        go_on(core, core.in_hand(node), Origin::Restart);
    }
    Ok(())
}

/// Takes up the work of a node whose lease was just granted to us, as after a restart.
pub(super) fn go_on_after_restart(core: &Arc<Core>, node: Node) {
    go_on(core, core.in_hand(node), Origin::Restart);
}

/// Starts a worker as soon as there is a place: in the background, so that a thousand nodes do not
/// delay a start.
fn go_on(core: &Arc<Core>, lease: Lease, origin: Origin) {
    let core = Arc::clone(core);
    let tasks = core.tasks.clone();
    tasks.spawn(async move {
        let place = core.leaving.run_until_cancelled(core.workers.wait()).await;
        if let Some(place) = place {
            core.start(lease, Caller::service(), place, origin);
        }
    });
}
