//! The volume targets table.

use super::VolumeFilter;
use crate::{
    Db, Page, StoreError, Unique,
    conn::{Conn, P, Reader, Row},
    node::{self, Log},
    table::Table,
};
use std::sync::LazyLock;
use types::{NodeId, Timestamp, VolumeTarget, VolumeTargetId};

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "node_uuid",
    "volume_type",
    "properties",
    "boot_index",
    "volume_id",
    "extra",
    "created_at",
    "updated_at",
    "id",
];
static TABLE: LazyLock<Table<VolumeTarget>> =
    LazyLock::new(|| Table::new("volume_targets", COLUMNS, encode, decode, taken));

/// The target with this UUID.
pub async fn find(db: &Db, id: VolumeTargetId) -> Result<Option<VolumeTarget>, StoreError> {
    TABLE.get(db, id.to_string()).await
}

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

/// Stores a new target of a node that exists.
pub async fn insert(db: &Db, target: VolumeTarget, log: Log) -> Result<VolumeTarget, StoreError> {
    let keys = db.keys().clone();
    db.keep(log, move |conn| {
        let uuid = target.id.to_string();
        let mut target = target.clone();
        keys.seal_map(&mut target.properties, &uuid)?;
        node::hold(conn, &target.node.to_string())?;
        check_unique(conn, &target)?;
        TABLE.insert(conn, &target, &uuid)
    })
    .await
}

/// Writes a target whose row still has the version `target.version`.
pub async fn update(db: &Db, target: VolumeTarget, log: Log) -> Result<VolumeTarget, StoreError> {
    let keys = db.keys().clone();
    db.keep(log, move |conn| {
        let uuid = target.id.to_string();
        let base = target.version;
        let mut target = target.clone();
        keys.seal_map(&mut target.properties, &uuid)?;
        target.version += 1;
        target.updated_at = Some(Timestamp::now());
        node::hold(conn, &target.node.to_string())?;
        TABLE.update(conn, target, base)
    })
    .await
}

/// Removes a target.
pub async fn delete(db: &Db, id: VolumeTargetId, log: Log) -> Result<(), StoreError> {
    TABLE.remove(db, id.to_string(), log).await
}

/// Names the value that is taken before the database does.
fn check_unique(conn: &mut Conn, target: &VolumeTarget) -> Result<(), StoreError> {
    let uuid = target.id.to_string();
    TABLE.free(conn, "uuid", &uuid, Unique::TargetUuid)?;
    const SAME: &str = "SELECT 1 FROM volume_targets WHERE node_uuid = $1 AND boot_index = $2";
    let params = [target.node.to_string().into(), target.boot_index.into()];
    match conn.query_opt(SAME, &params, |_| Ok(()))? {
        Some(()) => Err(StoreError::Duplicate(Unique::TargetBootIndex(
            target.boot_index,
        ))),
        None => Ok(()),
    }
}

fn taken(error: StoreError, target: &VolumeTarget) -> StoreError {
    StoreError::Duplicate(match error.violated_index().as_deref() {
        Some("volume_targets_uuid") => Unique::TargetUuid(target.id.to_string()),
        Some("volume_targets_boot_index") => Unique::TargetBootIndex(target.boot_index),
        _ => return error,
    })
}

fn encode(target: &VolumeTarget) -> Vec<P<'_>> {
    vec![
        target.id.to_string().into(),
        target.version.into(),
        target.node.to_string().into(),
        (&target.volume_type).into(),
        (&target.properties).into(),
        target.boot_index.into(),
        (&target.volume_id).into(),
        (&target.extra).into(),
        target.created_at.into(),
        target.updated_at.into(),
    ]
}

fn decode(row: &Row<'_>) -> Result<VolumeTarget, StoreError> {
    let r = &mut Reader::new(row, "volume_targets", COLUMNS);
    let mut target = VolumeTarget {
        id: r.parsed()?,
        version: r.int()?,
        node: r.parsed()?,
        volume_type: r.text()?,
        properties: r.map()?,
        boot_index: r.int()?,
        volume_id: r.text()?,
        extra: r.map()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    target.row = r.int()?;
    Ok(target)
}
