//! The conductor as others see it.

mod calls;

use crate::{Settings, core::Core, enrolment::Ports, passes, record};
use cluster::View;
use drivers::Registry;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use store::{Db, StoreError, member::Registration};
use types::{Conductor, pass::PassReport, sensor::NodeReadings};

/// A running conductor.
pub struct Service {
    pub(crate) core: Arc<Core>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service")
            .field("host", &self.core.settings.host)
            .finish_non_exhaustive()
    }
}

impl Service {
    /// Registers, takes up what an earlier incarnation left, and starts the periodic passes.
    pub async fn start(
        db: Db,
        registry: Registry,
        settings: Settings,
    ) -> Result<Arc<Self>, StoreError> {
        let started = Instant::now();
        let me = store::member::register(&db, registration(&registry, &settings)).await?;
        tracing::info!(host = me.host, epoch = me.epoch, "conductor registered");
        record::show_operations();
        if let Some(boot) = registry.boot() {
            boot.ask_about_ports(Arc::new(Ports(db.clone())));
        }
        let core = Core::new(db, registry, settings, me, started);
        passes::keepalive::spawn(&core);
        core.view.refresh().await?;
        passes::resume_own(&core).await?;
        passes::settle_imported(&core).await?;
        passes::spawn(&core);
        if let Some(updates) = &core.power_updates {
            let sending = Arc::clone(updates).run(core.stop.clone());
            core.tasks.spawn(sending);
        }
        if !core.settings.sync_local_state_interval.is_zero() {
            passes::local_state::begin(&core).await;
        }
        Ok(Arc::new(Self { core }))
    }

    /// From now on batches are run here; `crew` are all conductors, as the API asks them.
    pub fn run_batches(&self, crew: Arc<dyn Conductor>) {
        self.core.batches.open(crew);
    }

    /// The name of this conductor.
    pub fn host(&self) -> &str {
        &self.core.settings.host
    }

    /// Who is alive, as this conductor sees it.
    pub fn view(&self) -> Arc<View> {
        Arc::clone(&self.core.view)
    }

    /// How the periodic passes of this conductor fare.
    pub fn passes(&self) -> Vec<PassReport> {
        self.core.ledger.reports()
    }

    /// The newest readings of the sensors of this conductor's machines.
    pub fn readings(&self) -> Vec<Arc<NodeReadings>> {
        self.core.ledger.readings()
    }

    /// Takes no more work up by itself and leaves the ring, so that the others take requests and
    /// nodes over. What is under way goes on.
    pub async fn leave(&self) {
        let core = &self.core;
        if core.leaving.is_cancelled() {
            return;
        }
        core.leaving.cancel();
        if core.stays_registered() {
            return;
        }
        if let Err(error) = store::member::renew(&core.db, &core.me(), false).await {
            tracing::warn!(error = %types::error::chain(&error), "the conductor could not leave the ring");
        }
    }

    /// From now on the conductor stays in the ring when it stops: it will be back soon.
    pub fn stay_registered(&self) {
        self.core.stay_registered();
    }

    /// Leaves, waits until nobody works under a lease any more, and stops.
    pub async fn drain(&self) {
        self.leave().await;
        let core = &self.core;
        let limit = core.settings.drain_shutdown_timeout;
        if !within(limit, core.hands.empty()).await {
            tracing::warn!("some work did not end in time; it goes on elsewhere or later");
        }
        self.stop().await;
    }

    /// Leaves, lets workers reach the end of their step, and signs off.
    ///
    /// Who ended in time gives the others what is left at once. Otherwise nobody can tell what the
    /// hardware is doing at this moment, and the others wait until we have been silent for as long
    /// as a dead conductor.
    pub async fn stop(&self) {
        self.leave().await;
        let core = &self.core;
        core.stop.cancel();
        core.tasks.close();
        let ended = within(core.settings.graceful_shutdown_timeout, core.tasks.wait()).await;
        if !ended {
            tracing::warn!(
                "some workers did not end in time; their work goes on after the next start"
            );
        }
        core.incarnation().end();
        core.over.cancel();
        core.vital.close();
        core.vital.wait().await;
        core.batches.close();
        if !ended || core.stays_registered() {
            return;
        }
        let yielded = store::site_network::yield_to_others(&core.db, self.host(), None);
        if let Err(error) = yielded.await {
            tracing::warn!(error = %types::error::chain(&error), "the conductor could not give its networks back");
        }
        if let Err(error) = store::member::sign_off(&core.db, &core.me()).await {
            tracing::warn!(error = %types::error::chain(&error), "the conductor could not sign off");
        }
    }
}

/// Whether something ended within a limit, of which zero is none.
async fn within(limit: Duration, end: impl Future<Output = ()>) -> bool {
    if limit.is_zero() {
        end.await;
        return true;
    }
    tokio::time::timeout(limit, end).await.is_ok()
}

pub(crate) fn registration(registry: &Registry, settings: &Settings) -> Registration {
    Registration {
        hostname: settings.host.clone(),
        conductor_group: settings.conductor_group.clone(),
        drivers: registry.hardware_types().map(str::to_owned).collect(),
        interfaces: registry.offered(),
        url: settings.url.clone(),
    }
}
