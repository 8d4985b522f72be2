//! The volume connectors table.

use super::VolumeFilter;
use crate::{
    Db, Page, StoreError, Unique,
    conn::{Conn, P, Reader, Row},
    node::{self, Log},
    table::Table,
};
use std::sync::LazyLock;
use types::{NodeId, Timestamp, VolumeConnector, VolumeConnectorId};

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "node_uuid",
    "type",
    "connector_id",
    "extra",
    "created_at",
    "updated_at",
    "id",
];
static TABLE: LazyLock<Table<VolumeConnector>> =
    LazyLock::new(|| Table::new("volume_connectors", COLUMNS, encode, decode, taken));

/// The connector with this UUID.
pub async fn find(db: &Db, id: VolumeConnectorId) -> Result<Option<VolumeConnector>, StoreError> {
    TABLE.get(db, id.to_string()).await
}

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

/// Stores a new connector of a node that exists.
pub async fn insert(
    db: &Db,
    connector: VolumeConnector,
    log: Log,
) -> Result<VolumeConnector, StoreError> {
    db.keep(log, move |conn| {
        node::hold(conn, &connector.node.to_string())?;
        check_unique(conn, &connector)?;
        TABLE.insert(conn, &connector, &connector.id.to_string())
    })
    .await
}

/// Writes a connector whose row still has the version `connector.version`.
pub async fn update(
    db: &Db,
    connector: VolumeConnector,
    log: Log,
) -> Result<VolumeConnector, StoreError> {
    db.keep(log, move |conn| {
        node::hold(conn, &connector.node.to_string())?;
        let base = connector.version;
        let mut connector = connector.clone();
        connector.version += 1;
        connector.updated_at = Some(Timestamp::now());
        TABLE.update(conn, connector, base)
    })
    .await
}

/// Removes a connector.
pub async fn delete(db: &Db, id: VolumeConnectorId, log: Log) -> Result<(), StoreError> {
    TABLE.remove(db, id.to_string(), log).await
}

fn of_machine(connector: &VolumeConnector) -> Unique {
    Unique::Connector {
        kind: connector.kind.clone(),
        connector_id: connector.connector_id.clone(),
    }
}

/// Names the value that is taken before the database does.
fn check_unique(conn: &mut Conn, connector: &VolumeConnector) -> Result<(), StoreError> {
    let uuid = connector.id.to_string();
    TABLE.free(conn, "uuid", &uuid, Unique::ConnectorUuid)?;
    const SAME: &str = "SELECT 1 FROM volume_connectors WHERE type = $1 AND connector_id = $2";
    let params = [(&connector.kind).into(), (&connector.connector_id).into()];
    match conn.query_opt(SAME, &params, |_| Ok(()))? {
        Some(()) => Err(StoreError::Duplicate(of_machine(connector))),
        None => Ok(()),
    }
}

fn taken(error: StoreError, connector: &VolumeConnector) -> StoreError {
    StoreError::Duplicate(match error.violated_index().as_deref() {
        Some("volume_connectors_uuid") => Unique::ConnectorUuid(connector.id.to_string()),
        Some("volume_connectors_connector_id") => of_machine(connector),
        _ => return error,
    })
}

fn encode(connector: &VolumeConnector) -> Vec<P<'_>> {
    vec![
        connector.id.to_string().into(),
        connector.version.into(),
        connector.node.to_string().into(),
        (&connector.kind).into(),
        (&connector.connector_id).into(),
        (&connector.extra).into(),
        connector.created_at.into(),
        connector.updated_at.into(),
    ]
}

fn decode(row: &Row<'_>) -> Result<VolumeConnector, StoreError> {
    let r = &mut Reader::new(row, "volume_connectors", COLUMNS);
    let mut connector = VolumeConnector {
        id: r.parsed()?,
        version: r.int()?,
        node: r.parsed()?,
        kind: r.text()?,
        connector_id: r.text()?,
        extra: r.map()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    connector.row = r.int()?;
    Ok(connector)
}
