//! The `no-…` interfaces: what a machine does not have.
//!
//! Validating one, and asking it for anything that changes the machine, says that the driver does
//! not support the kind. Reading settings anew finds nothing to tell, because the conductor does
//! that with every machine.

use crate::{
    DriverError,
    iface::{
        Bios, Console, Firmware, Inspect, Inspection, Interface, Machine, Raid, Readiness, Rescue,
        Vendor,
    },
    logical_disk::LOGICAL_DISK_PROPERTIES,
};
use async_trait::async_trait;
use serde_json::Value;
use types::{InterfaceKind, JsonMap, LeaseProof, rpc::VendorMethod, step::OnRestart};

/// The absence of one kind of interface.
#[derive(Debug, Clone, Copy)]
pub struct Absent {
    kind: InterfaceKind,
    name: &'static str,
}

impl Absent {
    pub const BIOS: Self = Self::of(InterfaceKind::Bios, "no-bios");
    pub const CONSOLE: Self = Self::of(InterfaceKind::Console, "no-console");
    pub const FIRMWARE: Self = Self::of(InterfaceKind::Firmware, "no-firmware");
    pub const INSPECT: Self = Self::of(InterfaceKind::Inspect, "no-inspect");
    pub const RAID: Self = Self::of(InterfaceKind::Raid, "no-raid");
    pub const RESCUE: Self = Self::of(InterfaceKind::Rescue, "no-rescue");
    pub const VENDOR: Self = Self::of(InterfaceKind::Vendor, "no-vendor");

    const fn of(kind: InterfaceKind, name: &'static str) -> Self {
        Self { kind, name }
    }

    fn refuse<T>(&self) -> Result<T, DriverError> {
        Err(DriverError::Unsupported {
            what: self.kind.as_str(),
        })
    }
}

#[async_trait]
impl Interface for Absent {
    fn name(&self) -> &'static str {
        self.name
    }

    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        self.refuse()
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Bios for Absent {
    async fn cache_settings(&self, _machine: &mut Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }
}

#[async_trait]
impl Console for Absent {
    async fn start(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.refuse()
    }
    async fn stop(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.refuse()
    }
    async fn info(&self, _machine: &Machine<'_>) -> Result<Value, DriverError> {
        self.refuse()
    }
}

#[async_trait]
impl Firmware for Absent {
    async fn cache_components(&self, _machine: &mut Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }
}

#[async_trait]
impl Inspect for Absent {
    async fn inspect(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<Inspection, DriverError> {
        self.refuse()
    }
}

#[async_trait]
impl Raid for Absent {
    fn logical_disk_properties(&self) -> &'static [(&'static str, &'static str)] {
        LOGICAL_DISK_PROPERTIES
    }
}

#[async_trait]
impl Rescue for Absent {
    async fn rescue(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError> {
        self.refuse()
    }
    async fn unrescue(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.refuse()
    }
    async fn clean_up(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
}

#[async_trait]
impl Vendor for Absent {
    fn methods(&self) -> Vec<VendorMethod> {
        Vec::new()
    }
    fn check(&self, method: &str, _arguments: &JsonMap) -> Result<(), DriverError> {
        Err(DriverError::InvalidParameter(format!(
            "No handler for method {method}"
        )))
    }
    async fn call(
        &self,
        _lease: Option<&LeaseProof>,
        _machine: &mut Machine<'_>,
        _method: &str,
        _arguments: &JsonMap,
    ) -> Result<Value, DriverError> {
        self.refuse()
    }
}
