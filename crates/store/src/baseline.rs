//! Baselines: one for each resource class that has one.

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    fit::Widths,
};
use std::sync::LazyLock;
use types::{Timestamp, baseline::Baseline};

/// How many there may be.
pub const MOST: i64 = 1000;

const COLUMNS: &[&str] = &[
    "resource_class",
    "description",
    "firmware",
    "bios_settings",
    "created_at",
    "updated_at",
];
static WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::of("baselines"));
const SELECT: &str = "SELECT resource_class, description, firmware, bios_settings, created_at, \
    updated_at FROM baselines";

/// What came of storing a baseline.
#[derive(Debug, PartialEq, Eq)]
pub enum Stored {
    New(Baseline),
    Changed(Baseline),
    /// There are [`MOST`] already.
    TooMany,
}

/// All baselines by resource class.
pub async fn list(db: &Db) -> Result<Vec<Baseline>, StoreError> {
    db.read(|conn| conn.query(&format!("{SELECT} ORDER BY resource_class"), &[], decode))
        .await
}

/// The baseline of a resource class.
pub async fn find(db: &Db, resource_class: &str) -> Result<Option<Baseline>, StoreError> {
    let resource_class = resource_class.to_owned();
    db.get(move |conn| load(conn, &resource_class)).await
}

/// Stores a baseline in the place of the one that the resource class may have. Two who do so at the
/// same time come one after the other; the last one stays.
pub async fn put(db: &Db, baseline: Baseline) -> Result<Stored, StoreError> {
    match try_put(db, baseline.clone()).await {
        // Another process was faster: now there is one to change.
        Err(error) if error.violated_index().as_deref() == Some("baselines_resource_class") => {
            try_put(db, baseline).await
        }
        other => other,
    }
}

async fn try_put(db: &Db, baseline: Baseline) -> Result<Stored, StoreError> {
    db.write(move |conn| {
        let class = baseline.resource_class.as_str();
        let values: [P<'_>; 5] = [
            class.into(),
            baseline.description.as_deref().into(),
            P::json(&baseline.firmware),
            P::json(&baseline.bios_settings),
            Timestamp::now().into(),
        ];
        WIDTHS.check(&["resource_class", "description"], &values[..2])?;
        const UPDATE: &str = "UPDATE baselines SET description = $1, firmware = $2, \
            bios_settings = $3, updated_at = $4 WHERE resource_class = $5";
        let mut changed = values[1..].to_vec();
        changed.push(class.into());
        let is_new = conn.execute(UPDATE, &changed)? == 0;
        if is_new {
            let count = conn.number("SELECT COUNT(*) FROM baselines", &[])?;
            if count.unwrap_or(0) >= MOST {
                return Ok(Stored::TooMany);
            }
            const INSERT: &str = "INSERT INTO baselines (resource_class, description, firmware, \
                bios_settings, created_at) VALUES ($1, $2, $3, $4, $5)";
            conn.execute(INSERT, &values)?;
        }
        let stored = load(conn, class)?.ok_or(StoreError::NotFound)?;
        Ok(match is_new {
            true => Stored::New(stored),
            false => Stored::Changed(stored),
        })
    })
    .await
}

/// Removes the baseline of a resource class.
pub async fn delete(db: &Db, resource_class: &str) -> Result<(), StoreError> {
    let resource_class = resource_class.to_owned();
    db.write(move |conn| {
        const DELETE: &str = "DELETE FROM baselines WHERE resource_class = $1";
        conn.execute_on(DELETE, &[(&resource_class).into()])
    })
    .await
}

fn load(conn: &mut Conn, resource_class: &str) -> Result<Option<Baseline>, StoreError> {
    let sql = format!("{SELECT} WHERE resource_class = $1");
    conn.query_opt(&sql, &[resource_class.into()], decode)
}

fn decode(row: &Row<'_>) -> Result<Baseline, StoreError> {
    let r = &mut Reader::new(row, "baselines", COLUMNS);
    Ok(Baseline {
        resource_class: r.text()?,
        description: r.opt_text()?,
        firmware: r.json()?,
        bios_settings: r.json()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
    })
}
