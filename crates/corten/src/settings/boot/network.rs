//! A network of machines, as one line of words.

use ::boot::{dhcp4, dhcp6, lease::Range};
use std::{
    fmt::Display,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};
use types::site_network::Prefix;

#[derive(Debug)]
pub(super) enum Network {
    V4(dhcp4::Subnet),
    V6(dhcp6::Subnet),
}

impl Network {
    pub(super) fn prefix(&self) -> Option<Prefix> {
        match self {
            Self::V4(subnet) => Prefix::around(subnet.network.into(), subnet.prefix),
            Self::V6(subnet) => Prefix::around(subnet.network.into(), subnet.prefix),
        }
    }
}

/// Reads a line; `own` is our address where the line names none.
pub(super) fn parse(text: &str, own: Ipv4Addr) -> Result<Network, String> {
    let mut words = text.split_whitespace();
    let first = words.next().ok_or("a network is missing")?;
    let (address, prefix) = first
        .split_once('/')
        .ok_or("prefix length missing: expected a network such as 10.0.0.0/24")?;
    let address: IpAddr = read("network", address)?;
    let prefix: u8 = read("prefix length", prefix)?;
    let mut network = match address {
        IpAddr::V4(address) if prefix <= 32 => {
            Network::V4(dhcp4::Subnet::new(address, prefix, own))
        }
        IpAddr::V6(address) if prefix <= 128 => Network::V6(dhcp6::Subnet::new(address, prefix)),
        _ => return Err(format!("invalid prefix length /{prefix}")),
    };
    for word in words {
        let (name, value) = word
            .split_once('=')
            .ok_or_else(|| format!("value missing after '{word}'"))?;
        let known = match &mut network {
            Network::V4(subnet) => set_v4(subnet, name, value)?,
            Network::V6(subnet) => set_v6(subnet, name, value)?,
        };
        if !known {
            return Err(format!("unknown setting '{name}'"));
        }
    }
    let is_inside = match &network {
        Network::V4(subnet) => subnet
            .ranges
            .iter()
            .all(|range| subnet.contains(range.first) && subnet.contains(range.last)),
        Network::V6(subnet) => subnet
            .ranges
            .iter()
            .all(|range| subnet.contains(range.first) && subnet.contains(range.last)),
    };
    match is_inside {
        true => Ok(network),
        false => Err("the range is not inside the network".to_owned()),
    }
}

fn set_v4(subnet: &mut dhcp4::Subnet, name: &str, value: &str) -> Result<bool, String> {
    match name {
        "interface" => subnet.interface = Some(value.to_owned()),
        "range" => subnet.ranges = vec![range(value)?],
        "server" => subnet.server = read(name, value)?,
        "router" => subnet.routers = list(name, value)?,
        "dns" => subnet.dns = list(name, value)?,
        "ntp" => subnet.ntp = list(name, value)?,
        "domain" => subnet.domain = Some(value.to_owned()),
        "mtu" => subnet.mtu = Some(read(name, value)?),
        "lease" => subnet.lease_seconds = read(name, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn set_v6(subnet: &mut dhcp6::Subnet, name: &str, value: &str) -> Result<bool, String> {
    match name {
        "interface" => subnet.interface = Some(value.to_owned()),
        "range" => subnet.ranges = vec![range::<Ipv6Addr>(value)?],
        "dns" => subnet.dns = list(name, value)?,
        "lease" => subnet.lease_seconds = read(name, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn range<A: FromStr + PartialOrd + Display>(text: &str) -> Result<Range<A>, String> {
    let (first, last) = text
        .split_once('-')
        .ok_or("invalid range: expected two addresses with a dash between them")?;
    let (first, last): (A, A) = (read("range", first)?, read("range", last)?);
    if last < first {
        return Err(format!("the range ends before it begins: {first}-{last}"));
    }
    Ok(Range { first, last })
}

/// Several addresses are joined by a plus: the comma separates networks.
fn list<T: FromStr>(name: &str, text: &str) -> Result<Vec<T>, String> {
    text.split('+').map(|one| read(name, one)).collect()
}

fn read<T: FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("invalid {name} '{text}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

    #[test]
    fn a_line_names_everything() {
        let text = "10.0.0.0/24 interface=eth1 range=10.0.0.9-10.0.0.19 server=10.0.0.2 \
                    router=10.0.0.3+10.0.0.4 dns=10.0.0.5 domain=example.org mtu=1400 lease=60";
        let Network::V4(subnet) = parse(text, OWN).unwrap() else {
            panic!()
        };
        assert_eq!(
            (subnet.prefix, subnet.server, subnet.lease_seconds),
            (24, [10, 0, 0, 2].into(), 60)
        );
        assert_eq!((subnet.routers.len(), subnet.mtu), (2, Some(1400)));
        let Network::V6(subnet) = parse("fd00::/64 range=fd00::9-fd00::19", OWN).unwrap() else {
            panic!()
        };
        assert!(subnet.ranges[0].contains("fd00::10".parse().unwrap()));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, word) in [
            ("", "missing"),
            ("10.0.0.0", "length"),
            ("10.0.0.0/40", "/40"),
            ("10.0.0.0/24 range=10.0.0.9", "dash"),
            ("10.0.0.0/24 range=10.0.0.9-10.0.0.1", "before it begins"),
            ("10.0.0.0/24 range=10.1.0.1-10.1.0.9", "not inside"),
            ("10.0.0.0/24 gateway=10.0.0.1", "gateway"),
            ("10.0.0.0/24 mtu=big", "big"),
            ("fd00::/64 router=fd00::1", "router"),
        ] {
            let wrong = parse(text, OWN).unwrap_err();
            assert!(wrong.contains(word), "{text}: {wrong}");
        }
    }
}
