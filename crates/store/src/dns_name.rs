//! The names that a DNS server was told, or is about to be told.
//!
//! A row is written before the DNS server is told and removed after it was told otherwise: a process
//! that is killed in between leaves no name behind that nobody remembers.

use crate::{
    Db, StoreError,
    conn::{Reader, Row},
};
use std::net::IpAddr;
use types::Timestamp;

/// An address of a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DnsName {
    pub name: String,
    pub address: IpAddr,
}

/// A row: a name, and whether the DNS server has accepted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownName {
    pub name: DnsName,
    pub is_told: bool,
}

const COLUMNS: &[&str] = &["name", "address", "is_told"];

/// Every name of a conductor.
pub async fn of_conductor(db: &Db, conductor: &str) -> Result<Vec<KnownName>, StoreError> {
    let conductor = conductor.to_owned();
    db.get(move |conn| {
        const SQL: &str =
            "SELECT name, address, is_told FROM dns_names WHERE conductor = $1 ORDER BY id";
        conn.query(SQL, &[(&conductor).into()], decode)
    })
    .await
}

/// Notes that the DNS server is about to be told a name.
pub async fn begin(db: &Db, conductor: &str, name: DnsName) -> Result<(), StoreError> {
    let conductor = conductor.to_owned();
    db.write(move |conn| {
        const KNOWN: &str =
            "SELECT id FROM dns_names WHERE conductor = $1 AND name = $2 AND address = $3";
        const INSERT: &str = "INSERT INTO dns_names \
            (conductor, name, address, is_told, created_at) VALUES ($1, $2, $3, $4, $5)";
        let address = name.address.to_string();
        let known = [(&conductor).into(), (&name.name).into(), (&address).into()];
        if conn.number(KNOWN, &known)?.is_some() {
            return Ok(());
        }
        let mut values = known.to_vec();
        values.extend([false.into(), Timestamp::now().into()]);
        conn.execute(INSERT, &values).map(|_| ())
    })
    .await
}

/// Notes that the DNS server has a name.
pub async fn told(db: &Db, conductor: &str, name: DnsName) -> Result<(), StoreError> {
    let conductor = conductor.to_owned();
    db.write(move |conn| {
        const UPDATE: &str = "UPDATE dns_names SET is_told = $1 \
            WHERE conductor = $2 AND name = $3 AND address = $4";
        let values = [
            true.into(),
            (&conductor).into(),
            (&name.name).into(),
            name.address.to_string().into(),
        ];
        conn.execute(UPDATE, &values).map(|_| ())
    })
    .await
}

/// Forgets a name that the DNS server has no more.
pub async fn forget(db: &Db, conductor: &str, name: DnsName) -> Result<(), StoreError> {
    let conductor = conductor.to_owned();
    db.write(move |conn| {
        const DELETE: &str =
            "DELETE FROM dns_names WHERE conductor = $1 AND name = $2 AND address = $3";
        let values = [
            (&conductor).into(),
            (&name.name).into(),
            name.address.to_string().into(),
        ];
        conn.execute(DELETE, &values).map(|_| ())
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<KnownName, StoreError> {
    let r = &mut Reader::new(row, "dns_names", COLUMNS);
    let name = DnsName {
        name: r.text()?,
        address: r.parsed()?,
    };
    Ok(KnownName {
        name,
        is_told: r.boolean()?,
    })
}
