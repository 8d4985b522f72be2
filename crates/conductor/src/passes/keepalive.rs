//! The sign of life of this conductor.

use crate::{core::Core, service::registration};
use std::{sync::Arc, time::Duration};
use store::StoreError;
use tokio::time::{MissedTickBehavior, interval};

/// Gives signs of life until everything has ended, also while the conductor leaves: who works under
/// leases is alive.
pub(crate) fn spawn(core: &Arc<Core>) {
    core.vital.spawn(core.incarnation().watch());
    let core = Arc::clone(core);
    let vital = core.vital.clone();
    vital.spawn(async move {
        let mut tick = interval(pause(&core));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick comes at once, and the conductor has just registered.
        tick.tick().await;
        loop {
            let round = async {
                tick.tick().await;
                pass(&core).await;
            };
            if core.over.run_until_cancelled(round).await.is_none() {
                return;
            }
        }
    });
}

/// How long to wait between two signs of life: several must fit into the time after which we stop
/// acting, whatever the operator said about either.
fn pause(core: &Core) -> Duration {
    const LEAST: Duration = Duration::from_millis(10);
    let settings = &core.settings;
    let most = settings.heartbeat_timeout / 6;
    settings.heartbeat_interval.min(most).max(LEAST)
}

/// Renews our counter. When that came too late the leases we had may have new owners: we become a
/// new incarnation and take up what is still ours.
async fn pass(core: &Arc<Core>) {
    let incarnation = core.incarnation();
    if !incarnation.is_open() {
        return register_anew(core).await;
    }
    let sent = core.clock();
    let online = !core.leaving.is_cancelled() || core.stays_registered();
    match store::member::renew(&core.db, &incarnation.holder, online).await {
        Ok(()) if incarnation.renewed(sent) => {}
        Ok(()) => register_anew(core).await,
        Err(StoreError::Superseded { host }) => {
            // Two processes with one name would take each other's leases for ever.
            tracing::error!(
                host,
                "another conductor registered under this name; this one stops working"
            );
            incarnation.end();
            core.leaving.cancel();
            core.stop.cancel();
            core.over.cancel();
        }
        Err(error) => {
            tracing::error!(error = %types::error::chain(&error), "the sign of life was not written");
        }
    }
}

async fn register_anew(core: &Arc<Core>) {
    if core.leaving.is_cancelled() {
        // Whatever we had is somebody else's by now, and more is not wanted.
        return;
    }
    tracing::warn!("the sign of life came too late; registering anew");
    let registration = registration(&core.registry, &core.settings);
    let sent = core.clock();
    match store::member::register(&core.db, registration).await {
        Ok(me) => {
            tracing::warn!(epoch = me.epoch, "registered anew");
            core.reincarnate(me, sent);
            if let Err(error) = super::resume_own(core).await {
                tracing::error!(error = %types::error::chain(&error), "old work was not taken up");
            }
        }
        // It may have been carried out all the same; then the next one replaces it.
        Err(error) => {
            tracing::error!(error = %types::error::chain(&error), "registering anew failed");
        }
    }
}
