//! Fake rescue: the machine is in its rescue system at once.

use super::Fake;
use crate::{
    DriverError,
    iface::{Machine, Readiness, Rescue},
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
        self.bench.make_ready(lease, machine, KIND, "rescue").await
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
