//! Physical networks: which one a port is wired to, by the addresses it got.

use super::{HookError, InspectionSettings, Subject, object, objects, text};
use crate::inspection::net::Network;
use serde_json::Value;
use std::net::IpAddr;
use types::{JsonMap, port::MacAddress};

/// `physical-network`: `physical_network` of the ports whose interface has an address in a range
/// that the operator named.
pub(super) fn name(subject: &mut Subject, settings: &InspectionSettings) -> Result<(), HookError> {
    let ranges = ranges(settings)?;
    let known = object(&subject.plugin_data, "all_interfaces")?
        .ok_or_else(|| HookError::missing("all_interfaces"))?;
    let mut changes: Vec<(MacAddress, String)> = Vec::new();
    for interface in objects(&subject.inventory, "interfaces")? {
        if !known.contains_key(text(interface, "name")?) {
            continue;
        }
        if let Ok(address) = text(interface, "mac_address")?.parse()
            && let Some(network) = network_of(interface, &ranges)
        {
            changes.push((address, network.to_owned()));
        }
    }
    for (address, network) in changes {
        if let Some(port) = subject.port_mut(&address) {
            port.physical_network = Some(network);
        }
    }
    Ok(())
}

fn ranges(settings: &InspectionSettings) -> Result<Vec<(Network, String)>, HookError> {
    let parse = |entry: &String| {
        let (range, name) = entry.rsplit_once(':')?;
        let range: Network = range.parse().ok()?;
        // Ironic insists on the first address of the range.
        range.is_exact().then(|| (range, name.to_owned()))
    };
    let entries = settings.physical_network_cidr_map.iter();
    entries
        .map(|entry| {
            parse(entry).ok_or_else(|| {
                let text = format!("'{entry}' in physical_network_cidr_map is not RANGE:NAME");
                HookError::unexpected("ValueError", text)
            })
        })
        .collect()
}

fn network_of<'r>(interface: &JsonMap, ranges: &'r [(Network, String)]) -> Option<&'r str> {
    let address =
        |key: &str| -> Option<IpAddr> { interface.get(key).and_then(Value::as_str)?.parse().ok() };
    let addresses = [address("ipv4_address"), address("ipv6_address")];
    addresses.into_iter().flatten().find_map(|address| {
        let found = ranges.iter().find(|(range, _)| range.contains(address));
        found.map(|(_, name)| name.as_str())
    })
}
