//! Fake boot: nothing is prepared and nothing is left behind.
//!
//! Like Ironic's it boots no ramdisk for inspection or rescue, unless `driver_info` says
//! `fake_boots_ramdisks`; what it was then asked to boot is noted in `driver_internal_info`.

use super::Fake;
use crate::{
    DriverError,
    iface::{Boot, BootFrom, Machine, Ramdisk, RamdiskKind},
};
use async_trait::async_trait;
use types::{InterfaceKind, LeaseProof, Timestamp};

const KIND: InterfaceKind = InterfaceKind::Boot;

fn boots_ramdisks(machine: &Machine<'_>, what: &'static str) -> Result<(), DriverError> {
    let told = machine.driver_info.get("fake_boots_ramdisks");
    if told.is_some_and(types::pyrepr::truth) {
        return Ok(());
    }
    Err(DriverError::Unsupported { what })
}

fn note(machine: &mut Machine<'_>, ramdisk: &Ramdisk) {
    if boots_ramdisks(machine, "").is_err() {
        return;
    }
    let parameters = ramdisk.parameters.iter();
    let parameters = parameters.map(|(key, value)| format!("{key}={value}"));
    let parameters: Vec<String> = parameters.collect();
    let kind = format!("{:?}", ramdisk.kind).to_lowercase();
    let info = &mut machine.node.driver_internal_info;
    info.set_fake_ramdisk(&kind, &parameters);
}

#[async_trait]
impl Boot for Fake {
    async fn prepare_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
    ) -> Result<Option<BootFrom>, DriverError> {
        self.bench
            .change(lease, machine, KIND, "prepare_ramdisk")
            .await?;
        note(machine, ramdisk);
        Ok(None)
    }

    async fn restore_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
        _prepared: Timestamp,
    ) -> Result<bool, DriverError> {
        self.bench
            .change(lease, machine, KIND, "restore_ramdisk")
            .await?;
        note(machine, ramdisk);
        Ok(true)
    }

    async fn validate_inspection(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        boots_ramdisks(machine, "validate_inspection")
    }

    async fn validate_ramdisk(
        &self,
        machine: &Machine<'_>,
        kind: RamdiskKind,
    ) -> Result<(), DriverError> {
        match kind {
            RamdiskKind::Deploy => Ok(()),
            RamdiskKind::Rescue => boots_ramdisks(machine, "validate_rescue"),
        }
    }

    async fn clean_up_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        machine.node.driver_internal_info.forget_fake_ramdisk();
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
