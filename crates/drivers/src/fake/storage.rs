//! Fake storage: volumes come and go, and images are always written to the disk.

use super::Fake;
use crate::{
    DriverError,
    iface::{Machine, Storage},
};
use async_trait::async_trait;
use types::{InterfaceKind, LeaseProof};

const KIND: InterfaceKind = InterfaceKind::Storage;

#[async_trait]
impl Storage for Fake {
    async fn attach_volumes(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench
            .change(lease, machine, KIND, "attach_volumes")
            .await
    }

    async fn detach_volumes(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.bench
            .change(lease, machine, KIND, "detach_volumes")
            .await
    }

    fn should_write_image(&self, _machine: &Machine<'_>) -> bool {
        true
    }
}
