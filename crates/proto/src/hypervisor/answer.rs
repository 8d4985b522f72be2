//! What hypervisors answer, by family.

use super::{Family, Guest, plain_mac, texts};
use crate::xml::Element;
use serde_json::Value;

/// The virtual machine that a line of a list is about.
pub(super) fn listed(family: Family, line: &str) -> Option<Guest> {
    match family {
        Family::Virsh => Guest::parse(line.trim()),
        // "name" {uuid}, of which the name may be anything.
        Family::VirtualBox => {
            let (_, rest) = line.rsplit_once('{')?;
            let uuid = rest.trim_end().strip_suffix('}')?;
            let is_uuid = uuid.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
            Guest::parse(uuid).filter(|_| is_uuid)
        }
        // Vmid, name, file, …, below a line with these words.
        Family::Vmware => {
            let number = line.split_whitespace().next()?;
            let is_number = number.bytes().all(|b| b.is_ascii_digit());
            Guest::parse(number).filter(|_| is_number)
        }
        Family::Parallels => match line.trim() {
            "NAME" => None,
            name => Guest::parse(name),
        },
    }
}

pub(super) fn macs(family: Family, answer: &str) -> Vec<String> {
    match family {
        Family::Virsh => domain_macs(answer).unwrap_or_default(),
        Family::VirtualBox => {
            let is_place = |name: &str| {
                let number = name.strip_prefix("macaddress");
                number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
            };
            let pairs = answer.lines().filter_map(pair);
            let macs = pairs.filter(|(name, _)| is_place(name));
            macs.filter_map(|(_, mac)| plain_mac(mac)).collect()
        }
        Family::Vmware => {
            let lines = answer.lines().filter_map(|line| {
                let value = line.trim().strip_prefix("macAddress")?;
                let value = value.trim_start().strip_prefix('=')?.trim();
                plain_mac(value.trim_end_matches(',').trim_matches('"'))
            });
            lines.collect()
        }
        Family::Parallels => {
            let value: Value = serde_json::from_str(answer).unwrap_or_default();
            let mut found = Vec::new();
            texts(&value, "mac", &mut found);
            found.into_iter().filter_map(plain_mac).collect()
        }
    }
}

fn domain_macs(answer: &str) -> Option<Vec<String>> {
    let domain = Element::parse(answer.trim()).ok()?;
    let devices = domain.child("devices")?.children.iter();
    let interfaces = devices.filter(|device| device.name == "interface");
    let macs = interfaces.filter_map(|interface| interface.child("mac")?.attribute("address"));
    Some(macs.filter_map(plain_mac).collect())
}

/// `name="value"`.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().split_once('=')?;
    Some((name, value.trim_matches('"')))
}

/// The hypervisor's word for what comes first.
pub(super) fn first_device(family: Family, answer: &str) -> Option<String> {
    match family {
        Family::Virsh => {
            let domain = Element::parse(answer.trim()).ok()?;
            let boot = domain.child("os")?.child("boot")?;
            boot.attribute("dev").map(str::to_owned)
        }
        Family::VirtualBox => {
            let mut pairs = answer.lines().filter_map(pair);
            let (_, device) = pairs.find(|(name, _)| *name == "boot1")?;
            Some(device.to_owned())
        }
        Family::Vmware => None,
        Family::Parallels => {
            let mut lines = answer.lines();
            let order = lines.find_map(|line| line.trim().strip_prefix("Boot order:"))?;
            order.split_whitespace().next().map(str::to_owned)
        }
    }
}
