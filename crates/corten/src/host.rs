//! What this host is: its network interfaces with their addresses, its gateway and name servers.
//!
//! Read from the files of the kernel, which needs no rights and no unsafe call. Only IPv4: that is
//! what machines boot by unless the operator decides otherwise.

#![expect(
    clippy::disallowed_methods,
    reason = "only commands ask, which serve nothing"
)]

mod routes;

use proto::dhcp::options::Route;
use std::{fs, net::Ipv4Addr, path::Path};
use types::port::MacAddress;

/// A network interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interface {
    pub(crate) name: String,
    pub(crate) mac: Option<MacAddress>,
    /// Whether something is plugged in at the other end.
    pub(crate) has_carrier: bool,
    pub(crate) addresses: Vec<Attached>,
}

/// An address of ours, and the network that it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attached {
    pub(crate) address: Ipv4Addr,
    pub(crate) network: Network4,
}

/// A network of IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Network4 {
    pub(crate) start: Ipv4Addr,
    pub(crate) prefix: u8,
}

impl std::fmt::Display for Network4 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.start, self.prefix)
    }
}

impl Network4 {
    fn mask(self) -> u32 {
        u32::MAX
            .checked_shl(32 - u32::from(self.prefix))
            .unwrap_or(0)
    }

    pub(crate) fn contains(self, address: Ipv4Addr) -> bool {
        address.to_bits() & self.mask() == self.start.to_bits()
    }

    /// The addresses that hosts can have: the first and the last of them.
    pub(crate) fn hosts(self) -> (Ipv4Addr, Ipv4Addr) {
        let start = self.start.to_bits();
        let last = start | !self.mask();
        let (first, last) = match self.prefix {
            31 | 32 => (start, last),
            _ => (start + 1, last - 1),
        };
        (Ipv4Addr::from_bits(first), Ipv4Addr::from_bits(last))
    }
}

/// All interfaces but the loopback.
pub(crate) fn interfaces() -> Vec<Interface> {
    let tables = routes::read();
    let folder = fs::read_dir("/sys/class/net").into_iter().flatten();
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut all: Vec<Interface> = names
        .filter(|name| name != "lo")
        .map(|name| {
            let file = |what: &str| {
                let path = Path::new("/sys/class/net").join(&name).join(what);
                fs::read_to_string(path).map(|text| text.trim().to_owned())
            };
            Interface {
                mac: file("address").ok().and_then(|text| text.parse().ok()),
                // Reading it fails where the interface is down.
                has_carrier: file("carrier").is_ok_and(|text| text == "1"),
                addresses: routes::attached(&tables, &name),
                name,
            }
        })
        .collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// The interface and the address by which the rest of the world is reached.
pub(crate) fn gateway() -> Option<(String, Ipv4Addr)> {
    let tables = routes::read();
    let default =
        |route: &&(String, Route)| route.1.prefix == 0 && !route.1.gateway.is_unspecified();
    let found = tables.routes.iter().find(default);
    found.map(|(interface, route)| (interface.clone(), route.gateway))
}

/// Name servers that other machines can use as well.
pub(crate) fn name_servers() -> Vec<Ipv4Addr> {
    let text = fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let servers = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("nameserver"));
    let addresses = servers.filter_map(|text| text.trim().parse::<Ipv4Addr>().ok());
    addresses
        .filter(|address| !address.is_loopback())
        .take(3)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_know_what_is_in_them() {
        let network = Network4 {
            start: Ipv4Addr::new(10, 0, 16, 0),
            prefix: 20,
        };
        assert!(network.contains(Ipv4Addr::new(10, 0, 31, 255)));
        assert!(!network.contains(Ipv4Addr::new(10, 0, 32, 0)));
        let (first, last) = network.hosts();
        assert_eq!(
            (first.to_string(), last.to_string()),
            ("10.0.16.1".into(), "10.0.31.254".into())
        );
        let all = Network4 {
            start: Ipv4Addr::UNSPECIFIED,
            prefix: 0,
        };
        assert!(all.contains(Ipv4Addr::BROADCAST));
    }
}
