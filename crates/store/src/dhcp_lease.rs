//! The leases of all conductors, as they last wrote them down.
//!
//! The DHCP server of a conductor has its leases in memory and in a file of its own, and does not
//! wait for the database. What is here follows within seconds: for people, for DNS, and for the
//! conductor that takes a network over.

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
};
use std::net::IpAddr;
use types::{
    Timestamp,
    site_network::{DhcpLease, OwnedLease, Prefix, address_key},
};

/// How many changes are written at once.
pub const BATCH: usize = 500;

const LEASE: &[&str] = &["address", "mac", "ends_at"];
const OWNED: &[&str] = &[
    "address",
    "mac",
    "ends_at",
    "conductor",
    "port_uuid",
    "node_uuid",
    "node_name",
    "reservation_id",
];

/// Every lease that a conductor wrote down.
pub async fn of_conductor(db: &Db, conductor: &str) -> Result<Vec<DhcpLease>, StoreError> {
    let conductor = conductor.to_owned();
    db.get(move |conn| {
        const SQL: &str = "SELECT address, mac, ends_at FROM dhcp_leases WHERE conductor = $1";
        conn.query(SQL, &[(&conductor).into()], decode)
    })
    .await
}

/// The leases of other conductors in a network that still run.
pub async fn of_others(
    db: &Db,
    conductor: &str,
    prefix: &Prefix,
) -> Result<Vec<DhcpLease>, StoreError> {
    let (conductor, (first, last)) = (conductor.to_owned(), prefix.keys());
    db.get(move |conn| {
        const SQL: &str = "SELECT address, mac, ends_at FROM dhcp_leases WHERE conductor <> $1 \
            AND address_key >= $2 AND address_key <= $3 AND ends_at > $4 ORDER BY ends_at";
        let values = [
            (&conductor).into(),
            (&first).into(),
            (&last).into(),
            Timestamp::now().into(),
        ];
        conn.query(SQL, &values, decode)
    })
    .await
}

/// Writes down what changed: leases that are new or run longer, and addresses that are free.
pub async fn apply(
    db: &Db,
    conductor: &str,
    kept: Vec<DhcpLease>,
    gone: Vec<IpAddr>,
) -> Result<(), StoreError> {
    let conductor = conductor.to_owned();
    db.write(move |conn| {
        for address in &gone {
            const DELETE: &str =
                "DELETE FROM dhcp_leases WHERE conductor = $1 AND address_key = $2";
            let values = [(&conductor).into(), address_key(*address).into()];
            conn.execute(DELETE, &values)?;
        }
        for lease in &kept {
            const UPDATE: &str = "UPDATE dhcp_leases SET mac = $1, ends_at = $2 \
                WHERE conductor = $3 AND address_key = $4";
            const INSERT: &str = "INSERT INTO dhcp_leases \
                (mac, ends_at, conductor, address_key, address) VALUES ($1, $2, $3, $4, $5)";
            let mut values: Vec<P<'_>> = vec![
                lease.mac.to_string().into(),
                lease.until.into(),
                (&conductor).into(),
                address_key(lease.address).into(),
            ];
            if conn.execute(UPDATE, &values)? == 0 {
                values.push(lease.address.to_string().into());
                conn.execute(INSERT, &values)?;
            }
        }
        Ok(())
    })
    .await
}

/// Removes what conductors wrote down long ago and did not prolong since.
pub async fn purge(db: &Db, before: Timestamp) -> Result<(), StoreError> {
    db.write(move |conn| {
        conn.execute(
            "DELETE FROM dhcp_leases WHERE ends_at < $1",
            &[before.into()],
        )
        .map(|_| ())
    })
    .await
}

/// Who has an address now.
pub(crate) fn holder(
    conn: &mut Conn,
    address: IpAddr,
    now: Timestamp,
) -> Result<Option<DhcpLease>, StoreError> {
    const SQL: &str = "SELECT address, mac, ends_at FROM dhcp_leases \
        WHERE address_key = $1 AND ends_at > $2 ORDER BY ends_at DESC LIMIT 1";
    conn.query_opt(SQL, &[address_key(address).into(), now.into()], decode)
}

const SELECT_OWNED: &str = "SELECT l.address, l.mac, l.ends_at, l.conductor, \
    p.uuid AS port_uuid, n.uuid AS node_uuid, n.name AS node_name, \
    r.id AS reservation_id \
    FROM dhcp_leases l LEFT JOIN ports p ON p.address = l.mac \
    LEFT JOIN nodes n ON n.uuid = p.node_uuid \
    LEFT JOIN network_reservations r ON r.address_key = l.address_key AND r.mac = l.mac";

/// The leases that run, by address: those of a network, or all, behind an address that was seen.
pub async fn page(
    db: &Db,
    prefix: Option<Prefix>,
    after: Option<IpAddr>,
    limit: u32,
) -> Result<Vec<OwnedLease>, StoreError> {
    let everything = || (String::new(), "g".to_owned());
    let (first, last) = prefix.map_or_else(everything, |prefix| prefix.keys());
    let after = after.map_or_else(String::new, address_key);
    db.get(move |conn| {
        let sql = format!(
            "{SELECT_OWNED} WHERE l.address_key >= $1 AND l.address_key <= $2 \
             AND l.address_key > $3 AND l.ends_at > $4 \
             ORDER BY l.address_key, l.ends_at DESC LIMIT $5"
        );
        let values = [
            (&first).into(),
            (&last).into(),
            (&after).into(),
            Timestamp::now().into(),
            i64::from(limit).into(),
        ];
        let mut rows = conn.query(&sql, &values, decode_owned)?;
        // Where a network went to another conductor, the older one's row is still there.
        rows.dedup_by_key(|owned| owned.lease.address);
        Ok(rows)
    })
    .await
}

/// A lease of a machine whose node has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedLease {
    pub address: IpAddr,
    pub conductor: String,
    pub node_name: String,
}

/// The leases that run and are those of nodes with names, by address.
pub async fn named(db: &Db) -> Result<Vec<NamedLease>, StoreError> {
    const COLUMNS: &[&str] = &["address", "conductor", "name"];
    db.get(|conn| {
        const SQL: &str = "SELECT l.address, l.conductor, n.name FROM dhcp_leases l \
            JOIN ports p ON p.address = l.mac JOIN nodes n ON n.uuid = p.node_uuid \
            WHERE l.ends_at > $1 AND n.name IS NOT NULL ORDER BY l.address_key";
        conn.query(SQL, &[Timestamp::now().into()], |row| {
            let r = &mut Reader::new(row, "dhcp_leases", COLUMNS);
            Ok(NamedLease {
                address: r.parsed()?,
                conductor: r.text()?,
                node_name: r.text()?,
            })
        })
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<DhcpLease, StoreError> {
    lease(&mut Reader::new(row, "dhcp_leases", LEASE))
}

fn lease(r: &mut Reader<'_, '_>) -> Result<DhcpLease, StoreError> {
    Ok(DhcpLease {
        address: r.parsed()?,
        mac: r.parsed()?,
        until: r.time()?,
    })
}

fn decode_owned(row: &Row<'_>) -> Result<OwnedLease, StoreError> {
    let r = &mut Reader::new(row, "dhcp_leases", OWNED);
    Ok(OwnedLease {
        lease: lease(r)?,
        conductor: r.text()?,
        port: r.opt_parsed()?,
        node: r.opt_parsed()?,
        node_name: r.opt_text()?,
        is_fixed: r.opt_int()?.is_some(),
    })
}
