//! Port groups: ports of one machine that act as one (bonds, link aggregation).
//!
//! Which ports belong to a group is said by the ports themselves.

use crate::{JsonMap, NodeId, PortgroupId, Timestamp, port::MacAddress};
use serde::{Deserialize, Serialize};

/// The bonding mode of a group for which nobody chose one.
pub const DEFAULT_MODE: &str = "active-backup";

/// A port group row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Portgroup {
    /// Order of creation; the paging key.
    pub row: i64,
    pub id: PortgroupId,
    /// Compare-and-swap counter of the row.
    pub version: i64,
    pub node: NodeId,
    pub address: Option<MacAddress>,
    pub name: Option<String>,
    pub mode: Option<String>,
    pub properties: JsonMap,
    pub extra: JsonMap,
    pub internal_info: JsonMap,
    /// Whether members may be used as single ports too.
    pub standalone_ports_supported: bool,
    /// A change of it is a change of every member.
    pub physical_network: Option<String>,
    pub category: Option<String>,
    /// Made by the service itself, not by an operator. Not set in rows that Ironic wrote before it
    /// had the field.
    pub dynamic_portgroup: Option<bool>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl Portgroup {
    /// A port group with the defaults of a new one.
    pub fn new(id: PortgroupId, node: NodeId) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            node,
            address: None,
            name: None,
            mode: Some(DEFAULT_MODE.to_owned()),
            properties: JsonMap::new(),
            extra: JsonMap::new(),
            internal_info: JsonMap::new(),
            standalone_ports_supported: true,
            physical_network: None,
            category: None,
            dynamic_portgroup: Some(false),
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }

    /// The virtual interface bound to this group, if any.
    pub fn vif(&self) -> Option<&str> {
        let key = crate::network::NetworkPurpose::Tenant.vif_key();
        self.internal_info.get(key)?.as_str()
    }
}
