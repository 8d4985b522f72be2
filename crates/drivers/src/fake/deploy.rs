//! Fake deployment: one step that succeeds at once; no ramdisk is ever booted. Who has it wait for
//! one all the same may play that ramdisk.

use super::{Bench, Fake};
use crate::{
    DriverError,
    iface::{Deploy, Machine, Readiness},
};
use async_trait::async_trait;
use types::{
    InterfaceKind, LeaseProof, Node,
    step::{OnRestart, StepKind, StepSpec},
};

const KIND: InterfaceKind = InterfaceKind::Deploy;

/// What a ramdisk is booted for, if it is pretended that there is one.
const RAMDISKS: &[&str] = &["prepare_cleaning", "prepare_service"];

pub(super) const STEPS: &[StepSpec] = &[StepSpec {
    kind: StepKind::Deploy,
    step: "deploy",
    priority: 100,
    abortable: true,
    requires_ramdisk: true,
    args: &[],
    on_restart: OnRestart::Repeat,
}];

#[async_trait]
impl Deploy for Fake {
    fn takes_heartbeats(&self, node: &Node) -> bool {
        RAMDISKS
            .iter()
            .any(|operation| Bench::must_wait(&node.driver_info, KIND, operation).is_some())
    }

    async fn prepare(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench.change(lease, machine, KIND, "prepare").await
    }

    async fn clean_up(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench.change(lease, machine, KIND, "clean_up").await
    }

    async fn tear_down(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench.change(lease, machine, KIND, "tear_down").await
    }

    async fn take_over(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench.change(lease, machine, KIND, "take_over").await
    }

    async fn prepare_cleaning(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError> {
        self.bench
            .make_ready(lease, machine, KIND, "prepare_cleaning")
            .await
    }

    async fn tear_down_cleaning(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench
            .change(lease, machine, KIND, "tear_down_cleaning")
            .await
    }

    async fn prepare_service(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError> {
        self.bench
            .make_ready(lease, machine, KIND, "prepare_service")
            .await
    }

    async fn tear_down_service(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench
            .change(lease, machine, KIND, "tear_down_service")
            .await
    }
}
