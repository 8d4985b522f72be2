//! What Cinder says about a volume and about the way to it.

use serde::Deserialize;
use std::fmt;
use types::{JsonMap, mask};

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Volume {
    pub id: String,
    pub status: String,
    #[serde(default)]
    pub multiattach: bool,
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// Whose it is, where Cinder tells.
    #[serde(default, rename = "os-vol-tenant-attr:tenant_id")]
    pub project: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Attachment {
    pub attachment_id: String,
    #[serde(default)]
    pub server_id: Option<String>,
}

impl Volume {
    /// The attachment to an instance or a node.
    pub fn attachment_of(&self, servers: &[&str]) -> Option<&Attachment> {
        self.attachments.iter().find(|attachment| {
            let server = attachment.server_id.as_deref();
            server.is_some_and(|server| servers.contains(&server))
        })
    }

    /// Whether it can be reserved. Cinder decides; this saves a request that is bound to fail.
    pub fn is_available(&self) -> bool {
        self.status == "available" || (self.multiattach && self.status == "in-use")
    }
}

/// The way to a volume. The password of CHAP is in it.
#[derive(Clone, PartialEq, Deserialize)]
pub struct ConnectionInfo {
    /// `iscsi` or `fibre_channel`.
    pub driver_volume_type: String,
    pub data: JsonMap,
}

impl ConnectionInfo {
    /// What is stored as the properties of a volume target.
    pub fn target_properties(&self, volume: &str) -> JsonMap {
        let mut properties = self.data.clone();
        properties.insert("ironic_volume_uuid".into(), volume.into());
        properties
    }
}

impl fmt::Debug for ConnectionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionInfo")
            .field("driver_volume_type", &self.driver_volume_type)
            .field("data", &mask::masked(&self.data))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn attachments_are_found_by_instance_or_node() {
        let volume: Volume = serde_json::from_value(json!({
            "id": "v", "status": "in-use", "size": 1, "multiattach": false,
            "attachments": [{"id": "v", "attachment_id": "a1", "volume_id": "v",
                "server_id": "node", "host_name": null, "device": "ironic_mountpoint"}],
        }))
        .unwrap();
        let found = volume.attachment_of(&["instance", "node"]).unwrap();
        assert_eq!(found.attachment_id, "a1");
        assert_eq!(volume.attachment_of(&["other"]), None);
        assert!(!volume.is_available());
        let shared = Volume {
            multiattach: true,
            ..volume
        };
        assert!(shared.is_available());
    }

    #[test]
    fn passwords_are_not_shown() {
        let info: ConnectionInfo = serde_json::from_value(json!({
            "driver_volume_type": "iscsi",
            "data": {"target_iqn": "iqn.x", "auth_password": "hunter2", "target_lun": 1},
            "enforce_multipath": false,
        }))
        .unwrap();
        let shown = format!("{info:?}");
        assert!(
            shown.contains("iqn.x") && !shown.contains("hunter2"),
            "{shown}"
        );
        let properties = info.target_properties("v");
        assert_eq!(properties["ironic_volume_uuid"], "v");
        assert_eq!(properties["auth_password"], "hunter2");
    }
}
