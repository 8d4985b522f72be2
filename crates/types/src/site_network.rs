//! Networks of machines that are kept in the database: which addresses the DHCP server gives there,
//! and what it tells with them.
//!
//! A [`NetworkPlan`] that was checked is sound: what is read from the database or from a client is
//! checked before it is used.

mod prefix;

pub use prefix::{AddressRange, BadPrefix, BadRange, Prefix, address_key};

use crate::{NodeId, PortId, Timestamp, port::MacAddress};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
    str::FromStr,
};

/// The name of a network.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NetworkName(String);

/// A name that no network can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' cannot be the name of a network: a name has 1 to 64 lower-case letters, digits, dots, \
     hyphens and underscores, and begins with a letter or digit"
)]
pub struct BadNetworkName(String);

impl NetworkName {
    pub const MOST: usize = 64;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for NetworkName {
    type Err = BadNetworkName;

    fn from_str(text: &str) -> Result<Self, BadNetworkName> {
        let is_inner =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte);
        let begins_well = text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric());
        match begins_well && text.len() <= Self::MOST && text.bytes().all(is_inner) {
            true => Ok(Self(text.to_owned())),
            false => Err(BadNetworkName(text.chars().take(80).collect())),
        }
    }
}

impl fmt::Display for NetworkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for NetworkName {
    type Error = BadNetworkName;

    fn try_from(text: String) -> Result<Self, BadNetworkName> {
        text.parse()
    }
}

impl From<NetworkName> for String {
    fn from(name: NetworkName) -> Self {
        name.0
    }
}

/// What a client says about a network. All but the prefix may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkPlan {
    pub prefix: Prefix,
    /// For people; the DHCP server does not use it.
    #[serde(default)]
    pub vlan: Option<u16>,
    /// Addresses for machines without a reservation.
    #[serde(default)]
    pub ranges: Vec<AddressRange>,
    #[serde(default)]
    pub gateway: Option<IpAddr>,
    #[serde(default)]
    pub dns_servers: Vec<IpAddr>,
    #[serde(default)]
    pub ntp_servers: Vec<IpAddr>,
    #[serde(default)]
    pub domain: Option<String>,
    #[serde(default)]
    pub mtu: Option<u16>,
    /// The address of the relay that forwards requests of this network.
    #[serde(default)]
    pub relay: Option<IpAddr>,
    /// The conductor's interface in this network.
    #[serde(default)]
    pub interface: Option<String>,
    /// The conductor's address as machines of this network reach it.
    #[serde(default)]
    pub server: Option<Ipv4Addr>,
    #[serde(default = "NetworkPlan::usual_lease")]
    pub lease_seconds: u32,
    /// The only conductor that may serve it.
    #[serde(default)]
    pub conductor: Option<String>,
}

/// Why a plan is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("prefix {0} leaves no address for machines")]
    TooSmall(Prefix),
    #[error("vlan is {0}, and must be from 1 to 4094")]
    Vlan(u16),
    #[error("range {range} is not inside prefix {prefix}")]
    RangeOutside { range: AddressRange, prefix: Prefix },
    #[error("range {range} has the address {address}, which means the network or all of it")]
    RangeEdge {
        range: AddressRange,
        address: Ipv4Addr,
    },
    #[error("ranges {0} and {1} overlap")]
    RangesOverlap(AddressRange, AddressRange),
    #[error("gateway {gateway} is not inside prefix {prefix}")]
    GatewayOutside { gateway: IpAddr, prefix: Prefix },
    #[error("{name} {address} is not of the same IP version as prefix {prefix}")]
    Family {
        name: &'static str,
        address: IpAddr,
        prefix: Prefix,
    },
    #[error(
        "{0} cannot be told by DHCPv6: routers of an IPv6 network announce it, or leave it out"
    )]
    NotInV6(&'static str),
    #[error("mtu is {0}, and must be at least {1}")]
    Mtu(u16, u16),
    #[error("lease_seconds is {0}, and must be from {first} to {last}", first = NetworkPlan::LEASE.0, last = NetworkPlan::LEASE.1)]
    Lease(u32),
    #[error("domain '{0}' is no DNS name")]
    Domain(String),
    #[error("interface '{0}' cannot be the name of a network interface")]
    Interface(String),
    #[error("say one of relay and interface: requests reach the conductor one way")]
    RelayAndInterface,
    #[error("{name} has {count} entries, and at most {most} fit")]
    TooMany {
        name: &'static str,
        count: usize,
        most: usize,
    },
    #[error("conductor has no name")]
    Conductor,
}

impl NetworkPlan {
    /// The shortest and the longest lease.
    pub const LEASE: (u32, u32) = (60, 31_536_000);
    /// How many ranges a network has at most, and how many servers of a kind.
    pub const MOST_RANGES: usize = 16;
    pub const MOST_SERVERS: usize = 8;

    pub fn new(prefix: Prefix) -> Self {
        Self {
            prefix,
            vlan: None,
            ranges: Vec::new(),
            gateway: None,
            dns_servers: Vec::new(),
            ntp_servers: Vec::new(),
            domain: None,
            mtu: None,
            relay: None,
            interface: None,
            server: None,
            lease_seconds: Self::usual_lease(),
            conductor: None,
        }
    }

    const fn usual_lease() -> u32 {
        3600
    }

    /// Says what is wrong with a plan, if something is.
    pub fn check(&self) -> Result<(), PlanError> {
        let prefix = self.prefix;
        let is_v6 = prefix.address().is_ipv6();
        if prefix.length() > if is_v6 { 126 } else { 30 } {
            return Err(PlanError::TooSmall(prefix));
        }
        if let Some(vlan) = self.vlan.filter(|vlan| !(1..=4094).contains(vlan)) {
            return Err(PlanError::Vlan(vlan));
        }
        self.check_ranges()?;
        if is_v6 {
            self.check_v6()?;
        }
        self.check_families()?;
        if let Some(gateway) = self.gateway.filter(|gateway| !prefix.contains(*gateway)) {
            return Err(PlanError::GatewayOutside { gateway, prefix });
        }
        // RFC 2132, 5.1: the smallest MTU is 68; with less than 576, a client cannot be answered.
        if let Some(mtu) = self.mtu.filter(|mtu| *mtu < 576) {
            return Err(PlanError::Mtu(mtu, 576));
        }
        if !(Self::LEASE.0..=Self::LEASE.1).contains(&self.lease_seconds) {
            return Err(PlanError::Lease(self.lease_seconds));
        }
        if let Some(domain) = self.domain.as_ref().filter(|domain| !is_dns_name(domain)) {
            return Err(PlanError::Domain(domain.chars().take(80).collect()));
        }
        if let Some(name) = self.interface.as_ref().filter(|name| !is_interface(name)) {
            return Err(PlanError::Interface(name.chars().take(80).collect()));
        }
        if self.relay.is_some() && self.interface.is_some() {
            return Err(PlanError::RelayAndInterface);
        }
        match self.conductor.as_deref() {
            Some("") => Err(PlanError::Conductor),
            _ => Ok(()),
        }
    }

    fn check_ranges(&self) -> Result<(), PlanError> {
        let prefix = self.prefix;
        few("ranges", self.ranges.len(), Self::MOST_RANGES)?;
        for (index, range) in self.ranges.iter().enumerate() {
            let range = *range;
            if !prefix.contains(range.first()) || !prefix.contains(range.last()) {
                return Err(PlanError::RangeOutside { range, prefix });
            }
            // RFC 919: the first address is the network's, the last one is everybody's.
            for edge in prefix.edges() {
                if range.contains(IpAddr::V4(edge)) {
                    return Err(PlanError::RangeEdge {
                        range,
                        address: edge,
                    });
                }
            }
            let others = &self.ranges[..index];
            if let Some(other) = others.iter().find(|other| other.overlaps(range)) {
                return Err(PlanError::RangesOverlap(*other, range));
            }
        }
        Ok(())
    }

    fn check_v6(&self) -> Result<(), PlanError> {
        let told = [
            ("gateway", self.gateway.is_some()),
            ("ntp_servers", !self.ntp_servers.is_empty()),
            ("mtu", self.mtu.is_some()),
            ("server", self.server.is_some()),
        ];
        match told.into_iter().find(|(_, is_told)| *is_told) {
            Some((name, _)) => Err(PlanError::NotInV6(name)),
            None => Ok(()),
        }
    }

    fn check_families(&self) -> Result<(), PlanError> {
        let prefix = self.prefix;
        few("dns_servers", self.dns_servers.len(), Self::MOST_SERVERS)?;
        few("ntp_servers", self.ntp_servers.len(), Self::MOST_SERVERS)?;
        let lists = [
            ("gateway", self.gateway.as_slice()),
            ("relay", self.relay.as_slice()),
            ("dns_servers", &self.dns_servers),
            ("ntp_servers", &self.ntp_servers),
        ];
        for (name, addresses) in lists {
            let other = |one: &&IpAddr| one.is_ipv4() != prefix.address().is_ipv4();
            if let Some(address) = addresses.iter().find(other) {
                let address = *address;
                return Err(PlanError::Family {
                    name,
                    address,
                    prefix,
                });
            }
        }
        Ok(())
    }
}

fn few(name: &'static str, count: usize, most: usize) -> Result<(), PlanError> {
    match count > most {
        true => Err(PlanError::TooMany { name, count, most }),
        false => Ok(()),
    }
}

/// Whether a text is a host name, perhaps of several labels (RFC 1123, 2.1).
pub fn is_dns_name(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

fn is_interface(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && byte != b'/' && byte != b':';
    (1..=15).contains(&name.len()) && name.bytes().all(fits) && name != "." && name != ".."
}

/// A network as the database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteNetwork {
    pub name: NetworkName,
    /// Raised by every change.
    pub version: i64,
    pub plan: NetworkPlan,
    /// The conductor that gives the addresses of this network now.
    pub served_by: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

/// An address that is kept for one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    pub network: NetworkName,
    pub mac: MacAddress,
    pub address: IpAddr,
    pub created_at: Timestamp,
}

/// An address that a machine has from a conductor's DHCP server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DhcpLease {
    pub address: IpAddr,
    pub mac: MacAddress,
    pub until: Timestamp,
}

/// A lease, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedLease {
    pub lease: DhcpLease,
    pub conductor: String,
    pub port: Option<PortId>,
    pub node: Option<NodeId>,
    pub node_name: Option<String>,
    /// Whether the address is reserved for this machine.
    pub is_fixed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(prefix: &str) -> NetworkPlan {
        NetworkPlan::new(prefix.parse().unwrap())
    }

    fn with(change: impl FnOnce(&mut NetworkPlan)) -> NetworkPlan {
        let mut plan = plan("10.0.0.0/24");
        change(&mut plan);
        plan
    }

    #[test]
    fn a_sound_plan_is_taken() {
        let sound = with(|plan| {
            plan.ranges = ["10.0.0.10-10.0.0.19", "10.0.0.30-10.0.0.39"]
                .map(|range| range.parse().unwrap())
                .to_vec();
            plan.gateway = Some([10, 0, 0, 1].into());
            plan.domain = Some("rack1.example.org".to_owned());
            plan.interface = Some("eth1.12".to_owned());
        });
        assert_eq!(sound.check(), Ok(()));
        let text = serde_json::to_string(&sound).unwrap();
        assert_eq!(serde_json::from_str::<NetworkPlan>(&text).unwrap(), sound);
        assert_eq!(plan("fd00::/64").check(), Ok(()));
    }

    #[test]
    fn mistakes_are_named() {
        let range = |text: &str| vec![text.parse::<AddressRange>().unwrap()];
        let cases: [(NetworkPlan, &str); 14] = [
            (plan("10.0.0.0/31"), "leaves no address"),
            (with(|plan| plan.vlan = Some(4095)), "4095"),
            (
                with(|plan| plan.ranges = range("10.0.1.1-10.0.1.9")),
                "not inside",
            ),
            (
                with(|plan| plan.ranges = range("10.0.0.0-10.0.0.9")),
                "10.0.0.0, which",
            ),
            (
                with(|plan| plan.ranges = range("10.0.0.9-10.0.0.255")),
                "10.0.0.255, which",
            ),
            (
                with(|plan| {
                    plan.ranges = range("10.0.0.1-10.0.0.9");
                    plan.ranges.extend(range("10.0.0.9-10.0.0.19"));
                }),
                "overlap",
            ),
            (
                with(|plan| plan.gateway = Some([10, 0, 1, 1].into())),
                "gateway 10.0.1.1",
            ),
            (
                with(|plan| plan.relay = "fd00::1".parse().ok()),
                "relay fd00::1",
            ),
            (with(|plan| plan.mtu = Some(500)), "576"),
            (with(|plan| plan.lease_seconds = 1), "60"),
            (
                with(|plan| plan.domain = Some("a b".to_owned())),
                "no DNS name",
            ),
            (
                with(|plan| plan.interface = Some("../x".to_owned())),
                "cannot be the name",
            ),
            (
                with(|plan| {
                    plan.relay = Some([10, 0, 0, 1].into());
                    plan.interface = Some("eth1".to_owned());
                }),
                "say one of",
            ),
            (
                with(|plan| plan.dns_servers = vec![[1, 1, 1, 1].into(); 9]),
                "at most 8",
            ),
        ];
        for (plan, word) in cases {
            let why = plan.check().unwrap_err().to_string();
            assert!(why.contains(word), "{why}");
        }
        let mut six = plan("fd00::/64");
        six.mtu = Some(1500);
        assert_eq!(six.check(), Err(PlanError::NotInV6("mtu")));
    }

    #[test]
    fn names_are_plain() {
        for good in ["rack1", "a", "0.b_c-d"] {
            assert!(good.parse::<NetworkName>().is_ok(), "{good}");
        }
        for bad in ["", "Rack", "-a", "a/b", &"a".repeat(65)] {
            assert!(bad.parse::<NetworkName>().is_err(), "{bad}");
        }
    }
}
