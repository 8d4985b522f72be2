//! The description as `network_data.json` of an OpenStack config drive has it.

use std::net::IpAddr;

use serde_json::{Map, Value, json};

use super::{Dhcp, Interface, LinkKind, Networks, Prefix};

impl Networks {
    /// The whole document.
    pub(in crate::node::deploy) fn document(&self) -> Value {
        let links: Vec<Value> = self.interfaces.iter().map(|one| self.link(one)).collect();
        let networks: Vec<Value> = self.interfaces.iter().flat_map(networks).collect();
        let named = networks
            .into_iter()
            .enumerate()
            .map(|(index, mut network)| {
                network["id"] = json!(format!("network{index}"));
                network
            });
        let dns = self.dns.iter();
        let services = dns.map(|address| json!({"type": "dns", "address": address.to_string()}));
        json!({
            "links": links,
            "networks": named.collect::<Vec<Value>>(),
            "services": services.collect::<Vec<Value>>(),
        })
    }

    fn link(&self, one: &Interface) -> Value {
        let mac = self.mac(one);
        let mut link = match &one.kind {
            // The name is no part of OpenStack's schema; cloud-init calls the card by it.
            LinkKind::Card { .. } => {
                json!({"type": "phy", "ethernet_mac_address": mac, "name": one.name})
            }
            LinkKind::Bond { links, mode } => json!({
                "type": "bond",
                "ethernet_mac_address": mac,
                "bond_links": links,
                "bond_mode": mode,
                "bond_miimon": 100,
            }),
            LinkKind::Vlan { link, id } => json!({
                "type": "vlan",
                "vlan_link": link,
                "vlan_id": id,
                "vlan_mac_address": mac,
            }),
        };
        link["id"] = json!(one.name);
        if let Some(mtu) = one.mtu {
            link["mtu"] = json!(mtu);
        }
        link
    }
}

/// The networks of an interface: one for each address, and one for each way to ask for one. Routes
/// and gateways stand with the first address of their kind.
fn networks(one: &Interface) -> Vec<Value> {
    let mut all = Vec::new();
    for dhcp in &one.dhcp {
        let kind = match dhcp {
            Dhcp::V4 => "ipv4_dhcp",
            Dhcp::V6 => "ipv6_dhcp",
            Dhcp::Slaac => "ipv6_slaac",
        };
        all.push(json!({"link": one.name, "type": kind}));
    }
    for (index, prefix) in one.addresses.iter().enumerate() {
        let is_v4 = prefix.address.is_ipv4();
        let mut network = Map::new();
        let mut put = |key: &str, value: Value| network.insert(key.to_owned(), value);
        put("link", json!(one.name));
        put("type", json!(if is_v4 { "ipv4" } else { "ipv6" }));
        put("ip_address", json!(prefix.address.to_string()));
        put("netmask", json!(prefix.mask().to_string()));
        let before = one.addresses.iter().take(index);
        let is_first = before
            .filter(|other| other.address.is_ipv4() == is_v4)
            .count()
            == 0;
        if is_first {
            put("routes", Value::Array(routes(one, is_v4)));
        }
        all.push(Value::Object(network));
    }
    all
}

fn routes(one: &Interface, is_v4: bool) -> Vec<Value> {
    let route = |to: Prefix, via: IpAddr| {
        json!({
            "network": to.address.to_string(),
            "netmask": to.mask().to_string(),
            "gateway": via.to_string(),
        })
    };
    let everywhere = Prefix {
        address: match is_v4 {
            true => IpAddr::V4(0.into()),
            false => IpAddr::V6(0.into()),
        },
        bits: 0,
    };
    let gateways = one.gateways.iter().filter(|via| via.is_ipv4() == is_v4);
    let gateways = gateways.map(|via| route(everywhere, *via));
    let others = one
        .routes
        .iter()
        .filter(|route| route.via.is_ipv4() == is_v4);
    let others = others.map(|other| route(other.to, other.via));
    gateways.chain(others).collect()
}
