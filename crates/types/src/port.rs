//! Ports: the network interfaces of a machine.

use crate::{JsonMap, NodeId, PortId, Timestamp, hex};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A MAC address. As text it is in lower case with colons, and nothing else is read than such a text
/// in whatever case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MacAddress([u8; 6]);

/// A text that is not a MAC address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a MAC address of the form 52:54:00:12:34:56")]
pub struct NotAMac(pub String);

impl MacAddress {
    pub fn octets(self) -> [u8; 6] {
        self.0
    }
}

impl From<[u8; 6]> for MacAddress {
    fn from(octets: [u8; 6]) -> Self {
        Self(octets)
    }
}

impl From<MacAddress> for String {
    fn from(address: MacAddress) -> Self {
        address.to_string()
    }
}

impl TryFrom<String> for MacAddress {
    type Error = NotAMac;
    fn try_from(text: String) -> Result<Self, NotAMac> {
        text.parse()
    }
}

impl FromStr for MacAddress {
    type Err = NotAMac;
    fn from_str(s: &str) -> Result<Self, NotAMac> {
        octets(s).map(Self).ok_or_else(|| NotAMac(s.to_owned()))
    }
}

fn octets(text: &str) -> Option<[u8; 6]> {
    let mut octets = [0; 6];
    let mut parts = text.split(':');
    for octet in &mut octets {
        let pair = parts.next()?.as_bytes().try_into().ok()?;
        *octet = hex::byte(pair)?;
    }
    parts.next().is_none().then_some(octets)
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// A port row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Port {
    /// Order of creation; the paging key.
    pub row: i64,
    pub id: PortId,
    /// Compare-and-swap counter of the row.
    pub version: i64,
    pub node: NodeId,
    pub address: MacAddress,
    pub name: Option<String>,
    pub description: Option<String>,
    pub extra: JsonMap,
    pub internal_info: JsonMap,
    pub local_link_connection: JsonMap,
    pub pxe_enabled: bool,
    /// UUID text of the port group that it belongs to.
    pub portgroup: Option<String>,
    pub physical_network: Option<String>,
    /// Not set in rows that Ironic wrote before it had the field.
    pub is_smartnic: Option<bool>,
    pub vendor: Option<String>,
    pub category: Option<String>,
    pub available_for_dynamic_portgroup: bool,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl Port {
    /// A port with the defaults of a new one.
    pub fn new(id: PortId, node: NodeId, address: MacAddress) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            node,
            address,
            name: None,
            description: None,
            extra: JsonMap::new(),
            internal_info: JsonMap::new(),
            local_link_connection: JsonMap::new(),
            pxe_enabled: true,
            portgroup: None,
            physical_network: None,
            is_smartnic: Some(false),
            vendor: None,
            category: None,
            available_for_dynamic_portgroup: true,
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }

    /// Whether a computer on the card itself connects the port.
    pub fn is_smart(&self) -> bool {
        self.is_smartnic == Some(true)
    }

    /// The virtual interface bound to this port, if any.
    pub fn vif(&self) -> Option<&str> {
        self.vif_for(crate::network::NetworkPurpose::Tenant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mac_is_lower_cased_and_nothing_else_is_one() {
        assert_eq!(
            "52:54:00:AA:BB:01"
                .parse::<MacAddress>()
                .unwrap()
                .to_string(),
            "52:54:00:aa:bb:01"
        );
        for bad in [
            "",
            "52:54:00:aa:bb",
            "52-54-00-aa-bb-01",
            "52:54:00:aa:bb:zz",
            "525400aabb01",
            "52:54:00:aa:bb:+1",
            "52:54:00:aa:bb:01:",
            "52:54:00:aa:bb:01:02",
            "52:54:00:aa:bb:é",
        ] {
            assert!(bad.parse::<MacAddress>().is_err(), "{bad}");
        }
    }
}
