//! Fake inspection: finds nothing, at once.

use super::{Bench, Fake};
use crate::{
    DriverError,
    iface::{Awaited, Inspect, Inspection, Machine},
};
use async_trait::async_trait;
use types::{InterfaceKind, LeaseProof};

const KIND: InterfaceKind = InterfaceKind::Inspect;

#[async_trait]
impl Inspect for Fake {
    async fn inspect(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Inspection, DriverError> {
        self.bench.change(lease, machine, KIND, "inspect").await?;
        Ok(
            match Bench::must_wait(machine.driver_info, KIND, "inspect") {
                Some(reason) => Inspection::Wait(Awaited::Other(reason)),
                None => Inspection::Done,
            },
        )
    }

    async fn abort(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench
            .change(lease, machine, InterfaceKind::Inspect, "abort")
            .await
    }
}
