//! A node with a Redfish service, without a service of ours around it.

use drivers::{
    DriverError,
    iface::{Machine, Management, Power},
    redfish::{Redfish, RedfishManagement, RedfishPower, RedfishSettings},
};
use std::{sync::Arc, time::Duration};
use types::{JsonMap, LeaseProof, Node, NodeId, PowerState, PowerTarget};

pub(super) const PASSWORD: &str = "not-to-be-told";

/// Waits that fit services on the same machine.
pub(super) fn settings() -> RedfishSettings {
    let short = Duration::from_millis(10);
    let mut settings = RedfishSettings {
        attempts: 3,
        attempt_pause: short,
        connect_timeout: Duration::from_secs(10),
        read_timeout: Duration::from_secs(20),
        server_retries: 2,
        server_retry_pause: short,
        reset_pause: short,
        power_wait: Duration::from_secs(20),
        soft_off_wait: Duration::from_secs(20),
        power_on_conflicts: 2,
        power_on_conflict_pause: short,
        post_attempts: 3,
        post_pause: short,
        boot_mode_wait: Duration::from_secs(20),
        boot_mode_pause: short,
        bmc_reset_pause: short,
        bmc_reset_look: Duration::from_millis(100),
        bmc_reset_wait: Duration::from_secs(60),
        ..RedfishSettings::default()
    };
    settings.gate.interval = Duration::ZERO;
    settings
}

pub(super) struct Bench {
    pub(super) redfish: Arc<Redfish>,
    pub(super) node: Node,
    pub(super) info: JsonMap,
    pub(super) lease: LeaseProof,
}

impl Bench {
    pub(super) fn new(info: JsonMap, settings: RedfishSettings) -> Self {
        let id = NodeId::generate();
        Self {
            redfish: Arc::new(Redfish::new(settings)),
            node: Node::new(id, "redfish"),
            info,
            lease: LeaseProof::granted(id, 1),
        }
    }

    pub(super) fn machine(&mut self) -> Machine<'_> {
        Machine::new(&mut self.node, &self.info, &[])
    }

    pub(super) fn power(&self) -> RedfishPower {
        RedfishPower {
            redfish: Arc::clone(&self.redfish),
            name: "redfish",
        }
    }

    pub(super) fn management(&self) -> RedfishManagement {
        RedfishManagement::new(&self.redfish, "redfish")
    }

    pub(super) fn idrac(&self) -> RedfishManagement {
        RedfishManagement::idrac(&self.redfish)
    }

    pub(super) async fn switch(&mut self, target: PowerTarget) -> Result<(), DriverError> {
        let (power, lease) = (self.power(), self.lease.clone());
        power.set(&lease, &mut self.machine(), target, None).await
    }

    pub(super) async fn state(&mut self) -> Result<Option<PowerState>, DriverError> {
        self.power().get(&self.machine()).await
    }

    /// Sets the boot device; what there was to warn of.
    pub(super) async fn boot_from(
        &mut self,
        device: &str,
        persistent: bool,
    ) -> Result<Vec<String>, DriverError> {
        let (management, lease) = (self.management(), self.lease.clone());
        let machine = &mut self.machine();
        management
            .set_boot_device(&lease, machine, device, persistent)
            .await?;
        Ok(std::mem::take(&mut machine.found.warnings))
    }
}

/// The text of a failure, which must not hold the password.
#[track_caller]
pub(super) fn text<T: std::fmt::Debug>(outcome: Result<T, DriverError>) -> String {
    let text = types::error::chain(&outcome.unwrap_err());
    assert!(!text.contains(PASSWORD), "{text}");
    text
}
