//! Network interfaces: which of them count, and the ports they become.

use super::{HookError, InspectionSettings, Subject, is_truthy, object, objects};
use crate::inspection::settings::{AddPorts, KeepPorts};
use serde_json::Value;
use std::{collections::HashSet, net::IpAddr};
use types::{JsonMap, Port, PortId, port::MacAddress};

/// `validate-interfaces`: notes in the plugin data which interfaces there are (`all_interfaces`)
/// and which may become ports (`valid_interfaces`, `macs`).
pub(super) fn validate(
    subject: &mut Subject,
    settings: &InspectionSettings,
) -> Result<(), HookError> {
    let booted_from = booted_from(subject)?;
    if !subject.inventory.contains_key("interfaces") {
        return Err(HookError::invalid_inventory(
            subject,
            "no interfaces present in inventory",
        ));
    }
    let mut all = JsonMap::new();
    for interface in objects(&subject.inventory, "interfaces")? {
        if let Some((name, seen)) = read(interface, booted_from.as_deref())? {
            all.insert(name, seen.into());
        }
    }
    if all.is_empty() {
        return Err(HookError::invalid_inventory(
            subject,
            "no valid network interfaces",
        ));
    }
    let valid: JsonMap = all
        .iter()
        .filter(|(name, seen)| may_become_a_port(name, seen, booted_from.is_some(), settings))
        .map(|(name, seen)| (name.clone(), seen.clone()))
        .collect();
    if valid.is_empty() {
        let reason = format!(
            "no network interfaces match the configuration (add_ports set to \"{}\")",
            settings.add_ports.as_str()
        );
        return Err(HookError::invalid_inventory(subject, reason));
    }
    let macs: Vec<Value> = valid
        .values()
        .filter_map(|seen| seen.get("mac_address").cloned())
        .collect();
    let data = &mut subject.plugin_data;
    data.insert("all_interfaces".into(), all.into());
    data.insert("valid_interfaces".into(), valid.into());
    data.insert("macs".into(), macs.into());
    Ok(())
}

/// The address of the interface that the machine booted from, in lower case.
fn booted_from(subject: &Subject) -> Result<Option<String>, HookError> {
    let boot = object(&subject.inventory, "boot")?;
    let address = match boot.and_then(|boot| boot.get("pxe_interface")) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) if text.is_empty() => return Ok(None),
        Some(Value::String(text)) => text,
        Some(other) => return Err(HookError::not_a("a string", other)),
    };
    // PXELINUX writes the hardware type first: 01-52-54-00-12-34-56.
    let address = match address.split_once('-') {
        Some((_, rest)) => rest.replace('-', ":"),
        None => address.clone(),
    };
    Ok(Some(address.to_lowercase()))
}

/// An interface by its name, as later hooks see it; none for one without a name or an address.
fn read(
    interface: &JsonMap,
    booted_from: Option<&str>,
) -> Result<Option<(String, JsonMap)>, HookError> {
    let text = |key: &str| match interface.get(key) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(other) => Err(HookError::not_a("a string", other)),
    };
    let (name, address) = (text("name")?, text("mac_address")?);
    let Ok(address) = address.parse::<MacAddress>() else {
        return Ok(None);
    };
    if name.is_empty() {
        return Ok(None);
    }
    let mut seen = interface.clone();
    seen.insert(
        "pxe_enabled".into(),
        (booted_from == Some(address.to_string().as_str())).into(),
    );
    // The scope (`fe80::1%eth0`) is nobody else's business.
    let ipv6 = match interface.get("ipv6_address") {
        Some(Value::String(text)) => match text.split_once('%') {
            Some((address, _)) => address.into(),
            None => text.as_str().into(),
        },
        other => other.cloned().unwrap_or_default(),
    };
    seen.insert("ipv6_address".into(), ipv6);
    Ok(Some((name.to_owned(), seen)))
}

fn may_become_a_port(
    name: &str,
    seen: &Value,
    boot_known: bool,
    settings: &InspectionSettings,
) -> bool {
    let address = |key: &str| {
        seen.get(key)
            .and_then(Value::as_str)
            .filter(|a| !a.is_empty())
    };
    let ip = address("ipv4_address").or_else(|| address("ipv6_address"));
    if name == "lo" || ip.is_some_and(is_loopback) {
        return false;
    }
    let booted = seen.get("pxe_enabled") == Some(&Value::Bool(true));
    match settings.add_ports {
        AddPorts::Pxe => booted || !boot_known,
        AddPorts::Active => ip.is_some(),
        AddPorts::All | AddPorts::Disabled => true,
    }
}

/// Whether an address or a name means the machine itself.
pub(crate) fn is_loopback(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => matches!(host, "localhost" | "localhost.localdomain"),
    }
}

/// `ports`: creates ports for the interfaces that count, and brings those that exist up to date.
pub(super) fn ports(subject: &mut Subject, settings: &InspectionSettings) -> Result<(), HookError> {
    let valid = interfaces(subject, "valid_interfaces")?;
    let all = interfaces(subject, "all_interfaces")?;
    if settings.add_ports != AddPorts::Disabled {
        for interface in &valid {
            let id = subject.node.id;
            let mut port = Port::new(PortId::generate(), id, interface.address);
            port.pxe_enabled = interface.booted;
            if let Some(client) = &interface.client {
                port.extra.insert("client-id".into(), client.clone());
            }
            subject.add_port(port);
        }
    }
    let expected: Option<HashSet<&MacAddress>> = match settings.keep_ports {
        KeepPorts::All => None,
        KeepPorts::Present => Some(all.iter().map(|i| &i.address).collect()),
        KeepPorts::Added => Some(valid.iter().map(|i| &i.address).collect()),
    };
    if let Some(expected) = expected {
        let node = subject.node.id;
        subject.ports.retain(|port| {
            let stays = expected.contains(&port.address);
            if !stays {
                tracing::info!(%node, address = %port.address, "inspection removes a port");
            }
            stays
        });
    }
    for port in &mut subject.ports {
        // One address may stand for several interfaces: VLANs on the same card.
        let mut seen = all.iter().filter(|i| i.address == port.address).peekable();
        if settings.update_pxe_enabled {
            port.pxe_enabled = seen.clone().any(|interface| interface.booted);
        }
        if seen.peek().is_some()
            && let Some(client) = seen.last().and_then(|i| i.client.clone())
        {
            port.extra.insert("client-id".into(), client);
        }
    }
    Ok(())
}

/// An interface as [`validate`] noted it.
struct Interface {
    address: MacAddress,
    booted: bool,
    client: Option<Value>,
}

/// What [`validate`] noted under a key.
fn interfaces(subject: &Subject, key: &str) -> Result<Vec<Interface>, HookError> {
    let noted = object(&subject.plugin_data, key)?.ok_or_else(|| HookError::missing(key))?;
    let address = |seen: &Value| seen.get("mac_address")?.as_str()?.parse().ok();
    let found = noted.values().filter_map(|seen| {
        Some(Interface {
            address: address(seen)?,
            booted: seen.get("pxe_enabled") == Some(&Value::Bool(true)),
            client: seen.get("client_id").filter(|id| is_truthy(id)).cloned(),
        })
    });
    Ok(found.collect())
}
