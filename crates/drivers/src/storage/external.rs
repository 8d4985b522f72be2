//! The `external` storage interface: somebody else connects the volumes, and the targets of the node
//! say where they are.

use super::{is_iscsi, requirements::NO_IPXE};
use crate::{
    DriverError,
    iface::{Interface, Machine, Storage},
};
use async_trait::async_trait;
use types::{LeaseProof, step::OnRestart};

#[derive(Debug, Clone, Copy)]
pub struct ExternalStorage;

#[async_trait]
impl Interface for ExternalStorage {
    fn name(&self) -> &'static str {
        "external"
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let iscsi = machine.volumes.targets.iter().any(is_iscsi);
        if iscsi && !machine.volumes.are_bootable {
            return Err(DriverError::InvalidParameter(format!(
                "Failed to validate external storage interface for node {}. {NO_IPXE}",
                machine.node.id
            )));
        }
        Ok(())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Storage for ExternalStorage {
    fn uses_volumes(&self) -> bool {
        true
    }

    async fn attach_volumes(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }

    async fn detach_volumes(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }

    fn should_write_image(&self, machine: &Machine<'_>) -> bool {
        machine.root_volume().is_none()
    }
}
