//! Remote volumes: how a machine presents itself to a storage network, and what it finds there.

use crate::{JsonMap, NodeId, Timestamp, VolumeConnectorId, VolumeTargetId};
use serde::{Deserialize, Serialize};

/// A volume connector row: one identity of the machine, for example an iSCSI initiator name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VolumeConnector {
    /// Order of creation; the paging key.
    pub row: i64,
    pub id: VolumeConnectorId,
    /// Compare-and-swap counter of the row.
    pub version: i64,
    pub node: NodeId,
    /// `type` on the wire: `iqn`, `ip`, `mac`, `wwnn`, …
    pub kind: String,
    pub connector_id: String,
    pub extra: JsonMap,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl VolumeConnector {
    /// A connector that is not stored yet.
    pub fn new(
        id: VolumeConnectorId,
        node: NodeId,
        kind: impl Into<String>,
        connector_id: impl Into<String>,
    ) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            node,
            kind: kind.into(),
            connector_id: connector_id.into(),
            extra: JsonMap::new(),
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }
}

/// A volume target row: one remote volume.
///
/// Values under secret keys (see [`crate::mask`]) in `properties` are sealed while the target is at
/// rest or in memory, as they are with nodes; the subject is the target's own UUID.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VolumeTarget {
    /// Order of creation; the paging key.
    pub row: i64,
    pub id: VolumeTargetId,
    /// Compare-and-swap counter of the row.
    pub version: i64,
    pub node: NodeId,
    pub volume_type: String,
    pub properties: JsonMap,
    /// Unique within the node; 0 is the volume to boot from.
    pub boot_index: i64,
    pub volume_id: String,
    pub extra: JsonMap,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl VolumeTarget {
    /// A target that is not stored yet.
    pub fn new(
        id: VolumeTargetId,
        node: NodeId,
        volume_type: impl Into<String>,
        boot_index: i64,
        volume_id: impl Into<String>,
    ) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            node,
            volume_type: volume_type.into(),
            properties: JsonMap::new(),
            boot_index,
            volume_id: volume_id.into(),
            extra: JsonMap::new(),
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }
}
