//! The `staging-amt` power and management interfaces: machines with Intel AMT, by WS-Management.
//!
//! AMT keeps no boot device. What one is to boot from is kept with the node, and told to AMT before
//! the machine is switched on, which holds for that start only. An order may be lost without a word,
//! so it is given again for as long as the machine is not in its state.

use crate::{
    DriverError, Failure,
    chassis::{ChassisSettings, ManagerProtocol, Managers},
    iface::{Interface, Machine, Management, Power},
    recorder::Recorder,
    wsman::{self, Info, Login, LoginScheme, WsMan},
};
use async_trait::async_trait;
use proto::wsman::{Argument, PATH, Reply};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};
use types::{LeaseProof, PowerState, PowerTarget, rpc::BootDevice, step::OnRestart};

/// The name of both interfaces and of the hardware type.
pub const NAME: &str = "staging-amt";

const KIND: ManagerProtocol = ManagerProtocol {
    protocol: "amt",
    noun: "AMT controller",
    address: "amt_address",
    verify: "amt_verify_ca",
};

/// Ports of HTTP and HTTPS.
const PORT: u16 = 16992;
const TLS_PORT: u16 = 16993;

const PROPERTIES: &[(&str, &str)] = &[
    (
        "amt_address",
        "IP address or host name of the machine. Required.",
    ),
    ("amt_username", "User of AMT, normally admin. Required."),
    ("amt_password", "Password of the user. Required."),
    (
        "amt_protocol",
        "http or https. Defaults to the option [amt]protocol. Optional.",
    ),
    (
        "amt_port",
        "TCP port. Defaults to 16992 for http and 16993 for https. Optional.",
    ),
    (
        "amt_verify_ca",
        "Whom to trust with https: True, False, or the path of a file or folder of certificates. Defaults to True. Optional.",
    ),
];

const REQUIRED: [&str; 3] = ["amt_address", "amt_username", "amt_password"];

/// Boot devices, and what AMT calls them.
const DEVICES: [(&str, &str); 3] = [
    ("pxe", "Intel(r) AMT: Force PXE Boot"),
    ("disk", "Intel(r) AMT: Force Hard-drive Boot"),
    ("cdrom", "Intel(r) AMT: Force CD/DVD Boot"),
];

const POWER_STATE: &str =
    "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_AssociatedPowerManagementService";
const POWER_SERVICE: &str =
    "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_PowerManagementService";
const COMPUTER: &str = "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ComputerSystem";
const BOOT_CONFIG: &str = "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_BootConfigSetting";
const BOOT_SOURCE: &str = "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_BootSourceSetting";
const BOOT_SERVICE: &str = "http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_BootService";

const CONFIG: (&str, &str) = ("InstanceID", "Intel(r) AMT: Boot Configuration 0");

/// Power states of the CIM (DMTF DSP1027).
const ON: &str = "2";
const SOFT_OFF: &str = "8";

/// What is set about AMT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmtSettings {
    pub chassis: ChassisSettings,
    /// How often an order is given.
    pub attempts: u32,
    /// How long after an order the machine is looked at.
    pub pause: Duration,
    /// Whether nodes that do not say it are spoken to with TLS.
    pub is_secure: bool,
}

impl Default for AmtSettings {
    fn default() -> Self {
        Self {
            chassis: ChassisSettings::default(),
            attempts: 3,
            pause: Duration::from_secs(10),
            is_secure: false,
        }
    }
}

/// What all machines share.
#[derive(Debug)]
pub struct Amt {
    managers: Managers,
    settings: AmtSettings,
}

impl Amt {
    pub fn new(settings: &AmtSettings, recorder: &Recorder) -> Self {
        Self {
            managers: Managers::new(&KIND, &settings.chassis, recorder),
            settings: settings.clone(),
        }
    }
}

/// Power and boot device of machines with AMT.
#[derive(Debug, Clone)]
pub struct AmtMachine(pub Arc<Amt>);

fn unknown_device(device: &str) -> DriverError {
    DriverError::InvalidParameter(format!("Invalid boot device {device} specified."))
}

impl AmtMachine {
    fn info(&self, machine: &Machine<'_>) -> Result<Info, DriverError> {
        let driver_info = machine.driver_info;
        wsman::require(driver_info, &REQUIRED)?;
        let text = |key: &str| wsman::given(driver_info, key);
        let is_secure = match text("amt_protocol").as_deref() {
            None => self.0.settings.is_secure,
            Some("http") => false,
            Some("https") => true,
            Some(other) => {
                return Err(DriverError::InvalidParameter(format!(
                    "amt_protocol \"{other}\" is neither http nor https."
                )));
            }
        };
        let usual = if is_secure { TLS_PORT } else { PORT };
        let port = wsman::port(driver_info, "amt_port", usual)?;
        let host = text(KIND.address).unwrap_or_default();
        let Some(origin) = wsman::origin(is_secure, &host, port) else {
            return Err(DriverError::InvalidParameter(
                "amt_address is neither an IP address nor a host name.".to_owned(),
            ));
        };
        let user = text("amt_username").unwrap_or_default();
        // The name is sent as it is, in a header of HTTP.
        if !user.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            return Err(DriverError::InvalidParameter(
                "amt_username may have printable ASCII characters only.".to_owned(),
            ));
        }
        let password = driver_info.get("amt_password").map(types::pyrepr::to_str);
        Ok(Info {
            place: self.0.managers.place_at(machine, origin, PATH.to_owned())?,
            path: PATH.to_owned(),
            login: Login {
                user,
                password: password.unwrap_or_default(),
            },
            scheme: LoginScheme::Digest,
        })
    }

    async fn open(&self, machine: &Machine<'_>, operation: &str) -> Result<WsMan<'_>, DriverError> {
        let info = self.info(machine)?;
        WsMan::open(&self.0.managers, machine, info, operation).await
    }

    async fn state(&self, machine: &Machine<'_>) -> Result<PowerState, DriverError> {
        let mut talk = self.open(machine, "power status").await?;
        let reply = talk.get(POWER_STATE).await?;
        match reply.content().text_of("PowerState") {
            Some(ON) => Ok(PowerState::On),
            Some(SOFT_OFF) => Ok(PowerState::Off),
            Some(odd) => {
                tracing::warn!(node = %machine.node.id, state = talk.quoted(odd), "a machine with AMT is neither on nor off");
                Ok(PowerState::Error)
            }
            None => Err(talk.error(DriverError::Protocol, "its answer has no PowerState")),
        }
    }

    async fn order(
        &self,
        machine: &Machine<'_>,
        operation: &str,
        state: &str,
    ) -> Result<(), DriverError> {
        let mut talk = self.open(machine, operation).await?;
        let arguments = [
            Argument::Text("PowerState", state),
            Argument::Reference {
                name: "ManagedElement",
                resource: COMPUTER,
                selector: ("Name", "ManagedSystem"),
            },
        ];
        let service = [("Name", "Intel(r) AMT Power Management Service")];
        let method = "RequestPowerStateChange";
        let reply = talk
            .invoke(POWER_SERVICE, &service, method, &arguments)
            .await?;
        done(&talk, method, &reply)
    }

    /// Gives an order until the machine is in its state, but no more often than is set. `limit` is how
    /// long it may take; without one it is over a pause after the last order.
    async fn reach(
        &self,
        machine: &Machine<'_>,
        wanted: PowerState,
        limit: Option<Duration>,
    ) -> Result<(), DriverError> {
        let (operation, state) = match wanted {
            PowerState::On => ("power on", ON),
            _ => ("power off", SOFT_OFF),
        };
        let settings = &self.0.settings;
        let began = Instant::now();
        let mut orders = 0;
        loop {
            let found = self.state(machine).await?;
            if found == wanted {
                return Ok(());
            }
            let is_over = match limit {
                None => orders >= settings.attempts,
                Some(limit) => orders > 0 && began.elapsed() + settings.pause > limit,
            };
            if is_over {
                let origin = self.info(machine)?.place.origin;
                return Err(DriverError::Unfinished(Failure::new(format!(
                    "Failed to set node power state to {wanted}. The machine with AMT at {origin} \
                     still reports {found} after {orders} orders and {} s",
                    began.elapsed().as_secs()
                ))));
            }
            if orders < settings.attempts {
                orders += 1;
                match self.order(machine, operation, state).await {
                    Ok(()) => {}
                    // Asking again may lock the account.
                    Err(error @ DriverError::Refused(_)) => return Err(error),
                    Err(error) if orders >= settings.attempts => return Err(error),
                    Err(error) => {
                        let error = types::error::chain(&error);
                        tracing::warn!(node = %machine.node.id, error, "an order to AMT failed, and is given again");
                    }
                }
            }
            sleep(settings.pause).await;
        }
    }

    async fn switch_on(
        &self,
        machine: &mut Machine<'_>,
        limit: Option<Duration>,
    ) -> Result<(), DriverError> {
        let kept = machine.node.driver_internal_info.amt_boot_device();
        if let Some((device, is_persistent)) = kept.filter(|(device, _)| *device != "disk") {
            let Some((_, source)) = DEVICES.iter().find(|(name, _)| *name == device) else {
                return Err(unknown_device(device));
            };
            self.arm(machine, source).await?;
            if !is_persistent {
                let info = &mut machine.node.driver_internal_info;
                info.set_amt_boot_device("disk", true);
            }
        }
        self.reach(machine, PowerState::On, limit).await
    }

    /// Tells AMT what the machine starts from next.
    async fn arm(&self, machine: &Machine<'_>, source: &str) -> Result<(), DriverError> {
        let mut talk = self.open(machine, "set boot device").await?;
        let method = "ChangeBootOrder";
        let arguments = [Argument::Reference {
            name: "Source",
            resource: BOOT_SOURCE,
            selector: ("InstanceID", source),
        }];
        let reply = talk
            .invoke(BOOT_CONFIG, &[CONFIG], method, &arguments)
            .await?;
        done(&talk, method, &reply)?;
        let method = "SetBootConfigRole";
        let arguments = [
            Argument::Reference {
                name: "BootConfigSetting",
                resource: BOOT_CONFIG,
                selector: CONFIG,
            },
            // For the next start only.
            Argument::Text("Role", "1"),
        ];
        let service = [("Name", "Intel(r) AMT Boot Service")];
        let reply = talk
            .invoke(BOOT_SERVICE, &service, method, &arguments)
            .await?;
        done(&talk, method, &reply)
    }
}

/// Whether a method did what it is there for.
fn done(talk: &WsMan<'_>, method: &str, reply: &Reply) -> Result<(), DriverError> {
    let variant = match reply.return_value() {
        Some(0) => return Ok(()),
        // A time limit of its own, and in use.
        Some(3 | 4099) => DriverError::Busy,
        Some(_) => DriverError::Rejected,
        None => {
            let text = format!("its answer to {method} has no ReturnValue");
            return Err(talk.error(DriverError::Protocol, text));
        }
    };
    let value = reply.return_value().unwrap_or_default();
    Err(talk.error(variant, format!("{method} returns {value}")))
}

#[async_trait]
impl Interface for AmtMachine {
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
impl Power for AmtMachine {
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
        let limit = timeout_s.map(Duration::from_secs);
        match target {
            PowerTarget::On => self.switch_on(machine, limit).await,
            PowerTarget::Off => self.reach(machine, PowerState::Off, limit).await,
            PowerTarget::Reboot if machine.node.stays_on() => Err(DriverError::must_stay_on(
                machine.node.id,
                "AMT cannot reboot a machine otherwise",
            )),
            PowerTarget::Reboot => {
                self.reach(machine, PowerState::Off, limit).await?;
                self.switch_on(machine, limit).await
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

#[async_trait]
impl Management for AmtMachine {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        &["pxe", "disk", "cdrom"]
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        let kept = machine.node.driver_internal_info.amt_boot_device();
        // Without an override machines boot from their disk.
        let (device, is_persistent) = kept.unwrap_or(("disk", true));
        Ok(BootDevice {
            device: Some(device.to_owned()),
            persistent: Some(is_persistent),
        })
    }

    async fn set_boot_device(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        persistent: bool,
    ) -> Result<(), DriverError> {
        if !DEVICES.iter().any(|(name, _)| *name == device) {
            return Err(unknown_device(device));
        }
        let info = &mut machine.node.driver_internal_info;
        info.set_amt_boot_device(device, persistent);
        Ok(())
    }
}
