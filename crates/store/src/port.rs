//! The ports table.

use crate::{
    Db, Page, StoreError, Unique,
    conn::{Conn, P, Reader, Row},
    fit,
    node::{self, Log},
    page::{Conditions, Source},
    portgroup,
};
use std::sync::LazyLock;
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
const SELECT: &str = "uuid, version, node_uuid, address, name, description, extra, internal_info, \
    local_link_connection, pxe_enabled, portgroup_uuid, physical_network, is_smartnic, vendor, \
    category, available_for_dynamic_portgroup, created_at, updated_at, id";
const SOURCE: Source = Source {
    table: "ports",
    select: SELECT,
    sortable: COLUMNS,
    marker: "uuid",
};
static BY_UUID: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {SELECT} FROM ports WHERE uuid = $1"));
static BY_NAME: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {SELECT} FROM ports WHERE name = $1"));

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
    db.get(move |conn| conn.query_opt(&BY_UUID, &[id.to_string().into()], decode))
        .await
}

/// The port with this name.
pub async fn find_by_name(db: &Db, name: &str) -> Result<Option<Port>, StoreError> {
    let name = name.to_owned();
    db.get(move |conn| conn.query_opt(&BY_NAME, &[name.into()], decode))
        .await
}

/// A page of the ports that pass the filter.
pub async fn list(db: &Db, filter: PortFilter, page: Page) -> Result<Vec<Port>, StoreError> {
    db.read(move |conn| {
        let (sql, params) = SOURCE.page(conn, filter.conditions(), &page)?;
        conn.query(&sql, &params, decode)
    })
    .await
}

/// All ports of a node, for its drivers.
pub async fn of_node(db: &Db, node: NodeId) -> Result<Vec<Port>, StoreError> {
    db.get(move |conn| {
        let sql = format!("SELECT {SELECT} FROM ports WHERE node_uuid = $1 ORDER BY id");
        conn.query(&sql, &[node.to_string().into()], decode)
    })
    .await
}

/// All members of a port group.
pub async fn of_portgroup(db: &Db, portgroup: PortgroupId) -> Result<Vec<Port>, StoreError> {
    db.get(move |conn| {
        let sql = format!("SELECT {SELECT} FROM ports WHERE portgroup_uuid = $1 ORDER BY id");
        conn.query(&sql, &[portgroup.to_string().into()], decode)
    })
    .await
}

/// Stores a new port of a node that exists, in a port group of that node or in none.
pub async fn insert(db: &Db, port: Port, log: Log) -> Result<Port, StoreError> {
    db.keep(log, move |conn| {
        add(conn, &port)?;
        conn.query_opt(&BY_UUID, &[port.id.to_string().into()], decode)?
            .ok_or(StoreError::NotFound)
    })
    .await
}

/// Writes a port whose row still has the version `port.version`.
pub async fn update(db: &Db, port: Port, log: Log) -> Result<Port, StoreError> {
    db.keep(log, move |conn| replace(conn, port.clone())).await
}

/// Removes a port.
pub async fn delete(db: &Db, id: PortId, log: Log) -> Result<(), StoreError> {
    let outbox = db.outbox();
    db.told(move |conn| {
        outbox.tell_gone(conn, &log, |conn| {
            conn.query_opt(&BY_UUID, &[id.to_string().into()], decode)
        })?;
        if !remove(conn, id)? {
            return Err(StoreError::NotFound);
        }
        node::append(conn, &log)
    })
    .await
}

/// As [`insert`], as part of a transaction.
pub(crate) fn add(conn: &mut Conn, port: &Port) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO ports (uuid, version, node_uuid, address, name, \
        description, extra, internal_info, local_link_connection, pxe_enabled, \
        portgroup_uuid, physical_network, is_smartnic, vendor, category, \
        available_for_dynamic_portgroup, created_at, updated_at) VALUES ($1, $2, $3, $4, \
        $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    hold_parents(conn, port)?;
    check_unique(conn, port)?;
    let values = encode(port);
    fit::PORTS.check(COLUMNS, &values)?;
    conn.execute(INSERT, &values)
        .map(|_| ())
        .map_err(|e| taken(e, port))
}

/// As [`update`], as part of a transaction.
pub(crate) fn replace(conn: &mut Conn, mut port: Port) -> Result<Port, StoreError> {
    const UPDATE: &str = "UPDATE ports SET uuid = $1, version = $2, node_uuid = $3, \
        address = $4, name = $5, description = $6, extra = $7, internal_info = $8, \
        local_link_connection = $9, pxe_enabled = $10, portgroup_uuid = $11, \
        physical_network = $12, is_smartnic = $13, vendor = $14, category = $15, \
        available_for_dynamic_portgroup = $16, created_at = $17, updated_at = $18 \
        WHERE uuid = $19 AND version = $20";
    hold_parents(conn, &port)?;
    let base = port.version;
    port.version += 1;
    port.updated_at = Some(Timestamp::now());
    let mut params = encode(&port);
    fit::PORTS.check(COLUMNS, &params)?;
    params.push(port.id.to_string().into());
    params.push(base.into());
    if conn.execute(UPDATE, &params).map_err(|e| taken(e, &port))? == 0 {
        let found = conn.query_opt(&BY_UUID, &[port.id.to_string().into()], decode)?;
        return Err(found.map_or(StoreError::NotFound, |_| StoreError::Stale));
    }
    Ok(port)
}

/// Removes a port as part of a transaction; false when there is none.
pub(crate) fn remove(conn: &mut Conn, id: PortId) -> Result<bool, StoreError> {
    const DELETE: &str = "DELETE FROM ports WHERE uuid = $1";
    Ok(conn.execute(DELETE, &[id.to_string().into()])? > 0)
}

/// Whether some port has this address.
pub(crate) fn has_address(conn: &mut Conn, address: &MacAddress) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT 1 FROM ports WHERE address = $1";
    let found = conn.query_opt(SQL, &[address.as_str().into()], |_| Ok(()))?;
    Ok(found.is_some())
}

/// A port cannot belong to a node or a port group that is being removed.
fn hold_parents(conn: &mut Conn, port: &Port) -> Result<(), StoreError> {
    if !conn.hold_row("nodes", &port.node.to_string())? {
        return Err(StoreError::NotFound);
    }
    match &port.portgroup {
        Some(portgroup) => portgroup::hold_for(conn, port.node, portgroup),
        None => Ok(()),
    }
}

fn check_unique(conn: &mut Conn, port: &Port) -> Result<(), StoreError> {
    let exists = |conn: &mut Conn, column: &str, value: &str| {
        let sql = format!("SELECT 1 FROM ports WHERE {column} = $1");
        conn.query_opt(&sql, &[value.into()], |_| Ok(()))
            .map(|found| found.is_some())
    };
    let uuid = port.id.to_string();
    if exists(conn, "address", port.address.as_str())? {
        return Err(StoreError::Duplicate(Unique::PortAddress(
            port.address.to_string(),
        )));
    }
    if let Some(name) = &port.name
        && exists(conn, "name", name)?
    {
        return Err(StoreError::Duplicate(Unique::PortName(name.clone())));
    }
    if exists(conn, "uuid", &uuid)? {
        return Err(StoreError::Duplicate(Unique::PortUuid(uuid)));
    }
    Ok(())
}

fn taken(error: StoreError, port: &Port) -> StoreError {
    match error.violated_index().as_deref() {
        Some("ports_address") => {
            StoreError::Duplicate(Unique::PortAddress(port.address.to_string()))
        }
        Some("ports_name") => {
            StoreError::Duplicate(Unique::PortName(port.name.clone().unwrap_or_default()))
        }
        Some("ports_uuid") => StoreError::Duplicate(Unique::PortUuid(port.id.to_string())),
        _ => error,
    }
}

fn encode(port: &Port) -> Vec<P<'_>> {
    vec![
        port.id.to_string().into(),
        port.version.into(),
        port.node.to_string().into(),
        port.address.as_str().into(),
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
