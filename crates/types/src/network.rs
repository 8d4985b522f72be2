//! What a machine is put on a network for, and where the virtual interface is noted that it has there.

use crate::{JsonMap, Port, PortId, Portgroup, PortgroupId, wire_enum};
use serde_json::Value;

wire_enum! {
    /// What a machine is put on a network for.
    pub enum NetworkPurpose {
        Provisioning = "provisioning",
        Cleaning = "cleaning",
        Inspection = "inspection",
        Rescuing = "rescuing",
        Servicing = "servicing",
        /// The networks of the instance.
        Tenant = "tenant",
    }
}

impl NetworkPurpose {
    /// In `internal_info` of ports and port groups. Nova and Horizon read that of the instance.
    pub const fn vif_key(self) -> &'static str {
        match self {
            Self::Provisioning => "provisioning_vif_port_id",
            Self::Cleaning => "cleaning_vif_port_id",
            Self::Inspection => "inspection_vif_port_id",
            Self::Rescuing => "rescuing_vif_port_id",
            Self::Servicing => "servicing_vif_port_id",
            Self::Tenant => "tenant_vif_port_id",
        }
    }
}

/// Whose virtual interface it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VifHolder {
    Port(PortId),
    Group(PortgroupId),
}

/// A virtual interface that a port or port group has now, or has no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VifNote {
    pub holder: VifHolder,
    pub purpose: NetworkPurpose,
    /// The port of Neutron.
    pub vif: Option<String>,
}

impl VifNote {
    /// Writes it into `internal_info`; says whether that changes anything. Where old releases noted
    /// the instance's, in `extra`, none is left.
    pub fn apply(&self, internal_info: &mut JsonMap, extra: &mut JsonMap) -> bool {
        let key = self.purpose.vif_key();
        let before = internal_info.get(key).cloned();
        match &self.vif {
            Some(vif) => {
                internal_info.insert(key.to_owned(), Value::String(vif.clone()));
            }
            None => {
                internal_info.remove(key);
            }
        }
        let is_old_gone = self.purpose == NetworkPurpose::Tenant
            && self.vif.is_none()
            && extra.remove("vif_port_id").is_some();
        is_old_gone || internal_info.get(key) != before.as_ref()
    }
}

/// The virtual interface that somebody with these notes uses now: that of the ramdisk, if it has one.
fn current(internal_info: &JsonMap) -> Option<&str> {
    use NetworkPurpose as P;
    let order = [
        P::Cleaning,
        P::Provisioning,
        P::Rescuing,
        P::Inspection,
        P::Servicing,
        P::Tenant,
    ];
    let noted = |purpose: P| internal_info.get(purpose.vif_key())?.as_str();
    order.into_iter().find_map(noted)
}

impl Port {
    /// The virtual interface for a purpose, if there is one.
    pub fn vif_for(&self, purpose: NetworkPurpose) -> Option<&str> {
        self.internal_info.get(purpose.vif_key())?.as_str()
    }

    /// The virtual interface that is in use now.
    pub fn current_vif(&self) -> Option<&str> {
        current(&self.internal_info)
    }

    /// The identifier that its DHCP client shows (InfiniBand).
    pub fn client_id(&self) -> Option<&str> {
        self.extra.get("client-id")?.as_str()
    }
}

impl Portgroup {
    /// The virtual interface that is in use now.
    pub fn current_vif(&self) -> Option<&str> {
        current(&self.internal_info)
    }

    pub fn client_id(&self) -> Option<&str> {
        self.extra.get("client-id")?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn a_note_is_written_once_and_taken_away_wherever_it_is() {
        let note = |vif: Option<&str>| VifNote {
            holder: VifHolder::Port(PortId::generate()),
            purpose: NetworkPurpose::Tenant,
            vif: vif.map(str::to_owned),
        };
        let (mut info, mut extra) = (JsonMap::new(), map(json!({"vif_port_id": "o", "x": 1})));
        assert!(note(Some("v")).apply(&mut info, &mut extra));
        assert!(!note(Some("v")).apply(&mut info, &mut extra));
        assert_eq!(info, map(json!({"tenant_vif_port_id": "v"})));
        assert!(note(None).apply(&mut info, &mut extra));
        assert!(!note(None).apply(&mut info, &mut extra));
        assert_eq!((info, extra), (JsonMap::new(), map(json!({"x": 1}))));
    }

    #[test]
    fn the_ramdisk_uses_its_own_virtual_interface() {
        let info = map(json!({"tenant_vif_port_id": "t", "rescuing_vif_port_id": "r"}));
        assert_eq!(current(&info), Some("r"));
        let info = map(json!({"tenant_vif_port_id": "t"}));
        assert_eq!(current(&info), Some("t"));
        assert_eq!(current(&JsonMap::new()), None);
        for purpose in NetworkPurpose::ALL {
            assert_eq!(purpose.vif_key(), format!("{purpose}_vif_port_id"));
        }
    }
}
