//! Fake rescue: the machine is in its rescue system at once.

use super::{Bench, Fake};
use crate::{
    DriverError,
    iface::{Awaited, Machine, Readiness, Rescue},
};
use async_trait::async_trait;
use types::{InterfaceKind, LeaseProof};

const KIND: InterfaceKind = InterfaceKind::Rescue;

#[async_trait]
impl Rescue for Fake {
    async fn rescue(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError> {
        self.bench.change(lease, machine, KIND, "rescue").await?;
        Ok(
            match Bench::must_wait(machine.driver_info, KIND, "rescue") {
                Some(reason) => Readiness::Wait(Awaited::Other(reason)),
                None => Readiness::Ready,
            },
        )
    }

    async fn unrescue(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench.change(lease, machine, KIND, "unrescue").await
    }

    async fn clean_up(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench.change(lease, machine, KIND, "clean_up").await
    }
}
