//! Network interfaces.

use super::{Facts, Files, lldp};
use serde_json::{Value, json};
use std::net::IpAddr;
use types::port::MacAddress;

const FOLDER: &str = "sys/class/net";

/// Interfaces of devices, VLANs and bonds; virtual ones are left out.
pub(super) fn list(files: &Files<'_>, facts: &Facts) -> Vec<Value> {
    let names = files.names(FOLDER);
    let wanted = |name: &&String| {
        let is_vlan = name
            .split_once('.')
            .is_some_and(|(_, id)| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()));
        is_vlan || is_device(files, name) || files.exists(format!("{FOLDER}/{name}/bonding"))
    };
    names
        .iter()
        .filter(wanted)
        .filter_map(|name| describe(files, facts, name))
        .collect()
}

pub(super) fn is_device(files: &Files<'_>, name: &str) -> bool {
    files.exists(format!("{FOLDER}/{name}/device"))
}

/// `None` for an address that an interface inside the machine made up, such as one to the BMC.
fn describe(files: &Files<'_>, facts: &Facts, name: &str) -> Option<Value> {
    let at = |file: &str| format!("{FOLDER}/{name}/{file}");
    let permanent = facts.permanent.iter().find(|(of, _)| of == name);
    let mac = match permanent {
        Some((_, mac)) => MacAddress::from(*mac).to_string(),
        None => files.text(at("address"))?.to_lowercase(),
    };
    if mac.starts_with("fa:") {
        tracing::warn!(
            "network interface {name} left out of the inventory: {mac} is not a real MAC address"
        );
        return None;
    }
    let heard = facts.lldp.as_ref().map(|heard| {
        let frame = heard.get(name).map(Vec::as_slice);
        lldp::to_json(frame.unwrap_or_default())
    });
    Some(json!({
        "name": name,
        "mac_address": mac,
        "ipv4_address": address(facts, name, IpAddr::is_ipv4),
        "ipv6_address": address(facts, name, IpAddr::is_ipv6),
        "has_carrier": files.text(at("carrier")).as_deref() == Some("1"),
        "lldp": heard,
        "vendor": files.text(at("device/vendor")),
        "product": files.text(at("device/device")),
        "client_id": null,
        "biosdevname": null,
        "speed_mbps": files.number::<u64>(at("speed")),
        "pci_address": place(files, &at("device")),
        "driver": files.target(at("device/driver")),
    }))
}

/// Where the device is. A virtio interface is the child of the device that has a place.
fn place(files: &Files<'_>, device: &str) -> Option<String> {
    let name = files.target(device)?;
    let path = std::fs::canonicalize(files.path(device)).ok()?;
    let above = path.parent()?.file_name()?.to_str()?.to_owned();
    let is_place = |name: &str| name.contains(':') && name.contains('.');
    Some(if !is_place(&name) && is_place(&above) {
        above
    } else {
        name
    })
}

/// The first address of a kind, one that others can reach before one that they cannot.
fn address(facts: &Facts, name: &str, is_kind: impl Fn(&IpAddr) -> bool) -> Option<String> {
    let own = facts.addresses.iter().filter(|(of, _)| of == name);
    let mut of_kind: Vec<IpAddr> = own.map(|(_, ip)| *ip).filter(|ip| is_kind(ip)).collect();
    of_kind.sort_by_key(|ip| matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local()));
    of_kind.first().map(IpAddr::to_string)
}
