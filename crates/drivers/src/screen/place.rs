//! Where a node says that its RFB server is.

use crate::DriverError;
use std::fmt;
use types::{JsonMap, pyrepr};

const ADDRESS: &str = "vnc_address";
const PORT: &str = "vnc_port";
const PASSWORD: &str = "vnc_password";

/// The port of the first display.
const USUAL_PORT: u16 = 5900;

/// An RFB server; does not print its password.
#[derive(Clone, PartialEq, Eq)]
pub struct VncServer {
    pub host: String,
    pub port: u16,
    pub password: Option<String>,
}

impl fmt::Debug for VncServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VncServer")
            .field("host", &self.host)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for VncServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

/// What `driver_info` says; each part may be missing.
#[derive(Clone, Default)]
pub(super) struct Given {
    pub(super) host: Option<String>,
    pub(super) port: Option<u16>,
    pub(super) password: Option<String>,
}

impl Given {
    pub(super) fn of(driver_info: &JsonMap) -> Result<Self, DriverError> {
        let text = |key| {
            let value = driver_info.get(key).filter(|value| pyrepr::truth(value));
            value.map(pyrepr::to_str)
        };
        let port = text(PORT).map(|port| match port.trim().parse::<u16>() {
            Ok(port) if port > 0 => Ok(port),
            _ => Err(DriverError::InvalidParameter(format!(
                "{PORT} \"{port}\" is not a valid port."
            ))),
        });
        let host = text(ADDRESS).map(|host| {
            let host = host.trim().trim_matches(['[', ']']).to_owned();
            let fits = |sign: char| sign.is_ascii_alphanumeric() || ".-_:%".contains(sign);
            match !host.is_empty() && host.len() <= 255 && host.chars().all(fits) {
                true => Ok(host),
                false => Err(DriverError::InvalidParameter(format!(
                    "{ADDRESS} is not an IP address or a host name; the port is {PORT}."
                ))),
            }
        });
        Ok(Self {
            host: host.transpose()?,
            port: port.transpose()?,
            password: text(PASSWORD),
        })
    }

    /// The server, if the node names one.
    pub(super) fn place(self) -> Option<VncServer> {
        Some(VncServer {
            host: self.host?,
            port: self.port.unwrap_or(USUAL_PORT),
            password: self.password,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn given(info: Value) -> Result<Option<VncServer>, DriverError> {
        Ok(Given::of(info.as_object().unwrap())?.place())
    }

    #[test]
    fn a_node_names_its_server() {
        let place = given(json!({"vnc_address": "10.0.0.1", "vnc_password": "s3cret"}));
        let place = place.unwrap().unwrap();
        assert_eq!(place.to_string(), "10.0.0.1:5900");
        assert!(!format!("{place:?}").contains("s3cret"));
        let place = given(json!({"vnc_address": "[fd00::1]", "vnc_port": "5901"}));
        assert_eq!(place.unwrap().unwrap().to_string(), "[fd00::1]:5901");
        assert_eq!(given(json!({"vnc_port": 1})).unwrap(), None);
        for wrong in [
            json!({"vnc_port": 0.5}),
            json!({"vnc_port": 65536}),
            json!({"vnc_address": "http://h/"}),
        ] {
            let refused = given(wrong.clone());
            assert!(
                matches!(refused, Err(DriverError::InvalidParameter(_))),
                "{wrong}"
            );
        }
    }
}
