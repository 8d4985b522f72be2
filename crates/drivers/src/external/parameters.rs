//! What a program is told about a node: what it declared, and where the BMC may be reached.

use super::{ExternalDriver, InterfaceSpec};
use crate::{DriverError, Failure, driver_info, iface::Machine};
use serde_json::{Map, Value, json};
use std::net::{IpAddr, SocketAddr};
use types::{JsonMap, LeaseProof};

/// Longest `driver_info` that is passed on, in bytes of JSON.
const LONGEST: usize = 64 << 10;

/// The part of a node that a call is about.
pub(super) struct Parameters {
    pub(super) params: JsonMap,
    pub(super) secrets: Vec<String>,
    /// What the gate and the recorder call the BMC.
    pub(super) peer: String,
}

/// Whether the node says what the interface needs. No conversation with anybody.
pub(super) fn check(spec: &InterfaceSpec, machine: &Machine<'_>) -> Result<(), DriverError> {
    let required = spec.properties.iter().filter(|p| p.is_required);
    let required: Vec<&str> = required.map(|property| property.name).collect();
    let missing = driver_info::missing(machine.driver_info, &required);
    if !missing.is_empty() {
        return Err(DriverError::InvalidParameter(format!(
            "Missing the following values in driver_info for {} interface '{}': {}",
            spec.kind,
            spec.name,
            missing.join(", ")
        )));
    }
    for property in spec.properties.iter().filter(|p| p.is_address) {
        if let Some(value) = machine.driver_info.get(property.name)
            && host_of(value).is_none()
        {
            return Err(DriverError::InvalidParameter(format!(
                "{} must be a host, host:port or a URL",
                property.name
            )));
        }
    }
    Ok(())
}

impl Parameters {
    pub(super) async fn of(
        driver: &ExternalDriver,
        spec: &InterfaceSpec,
        machine: &Machine<'_>,
        lease: Option<&LeaseProof>,
        more: JsonMap,
    ) -> Result<Self, DriverError> {
        let mut info = JsonMap::new();
        let mut secrets = Vec::new();
        let (mut addresses, mut peers) = (Map::new(), Vec::new());
        for property in &spec.properties {
            let Some(value) = machine.driver_info.get(property.name) else {
                continue;
            };
            info.insert(property.name.to_owned(), value.clone());
            if property.is_secret {
                texts(value, &mut secrets);
            }
            if property.is_address
                && let Some((host, port)) = host_of(value)
            {
                let address = judged(driver, property.name, &host, port).await?;
                addresses.insert(property.name.to_owned(), address.to_string().into());
                peers.push(match port {
                    0 => host,
                    port => format!("{host}:{port}"),
                });
            }
        }
        if Value::Object(info.clone()).to_string().len() > LONGEST {
            return Err(DriverError::InvalidParameter(format!(
                "driver_info for {} interface '{}' is longer than {} KiB",
                spec.kind,
                spec.name,
                LONGEST >> 10
            )));
        }
        let peer = match peers.is_empty() {
            true => machine.node.id.to_string(),
            false => peers.join(" "),
        };
        let ports: Vec<Value> = machine
            .ports
            .iter()
            .map(|port| json!({"address": port.address}))
            .collect();
        let node = json!({
            "uuid": machine.node.id,
            "name": machine.node.name,
            "driver": machine.node.driver,
            "driver_info": info,
            "properties": machine.node.properties,
            "power_state": machine.node.power_state,
            "ports": ports,
        });
        let mut params = JsonMap::new();
        params.insert("kind".into(), spec.kind.as_str().into());
        params.insert("interface".into(), spec.name.into());
        params.insert("node".into(), node);
        if !addresses.is_empty() {
            params.insert("addresses".into(), addresses.into());
        }
        if let Some(lease) = lease {
            params.insert("lease".into(), json!({"generation": lease.generation()}));
        }
        params.extend(more);
        Ok(Self {
            params,
            secrets,
            peer,
        })
    }
}

/// The address of a host, if connections may be made to it.
async fn judged(
    driver: &ExternalDriver,
    property: &str,
    host: &str,
    port: u16,
) -> Result<SocketAddr, DriverError> {
    let outbound = &driver.host.settings().outbound;
    let address = outbound.resolve(host, port).await;
    address.map_err(|error| {
        DriverError::Unreachable(Failure::because(format!("{property} '{host}'"), error))
    })
}

/// Host and port of `host`, `host:port` or a URL; port 0 where there is none.
fn host_of(value: &Value) -> Option<(String, u16)> {
    let text = value.as_str()?.trim();
    if text.contains("://") {
        let url = reqwest::Url::parse(text).ok()?;
        let host = url.host_str()?.trim_matches(['[', ']']);
        return Some((host.to_owned(), url.port_or_known_default().unwrap_or(0)));
    }
    let is_host = |host: &str| {
        let is_good = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        !host.is_empty() && host.chars().all(is_good)
    };
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Some((ip.to_string(), 0));
    }
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Some((address.ip().to_string(), address.port()));
    }
    match text.split_once(':') {
        Some((host, port)) => is_host(host).then_some((host.to_owned(), port.parse().ok()?)),
        None => is_host(text).then(|| (text.to_owned(), 0)),
    }
}

/// The texts in a value, which is a secret.
fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|one| texts(one, into)),
        Value::Object(map) => map.values().for_each(|one| texts(one, into)),
        Value::Number(number) => into.push(number.to_string()),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_every_form() {
        for (text, host, port) in [
            ("10.0.0.1", "10.0.0.1", 0),
            ("10.0.0.1:80", "10.0.0.1", 80),
            ("bmc-1.example", "bmc-1.example", 0),
            ("bmc:8443", "bmc", 8443),
            ("https://bmc/redfish", "bmc", 443),
            ("http://[2001:db8::1]:8000", "2001:db8::1", 8000),
            ("2001:db8::1", "2001:db8::1", 0),
            ("[2001:db8::1]:22", "2001:db8::1", 22),
        ] {
            let found = host_of(&text.into());
            assert_eq!(found, Some((host.to_owned(), port)), "{text}");
        }
        for bad in ["", "a b", "a:b", "http://", "a/b", ":80"] {
            assert_eq!(host_of(&bad.into()), None, "{bad}");
        }
        assert_eq!(host_of(&Value::from(5)), None);
    }
}
