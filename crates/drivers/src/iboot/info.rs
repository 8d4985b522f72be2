//! What a node's `driver_info` says about its iBoot and relay. Nothing here prints a password.

use crate::{DriverError, driver_info};
use proto::iboot::{LONGEST_NAME, Login, PORT};
use types::{JsonMap, NodeId, pyrepr};

/// `driver_info` keys and what they mean.
pub(super) const PROPERTIES: &[(&str, &str)] = &[
    (
        "iboot_address",
        "IP address or hostname of the iBoot. Required.",
    ),
    (
        "iboot_username",
        "User of the iBoot, of at most 20 bytes. Required.",
    ),
    (
        "iboot_password",
        "Password of the user, of at most 20 bytes; it is sent without encryption. Required.",
    ),
    (
        "iboot_relay_id",
        "Number of the relay, from 1 on; defaults to 1. Optional.",
    ),
    ("iboot_port", "TCP port; defaults to 9100. Optional."),
];

const REQUIRED: [&str; 3] = ["iboot_address", "iboot_username", "iboot_password"];

/// A relay, and how it is reached.
#[derive(Debug, Clone)]
pub struct Info {
    pub node: NodeId,
    pub host: String,
    pub port: u16,
    pub relay: u8,
    pub login: Login,
}

fn invalid<T>(text: String) -> Result<T, DriverError> {
    Err(DriverError::InvalidParameter(text))
}

impl Info {
    pub fn of(node: NodeId, driver_info: &JsonMap) -> Result<Self, DriverError> {
        let given = |key: &str| driver_info.get(key);
        let missing = driver_info::missing(driver_info, &REQUIRED);
        if !missing.is_empty() {
            return invalid(format!(
                "Missing the following iBoot credentials in node's driver_info: {}.",
                pyrepr::repr_list(missing)
            ));
        }
        let text = |key: &str| given(key).map(pyrepr::to_str).unwrap_or_default();
        let name = |key: &str| {
            let name = text(key).into_bytes();
            match name.len() > LONGEST_NAME || name.contains(&0) {
                true => invalid(format!(
                    "{key} cannot be told to an iBoot: it may have {LONGEST_NAME} bytes, none of them zero."
                )),
                false => Ok(name),
            }
        };
        let relay = match given("iboot_relay_id") {
            None => 1,
            Some(value) => {
                let text = pyrepr::to_str(value);
                match text.trim().parse() {
                    Ok(0) | Err(_) => {
                        return invalid(format!(
                            "iboot_relay_id \"{text}\" is not the number of a relay, from 1 to 255."
                        ));
                    }
                    Ok(relay) => relay,
                }
            }
        };
        let port = match given("iboot_port") {
            None => PORT,
            Some(value) => {
                let text = pyrepr::to_str(value);
                match text.trim().parse() {
                    Ok(0) | Err(_) => {
                        return invalid(format!("iboot_port \"{text}\" is not a valid port."));
                    }
                    Ok(port) => port,
                }
            }
        };
        Ok(Self {
            node,
            host: text("iboot_address"),
            port,
            relay,
            login: Login {
                user: name("iboot_username")?,
                password: name("iboot_password")?,
            },
        })
    }

    /// The device as messages name it.
    pub fn peer(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The relay as messages name it.
    pub fn named(&self) -> String {
        format!("Relay {} of iBoot {}", self.relay, self.peer())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(changes: Value) -> Result<Info, String> {
        let mut info = json!({
            "iboot_address": "10.0.0.9", "iboot_username": "admin", "iboot_password": "secret",
        });
        for (key, value) in changes.as_object().unwrap() {
            info[key] = value.clone();
        }
        let info = info.as_object().unwrap();
        Info::of(NodeId::generate(), info).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_is_as_usual() {
        let info = of(json!({})).unwrap();
        assert_eq!((info.relay, info.port), (1, PORT));
        assert_eq!(info.peer(), "10.0.0.9:9100");
        let info = of(json!({"iboot_relay_id": "3", "iboot_port": 1, "iboot_address": "fd00::1"}));
        assert_eq!(info.unwrap().named(), "Relay 3 of iBoot [fd00::1]:1");
    }

    #[test]
    fn what_is_wrong_is_found_and_no_password_is_told() {
        for (changes, why) in [
            (
                json!({"iboot_address": "", "iboot_password": null}),
                "driver_info: ['iboot_address', 'iboot_password'].",
            ),
            (
                json!({"iboot_relay_id": "one"}),
                "not the number of a relay",
            ),
            (json!({"iboot_relay_id": 0}), "not the number of a relay"),
            (json!({"iboot_port": 65536}), "not a valid port"),
            (
                json!({"iboot_password": "123456789012345678901"}),
                "iboot_password cannot be told",
            ),
        ] {
            let error = of(changes).unwrap_err();
            assert!(error.contains(why), "{error}");
            assert!(!error.contains("12345678"), "{error}");
        }
    }
}
