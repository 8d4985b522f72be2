//! What a node's `driver_info` says about its BMC.
//!
//! Everything that can be wrong is found here, before anybody is talked to; what clients of Ironic
//! know of it are its texts. Whether a name means an address is found out when the BMC is
//! needed. Nothing here prints a password or a key.

use super::IpmiSettings;
use crate::{
    DriverError,
    bmc_account::{Account, Protocol},
};
use proto::ipmi::{
    Privilege,
    client::{Credentials, Version},
    crypto::Key,
    handshake::UserName,
    message::{BMC, Hop, Route},
    suite::Suite,
};
use serde_json::Value;
use types::{JsonMap, Node, NodeId, hex, pyrepr, words};

/// `driver_info` keys and what they mean.
pub const PROPERTIES: &[(&str, &str)] = &[
    (
        "ipmi_address",
        "IP address or hostname of the node. Required.",
    ),
    ("ipmi_password", "password. Optional."),
    (
        "ipmi_hex_kg_key",
        "Kg key for IPMIv2 authentication. The key is expected in hexadecimal format. Optional.",
    ),
    ("ipmi_port", "remote IPMI RMCP port. Optional."),
    (
        "ipmi_priv_level",
        "privilege level; default is ADMINISTRATOR. One of ADMINISTRATOR, CALLBACK, OPERATOR, USER. Optional.",
    ),
    ("ipmi_username", "username; default is NULL user. Optional."),
    (
        "ipmi_bridging",
        "bridging_type; default is \"no\". One of \"single\", \"dual\", \"no\". Optional.",
    ),
    (
        "ipmi_transit_channel",
        "transit channel for bridged request. Required only if ipmi_bridging is set to \"dual\".",
    ),
    (
        "ipmi_transit_address",
        "transit address for bridged request. Required only if ipmi_bridging is set to \"dual\".",
    ),
    (
        "ipmi_target_channel",
        "destination channel for bridged request. Required only if ipmi_bridging is set to \"single\" or \"dual\".",
    ),
    (
        "ipmi_target_address",
        "destination address for bridged request. Required only if ipmi_bridging is set to \"single\" or \"dual\".",
    ),
    (
        "ipmi_local_address",
        "local IPMB address for bridged requests. Used only if ipmi_bridging is set to \"single\" or \"dual\". Optional.",
    ),
    (
        "ipmi_protocol_version",
        "the version of the IPMI protocol; default is \"2.0\". One of \"1.5\", \"2.0\". Optional.",
    ),
    (
        "ipmi_force_boot_device",
        "Whether Ironic should specify the boot device to the BMC each time the server is turned on, eg. because the BMC is not capable of remembering the selected boot device across power cycles; default value is False. Optional.",
    ),
    (
        "ipmi_disable_boot_timeout",
        "By default ironic will send a raw IPMI command to disable the 60 second timeout for booting. Setting this option to False will NOT send that command on this node. The [ipmi]disable_boot_timeout will be used if this option is not set. Optional.",
    ),
    (
        "ipmi_cipher_suite",
        "The number of a cipher suite to use. Only 3 (AES-128 with SHA1) or 17 (AES-128 with SHA256) should ever be used; 17 is preferred. The default value depends on the ipmitool version, some recent versions have switched from 3 to 17.",
    ),
];

/// The key that consoles need besides.
pub const TERMINAL_PORT: (&str, &str) = (
    "ipmi_terminal_port",
    "node's UDP port to connect to. Only required for console access.",
);

const PORT: u16 = 623;
const LEVELS: [Privilege; 4] = [
    Privilege::Administrator,
    Privilege::Callback,
    Privilege::Operator,
    Privilege::User,
];

/// A BMC, and how a node wants it to be used.
#[derive(Debug, Clone)]
pub struct Info {
    /// Whose BMC it is.
    pub node: NodeId,
    pub host: String,
    pub port: u16,
    pub credentials: Credentials,
    pub versions: Vec<Version>,
    pub route: Route,
    pub force_boot_device: bool,
    pub disable_boot_timeout: bool,
    pub terminal_port: Option<u16>,
}

fn invalid<T>(text: impl Into<String>) -> Result<T, DriverError> {
    Err(DriverError::InvalidParameter(text.into()))
}

impl Info {
    pub fn of(
        node: &Node,
        driver_info: &JsonMap,
        settings: &IpmiSettings,
    ) -> Result<Self, DriverError> {
        let given = Given(driver_info);
        let host = match given.get("ipmi_address") {
            Some(address) if pyrepr::truth(address) => pyrepr::to_str(address),
            _ => {
                return invalid(
                    "Missing the following IPMI credentials in node's driver_info: ['ipmi_address'].",
                );
            }
        };
        let version = given
            .get("ipmi_protocol_version")
            .map_or_else(|| "2.0".to_owned(), pyrepr::to_str);
        if !["2.0", "1.5"].contains(&version.as_str()) {
            return invalid(format!(
                "Invalid IPMI protocol version value {version}, the valid value can be one of 2.0, 1.5"
            ));
        }
        let chosen = given.get("ipmi_terminal_port").filter(|p| pyrepr::truth(p));
        let terminal_port = match chosen {
            Some(port) => Some(network_port("ipmi_terminal_port", port)?),
            None => node.driver_internal_info.console_port(),
        };
        let port = match given.get("ipmi_port") {
            Some(port) => network_port("ipmi_port", port)?,
            None => PORT,
        };
        Ok(Self {
            node: node.id,
            host,
            port,
            route: route(&given)?,
            credentials: credentials(&given)?,
            versions: versions(&given, &version, settings)?,
            force_boot_device: given
                .get("ipmi_force_boot_device")
                .is_some_and(bool_from_string),
            disable_boot_timeout: given
                .get("ipmi_disable_boot_timeout")
                .map_or(settings.disable_boot_timeout, bool_from_string),
            terminal_port,
        })
    }

    /// Whether the address can be one. Only the power interface looks, as in Ironic.
    pub fn check_address(&self, node: &Node) -> Result<(), DriverError> {
        if self.host.parse::<std::net::IpAddr>().is_ok() || is_host_name(&self.host) {
            return Ok(());
        }
        invalid(format!(
            "Invalid IPMI address \"{}\" for node {}. Must be a valid IP address or hostname.",
            self.host, node.id
        ))
    }

    /// The BMC as messages name it.
    pub fn peer(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    pub fn is_version_15(&self) -> bool {
        self.versions.contains(&Version::V15)
    }
}

/// The account that a `driver_info` names for IPMI, if it names a BMC. Its secrets may be sealed.
pub fn account(driver_info: &JsonMap) -> Option<Account> {
    let given = Given(driver_info);
    let host = given
        .get("ipmi_address")
        .filter(|host| pyrepr::truth(host))?;
    let port = match given.get("ipmi_port") {
        Some(port) => network_port("ipmi_port", port).ok()?,
        None => PORT,
    };
    let user = given.get("ipmi_username").map(pyrepr::to_str);
    Some(Account {
        protocol: Protocol::Ipmi,
        host: pyrepr::to_str(host).to_lowercase(),
        port,
        user: user.unwrap_or_default(),
        key: "ipmi_password",
    })
}

/// `driver_info` in which nothing is as good as not there.
struct Given<'a>(&'a JsonMap);

impl<'a> Given<'a> {
    fn get(&self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }
}

fn credentials(given: &Given<'_>) -> Result<Credentials, DriverError> {
    let text = |key| given.get(key).map(pyrepr::to_str).unwrap_or_default();
    let Some(user) = UserName::new(text("ipmi_username").as_bytes()) else {
        return invalid(
            "ipmi_username is longer than 16 bytes, which is all that IPMI has room for",
        );
    };
    let Some(password) = Key::new(text("ipmi_password").as_bytes()) else {
        return invalid(
            "ipmi_password is longer than 20 bytes, which is all that IPMI has room for",
        );
    };
    let level = match given.get("ipmi_priv_level") {
        None => Privilege::Administrator,
        Some(level) => {
            let level = pyrepr::to_str(level);
            match LEVELS.into_iter().find(|known| known.to_string() == level) {
                Some(known) => known,
                None => {
                    return invalid(format!(
                        "Invalid privilege level value:{level}, the valid value can be one of {}",
                        LEVELS.map(|level| level.to_string()).join(", ")
                    ));
                }
            }
        }
    };
    Ok(Credentials {
        user,
        password,
        bmc_key: bmc_key(&text("ipmi_hex_kg_key"))?,
        privilege: level,
    })
}

fn bmc_key(digits: &str) -> Result<Key, DriverError> {
    if !digits.chars().count().is_multiple_of(2) {
        return invalid("Number of ipmi_hex_kg_key characters is not even");
    }
    let Some(bytes) = hex::decode(digits) else {
        return invalid("ipmi_hex_kg_key has characters that are no hexadecimal digits");
    };
    match Key::new(&bytes) {
        Some(key) => Ok(key),
        None => invalid("ipmi_hex_kg_key is longer than 20 bytes"),
    }
}

fn versions(
    given: &Given<'_>,
    version: &str,
    settings: &IpmiSettings,
) -> Result<Vec<Version>, DriverError> {
    let is_15 = version == "1.5";
    if let Some(suite) = given.get("ipmi_cipher_suite") {
        let text = pyrepr::to_str(suite);
        let Ok(number) = text.trim().parse::<i64>() else {
            return invalid(format!("Invalid cipher suite {text}, expected a number"));
        };
        if is_15 {
            return invalid("Cipher suites cannot be used with IPMI 1.5");
        }
        return match u8::try_from(number).ok().and_then(Suite::of_id) {
            Some(suite) => Ok(vec![Version::V20(suite)]),
            None => invalid(format!(
                "Cipher suite {number} is not supported; supported are {}",
                supported_suites()
            )),
        };
    }
    if is_15 {
        return Ok(vec![Version::V15]);
    }
    let usual = super::link::usual_versions();
    let mut all = usual;
    let further = settings.cipher_suites.iter().rev();
    for suite in further.filter_map(|id| Suite::of_id(u8::try_from(*id).ok()?)) {
        let version = Version::V20(suite);
        if !all.contains(&version) {
            all.push(version);
        }
    }
    Ok(all)
}

fn supported_suites() -> String {
    let ids: Vec<String> = Suite::ALL
        .iter()
        .map(|suite| suite.id.to_string())
        .collect();
    ids.join(", ")
}

fn route(given: &Given<'_>) -> Result<Route, DriverError> {
    let bridging = given
        .get("ipmi_bridging")
        .map_or_else(|| "no".to_owned(), pyrepr::to_str);
    let is_dual = match bridging.as_str() {
        "no" => return Ok(Route::Direct),
        "single" => false,
        "dual" => true,
        other => {
            return invalid(format!(
                "Invalid value for ipmi_bridging: {other}, the valid value can be one of: ['single', 'dual', 'no']"
            ));
        }
    };
    let mut needed = vec!["ipmi_target_channel", "ipmi_target_address"];
    if is_dual {
        needed.extend(["ipmi_transit_channel", "ipmi_transit_address"]);
    }
    needed.retain(|key| given.get(key).is_none());
    if !needed.is_empty() {
        return invalid(format!("{} not provided", pyrepr::repr_list(needed)));
    }
    let number = |key| given.get(key).map(|value| byte(key, value)).transpose();
    let hop = |channel: &'static str, address: &'static str| {
        Ok::<_, DriverError>(Hop {
            channel: number(channel)?.unwrap_or(0),
            address: number(address)?.unwrap_or(0),
        })
    };
    let local = number("ipmi_local_address")?.unwrap_or(BMC);
    let target = hop("ipmi_target_channel", "ipmi_target_address")?;
    Ok(if is_dual {
        Route::Dual {
            local,
            transit: hop("ipmi_transit_channel", "ipmi_transit_address")?,
            target,
        }
    } else {
        Route::Single { local, target }
    })
}

/// A number of one byte, in decimal digits or, after `0x`, in hexadecimal ones.
pub fn parse_byte(text: &str) -> Option<u8> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if digits.starts_with(|c: char| c.is_ascii_hexdigit()) => {
            u8::from_str_radix(digits, 16).ok()
        }
        Some(_) => None,
        None if text.starts_with(|c: char| c.is_ascii_digit()) => text.parse().ok(),
        None => None,
    }
}

fn byte(key: &str, value: &Value) -> Result<u8, DriverError> {
    let text = pyrepr::to_str(value);
    match parse_byte(text.trim()) {
        Some(byte) => Ok(byte),
        None => invalid(format!(
            "Invalid value for {key}: {text}, expected a number from 0 to 255"
        )),
    }
}

fn network_port(key: &str, value: &Value) -> Result<u16, DriverError> {
    let text = pyrepr::to_str(value);
    match text.trim().parse() {
        Ok(port) => Ok(port),
        Err(_) => invalid(format!("{key} \"{text}\" is not a valid port.")),
    }
}

/// What Ironic takes for true; everything else is false.
pub fn bool_from_string(value: &Value) -> bool {
    words::boolean_value(value) == Some(true)
}

/// The rule of Ironic: letters, digits and hyphens, and underscores after the first dot.
fn is_host_name(name: &str) -> bool {
    let is_end = |c: Option<u8>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let is_inner = |c: u8| c.is_ascii_alphanumeric() || c == b'-';
    if name.len() > 255 {
        return false;
    }
    let mut labels = name.strip_suffix('.').unwrap_or(name).split('.');
    let host = labels.next().unwrap_or_default().as_bytes();
    let host_fits = host.len() <= 63
        && is_end(host.first().copied())
        && is_end(host.last().copied())
        && host.iter().all(|c| is_inner(*c));
    host_fits
        && labels.all(|label| {
            let label = label.as_bytes();
            let inner = |c: &u8| is_inner(*c) || *c == b'_';
            label.len() <= 63 && is_end(label.last().copied()) && label.iter().all(inner)
        })
}

#[cfg(test)]
#[path = "info/tests.rs"]
mod tests;
