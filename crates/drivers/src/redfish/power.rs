//! The Redfish power interface.
//!
//! A change is asked for once and then watched until it has happened. A BMC that refuses what is
//! already so is not taken amiss; one that refuses to restart a machine is, because a machine that
//! was not restarted looks like one that was.

use super::{Info, Redfish, RedfishError, Resource, Talk, management::boot_device};
use crate::{
    DriverError, Failure,
    iface::{Interface, Machine, Power},
};
use async_trait::async_trait;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use types::{JsonMap, LeaseProof, PowerState, PowerTarget, step::OnRestart};

/// How long to wait before the first look, and at most between two.
const FIRST_LOOK: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

pub(super) const RESET: &str = "#ComputerSystem.Reset";

/// Power by Redfish, under one of its names.
#[derive(Debug, Clone)]
pub struct RedfishPower {
    pub redfish: Arc<Redfish>,
    pub name: &'static str,
}

#[async_trait]
impl Interface for RedfishPower {
    fn name(&self) -> &'static str {
        self.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        super::info::PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.redfish.info(machine).map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Power for RedfishPower {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        let info = self.redfish.info(machine)?;
        state(&self.redfish, &info).await
    }

    async fn set(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        let switch = Switch {
            redfish: &self.redfish,
            info: &info,
            limit: timeout_s.map(Duration::from_secs),
        };
        switch.set(lease, machine, target).await
    }

    fn supported(&self) -> &'static [PowerTarget] {
        PowerTarget::ALL
    }
}

/// The power of a machine; nothing if the service does not tell.
pub(super) async fn state(
    redfish: &Redfish,
    info: &Info,
) -> Result<Option<PowerState>, DriverError> {
    let talk = redfish.talk(info, "reading the power state").await?;
    Ok(power_of(&talk.system().await?))
}

fn power_of(system: &Resource) -> Option<PowerState> {
    match system.str("PowerState")? {
        "On" | "PoweringOn" => Some(PowerState::On),
        "Off" | "PoweringOff" => Some(PowerState::Off),
        _ => None,
    }
}

/// Switching a machine's power.
#[derive(Debug, Clone, Copy)]
pub(super) struct Switch<'a> {
    pub(super) redfish: &'a Redfish,
    pub(super) info: &'a Info,
    /// How long it may take; `None` for the usual times.
    pub(super) limit: Option<Duration>,
}

/// What is asked of the service, and what comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reset {
    kind: &'static str,
    operation: &'static str,
    result: PowerState,
    /// Whether a machine that is in that state already needs nothing done.
    is_state: bool,
}

const ON: Reset = Reset {
    kind: "On",
    operation: "power on",
    result: PowerState::On,
    is_state: true,
};
const OFF: Reset = Reset {
    kind: "ForceOff",
    operation: "power off",
    result: PowerState::Off,
    is_state: true,
};
const SOFT_OFF: Reset = Reset {
    kind: "GracefulShutdown",
    operation: "soft power off",
    ..OFF
};
const RESTART: Reset = Reset {
    kind: "ForceRestart",
    operation: "reboot",
    result: PowerState::On,
    is_state: false,
};
const SOFT_RESTART: Reset = Reset {
    kind: "GracefulRestart",
    operation: "soft reboot",
    ..RESTART
};

impl Switch<'_> {
    pub(super) async fn set(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
    ) -> Result<(), DriverError> {
        match target {
            PowerTarget::On => {
                self.restore(lease, machine).await?;
                self.reset(ON).await
            }
            PowerTarget::Off => self.reset(OFF).await,
            PowerTarget::SoftOff => self.reset(SOFT_OFF).await,
            PowerTarget::SoftReboot => {
                self.restore(lease, machine).await?;
                self.reset(SOFT_RESTART).await
            }
            PowerTarget::Reboot => {
                let is_on = state(self.redfish, self.info).await? == Some(PowerState::On);
                let next = match (is_on, machine.node.stays_on()) {
                    (true, true) => RESTART,
                    (true, false) => {
                        self.reset(OFF).await?;
                        ON
                    }
                    (false, _) => ON,
                };
                self.restore(lease, machine).await?;
                self.reset(next).await
            }
        }
    }

    /// Tells a BMC that forgets what it was told where to boot from.
    async fn restore(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        boot_device::restore(self.redfish, lease, machine, self.info).await
    }

    async fn reset(&self, reset: Reset) -> Result<(), DriverError> {
        if self.ask(reset).await? == ResetAnswer::Needless {
            return Ok(());
        }
        if reset == RESTART {
            // A machine that is restarted is on all the time, or goes off for a moment.
            tokio::time::sleep(self.redfish.settings.reset_pause).await;
        }
        let settings = &self.redfish.settings;
        let usual = if reset == SOFT_OFF {
            settings.soft_off_wait
        } else {
            settings.power_wait
        };
        self.wait(reset, self.limit.unwrap_or(usual)).await
    }

    async fn ask(&self, reset: Reset) -> Result<ResetAnswer, DriverError> {
        let mut talk = self.redfish.talk(self.info, reset.operation).await?;
        let system = talk.system().await?;
        let kind = allowed_kind(&talk, &system, reset.kind).await?;
        let mut body = JsonMap::new();
        body.insert("ResetType".into(), kind.into());
        let mut conflicts = 0;
        loop {
            let error = match talk.action(&system, RESET, &body).await {
                Ok(_) => return Ok(ResetAnswer::Accepted),
                Err(error) => error,
            };
            let is_conflict = error.status() == Some(409);
            let settings = talk.settings;
            if reset == ON
                && is_conflict
                && error.mentions("ActionParameterValueConflict")
                && conflicts < settings.power_on_conflicts
            {
                // Some are not ready for it for a moment after a power off.
                conflicts += 1;
                talk.rest(settings.power_on_conflict_pause).await?;
                continue;
            }
            return judge(&talk, reset, error).await;
        }
    }

    /// Waits until the machine is in a state. A BMC that cannot tell for a moment is asked again,
    /// for as long as there is time.
    async fn wait(&self, reset: Reset, limit: Duration) -> Result<(), DriverError> {
        let until = Instant::now() + limit;
        let mut pause = FIRST_LOOK;
        loop {
            tokio::time::sleep(pause.min(until.saturating_duration_since(Instant::now()))).await;
            let found = state(self.redfish, self.info).await?;
            if found == Some(reset.result) {
                return Ok(());
            }
            if Instant::now() >= until {
                let found = found.map_or_else(|| "none".to_owned(), |state| state.to_string());
                return Err(DriverError::Unfinished(Failure::new(format!(
                    "Failed to set node power state to {}. BMC {} took the request ({}) and still reports {found} after {} s",
                    reset.result,
                    self.info.peer(),
                    reset.kind,
                    limit.as_secs()
                ))));
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResetAnswer {
    Accepted,
    /// It was so already.
    Needless,
}

/// The kind of reset to ask for, if the service knows it.
pub(super) async fn allowed_kind(
    talk: &Talk<'_>,
    system: &Resource,
    kind: &'static str,
) -> Result<&'static str, DriverError> {
    let Some(allowed) = talk.allowed(system, RESET, "ResetType").await? else {
        return Ok(kind);
    };
    let has = |kind: &str| allowed.iter().any(|known| known == kind);
    match kind {
        _ if allowed.is_empty() || has(kind) => Ok(kind),
        "On" if has("ForceOn") => Ok("ForceOn"),
        _ => Err(talk.rejected(format!(
            "The parameter \"value\" value \"{kind}\" is invalid. Valid values are: {}",
            allowed.join(", ")
        ))),
    }
}

/// What a refusal means: services refuse what is already so.
async fn judge(
    talk: &Talk<'_>,
    reset: Reset,
    error: RedfishError,
) -> Result<ResetAnswer, DriverError> {
    if !reset.is_state || !matches!(error.status(), Some(400 | 409)) {
        return Err(error.into());
    }
    let found = match talk.system().await {
        Ok(system) => power_of(&system),
        Err(_) => None,
    };
    let said = || {
        // Services say this in words only.
        let text = error.refusal().map(ToString::to_string);
        let text = text.unwrap_or_default().to_lowercase();
        let is_on = text.contains("host is powered on") || text.contains("already powered on");
        let is_off = text.contains("host is powered off") || text.contains("already powered off");
        match reset.result {
            PowerState::On => is_on,
            _ => is_off,
        }
    };
    match found {
        Some(found) if found == reset.result => Ok(ResetAnswer::Needless),
        None if said() => Ok(ResetAnswer::Needless),
        _ => Err(error.into()),
    }
}
