//! BIOS settings of nodes: a cache of what machines say.
//!
//! A setting that is read again with the same value keeps its times; there is no compare-and-swap,
//! because the last one to have read the machine knows best.

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    fit::Widths,
};
use std::{collections::HashMap, sync::LazyLock};
use types::{BiosSetting, NodeId, Timestamp};

const COLUMNS: &[&str] = &[
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
static WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::of("bios_settings"));

const OF_NODE: &str = "SELECT name, value, attribute_type, allowable_values, lower_bound, \
    upper_bound, min_length, max_length, read_only, reset_required, is_unique, created_at, \
    updated_at FROM bios_settings WHERE node_uuid = $1 ORDER BY name";
const ONE: &str = "SELECT name, value, attribute_type, allowable_values, lower_bound, \
    upper_bound, min_length, max_length, read_only, reset_required, is_unique, created_at, \
    updated_at FROM bios_settings WHERE node_uuid = $1 AND name = $2";

/// All settings of a node, sorted by name.
pub async fn list(db: &Db, node: NodeId) -> Result<Vec<BiosSetting>, StoreError> {
    db.get(move |conn| conn.query(OF_NODE, &[node.to_string().into()], decode))
        .await
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
        let old = put(conn, node, &settings)?;
        let kept = by_name(&settings);
        for setting in old.iter().filter(|s| !kept.contains_key(s.name.as_str())) {
            remove(conn, node, &setting.name)?;
        }
        Ok(())
    })
    .await
}

/// Adds or changes some settings of a node that exists.
pub async fn upsert(db: &Db, node: NodeId, settings: Vec<BiosSetting>) -> Result<(), StoreError> {
    db.write(move |conn| put(conn, node, &settings).map(|_| ()))
        .await
}

/// Forgets some settings of a node; those that it does not have are no error.
pub async fn delete(db: &Db, node: NodeId, names: Vec<String>) -> Result<(), StoreError> {
    db.write(move |conn| names.iter().try_for_each(|name| remove(conn, node, name)))
        .await
}

/// Writes what is new or different; returns what was there before. Of two with the same name the
/// last counts.
fn put(
    conn: &mut Conn,
    node: NodeId,
    settings: &[BiosSetting],
) -> Result<Vec<BiosSetting>, StoreError> {
    let uuid = node.to_string();
    if !conn.hold_row("nodes", &uuid)? {
        return Err(StoreError::NotFound);
    }
    let old = conn.query(OF_NODE, &[(&uuid).into()], decode)?;
    let known: HashMap<&str, &BiosSetting> = by_name(&old);
    let now = Timestamp::now();
    for (name, &setting) in &by_name(settings) {
        let before = known.get(name);
        let mut new = setting.clone();
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

fn by_name(settings: &[BiosSetting]) -> HashMap<&str, &BiosSetting> {
    settings.iter().map(|s| (s.name.as_str(), s)).collect()
}

fn write(
    conn: &mut Conn,
    node: &str,
    setting: &BiosSetting,
    exists: bool,
) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO bios_settings (name, value, attribute_type, \
        allowable_values, lower_bound, upper_bound, min_length, max_length, read_only, \
        reset_required, is_unique, created_at, updated_at, node_uuid) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    const UPDATE: &str = "UPDATE bios_settings SET name = $1, value = $2, attribute_type = $3, \
        allowable_values = $4, lower_bound = $5, upper_bound = $6, min_length = $7, \
        max_length = $8, read_only = $9, reset_required = $10, is_unique = $11, \
        created_at = $12, updated_at = $13 WHERE node_uuid = $14 AND name = $15";
    let mut params = encode(setting);
    WIDTHS.check(&COLUMNS[..1], &params)?;
    params.push(node.into());
    if exists {
        params.push((&setting.name).into());
    }
    conn.execute(if exists { UPDATE } else { INSERT }, &params)
        .map(|_| ())
}

fn remove(conn: &mut Conn, node: NodeId, name: &str) -> Result<(), StoreError> {
    const DELETE: &str = "DELETE FROM bios_settings WHERE node_uuid = $1 AND name = $2";
    conn.execute(DELETE, &[node.to_string().into(), name.into()])
        .map(|_| ())
}

fn encode(setting: &BiosSetting) -> Vec<P<'_>> {
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

fn decode(row: &Row<'_>) -> Result<BiosSetting, StoreError> {
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
