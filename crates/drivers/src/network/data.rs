//! `network_data.json` for a ramdisk that boots from a disc, and so gets no address by DHCP.
//!
//! The format is that of OpenStack's config drives: links, the networks on them, and services.

use super::{NodeNetwork, failed, wire};
use crate::{DriverError, iface::Machine};
use openstack::neutron::{Network, Port, Subnet};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use types::JsonMap;
use wire::Wire;

/// What Neutron says about one virtual interface.
#[derive(Debug)]
struct Seen {
    port: Port,
    network: Network,
    subnets: Vec<Subnet>,
}

/// What the machine's current virtual interfaces are like; `None` where it has none.
pub(super) async fn collect(
    network: &NodeNetwork,
    machine: &Machine<'_>,
) -> Result<Option<JsonMap>, DriverError> {
    let mut data = NetworkData::default();
    for wire in wire::all(machine) {
        if let Some(vif) = wire.current_vif() {
            let seen = look(network, vif).await?;
            data.add(&wire, &seen);
        }
    }
    Ok(data.document())
}

async fn look(network: &NodeNetwork, vif: &str) -> Result<Seen, DriverError> {
    let tried = format!("Could not retrieve the network data of neutron port {vif}:");
    let failed = |error| failed(&tried, &error);
    let (neutron, caller) = (&network.neutron, &network.caller);
    let port = neutron
        .port(vif, caller, network.deadline())
        .await
        .map_err(failed)?;
    let of = neutron
        .network(&port.network_id, caller, network.deadline())
        .await
        .map_err(failed)?;
    let mut subnets: Vec<Subnet> = Vec::new();
    for id in port
        .fixed_ips
        .iter()
        .filter_map(|ip| ip.subnet_id.as_deref())
    {
        if !subnets.iter().any(|known| known.id == id) {
            let subnet = neutron.subnet(id, caller, network.deadline()).await;
            subnets.push(subnet.map_err(failed)?);
        }
    }
    Ok(Seen {
        port,
        network: of,
        subnets,
    })
}

#[derive(Debug, Default)]
struct NetworkData {
    links: Vec<Value>,
    networks: Vec<Value>,
    services: Vec<Value>,
}

impl NetworkData {
    fn document(self) -> Option<JsonMap> {
        if self.links.is_empty() {
            return None;
        }
        Some(JsonMap::from_iter([
            ("links".to_owned(), self.links.into()),
            ("networks".to_owned(), self.networks.into()),
            ("services".to_owned(), self.services.into()),
        ]))
    }

    fn add(&mut self, wire: &Wire<'_>, seen: &Seen) {
        let link = self.add_link(wire, seen);
        for ip in &seen.port.fixed_ips {
            let subnet = seen
                .subnets
                .iter()
                .find(|subnet| ip.subnet_id.as_deref() == Some(subnet.id.as_str()));
            let address = ip.ip_address.as_deref().and_then(|ip| ip.parse().ok());
            if let (Some(subnet), Some(address)) = (subnet, address) {
                self.add_network(&link, seen, subnet, address);
            }
        }
    }

    fn add_link(&mut self, wire: &Wire<'_>, seen: &Seen) -> String {
        let (port, mtu) = (&seen.port, seen.network.mtu);
        let own = match wire {
            Wire::Port(port) => port.id.to_string(),
            Wire::Group(group, _) => group.id.to_string(),
        };
        let id = match port.name.is_empty() {
            true => own,
            false => port.name.clone(),
        };
        let mac = wire.mac().map(|mac| mac.to_string());
        let mut link = json!({
            "id": id,
            "type": "vif",
            "ethernet_mac_address": mac.unwrap_or_else(|| port.mac_address.clone()),
            "vif_id": port.id,
            "mtu": mtu,
        });
        if let Wire::Group(group, members) = wire {
            let mut names = Vec::new();
            for member in members {
                let name = member.id.to_string();
                self.links.push(json!({
                    "id": name,
                    "type": "phy",
                    "ethernet_mac_address": member.address,
                    "mtu": mtu,
                }));
                names.push(name);
            }
            link["type"] = json!("bond");
            link["bond_mode"] = json!(group.mode);
            link["bond_links"] = json!(names);
        }
        self.links.push(link);
        id
    }

    fn add_network(&mut self, link: &str, seen: &Seen, subnet: &Subnet, address: IpAddr) {
        let prefix = subnet
            .cidr
            .split_once('/')
            .and_then(|(_, bits)| bits.parse().ok());
        let kind = match address {
            IpAddr::V4(_) => "ipv4",
            IpAddr::V6(_) => "ipv6",
        };
        let mut routes = Vec::new();
        if let Some(gateway) = &subnet.gateway_ip {
            let any = unspecified(address);
            routes.push(json!({"network": any, "netmask": any, "gateway": gateway}));
        }
        for route in &subnet.host_routes {
            let Some((to, bits)) = route.destination.split_once('/') else {
                continue;
            };
            let mask = bits.parse().ok().map(|bits| netmask(address, bits));
            routes.push(json!({"network": to, "netmask": mask, "gateway": route.nexthop}));
        }
        self.networks.push(json!({
            "id": subnet.id,
            "network_id": seen.network.id,
            "type": kind,
            "link": link,
            "ip_address": address,
            "netmask": prefix.map(|bits| netmask(address, bits)),
            "routes": routes,
        }));
        for server in &subnet.dns_nameservers {
            let service = json!({"type": "dns", "address": server});
            if !self.services.contains(&service) {
                self.services.push(service);
            }
        }
    }
}

fn unspecified(like: IpAddr) -> IpAddr {
    match like {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

/// As many ones as the prefix is long.
fn netmask(like: IpAddr, bits: u32) -> IpAddr {
    match like {
        IpAddr::V4(_) => {
            let mask = u32::MAX.checked_shl(32 - bits.min(32)).unwrap_or(0);
            Ipv4Addr::from(mask).into()
        }
        IpAddr::V6(_) => {
            let mask = u128::MAX.checked_shl(128 - bits.min(128)).unwrap_or(0);
            Ipv6Addr::from(mask).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{NodeId, PortId};

    #[test]
    fn masks_have_as_many_ones_as_the_prefix_is_long() {
        let v4: IpAddr = "192.0.2.1".parse().unwrap();
        let v6: IpAddr = "2001:db8::1".parse().unwrap();
        assert_eq!(netmask(v4, 24).to_string(), "255.255.255.0");
        assert_eq!(netmask(v4, 0).to_string(), "0.0.0.0");
        assert_eq!(netmask(v4, 99).to_string(), "255.255.255.255");
        assert_eq!(netmask(v6, 64).to_string(), "ffff:ffff:ffff:ffff::");
    }

    #[test]
    fn a_port_is_a_link_with_its_networks_and_servers() {
        let port = json!({"id": "v", "network_id": "n", "fixed_ips": [
            {"subnet_id": "s", "ip_address": "192.0.2.7"},
            {"subnet_id": "s", "ip_address": "garbage"},
        ]});
        let subnet = json!({
            "id": "s", "network_id": "n", "ip_version": 4, "cidr": "192.0.2.0/24",
            "gateway_ip": "192.0.2.1", "dns_nameservers": ["192.0.2.53"],
            "host_routes": [{"destination": "198.51.100.0/25", "nexthop": "192.0.2.2"}],
        });
        let seen = Seen {
            port: Port::read(port.to_string().as_bytes()).unwrap(),
            network: serde_json::from_value(json!({"id": "n", "mtu": 1500})).unwrap(),
            subnets: vec![serde_json::from_value(subnet).unwrap()],
        };
        let mac = "52:54:00:00:00:01".parse().unwrap();
        let own = types::Port::new(PortId::generate(), NodeId::generate(), mac);
        let mut data = NetworkData::default();
        data.add(&Wire::Port(&own), &seen);
        let expected = json!({
            "links": [{
                "id": own.id, "type": "vif", "ethernet_mac_address": "52:54:00:00:00:01",
                "vif_id": "v", "mtu": 1500,
            }],
            "networks": [{
                "id": "s", "network_id": "n", "type": "ipv4", "link": own.id,
                "ip_address": "192.0.2.7", "netmask": "255.255.255.0",
                "routes": [
                    {"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "192.0.2.1"},
                    {"network": "198.51.100.0", "netmask": "255.255.255.128", "gateway": "192.0.2.2"},
                ],
            }],
            "services": [{"type": "dns", "address": "192.0.2.53"}],
        });
        assert_eq!(Value::Object(data.document().unwrap()), expected);
        assert_eq!(NetworkData::default().document(), None);
    }
}
