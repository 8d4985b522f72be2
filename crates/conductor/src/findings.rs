//! What drivers read from machines: what the node shows of it, and what the service keeps beside the
//! node, BIOS settings and firmware components.
//!
//! These are written before the node is, so that a step which changed them and is interrupted before
//! its end is saved leaves nothing worse than settings that are already right.

use crate::{
    lock,
    task::{Attempt, Stop, Task},
};
use drivers::{
    DriverError, Failure,
    iface::{Findings, Machine, Management},
};
use store::StoreError;
use types::Node;

/// What a machine says about itself, and its row shows without asking it each time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    boot_mode: Option<String>,
    secure_boot: Option<bool>,
    /// Absent when it was not asked for, or is not told.
    health: Option<Option<String>>,
    vendor: Option<String>,
}

impl Seen {
    /// Asks the machine. Nothing depends on the answers, so what cannot be read is only logged.
    pub(crate) async fn of(
        management: &dyn Management,
        machine: &Machine<'_>,
        health_monitoring: bool,
    ) -> Self {
        let node = &*machine.node;
        let told = |what: &str, error: &DriverError| {
            if !matches!(error, DriverError::Unsupported { .. }) {
                let error = super::flow::reason(node, error);
                let error = types::mask::text(&error);
                tracing::warn!(node = %node.id, what, %error, "cannot be read");
            }
        };
        let mut seen = Self {
            boot_mode: management.boot_mode(machine).await.ok().flatten(),
            secure_boot: management.secure_boot(machine).await.ok().flatten(),
            ..Self::default()
        };
        if health_monitoring {
            match management.health(machine).await {
                Ok(health) => seen.health = Some(health),
                Err(error) => told("health", &error),
            }
        }
        // Whoever was told by an operator need not be asked.
        if !node.properties.contains_key("vendor") {
            match management.vendor(machine).await {
                Ok(vendor) => seen.vendor = vendor,
                Err(error) => told("maker", &error),
            }
        }
        seen
    }

    /// Whether the row says something else.
    pub(crate) fn is_news(&self, node: &Node) -> bool {
        let differs =
            |seen: &Option<String>, noted: &Option<String>| seen.is_some() && seen != noted;
        differs(&self.boot_mode, &node.boot_mode)
            || self.secure_boot.is_some() && self.secure_boot != node.secure_boot
            || self
                .health
                .as_ref()
                .is_some_and(|health| *health != node.health)
            || self.vendor.is_some() && !node.properties.contains_key("vendor")
    }

    /// Puts it into the row.
    pub(crate) fn note(self, node: &mut Node) {
        node.boot_mode = self.boot_mode.or(node.boot_mode.take());
        node.secure_boot = self.secure_boot.or(node.secure_boot);
        if let Some(health) = self.health {
            node.health = health;
        }
        if let Some(vendor) = self.vendor {
            let vendor_or_known = node.properties.entry("vendor");
            vendor_or_known.or_insert(vendor.into());
        }
    }
}

impl Task {
    /// Stores what a call found out. A database that is away is waited for.
    pub(crate) async fn keep(&self, found: Findings) -> Attempt {
        loop {
            let stored = self.store(found.clone()).await;
            let error = match stored {
                Ok(()) => return Ok(Ok(())),
                Err(StoreError::Unavailable(error)) => error,
                Err(other) => {
                    return Ok(Err(DriverError::Environment(Failure::new(
                        types::error::chain(&other),
                    ))));
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
        let health = self.settings().health_monitoring;
        let seen = Seen::of(&*hardware.management, &self.machine(), health).await;
        seen.note(&mut self.node);
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
