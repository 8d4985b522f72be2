//! Which BMC a node's `driver_info` means, so that two nodes of one are recognised.
//!
//! A BMC is its host with its port, if that is not the usual one, and the machine behind it, if it has
//! several. By which protocol it is spoken to does not matter: a machine that was enrolled by IPMI
//! is the same one when it is found by Redfish.

use std::fmt;

use reqwest::Url;
use serde_json::{Map, Value};

/// The keys of an address, and how it is written.
const ADDRESSES: &[(&str, AddressForm)] = &[
    ("redfish_address", AddressForm::Url),
    ("ipmi_address", AddressForm::Host("ipmi_port", "623")),
    ("drac_address", AddressForm::Host("drac_port", "443")),
    ("ilo_address", AddressForm::Host("client_port", "443")),
    ("irmc_address", AddressForm::Host("irmc_port", "443")),
];

enum AddressForm {
    Url,
    /// A host, with the key of its port and the usual one.
    Host(&'static str, &'static str),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Bmc {
    host: String,
    /// If it is not the usual one.
    port: Option<String>,
    system: Option<String>,
}

impl fmt::Display for Bmc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        if let Some(port) = &self.port {
            write!(f, ":{port}")?;
        }
        match &self.system {
            Some(system) => write!(f, " {system}"),
            None => Ok(()),
        }
    }
}

impl Bmc {
    pub(super) fn of(driver_info: &Map<String, Value>) -> Option<Self> {
        let (address, kind) = ADDRESSES.iter().find_map(|(key, kind)| {
            let address = driver_info.get(*key)?.as_str()?;
            Some((address, kind))
        })?;
        let (host, port) = match kind {
            AddressForm::Url => of_url(address)?,
            AddressForm::Host(key, usual) => {
                let port = match driver_info.get(*key) {
                    Some(Value::String(port)) => Some(port.clone()),
                    Some(Value::Number(port)) => Some(port.to_string()),
                    _ => None,
                };
                (address.to_owned(), port.filter(|port| port != usual))
            }
        };
        let host = host.trim_matches(['[', ']']).to_lowercase();
        let system = driver_info.get("redfish_system_id").and_then(Value::as_str);
        Some(Self {
            host,
            port,
            system: system.map(|path| path.trim_end_matches('/').to_owned()),
        })
    }
}

fn of_url(address: &str) -> Option<(String, Option<String>)> {
    let text = match (
        address.contains("://"),
        address.parse::<std::net::Ipv6Addr>(),
    ) {
        (true, _) => address.to_owned(),
        (false, Ok(bare)) => format!("https://[{bare}]"),
        (false, Err(_)) => format!("https://{address}"),
    };
    let url = Url::parse(&text).ok()?;
    let host = url.host_str()?.to_owned();
    Some((host, url.port().map(|port| port.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(driver_info: Value) -> Option<String> {
        Bmc::of(driver_info.as_object().unwrap()).map(|bmc| bmc.to_string())
    }

    #[test]
    fn one_bmc_is_the_same_by_any_protocol() {
        for info in [
            json!({"redfish_address": "https://10.0.0.7/"}),
            json!({"redfish_address": "10.0.0.7"}),
            json!({"redfish_address": "https://10.0.0.7:443"}),
            json!({"ipmi_address": "10.0.0.7"}),
            json!({"ipmi_address": "10.0.0.7", "ipmi_port": 623}),
            json!({"ilo_address": "10.0.0.7"}),
        ] {
            assert_eq!(of(info.clone()).as_deref(), Some("10.0.0.7"), "{info}");
        }
        assert_eq!(
            of(json!({"redfish_address": "fd00::7"})),
            of(json!({"ipmi_address": "fd00::7"}))
        );
        assert_eq!(of(json!({})), None);
    }

    #[test]
    fn ports_and_systems_tell_bmcs_apart() {
        let info = json!({"redfish_address": "http://h:8000", "redfish_system_id": "/redfish/v1/Systems/2/"});
        assert_eq!(of(info).as_deref(), Some("h:8000 /redfish/v1/Systems/2"));
        let info = json!({"ipmi_address": "H", "ipmi_port": "6230"});
        assert_eq!(of(info).as_deref(), Some("h:6230"));
    }
}
