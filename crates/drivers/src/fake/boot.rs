//! Fake boot: nothing is prepared and nothing is left behind.

use super::Fake;
use crate::{
    DriverError,
    iface::{Boot, BootFrom, Machine, Ramdisk},
};
use async_trait::async_trait;
use types::{InterfaceKind, LeaseProof};

const KIND: InterfaceKind = InterfaceKind::Boot;

#[async_trait]
impl Boot for Fake {
    async fn prepare_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        _ramdisk: &Ramdisk,
    ) -> Result<Option<BootFrom>, DriverError> {
        self.bench
            .change(lease, machine, KIND, "prepare_ramdisk")
            .await?;
        Ok(None)
    }

    async fn clean_up_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench
            .change(lease, machine, KIND, "clean_up_ramdisk")
            .await
    }

    async fn prepare_instance(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Option<BootFrom>, DriverError> {
        self.bench
            .change(lease, machine, KIND, "prepare_instance")
            .await?;
        Ok(None)
    }

    async fn clean_up_instance(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench
            .change(lease, machine, KIND, "clean_up_instance")
            .await
    }
}
