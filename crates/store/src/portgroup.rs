//! The port groups table, and what a group means for its member ports.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::{Record, columns},
    conn::Conn,
    node::{self, Log},
    page::Conditions,
    table::{Resource, Table, UniqueIndex},
};
use std::sync::LazyLock;
use types::{NodeId, Portgroup, PortgroupId, port::MacAddress};

columns!(Portgroup in "portgroups" {
    node: "node_uuid",
    address: "address",
    name: "name",
    mode: "mode",
    properties: "properties",
    extra: "extra",
    internal_info: "internal_info",
    standalone_ports_supported: "standalone_ports_supported",
    physical_network: "physical_network",
    category: "category",
    dynamic_portgroup: "dynamic_portgroup" & "dynamic_portgroup_unset",
});

impl Resource for Portgroup {
    const UNIQUE: &'static [UniqueIndex<Self>] = &[
        UniqueIndex::new(&["uuid"], |portgroup| {
            Unique::PortgroupUuid(portgroup.id.to_string()).into()
        }),
        UniqueIndex::new(&["address"], |portgroup| {
            let address = portgroup.address.map(String::from);
            Unique::PortgroupAddress(address.unwrap_or_default()).into()
        }),
        UniqueIndex::new(&["name"], |portgroup| {
            Unique::PortgroupName(portgroup.name.clone().unwrap_or_default()).into()
        }),
    ];

    fn prepare(&mut self, conn: &mut Conn, _: &KeyRing) -> Result<(), StoreError> {
        node::hold(conn, &self.node.to_string())
    }
}

static TABLE: LazyLock<Table<Portgroup>> = LazyLock::new(Table::new);

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
    TABLE.insert(db, portgroup, log).await
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
        portgroup.touch();
        let portgroup = TABLE.write(conn, portgroup, old.version)?;
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
                    &[
                        network.into(),
                        portgroup.updated_at.into(),
                        uuid.into(),
                        network.into(),
                    ],
                )?,
                None => conn.execute(LEAVE, &[portgroup.updated_at.into(), uuid.into()])?,
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
