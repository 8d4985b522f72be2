//! Fake power: the state is what the node's row says, unless `fake_power` says that somebody
//! changed it behind the service's back.
//!
//! The surprise is over when the service next changes the power; which one was overruled is noted in
//! `driver_internal_info`, so that another conductor sees the same machine.

use super::Fake;
use crate::{
    DriverError,
    iface::{Machine, Power},
};
use async_trait::async_trait;
use types::{InterfaceKind, LeaseProof, PowerState, PowerTarget};

const SURPRISE: &str = "fake_power";

/// The state that the machine is in though nobody asked for it.
fn surprise(machine: &Machine<'_>) -> Option<Option<PowerState>> {
    let wish = machine.driver_info.get(SURPRISE)?;
    let mut parts = wish.as_str()?.split('#');
    let state = parts.next()?.trim();
    let stays = parts.next() == Some("always");
    if !stays && machine.node.driver_internal_info.overruled_fake_power() == Some(wish) {
        return None;
    }
    match state {
        "unknown" => Some(None),
        state => Some(Some(state.parse().ok()?)),
    }
}

#[async_trait]
impl Power for Fake {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        self.bench
            .read(machine, InterfaceKind::Power, "get")
            .await?;
        Ok(surprise(machine).unwrap_or(machine.node.power_state))
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
        if let Some(overruled) = machine.driver_info.get(SURPRISE) {
            let info = &mut machine.node.driver_internal_info;
            info.set_overruled_fake_power(overruled.clone());
        }
        machine.node.power_state = Some(target.end_state());
        Ok(())
    }

    fn supported(&self) -> &'static [PowerTarget] {
        PowerTarget::ALL
    }
}
