//! The `idrac-wsman` interfaces: Dell's servers by the WS-Management of their iDRAC, which those
//! without Redfish have.
//!
//! New settings of the BIOS and a new boot order are pending in the iDRAC until one of its jobs takes
//! them over, which happens when the server starts. So a boot device is kept with the node, and told
//! to the iDRAC together with the next start.

mod bios;
mod boot;
mod inspect;
mod jobs;
mod power;
mod vendor;

use crate::{
    DriverError,
    chassis::{ChassisSettings, ManagerProtocol, Managers},
    iface::{Interface, Machine},
    recorder::Recorder,
    wsman::{self, Info, Login, LoginScheme, WsMan},
};
use async_trait::async_trait;
use proto::{
    wsman::{Argument, PATH, Reply, is_nil},
    xml::Element,
};
use std::{sync::Arc, time::Duration};
use types::{pyrepr, step::OnRestart};

/// The name of all these interfaces.
pub const NAME: &str = "idrac-wsman";

const KIND: ManagerProtocol = ManagerProtocol {
    protocol: "wsman",
    noun: "iDRAC",
    address: "drac_address",
    verify: "drac_verify_ca",
};

/// What the address was called in releases up to 6.
const OLD_ADDRESS: &str = "drac_host";

const PROPERTIES: &[(&str, &str)] = &[
    (
        "drac_address",
        "IP address or host name of the iDRAC. Required.",
    ),
    (
        "drac_host",
        "The same under its older name, where drac_address is not given. Optional.",
    ),
    ("drac_username", "User of the iDRAC. Required."),
    ("drac_password", "Password of the user. Required."),
    ("drac_port", "TCP port. Defaults to 443. Optional."),
    (
        "drac_path",
        "Path of the service. Defaults to /wsman. Optional.",
    ),
    ("drac_protocol", "https, the default, or http. Optional."),
    (
        "drac_verify_ca",
        "Whom to trust with https: True, False, or the path of a file or folder of certificates. Defaults to True. Optional.",
    ),
];

const PORT: u16 = 443;

/// The URI of a class of Dell's.
macro_rules! class {
    ($name:literal) => {
        concat!("http://schemas.dell.com/wbem/wscim/1/cim-schema/2/", $name)
    };
}
use class;

const LC_SERVICE: &[(&str, &str)] = &[
    ("SystemCreationClassName", "DCIM_ComputerSystem"),
    ("CreationClassName", "DCIM_LCService"),
    ("SystemName", "DCIM:ComputerSystem"),
    ("Name", "DCIM:LCService"),
];
const BIOS_SERVICE: &[(&str, &str)] = &[
    ("SystemCreationClassName", "DCIM_ComputerSystem"),
    ("CreationClassName", "DCIM_BIOSService"),
    ("SystemName", "DCIM:ComputerSystem"),
    ("Name", "DCIM:BIOSService"),
];
/// The part of the server whose settings these are.
const TARGET: &str = "BIOS.Setup.1-1";

/// What all servers share.
#[derive(Debug)]
pub struct Drac {
    managers: Managers,
    pause: Duration,
}

impl Drac {
    pub fn new(settings: &ChassisSettings, recorder: &Recorder) -> Self {
        Self {
            managers: Managers::new(&KIND, settings, recorder),
            pause: settings.look_every,
        }
    }
}

/// Power, boot device, settings of the BIOS and inspection of a server.
#[derive(Debug, Clone)]
pub struct DracServer(pub Arc<Drac>);

impl DracServer {
    fn info(&self, machine: &Machine<'_>) -> Result<Info, DriverError> {
        let driver_info = machine.driver_info;
        let text = |key: &str| wsman::given(driver_info, key).filter(|text| !text.is_empty());
        let address = text(KIND.address).or_else(|| text(OLD_ADDRESS));
        let mut required = vec!["drac_username", "drac_password"];
        if address.is_none() {
            required.insert(0, KIND.address);
        }
        wsman::require(driver_info, &required)?;
        let is_secure = match text("drac_protocol").as_deref() {
            None | Some("https") => true,
            Some("http") => false,
            Some(other) => {
                return Err(DriverError::InvalidParameter(format!(
                    "drac_protocol \"{other}\" is neither http nor https."
                )));
            }
        };
        let port = wsman::port(driver_info, "drac_port", PORT)?;
        let host = address.unwrap_or_default();
        let Some(origin) = wsman::origin(is_secure, &host, port) else {
            return Err(DriverError::InvalidParameter(
                "drac_address is neither an IP address nor a host name.".to_owned(),
            ));
        };
        let path = text("drac_path").unwrap_or_else(|| PATH.to_owned());
        if origin.path(&path).is_none_or(|found| found != path) {
            return Err(DriverError::InvalidParameter(format!(
                "drac_path \"{path}\" is not a path, which begins with a slash."
            )));
        }
        let login = |key: &str| driver_info.get(key).map(pyrepr::to_str).unwrap_or_default();
        Ok(Info {
            place: self.0.managers.place_at(machine, origin, path.clone())?,
            path,
            login: Login {
                user: login("drac_username"),
                password: login("drac_password"),
            },
            scheme: LoginScheme::Basic,
        })
    }

    async fn open(&self, machine: &Machine<'_>, operation: &str) -> Result<WsMan<'_>, DriverError> {
        let info = self.info(machine)?;
        WsMan::open(&self.0.managers, machine, info, operation).await
    }

    /// Begins a conversation in which the lifecycle controller has something to do.
    async fn open_ready(
        &self,
        machine: &Machine<'_>,
        operation: &str,
    ) -> Result<WsMan<'_>, DriverError> {
        let mut talk = self.open(machine, operation).await?;
        let method = "GetRemoteServicesAPIStatus";
        let asked = talk
            .invoke(class!("DCIM_LCService"), LC_SERVICE, method, &[])
            .await;
        let reply = match asked {
            Ok(reply) => reply,
            // The eleventh generation does not have the method.
            Err(DriverError::Rejected(_)) => return Ok(talk),
            Err(error) => return Err(error),
        };
        match reply.content().text_of("LCStatus") {
            Some("0") | None => Ok(talk),
            Some(odd) => {
                let odd = talk.quoted(odd);
                let text = format!("its lifecycle controller is not ready (LCStatus {odd})");
                Err(talk.error(DriverError::Busy, text))
            }
        }
    }
}

#[async_trait]
impl Interface for DracServer {
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

/// The values that methods give back.
const DONE: u32 = 0;
const JOB_CREATED: u32 = 4096;

/// Calls a method, and refuses any other end of it than `expected`.
async fn order(
    talk: &mut WsMan<'_>,
    (class, selectors): (&str, &[(&str, &str)]),
    method: &str,
    arguments: &[Argument<'_>],
    expected: u32,
) -> Result<Reply, DriverError> {
    let reply = talk.invoke(class, selectors, method, arguments).await?;
    let Some(value) = reply.return_value() else {
        let text = format!("its answer to {method} has no ReturnValue");
        return Err(talk.error(DriverError::Protocol, text));
    };
    if value == expected {
        return Ok(reply);
    }
    let field = |name: &str| field(reply.content(), name).unwrap_or_default();
    let said = [field("MessageID"), field("Message")];
    let said: Vec<String> = said.into_iter().filter(|text| !text.is_empty()).collect();
    let said = talk.quoted(&said.join(": "));
    let text = format!("{method} returns {value}: {said}");
    Err(talk.error(DriverError::Rejected, text))
}

/// A property of an object, if it has a value. Firmware puts characters into it that nobody can read.
fn field(object: &Element, name: &str) -> Option<String> {
    let child = object.child(name).filter(|child| !is_nil(child))?;
    Some(readable(&child.text))
}

/// All values of a property.
fn fields(object: &Element, name: &str) -> Vec<String> {
    let all = object.children.iter();
    let all = all.filter(|child| child.name == name && !is_nil(child));
    all.map(|child| readable(&child.text)).collect()
}

fn readable(text: &str) -> String {
    let readable: String = text.chars().filter(|c| !c.is_control()).collect();
    readable.trim().to_owned()
}

fn number<T: std::str::FromStr>(object: &Element, name: &str) -> Option<T> {
    field(object, name)?.parse().ok()
}
