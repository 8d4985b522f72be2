//! The volume targets table.

use super::VolumeFilter;
use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::columns,
    conn::Conn,
    node::{self, Log},
    table::{Resource, UniqueIndex, requests},
};
use types::{NodeId, VolumeTarget, VolumeTargetId};

columns!(VolumeTarget in "volume_targets" {
    node: "node_uuid",
    volume_type: "volume_type",
    properties: "properties",
    boot_index: "boot_index",
    volume_id: "volume_id",
    extra: "extra",
});

impl Resource for VolumeTarget {
    const UNIQUE: &'static [UniqueIndex<Self>] = &[
        UniqueIndex::new(&["uuid"], |target| {
            Unique::TargetUuid(target.id.to_string()).into()
        }),
        UniqueIndex::new(&["node_uuid", "boot_index"], |target| {
            Unique::TargetBootIndex(target.boot_index).into()
        }),
    ];

    fn prepare(&mut self, conn: &mut Conn, keys: &KeyRing) -> Result<(), StoreError> {
        let uuid = self.id.to_string();
        keys.seal_map(&mut self.properties, &uuid)?;
        node::hold(conn, &self.node.to_string())
    }
}

requests!(VolumeTarget by VolumeTargetId);

/// A page of the targets that pass the filter.
pub async fn list(
    db: &Db,
    filter: VolumeFilter,
    page: Page,
) -> Result<Vec<VolumeTarget>, StoreError> {
    TABLE.page(db, filter.conditions(), page).await
}

/// All targets of a node in the order of their boot index, for its drivers.
pub async fn of_node(db: &Db, node: NodeId) -> Result<Vec<VolumeTarget>, StoreError> {
    TABLE
        .with(db, "node_uuid", node.to_string(), "boot_index")
        .await
}
