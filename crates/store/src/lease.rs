//! Leases in SQL: the same rules as `types::lease`, on the columns of the nodes table.
//!
//! Taking a lease together with a change is `node::save` with `Fence::Take`; giving it back is
//! `Fence::Release`. Here is what happens without a change of the node itself, and what happens to
//! the leases of conductors that died.

use crate::{
    Db, StoreError,
    conn::Reader,
    node::{self, Fence, Log},
};
use types::{
    Node, NodeId,
    lease::{Holder, Verdict},
};

/// Takes the lease for the length of one conversation with the hardware.
pub async fn take(db: &Db, node: Node, me: &Holder) -> Result<Node, StoreError> {
    node::save(db, node, Fence::Take(me.clone()), Log::default()).await
}

/// Gives a lease back and changes nothing else.
pub async fn release(db: &Db, node: NodeId, generation: i64) -> Result<(), StoreError> {
    db.write(move |conn| {
        const RELEASE: &str = "UPDATE nodes SET reservation = NULL, work = NULL, \
            version = version + 1 WHERE uuid = $1 AND lease_generation = $2 \
            AND reservation IS NOT NULL";
        match conn.execute(RELEASE, &[node.to_string().into(), generation.into()])? {
            0 => Err(StoreError::LeaseLost),
            _ => Ok(()),
        }
    })
    .await
}

/// Nodes reserved by an incarnation of `host` older than `epoch`.
pub async fn orphans(db: &Db, host: &str, epoch: i64) -> Result<Vec<NodeId>, StoreError> {
    let host = host.to_owned();
    db.read(move |conn| {
        const SQL: &str =
            "SELECT uuid FROM nodes WHERE reservation = $1 AND lease_epoch < $2 ORDER BY id";
        conn.query(SQL, &[host.into(), epoch.into()], |row| {
            Reader::new(row, "nodes", &["uuid"]).parsed()
        })
    })
    .await
}

/// A held lease, and what decides which conductor owns the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub node: NodeId,
    pub holder: Holder,
    pub generation: i64,
    pub driver: String,
    pub conductor_group: String,
}

/// All leases that are held.
pub async fn held(db: &Db) -> Result<Vec<Held>, StoreError> {
    db.read(move |conn| {
        // Not "IS NOT NULL": for that, no engine is certain to use the index.
        const SQL: &str = "SELECT uuid, reservation, lease_epoch, lease_generation, driver, \
            conductor_group FROM nodes WHERE reservation > $1";
        const NAMES: &[&str] = &[
            "uuid",
            "reservation",
            "lease_epoch",
            "lease_generation",
            "driver",
            "conductor_group",
        ];
        conn.query(SQL, &["".into()], |row| {
            let r = &mut Reader::new(row, "nodes", NAMES);
            Ok(Held {
                node: r.parsed()?,
                holder: Holder {
                    host: r.text()?,
                    epoch: r.int()?,
                },
                generation: r.int()?,
                driver: r.text()?,
                conductor_group: r.text()?,
            })
        })
    })
    .await
}

/// Takes over the lease of a dead holder; the node comes back with its work still recorded.
///
/// Granted only if the holder still has the lease and its own row still says what the verdict
/// rests on.
pub async fn take_over(
    db: &Db,
    node: NodeId,
    verdict: &Verdict,
    me: &Holder,
) -> Result<Option<Node>, StoreError> {
    let (verdict, me) = (verdict.clone(), me.clone());
    db.write(move |conn| {
        const TAKE: &str = "UPDATE nodes SET reservation = $1, lease_epoch = $2, \
            lease_generation = lease_generation + 1, version = version + 1 \
            WHERE uuid = $3 AND reservation = $4 AND lease_epoch = $5 AND EXISTS \
            (SELECT 1 FROM conductors WHERE hostname = $6 AND epoch = $7 AND counter = $8)";
        let params = [
            (&me.host).into(),
            me.epoch.into(),
            node.to_string().into(),
            (&verdict.dead.host).into(),
            verdict.dead.epoch.into(),
            (&verdict.dead.host).into(),
            verdict.epoch.into(),
            verdict.counter.into(),
        ];
        match conn.execute(TAKE, &params)? {
            0 => Ok(None),
            _ => node::load(conn, node),
        }
    })
    .await
}

/// Takes over a lease of this conductor whose grant was never confirmed, so that no worker uses it.
pub async fn reclaim(
    db: &Db,
    node: NodeId,
    generation: i64,
    me: &Holder,
) -> Result<Option<Node>, StoreError> {
    let me = me.clone();
    db.write(move |conn| {
        const RECLAIM: &str = "UPDATE nodes SET lease_generation = lease_generation + 1, \
            version = version + 1 WHERE uuid = $1 AND reservation = $2 AND lease_epoch = $3 \
            AND lease_generation = $4";
        let params = [
            node.to_string().into(),
            (&me.host).into(),
            me.epoch.into(),
            generation.into(),
        ];
        match conn.execute(RECLAIM, &params)? {
            0 => Ok(None),
            _ => node::load(conn, node),
        }
    })
    .await
}
