//! Networks of the database, as the DHCP servers use them.

use crate::{
    dhcp4, dhcp6,
    lease::{Fixed, Range},
    listeners::Places,
};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::Path,
};
use types::site_network::{AddressRange, NetworkPlan, Reservation};

/// What both servers get.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub(crate) v4: Vec<dhcp4::Subnet>,
    pub(crate) v6: Vec<dhcp6::Subnet>,
    pub(crate) fixed4: Fixed<Ipv4Addr>,
    pub(crate) fixed6: Fixed<Ipv6Addr>,
    pub(crate) places4: Places,
    pub(crate) places6: Places,
}

/// Sorts networks and reservations by IP version; `own` is our address where a network names none.
pub(crate) fn sort(plans: &[NetworkPlan], reservations: &[Reservation], own: Ipv4Addr) -> Sorted {
    let mut sorted = Sorted::default();
    for plan in plans {
        let interface = plan.interface.clone();
        match plan.prefix.address() {
            IpAddr::V4(network) => {
                sorted.places4.insert(interface);
                sorted.v4.push(subnet4(plan, network, own));
            }
            IpAddr::V6(network) => {
                sorted.places6.insert(interface);
                sorted.v6.push(subnet6(plan, network));
            }
        }
    }
    for reservation in reservations {
        match reservation.address {
            IpAddr::V4(address) => sorted.fixed4.insert(reservation.mac, address),
            IpAddr::V6(address) => sorted.fixed6.insert(reservation.mac, address),
        }
    }
    sorted
}

/// Whether this machine has an interface of this name.
#[expect(clippy::disallowed_methods, reason = "the kernel has it in memory")]
pub(crate) fn has_interface(name: &str) -> bool {
    Path::new("/sys/class/net").join(name).exists()
}

impl dhcp4::Subnet {
    /// What a network of the database is for the server; nothing for one of IPv6.
    pub fn of_plan(plan: &NetworkPlan, own: Ipv4Addr) -> Option<Self> {
        v4(plan.prefix.address()).map(|network| subnet4(plan, network, own))
    }
}

fn subnet4(plan: &NetworkPlan, network: Ipv4Addr, own: Ipv4Addr) -> dhcp4::Subnet {
    let server = plan.server.unwrap_or(own);
    let mut subnet = dhcp4::Subnet::new(network, plan.prefix.length(), server);
    subnet.interface.clone_from(&plan.interface);
    subnet.relay = plan.relay.and_then(v4);
    subnet.ranges = plan
        .ranges
        .iter()
        .filter_map(|range| between(range, v4))
        .collect();
    subnet.routers = plan.gateway.and_then(v4).into_iter().collect();
    subnet.dns = plan.dns_servers.iter().copied().filter_map(v4).collect();
    subnet.ntp = plan.ntp_servers.iter().copied().filter_map(v4).collect();
    subnet.domain.clone_from(&plan.domain);
    subnet.mtu = plan.mtu;
    subnet.lease_seconds = plan.lease_seconds;
    subnet
}

fn subnet6(plan: &NetworkPlan, network: Ipv6Addr) -> dhcp6::Subnet {
    let mut subnet = dhcp6::Subnet::new(network, plan.prefix.length());
    subnet.interface.clone_from(&plan.interface);
    subnet.relay = plan.relay.and_then(v6);
    subnet.ranges = plan
        .ranges
        .iter()
        .filter_map(|range| between(range, v6))
        .collect();
    subnet.dns = plan.dns_servers.iter().copied().filter_map(v6).collect();
    subnet.domain.clone_from(&plan.domain);
    subnet.lease_seconds = plan.lease_seconds;
    subnet
}

fn v4(address: IpAddr) -> Option<Ipv4Addr> {
    match address {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    }
}

fn v6(address: IpAddr) -> Option<Ipv6Addr> {
    match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(address),
    }
}

fn between<A>(range: &AddressRange, of: fn(IpAddr) -> Option<A>) -> Option<Range<A>> {
    Some(Range {
        first: of(range.first())?,
        last: of(range.last())?,
    })
}
