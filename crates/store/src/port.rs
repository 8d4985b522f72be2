//! The ports table.

use crate::{
    Db, Page, StoreError, Unique,
    conn::{Conn, P, Reader, Row},
    node::{self, Log},
    page::Conditions,
    portgroup,
    table::Table,
};
use std::{collections::BTreeSet, sync::LazyLock};
use types::{NodeId, Port, PortId, PortgroupId, Timestamp, port::MacAddress};

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "node_uuid",
    "address",
    "name",
    "description",
    "extra",
    "internal_info",
    "local_link_connection",
    "pxe_enabled",
    "portgroup_uuid",
    "physical_network",
    "is_smartnic",
    "vendor",
    "category",
    "available_for_dynamic_portgroup",
    "created_at",
    "updated_at",
    "id",
];
static TABLE: LazyLock<Table<Port>> =
    LazyLock::new(|| Table::new("ports", COLUMNS, encode, decode, taken));

/// Which ports a list shows. Absent values ask nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortFilter {
    pub node: Option<NodeId>,
    pub address: Option<MacAddress>,
    pub shard_in: Vec<String>,
    pub conductor_group_in: Vec<String>,
    pub description_contains: Option<String>,
    /// UUID text of a port group.
    pub portgroup: Option<String>,
    /// Owner or lessee of the node.
    pub project: Option<String>,
}

impl PortFilter {
    fn conditions(self) -> Conditions {
        let mut c = Conditions::default();
        c.equal_if("node_uuid", self.node.map(|id| id.to_string()));
        c.equal_if("address", self.address.map(|mac| mac.to_string()));
        c.equal_if("portgroup_uuid", self.portgroup);
        if let Some(text) = &self.description_contains {
            c.contains("description", text);
        }
        c.node_one_of("shard", self.shard_in);
        c.node_one_of("conductor_group", self.conductor_group_in);
        if let Some(project) = &self.project {
            c.node_of(project);
        }
        c
    }
}

/// The port with this UUID.
pub async fn find(db: &Db, id: PortId) -> Result<Option<Port>, StoreError> {
    TABLE.get(db, id.to_string()).await
}

/// The port with this name.
pub async fn find_by_name(db: &Db, name: &str) -> Result<Option<Port>, StoreError> {
    TABLE.get_by(db, "name", name.to_owned()).await
}

/// A page of the ports that pass the filter.
pub async fn list(db: &Db, filter: PortFilter, page: Page) -> Result<Vec<Port>, StoreError> {
    TABLE.page(db, filter.conditions(), page).await
}

/// The nodes that have a port with one of these addresses.
pub async fn owners(db: &Db, addresses: &[MacAddress]) -> Result<BTreeSet<NodeId>, StoreError> {
    if addresses.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut conditions = Conditions::default();
    let addresses = addresses.iter().map(|address| address.to_string());
    conditions.one_of("address", addresses.collect());
    db.get(move |conn| {
        let (filter, params) = conditions.into_parts();
        let sql = format!("SELECT DISTINCT node_uuid FROM ports{filter}");
        let owners = conn.query_by_value(&sql, &params, |row| {
            Reader::new(row, "ports", &["node_uuid"]).parsed()
        })?;
        Ok(owners.into_iter().collect())
    })
    .await
}

/// All ports of a node, for its drivers.
pub async fn of_node(db: &Db, node: NodeId) -> Result<Vec<Port>, StoreError> {
    TABLE.with(db, "node_uuid", node.to_string(), "id").await
}

/// All members of a port group.
pub async fn of_portgroup(db: &Db, portgroup: PortgroupId) -> Result<Vec<Port>, StoreError> {
    TABLE
        .with(db, "portgroup_uuid", portgroup.to_string(), "id")
        .await
}

/// Stores a new port of a node that exists, in a port group of that node or in none.
pub async fn insert(db: &Db, port: Port, log: Log) -> Result<Port, StoreError> {
    db.keep(log, move |conn| {
        add(conn, &port)?;
        TABLE.load(conn, &port.id.to_string())
    })
    .await
}

/// Writes a port whose row still has the version `port.version`.
pub async fn update(db: &Db, port: Port, log: Log) -> Result<Port, StoreError> {
    db.keep(log, move |conn| replace(conn, port.clone())).await
}

/// Removes a port.
pub async fn delete(db: &Db, id: PortId, log: Log) -> Result<(), StoreError> {
    TABLE.remove(db, id.to_string(), log).await
}

/// As [`insert`], as part of a transaction.
pub(crate) fn add(conn: &mut Conn, port: &Port) -> Result<(), StoreError> {
    hold_parents(conn, port)?;
    check_unique(conn, port)?;
    TABLE.add(conn, port)
}

/// As [`update`], as part of a transaction.
pub(crate) fn replace(conn: &mut Conn, mut port: Port) -> Result<Port, StoreError> {
    hold_parents(conn, &port)?;
    let base = port.version;
    port.version += 1;
    port.updated_at = Some(Timestamp::now());
    TABLE.update(conn, port, base)
}

/// Removes a port as part of a transaction, if there is one.
pub(crate) fn remove(conn: &mut Conn, id: PortId) -> Result<(), StoreError> {
    const DELETE: &str = "DELETE FROM ports WHERE uuid = $1";
    conn.execute(DELETE, &[id.to_string().into()]).map(|_| ())
}

/// Whether some port has this address.
pub(crate) fn has_address(conn: &mut Conn, address: &MacAddress) -> Result<bool, StoreError> {
    TABLE.has(conn, "address", address.to_string().into())
}

/// A port cannot belong to a node or a port group that is being removed.
fn hold_parents(conn: &mut Conn, port: &Port) -> Result<(), StoreError> {
    node::hold(conn, &port.node.to_string())?;
    match &port.portgroup {
        Some(portgroup) => portgroup::hold_for(conn, port.node, portgroup),
        None => Ok(()),
    }
}

fn check_unique(conn: &mut Conn, port: &Port) -> Result<(), StoreError> {
    TABLE.free(
        conn,
        "address",
        &port.address.to_string(),
        Unique::PortAddress,
    )?;
    if let Some(name) = &port.name {
        TABLE.free(conn, "name", name, Unique::PortName)?;
    }
    TABLE.free(conn, "uuid", &port.id.to_string(), Unique::PortUuid)
}

fn taken(error: StoreError, port: &Port) -> StoreError {
    StoreError::Duplicate(match error.violated_index().as_deref() {
        Some("ports_address") => Unique::PortAddress(port.address.to_string()),
        Some("ports_name") => Unique::PortName(port.name.clone().unwrap_or_default()),
        Some("ports_uuid") => Unique::PortUuid(port.id.to_string()),
        _ => return error,
    })
}

fn encode(port: &Port) -> Vec<P<'_>> {
    vec![
        port.id.to_string().into(),
        port.version.into(),
        port.node.to_string().into(),
        port.address.to_string().into(),
        port.name.as_deref().into(),
        port.description.as_deref().into(),
        (&port.extra).into(),
        (&port.internal_info).into(),
        (&port.local_link_connection).into(),
        port.pxe_enabled.into(),
        port.portgroup.as_deref().into(),
        port.physical_network.as_deref().into(),
        port.is_smartnic.into(),
        port.vendor.as_deref().into(),
        port.category.as_deref().into(),
        port.available_for_dynamic_portgroup.into(),
        port.created_at.into(),
        port.updated_at.into(),
    ]
}

fn decode(row: &Row<'_>) -> Result<Port, StoreError> {
    let r = &mut Reader::new(row, "ports", COLUMNS);
    let mut port = Port {
        id: r.parsed()?,
        version: r.int()?,
        node: r.parsed()?,
        address: r.parsed()?,
        name: r.opt_text()?,
        description: r.opt_text()?,
        extra: r.map()?,
        internal_info: r.map()?,
        local_link_connection: r.map()?,
        pxe_enabled: r.boolean()?,
        portgroup: r.opt_text()?,
        physical_network: r.opt_text()?,
        is_smartnic: r.boolean()?,
        vendor: r.opt_text()?,
        category: r.opt_text()?,
        available_for_dynamic_portgroup: r.boolean()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    port.row = r.int()?;
    Ok(port)
}
