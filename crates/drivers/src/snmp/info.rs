//! What a node's `driver_info` says about its PDU and outlet.
//!
//! Everything that can be wrong is found here, before anybody is talked to, in the words that
//! clients of Ironic know. Nothing here prints a community or a key.

use super::model::{self, Model};
use crate::{DriverError, driver_info};
use proto::snmp::{
    client::Access,
    message::{Community, Version},
    usm::{Auth, Hiding, Privacy, Secret, Signing, User},
};
use serde_json::Value;
use types::{JsonMap, NodeId, hex, pyrepr};

/// `driver_info` keys and what they mean.
pub const PROPERTIES: &[(&str, &str)] = &[
    ("snmp_driver", "PDU manufacturer driver.  Required."),
    ("snmp_address", "PDU IPv4 address or hostname.  Required."),
    (
        "snmp_outlet",
        "PDU power outlet index (1-based).  Required.",
    ),
    (
        "snmp_version",
        "SNMP protocol version: 1, 2c or 3  (optional, default 1).",
    ),
    ("snmp_port", "SNMP port, default 161."),
    (
        "snmp_community",
        "SNMP community name to use for read and/or write class SNMP commands unless `snmp_community_read` and/or `snmp_community_write` properties are present in which case the latter takes over. Applicable only to versions 1 and 2c.",
    ),
    (
        "snmp_community_read",
        "SNMP community name to use for read class SNMP commands. Takes precedence over the `snmp_community` property. Applicable only to versions 1 and 2c.",
    ),
    (
        "snmp_community_write",
        "SNMP community name to use for write class SNMP commands. Takes precedence over the `snmp_community` property. Applicable only to versions 1 and 2c.",
    ),
    (
        "snmp_user",
        "SNMPv3 User-based Security Model (USM) username. Required for version 3.",
    ),
    (
        "snmp_auth_protocol",
        "SNMPv3 message authentication protocol ID. Known values are: ['md5', 'none', 'sha', 'sha224', 'sha256', 'sha384', 'sha512']. Default is 'none' unless 'snmp_auth_key' is provided. In the latter case 'md5' is the default.",
    ),
    (
        "snmp_auth_key",
        "SNMPv3 message authentication key. Must be 8+ characters long. Required when message authentication is used. This key is used by the 'snmp_auth_protocol' algorithm.",
    ),
    (
        "snmp_priv_protocol",
        "SNMPv3 message privacy (encryption) protocol ID. Known values are: ['3des', 'aes', 'aes192', 'aes192blmt', 'aes256', 'aes256blmt', 'des', 'none']. Using message privacy requires using message authentication. Default is 'none' unless 'snmp_priv_key' is provided. In the latter case 'des' is the default.",
    ),
    (
        "snmp_priv_key",
        "SNMPv3 message authentication key. Must be 8+ characters long. Required when message authentication is used. This key is used by the 'snmp_priv_protocol' algorithm.",
    ),
    (
        "snmp_context_engine_id",
        "SNMPv3 context engine ID. Default is the value of authoritative engine ID.",
    ),
    (
        "snmp_context_name",
        "SNMPv3 context name. Default is an empty string ('').",
    ),
    (
        "snmp_security",
        "SNMPv3 User-based Security Model (USM) username. Required for version 3. This property is deprecated, please use `snmp_user` instead.",
    ),
];

const REQUIRED: [&str; 3] = ["snmp_driver", "snmp_address", "snmp_outlet"];

/// The name for no protocol at all.
const NONE: &str = "none";

/// The shortest key, in characters.
const KEY: usize = 8;

/// An outlet, and how a node wants it to be reached.
#[derive(Debug, Clone)]
pub struct Info {
    /// Whose outlet it is.
    pub node: NodeId,
    pub host: String,
    pub port: u16,
    pub outlet: u32,
    /// Nothing when the PDU is asked.
    pub model: Option<&'static Model>,
    pub access: Access,
}

fn invalid<T>(text: impl Into<String>) -> Result<T, DriverError> {
    Err(DriverError::InvalidParameter(text.into()))
}

impl Info {
    pub fn of(node: NodeId, driver_info: &JsonMap) -> Result<Self, DriverError> {
        let given = |key: &str| driver_info.get(key);
        let missing = driver_info::missing(driver_info, &REQUIRED);
        if !missing.is_empty() {
            return invalid(format!(
                "SNMP driver requires the following parameters to be set in node's driver_info: {}.",
                pyrepr::repr_list(missing)
            ));
        }
        let text = |key: &str| given(key).map(pyrepr::to_str).unwrap_or_default();
        let name = text("snmp_driver");
        let model = model::find(&name);
        if model.is_none() && name != model::AUTO {
            return invalid(format!("SNMPPowerDriver: unknown driver: '{name}'"));
        }
        let version = given("snmp_version").map_or("1".to_owned(), pyrepr::to_str);
        if !["1", "2c", "3"].contains(&version.as_str()) {
            return invalid(format!(
                "SNMPPowerDriver: unknown SNMP version: '{version}'"
            ));
        }
        let port = port(given("snmp_port"))?;
        let access = match version.as_str() {
            "1" => communities(driver_info, Version::V1, &version)?,
            "2c" => communities(driver_info, Version::V2c, &version)?,
            _ => user(node, driver_info)?,
        };
        Ok(Self {
            node,
            host: text("snmp_address"),
            port,
            outlet: outlet(&text("snmp_outlet"))?,
            model,
            access,
        })
    }

    /// The PDU as messages name it.
    pub fn peer(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

fn port(given: Option<&Value>) -> Result<u16, DriverError> {
    let Some(value) = given else {
        return Ok(161);
    };
    let text = pyrepr::to_str(value);
    match text.trim().parse() {
        Ok(0) => invalid("SNMPPowerDriver: SNMP UDP port out of range: 0"),
        Ok(port) => Ok(port),
        Err(_) => invalid(format!("snmp_port \"{text}\" is not a valid port.")),
    }
}

fn outlet(text: &str) -> Result<u32, DriverError> {
    let Ok(number) = text.trim().parse::<i64>() else {
        return invalid(format!(
            "SNMPPowerDriver: PDU power outlet index is not an integer: {text}"
        ));
    };
    match u32::try_from(number) {
        Ok(number) => Ok(number),
        Err(_) => invalid(format!(
            "SNMPPowerDriver: PDU power outlet index is out of range: {text}"
        )),
    }
}

fn communities(info: &JsonMap, version: Version, name: &str) -> Result<Access, DriverError> {
    let given = |key: &str| info.get(key).filter(|value| !value.is_null());
    let community = |key: &str| {
        let found = given(key).or_else(|| given("snmp_community"));
        let found = found.filter(|value| pyrepr::truth(value));
        found.map(|value| Community(pyrepr::to_str(value).into_bytes()))
    };
    let pair = (
        community("snmp_community_read"),
        community("snmp_community_write"),
    );
    let (Some(read), Some(write)) = pair else {
        return invalid(format!(
            "SNMP driver requires `snmp_community` or `snmp_community_read`/`snmp_community_write` properties to be set for version {name}."
        ));
    };
    Ok(Access::Community {
        version,
        read,
        write,
    })
}

fn user(node: NodeId, info: &JsonMap) -> Result<Access, DriverError> {
    let text = |key: &str| info.get(key).map(pyrepr::to_str);
    if info.contains_key("snmp_security") {
        tracing::warn!(%node, "driver_info/snmp_security is deprecated in favour of snmp_user");
    }
    let Some(name) = text("snmp_user").or_else(|| text("snmp_security")) else {
        return invalid(format!(
            "SNMP driver requires `driver_info/snmp_user` to be set in node {node} configuration for SNMP version 3."
        ));
    };
    let signing = signing(node, info)?;
    Ok(Access::User {
        user: User {
            name: name.into_bytes(),
            signing,
        },
        engine_id: text("snmp_context_engine_id").map(|id| engine_id(&id)),
        context: text("snmp_context_name").unwrap_or_default().into_bytes(),
    })
}

/// Hexadecimal digits after `0x`, or the text itself.
fn engine_id(text: &str) -> Vec<u8> {
    match text.strip_prefix("0x").and_then(hex::decode) {
        Some(bytes) if !bytes.is_empty() => bytes,
        _ => text.as_bytes().to_vec(),
    }
}

/// A protocol that a node names; the outer nothing is that it names none, the inner one that it
/// wants none.
fn protocol<T: Copy>(
    node: NodeId,
    info: &JsonMap,
    key: &str,
    known: &[(&str, T)],
    what: &str,
) -> Result<Option<Option<T>>, DriverError> {
    let Some(name) = info.get(key).map(pyrepr::to_str) else {
        return Ok(None);
    };
    if name == NONE {
        return Ok(Some(None));
    }
    match known.iter().find(|(known, _)| *known == name) {
        Some((_, protocol)) => Ok(Some(Some(*protocol))),
        None => {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            invalid(format!(
                "SNMPPowerDriver: unknown SNMPv3 {what} protocol `driver_info/{key}` {name} in node {node} configuration, known protocols are: {}, {NONE}",
                names.join(", ")
            ))
        }
    }
}

fn signing(node: NodeId, info: &JsonMap) -> Result<Option<Signing>, DriverError> {
    let auth = protocol(
        node,
        info,
        "snmp_auth_protocol",
        &Auth::NAMES,
        "authentication",
    )?;
    let privacy = protocol(node, info, "snmp_priv_protocol", &Privacy::NAMES, "privacy")?;
    let key = |key: &str| info.get(key).map(pyrepr::to_str);
    let is_short = |key: &str| key.chars().count() < KEY;
    let auth_key = key("snmp_auth_key");
    if auth_key.as_deref().is_some_and(is_short) {
        return invalid(format!(
            "SNMPPowerDriver: short SNMPv3 authentication key `driver_info/snmp_auth_key` in node {node} configuration (8+ chars required)"
        ));
    }
    let priv_key = key("snmp_priv_key");
    if priv_key.as_deref().is_some_and(is_short) {
        return invalid(format!(
            "SNMPPowerDriver: short SNMPv3 privacy key `driver_info/snmp_priv_key` node {node} configuration (8+ chars required)"
        ));
    }
    // A key without a protocol means the oldest one.
    let auth = auth.unwrap_or_else(|| auth_key.as_ref().map(|_| Auth::Md5));
    let privacy = privacy.unwrap_or_else(|| priv_key.as_ref().map(|_| Privacy::Des));
    let secret = |key: Option<String>| key.map(|key| Secret(key.into_bytes()));
    let hiding = match (privacy, secret(priv_key)) {
        (None, _) => None,
        (Some(_), _) if auth.is_none() => {
            return invalid(format!(
                "SNMPPowerDriver: SNMPv3 privacy requires authentication. Please add `driver_info/auth_protocol` property to node {node} configuration."
            ));
        }
        (Some(privacy), Some(password)) => Some(Hiding { privacy, password }),
        (Some(_), None) if auth_key.is_some() => {
            return invalid(missing_key(node, "privacy", "priv"));
        }
        // What is missing first is said first.
        (Some(_), None) => None,
    };
    match (auth, secret(auth_key)) {
        (None, _) => Ok(None),
        (Some(auth), Some(password)) => Ok(Some(Signing {
            auth,
            password,
            hiding,
        })),
        (Some(_), None) => invalid(missing_key(node, "authentication", "auth")),
    }
}

fn missing_key(node: NodeId, what: &str, key: &str) -> String {
    format!(
        "SNMPPowerDriver: missing SNMPv3 {what} key while `driver_info/snmp_{key}_protocol` is present. Please add `driver_info/snmp_{key}_key` to node {node} configuration."
    )
}

#[cfg(test)]
#[path = "info/tests.rs"]
mod tests;
