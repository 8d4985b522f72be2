//! The `seamicro` power, management and vendor interfaces: servers of a SeaMicro chassis, by the REST
//! interface of its manager.
//!
//! A user and a password are part of every request, in the query or in the document. The chassis tells
//! nothing of how long a boot device holds, so none is told here either, as in Ironic.

mod talk;
mod vendor;

use crate::{
    DriverError,
    chassis::{ChassisSettings, ManagerAddress, ManagerProtocol, Managers},
    driver_info,
    iface::{Interface, Machine, Management, Power},
    power::wait_for_state,
    recorder::Recorder,
};
use async_trait::async_trait;
use proto::seamicro::{Action, BootOrder, ServerId};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use types::{LeaseProof, PowerState, PowerTarget, pyrepr, rpc::BootDevice, step::OnRestart};

/// The name of all interfaces and of the hardware type.
pub const NAME: &str = "seamicro";

const KIND: ManagerProtocol = ManagerProtocol {
    protocol: NAME,
    noun: "SeaMicro chassis",
    address: "seamicro_api_endpoint",
    verify: "seamicro_verify_ca",
};

const PROPERTIES: &[(&str, &str)] = &[
    (
        "seamicro_api_endpoint",
        "URL of the chassis' REST interface, e.g. http://10.0.0.1/v2.0. Required.",
    ),
    (
        "seamicro_server_id",
        "Server as <card>/<processor>, e.g. 87/0. Required.",
    ),
    (
        "seamicro_username",
        "User of the chassis; without TLS it is sent without encryption. Required.",
    ),
    (
        "seamicro_password",
        "Password of the user; without TLS it is sent without encryption. Required.",
    ),
    (
        "seamicro_api_version",
        "Version of the REST interface; 2 is the only one. Optional.",
    ),
    (
        "seamicro_verify_ca",
        "Whom to trust where the URL is https: True, False, or the path of a file or folder of certificates. Defaults to True. Optional.",
    ),
];

const REQUIRED: [&str; 4] = [
    "seamicro_api_endpoint",
    "seamicro_server_id",
    "seamicro_username",
    "seamicro_password",
];

/// The options of `[seamicro]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeaMicroSettings {
    pub chassis: ChassisSettings,
    /// How often an order is repeated that a server does not follow.
    pub retries: u32,
    /// How long a server may take to follow one.
    pub action_timeout: Duration,
    /// What the chassis needs between taking something from a server and giving it something else.
    pub settle: Duration,
}

impl Default for SeaMicroSettings {
    fn default() -> Self {
        Self {
            chassis: ChassisSettings::default(),
            retries: 3,
            action_timeout: Duration::from_secs(10),
            settle: Duration::from_secs(5),
        }
    }
}

/// What all servers share.
#[derive(Debug)]
pub struct SeaMicro {
    managers: Managers,
    settings: SeaMicroSettings,
}

impl SeaMicro {
    pub fn new(settings: &SeaMicroSettings, recorder: &Recorder) -> Self {
        Self {
            managers: Managers::new(&KIND, &settings.chassis, recorder),
            settings: settings.clone(),
        }
    }
}

/// A server, and how its chassis is reached.
struct Info {
    place: ManagerAddress,
    server: ServerId,
    user: String,
    password: String,
}

/// Power, boot device, volumes and VLANs of servers.
#[derive(Debug, Clone)]
pub struct SeaMicroServer(pub Arc<SeaMicro>);

fn invalid(text: impl Into<String>) -> DriverError {
    DriverError::InvalidParameter(text.into())
}

impl SeaMicroServer {
    fn info(&self, machine: &Machine<'_>) -> Result<Info, DriverError> {
        let given = |key: &str| machine.driver_info.get(key);
        let missing = driver_info::missing(machine.driver_info, &REQUIRED);
        if !missing.is_empty() {
            return Err(invalid(format!(
                "SeaMicro driver requires the following parameters to be set in node's driver_info: {}.",
                pyrepr::repr_list(missing)
            )));
        }
        let text = |key: &str| given(key).map(pyrepr::to_str).unwrap_or_default();
        let version = given("seamicro_api_version").map(pyrepr::to_str);
        if let Some(version) = version.filter(|version| version != "2") {
            return Err(invalid(format!(
                "Invalid \"seamicro_api_version\" parameter in node's driver_info: {version}; 2 is the only one."
            )));
        }
        let endpoint = text("seamicro_api_endpoint");
        let has_scheme = |scheme: &str| endpoint.trim().starts_with(scheme);
        if !has_scheme("http://") && !has_scheme("https://") {
            return Err(invalid(
                "Invalid \"seamicro_api_endpoint\" parameter in node's driver_info: it is the URL of a chassis, such as http://10.0.0.1/v2.0.",
            ));
        }
        let server = text("seamicro_server_id");
        let Some(server) = ServerId::parse(server.trim()) else {
            return Err(invalid(format!(
                "Invalid \"seamicro_server_id\" parameter in node's driver_info: {server}. Expected format of \"seamicro_server_id\" is <int>/<int>"
            )));
        };
        Ok(Info {
            place: self.0.managers.place(machine)?,
            server,
            user: text("seamicro_username"),
            password: text("seamicro_password"),
        })
    }

    async fn state(&self, machine: &Machine<'_>) -> Result<PowerState, DriverError> {
        let talk = self.talk(machine, "power status").await?;
        match talk.is_active().await? {
            Some(true) => Ok(PowerState::On),
            Some(false) => Ok(PowerState::Off),
            None => {
                tracing::warn!(node = %machine.node.id, "a SeaMicro server is neither on nor off");
                Ok(PowerState::Error)
            }
        }
    }

    /// Orders, and looks whether it was followed; an order that was not is repeated.
    async fn switch(
        &self,
        machine: &Machine<'_>,
        operation: &'static str,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let info = self.info(machine)?;
        let named = format!("Server {} of {}", info.server, info.place.origin);
        let settings = &self.0.settings;
        let usual = settings
            .action_timeout
            .saturating_mul(settings.retries.saturating_add(1));
        let limit = timeout_s.map_or(usual, Duration::from_secs);
        let began = Instant::now();
        let pause = settings.chassis.look_every;
        let mut repeats = 0;
        loop {
            let talk = self.talk(machine, operation).await?;
            match target {
                PowerTarget::Off => talk.power_off().await?,
                PowerTarget::Reboot => talk.act(Action::Reset).await?,
                _ => talk.act(Action::PowerOn).await?,
            }
            drop(talk);
            let left = limit.saturating_sub(began.elapsed());
            let patience = settings.action_timeout.min(left);
            let look = || self.state(machine);
            let done = wait_for_state(&named, target.end_state(), patience, pause, look).await;
            match done {
                Err(DriverError::Unfinished(_))
                    if repeats < settings.retries && began.elapsed() < limit =>
                {
                    repeats += 1;
                    tracing::debug!(node = %machine.node.id, repeats, "a SeaMicro server is told again");
                }
                done => return done,
            }
        }
    }
}

#[async_trait]
impl Interface for SeaMicroServer {
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
impl Power for SeaMicroServer {
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
        let (operation, order) = match target {
            PowerTarget::On => ("power on", target),
            PowerTarget::Off => ("power off", target),
            // One that is off has nothing to reset.
            PowerTarget::Reboot if self.state(machine).await? == PowerState::Off => {
                ("reboot", PowerTarget::On)
            }
            PowerTarget::Reboot => ("reboot", target),
            PowerTarget::SoftOff | PowerTarget::SoftReboot => {
                return Err(DriverError::no_power_target(target));
            }
        };
        self.switch(machine, operation, order, timeout_s).await
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    }
}

#[async_trait]
impl Management for SeaMicroServer {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        &["pxe", "disk"]
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        self.info(machine)?;
        Ok(BootDevice {
            device: None,
            persistent: None,
        })
    }

    async fn set_boot_device(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        _persistent: bool,
    ) -> Result<(), DriverError> {
        let order = match device {
            "pxe" => BootOrder::Pxe,
            "disk" => BootOrder::Disk,
            _ => {
                return Err(invalid(format!("Invalid boot device {device} specified.")));
            }
        };
        let talk = self.talk(machine, "set boot device").await?;
        talk.act(Action::BootOrder(order)).await
    }
}
