//! Firmware components of nodes: a cache of what machines say.
//!
//! As with BIOS settings, a component that is read again unchanged keeps its times.

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    fit::Widths,
};
use std::{collections::HashMap, sync::LazyLock};
use types::{FirmwareComponent, NodeId, Timestamp};

const COLUMNS: &[&str] = &[
    "component",
    "initial_version",
    "current_version",
    "last_version_flashed",
    "vendor",
    "model",
    "serial_number",
    "created_at",
    "updated_at",
];
static WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::of("firmware_components"));

const OF_NODE: &str = "SELECT component, initial_version, current_version, last_version_flashed, \
    vendor, model, serial_number, created_at, updated_at FROM firmware_components \
    WHERE node_uuid = $1 ORDER BY component";
const ONE: &str = "SELECT component, initial_version, current_version, last_version_flashed, \
    vendor, model, serial_number, created_at, updated_at FROM firmware_components \
    WHERE node_uuid = $1 AND component = $2";

/// All components of a node, sorted by name.
pub async fn list(db: &Db, node: NodeId) -> Result<Vec<FirmwareComponent>, StoreError> {
    db.get(move |conn| conn.query(OF_NODE, &[node.to_string().into()], decode))
        .await
}

/// One component of a node.
pub async fn find(
    db: &Db,
    node: NodeId,
    component: &str,
) -> Result<Option<FirmwareComponent>, StoreError> {
    let component = component.to_owned();
    db.get(move |conn| conn.query_opt(ONE, &[node.to_string().into(), component.into()], decode))
        .await
}

/// Makes these the components of a node that exists; others are forgotten.
pub async fn replace(
    db: &Db,
    node: NodeId,
    components: Vec<FirmwareComponent>,
) -> Result<(), StoreError> {
    db.write(move |conn| {
        let old = put(conn, node, &components)?;
        let kept = by_name(&components);
        for component in old
            .iter()
            .filter(|c| !kept.contains_key(c.component.as_str()))
        {
            remove(conn, node, &component.component)?;
        }
        Ok(())
    })
    .await
}

/// Adds or changes some components of a node that exists.
pub async fn upsert(
    db: &Db,
    node: NodeId,
    components: Vec<FirmwareComponent>,
) -> Result<(), StoreError> {
    db.write(move |conn| put(conn, node, &components).map(|_| ()))
        .await
}

/// Notes what a machine says of its components now. The version that a component was first seen
/// with stays, and a version that is new is taken for one that was flashed.
pub async fn observe(
    db: &Db,
    node: NodeId,
    components: Vec<FirmwareComponent>,
) -> Result<(), StoreError> {
    db.write(move |conn| {
        let mut components = components.clone();
        let uuid = node.to_string();
        let old = conn.query(OF_NODE, &[(&uuid).into()], decode)?;
        let known = by_name(&old);
        for component in &mut components {
            let Some(before) = known.get(component.component.as_str()) else {
                continue;
            };
            component
                .initial_version
                .clone_from(&before.initial_version);
            component.last_version_flashed = if before.current_version == component.current_version
            {
                before.last_version_flashed.clone()
            } else {
                component.current_version.clone()
            };
        }
        put(conn, node, &components).map(|_| ())
    })
    .await
}

/// Forgets some components of a node; those that it does not have are no error.
pub async fn delete(db: &Db, node: NodeId, components: Vec<String>) -> Result<(), StoreError> {
    db.write(move |conn| {
        components
            .iter()
            .try_for_each(|component| remove(conn, node, component))
    })
    .await
}

/// Writes what is new or different; returns what was there before. Of two with the same name the
/// last counts.
fn put(
    conn: &mut Conn,
    node: NodeId,
    components: &[FirmwareComponent],
) -> Result<Vec<FirmwareComponent>, StoreError> {
    let uuid = node.to_string();
    if !conn.hold_row("nodes", &uuid)? {
        return Err(StoreError::NotFound);
    }
    let old = conn.query(OF_NODE, &[(&uuid).into()], decode)?;
    let known: HashMap<&str, &FirmwareComponent> = by_name(&old);
    let now = Timestamp::now();
    for (name, &component) in &by_name(components) {
        let before = known.get(name);
        let mut new = component.clone();
        (new.created_at, new.updated_at) =
            before.map_or((now, None), |old| (old.created_at, old.updated_at));
        match before {
            Some(&old) if *old == new => continue,
            Some(_) => new.updated_at = Some(now),
            None => {}
        }
        write(conn, &uuid, &new, before.is_some())?;
    }
    Ok(old)
}

fn by_name(components: &[FirmwareComponent]) -> HashMap<&str, &FirmwareComponent> {
    components
        .iter()
        .map(|c| (c.component.as_str(), c))
        .collect()
}

fn write(
    conn: &mut Conn,
    node: &str,
    component: &FirmwareComponent,
    exists: bool,
) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO firmware_components (component, initial_version, \
        current_version, last_version_flashed, vendor, model, serial_number, created_at, \
        updated_at, node_uuid) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    const UPDATE: &str = "UPDATE firmware_components SET component = $1, initial_version = $2, \
        current_version = $3, last_version_flashed = $4, vendor = $5, model = $6, \
        serial_number = $7, created_at = $8, updated_at = $9 \
        WHERE node_uuid = $10 AND component = $11";
    let mut params = encode(component);
    WIDTHS.check(&COLUMNS[..1], &params)?;
    params.push(node.into());
    if exists {
        params.push((&component.component).into());
    }
    conn.execute(if exists { UPDATE } else { INSERT }, &params)
        .map(|_| ())
}

fn remove(conn: &mut Conn, node: NodeId, component: &str) -> Result<(), StoreError> {
    const DELETE: &str = "DELETE FROM firmware_components WHERE node_uuid = $1 AND component = $2";
    conn.execute(DELETE, &[node.to_string().into(), component.into()])
        .map(|_| ())
}

fn encode(component: &FirmwareComponent) -> Vec<P<'_>> {
    vec![
        (&component.component).into(),
        component.initial_version.as_deref().into(),
        component.current_version.as_deref().into(),
        component.last_version_flashed.as_deref().into(),
        component.vendor.as_deref().into(),
        component.model.as_deref().into(),
        component.serial_number.as_deref().into(),
        component.created_at.into(),
        component.updated_at.into(),
    ]
}

fn decode(row: &Row<'_>) -> Result<FirmwareComponent, StoreError> {
    let r = &mut Reader::new(row, "firmware_components", COLUMNS);
    Ok(FirmwareComponent {
        component: r.text()?,
        initial_version: r.opt_text()?,
        current_version: r.opt_text()?,
        last_version_flashed: r.opt_text()?,
        vendor: r.opt_text()?,
        model: r.opt_text()?,
        serial_number: r.opt_text()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
    })
}
