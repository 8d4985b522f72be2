//! What drivers read from machines and the service keeps beside the node: BIOS settings and
//! firmware components.
//!
//! They are written before the node is, so that a step which changed them and is interrupted before
//! its end is saved leaves nothing worse than settings that are already right.

use crate::{
    lock,
    task::{Stop, Task},
};
use drivers::{DriverError, iface::Findings};
use store::StoreError;

impl Task {
    /// Stores what a call found out. A database that is away is waited for.
    pub(crate) async fn keep(&self, found: Findings) -> Result<Result<(), DriverError>, Stop> {
        loop {
            let stored = self.store(found.clone()).await;
            let error = match stored {
                Ok(()) => return Ok(Ok(())),
                Err(StoreError::Unavailable(error)) => error,
                Err(other) => {
                    return Ok(Err(DriverError::Failed(types::error::chain(&other))));
                }
            };
            let error = types::error::chain(&*error);
            tracing::warn!(node = %self.id(), %error, "settings cannot be stored, trying again");
            let pause = tokio::time::sleep(lock::RECONNECT);
            if self.core.stop.run_until_cancelled(pause).await.is_none() {
                return Err(Stop::Shutdown);
            }
        }
    }

    async fn store(&self, found: Findings) -> Result<(), StoreError> {
        let db = &self.core.db;
        if let Some(settings) = found.bios {
            store::bios::replace(db, self.id(), settings).await?;
        }
        if let Some(components) = found.firmware {
            store::firmware::observe(db, self.id(), components).await?;
        }
        Ok(())
    }

    /// Reads anew what the service shows about a machine without asking it each time: boot mode,
    /// health, BIOS settings, firmware. Nothing depends on it, so what cannot be read is only logged.
    pub(crate) async fn refresh(&mut self) -> Result<(), Stop> {
        let hardware = self.hardware.clone();
        if let Ok(Some(mode)) = hardware.management.boot_mode(&self.machine()).await {
            self.node.boot_mode = Some(mode);
        }
        if let Ok(Some(on)) = hardware.management.secure_boot(&self.machine()).await {
            self.node.secure_boot = Some(on);
        }
        if self.settings().health_monitoring {
            match hardware.management.health(&self.machine()).await {
                Ok(health) => self.node.health = health,
                Err(DriverError::Unsupported { .. }) => {}
                Err(error) => {
                    let error = super::flow::reason(&self.node, &error);
                    tracing::warn!(node = %self.id(), %error, "the health cannot be read");
                }
            }
        }
        // Whoever was told by an operator need not be asked.
        if !self.node.properties.contains_key("vendor") {
            match hardware.management.vendor(&self.machine()).await {
                Ok(Some(vendor)) => {
                    self.node.properties.insert("vendor".into(), vendor.into());
                }
                Ok(None) => {}
                Err(error) => {
                    let error = super::flow::reason(&self.node, &error);
                    tracing::warn!(node = %self.id(), %error, "the maker cannot be read");
                }
            }
        }
        let mut machine = self.machine();
        let bios = hardware.bios.cache_settings(&mut machine).await;
        let firmware = hardware.firmware.cache_components(&mut machine).await;
        let found = std::mem::take(&mut machine.found);
        let stored = self.keep(found).await?;
        for (what, outcome) in [
            ("BIOS settings", bios),
            ("firmware", firmware),
            ("what was read", stored),
        ] {
            match outcome {
                Ok(()) | Err(DriverError::Unsupported { .. }) => {}
                Err(error) => {
                    let error = super::flow::reason(&self.node, &error);
                    let error = types::mask::text(&error);
                    tracing::warn!(node = %self.id(), what, %error, "cannot be refreshed");
                }
            }
        }
        Ok(())
    }
}
