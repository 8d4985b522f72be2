//! Networks, subnets, segments and agents, as far as bare metal needs them.

use super::Port;
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Network {
    pub id: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub mtu: Option<u32>,
    #[serde(rename = "provider:physical_network", default)]
    pub physical_network: Option<String>,
    /// Of networks with several segments, instead of the one above.
    #[serde(default)]
    segments: Vec<NetworkSegment>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct NetworkSegment {
    #[serde(rename = "provider:physical_network", default)]
    physical_network: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Subnet {
    pub id: String,
    pub network_id: String,
    pub ip_version: u8,
    pub cidr: String,
    #[serde(default)]
    pub gateway_ip: Option<String>,
    #[serde(default)]
    pub ipv6_address_mode: Option<String>,
    #[serde(default)]
    pub segment_id: Option<String>,
    #[serde(default)]
    pub dns_nameservers: Vec<String>,
    #[serde(default)]
    pub host_routes: Vec<HostRoute>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HostRoute {
    pub destination: String,
    pub nexthop: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Segment {
    pub id: String,
    #[serde(default)]
    pub physical_network: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Agent {
    pub id: String,
    #[serde(default)]
    pub host: String,
    #[serde(default)]
    pub alive: bool,
}

impl Network {
    /// Whether it has several segments, which may be on different physical networks.
    pub fn has_segments(&self) -> bool {
        !self.segments.is_empty()
    }

    /// The physical networks that the network is on. None means that any will do.
    pub fn physical_networks(&self) -> BTreeSet<&str> {
        if self.segments.is_empty() {
            return self.physical_network.as_deref().into_iter().collect();
        }
        let segments = self.segments.iter();
        segments
            .filter_map(|segment| segment.physical_network.as_deref())
            .collect()
    }
}

impl Subnet {
    /// Whether addresses come from a DHCPv6 server, which then needs several of them: each stage of
    /// a network boot identifies itself differently.
    pub fn is_dhcpv6_stateful(&self) -> bool {
        self.ipv6_address_mode.as_deref() == Some("dhcpv6-stateful")
    }
}

impl Port {
    /// The subnet of its first address.
    pub fn first_subnet(&self) -> Option<&str> {
        self.fixed_ips.first()?.subnet_id.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn physical_networks_are_those_of_all_segments() {
        let network = |document| serde_json::from_value::<Network>(document).unwrap();
        let single = network(json!({
            "id": "n", "name": "cleaning-net", "mtu": 1500, "status": "ACTIVE",
            "provider:network_type": "vlan", "provider:physical_network": "physnet1",
            "provider:segmentation_id": 199,
        }));
        assert_eq!(single.physical_networks(), BTreeSet::from(["physnet1"]));
        let several = network(json!({"id": "n", "segments": [
            {"provider:physical_network": "physnet1", "provider:network_type": "vlan"},
            {"provider:physical_network": "physnet2"},
            {"provider:physical_network": null},
        ]}));
        let expected = BTreeSet::from(["physnet1", "physnet2"]);
        assert_eq!(several.physical_networks(), expected);
        let plain = network(json!({"id": "n", "provider:physical_network": null}));
        assert!(plain.physical_networks().is_empty());
    }

    #[test]
    fn stateful_subnets_are_told_by_their_mode() {
        // As recorded.
        let subnet: Subnet = serde_json::from_value(json!({
            "id": "b840951a-4d58-42a8-b47a-65c6d4597af4", "name": "v6-stateful",
            "network_id": "39dacd05-6c12-400e-8e8a-0319ae1eeca4", "ip_version": 6,
            "subnetpool_id": null, "enable_dhcp": true, "ipv6_ra_mode": "dhcpv6-stateful",
            "ipv6_address_mode": "dhcpv6-stateful", "gateway_ip": "2001:db8:1::",
            "cidr": "2001:db8:1::/64", "host_routes": [], "dns_nameservers": [],
            "segment_id": null,
        }))
        .unwrap();
        assert!(subnet.is_dhcpv6_stateful());
        let slaac = Subnet {
            ipv6_address_mode: Some("slaac".into()),
            ..subnet
        };
        assert!(!slaac.is_dhcpv6_stateful());
    }
}
