//! `--network`: the networks of an instance, from a small file to OpenStack's `network_data.json`.
//!
//! Cards are told apart by their MAC addresses; bonds and VLANs refer to others by name. Everything
//! is checked here, because a system that cannot read its network cannot report it. Bridges cannot
//! be described in `network_data.json`: cloud-init takes one for a card.

mod document;
mod parse;

use std::collections::HashSet;
use std::fmt;
use std::net::IpAddr;

use serde_json::Value;

/// Interfaces of one kind at most.
const MOST: usize = 64;

/// What is wrong with a description, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    place: String,
    why: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.is_empty() {
            true => f.write_str(&self.why),
            false => write!(f, "{}: {}", self.place, self.why),
        }
    }
}

fn wrong<T>(place: &str, why: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong {
        place: place.to_owned(),
        why: why.into(),
    })
}

/// The networks of an instance.
#[derive(Debug)]
pub(super) struct Networks {
    interfaces: Vec<Interface>,
    dns: Vec<IpAddr>,
}

#[derive(Debug)]
struct Interface {
    /// Where it stands in the file.
    place: String,
    name: String,
    kind: LinkKind,
    mtu: Option<u64>,
    dhcp: Vec<Dhcp>,
    addresses: Vec<Prefix>,
    gateways: Vec<IpAddr>,
    routes: Vec<Route>,
}

#[derive(Debug)]
enum LinkKind {
    Card { mac: String },
    Bond { links: Vec<String>, mode: String },
    Vlan { link: String, id: u64 },
}

/// How an address is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dhcp {
    V4,
    V6,
    Slaac,
}

/// An address and how many of its bits are those of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Prefix {
    address: IpAddr,
    bits: u8,
}

#[derive(Debug)]
struct Route {
    to: Prefix,
    via: IpAddr,
}

impl Prefix {
    /// The mask of the network.
    fn mask(self) -> IpAddr {
        match self.address {
            IpAddr::V4(_) => {
                let ones = u32::MAX.checked_shl(32 - u32::from(self.bits));
                IpAddr::V4(ones.unwrap_or(0).into())
            }
            IpAddr::V6(_) => {
                let ones = u128::MAX.checked_shl(128 - u32::from(self.bits));
                IpAddr::V6(ones.unwrap_or(0).into())
            }
        }
    }

    fn contains(self, other: IpAddr) -> bool {
        match (self.address, other, self.mask()) {
            (IpAddr::V4(own), IpAddr::V4(other), IpAddr::V4(mask)) => {
                own.to_bits() & mask.to_bits() == other.to_bits() & mask.to_bits()
            }
            (IpAddr::V6(own), IpAddr::V6(other), IpAddr::V6(mask)) => {
                own.to_bits() & mask.to_bits() == other.to_bits() & mask.to_bits()
            }
            _ => false,
        }
    }
}

/// Reads a description and checks that it makes sense.
pub(super) fn read(value: &Value) -> Result<Networks, Wrong> {
    let networks = parse::networks(value)?;
    networks.check()?;
    Ok(networks)
}

impl Networks {
    /// The first address that the machine will have for certain.
    pub(super) fn first_address(&self) -> Option<IpAddr> {
        let mut all = self.interfaces.iter().flat_map(|one| &one.addresses);
        all.next().map(|prefix| prefix.address)
    }

    fn find(&self, name: &str) -> Option<&Interface> {
        self.interfaces.iter().find(|one| one.name == name)
    }

    fn check(&self) -> Result<(), Wrong> {
        if self.interfaces.is_empty() {
            return wrong("", "it describes no interface");
        }
        let (mut names, mut macs, mut bonded) = (HashSet::new(), HashSet::new(), HashSet::new());
        for one in &self.interfaces {
            if !names.insert(&one.name) {
                return wrong(&one.place, format!("there are two interfaces {}", one.name));
            }
            match &one.kind {
                LinkKind::Card { mac } => {
                    if !macs.insert(mac) {
                        return wrong(&one.place, format!("there are two cards {mac}"));
                    }
                }
                LinkKind::Bond { links, .. } => {
                    for link in links {
                        let card = self.find(link);
                        let card = card.filter(|card| matches!(card.kind, LinkKind::Card { .. }));
                        let Some(card) = card else {
                            return wrong(&one.place, format!("there is no card {link}"));
                        };
                        if !bonded.insert(link) {
                            return wrong(&one.place, format!("{link} is in two bonds"));
                        }
                        if card.is_addressed() {
                            return wrong(&card.place, "a card in a bond has no addresses");
                        }
                    }
                }
                LinkKind::Vlan { link, .. } => {
                    let parent = self.find(link);
                    if !parent.is_some_and(|parent| !matches!(parent.kind, LinkKind::Vlan { .. })) {
                        return wrong(&one.place, format!("there is no card or bond {link}"));
                    }
                }
            }
            one.check()?;
        }
        let vlans = self.interfaces.iter();
        let mut vlans = vlans.filter_map(|one| match &one.kind {
            LinkKind::Vlan { link, .. } => Some((link, &one.place)),
            _ => None,
        });
        match vlans.find(|(link, _)| bonded.contains(link)) {
            Some((link, place)) => wrong(place, format!("{link} is in a bond: name the bond")),
            None => Ok(()),
        }
    }

    /// The MAC address of an interface: that of its first card.
    fn mac<'a>(&'a self, one: &'a Interface) -> &'a str {
        match &one.kind {
            LinkKind::Card { mac } => mac,
            LinkKind::Bond { links: below, .. } => self.mac_below(below.first()),
            LinkKind::Vlan { link, .. } => self.mac_below(Some(link)),
        }
    }

    fn mac_below<'a>(&'a self, name: Option<&String>) -> &'a str {
        // What is checked has a card at its end.
        name.and_then(|name| self.find(name))
            .map_or("", |one| self.mac(one))
    }
}

impl Interface {
    fn is_addressed(&self) -> bool {
        !(self.dhcp.is_empty() && self.addresses.is_empty() && self.routes.is_empty())
    }

    /// Whether gateways and routes are reached by the addresses.
    fn check(&self) -> Result<(), Wrong> {
        let is_near = |via: IpAddr| {
            let link_local = matches!(via, IpAddr::V6(via) if via.is_unicast_link_local());
            link_local || self.addresses.iter().any(|prefix| prefix.contains(via))
        };
        let hops = self.gateways.iter().copied();
        for via in hops.chain(self.routes.iter().map(|route| route.via)) {
            if !is_near(via) {
                let why = format!("{via} is in none of the networks of {}", self.name);
                return wrong(&self.place, why);
            }
        }
        let fours = self.gateways.iter().filter(|via| via.is_ipv4()).count();
        if fours > 1 || self.gateways.len() - fours > 1 {
            return wrong(&self.place, "it has two gateways of one kind");
        }
        Ok(())
    }
}

#[cfg(test)]
mod peers;
#[cfg(test)]
mod tests;
