//! Fake boot: nothing is prepared and nothing is left behind.
//!
//! Like Ironic's it boots no ramdisk for inspection or rescue, unless `driver_info` says
//! `fake_boots_ramdisks`; what it was then asked to boot is noted in `driver_internal_info`.

use super::Fake;
use crate::{
    DriverError,
    iface::{Boot, BootFrom, Machine, Ramdisk},
};
use async_trait::async_trait;
use serde_json::json;
use types::{InterfaceKind, LeaseProof, Timestamp};

const KIND: InterfaceKind = InterfaceKind::Boot;

/// Where it is noted what a machine was to boot.
const NOTED: &str = "fake_ramdisk";

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
    let told = json!({
        "kind": format!("{:?}", ramdisk.kind).to_lowercase(),
        "parameters": parameters.collect::<Vec<_>>(),
    });
    let info = &mut machine.node.driver_internal_info;
    info.insert(NOTED.into(), told);
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

    async fn validate_rescue(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        boots_ramdisks(machine, "validate_rescue")
    }

    async fn clean_up_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        machine.node.driver_internal_info.remove(NOTED);
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
