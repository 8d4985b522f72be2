//! Firmware components of nodes: a cache of what machines say.

use crate::{
    Db, StoreError,
    conn::{P, Reader, Row},
    fit::Widths,
    reading::Readings,
};
use std::sync::LazyLock;
use types::{FirmwareComponent, NodeId};

pub(crate) const COLUMNS: &[&str] = &[
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
static COMPONENTS: LazyLock<Readings<FirmwareComponent>> = LazyLock::new(|| Readings {
    of_node: "SELECT component, initial_version, current_version, last_version_flashed, \
        vendor, model, serial_number, created_at, updated_at FROM firmware_components \
        WHERE node_uuid = $1 ORDER BY component",
    insert: "INSERT INTO firmware_components (component, initial_version, \
        current_version, last_version_flashed, vendor, model, serial_number, created_at, \
        updated_at, node_uuid) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    update: "UPDATE firmware_components SET component = $1, initial_version = $2, \
        current_version = $3, last_version_flashed = $4, vendor = $5, model = $6, \
        serial_number = $7, created_at = $8, updated_at = $9 \
        WHERE node_uuid = $10 AND component = $11",
    widths: Widths::of("firmware_components"),
    columns: COLUMNS,
    encode,
    decode,
    name: |part| &part.component,
    times: |part| (part.created_at, part.updated_at),
    set_times: |part, times| (part.created_at, part.updated_at) = times,
});

/// All components of a node, sorted by name.
pub async fn list(db: &Db, node: NodeId) -> Result<Vec<FirmwareComponent>, StoreError> {
    db.get(move |conn| COMPONENTS.load(conn, node)).await
}

/// Notes what a machine says of its components now. The version that a component was first seen
/// with stays, and a version that is new is taken for one that was flashed; what is not seen this
/// time is not forgotten.
pub async fn observe(
    db: &Db,
    node: NodeId,
    components: Vec<FirmwareComponent>,
) -> Result<(), StoreError> {
    db.write(move |conn| {
        let mut components = components.clone();
        let old = COMPONENTS.load(conn, node)?;
        let known = COMPONENTS.by_name(&old);
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
        COMPONENTS.put(conn, node, &components).map(|_| ())
    })
    .await
}

pub(crate) fn encode(component: &FirmwareComponent) -> Vec<P<'_>> {
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

pub(crate) fn decode(row: &Row<'_>) -> Result<FirmwareComponent, StoreError> {
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
