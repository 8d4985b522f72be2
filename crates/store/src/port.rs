//! The ports table.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::columns,
    conn::{Conn, Reader, Row},
    node::{self, Log},
    page::Conditions,
    portgroup,
    table::{Resource, UniqueIndex, requests},
};
use std::collections::BTreeSet;
use types::{NodeId, Port, PortId, PortgroupId, ProvisionState, port::MacAddress};

columns!(Port in "ports" {
    node: "node_uuid",
    address: "address",
    name: "name",
    description: "description",
    extra: "extra",
    internal_info: "internal_info",
    local_link_connection: "local_link_connection",
    pxe_enabled: "pxe_enabled",
    portgroup: "portgroup_uuid",
    physical_network: "physical_network",
    is_smartnic: "is_smartnic" & "is_smartnic_unset",
    vendor: "vendor",
    category: "category",
    available_for_dynamic_portgroup: "available_for_dynamic_portgroup",
});

impl Resource for Port {
    const UNIQUE: &'static [UniqueIndex<Self>] = &[
        UniqueIndex::new(&["address"], |port| {
            Unique::PortAddress(port.address.to_string()).into()
        }),
        UniqueIndex::new(&["name"], |port| {
            Unique::PortName(port.name.clone().unwrap_or_default()).into()
        }),
        UniqueIndex::new(&["uuid"], |port| {
            Unique::PortUuid(port.id.to_string()).into()
        }),
    ];

    fn prepare(&mut self, conn: &mut Conn, _: &KeyRing) -> Result<(), StoreError> {
        hold_parents(conn, self)
    }
}

requests!(Port by PortId);

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

/// Where a port is in the table, whose it is, and its address.
pub type Placed = (i64, NodeId, MacAddress);

/// The addresses of the ports behind a row, at most `limit` in the order of the table.
pub async fn addresses(db: &Db, after: i64, limit: u32) -> Result<Vec<Placed>, StoreError> {
    db.read(move |conn| {
        const SQL: &str =
            "SELECT id, node_uuid, address FROM ports WHERE id > $1 ORDER BY id LIMIT $2";
        conn.query(SQL, &[after.into(), i64::from(limit).into()], placed)
    })
    .await
}

/// The addresses of the ports of these nodes.
pub async fn addresses_of(db: &Db, nodes: &[NodeId]) -> Result<Vec<Placed>, StoreError> {
    let nodes: Vec<String> = nodes.iter().map(NodeId::to_string).collect();
    db.read(move |conn| {
        let mut found = Vec::new();
        for some in nodes.chunks(200) {
            let mut c = Conditions::default();
            c.one_of("node_uuid", some.to_vec());
            let (filter, params) = c.into_parts();
            let sql = format!("SELECT id, node_uuid, address FROM ports{filter} ORDER BY id");
            found.extend(conn.query_by_value(&sql, &params, placed)?);
        }
        Ok(found)
    })
    .await
}

fn placed(row: &Row<'_>) -> Result<Placed, StoreError> {
    let r = &mut Reader::new(row, "ports", &["id", "node_uuid", "address"]);
    Ok((r.int()?, r.parsed()?, r.parsed()?))
}

/// The address of every port, with the state and the inspect interface of its node.
pub async fn inspections(db: &Db) -> Result<Vec<(MacAddress, ProvisionState, String)>, StoreError> {
    const NAMES: &[&str] = &["address", "provision_state", "inspect_interface"];
    const ALL: &str = "SELECT ports.address, nodes.provision_state, nodes.inspect_interface \
        FROM ports JOIN nodes ON nodes.uuid = ports.node_uuid ORDER BY ports.address";
    db.read(|conn| {
        conn.query(ALL, &[], |row| {
            let r = &mut Reader::new(row, "ports", NAMES);
            Ok((r.parsed()?, r.parsed()?, r.text()?))
        })
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

/// As [`insert`], as part of a transaction.
pub(crate) fn add(conn: &mut Conn, port: &Port) -> Result<(), StoreError> {
    hold_parents(conn, port)?;
    TABLE.add(conn, port)
}

/// As [`update`], as part of a transaction.
pub(crate) fn replace(conn: &mut Conn, keys: &KeyRing, port: Port) -> Result<Port, StoreError> {
    TABLE.replace(conn, keys, port)
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
