//! What a node's `driver_info` says about its Redfish service.
//!
//! Everything that can be wrong is found here, before anybody is talked to; what clients of Ironic
//! know of it are its texts. Nodes of the hardware types that older releases had keep
//! their own keys: [`Keys`] says which. Nothing here prints a password.

use super::{RedfishSettings, address::Origin};
use crate::{
    DriverError,
    bmc_account::{Account, Protocol},
    hardware_type,
};
use serde_json::Value;
use std::{fmt, path::PathBuf, time::Duration};
use tls::Trust;
use types::{JsonMap, Node, NodeId, pyrepr, words};

/// `driver_info` keys and what they mean.
pub const PROPERTIES: &[(&str, &str)] = &[
    (
        "redfish_address",
        "The URL address to the Redfish controller. It must include the authority portion of the URL. If the scheme is missing, https is assumed. For example: https://mgmt.vendor.com. If a path is added, it will be used as the API endpoint root_prefix. Required",
    ),
    (
        "redfish_system_id",
        "The canonical path to the ComputerSystem resource that the driver will interact with. It should include the root service, version and the unique resource path to a ComputerSystem within the same authority as the redfish_address property. For example: /redfish/v1/Systems/1. This property is only required if target BMC manages more than one ComputerSystem. Otherwise ironic will pick the only available ComputerSystem automatically.",
    ),
    (
        "redfish_username",
        "User account with admin/server-profile access privilege. Although this property is not mandatory it's highly recommended to set a username. Optional",
    ),
    (
        "redfish_password",
        "User account password. Although this property is not mandatory, it's highly recommended to set a password. Optional",
    ),
    (
        "redfish_verify_ca",
        "Either a Boolean value, a path to a CA_BUNDLE file or directory with certificates of trusted CAs. If set to True the driver will verify the host certificates; if False the driver will ignore verifying the SSL certificate. If it's a path the driver will use the specified certificate or one of the certificates in the directory. Defaults to True. Optional",
    ),
    (
        "redfish_auth_type",
        "Redfish HTTP client authentication method. Can be \"basic\", \"session\" or \"auto\". If not set, the default value is taken from Ironic configuration as ``[redfish]auth_type`` option.",
    ),
    (
        "firmware_update_unresponsive_bmc_wait",
        "Number of seconds to wait to avoid the BMC becoming unresponsive during firmware updates. If not set, the default value is taken from the Ironic configuration ``firmware_update_wait_unresponsive_bmc`` in the ``[redfish]`` section.",
    ),
    (
        "redfish_tls_minimum_version",
        "Minimum TLS protocol version for connections to the Redfish BMC. Can be \"1.1\", \"1.2\", or \"1.3\". If not set, the default value is taken from Ironic configuration as ``[redfish]tls_minimum_version`` option.",
    ),
    (
        "redfish_tls_ciphers",
        "OpenSSL cipher list to use for connections to the Redfish BMC. If not set, the default value is taken from Ironic configuration as ``[redfish]tls_ciphers`` option.",
    ),
];

/// How to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Auth {
    /// The password with every request.
    Basic,
    /// A session, and nothing else.
    Session,
    /// A session where the service has them, else the password.
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TlsVersion {
    V11,
    V12,
    V13,
}

/// A name and a password; prints neither the one nor the other.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Login {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").finish_non_exhaustive()
    }
}

/// How TLS is spoken.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tls {
    /// Whom to take for the BMC.
    pub verify: Trust,
    pub minimum: Option<TlsVersion>,
    pub ciphers: Option<String>,
}

/// A Redfish service, and how a node wants it to be used.
#[derive(Debug, Clone)]
pub struct Info {
    pub node: NodeId,
    pub origin: Origin,
    /// The path of the service root.
    pub root: String,
    /// The path of the machine; `None` where the service has only one.
    pub system: Option<String>,
    /// `None` where the node names nobody.
    pub login: Option<Login>,
    pub auth: Auth,
    pub tls: Tls,
    pub firmware_wait: Option<Duration>,
}

/// Which keys of `driver_info` a hardware type reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Keys {
    address: &'static str,
    username: &'static str,
    password: &'static str,
    verify_ca: &'static str,
    port: Option<&'static str>,
}

const KEYS: Keys = Keys {
    address: "redfish_address",
    username: "redfish_username",
    password: "redfish_password",
    verify_ca: "redfish_verify_ca",
    port: None,
};

const ILO_KEYS: Keys = Keys {
    address: "ilo_address",
    username: "ilo_username",
    password: "ilo_password",
    verify_ca: "ilo_verify_ca",
    port: Some("client_port"),
};

const IRMC_KEYS: Keys = Keys {
    address: "irmc_address",
    username: "irmc_username",
    password: "irmc_password",
    verify_ca: "irmc_verify_ca",
    port: Some("irmc_port"),
};

impl Keys {
    /// The account that these keys name, if they name a BMC. Secrets may be sealed.
    fn account(&self, given: &JsonMap) -> Option<Account> {
        let address = given.get(self.address)?.as_str()?;
        let port = self.port.and_then(|key| given.get(key));
        let port = port.and_then(|port| pyrepr::to_str(port).trim().parse().ok());
        let (origin, _) = Origin::parse(address, port)?;
        let user = given.get(self.username).filter(|user| pyrepr::truth(user));
        Some(Account {
            protocol: Protocol::Redfish,
            host: origin.host().trim_matches(['[', ']']).to_lowercase(),
            port: origin.port(),
            user: user.map(pyrepr::to_str).unwrap_or_default(),
            key: self.password,
        })
    }

    /// A node that has a `redfish_address` means it, whatever its type is called.
    fn of(driver: &str, given: &JsonMap) -> Self {
        if given.get(KEYS.address).is_some_and(pyrepr::truth) {
            return KEYS;
        }
        match driver {
            "ilo" | "ilo5" => ILO_KEYS,
            "irmc" => IRMC_KEYS,
            _ => KEYS,
        }
    }
}

fn invalid<T>(text: impl Into<String>) -> Result<T, DriverError> {
    Err(DriverError::InvalidParameter(text.into()))
}

impl Info {
    pub fn of(
        node: &Node,
        driver_info: &JsonMap,
        settings: &RedfishSettings,
    ) -> Result<Self, DriverError> {
        let keys = Keys::of(hardware_type::modern(&node.driver), driver_info);
        let given = |key: &str| driver_info.get(key);
        let Some(address) = given(keys.address).filter(|address| pyrepr::truth(address)) else {
            return invalid(format!(
                "Missing the following Redfish properties in node {} driver_info: {}",
                node.id,
                pyrepr::repr_list([keys.address])
            ));
        };
        let (origin, root) = endpoint(node, driver_info, &keys, address)?;
        if settings.require_tls && !origin.is_secure() {
            return invalid(format!(
                "driver_info/{} on node {} is an address without TLS, which [corten]bmc_require_tls forbids",
                keys.address, node.id
            ));
        }
        Ok(Self {
            node: node.id,
            system: system(node, &origin, given("redfish_system_id"))?,
            origin,
            root,
            login: login(given(keys.username), given(keys.password)),
            auth: auth(node, given("redfish_auth_type"), settings)?,
            tls: Tls {
                verify: trust(
                    node.id,
                    keys.verify_ca,
                    driver_info,
                    settings.verify.as_ref(),
                )?,
                minimum: minimum(node, given("redfish_tls_minimum_version"), settings)?,
                ciphers: match given("redfish_tls_ciphers") {
                    Some(ciphers) => pyrepr::truth(ciphers).then(|| pyrepr::to_str(ciphers)),
                    None => settings.tls_ciphers.clone(),
                },
            },
            firmware_wait: given("firmware_update_unresponsive_bmc_wait")
                .and_then(|wait| pyrepr::to_str(wait).trim().parse().ok())
                .map(Duration::from_secs),
        })
    }

    /// The account that a node of this hardware type logs in with.
    pub fn account(node: &Node, driver_info: &JsonMap) -> Option<Account> {
        Keys::of(hardware_type::modern(&node.driver), driver_info).account(driver_info)
    }

    /// The BMC as messages name it.
    pub fn peer(&self) -> String {
        self.origin.to_string()
    }
}

fn endpoint(
    node: &Node,
    driver_info: &JsonMap,
    keys: &Keys,
    address: &Value,
) -> Result<(Origin, String), DriverError> {
    let wrong = |address: &str| {
        invalid(format!(
            "Invalid Redfish address {address} set in driver_info/{} on node {}",
            keys.address, node.id
        ))
    };
    let Some(text) = address.as_str() else {
        return wrong(&pyrepr::to_str(address));
    };
    let port = match keys.port.and_then(|key| Some((key, driver_info.get(key)?))) {
        Some((key, port)) if !port.is_null() => match pyrepr::to_str(port).trim().parse() {
            Ok(port) => Some(port),
            Err(_) => {
                return invalid(format!(
                    "{key} \"{}\" is not a valid port.",
                    pyrepr::to_str(port)
                ));
            }
        },
        _ => None,
    };
    if text.contains('@') {
        return invalid(format!(
            "driver_info/{} on node {} must not hold a name or a password; {} and {} are for these",
            keys.address, node.id, keys.username, keys.password
        ));
    }
    match Origin::parse(text, port) {
        Some(found) => Ok(found),
        None => wrong(text),
    }
}

fn system(
    node: &Node,
    origin: &Origin,
    given: Option<&Value>,
) -> Result<Option<String>, DriverError> {
    let Some(given) = given.filter(|given| !given.is_null()) else {
        return Ok(None);
    };
    let path = given.as_str().map(|text| {
        if text.starts_with('/') {
            text.to_owned()
        } else {
            format!("/{text}")
        }
    });
    match path.and_then(|path| origin.path(&path)) {
        Some(path) => Ok(Some(path)),
        None => invalid(format!(
            "Invalid value \"{}\" set in driver_info/redfish_system_id on node {}. The value should be a path (string) to the resource that the driver will interact with. For example: /redfish/v1/Systems/1",
            pyrepr::to_str(given),
            node.id
        )),
    }
}

/// All accounts that a `driver_info` names for Redfish. Its secrets may be sealed.
pub fn accounts(driver_info: &JsonMap) -> Vec<Account> {
    let all = [KEYS, ILO_KEYS, IRMC_KEYS];
    all.iter()
        .filter_map(|keys| keys.account(driver_info))
        .collect()
}

/// A node without a name for the BMC talks to it without logging in.
fn login(user: Option<&Value>, password: Option<&Value>) -> Option<Login> {
    let text = |value: Option<&Value>| {
        let value = value.filter(|value| pyrepr::truth(value));
        value.map(pyrepr::to_str).unwrap_or_default()
    };
    let login = Login {
        user: text(user),
        password: text(password),
    };
    (!login.user.is_empty() || !login.password.is_empty()).then_some(login)
}

fn auth(
    node: &Node,
    given: Option<&Value>,
    settings: &RedfishSettings,
) -> Result<Auth, DriverError> {
    let Some(given) = given else {
        return Ok(settings.auth);
    };
    match given.as_str() {
        Some("basic") => Ok(Auth::Basic),
        Some("session") => Ok(Auth::Session),
        Some("auto") => Ok(Auth::Auto),
        _ => invalid(format!(
            "Invalid value \"{}\" set in driver_info/redfish_auth_type on node {}. The value should be one of \"basic\", \"session\" or \"auto\".",
            pyrepr::to_str(given),
            node.id
        )),
    }
}

fn minimum(
    node: &Node,
    given: Option<&Value>,
    settings: &RedfishSettings,
) -> Result<Option<TlsVersion>, DriverError> {
    let Some(given) = given else {
        return Ok(settings.tls_minimum);
    };
    match given.as_str() {
        _ if !pyrepr::truth(given) => Ok(None),
        Some("1.1") => Ok(Some(TlsVersion::V11)),
        Some("1.2") => Ok(Some(TlsVersion::V12)),
        Some("1.3") => Ok(Some(TlsVersion::V13)),
        _ => invalid(format!(
            "Invalid value \"{}\" set in driver_info/redfish_tls_minimum_version on node {}. The value should be one of \"1.1\", \"1.2\", or \"1.3\".",
            pyrepr::to_str(given),
            node.id
        )),
    }
}

/// Whom to trust, by a key of `driver_info`.
pub(crate) fn trust(
    node: NodeId,
    key: &str,
    driver_info: &JsonMap,
    usual: Option<&Trust>,
) -> Result<Trust, DriverError> {
    let wrong = |kind: &str, value: &str| {
        invalid(format!(
            "Invalid value{kind} set in driver_info/{key} on node {node}. The value should be a Boolean or the path to a file/directory, not \"{value}\"",
        ))
    };
    match driver_info.get(key) {
        None | Some(Value::Bool(true)) => Ok(usual.cloned().unwrap_or(Trust::Machine)),
        Some(Value::Null) => match usual {
            Some(verify) => Ok(verify.clone()),
            None => wrong(" type", "None"),
        },
        Some(Value::Bool(false)) => Ok(Trust::Anyone),
        Some(Value::String(text)) => {
            let path = PathBuf::from(text);
            // Whether it is there is seen when it is needed, and not told to whoever asks.
            if path.is_absolute() && !tls::is_blocked(&path) {
                return Ok(Trust::Named(path));
            }
            match words::boolean(text) {
                Some(true) => Ok(Trust::Machine),
                Some(false) => Ok(Trust::Anyone),
                None => wrong(" type", text),
            }
        }
        Some(other) => wrong(" type", &pyrepr::to_str(other)),
    }
}

#[cfg(test)]
#[path = "info/tests.rs"]
mod tests;
