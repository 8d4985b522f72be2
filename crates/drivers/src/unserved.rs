//! Boot and deploy interfaces that this build knows by name and cannot serve.
//!
//! Hardware types need one of each. A node that has them can be powered, configured and inspected
//! through its BMC; whatever would boot a ramdisk or an instance is refused with a sentence that
//! says so, before the machine is touched.

use crate::{
    DriverError,
    iface::{Boot, BootFrom, Deploy, Interface, Machine, Ramdisk, Readiness},
};
use async_trait::async_trait;
use types::{LeaseProof, step::OnRestart};

/// An interface that would have to boot the machine.
#[derive(Debug, Clone, Copy)]
pub struct Unserved {
    name: &'static str,
    properties: &'static [(&'static str, &'static str)],
}

/// What network boot will need to know.
const BOOT_PROPERTIES: &[(&str, &str)] = &[
    (
        "deploy_kernel",
        "Kernel of the ramdisk that deploys, cleans and inspects: a URL, a file or a Glance image. Required.",
    ),
    (
        "deploy_ramdisk",
        "The ramdisk itself: a URL, a file or a Glance image. Required.",
    ),
    (
        "rescue_kernel",
        "Kernel of the rescue ramdisk. Required for rescue mode.",
    ),
    (
        "rescue_ramdisk",
        "The rescue ramdisk. Required for rescue mode.",
    ),
    (
        "kernel_append_params",
        "More kernel parameters for the ramdisk; %default% stands for those of the configuration. Optional.",
    ),
    (
        "force_persistent_boot_device",
        "Whether the boot device is set for every boot: Default, Always or Never. Optional.",
    ),
];

impl Unserved {
    pub const fn boot(name: &'static str) -> Self {
        Self {
            name,
            properties: BOOT_PROPERTIES,
        }
    }

    pub const fn deploy(name: &'static str) -> Self {
        Self {
            name,
            properties: &[],
        }
    }

    fn refuse<T>(&self) -> Result<T, DriverError> {
        Err(DriverError::InvalidParameter(format!(
            "This build cannot boot machines, which interface '{}' would have to do; what goes through the BMC alone is possible",
            self.name
        )))
    }
}

#[async_trait]
impl Interface for Unserved {
    fn name(&self) -> &'static str {
        self.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        self.properties
    }

    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        self.refuse()
    }

    fn on_restart(&self) -> OnRestart {
        // It never did anything.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Boot for Unserved {
    async fn prepare_ramdisk(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _ramdisk: &Ramdisk,
    ) -> Result<Option<BootFrom>, DriverError> {
        self.refuse()
    }
    async fn clean_up_ramdisk(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
    async fn prepare_instance(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<Option<BootFrom>, DriverError> {
        self.refuse()
    }
    async fn clean_up_instance(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
}

#[async_trait]
impl Deploy for Unserved {
    async fn prepare(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.refuse()
    }
    async fn tear_down(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.refuse()
    }
    async fn take_over(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.refuse()
    }
    async fn prepare_cleaning(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError> {
        self.refuse()
    }
    async fn prepare_service(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError> {
        self.refuse()
    }
}
