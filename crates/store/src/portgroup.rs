//! The port groups table, and what a group means for its member ports.

use crate::{
    Db, Page, StoreError, Unique,
    conn::{Conn, P, Reader, Row},
    node::{self, Log},
    page::Conditions,
    table::Table,
};
use std::sync::LazyLock;
use types::{NodeId, Portgroup, PortgroupId, Timestamp, port::MacAddress};

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "node_uuid",
    "address",
    "name",
    "mode",
    "properties",
    "extra",
    "internal_info",
    "standalone_ports_supported",
    "physical_network",
    "category",
    "dynamic_portgroup",
    "created_at",
    "updated_at",
    "id",
];
static TABLE: LazyLock<Table<Portgroup>> =
    LazyLock::new(|| Table::new("portgroups", COLUMNS, encode, decode, taken));

/// Which port groups a list shows. Absent values ask nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortgroupFilter {
    pub node: Option<NodeId>,
    pub address: Option<MacAddress>,
    pub shard_in: Vec<String>,
    pub conductor_group_in: Vec<String>,
    /// Owner or lessee of the node.
    pub project: Option<String>,
}

impl PortgroupFilter {
    fn conditions(self) -> Conditions {
        let mut c = Conditions::default();
        c.equal_if("node_uuid", self.node.map(|id| id.to_string()));
        c.equal_if("address", self.address.map(|mac| mac.to_string()));
        c.node_one_of("shard", self.shard_in);
        c.node_one_of("conductor_group", self.conductor_group_in);
        if let Some(project) = &self.project {
            c.node_of(project);
        }
        c
    }
}

/// The port group with this UUID.
pub async fn find(db: &Db, id: PortgroupId) -> Result<Option<Portgroup>, StoreError> {
    TABLE.get(db, id.to_string()).await
}

/// The port group with this name.
pub async fn find_by_name(db: &Db, name: &str) -> Result<Option<Portgroup>, StoreError> {
    TABLE.get_by(db, "name", name.to_owned()).await
}

/// A page of the port groups that pass the filter.
pub async fn list(
    db: &Db,
    filter: PortgroupFilter,
    page: Page,
) -> Result<Vec<Portgroup>, StoreError> {
    TABLE.page(db, filter.conditions(), page).await
}

/// All port groups of a node, for its drivers.
pub async fn of_node(db: &Db, node: NodeId) -> Result<Vec<Portgroup>, StoreError> {
    TABLE.with(db, "node_uuid", node.to_string(), "id").await
}

/// Stores a new port group of a node that exists.
pub async fn insert(db: &Db, portgroup: Portgroup, log: Log) -> Result<Portgroup, StoreError> {
    db.keep(log, move |conn| {
        node::hold(conn, &portgroup.node.to_string())?;
        check_unique(conn, &portgroup)?;
        TABLE.insert(conn, &portgroup, &portgroup.id.to_string())
    })
    .await
}

/// Writes a port group whose row still has the version `portgroup.version`.
///
/// A new physical network becomes that of every member; a group with members stays with its node.
pub async fn update(db: &Db, portgroup: Portgroup, log: Log) -> Result<Portgroup, StoreError> {
    db.keep(log, move |conn| {
        let uuid = portgroup.id.to_string();
        node::hold(conn, &portgroup.node.to_string())?;
        let old = TABLE.hold(conn, &uuid)?;
        if old.version != portgroup.version {
            return Err(StoreError::Stale);
        }
        if old.node != portgroup.node && has_ports(conn, &uuid)? {
            return Err(StoreError::NotEmpty);
        }
        let mut portgroup = portgroup.clone();
        portgroup.version += 1;
        let now = Timestamp::now();
        portgroup.updated_at = Some(now);
        let portgroup = TABLE.update(conn, portgroup, old.version)?;
        if old.physical_network != portgroup.physical_network {
            // Members that are there already stay untouched.
            const FOLLOW: &str = "UPDATE ports SET physical_network = $1, updated_at = $2, \
                version = version + 1 WHERE portgroup_uuid = $3 \
                AND (physical_network IS NULL OR physical_network <> $4)";
            const LEAVE: &str = "UPDATE ports SET physical_network = NULL, updated_at = $1, \
                version = version + 1 WHERE portgroup_uuid = $2 \
                AND physical_network IS NOT NULL";
            match portgroup.physical_network.as_deref() {
                Some(network) => conn.execute(
                    FOLLOW,
                    &[network.into(), now.into(), uuid.into(), network.into()],
                )?,
                None => conn.execute(LEAVE, &[now.into(), uuid.into()])?,
            };
        }
        Ok(portgroup)
    })
    .await
}

/// Removes a port group without members.
pub async fn delete(db: &Db, id: PortgroupId, log: Log) -> Result<(), StoreError> {
    let outbox = db.outbox();
    db.told(move |conn| {
        let uuid = id.to_string();
        if !conn.hold_row("portgroups", &uuid)? {
            return Err(StoreError::NotFound);
        }
        outbox.tell_gone(conn, &log, |conn| TABLE.find(conn, &uuid))?;
        if has_ports(conn, &uuid)? {
            return Err(StoreError::NotEmpty);
        }
        TABLE.delete(conn, &uuid)?;
        node::append(conn, &log)
    })
    .await
}

/// A port cannot enter a group that is being removed or moved, or that is another node's.
pub(crate) fn hold_for(conn: &mut Conn, node: NodeId, uuid: &str) -> Result<(), StoreError> {
    match TABLE.hold(conn, uuid) {
        Ok(portgroup) if portgroup.node == node => Ok(()),
        Ok(_) | Err(StoreError::NotFound) => Err(StoreError::NoPortgroup(uuid.to_owned())),
        Err(error) => Err(error),
    }
}

fn has_ports(conn: &mut Conn, uuid: &str) -> Result<bool, StoreError> {
    let ports = conn.number(
        "SELECT COUNT(*) FROM ports WHERE portgroup_uuid = $1",
        &[uuid.into()],
    )?;
    Ok(ports.unwrap_or(0) > 0)
}

/// Names the value that is taken before the database does.
fn check_unique(conn: &mut Conn, portgroup: &Portgroup) -> Result<(), StoreError> {
    let uuid = portgroup.id.to_string();
    TABLE.free(conn, "uuid", &uuid, Unique::PortgroupUuid)?;
    if let Some(address) = &portgroup.address {
        TABLE.free(
            conn,
            "address",
            &address.to_string(),
            Unique::PortgroupAddress,
        )?;
    }
    if let Some(name) = &portgroup.name {
        TABLE.free(conn, "name", name, Unique::PortgroupName)?;
    }
    Ok(())
}

fn taken(error: StoreError, portgroup: &Portgroup) -> StoreError {
    StoreError::Duplicate(match error.violated_index().as_deref() {
        Some("portgroups_uuid") => Unique::PortgroupUuid(portgroup.id.to_string()),
        Some("portgroups_address") => {
            let address = portgroup.address.map(String::from);
            Unique::PortgroupAddress(address.unwrap_or_default())
        }
        Some("portgroups_name") => {
            Unique::PortgroupName(portgroup.name.clone().unwrap_or_default())
        }
        _ => return error,
    })
}

fn encode(portgroup: &Portgroup) -> Vec<P<'_>> {
    vec![
        portgroup.id.to_string().into(),
        portgroup.version.into(),
        portgroup.node.to_string().into(),
        portgroup.address.map(String::from).into(),
        portgroup.name.as_deref().into(),
        portgroup.mode.as_deref().into(),
        (&portgroup.properties).into(),
        (&portgroup.extra).into(),
        (&portgroup.internal_info).into(),
        portgroup.standalone_ports_supported.into(),
        portgroup.physical_network.as_deref().into(),
        portgroup.category.as_deref().into(),
        portgroup.dynamic_portgroup.into(),
        portgroup.created_at.into(),
        portgroup.updated_at.into(),
    ]
}

fn decode(row: &Row<'_>) -> Result<Portgroup, StoreError> {
    let r = &mut Reader::new(row, "portgroups", COLUMNS);
    let mut portgroup = Portgroup {
        id: r.parsed()?,
        version: r.int()?,
        node: r.parsed()?,
        address: r.opt_parsed()?,
        name: r.opt_text()?,
        mode: r.opt_text()?,
        properties: r.map()?,
        extra: r.map()?,
        internal_info: r.map()?,
        standalone_ports_supported: r.boolean()?,
        physical_network: r.opt_text()?,
        category: r.opt_text()?,
        dynamic_portgroup: r.boolean()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    portgroup.row = r.int()?;
    Ok(portgroup)
}
