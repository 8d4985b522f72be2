//! Fake power: the state is what the node's row says.

use super::Fake;
use crate::{
    DriverError,
    iface::{Machine, Power},
};
use async_trait::async_trait;
use types::{InterfaceKind, LeaseProof, PowerState, PowerTarget};

#[async_trait]
impl Power for Fake {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        self.bench
            .read(machine, InterfaceKind::Power, "get")
            .await?;
        Ok(machine.node.power_state)
    }

    async fn set(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        _timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        self.bench
            .change(lease, machine, InterfaceKind::Power, "set")
            .await?;
        machine.node.power_state = Some(target.end_state());
        Ok(())
    }

    fn supported(&self) -> &'static [PowerTarget] {
        PowerTarget::ALL
    }
}
