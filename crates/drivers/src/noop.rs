//! The `noop` interfaces: what somebody else takes care of.
//!
//! Networks that need no switching, machines without attached volumes, and boot orders that were
//! set by hand. They accept and do nothing, in contrast to the absent ones, which refuse.

mod deploy;

pub use deploy::NoopDeploy;

use crate::{
    DriverError,
    iface::{Interface, Machine, Management, Network, NetworkPurpose, Storage},
};
use async_trait::async_trait;
use types::{LeaseProof, rpc::BootDevice, step::OnRestart};

/// The implementation named `noop` of every kind that has one.
#[derive(Debug, Clone, Copy)]
pub struct Noop;

#[async_trait]
impl Interface for Noop {
    fn name(&self) -> &'static str {
        "noop"
    }
    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }
    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

const BOOT_DEVICES: &[&str] = &["pxe", "disk"];

#[async_trait]
impl Management for Noop {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        BOOT_DEVICES
    }
    /// The machine is expected to try the network first, always.
    async fn boot_device(&self, _machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        Ok(BootDevice {
            device: Some("pxe".to_owned()),
            persistent: Some(true),
        })
    }
    async fn set_boot_device(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        _persistent: bool,
    ) -> Result<(), DriverError> {
        if !BOOT_DEVICES.contains(&device) {
            return Err(DriverError::InvalidParameter(format!(
                "Invalid boot device {device} specified, supported are {}.",
                BOOT_DEVICES.join(", ")
            )));
        }
        tracing::debug!(node.id = %machine.node.id, device, "boot order is left to what was set by hand");
        Ok(())
    }
}

#[async_trait]
impl Network for Noop {
    async fn add_network(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _purpose: NetworkPurpose,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    async fn remove_network(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _purpose: NetworkPurpose,
    ) -> Result<(), DriverError> {
        Ok(())
    }
}

#[async_trait]
impl Storage for Noop {
    async fn attach_volumes(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    async fn detach_volumes(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    fn should_write_image(&self, _machine: &Machine<'_>) -> bool {
        true
    }
}
