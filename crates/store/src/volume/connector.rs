//! The volume connectors table.

use super::VolumeFilter;
use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::columns,
    conn::Conn,
    node::{self, Log},
    table::{Resource, UniqueIndex, requests},
};
use types::{NodeId, VolumeConnector, VolumeConnectorId};

columns!(VolumeConnector in "volume_connectors" {
    node: "node_uuid",
    kind: "type",
    connector_id: "connector_id",
    extra: "extra",
});

impl Resource for VolumeConnector {
    const UNIQUE: &'static [UniqueIndex<Self>] = &[
        UniqueIndex::new(&["uuid"], |connector| {
            Unique::ConnectorUuid(connector.id.to_string()).into()
        }),
        UniqueIndex::new(&["type", "connector_id"], |connector| {
            let (kind, connector_id) = (connector.kind.clone(), connector.connector_id.clone());
            Unique::Connector { kind, connector_id }.into()
        }),
    ];

    fn prepare(&mut self, conn: &mut Conn, _: &KeyRing) -> Result<(), StoreError> {
        node::hold(conn, &self.node.to_string())
    }
}

requests!(VolumeConnector by VolumeConnectorId);

/// A page of the connectors that pass the filter.
pub async fn list(
    db: &Db,
    filter: VolumeFilter,
    page: Page,
) -> Result<Vec<VolumeConnector>, StoreError> {
    TABLE.page(db, filter.conditions(), page).await
}

/// All connectors of a node, for its drivers.
pub async fn of_node(db: &Db, node: NodeId) -> Result<Vec<VolumeConnector>, StoreError> {
    TABLE.with(db, "node_uuid", node.to_string(), "id").await
}
