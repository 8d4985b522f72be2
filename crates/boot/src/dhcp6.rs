//! DHCP for IPv6: addresses, and boot files as URLs (RFC 5970).
//!
//! [`server`] is what is answered, [`wire`] the sockets around it. There is no proxy for IPv6: the
//! standard has none.

pub mod server;
pub mod wire;

use crate::{
    dhcp4::Others,
    lease::{Fixed, Range},
};
use std::net::{Ipv6Addr, SocketAddrV6};

/// A network that we give addresses in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subnet {
    pub interface: Option<String>,
    /// The address that the relay of the network names as its link, where that is not inside.
    pub relay: Option<Ipv6Addr>,
    pub network: Ipv6Addr,
    pub prefix: u8,
    pub ranges: Vec<Range<Ipv6Addr>>,
    pub dns: Vec<Ipv6Addr>,
    pub domain: Option<String>,
    pub lease_seconds: u32,
}

impl Subnet {
    pub fn new(network: Ipv6Addr, prefix: u8) -> Self {
        Self {
            interface: None,
            relay: None,
            network,
            prefix,
            ranges: Vec::new(),
            dns: Vec::new(),
            domain: None,
            lease_seconds: 3600,
        }
    }

    pub fn contains(&self, address: Ipv6Addr) -> bool {
        let shift = 128_u32.saturating_sub(u32::from(self.prefix));
        let mask = u128::MAX.checked_shl(shift).unwrap_or(0);
        address.to_bits() & mask == self.network.to_bits() & mask
    }
}

/// Where to listen; an interface makes us member of the group that clients call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    pub interface: Option<String>,
    pub address: SocketAddrV6,
}

/// How the service is set up.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub listeners: Vec<Listener>,
    pub subnets: Vec<Subnet>,
    /// Addresses that belong to certain machines, besides those of published nodes.
    pub fixed: Fixed<Ipv6Addr>,
    pub others: Others,
}
