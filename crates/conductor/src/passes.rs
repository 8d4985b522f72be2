//! Background passes: idempotent rounds without arguments, on a timer.

pub(crate) mod keepalive;
pub(crate) mod local_state;
pub(crate) mod poll;
mod purge;
mod resume;
mod ring;
pub(crate) mod timeout;

pub(crate) use resume::resume_own;

use crate::core::Core;
use std::{future::Future, sync::Arc, time::Duration};
use tokio::time::{MissedTickBehavior, interval};

/// How often the caches of images are brought down to their limits, besides after each download.
const IMAGES: Duration = Duration::from_secs(3600);

/// Starts every pass.
pub(crate) fn spawn(core: &Arc<Core>) {
    let settings = &core.settings;
    every(core, ring::interval(settings), ring::pass);
    every(core, settings.heartbeat_interval, resume::take_over_pass());
    every(core, settings.sync_local_state_interval, local_state::pass);
    every(core, settings.check_provision_state_interval, timeout::pass);
    every(
        core,
        settings.check_rescue_state_interval,
        timeout::rescue_pass,
    );
    every(core, settings.step_poll_interval, poll::pass);
    every(core, settings.node_history_cleanup_interval, purge::pass);
    every(core, IMAGES, purge::images);
}

/// Runs a pass on a timer until the conductor leaves; an interval of zero switches it off.
fn every<P, F>(core: &Arc<Core>, period: Duration, mut pass: P)
where
    P: FnMut(Arc<Core>) -> F + Send + 'static,
    F: Future<Output = ()> + Send,
{
    if period.is_zero() {
        return;
    }
    let core = Arc::clone(core);
    let tasks = core.tasks.clone();
    tasks.spawn(async move {
        let mut tick = interval(period);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick comes at once; what had to be done at the start is done already.
        tick.tick().await;
        while core
            .leaving
            .run_until_cancelled(tick.tick())
            .await
            .is_some()
        {
            let round = pass(Arc::clone(&core));
            if core.leaving.run_until_cancelled(round).await.is_none() {
                return;
            }
        }
    });
}
