//! Ports and port groups alike: what one of them tells Neutron about where it is plugged in.

use super::Style;
use crate::{boot_image, iface::Machine};
use openstack::neutron::body::{Link, VnicType};
use types::{JsonMap, NodeId, Port, Portgroup, network::VifHolder, port::MacAddress};

/// A port, or a port group with its members.
#[derive(Debug, Clone)]
pub(super) enum Wire<'a> {
    Port(&'a Port),
    Group(&'a Portgroup, Vec<&'a Port>),
}

impl<'a> Wire<'a> {
    pub(super) fn holder(&self) -> VifHolder {
        match self {
            Self::Port(port) => VifHolder::Port(port.id),
            Self::Group(group, _) => VifHolder::Group(group.id),
        }
    }

    pub(super) fn vif(&self) -> Option<&'a str> {
        match self {
            Self::Port(port) => port.vif(),
            Self::Group(group, _) => group.vif(),
        }
    }

    pub(super) fn current_vif(&self) -> Option<&'a str> {
        match self {
            Self::Port(port) => port.current_vif(),
            Self::Group(group, _) => group.current_vif(),
        }
    }

    /// A group may have none; its virtual interface then keeps its own.
    pub(super) fn mac(&self) -> Option<MacAddress> {
        match self {
            Self::Port(port) => Some(port.address),
            Self::Group(group, _) => group.address,
        }
    }

    pub(super) fn client_id(&self) -> Option<&'a str> {
        match self {
            Self::Port(port) => port.client_id(),
            Self::Group(group, _) => group.client_id(),
        }
    }

    pub(super) fn link(&self) -> Link<'a> {
        match self {
            Self::Port(port) => Link {
                connections: vec![&port.local_link_connection],
                physical_network: port.physical_network.as_deref(),
                group: None,
            },
            Self::Group(group, members) => Link {
                connections: members
                    .iter()
                    .map(|member| &member.local_link_connection)
                    .collect(),
                physical_network: members
                    .iter()
                    .find_map(|member| member.physical_network.as_deref()),
                group: Some(group),
            },
        }
    }

    /// The host of a smart NIC, whose agent binds its ports.
    pub(super) fn smart_host(&self) -> Option<String> {
        match self {
            Self::Port(port) if port.is_smart() => {
                boot_image::text(&port.local_link_connection, "hostname")
            }
            _ => None,
        }
    }

    pub(super) fn host(&self, node: NodeId) -> String {
        self.smart_host().unwrap_or_else(|| node.to_string())
    }

    pub(super) fn vnic_type(&self) -> VnicType {
        match self.smart_host() {
            Some(_) => VnicType::SmartNic,
            None => VnicType::Baremetal,
        }
    }
}

/// Whether a port says enough about where it is plugged in.
pub(super) fn is_wired(style: Style, port: &Port) -> bool {
    if style == Style::Flat {
        return true;
    }
    let link = &port.local_link_connection;
    if link.is_empty() {
        return port.client_id().is_some() && !port.is_smart();
    }
    is_link(link, port.is_smart())
}

fn is_link(link: &JsonMap, is_smart: bool) -> bool {
    let says = |key: &str| boot_image::text(link, key).is_some();
    if boot_image::text(link, "network_type").as_deref() == Some("unmanaged") {
        return true;
    }
    match is_smart {
        true => says("hostname") && says("port_id"),
        false => says("switch_id") && says("port_id"),
    }
}

/// The ports of a machine, then its port groups.
pub(super) fn all<'a>(machine: &Machine<'a>) -> Vec<Wire<'a>> {
    let (ports, groups) = (machine.ports, machine.portgroups);
    let single = ports.iter().map(Wire::Port);
    let grouped = groups
        .iter()
        .map(|group| Wire::Group(group, members(ports, group)));
    single.chain(grouped).collect()
}

/// Those with a virtual interface of the instance.
pub(super) fn with_vifs<'a>(machine: &Machine<'a>) -> Vec<Wire<'a>> {
    let mut wires = all(machine);
    wires.retain(|wire| wire.vif().is_some());
    wires
}

pub(super) fn members<'a>(ports: &'a [Port], group: &Portgroup) -> Vec<&'a Port> {
    let id = group.id.to_string();
    let is_member = |port: &&Port| port.portgroup.as_deref() == Some(&id);
    ports.iter().filter(is_member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::PortId;

    #[test]
    fn a_port_must_say_where_it_is_plugged_in() {
        let check = |link: serde_json::Value, extra, is_smartnic, expected: bool| {
            let mac = "52:54:00:00:00:01".parse().unwrap();
            let mut port = Port::new(PortId::generate(), NodeId::generate(), mac);
            port.local_link_connection = serde_json::from_value(link.clone()).unwrap();
            port.extra = serde_json::from_value(extra).unwrap();
            port.is_smartnic = Some(is_smartnic);
            assert_eq!(is_wired(Style::Neutron, &port), expected, "{link}");
            assert!(is_wired(Style::Flat, &port));
        };
        check(
            json!({"switch_id": "s", "port_id": "p"}),
            json!({}),
            false,
            true,
        );
        check(json!({"switch_id": "s"}), json!({}), false, false);
        check(json!({}), json!({}), false, false);
        check(json!({}), json!({"client-id": "c"}), false, true);
        check(json!({"network_type": "unmanaged"}), json!({}), false, true);
        check(
            json!({"hostname": "h", "port_id": "p"}),
            json!({}),
            true,
            true,
        );
        check(
            json!({"hostname": "h", "port_id": "p"}),
            json!({}),
            false,
            false,
        );
    }
}
