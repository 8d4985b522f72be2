//! Power.

use super::{DONE, DracServer, class, field, order};
use crate::{
    DriverError,
    iface::{Machine, Power},
    power::wait_for_state,
};
use async_trait::async_trait;
use proto::wsman::Argument;
use std::time::Duration;
use types::{LeaseProof, PowerState, PowerTarget};

/// How long a server may take to switch where nobody says.
const POWER_WAIT: Duration = Duration::from_secs(60);

const SYSTEM: &[(&str, &str)] = &[
    ("CreationClassName", "DCIM_ComputerSystem"),
    ("Name", "srv:system"),
];

impl DracServer {
    async fn state(&self, machine: &Machine<'_>) -> Result<PowerState, DriverError> {
        let mut talk = self.open(machine, "power status").await?;
        let query = "select EnabledState from DCIM_ComputerSystem";
        let class = class!("DCIM_ComputerSystem");
        let found = talk.enumerate(class, Some(query)).await?;
        let state = found.iter().find_map(|one| field(one, "EnabledState"));
        match state.as_deref() {
            // It is on while it restarts.
            Some("2" | "11") => Ok(PowerState::On),
            Some("3") => Ok(PowerState::Off),
            Some(odd) => {
                tracing::warn!(node = %machine.node.id, state = talk.quoted(odd), "a server is neither on nor off");
                Ok(PowerState::Error)
            }
            None => Err(talk.error(DriverError::Protocol, "its answer has no EnabledState")),
        }
    }

    async fn request(
        &self,
        machine: &Machine<'_>,
        operation: &str,
        state: &str,
    ) -> Result<(), DriverError> {
        let mut talk = self.open(machine, operation).await?;
        let system = (class!("DCIM_ComputerSystem"), SYSTEM);
        let arguments = [Argument::Text("RequestedState", state)];
        let method = "RequestStateChange";
        order(&mut talk, system, method, &arguments, DONE)
            .await
            .map(|_| ())
    }
}

#[async_trait]
impl Power for DracServer {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        self.state(machine).await.map(Some)
    }

    async fn set(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let limit = timeout_s.map_or(POWER_WAIT, Duration::from_secs);
        let now = match target {
            PowerTarget::SoftOff | PowerTarget::SoftReboot => {
                return Err(DriverError::no_power_target(target));
            }
            _ => self.state(machine).await?,
        };
        // Asked for the state that it has, an iDRAC refuses.
        let (operation, state) = match target {
            PowerTarget::Off if now == PowerState::Off => return Ok(()),
            PowerTarget::Off => ("power off", "3"),
            PowerTarget::On if now == PowerState::On => return Ok(()),
            PowerTarget::Reboot if now != PowerState::Off => ("reboot", "11"),
            _ => ("power on", "2"),
        };
        if target != PowerTarget::Off {
            self.tell_boot_device(machine).await?;
        }
        let machine: &Machine<'_> = machine;
        self.request(machine, operation, state).await?;
        let named = format!("The server of {}", self.info(machine)?.place.origin);
        let look = || self.state(machine);
        wait_for_state(&named, target.end_state(), limit, self.0.pause, look).await
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    }
}
