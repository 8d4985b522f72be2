//! The networks that the DHCP server gives addresses in.
//!
//! Who changes a network or a reservation takes the one row of `network_changes` first, so that two
//! networks that overlap cannot come about at once; conductors see by its number whether something
//! changed.

mod reservation;

pub use reservation::{Reserved, release_address, reservations, reserve};

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    fit::Widths,
};
use std::sync::LazyLock;
use types::{
    Timestamp,
    site_network::{NetworkName, NetworkPlan, Prefix, SiteNetwork},
};

/// How many networks there may be.
pub const MOST: usize = 1000;

const COLUMNS: &[&str] = &[
    "name",
    "version",
    "prefix",
    "plan",
    "served_by",
    "created_at",
    "updated_at",
];
static WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::of("networks"));
static SELECT: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM networks", COLUMNS.join(", ")));

/// What came of storing a network.
#[derive(Debug)]
pub enum Stored {
    Row(Box<SiteNetwork>),
    NameTaken,
    /// It overlaps this one.
    Overlaps(Box<SiteNetwork>),
    /// An address that is reserved in it would be outside.
    ReservationOutside(std::net::IpAddr),
    /// There are [`MOST`] already.
    TooMany,
}

/// All networks by name.
pub async fn list(db: &Db) -> Result<Vec<SiteNetwork>, StoreError> {
    db.get(all).await
}

/// The network of this name.
pub async fn find(db: &Db, name: &NetworkName) -> Result<Option<SiteNetwork>, StoreError> {
    let name = name.clone();
    db.get(move |conn| load(conn, &name)).await
}

/// How often networks and reservations were changed so far.
pub async fn changes(db: &Db) -> Result<i64, StoreError> {
    db.get(|conn| {
        let number = conn.number("SELECT number FROM network_changes", &[])?;
        Ok(number.unwrap_or(0))
    })
    .await
}

/// Stores a new network.
pub async fn insert(db: &Db, name: NetworkName, plan: NetworkPlan) -> Result<Stored, StoreError> {
    db.write(move |conn| {
        take(conn)?;
        let all = all(conn)?;
        if all.len() >= MOST {
            return Ok(Stored::TooMany);
        }
        if all.iter().any(|other| other.name == name) {
            return Ok(Stored::NameTaken);
        }
        if let Some(other) = overlapping(&all, &name, &plan.prefix) {
            return Ok(Stored::Overlaps(Box::new(other)));
        }
        const INSERT: &str = "INSERT INTO networks (name, prefix, plan, version, created_at) \
            VALUES ($1, $2, $3, 0, $4)";
        let values: [P<'_>; 4] = [
            name.as_str().into(),
            plan.prefix.to_string().into(),
            P::json(&plan),
            Timestamp::now().into(),
        ];
        WIDTHS.check(&["name", "prefix", "plan"], &values)?;
        conn.execute(INSERT, &values)?;
        row(conn, &name)
    })
    .await
}

/// Changes a network that was read at this version; stale if it was changed since.
pub async fn replace(
    db: &Db,
    name: NetworkName,
    version: i64,
    plan: NetworkPlan,
) -> Result<Stored, StoreError> {
    db.write(move |conn| {
        take(conn)?;
        let all = all(conn)?;
        if let Some(other) = overlapping(&all, &name, &plan.prefix) {
            return Ok(Stored::Overlaps(Box::new(other)));
        }
        let reserved = reservation::of(conn, &name)?;
        if let Some(outside) = reserved
            .iter()
            .find(|one| !plan.prefix.contains(one.address))
        {
            return Ok(Stored::ReservationOutside(outside.address));
        }
        const UPDATE: &str = "UPDATE networks SET prefix = $1, plan = $2, version = version + 1, \
            updated_at = $3 WHERE name = $4 AND version = $5";
        let values = [
            plan.prefix.to_string().into(),
            P::json(&plan),
            Timestamp::now().into(),
            name.as_str().into(),
            version.into(),
        ];
        match conn.execute(UPDATE, &values)? {
            0 => Err(StoreError::Stale),
            _ => row(conn, &name),
        }
    })
    .await
}

/// Removes a network and its reservations.
pub async fn delete(db: &Db, name: NetworkName) -> Result<(), StoreError> {
    db.write(move |conn| {
        take(conn)?;
        let named = [name.as_str().into()];
        conn.execute(
            "DELETE FROM network_reservations WHERE network = $1",
            &named,
        )?;
        match conn.execute("DELETE FROM networks WHERE name = $1", &named)? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    })
    .await
}

/// Takes a network for a conductor from the one that had it when it was read; whether that worked.
pub async fn claim(db: &Db, network: &SiteNetwork, conductor: &str) -> Result<bool, StoreError> {
    let (name, before) = (network.name.clone(), network.served_by.clone());
    let conductor = conductor.to_owned();
    db.write(move |conn| {
        let (me, name) = ((&conductor).into(), name.as_str().into());
        let claimed = match &before {
            Some(before) => {
                const SQL: &str =
                    "UPDATE networks SET served_by = $1 WHERE name = $2 AND served_by = $3";
                conn.execute(SQL, &[me, name, before.into()])?
            }
            None => {
                const SQL: &str =
                    "UPDATE networks SET served_by = $1 WHERE name = $2 AND served_by IS NULL";
                conn.execute(SQL, &[me, name])?
            }
        };
        Ok(claimed > 0)
    })
    .await
}

/// Gives a network that a conductor has back: one, or all.
pub async fn yield_to_others(
    db: &Db,
    conductor: &str,
    name: Option<NetworkName>,
) -> Result<(), StoreError> {
    let conductor = conductor.to_owned();
    db.write(move |conn| {
        let me = (&conductor).into();
        let given = match &name {
            Some(name) => {
                const ONE: &str =
                    "UPDATE networks SET served_by = NULL WHERE served_by = $1 AND name = $2";
                conn.execute(ONE, &[me, name.as_str().into()])
            }
            None => {
                const ALL: &str = "UPDATE networks SET served_by = NULL WHERE served_by = $1";
                conn.execute(ALL, &[me])
            }
        };
        given.map(|_| ())
    })
    .await
}

/// Makes others that change networks wait until we are done, and conductors look.
fn take(conn: &mut Conn) -> Result<(), StoreError> {
    conn.execute("UPDATE network_changes SET number = number + 1", &[])
        .map(|_| ())
}

fn all(conn: &mut Conn) -> Result<Vec<SiteNetwork>, StoreError> {
    conn.query(&format!("{} ORDER BY name", *SELECT), &[], decode)
}

fn load(conn: &mut Conn, name: &NetworkName) -> Result<Option<SiteNetwork>, StoreError> {
    let sql = format!("{} WHERE name = $1", *SELECT);
    conn.query_opt(&sql, &[name.as_str().into()], decode)
}

fn row(conn: &mut Conn, name: &NetworkName) -> Result<Stored, StoreError> {
    let row = load(conn, name)?.ok_or(StoreError::NotFound)?;
    Ok(Stored::Row(Box::new(row)))
}

fn overlapping(all: &[SiteNetwork], name: &NetworkName, prefix: &Prefix) -> Option<SiteNetwork> {
    let others = all.iter().filter(|other| other.name != *name);
    let mut overlapping = others.filter(|other| other.plan.prefix.overlaps(prefix));
    overlapping.next().cloned()
}

fn decode(row: &Row<'_>) -> Result<SiteNetwork, StoreError> {
    let r = &mut Reader::new(row, "networks", COLUMNS);
    let (name, version, _prefix) = (r.parsed()?, r.int()?, r.text()?);
    let plan: NetworkPlan = r.json()?;
    plan.check().map_err(|error| StoreError::Corrupt {
        table: "networks",
        column: "plan".to_owned(),
        reason: error.to_string(),
    })?;
    Ok(SiteNetwork {
        name,
        version,
        plan,
        served_by: r.opt_text()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
    })
}
