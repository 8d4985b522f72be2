//! Bonds, VLANs and fixed addresses, as the layout says.

use super::{Network, OTHERS, PREFERRED, console, guard};
use crate::{
    init::{
        layout::{Addressing, Bond},
        lease::Lease,
    },
    netlink::{BondOptions, Link, Netlink},
};
use proto::dhcp::options::Route;
use std::{
    io,
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

impl Network {
    /// Makes the bonds, still without members. The kernel loads the module by asking for it.
    pub(super) fn make_bonds(&self) {
        for bond in &self.layout.bonds {
            let options = BondOptions {
                mode: bond.mode as u8,
                miimon: bond.miimon,
                hash: bond.hash.map(|hash| hash as u8),
                is_fast: bond.is_fast,
            };
            let made = Netlink::open()
                .and_then(|mut kernel| kernel.add_bond(&bond.name, bond.mac, options));
            if let Err(error) = made {
                console::say(&format!("cannot make the bond {}: {error}", bond.name));
            }
        }
    }

    /// Makes a link a member of a bond; false if that is not possible, and the link is as any other.
    pub(super) fn join(&self, link: &Link, bond: &Bond) -> bool {
        let joined = Netlink::open().and_then(|mut kernel| {
            let master = kernel.links()?.into_iter();
            let master = master.into_iter().find(|other| other.name == bond.name);
            let master = master.ok_or(io::ErrorKind::NotFound)?;
            // Only a link that is down can be joined.
            kernel.set_up(link.index, false)?;
            kernel.set_master(link.index, master.index)
        });
        match &joined {
            Ok(()) => console::say(&format!("{} is part of {}", link.name, bond.name)),
            Err(error) => console::say(&format!(
                "{} cannot be made part of {}: {error}",
                link.name, bond.name
            )),
        }
        joined.is_ok()
    }

    /// What has to be done to a link before it is switched on.
    pub(super) fn prepare(&self, link: &Link, addressing: &Addressing) {
        let own = |name: &str| name == link.name;
        let mut bonds = self.layout.bonds.iter().filter(|bond| own(&bond.name));
        let mut vlans = self.layout.vlans.iter().filter(|vlan| own(&vlan.name));
        let of_made = bonds.next().and_then(|bond| bond.mtu);
        let of_made = of_made.or_else(|| vlans.next().and_then(|vlan| vlan.mtu));
        if let Some(mtu) = addressing.mtu.or(of_made) {
            let set = Netlink::open().and_then(|mut kernel| kernel.set_mtu(link.index, mtu));
            if let Err(error) = set {
                console::say(&format!("{}: MTU {mtu} is refused: {error}", link.name));
            }
        }
        for vlan in self.layout.vlans_on(self.seen_as(link)) {
            let made = Netlink::open().and_then(|mut kernel| {
                // The VLAN is on nothing while its link is down.
                kernel.set_up(link.index, true)?;
                kernel.add_vlan(&vlan.name, link.index, vlan.id, vlan.mac)
            });
            match made {
                Ok(()) => console::say(&format!(
                    "{} is VLAN {} on {}",
                    vlan.name, vlan.id, link.name
                )),
                Err(error) => console::say(&format!(
                    "cannot make VLAN {} on {}: {error}",
                    vlan.id, link.name
                )),
            }
        }
    }

    /// Gives a link the addresses and routes that were said.
    pub(super) fn set_fixed(&self, link: &Link, addressing: &Addressing) {
        let mut is_told = false;
        for (address, prefix) in &addressing.fixed {
            if let (IpAddr::V4(address), false) = (address, is_told) {
                is_told = true;
                let lease = self.lease(*address, *prefix, addressing);
                super::Leases::granted(self, link, &lease);
                continue;
            }
            let set = Netlink::open()
                .and_then(|mut kernel| kernel.add_address(link.index, *address, *prefix, None));
            match set {
                Ok(()) => console::say(&format!(
                    "{} has {address}/{prefix} as configured",
                    link.name
                )),
                Err(error) => console::say(&format!(
                    "{}: cannot set the address {address}: {error}",
                    link.name
                )),
            }
        }
        let metric = match self.preferred(link) {
            true => PREFERRED,
            false => OTHERS.saturating_add(link.index),
        };
        // Those of IPv4 came with the address, where there is one.
        let others = addressing.routes.iter();
        let others = others.filter(|route| !is_told || route.gateway.is_ipv6());
        for route in others {
            let gateway = Some(route.gateway);
            let set = Netlink::open().and_then(|mut kernel| {
                kernel.add_route(link.index, route.network, gateway, metric)
            });
            if let Err(error) = set {
                console::say(&format!(
                    "{}: cannot set the route by {}: {error}",
                    link.name, route.gateway
                ));
            }
        }
        // For name servers that came without an address of IPv4.
        self.write_down(&guard(&self.leases));
        self.changed.notify_all();
    }

    /// A fixed address in the form of one on loan.
    fn lease(&self, address: Ipv4Addr, prefix: u8, addressing: &Addressing) -> Lease {
        let routes = addressing.routes.iter().filter_map(|route| {
            let (IpAddr::V4(network), IpAddr::V4(gateway)) = (route.network.0, route.gateway)
            else {
                return None;
            };
            Some(Route {
                network,
                prefix: route.network.1,
                gateway,
            })
        });
        Lease {
            address,
            prefix,
            server: Ipv4Addr::UNSPECIFIED,
            routes: routes.collect(),
            dns: Vec::new(),
            domain: None,
            host_name: self.layout.host_name.clone(),
            mtu: None,
            ntp: Vec::new(),
            lasts: None,
            renew_after: Duration::MAX,
            rebind_after: Duration::MAX,
        }
    }
}
