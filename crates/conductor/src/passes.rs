//! Background passes: idempotent rounds without arguments, on a timer.
//!
//! Each looks at the world as it is, so a round that is missed or repeated does no harm. How they
//! are kept apart, spread and bounded is in [`timer`] and [`round`]; what they do is a file each.

mod batches;
mod boot_retry;
mod conductors;
mod images;
mod imported;
pub(crate) mod keepalive;
pub(crate) mod local_state;
mod names;
mod networks;
pub(crate) mod poll;
mod power_recovery;
mod power_sync;
mod purge;
pub(crate) mod pxe_filter;
mod refusals;
mod resume;
mod ring;
mod round;
mod sensors;
pub(crate) mod timeout;
mod timer;

pub(crate) use imported::settle as settle_imported;
pub(crate) use resume::resume_own;

use crate::core::Core;
use std::sync::Arc;
use timer::every;
use types::{NodeId, pass::PassReport, sensor::NodeReadings};

/// What passes remember from one round to the next, and tell about themselves.
#[derive(Debug)]
pub(crate) struct Ledger {
    book: timer::Book,
    power: power_sync::Troubles,
    refusals: refusals::Refusals,
    sensors: sensors::Newest,
}

impl Ledger {
    pub(crate) fn new(settings: &crate::Settings) -> Self {
        Self {
            book: timer::Book::default(),
            power: power_sync::Troubles::new(settings.sync_power_state_workers),
            refusals: refusals::Refusals::default(),
            sensors: sensors::Newest::default(),
        }
    }

    pub(crate) fn reports(&self) -> Vec<PassReport> {
        self.book.reports()
    }

    pub(crate) fn readings(&self) -> Vec<Arc<NodeReadings>> {
        self.sensors.all()
    }
}

/// Starts every pass.
pub(crate) fn spawn(core: &Arc<Core>) {
    let settings = &core.settings;
    let alive = settings.heartbeat_interval;
    every(core, "ring", ring::interval(settings), ring::pass);
    let silence = resume::Silence::default();
    every(core, "takeover", alive, resume::take_over_pass(&silence));
    let allocations = settings.check_allocations_interval;
    every(
        core,
        "allocations",
        allocations,
        resume::allocation_pass(&silence),
    );
    let local = settings.sync_local_state_interval;
    every(core, "local_state", local, local_state::pass);
    let ring = ring::interval(settings);
    every(core, "waiting_nodes", ring, local_state::ring_pass());
    let power = settings.sync_power_state_interval;
    every(core, "power_sync", power, power_sync::pass);
    let recovery = settings.power_failure_recovery_interval;
    every(core, "power_recovery", recovery, power_recovery::pass);
    let waits = settings.check_provision_state_interval;
    every(core, "timeouts", waits, timeout::pass);
    let rescues = settings.check_rescue_state_interval;
    every(core, "rescue_timeouts", rescues, timeout::rescue_pass);
    if !settings.boot_retry_timeout.is_zero() {
        let boots = settings.boot_retry_check_interval;
        every(core, "boot_retry", boots, boot_retry::pass);
    }
    if let Some(filter) = &settings.inspection.pxe_filter {
        every(core, "pxe_filter", filter.sync_period, pxe_filter::pass);
    }
    every(core, "step_poll", settings.step_poll_interval, poll::pass);
    if settings.sensors.is_on {
        every(core, "sensors", settings.sensors.interval, sensors::pass);
    }
    let history = settings.node_history_cleanup_interval;
    every(core, "history_purge", history, purge::history);
    every(core, "event_purge", purge::EVENTS_EVERY, purge::events);
    every(
        core,
        "config_drives",
        purge::DRIVES_EVERY,
        purge::config_drives,
    );
    let caches = settings.cache_clean_up_interval;
    every(core, "image_caches", caches, purge::images);
    every(core, "image_store", images::WORK_EVERY, images::work);
    every(core, "image_store_files", images::TIDY_EVERY, images::tidy);
    let screens = settings.screens.expire_interval;
    every(core, "screens", screens, crate::screen::pass);
    let addresses = settings.networks_interval;
    every(core, "networks", addresses, networks::pass());
    if !settings.names.is_empty() {
        every(core, "names", addresses, names::pass());
    }
    every(core, "batches", batches::WORK_EVERY, batches::work);
    every(core, "batch_purge", batches::PURGE_EVERY, batches::purge);
    let gone = settings.conductor_cleanup_interval;
    every(core, "stale_conductors", gone, conductors::pass);
}

#[cfg(test)]
#[path = "passes/tests.rs"]
mod tests;

impl Core {
    /// Tells a query which nodes this conductor visits.
    fn mine(self: &Arc<Self>) -> impl Fn(NodeId, &str, &str) -> bool + Send + use<> {
        let core = Arc::clone(self);
        move |id, driver, group| core.is_mine(id, driver, group)
    }
}
