//! The `msftocs` power and management interfaces: blades of Microsoft's Open CloudServer, by the REST
//! interface of their chassis manager.
//!
//! The power is that of the blade, not of its outlet. What a blade boots from next is set once or for
//! good; whether it was for good the manager does not tell.

use crate::{
    DriverError, boot_mode,
    chassis::{Ask, ChassisSettings, ManagerAddress, ManagerProtocol, Managers, Talk},
    driver_info,
    iface::{Interface, Machine, Management, Power},
    power::wait_for_state,
    recorder::Recorder,
};
use async_trait::async_trait;
use proto::msftocs::{NextBoot, Response};
use reqwest::Method;
use std::{sync::Arc, time::Duration};
use types::{LeaseProof, PowerState, PowerTarget, pyrepr, rpc::BootDevice, step::OnRestart};

/// The name of both interfaces and of the hardware type.
pub const NAME: &str = "msftocs";

const KIND: ManagerProtocol = ManagerProtocol {
    protocol: NAME,
    noun: "chassis manager",
    address: "msftocs_base_url",
    verify: "msftocs_verify_ca",
};

/// How long a blade may take to switch where nobody says, and the time between two looks.
const POWER_WAIT: Duration = Duration::from_secs(60);

const PROPERTIES: &[(&str, &str)] = &[
    (
        "msftocs_base_url",
        "Base url of the OCS chassis manager REST API, e.g.: http://10.0.0.1:8000. Required.",
    ),
    (
        "msftocs_blade_id",
        "Blade id, must be a number between 1 and the maximum number of blades available in the chassis. Required.",
    ),
    (
        "msftocs_username",
        "Username to access the chassis manager REST API. Required.",
    ),
    (
        "msftocs_password",
        "Password to access the chassis manager REST API. Required.",
    ),
    (
        "msftocs_verify_ca",
        "Whom to trust where the URL is https: True, False, or the path of a file or folder of certificates. Defaults to True. Optional.",
    ),
];

const REQUIRED: [&str; 4] = [
    "msftocs_base_url",
    "msftocs_blade_id",
    "msftocs_username",
    "msftocs_password",
];

/// Boot devices, and what the manager calls them.
const DEVICES: [(&str, NextBoot); 3] = [
    ("pxe", NextBoot::Pxe),
    ("disk", NextBoot::Disk),
    ("bios", NextBoot::Setup),
];

/// What all blades share.
#[derive(Debug)]
pub struct MsftOcs {
    managers: Managers,
    pause: Duration,
}

impl MsftOcs {
    pub fn new(settings: &ChassisSettings, recorder: &Recorder) -> Self {
        Self {
            managers: Managers::new(&KIND, settings, recorder),
            pause: settings.look_every,
        }
    }
}

/// A blade, and how its manager is reached.
struct Info {
    place: ManagerAddress,
    blade: u32,
    user: String,
    password: String,
}

/// Power and boot device of blades.
#[derive(Debug, Clone)]
pub struct MsftOcsBlade(pub Arc<MsftOcs>);

impl MsftOcsBlade {
    fn info(&self, machine: &Machine<'_>) -> Result<Info, DriverError> {
        let given = |key: &str| machine.driver_info.get(key);
        let missing = driver_info::missing(machine.driver_info, &REQUIRED);
        if !missing.is_empty() {
            return Err(DriverError::InvalidParameter(format!(
                "The following parameters were missing: {}",
                missing.join(" ")
            )));
        }
        let text = |key: &str| given(key).map(pyrepr::to_str).unwrap_or_default();
        let blade = text("msftocs_blade_id");
        let number: Option<u32> = blade.trim().parse().ok();
        let Some(number) = number.filter(|number| *number > 0) else {
            return Err(DriverError::InvalidParameter(format!(
                "\"msftocs_blade_id\" must be greater than 0, and a number: {blade}"
            )));
        };
        Ok(Info {
            place: self.0.managers.place(machine)?,
            blade: number,
            user: text("msftocs_username"),
            password: text("msftocs_password"),
        })
    }

    /// Asks the manager about a blade.
    async fn ask(
        &self,
        machine: &Machine<'_>,
        operation: &str,
        method: &str,
        more: &str,
    ) -> Result<(Talk<'_>, Response), DriverError> {
        let info = self.info(machine)?;
        let operation = format!("{operation} of blade {}", info.blade);
        let talk = self
            .0
            .managers
            .talk(machine, info.place, operation, &info.password);
        let talk = talk.await?;
        let ask = Ask {
            method: Method::GET,
            path: &format!("/{method}?bladeId={}{more}", info.blade),
            basic: Some((&info.user, &info.password)),
            body: None,
            noted: None,
            is_secret: false,
            is_farewell: false,
        };
        let text = talk.ask(&ask).await?;
        let response = Response::parse(&text).map_err(|error| {
            let text = format!("its answer to {method} makes no sense: {error}");
            talk.error(DriverError::Protocol, text)
        })?;
        match response.refusal() {
            None => Ok((talk, response)),
            Some(said) => {
                let text = format!("it answers {}", talk.quoted(&said));
                Err(talk.error(DriverError::Rejected, text))
            }
        }
    }

    async fn state(&self, machine: &Machine<'_>) -> Result<PowerState, DriverError> {
        let (talk, response) = self
            .ask(machine, "power status", "GetBladeState", "")
            .await?;
        match response.field("bladeState") {
            Some("ON") => Ok(PowerState::On),
            Some("OFF") => Ok(PowerState::Off),
            Some(odd) => {
                tracing::warn!(node = %machine.node.id, state = talk.quoted(odd), "a blade is neither on nor off");
                Ok(PowerState::Error)
            }
            None => Err(talk.error(DriverError::Protocol, "its answer has no bladeState")),
        }
    }

    async fn switch(
        &self,
        machine: &Machine<'_>,
        operation: &str,
        method: &str,
        more: &str,
        wanted: PowerState,
        limit: Duration,
    ) -> Result<(), DriverError> {
        let info = self.info(machine)?;
        let named = format!("Blade {} of {}", info.blade, info.place.origin);
        self.ask(machine, operation, method, more).await?;
        wait_for_state(&named, wanted, limit, self.0.pause, || self.state(machine)).await
    }
}

#[async_trait]
impl Interface for MsftOcsBlade {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.info(machine).map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Power for MsftOcsBlade {
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
        let (operation, method, more) = match target {
            PowerTarget::On => ("power on", "SetBladeOn", ""),
            PowerTarget::Off => ("power off", "SetBladeOff", ""),
            PowerTarget::Reboot if machine.node.stays_on() => {
                return Err(DriverError::must_stay_on(
                    machine.node.id,
                    "a chassis manager cannot reboot a blade otherwise",
                ));
            }
            // One that is off has nothing to cycle.
            PowerTarget::Reboot if self.state(machine).await? == PowerState::Off => {
                ("reboot", "SetBladeOn", "")
            }
            PowerTarget::Reboot => ("reboot", "SetBladeActivePowerCycle", "&offTime=0"),
            PowerTarget::SoftOff | PowerTarget::SoftReboot => {
                return Err(DriverError::no_power_target(target));
            }
        };
        self.switch(machine, operation, method, more, target.end_state(), limit)
            .await
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    }
}

#[async_trait]
impl Management for MsftOcsBlade {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        &["pxe", "disk", "bios"]
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        let (talk, response) = self.ask(machine, "boot device", "GetNextBoot", "").await?;
        let Some(word) = response.field("nextBoot") else {
            return Err(talk.error(DriverError::Protocol, "its answer has no nextBoot"));
        };
        let next = NextBoot::of_word(word);
        let named = DEVICES.iter().find(|(_, known)| Some(*known) == next);
        Ok(BootDevice {
            // Without an override blades boot from their disk.
            device: Some(named.map_or("disk", |(name, _)| *name).to_owned()),
            persistent: None,
        })
    }

    async fn set_boot_device(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        persistent: bool,
    ) -> Result<(), DriverError> {
        let Some((_, next)) = DEVICES.iter().find(|(name, _)| *name == device) else {
            return Err(DriverError::InvalidParameter(format!(
                "Invalid boot device {device} specified."
            )));
        };
        let mode = boot_mode::capability(machine.node, "boot_mode");
        let more = format!(
            "&bootType={}&uefi={}&persistent={persistent}",
            next.number(),
            mode.as_deref() == Some("uefi"),
        );
        self.ask(machine, "set boot device", "SetNextBoot", &more)
            .await
            .map(|_| ())
    }
}
