//! Addresses that are kept for one machine.

use super::{load, take};
use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    dhcp_lease,
};
use std::net::IpAddr;
use types::{
    Timestamp,
    port::MacAddress,
    site_network::{NetworkName, Reservation, address_key},
};

/// How many reservations a network may have.
const MOST: usize = 65_536;
const COLUMNS: &[&str] = &["network", "mac", "address", "created_at"];

/// What came of a wish to reserve an address.
#[derive(Debug)]
pub enum Reserved {
    Row(Reservation),
    /// The machine has another address in this network.
    HasAnother(IpAddr),
    /// Another machine has it.
    Taken(MacAddress),
    /// Another machine uses it until then.
    Leased(MacAddress, Timestamp),
    TooMany,
}

/// Every reservation of a network, or of all, by address.
pub async fn reservations(
    db: &Db,
    network: Option<NetworkName>,
) -> Result<Vec<Reservation>, StoreError> {
    db.get(move |conn| match &network {
        Some(network) => of(conn, network),
        None => {
            const SQL: &str = "SELECT network, mac, address, created_at \
                FROM network_reservations ORDER BY address_key";
            conn.query(SQL, &[], decode)
        }
    })
    .await
}

pub(super) fn of(conn: &mut Conn, network: &NetworkName) -> Result<Vec<Reservation>, StoreError> {
    const SQL: &str = "SELECT network, mac, address, created_at FROM network_reservations \
        WHERE network = $1 ORDER BY address_key";
    conn.query(SQL, &[network.as_str().into()], decode)
}

/// Keeps an address for a machine. The address was checked against the plan.
pub async fn reserve(
    db: &Db,
    network: NetworkName,
    mac: MacAddress,
    address: IpAddr,
) -> Result<Reserved, StoreError> {
    db.write(move |conn| {
        take(conn)?;
        let now = Timestamp::now();
        if load(conn, &network)?.is_none() {
            return Err(StoreError::NotFound);
        }
        let all = of(conn, &network)?;
        if let Some(one) = all.iter().find(|one| one.mac == mac) {
            return Ok(match one.address == address {
                true => Reserved::Row(one.clone()),
                false => Reserved::HasAnother(one.address),
            });
        }
        if let Some(one) = all.iter().find(|one| one.address == address) {
            return Ok(Reserved::Taken(one.mac));
        }
        if all.len() >= MOST {
            return Ok(Reserved::TooMany);
        }
        if let Some(lease) = dhcp_lease::holder(conn, address, now)?
            && lease.mac != mac
        {
            return Ok(Reserved::Leased(lease.mac, lease.until));
        }
        const INSERT: &str = "INSERT INTO network_reservations \
            (network, mac, address, address_key, created_at) VALUES ($1, $2, $3, $4, $5)";
        let values: [P<'_>; 5] = [
            network.as_str().into(),
            mac.to_string().into(),
            address.to_string().into(),
            address_key(address).into(),
            now.into(),
        ];
        conn.execute(INSERT, &values)?;
        Ok(Reserved::Row(Reservation {
            network: network.clone(),
            mac,
            address,
            created_at: now,
        }))
    })
    .await
}

/// Ends a reservation.
pub async fn release_address(
    db: &Db,
    network: NetworkName,
    address: IpAddr,
) -> Result<(), StoreError> {
    db.write(move |conn| {
        take(conn)?;
        const SQL: &str =
            "DELETE FROM network_reservations WHERE network = $1 AND address_key = $2";
        let values = [network.as_str().into(), address_key(address).into()];
        match conn.execute(SQL, &values)? {
            0 => Err(StoreError::NotFound),
            _ => Ok(()),
        }
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<Reservation, StoreError> {
    let r = &mut Reader::new(row, "network_reservations", COLUMNS);
    Ok(Reservation {
        network: r.parsed()?,
        mac: r.parsed()?,
        address: r.parsed()?,
        created_at: r.time()?,
    })
}
