//! The chassis table. No conductor is involved: nothing works on a chassis.

use crate::{
    Db, Page, StoreError, Unique,
    conn::{Reader, Row},
    fit,
    node::Log,
    page::{Conditions, Source},
};
use types::{Chassis, ChassisId, Timestamp};

pub(crate) const COLUMNS: &[&str] = &[
    "uuid",
    "description",
    "extra",
    "created_at",
    "updated_at",
    "id",
];
const SOURCE: Source = Source {
    table: "chassis",
    select: "uuid, description, extra, created_at, updated_at, id",
    sortable: COLUMNS,
    marker: "uuid",
};
const BY_UUID: &str =
    "SELECT uuid, description, extra, created_at, updated_at, id FROM chassis WHERE uuid = $1";

/// The chassis with this UUID.
pub async fn find(db: &Db, id: ChassisId) -> Result<Option<Chassis>, StoreError> {
    db.get(move |conn| conn.query_opt(BY_UUID, &[id.to_string().into()], decode))
        .await
}

/// A page of all chassis.
pub async fn list(db: &Db, page: Page) -> Result<Vec<Chassis>, StoreError> {
    db.read(move |conn| SOURCE.read(conn, Conditions::default(), &page, decode))
        .await
}

/// Stores a new chassis.
pub async fn insert(db: &Db, chassis: Chassis, log: Log) -> Result<Chassis, StoreError> {
    db.keep(log, move |conn| {
        let uuid = chassis.id.to_string();
        const INSERT: &str = "INSERT INTO chassis (uuid, description, extra, created_at) \
            VALUES ($1, $2, $3, $4)";
        let params = [
            (&uuid).into(),
            chassis.description.as_deref().into(),
            (&chassis.extra).into(),
            chassis.created_at.into(),
        ];
        fit::CHASSIS.check(COLUMNS, &params)?;
        conn.execute(INSERT, &params)
            .map_err(|error| match error.violated_index() {
                Some(_) => StoreError::Duplicate(Unique::ChassisUuid(uuid.clone())),
                None => error,
            })?;
        let stored = conn.query_opt(BY_UUID, &[uuid.into()], decode)?;
        stored.ok_or(StoreError::NotFound)
    })
    .await
}

/// Changes description and extra of a chassis.
pub async fn update(db: &Db, chassis: Chassis, log: Log) -> Result<Chassis, StoreError> {
    db.keep(log, move |conn| {
        let uuid = chassis.id.to_string();
        const UPDATE: &str =
            "UPDATE chassis SET description = $1, extra = $2, updated_at = $3 WHERE uuid = $4";
        let params = [
            chassis.description.as_deref().into(),
            (&chassis.extra).into(),
            Timestamp::now().into(),
            (&uuid).into(),
        ];
        fit::CHASSIS.check(&COLUMNS[1..], &params[..2])?;
        conn.execute(UPDATE, &params)?;
        let stored = conn.query_opt(BY_UUID, &[uuid.into()], decode)?;
        stored.ok_or(StoreError::NotFound)
    })
    .await
}

/// Removes a chassis that no node refers to.
pub async fn delete(db: &Db, id: ChassisId, log: Log) -> Result<(), StoreError> {
    let outbox = db.outbox();
    db.told(move |conn| {
        let uuid = id.to_string();
        if !conn.hold_row("chassis", &uuid)? {
            return Err(StoreError::NotFound);
        }
        let nodes = conn.number(
            "SELECT COUNT(*) FROM nodes WHERE chassis_uuid = $1",
            &[(&uuid).into()],
        )?;
        if nodes.unwrap_or(0) > 0 {
            return Err(StoreError::NotEmpty);
        }
        outbox.tell_gone(conn, &log, |conn| {
            conn.query_opt(BY_UUID, &[(&uuid).into()], decode)
        })?;
        conn.execute_on("DELETE FROM chassis WHERE uuid = $1", &[uuid.into()])
    })
    .await
}

pub(crate) fn decode(row: &Row<'_>) -> Result<Chassis, StoreError> {
    let r = &mut Reader::new(row, "chassis", COLUMNS);
    let mut chassis = Chassis {
        id: r.parsed()?,
        description: r.opt_text()?,
        extra: r.map()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    chassis.row = r.int()?;
    Ok(chassis)
}
