//! The `staging-iboot` power interface: outlets of Dataprobe's iBoot, switched by DxP over TCP.
//!
//! A connection carries one order. The password is in it, in the clear, so it goes to the address
//! that the node names and nowhere else. An outlet is looked at after it was switched; whether there
//! is a machine behind it, and what it does, the device cannot know.

mod info;
mod talk;

pub use info::Info;
pub use talk::Iboot;

use crate::{
    DriverError,
    gate::GateSettings,
    iface::{Interface, Machine, Power},
    power::wait_for_state,
};
use async_trait::async_trait;
use outbound::Policy;
use proto::iboot::Order;
use std::{sync::Arc, time::Duration};
use types::{LeaseProof, PowerState, PowerTarget, step::OnRestart};

/// The options of `[iboot]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IbootSettings {
    pub gate: GateSettings,
    /// Where devices may be.
    pub outbound: Policy,
    /// How long a connection and each answer may take.
    pub timeout: Duration,
    /// How often an order is repeated.
    pub retries: u32,
    /// How long to wait before it is, and between two looks at an outlet.
    pub pause: Duration,
    /// How long an outlet is left off when a machine is rebooted.
    pub reboot_delay: Duration,
}

impl Default for IbootSettings {
    fn default() -> Self {
        Self {
            gate: GateSettings {
                // One silence is already an order that was repeated several times.
                silences: 3,
                ..GateSettings::default()
            },
            outbound: Policy::default(),
            timeout: Duration::from_secs(10),
            retries: 3,
            pause: Duration::from_secs(1),
            reboot_delay: Duration::from_secs(5),
        }
    }
}

/// Power by outlets of iBoots.
#[derive(Debug, Clone)]
pub struct IbootPower(pub Arc<Iboot>);

#[async_trait]
impl Interface for IbootPower {
    fn name(&self) -> &'static str {
        "staging-iboot"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        info::PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        Info::of(machine.node.id, machine.driver_info).map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Power for IbootPower {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        let info = Info::of(machine.node.id, machine.driver_info)?;
        self.state(&info).await.map(Some)
    }

    async fn set(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let info = Info::of(machine.node.id, machine.driver_info)?;
        let settings = &self.0.settings;
        let usual = settings.pause.saturating_mul(settings.retries);
        let limit = timeout_s.map_or(usual, Duration::from_secs);
        match target {
            PowerTarget::On => self.switch(&info, PowerState::On, limit).await,
            PowerTarget::Off => self.switch(&info, PowerState::Off, limit).await,
            PowerTarget::Reboot if machine.node.stays_on() => Err(DriverError::must_stay_on(
                machine.node.id,
                "an iBoot cannot reboot a machine otherwise",
            )),
            PowerTarget::Reboot => {
                self.switch(&info, PowerState::Off, limit).await?;
                tokio::time::sleep(self.0.settings.reboot_delay).await;
                self.switch(&info, PowerState::On, limit).await
            }
            PowerTarget::SoftOff | PowerTarget::SoftReboot => {
                Err(DriverError::no_power_target(target))
            }
        }
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    }
}

impl IbootPower {
    async fn state(&self, info: &Info) -> Result<PowerState, DriverError> {
        let relays = usize::from(info.relay);
        let operation = "power status";
        let told = self.0.ask(info, operation, &Order::Get, relays).await?;
        // A device that refuses answers a byte that also says that relay 1 is on.
        match told.last() {
            Some(&Order::ON) => Ok(PowerState::On),
            Some(&Order::OFF) => Ok(PowerState::Off),
            odd => Err(self.0.nonsense(info, operation, odd.copied())),
        }
    }

    /// Switches an outlet, and looks at it until it is so.
    async fn switch(
        &self,
        info: &Info,
        wanted: PowerState,
        limit: Duration,
    ) -> Result<(), DriverError> {
        let (operation, state) = match wanted {
            PowerState::On => ("power on", Order::ON),
            _ => ("power off", Order::OFF),
        };
        let relay = info.relay;
        let order = Order::Change { relay, state };
        self.0.order(info, operation, &order).await?;
        let pause = self.0.settings.pause;
        wait_for_state(&info.named(), wanted, limit, pause, || self.state(info)).await
    }
}
