//! Conductors: registration, heartbeat, and the hardware types that they serve.

use crate::{
    Db, Page, StoreError,
    conn::{Reader, Row},
    load,
    page::{Conditions, Source},
};
use types::{
    NodeId, Timestamp,
    lease::{Holder, SIGNED_OFF},
    member::{Member, OfferedInterface},
};

const COLUMNS: &[&str] = &[
    "hostname",
    "conductor_group",
    "drivers",
    "online",
    "epoch",
    "counter",
    "url",
    "created_at",
    "updated_at",
    "id",
];
/// What clients may sort by: where a conductor is called is not theirs to see.
const SORTABLE: &[&str] = &[
    "hostname",
    "conductor_group",
    "drivers",
    "online",
    "epoch",
    "counter",
    "created_at",
    "updated_at",
    "id",
];
const SOURCE: Source = Source {
    table: "conductors",
    select: "hostname, conductor_group, drivers, online, epoch, counter, url, created_at, updated_at, id",
    sortable: SORTABLE,
    marker: "hostname",
};
const BY_HOST: &str = "SELECT hostname, conductor_group, drivers, online, epoch, counter, \
    url, created_at, updated_at, id FROM conductors WHERE hostname = $1";

/// What a conductor says about itself when it starts.
#[derive(Debug, Clone)]
pub struct Registration {
    pub hostname: String,
    pub conductor_group: String,
    pub drivers: Vec<String>,
    pub interfaces: Vec<OfferedInterface>,
    /// Where it takes calls of other processes, if it does.
    pub url: Option<String>,
}

/// Registers a new incarnation: its epoch is higher than any before under this name.
pub async fn register(db: &Db, new: Registration) -> Result<Holder, StoreError> {
    db.write(move |conn| {
        if load::mark(conn, load::SHADOW)?.is_some() {
            return Err(StoreError::Shadow);
        }
        let now = Timestamp::now();
        let drivers = serde_json::to_string(&new.drivers).unwrap_or_default();
        const UPDATE: &str = "UPDATE conductors SET conductor_group = $1, drivers = $2, \
            online = $3, epoch = epoch + 1, counter = 0, updated_at = $4, url = $5 \
            WHERE hostname = $6";
        let params = [
            (&new.conductor_group).into(),
            (&drivers).into(),
            true.into(),
            now.into(),
            new.url.as_deref().into(),
            (&new.hostname).into(),
        ];
        if conn.execute(UPDATE, &params)? == 0 {
            const INSERT: &str = "INSERT INTO conductors (hostname, conductor_group, drivers, \
                online, epoch, counter, url, created_at, updated_at) \
                VALUES ($1, $2, $3, $4, 1, 0, $5, $6, $7)";
            let params = [
                (&new.hostname).into(),
                (&new.conductor_group).into(),
                (&drivers).into(),
                true.into(),
                new.url.as_deref().into(),
                now.into(),
                now.into(),
            ];
            conn.execute(INSERT, &params)?;
        }
        let host = &new.hostname;
        conn.execute(
            "DELETE FROM conductor_interfaces WHERE hostname = $1",
            &[host.into()],
        )?;
        for offer in &new.interfaces {
            const OFFER: &str = "INSERT INTO conductor_interfaces (hostname, hardware_type, kind, \
                name, is_default) VALUES ($1, $2, $3, $4, $5)";
            let params = [
                host.into(),
                (&offer.hardware_type).into(),
                offer.kind.as_str().into(),
                (&offer.name).into(),
                offer.is_default.into(),
            ];
            conn.execute(OFFER, &params)?;
        }
        let epoch = conn
            .number(
                "SELECT epoch FROM conductors WHERE hostname = $1",
                &[host.into()],
            )?
            .ok_or(StoreError::NotFound)?;
        Ok(Holder {
            host: host.clone(),
            epoch,
        })
    })
    .await
}

/// Sends a heartbeat. A conductor that is leaving is alive but not `online`: it keeps its leases
/// and gets no new work. Fails when a later incarnation registered under the same name.
pub async fn renew(db: &Db, me: &Holder, online: bool) -> Result<(), StoreError> {
    let me = me.clone();
    db.write(move |conn| {
        const RENEW: &str = "UPDATE conductors SET counter = counter + 1, online = $1, \
            updated_at = $2 WHERE hostname = $3 AND epoch = $4";
        let params = [
            online.into(),
            Timestamp::now().into(),
            (&me.host).into(),
            me.epoch.into(),
        ];
        match conn.execute(RENEW, &params)? {
            0 => Err(StoreError::Superseded {
                host: me.host.clone(),
            }),
            _ => Ok(()),
        }
    })
    .await
}

/// Signs off; the row stays. The epoch ends with it, so that remaining leases immediately count as
/// those of a dead conductor: call this when no worker uses them any more.
pub async fn sign_off(db: &Db, me: &Holder) -> Result<(), StoreError> {
    let me = me.clone();
    db.write(move |conn| {
        const OFF: &str = "UPDATE conductors SET online = $1, epoch = epoch + 1, counter = $2 \
            WHERE hostname = $3 AND epoch = $4";
        let params = [
            false.into(),
            SIGNED_OFF.into(),
            (&me.host).into(),
            me.epoch.into(),
        ];
        conn.execute(OFF, &params).map(|_| ())
    })
    .await
}

/// A page of the conductors that ever registered.
pub async fn list(db: &Db, page: Page) -> Result<Vec<Member>, StoreError> {
    db.read(move |conn| SOURCE.read(conn, Conditions::default(), &page, decode))
        .await
}

/// The conductor of this name.
pub async fn find(db: &Db, hostname: &str) -> Result<Option<Member>, StoreError> {
    let hostname = hostname.to_owned();
    db.get(move |conn| conn.query_opt(BY_HOST, &[hostname.into()], decode))
        .await
}

/// What places a node on the ring: its hardware type and its conductor group.
pub async fn placement(db: &Db, node: NodeId) -> Result<Option<(String, String)>, StoreError> {
    db.get(move |conn| {
        const SQL: &str = "SELECT driver, conductor_group FROM nodes WHERE uuid = $1";
        conn.query_opt(SQL, &[node.to_string().into()], |row| {
            let r = &mut Reader::new(row, "nodes", &["driver", "conductor_group"]);
            Ok((r.text()?, r.text()?))
        })
    })
    .await
}

/// What the conductors that are online offer.
pub async fn interfaces(db: &Db) -> Result<Vec<(String, OfferedInterface)>, StoreError> {
    db.read(move |conn| {
        const SQL: &str = "SELECT i.hostname, i.hardware_type, i.kind, i.name, i.is_default \
            FROM conductor_interfaces i JOIN conductors c ON c.hostname = i.hostname \
            WHERE c.online = $1 ORDER BY i.hardware_type, i.id";
        conn.query(SQL, &[true.into()], |row| {
            const NAMES: &[&str] = &["hostname", "hardware_type", "kind", "name", "is_default"];
            let r = &mut Reader::new(row, "conductor_interfaces", NAMES);
            let hostname = r.text()?;
            let hardware_type = r.text()?;
            let kind = r.parsed()?;
            let name = r.text()?;
            let is_default = r.boolean()?;
            Ok((
                hostname,
                OfferedInterface {
                    hardware_type,
                    kind,
                    name,
                    is_default,
                },
            ))
        })
    })
    .await
}

/// Deletes conductors without a heartbeat since an instant and without leases, at most `batch` of
/// them and never `me`; returns how many.
pub async fn forget_silent(
    db: &Db,
    since: Timestamp,
    me: &Holder,
    batch: i64,
) -> Result<u64, StoreError> {
    const SILENT: &str = "SELECT hostname FROM conductors WHERE updated_at < $1 \
        AND hostname <> $2 AND NOT EXISTS (SELECT 1 FROM nodes \
        WHERE nodes.reservation = conductors.hostname) ORDER BY id LIMIT $3";
    let me = me.host.clone();
    db.write(move |conn| {
        let params = [since.into(), (&me).into(), batch.into()];
        let silent: Vec<String> = conn.query(SILENT, &params, |row| {
            Reader::new(row, "conductors", &["hostname"]).text()
        })?;
        let mut forgotten = 0;
        for host in &silent {
            // It may have come back meanwhile, on a server with several writers.
            const FORGET: &str = "DELETE FROM conductors WHERE hostname = $1 AND updated_at < $2";
            if conn.execute(FORGET, &[host.into(), since.into()])? == 0 {
                continue;
            }
            forgotten += 1;
            const OFFERS: &str = "DELETE FROM conductor_interfaces WHERE hostname = $1";
            conn.execute(OFFERS, &[host.into()])?;
        }
        Ok(forgotten)
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<Member, StoreError> {
    let r = &mut Reader::new(row, "conductors", COLUMNS);
    let mut member = Member {
        hostname: r.text()?,
        conductor_group: r.text()?,
        drivers: r.json()?,
        online: r.boolean()?,
        epoch: r.int()?,
        counter: r.int()?,
        url: r.opt_text()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    member.row = r.int()?;
    Ok(member)
}
