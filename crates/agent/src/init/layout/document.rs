//! The layout as `network_data.json`, which comes on virtual media (OpenStack's description of
//! networks, as Nova writes it and Ironic passes it on).
//!
//! The file stands on a medium that anybody with the BMC's password can insert, so everything in it
//! is bounded and checked like the words of a command line.

use super::{
    Addressing, Bond, BondMode, HashPolicy, Layout, LinkName, MOST, Route, Vlan, is_link_name,
    is_usable, mac_of, prefix_of, words::default_route,
};
use serde::Deserialize;
use serde_json::Value;
use std::{collections::HashMap, net::IpAddr};

/// Longer than any that a service writes.
pub(in crate::init) const LARGEST: usize = 256 << 10;

/// Why a document cannot be used.
#[derive(Debug, thiserror::Error)]
pub(in crate::init) enum LayoutError {
    #[error("network_data.json has {0} bytes, more than {LARGEST}")]
    TooLong(usize),
    #[error("network_data.json is not as expected")]
    Json(#[from] serde_json::Error),
    #[error("network_data.json has more than {MOST} {0}")]
    TooMany(&'static str),
    #[error("link '{0}' of network_data.json: {1}")]
    Link(String, &'static str),
    #[error("a network of link '{0}' of network_data.json: {1}")]
    Network(String, &'static str),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Document {
    links: Vec<Link>,
    networks: Vec<Network>,
    services: Vec<Service>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Link {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    ethernet_mac_address: Option<String>,
    mtu: Option<u32>,
    bond_links: Vec<String>,
    bond_mode: Option<Value>,
    bond_miimon: Option<Value>,
    bond_xmit_hash_policy: Option<Value>,
    bond_lacp_rate: Option<Value>,
    vlan_link: Option<String>,
    vlan_id: Option<Value>,
    vlan_mac_address: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Network {
    link: String,
    #[serde(rename = "type")]
    kind: String,
    ip_address: Option<String>,
    netmask: Option<Value>,
    gateway: Option<String>,
    routes: Vec<NetworkRoute>,
    services: Vec<Service>,
    dns_nameservers: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct NetworkRoute {
    network: String,
    netmask: Option<Value>,
    gateway: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Service {
    #[serde(rename = "type")]
    kind: String,
    address: String,
}

/// Reads a document. One that is wrong anywhere is not used at all.
pub(in crate::init) fn read(text: &str) -> Result<Layout, LayoutError> {
    if text.len() > LARGEST {
        return Err(LayoutError::TooLong(text.len()));
    }
    let document: Document = serde_json::from_str(text)?;
    for (what, count) in [
        ("links", document.links.len()),
        ("networks", document.networks.len()),
        ("services", document.services.len()),
    ] {
        if count > MOST {
            return Err(LayoutError::TooMany(what));
        }
    }
    let names = names(&document.links)?;
    let mut layout = Layout {
        // A machine that is described is not addressed by chance.
        others: Some(Addressing::default()),
        ..Layout::default()
    };
    for link in &document.links {
        layout.add_link(link, &names)?;
    }
    for network in &document.networks {
        layout.add_network(network, &names)?;
    }
    layout.add_services(&document.services);
    if document.networks.is_empty() {
        layout.others = None;
    }
    Ok(layout)
}

type Names = HashMap<String, LinkName>;

/// What each link will be called here.
fn names(links: &[Link]) -> Result<Names, LayoutError> {
    let mut names = Names::new();
    let (mut bonds, mut vlans) = (0, 0);
    for link in links {
        let refused = |why| LayoutError::Link(link.id.clone(), why);
        let given = |otherwise: String| match is_link_name(&link.id) {
            true => LinkName::Name(link.id.clone()),
            false => LinkName::Name(otherwise),
        };
        let name = match link.kind.as_str() {
            "bond" => {
                bonds += 1;
                given(format!("cortenbond{}", bonds - 1))
            }
            "vlan" => {
                vlans += 1;
                given(format!("cortenvlan{}", vlans - 1))
            }
            // Whatever plugs the machine in on the other side, it is a card here.
            _ => {
                let mac = link.ethernet_mac_address.as_deref().and_then(mac_of);
                LinkName::Mac(mac.ok_or_else(|| refused("it has no address of a device"))?)
            }
        };
        let is_taken = names.values().any(|other| *other == name);
        if is_taken || names.insert(link.id.clone(), name).is_some() {
            return Err(refused("another link has its name or its address"));
        }
    }
    Ok(names)
}

impl Layout {
    fn add_link(&mut self, link: &Link, names: &Names) -> Result<(), LayoutError> {
        let refused = |why| LayoutError::Link(link.id.clone(), why);
        let mac = |text: &Option<String>| match text.as_deref() {
            None => Ok(None),
            Some(text) => mac_of(text)
                .map(Some)
                .ok_or_else(|| refused("its address is none of a device")),
        };
        let mtu = link.mtu.filter(|mtu| (68..=65_535).contains(mtu));
        let Some(own) = names.get(&link.id) else {
            return Ok(());
        };
        match (link.kind.as_str(), own) {
            ("bond", LinkName::Name(name)) => {
                let members = link.bond_links.iter().map(|id| names.get(id).cloned());
                let members: Option<Vec<LinkName>> = members.collect();
                let members = members.ok_or_else(|| refused("a link of the bond is missing"))?;
                let is_of_cards = members.iter().all(|one| matches!(one, LinkName::Mac(_)));
                if members.is_empty() || members.len() > MOST || !is_of_cards {
                    return Err(refused("a bond is made of cards"));
                }
                let mut bond = Bond::new(name.clone(), members);
                if let Some(mode) = word(&link.bond_mode) {
                    bond.mode = BondMode::parse(&mode)
                        .ok_or_else(|| refused("its bond_mode is not known"))?;
                }
                if let Some(miimon) = word(&link.bond_miimon).and_then(|text| text.parse().ok()) {
                    bond.miimon = miimon;
                }
                bond.hash =
                    word(&link.bond_xmit_hash_policy).and_then(|text| HashPolicy::parse(&text));
                let rate = word(&link.bond_lacp_rate).unwrap_or_default();
                bond.is_fast = matches!(rate.as_str(), "fast" | "1");
                bond.mtu = mtu;
                bond.mac = mac(&link.ethernet_mac_address)?;
                self.bonds.push(bond);
            }
            ("vlan", LinkName::Name(name)) => {
                let parent = link.vlan_link.as_ref().and_then(|id| names.get(id));
                let id = word(&link.vlan_id).and_then(|text| text.parse().ok());
                let id = id.filter(|id| (1..=4094).contains(id));
                self.vlans.push(Vlan {
                    name: name.clone(),
                    parent: parent
                        .cloned()
                        .ok_or_else(|| refused("the link of the VLAN is missing"))?,
                    id: id.ok_or_else(|| refused("its vlan_id is none"))?,
                    mtu,
                    mac: mac(&link.vlan_mac_address)?,
                });
            }
            (_, name) => {
                if mtu.is_some()
                    && let Some(entry) = self.entry(name.clone())
                {
                    entry.mtu = mtu;
                }
            }
        }
        Ok(())
    }

    fn add_network(&mut self, network: &Network, names: &Names) -> Result<(), LayoutError> {
        let refused = |why| LayoutError::Network(network.link.clone(), why);
        let link = names.get(&network.link);
        let link = link
            .ok_or_else(|| refused("there is no such link"))?
            .clone();
        self.add_services(&network.services);
        for server in &network.dns_nameservers {
            self.add_name_server(server);
        }
        let entry = self.entry(link).ok_or(LayoutError::TooMany("links"))?;
        match network.kind.as_str() {
            "ipv4_dhcp" => entry.asks_dhcp4 = true,
            "ipv6_dhcp" | "ipv6_dhcpv6-stateful" => entry.asks_dhcp6 = true,
            // The kernel does as routers say.
            "ipv6_slaac" | "ipv6_dhcpv6-stateless" => {}
            "ipv4" | "ipv6" => {
                let given = network.ip_address.as_deref().unwrap_or_default();
                let (address, bits) = match given.split_once('/') {
                    Some((address, bits)) => (address, Some(bits.to_owned())),
                    None => (given, None),
                };
                let address = address.parse::<IpAddr>().ok();
                let address = address.filter(|one| is_usable(*one));
                let address = address.ok_or_else(|| refused("ip_address is none"))?;
                let mask = bits.or_else(|| word(&network.netmask));
                let prefix = mask.and_then(|mask| prefix_of(&mask, address));
                let prefix = prefix.ok_or_else(|| refused("netmask is none"))?;
                if entry.fixed.len() >= MOST || network.routes.len() > MOST {
                    return Err(LayoutError::TooMany("addresses or routes"));
                }
                entry.fixed.push((address, prefix));
                let gateway = network.gateway.as_deref().filter(|text| !text.is_empty());
                if let Some(gateway) = gateway {
                    let gateway = gateway.parse().map_err(|_| refused("gateway is none"))?;
                    entry.routes.push(default_route(gateway));
                }
                for route in &network.routes {
                    let route = read_route(route).ok_or_else(|| refused("a route is none"))?;
                    if !entry.routes.contains(&route) {
                        entry.routes.push(route);
                    }
                }
            }
            _ => return Err(refused("its type is not known")),
        }
        Ok(())
    }

    fn add_services(&mut self, services: &[Service]) {
        for service in services.iter().filter(|service| service.kind == "dns") {
            self.add_name_server(&service.address);
        }
    }

    fn add_name_server(&mut self, text: &str) {
        if let Ok(address) = text.parse()
            && self.dns.len() < MOST
            && !self.dns.contains(&address)
        {
            self.dns.push(address);
        }
    }
}

fn read_route(route: &NetworkRoute) -> Option<Route> {
    let gateway: IpAddr = route.gateway.parse().ok()?;
    let (network, bits) = match route.network.split_once('/') {
        Some((network, bits)) => (network, Some(bits.to_owned())),
        None => (route.network.as_str(), None),
    };
    let network: IpAddr = network.parse().ok()?;
    let bits = prefix_of(&bits.or_else(|| word(&route.netmask))?, network)?;
    (network.is_ipv4() == gateway.is_ipv4()).then_some(Route {
        network: (network, bits),
        gateway,
    })
}

/// Numbers are written with quotes and without.
fn word(value: &Option<Value>) -> Option<String> {
    match value.as_ref()? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::layout::Seen;
    use proptest::prelude::*;

    const BONDED: &str = r#"{
        "links": [
            {"id": "p0", "type": "phy", "ethernet_mac_address": "52:54:00:00:00:01", "mtu": 9000},
            {"id": "p1", "type": "vif", "ethernet_mac_address": "52:54:00:00:00:02"},
            {"id": "bond0", "type": "bond", "ethernet_mac_address": "52:54:00:00:00:01",
             "bond_links": ["p0", "p1"], "bond_mode": "802.3ad", "bond_miimon": "100",
             "bond_xmit_hash_policy": "layer2+3"},
            {"id": "5f0e3e4a-1d3e-4f6c-8a53-7f4b0b0e6a11", "type": "vlan", "vlan_link": "bond0", "vlan_id": 105,
             "vlan_mac_address": "52:54:00:00:00:01"}
        ],
        "networks": [
            {"id": "n0", "link": "5f0e3e4a-1d3e-4f6c-8a53-7f4b0b0e6a11", "type": "ipv4", "ip_address": "10.5.0.9",
             "netmask": "255.255.255.0", "routes": [
                {"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "10.5.0.1"}],
             "services": [{"type": "dns", "address": "10.5.0.3"}]},
            {"id": "n1", "link": "5f0e3e4a-1d3e-4f6c-8a53-7f4b0b0e6a11", "type": "ipv6", "ip_address": "2001:db8::9/64",
             "gateway": "2001:db8::1"},
            {"id": "n2", "link": "bond0", "type": "ipv4_dhcp"}
        ],
        "services": [{"type": "dns", "address": "10.5.0.2"}]
    }"#;

    fn seen(name: &str) -> Seen<'_> {
        Seen {
            name,
            mac: None,
            permanent: None,
            is_boot: false,
        }
    }

    #[test]
    fn a_bond_with_a_tagged_network() {
        let layout = read(BONDED).unwrap();
        assert_eq!(layout.bonds[0].mode, BondMode::Lacp);
        assert_eq!(layout.bonds[0].members.len(), 2);
        assert_eq!(layout.vlans[0].name, "cortenvlan0");
        assert_eq!(layout.vlans[0].parent, LinkName::Name("bond0".into()));
        let vlan = layout.addressing(seen("cortenvlan0"));
        assert_eq!(vlan.fixed.len(), 2);
        assert_eq!(vlan.routes.len(), 2);
        assert!(layout.addressing(seen("bond0")).asks_dhcp4);
        assert_eq!(layout.dns.len(), 2);
        // A link that is not described is not addressed by chance.
        assert_eq!(layout.addressing(seen("eth9")), Addressing::default());
    }

    #[test]
    fn without_networks_every_link_asks() {
        assert!(read("{}").unwrap().is_empty());
    }

    #[test]
    fn wrong_documents_are_not_used_at_all() {
        let long = format!("{{\"x\": \"{}\"}}", "x".repeat(LARGEST));
        assert!(matches!(read(&long), Err(LayoutError::TooLong(_))));
        let many = format!("{{\"services\": [{}{{}}]}}", "{},".repeat(MOST));
        assert!(matches!(read(&many), Err(LayoutError::TooMany("services"))));
        for (from, to) in [
            ("52:54:00:00:00:02", "52:54:00:00:00:01"),
            ("52:54:00:00:00:02", "nothing"),
            ("\"p0\", \"p1\"", "\"p0\", \"p2\""),
            ("\"p0\", \"p1\"", ""),
            ("802.3ad", "magic"),
            ("\"vlan_id\": 105", "\"vlan_id\": 4095"),
            ("\"vlan_link\": \"bond0\"", "\"vlan_link\": \"bond1\""),
            ("255.255.255.0", "255.0.255.0"),
            ("10.5.0.9", "10.5.0.999"),
            ("\"gateway\": \"10.5.0.1\"", "\"gateway\": \"2001:db8::1\""),
            ("\"ipv4_dhcp\"", "\"token ring\""),
            ("\"link\": \"bond0\"", "\"link\": \"bond7\""),
            ("\"links\": [", "\"links\": [7, "),
        ] {
            let wrong = BONDED.replace(from, to);
            assert_ne!(wrong, BONDED);
            assert!(read(&wrong).is_err(), "{from} as {to}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(cut in 0..BONDED.len(), text in ".{0,40}") {
            let head = BONDED.get(..cut).unwrap_or_default();
            let tail = BONDED.get(cut..).unwrap_or_default();
            let _ = read(&format!("{head}{text}{tail}"));
            let _ = Layout::of_words(text.split(' '));
            let _ = Layout::of_words([format!("ip={text}"), format!("bond={text}")].iter().map(String::as_str));
        }
    }
}
