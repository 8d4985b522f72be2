//! The kernel's tables of routes, as `/proc` shows them.
//!
//! An interface has an address if a route leads straight to a network behind it and one of this
//! host's own addresses is in that network. `/proc/net/route` has the routes by interface,
//! `/proc/net/fib_trie` the addresses.

use super::{Attached, Network4};
use proto::dhcp::options::Route;
use std::{fs, net::Ipv4Addr};

/// A route that is in use.
const UP: u32 = 0x1;

#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) routes: Vec<(String, Route)>,
    own: Vec<Ipv4Addr>,
}

#[expect(
    clippy::disallowed_methods,
    reason = "only commands ask, which serve nothing"
)]
pub(super) fn read() -> Tables {
    let file = |path: &str| fs::read_to_string(path).unwrap_or_default();
    Tables {
        routes: routes(&file("/proc/net/route")),
        own: own(&file("/proc/net/fib_trie")),
    }
}

/// The addresses of an interface.
pub(super) fn attached(tables: &Tables, interface: &str) -> Vec<Attached> {
    let straight = tables.routes.iter().filter(|(name, route)| {
        name == interface && route.gateway.is_unspecified() && route.prefix > 0
    });
    let mut found: Vec<Attached> = Vec::new();
    for (_, route) in straight {
        let network = Network4 {
            start: route.network,
            prefix: route.prefix,
        };
        for address in tables.own.iter().filter(|own| network.contains(**own)) {
            let attached = Attached {
                address: *address,
                network,
            };
            if !found.contains(&attached) {
                found.push(attached);
            }
        }
    }
    found
}

/// Numbers are in hexadecimal digits, and addresses in the byte order of the machine.
fn routes(text: &str) -> Vec<(String, Route)> {
    let rows = text.lines().skip(1).filter_map(|line| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [name, network, gateway, flags, _, _, _, mask, ..] = cells[..] else {
            return None;
        };
        let number = |text: &str| u32::from_str_radix(text, 16).ok();
        let address = |text: &str| number(text).map(|bits| Ipv4Addr::from(bits.to_ne_bytes()));
        (number(flags)? & UP != 0).then_some(())?;
        let prefix = address(mask)?.to_bits().leading_ones();
        let route = Route {
            network: address(network)?,
            prefix: u8::try_from(prefix).ok()?,
            gateway: address(gateway)?,
        };
        Some((name.to_owned(), route))
    });
    rows.collect()
}

/// The addresses of this host: those whose next line says that they are local ones.
fn own(text: &str) -> Vec<Ipv4Addr> {
    let mut own: Vec<Ipv4Addr> = Vec::new();
    let mut last = None;
    for line in text.lines().map(str::trim) {
        if let Some(address) = line.strip_prefix("|-- ") {
            last = address.parse().ok();
        } else if line == "/32 host LOCAL"
            && let Some(address) = last.filter(|address| !own.contains(address))
        {
            own.push(address);
        }
    }
    own
}

#[cfg(test)]
#[cfg(target_endian = "little")]
mod tests {
    use super::*;

    const ROUTES: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
eth1\t0000000A\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0
eth2\t0000000B\t00000000\t0000\t0\t0\t0\t00FFFFFF\t0\t0\t0
";
    const TRIE: &str = "\
Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
Local:
     |-- 10.0.0.0
        /20 link UNICAST
     |-- 10.0.7.1
        /32 host LOCAL
     |-- 10.0.15.255
        /32 link BROADCAST
     |-- 192.0.2.9
        /32 host LOCAL
     |-- 127.0.0.1
        /32 host LOCAL
";

    #[test]
    fn addresses_belong_to_the_interface_whose_network_they_are_in() {
        let tables = Tables {
            routes: routes(ROUTES),
            own: own(TRIE),
        };
        let of = |name: &str| {
            let found = attached(&tables, name);
            let shown = |it: &Attached| format!("{} in {}", it.address, it.network);
            found.iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(of("eth0"), ["192.0.2.9 in 192.0.2.0/24"]);
        assert_eq!(of("eth1"), ["10.0.7.1 in 10.0.0.0/20"]);
        assert!(of("eth2").is_empty());
        assert_eq!(tables.routes[0].1.gateway, Ipv4Addr::new(192, 0, 2, 1));
    }

    #[test]
    fn tables_that_make_no_sense_are_empty() {
        assert!(routes("a\nb c\neth0 x y z 0 0 0 q\n").is_empty());
        assert!(own("|-- x\n/32 host LOCAL\n/32 host LOCAL\n").is_empty());
    }
}
