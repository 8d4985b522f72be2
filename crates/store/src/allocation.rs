//! The allocations table, and the two rows that an allocation ties together.
//!
//! The invariant: an allocation names a node exactly when that node names the allocation, and then
//! the node has an instance. A transaction that changes both rows locks the allocation's first.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::{Record, columns},
    conn::{Conn, Reader},
    node::{self, Fence, Log},
    page::Conditions,
    table::{Resource, Table, UniqueIndex},
};
use std::sync::LazyLock;
use types::{
    Allocation, AllocationId, Node, NodeId, ProvisionState, Timestamp,
    allocation::AllocationState as S, lease::Holder,
};

columns!(Allocation in "allocations" {
    name: "name",
    state: "state",
    node: "node_uuid",
    resource_class: "resource_class",
    traits: "traits",
    candidate_nodes: "candidate_nodes",
    extra: "extra",
    last_error: "last_error",
    owner: "owner",
    holder: "conductor" & "conductor_epoch",
});

impl Resource for Allocation {
    const UNIQUE: &'static [UniqueIndex<Self>] = &[
        UniqueIndex::new(&["name"], |allocation| {
            Unique::AllocationName(allocation.name.clone().unwrap_or_default()).into()
        }),
        UniqueIndex::new(&["uuid"], |allocation| {
            Unique::AllocationUuid(allocation.id.to_string()).into()
        }),
        // The node has an allocation already.
        UniqueIndex::new(&["node_uuid"], |_| StoreError::Unsuitable),
    ];

    fn prepare(&mut self, _: &mut Conn, _: &KeyRing) -> Result<(), StoreError> {
        Ok(())
    }
}

static TABLE: LazyLock<Table<Allocation>> = LazyLock::new(Table::new);

/// Filter of a list of allocations. Absent values do not filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllocationFilter {
    pub node: Option<NodeId>,
    pub resource_class: Option<String>,
    pub state: Option<S>,
    pub owner: Option<String>,
}

impl AllocationFilter {
    fn conditions(self) -> Conditions {
        let mut c = Conditions::default();
        c.equal_if("node_uuid", self.node.map(|id| id.to_string()));
        c.equal_if("resource_class", self.resource_class);
        c.equal_if("state", self.state.map(S::as_str));
        c.equal_if("owner", self.owner);
        c
    }
}

/// The allocation with this UUID.
pub async fn find(db: &Db, id: &AllocationId) -> Result<Option<Allocation>, StoreError> {
    TABLE.get(db, id.to_string()).await
}

/// The allocation with this name.
pub async fn find_by_name(db: &Db, name: &str) -> Result<Option<Allocation>, StoreError> {
    TABLE.get_by(db, "name", name.to_owned()).await
}

/// The allocation that has this node.
pub async fn find_by_node(db: &Db, node: NodeId) -> Result<Option<Allocation>, StoreError> {
    TABLE.get_by(db, "node_uuid", node.to_string()).await
}

/// A page of the allocations that pass the filter.
pub async fn list(
    db: &Db,
    filter: AllocationFilter,
    page: Page,
) -> Result<Vec<Allocation>, StoreError> {
    TABLE.page(db, filter.conditions(), page).await
}

/// Stores a new allocation that waits for a node.
pub async fn insert(db: &Db, allocation: Allocation, log: Log) -> Result<Allocation, StoreError> {
    db.keep(log, move |conn| {
        let mut allocation = allocation.clone();
        (allocation.state, allocation.node) = (S::Allocating, None);
        TABLE.add(conn, &allocation)?;
        TABLE.load(conn, allocation.id.as_str())
    })
    .await
}

/// Stores an allocation that has its node from the start (backfill).
///
/// The node must be as it was read, must not be reserved, and must have no other allocation and no
/// other instance. What else it must be is for the caller to decide.
pub async fn insert_bound(
    db: &Db,
    allocation: Allocation,
    node: Node,
    log: Log,
) -> Result<(Allocation, Node), StoreError> {
    let (keys, touch) = (db.keys().clone(), db.touch(node.id));
    let outbox = db.outbox();
    db.told(move |conn| {
        let _under_way = &touch;
        let mut allocation = allocation.clone();
        (allocation.state, allocation.node) = (S::Active, Some(node.id));
        allocation.updated_at = Some(Timestamp::now());
        TABLE.add(conn, &allocation)?;
        let instance = node.instance_uuid.as_deref();
        if node.allocation_uuid.is_some()
            || instance.is_some_and(|instance| instance != allocation.id.as_str())
        {
            return Err(StoreError::Unsuitable);
        }
        let node = node::write(conn, &keys, claimed(&node, &allocation), &Fence::Free)?;
        node::append(conn, &log)?;
        let stored = TABLE.load(conn, allocation.id.as_str())?;
        outbox.tell(conn, &log, &stored)?;
        Ok((stored, node))
    })
    .await
}

/// A node that an allocation may get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub node: NodeId,
    pub name: Option<String>,
    pub traits: Vec<String>,
}

/// What nodes must be in order to be candidates, besides being free.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateFilter {
    pub resource_class: String,
    /// Owner or lessee.
    pub project: Option<String>,
    /// Only these, when there are any.
    pub node_in: Vec<NodeId>,
}

/// The nodes that are available, powered, without an instance and not in maintenance, in order of
/// creation. Traits are for the caller to compare, who says which of the two was the hurdle.
pub async fn candidates(db: &Db, filter: CandidateFilter) -> Result<Vec<Candidate>, StoreError> {
    db.read(move |conn| {
        let mut c = Conditions::default();
        c.equal("provision_state", ProvisionState::Available.as_str());
        c.equal("resource_class", filter.resource_class);
        c.equal("maintenance", false);
        c.plain("instance_uuid IS NULL");
        c.plain("power_state IS NOT NULL");
        if let Some(project) = &filter.project {
            c.owned_or_leased_by(project);
        }
        c.one_of(
            "uuid",
            filter.node_in.iter().map(NodeId::to_string).collect(),
        );
        let (filter, params) = c.into_parts();
        let sql = format!("SELECT uuid, name, traits FROM nodes{filter} ORDER BY id");
        conn.query(&sql, &params, |row| {
            let r = &mut Reader::new(row, "nodes", &["uuid", "name", "traits"]);
            Ok(Candidate {
                node: r.parsed()?,
                name: r.opt_text()?,
                traits: r.json()?,
            })
        })
    })
    .await
}

/// Gives a node to an allocation that waits for one.
///
/// The node must be as it was read, must not be reserved, and must suit the allocation. Errors:
/// `NotAllocating` ends the search; `Unsuitable`, `Stale`, `Locked` and `NotFound` are about the
/// node, and another one may do.
pub async fn bind(
    db: &Db,
    id: &AllocationId,
    node: Node,
    log: Log,
) -> Result<(Allocation, Node), StoreError> {
    let (id, keys) = (id.clone(), db.keys().clone());
    let touch = db.touch(node.id);
    db.told(move |conn| {
        let _under_way = &touch;
        let allocation = hold_waiting(conn, &id)?;
        if !allocation.suits(&node) {
            return Err(StoreError::Unsuitable);
        }
        let node = node::write(conn, &keys, claimed(&node, &allocation), &Fence::Free)?;
        const BIND: &str = "UPDATE allocations SET node_uuid = $1, state = $2, \
            last_error = NULL, updated_at = $3, version = version + 1 WHERE uuid = $4";
        let params = [
            node.id.to_string().into(),
            S::Active.as_str().into(),
            Timestamp::now().into(),
            id.as_str().into(),
        ];
        conn.execute(BIND, &params)?;
        node::append(conn, &log)?;
        Ok((TABLE.load(conn, id.as_str())?, node))
    })
    .await
}

/// Records that no node could be found for an allocation that waits for one.
pub async fn fail(db: &Db, id: &AllocationId, reason: &str) -> Result<Allocation, StoreError> {
    let (id, reason) = (id.clone(), reason.to_owned());
    db.write(move |conn| {
        hold_waiting(conn, &id)?;
        const FAIL: &str = "UPDATE allocations SET state = $1, last_error = $2, updated_at = $3, \
            version = version + 1 WHERE uuid = $4";
        let params = [
            S::Error.as_str().into(),
            (&reason).into(),
            Timestamp::now().into(),
            id.as_str().into(),
        ];
        conn.execute(FAIL, &params)?;
        TABLE.load(conn, id.as_str())
    })
    .await
}

/// Writes name and extra of an allocation whose row still has the version `allocation.version`;
/// nothing else of it is for clients to change.
pub async fn update(db: &Db, allocation: Allocation, log: Log) -> Result<Allocation, StoreError> {
    db.keep(log, move |conn| {
        let old = TABLE.hold(conn, allocation.id.as_str())?;
        if old.version != allocation.version {
            return Err(StoreError::Stale);
        }
        let mut new = Allocation {
            name: allocation.name.clone(),
            extra: allocation.extra.clone(),
            ..old
        };
        new.touch();
        TABLE.write(conn, new, allocation.version)
    })
    .await
}

/// Removes an allocation, and takes it and its instance off its node.
///
/// `node` is the allocation's node as it was read, if the allocation has one; it must not have been
/// changed since and must not be reserved. `Stale` means that either row is not as it was read.
pub async fn delete(
    db: &Db,
    id: &AllocationId,
    node: Option<&Node>,
    log: Log,
) -> Result<(), StoreError> {
    let (id, node) = (id.clone(), node.map(|node| (node.id, node.version)));
    let (outbox, touch) = (db.outbox(), node.map(|(node, _)| db.touch(node)));
    db.told(move |conn| {
        let _under_way = &touch;
        let allocation = TABLE.hold(conn, id.as_str())?;
        if allocation.node != node.map(|(node, _)| node) {
            return Err(StoreError::Stale);
        }
        if let Some((node, version)) = node {
            const CLEAR: &str = "UPDATE nodes SET allocation_uuid = NULL, instance_uuid = NULL, \
                updated_at = $1, version = version + 1 \
                WHERE uuid = $2 AND version = $3 AND reservation IS NULL";
            let params = [
                Timestamp::now().into(),
                node.to_string().into(),
                version.into(),
            ];
            if conn.execute(CLEAR, &params)? == 0 {
                return Err(node::why_not(conn, node, false)?);
            }
        }
        TABLE.delete(conn, id.as_str())?;
        outbox.tell(conn, &log, &allocation)?;
        node::append(conn, &log)
    })
    .await
}

/// Allocations that an incarnation of `host` older than `epoch` was looking for a node for.
pub async fn orphans(db: &Db, host: &str, epoch: i64) -> Result<Vec<Allocation>, StoreError> {
    let host = host.to_owned();
    db.read(move |conn| {
        let mut c = Conditions::default();
        c.equal("state", S::Allocating.as_str());
        c.equal("conductor", host);
        c.compare("conductor_epoch", "<", epoch);
        TABLE.all(conn, c, "id")
    })
    .await
}

/// Conductors that look for nodes for allocations, with the incarnation of each.
pub async fn holders(db: &Db) -> Result<Vec<Holder>, StoreError> {
    db.read(move |conn| {
        const SQL: &str = "SELECT DISTINCT conductor, conductor_epoch FROM allocations \
            WHERE state = $1 AND conductor IS NOT NULL ORDER BY conductor, conductor_epoch";
        conn.query(SQL, &[S::Allocating.as_str().into()], |row| {
            let r = &mut Reader::new(row, "allocations", &["conductor", "conductor_epoch"]);
            Ok(Holder {
                host: r.text()?,
                epoch: r.int()?,
            })
        })
    })
    .await
}

/// Takes over the search for a node from a dead conductor; nothing when another conductor was
/// faster, or when the search is over.
pub async fn take_over(
    db: &Db,
    id: &AllocationId,
    from: &Holder,
    me: &Holder,
) -> Result<Option<Allocation>, StoreError> {
    let (id, from, me) = (id.clone(), from.clone(), me.clone());
    db.write(move |conn| {
        const TAKE: &str = "UPDATE allocations SET conductor = $1, conductor_epoch = $2, \
            version = version + 1 \
            WHERE uuid = $3 AND state = $4 AND conductor = $5 AND conductor_epoch = $6";
        let params = [
            (&me.host).into(),
            me.epoch.into(),
            id.as_str().into(),
            S::Allocating.as_str().into(),
            (&from.host).into(),
            from.epoch.into(),
        ];
        match conn.execute(TAKE, &params)? {
            0 => Ok(None),
            _ => TABLE.find(conn, id.as_str()),
        }
    })
    .await
}

/// Removes the allocation of a node that is being written or removed in the same transaction.
pub(crate) fn forget(conn: &mut Conn, uuid: &str, node: NodeId) -> Result<(), StoreError> {
    const FORGET: &str = "DELETE FROM allocations WHERE uuid = $1 AND node_uuid = $2";
    conn.execute(FORGET, &[uuid.into(), node.to_string().into()])
        .map(|_| ())
}

fn hold_waiting(conn: &mut Conn, id: &AllocationId) -> Result<Allocation, StoreError> {
    match TABLE.hold(conn, id.as_str()) {
        Ok(allocation) if allocation.state == S::Allocating => Ok(allocation),
        Ok(_) | Err(StoreError::NotFound) => Err(StoreError::NotAllocating),
        Err(error) => Err(error),
    }
}

/// The node as it is once it belongs to the allocation.
fn claimed(node: &Node, allocation: &Allocation) -> Node {
    let mut node = node.clone();
    node.instance_uuid = Some(allocation.id.to_string());
    node.allocation_uuid = Some(allocation.id.to_string());
    let traits = serde_json::Value::from(allocation.traits.clone());
    node.instance_info.insert("traits".into(), traits);
    node
}
