//! Work that nobody does any more: our own from before a restart, and that of dead peers.

use crate::core::Core;
use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};
use store::{Page, StoreError};
use types::{
    Caller, NodeId,
    lease::{Holder, Verdict, Watch},
};

/// Takes up everything that earlier incarnations of this host left.
pub(crate) async fn resume_own(core: &Arc<Core>) -> Result<(), StoreError> {
    core.resume_allocations().await?;
    let me = core.me();
    let left = store::lease::orphans(&core.db, &me.host, me.epoch).await?;
    if left.is_empty() {
        return Ok(());
    }
    tracing::info!(nodes = left.len(), "taking up work from before the restart");
    let Some(row) = store::member::find(&core.db, &me.host).await? else {
        return Ok(());
    };
    for node in left {
        let Some(found) = store::node::find(&core.db, node).await? else {
            continue;
        };
        let dead = Holder {
            host: me.host.clone(),
            epoch: found.lease_epoch,
        };
        let verdict = Verdict {
            dead,
            epoch: row.epoch,
            counter: row.counter,
        };
        take_up(core, node, &verdict, &me).await?;
    }
    Ok(())
}

/// A pass that looks for leases whose holders are dead.
pub(super) fn take_over_pass()
-> impl FnMut(Arc<Core>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + 'static {
    let watch: Arc<Mutex<Option<Watch>>> = Arc::default();
    move |core| {
        let watch = Arc::clone(&watch);
        Box::pin(async move {
            if let Err(error) = look(&core, &watch).await {
                tracing::warn!(error = %types::error::chain(&error), "looking for dead conductors failed");
            }
        })
    }
}

async fn look(core: &Arc<Core>, watch: &Mutex<Option<Watch>>) -> Result<(), StoreError> {
    let members = store::member::list(&core.db, Page::first(u32::MAX)).await?;
    let me = core.me();
    let now = core.clock();
    let dead: Vec<(NodeId, Verdict)> = {
        let held = if members.len() > 1 {
            store::lease::held(&core.db).await?
        } else {
            Vec::new()
        };
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        let watch = watch.get_or_insert_with(|| Watch::new(core.settings.heartbeat_timeout));
        for member in &members {
            watch.observe(&member.hostname, member.epoch, member.counter, now);
        }
        let others = held
            .into_iter()
            .filter(|(_, holder)| holder.host != me.host);
        others
            .filter_map(|(node, holder)| Some((node, watch.verdict(&holder, now)?)))
            .collect()
    };
    for (node, verdict) in dead {
        take_up(core, node, &verdict, &me).await?;
    }
    Ok(())
}

async fn take_up(
    core: &Arc<Core>,
    node: NodeId,
    verdict: &Verdict,
    me: &Holder,
) -> Result<(), StoreError> {
    let Some(node) = store::lease::take_over(&core.db, node, verdict, me).await? else {
        return Ok(());
    };
    let core = Arc::clone(core);
    let tasks = core.tasks.clone();
    // Places are waited for in the background, so that a thousand nodes do not delay the start.
    tasks.spawn(async move {
        let place = core.workers.wait().await;
        core.start(node, Caller::service(), place, true);
    });
    Ok(())
}
