//! What is written to ports. Every body is as Ironic sends it.

use serde_json::{Value, json};
use types::{JsonMap, Portgroup, port::MacAddress};

/// The owner of boot ports.
const BOOT_PORT_OWNER: &str = "baremetal:none";
/// The DHCP option with the client's identifier (RFC 2132, 9.14).
const CLIENT_ID_OPTION: &str = "61";

/// The body of a request that creates or changes a port.
#[derive(Debug, Clone, PartialEq)]
pub struct PortBody(JsonMap);

impl PortBody {
    pub(crate) fn document(&self) -> Value {
        json!({"port": self.0})
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    fn empty() -> Self {
        Self(JsonMap::new())
    }
}

/// How a port is wired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VnicType {
    Baremetal,
    /// A NIC with a switch of its own, whose agent binds the port.
    SmartNic,
}

impl VnicType {
    fn as_str(self) -> &'static str {
        match self {
            Self::Baremetal => "baremetal",
            Self::SmartNic => "smart-nic",
        }
    }
}

/// A port that a machine boots with.
#[derive(Debug, Clone, PartialEq)]
pub struct BootPort<'a> {
    pub network: &'a str,
    /// The instance, or the node if there is none.
    pub device: &'a str,
    pub vnic_type: VnicType,
    pub security_groups: &'a [String],
    /// Ports that no machine boots from get no address.
    pub pxe_enabled: bool,
    pub client_id: Option<&'a str>,
}

/// Where a port is plugged in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Link<'a> {
    /// `local_link_connection` of the port, or of all members of the group.
    pub connections: Vec<&'a JsonMap>,
    pub physical_network: Option<&'a str>,
    /// The group, if it is one.
    pub group: Option<&'a Portgroup>,
}

impl Link<'_> {
    fn profile(&self) -> Value {
        let mut profile = JsonMap::new();
        let links: Vec<Value> = self.connections.iter().map(|link| json!(link)).collect();
        profile.insert("local_link_information".into(), links.into());
        if let Some(group) = self.group {
            profile.insert("local_group_information".into(), group_information(group));
        }
        if let Some(network) = self.physical_network {
            profile.insert("physical_network".into(), network.into());
        }
        profile.into()
    }
}

fn group_information(group: &Portgroup) -> Value {
    let properties: JsonMap = group
        .properties
        .iter()
        .map(|(name, value)| {
            let name = match name.starts_with("bond") {
                true => name.clone(),
                false => format!("bond_{name}"),
            };
            (name, value.clone())
        })
        .collect();
    json!({
        "id": group.id,
        "name": group.name,
        "bond_mode": group.mode,
        "bond_properties": properties,
    })
}

/// Creates a boot port. The rest needs another role, and therefore a request of its own
/// ([`bind_boot_port`]).
pub fn create_boot_port(port: &BootPort<'_>) -> PortBody {
    let mut body = PortBody::empty()
        .with("network_id", port.network)
        .with("admin_state_up", true)
        .with("binding:vnic_type", port.vnic_type.as_str())
        .with("device_id", port.device);
    if !port.security_groups.is_empty() {
        body = body.with("security_groups", json!(port.security_groups));
    }
    if !port.pxe_enabled {
        body = body.with("fixed_ips", json!([]));
    }
    if let Some(id) = port.client_id {
        body = body.with("extra_dhcp_opts", client_id_option(Some(id)));
    }
    body
}

/// Gives a boot port its address and plugs it in. `host` is the node, or the host of a smart NIC.
pub fn bind_boot_port(mac: MacAddress, host: &str, link: &Link<'_>) -> PortBody {
    PortBody::empty()
        .with("mac_address", mac.to_string())
        .with("device_owner", BOOT_PORT_OWNER)
        .with("binding:host_id", host)
        .with("binding:profile", link.profile())
}

/// Plugs in a tenant's port. Groups without an address keep that of the port.
pub fn plug(
    host: &str,
    mac: Option<MacAddress>,
    vnic_type: VnicType,
    link: &Link<'_>,
    client_id: Option<&str>,
) -> PortBody {
    let mut body = PortBody::empty()
        .with("binding:vnic_type", vnic_type.as_str())
        .with("binding:host_id", host)
        .with("binding:profile", link.profile());
    if let Some(mac) = mac {
        body = body.with("mac_address", mac.to_string());
    }
    if let Some(id) = client_id {
        body = body.with("extra_dhcp_opts", client_id_option(Some(id)));
    }
    body
}

/// Binds a tenant's port without link information (network interface `flat`).
pub fn bind_flat(host: &str, mac: Option<MacAddress>) -> PortBody {
    let body = PortBody::empty()
        .with("binding:host_id", host)
        .with("binding:vnic_type", VnicType::Baremetal.as_str());
    match mac {
        Some(mac) => body.with("mac_address", mac.to_string()),
        None => body,
    }
}

/// Gives a port that was unbound for it another address, and binds it as it was.
pub fn bind_again(host: &str, profile: JsonMap, mac: MacAddress) -> PortBody {
    PortBody::empty()
        .with("mac_address", mac.to_string())
        .with("binding:host_id", host)
        .with("binding:profile", profile)
}

/// Names the host of a port that is not plugged in yet, so that Neutron can choose a segment and
/// addresses.
pub fn claim_for_host(host: &str) -> PortBody {
    PortBody::empty()
        .with("binding:host_id", host)
        .with("binding:vnic_type", VnicType::Baremetal.as_str())
        .with("binding:profile", json!({}))
}

/// Unplugs a port.
pub fn unbind() -> PortBody {
    PortBody::empty()
        .with("binding:host_id", "")
        .with("binding:profile", json!({}))
}

/// Has Neutron choose another MAC address. Only for a port that is not bound.
pub fn reset_mac() -> PortBody {
    PortBody::empty().with("mac_address", Value::Null)
}

pub fn set_mac(mac: MacAddress) -> PortBody {
    PortBody::empty().with("mac_address", mac.to_string())
}

/// Sets the client's identifier, or removes it.
pub fn set_client_id(id: Option<&str>) -> PortBody {
    PortBody::empty().with("extra_dhcp_opts", client_id_option(id))
}

pub fn set_dhcp_options(options: &[super::dhcp::DhcpOption]) -> PortBody {
    PortBody::empty().with("extra_dhcp_opts", json!(options))
}

/// Adds addresses of the subnet of the first one until there are `count`.
pub fn add_addresses(port: &super::Port, count: usize) -> Option<PortBody> {
    let first = port.fixed_ips.first()?;
    let subnet = first.subnet_id.as_deref()?;
    let present = json!({"subnet_id": subnet, "ip_address": first.ip_address.as_deref()?});
    let more = std::iter::repeat_n(json!({"subnet_id": subnet}), count.saturating_sub(1));
    let all: Vec<Value> = [present].into_iter().chain(more).collect();
    Some(PortBody::empty().with("fixed_ips", all))
}

fn client_id_option(id: Option<&str>) -> Value {
    json!([{"opt_name": CLIENT_ID_OPTION, "opt_value": id}])
}

#[cfg(test)]
#[path = "body/tests.rs"]
mod tests;
