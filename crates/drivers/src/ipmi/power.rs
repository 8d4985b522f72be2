//! The `ipmitool` power interface.
//!
//! A change is asked for once and then watched until it has happened: BMCs say "yes" long before
//! the machine is off.

use super::{Info, Ipmi, management};
use crate::{
    DriverError, Failure,
    iface::{Interface, Machine, Power},
};
use async_trait::async_trait;
use proto::ipmi::command::chassis::{self, Control};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use types::{LeaseProof, PowerState, PowerTarget, step::OnRestart};

/// How long to wait before the first look, and at most between two.
const FIRST_LOOK: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Power by IPMI.
#[derive(Debug, Clone)]
pub struct IpmiPower(pub Arc<Ipmi>);

#[async_trait]
impl Interface for IpmiPower {
    fn name(&self) -> &'static str {
        "ipmitool"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        super::info::PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.0.info(machine)?.check_address(machine.node)
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Power for IpmiPower {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        let info = self.0.info(machine)?;
        self.state(&info).await.map(Some)
    }

    async fn set(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let info = self.0.info(machine)?;
        let given = timeout_s.map(Duration::from_secs);
        let limit = given.unwrap_or(self.0.settings.power_wait);
        let soft_limit = given.unwrap_or(self.0.settings.soft_off_wait);
        match target {
            PowerTarget::On => self.on(lease, machine, &info, limit).await,
            PowerTarget::Off => self.off(&info, limit).await,
            PowerTarget::SoftOff => self.soft_off(&info, soft_limit).await,
            PowerTarget::SoftReboot => {
                if machine.node.stays_on() {
                    return Err(DriverError::InvalidParameter(format!(
                        "Node {} hardware does not support feature {}, which is required based upon the requested configuration.",
                        machine.node.id,
                        PowerTarget::SoftOff
                    )));
                }
                self.soft_off(&info, soft_limit).await?;
                self.on(lease, machine, &info, limit).await
            }
            PowerTarget::Reboot if machine.node.stays_on() => {
                management::ensure_boot_device(&self.0, lease, machine, &info).await?;
                self.control(&info, "power reset", Control::Reset).await?;
                tokio::time::sleep(self.0.settings.reset_pause).await;
                self.wait(&info, PowerState::On, limit).await
            }
            PowerTarget::Reboot => {
                // Some BMCs take it amiss to be switched off when they are.
                if self.state(&info).await? != PowerState::Off {
                    self.off(&info, limit).await?;
                }
                self.on(lease, machine, &info, limit).await
            }
        }
    }

    fn supported(&self) -> &'static [PowerTarget] {
        PowerTarget::ALL
    }
}

impl IpmiPower {
    async fn state(&self, info: &Info) -> Result<PowerState, DriverError> {
        let talk = self.0.talk(info, "power status").await?;
        let status = talk
            .read(&chassis::status(), chassis::Status::decode)
            .await?;
        Ok(if status.is_on {
            PowerState::On
        } else {
            PowerState::Off
        })
    }

    async fn on(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        info: &Info,
        limit: Duration,
    ) -> Result<(), DriverError> {
        management::ensure_boot_device(&self.0, lease, machine, info).await?;
        self.control(info, "power on", Control::On).await?;
        self.wait(info, PowerState::On, limit).await
    }

    async fn off(&self, info: &Info, limit: Duration) -> Result<(), DriverError> {
        self.control(info, "power off", Control::Off).await?;
        self.wait(info, PowerState::Off, limit).await
    }

    async fn soft_off(&self, info: &Info, limit: Duration) -> Result<(), DriverError> {
        self.control(info, "power soft", Control::Soft).await?;
        self.wait(info, PowerState::Off, limit).await
    }

    async fn control(
        &self,
        info: &Info,
        operation: &'static str,
        control: Control,
    ) -> Result<(), DriverError> {
        let talk = self.0.talk(info, operation).await?;
        let request = chassis::control(control);
        let answer = match control {
            // Twice the same is once; a second reset is one more.
            Control::On | Control::Off | Control::Soft => talk.ask(&request).await,
            Control::Cycle | Control::Reset | Control::Diagnostic => talk.ask_once(&request).await,
        };
        answer.map(|_| ())
    }

    /// Waits until the machine is in a state. A BMC that cannot tell for a moment is asked again,
    /// for as long as there is time.
    async fn wait(
        &self,
        info: &Info,
        state: PowerState,
        limit: Duration,
    ) -> Result<(), DriverError> {
        let until = Instant::now() + limit;
        let mut pause = FIRST_LOOK;
        loop {
            tokio::time::sleep(pause.min(until.saturating_duration_since(Instant::now()))).await;
            let found = self.state(info).await?;
            if found == state {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(DriverError::Unfinished(Failure::new(format!(
                    "Failed to set node power state to {state}. BMC {} still reports {found} after {} s",
                    info.peer(),
                    limit.as_secs()
                ))));
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
