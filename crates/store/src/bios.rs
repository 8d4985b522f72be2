//! BIOS settings of nodes: a cache of what machines say.

use crate::{
    Db, StoreError,
    conn::{P, Reader, Row},
    fit::Widths,
    reading::Readings,
};
use std::sync::LazyLock;
use types::{BiosSetting, NodeId};

pub(crate) const COLUMNS: &[&str] = &[
    "name",
    "value",
    "attribute_type",
    "allowable_values",
    "lower_bound",
    "upper_bound",
    "min_length",
    "max_length",
    "read_only",
    "reset_required",
    "is_unique",
    "created_at",
    "updated_at",
];
const ONE: &str = "SELECT name, value, attribute_type, allowable_values, lower_bound, \
    upper_bound, min_length, max_length, read_only, reset_required, is_unique, created_at, \
    updated_at FROM bios_settings WHERE node_uuid = $1 AND name = $2";
static SETTINGS: LazyLock<Readings<BiosSetting>> = LazyLock::new(|| Readings {
    of_node: "SELECT name, value, attribute_type, allowable_values, lower_bound, \
        upper_bound, min_length, max_length, read_only, reset_required, is_unique, created_at, \
        updated_at FROM bios_settings WHERE node_uuid = $1 ORDER BY name",
    insert: "INSERT INTO bios_settings (name, value, attribute_type, \
        allowable_values, lower_bound, upper_bound, min_length, max_length, read_only, \
        reset_required, is_unique, created_at, updated_at, node_uuid) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    update: "UPDATE bios_settings SET name = $1, value = $2, attribute_type = $3, \
        allowable_values = $4, lower_bound = $5, upper_bound = $6, min_length = $7, \
        max_length = $8, read_only = $9, reset_required = $10, is_unique = $11, \
        created_at = $12, updated_at = $13 WHERE node_uuid = $14 AND name = $15",
    widths: Widths::of("bios_settings"),
    columns: COLUMNS,
    encode,
    decode,
    name: |setting| &setting.name,
    times: |setting| (setting.created_at, setting.updated_at),
    set_times: |setting, times| (setting.created_at, setting.updated_at) = times,
});

/// All settings of a node, sorted by name.
pub async fn list(db: &Db, node: NodeId) -> Result<Vec<BiosSetting>, StoreError> {
    db.get(move |conn| SETTINGS.load(conn, node)).await
}

/// One setting of a node.
pub async fn find(db: &Db, node: NodeId, name: &str) -> Result<Option<BiosSetting>, StoreError> {
    let name = name.to_owned();
    db.get(move |conn| conn.query_opt(ONE, &[node.to_string().into(), name.into()], decode))
        .await
}

/// Makes these the settings of a node that exists; others are forgotten.
pub async fn replace(db: &Db, node: NodeId, settings: Vec<BiosSetting>) -> Result<(), StoreError> {
    db.write(move |conn| {
        const DELETE: &str = "DELETE FROM bios_settings WHERE node_uuid = $1 AND name = $2";
        let old = SETTINGS.put(conn, node, &settings)?;
        let kept = SETTINGS.by_name(&settings);
        for setting in old.iter().filter(|s| !kept.contains_key(s.name.as_str())) {
            conn.execute(DELETE, &[node.to_string().into(), (&setting.name).into()])?;
        }
        Ok(())
    })
    .await
}

pub(crate) fn encode(setting: &BiosSetting) -> Vec<P<'_>> {
    vec![
        (&setting.name).into(),
        setting.value.as_deref().into(),
        setting.attribute_type.as_deref().into(),
        P::json(&setting.allowable_values),
        setting.lower_bound.into(),
        setting.upper_bound.into(),
        setting.min_length.into(),
        setting.max_length.into(),
        setting.read_only.into(),
        setting.reset_required.into(),
        setting.unique.into(),
        setting.created_at.into(),
        setting.updated_at.into(),
    ]
}

pub(crate) fn decode(row: &Row<'_>) -> Result<BiosSetting, StoreError> {
    let r = &mut Reader::new(row, "bios_settings", COLUMNS);
    Ok(BiosSetting {
        name: r.text()?,
        value: r.opt_text()?,
        attribute_type: r.opt_text()?,
        allowable_values: r.json()?,
        lower_bound: r.opt_int()?,
        upper_bound: r.opt_int()?,
        min_length: r.opt_int()?,
        max_length: r.opt_int()?,
        read_only: r.opt_bool()?,
        reset_required: r.opt_bool()?,
        unique: r.opt_bool()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
    })
}
