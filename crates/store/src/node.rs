//! The nodes table: reads, lists, and the one way to write a node.
//!
//! A node is always written completely, under a [`Fence`]: either its lease is free and its version
//! is still the one that was read, or the writer holds the lease. The events and history entries
//! that explain the change are part of the same transaction.

mod row;
mod shown;
mod update;

pub use shown::{Column, ColumnSet, NodeRow};

use crate::{
    Db, Page, StoreError, Unique, allocation, commissioning,
    conn::{Conn, Reader},
    erase_certificate, event, fit, history,
    page::{Conditions, Source},
    rotate::Rotation,
    secret::SecretScope,
};
use row::{COLUMNS, INTERNAL, SUMMARY, WRITTEN, decode_summary};
pub(crate) use row::{decode, encode};
use std::{ops::ControlFlow, sync::LazyLock};
use types::{
    Caller, ChassisId, JsonMap, Node, NodeId, ProvisionState, Timestamp, Work,
    burnin::CommissioningReport,
    erasure::EraseCertificate,
    event::{HistoryEntry, NewEvent},
    lease::Holder,
    mask,
    node::NodeFault,
    notification::Notice,
};

/// Every column that [`decode`] reads.
pub(crate) fn all_columns() -> &'static [&'static str] {
    COLUMNS
}

/// Every column that [`encode`] gives a value for.
pub(crate) fn written_columns() -> &'static [&'static str] {
    &COLUMNS[..WRITTEN]
}

static SELECT: LazyLock<String> = LazyLock::new(|| COLUMNS.join(", "));
static INSERT: LazyLock<String> = LazyLock::new(|| {
    let values: Vec<String> = (1..=WRITTEN).map(|n| format!("${n}")).collect();
    let columns = COLUMNS[..WRITTEN].join(", ");
    format!(
        "INSERT INTO nodes ({columns}) VALUES ({})",
        values.join(", ")
    )
});
static BY_UUID: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM nodes WHERE uuid = $1", *SELECT));
static BY_NAME: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM nodes WHERE name = $1", *SELECT));
static SORTABLE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let shown = |column: &&&str| !INTERNAL.contains(*column);
    COLUMNS.iter().filter(shown).copied().collect()
});
static FULL: LazyLock<Source> = LazyLock::new(|| Source {
    table: "nodes",
    select: SELECT.as_str(),
    sortable: SORTABLE.as_slice(),
    marker: "uuid",
});
static SHORT_SELECT: LazyLock<String> = LazyLock::new(|| SUMMARY.join(", "));
static SHORT: LazyLock<Source> = LazyLock::new(|| Source {
    table: "nodes",
    select: SHORT_SELECT.as_str(),
    sortable: SORTABLE.as_slice(),
    marker: "uuid",
});

/// Which children a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Children {
    /// Only nodes without a parent.
    #[default]
    Exclude,
    Include,
    /// Only the children of this node.
    Of(String),
}

/// Which nodes a list shows. Absent values ask nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeFilter {
    pub associated: Option<bool>,
    pub maintenance: Option<bool>,
    pub retired: Option<bool>,
    pub provision_state: Option<ProvisionState>,
    pub driver: Option<String>,
    pub resource_class: Option<String>,
    pub fault: Option<NodeFault>,
    pub conductor_group: Option<String>,
    pub owner: Option<String>,
    pub lessee: Option<String>,
    /// Owner or lessee.
    pub project: Option<String>,
    pub shard_in: Vec<String>,
    pub sharded: Option<bool>,
    pub description_contains: Option<String>,
    pub instance_uuid: Option<String>,
    pub instance_name: Option<String>,
    pub chassis: Option<ChassisId>,
    pub children: Children,
}

impl NodeFilter {
    /// Every node, children included.
    pub fn all() -> Self {
        Self {
            children: Children::Include,
            ..Self::default()
        }
    }

    fn conditions(self) -> Conditions {
        let mut c = Conditions::default();
        let set = |c: &mut Conditions, column: &str, wanted: Option<bool>| match wanted {
            Some(true) => c.plain(&format!("{column} IS NOT NULL")),
            Some(false) => c.plain(&format!("{column} IS NULL")),
            None => {}
        };
        set(&mut c, "instance_uuid", self.associated);
        set(&mut c, "shard", self.sharded);
        c.equal_if("maintenance", self.maintenance);
        c.equal_if("retired", self.retired);
        if self.retired == Some(false) {
            c.plain("(retired_unset IS NULL OR retired_unset = FALSE)");
        }
        c.equal_if(
            "provision_state",
            self.provision_state.map(ProvisionState::as_str),
        );
        c.equal_if("driver", self.driver);
        c.equal_if("resource_class", self.resource_class);
        c.equal_if("fault", self.fault.map(NodeFault::as_str));
        c.equal_if("conductor_group", self.conductor_group);
        c.equal_if("owner", self.owner);
        c.equal_if("lessee", self.lessee);
        if let Some(project) = &self.project {
            c.owned_or_leased_by(project);
        }
        c.one_of("shard", self.shard_in);
        if let Some(text) = &self.description_contains {
            c.contains("description", text);
        }
        c.equal_if("instance_uuid", self.instance_uuid);
        c.equal_if("instance_name", self.instance_name);
        c.equal_if("chassis_uuid", self.chassis.map(|id| id.to_string()));
        match self.children {
            Children::Exclude => c.plain("parent_node IS NULL"),
            Children::Include => {}
            Children::Of(parent) => c.equal("parent_node", parent),
        }
        c
    }
}

/// How much of each node a list needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// What the default list shows; every other field has its default.
    Summary,
    Full,
}

/// The node with this UUID.
pub async fn find(db: &Db, id: NodeId) -> Result<Option<Node>, StoreError> {
    db.get(move |conn| load(conn, id)).await
}

/// The node with this UUID, after concurrent commits have ended: a write that was sent before has
/// happened or never will.
pub async fn find_settled(db: &Db, id: NodeId) -> Result<Option<Node>, StoreError> {
    db.write(move |conn| {
        conn.hold_row("nodes", &id.to_string())?;
        load(conn, id)
    })
    .await
}

/// The node with this name.
pub async fn find_by_name(db: &Db, name: &str) -> Result<Option<Node>, StoreError> {
    let name = name.to_owned();
    db.get(move |conn| conn.query_opt(&BY_NAME, &[name.into()], decode))
        .await
}

/// A page of the nodes that pass the filter.
pub async fn list(
    db: &Db,
    filter: NodeFilter,
    page: Page,
    columns: Columns,
) -> Result<Vec<Node>, StoreError> {
    db.read(move |conn| {
        let conditions = filter.conditions();
        match columns {
            Columns::Full => FULL.read(conn, conditions, &page, decode),
            Columns::Summary => SHORT.read(conn, conditions, &page, decode_summary),
        }
    })
    .await
}

/// The node with this UUID, to be shown.
pub async fn find_row(db: &Db, id: NodeId) -> Result<Option<NodeRow>, StoreError> {
    db.get(move |conn| one_row(conn, &BY_UUID, id.to_string()))
        .await
}

/// The node with this name, to be shown.
pub async fn find_row_by_name(db: &Db, name: &str) -> Result<Option<NodeRow>, StoreError> {
    let name = name.to_owned();
    db.get(move |conn| one_row(conn, &BY_NAME, name)).await
}

fn one_row(conn: &mut Conn, sql: &str, value: String) -> Result<Option<NodeRow>, StoreError> {
    conn.query_opt(sql, &[value.into()], |row| {
        let mut found = NodeRow::new();
        found.fill(row, ColumnSet::ALL)?;
        Ok(found)
    })
}

/// Shows a page of the nodes that pass the filter to `show`, one after the other in the order of
/// the list and until it has enough; returns what it made of them. `show` runs where the rows are
/// read: it must not wait for anything.
pub async fn show<T: Send + 'static>(
    db: &Db,
    filter: NodeFilter,
    page: Page,
    columns: ColumnSet,
    mut made: T,
    show: impl Fn(&mut T, &NodeRow) -> Result<ControlFlow<()>, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let is_short = columns.is_short() && page.limit <= SHORT_PAGE;
    let read = move |conn: &mut Conn| {
        let mut row = NodeRow::new();
        let columns = columns.with(const { Column::of("id") });
        let select = columns.select();
        FULL.visit(conn, filter.conditions(), &page, &select, |found| {
            row.fill(found, columns)?;
            show(&mut made, &row)
        })?;
        Ok(made)
    };
    if is_short {
        db.get(read).await
    } else {
        db.read(read).await
    }
}

/// Shows the nodes with these UUIDs, in no order; as [`show`].
pub async fn show_some<T: Send + 'static>(
    db: &Db,
    ids: &[NodeId],
    columns: ColumnSet,
    mut made: T,
    show: impl Fn(&mut T, &NodeRow) -> Result<(), StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let ids: Vec<String> = ids.iter().map(NodeId::to_string).collect();
    let is_short = columns.is_short() && ids.len() <= SHORT_PAGE as usize;
    let read = move |conn: &mut Conn| {
        let mut row = NodeRow::new();
        for some in ids.chunks(AT_ONCE) {
            let mut c = Conditions::default();
            c.one_of("uuid", some.to_vec());
            let (filter, params) = c.into_parts();
            let sql = format!("SELECT {} FROM nodes{filter}", columns.select());
            conn.visit(&sql, &params, true, |found| {
                row.fill(found, columns)?;
                show(&mut made, &row)?;
                Ok(ControlFlow::Continue(()))
            })?;
        }
        Ok(made)
    };
    if is_short {
        db.get(read).await
    } else {
        db.read(read).await
    }
}

/// How many rows are asked for by one statement.
const AT_ONCE: usize = 200;

/// A node's place in the table, and which version of it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    pub row: i64,
    pub id: NodeId,
    pub version: i64,
}

/// Which nodes there are behind a row, at most `limit` in the order of the table.
pub async fn stored(db: &Db, after: i64, limit: u32) -> Result<Vec<Stored>, StoreError> {
    db.read(move |conn| {
        const SQL: &str = "SELECT id, uuid, version FROM nodes WHERE id > $1 ORDER BY id LIMIT $2";
        conn.query(SQL, &[after.into(), i64::from(limit).into()], |row| {
            let r = &mut Reader::new(row, "nodes", &["id", "uuid", "version"]);
            Ok(Stored {
                row: r.int()?,
                id: r.parsed()?,
                version: r.int()?,
            })
        })
    })
    .await
}

/// How many rows of few columns are read on the thread of the caller at most.
const SHORT_PAGE: u32 = 128;

/// How many nodes are in one of these states, or in any if none is named.
pub async fn count_in_states(
    db: &Db,
    states: &[ProvisionState],
    conductor_group: Option<&str>,
) -> Result<i64, StoreError> {
    let conductor_group = conductor_group.map(str::to_owned);
    let states: Vec<String> = states.iter().map(|s| s.as_str().to_owned()).collect();
    db.get(move |conn| {
        let mut c = Conditions::default();
        c.one_of("provision_state", states);
        c.equal_if("conductor_group", conductor_group);
        let (filter, params) = c.into_parts();
        Ok(conn
            .number(&format!("SELECT COUNT(*) FROM nodes{filter}"), &params)?
            .unwrap_or(0))
    })
    .await
}

/// How many nodes in a state have a text among their internal notes.
pub async fn count_with_note(
    db: &Db,
    state: ProvisionState,
    text: String,
) -> Result<i64, StoreError> {
    db.read(move |conn| {
        let mut c = Conditions::default();
        c.equal("provision_state", state.as_str().to_owned());
        c.has_text("driver_internal_info", &text);
        let (filter, params) = c.into_parts();
        let sql = format!("SELECT COUNT(*) FROM nodes{filter}");
        Ok(conn.number(&sql, &params)?.unwrap_or(0))
    })
    .await
}

/// The nodes in a state that noted one of these texts in the list `key` of their
/// `driver_internal_info`. No more of their rows is read than that.
pub async fn noting(
    db: &Db,
    state: ProvisionState,
    key: &'static str,
    texts: Vec<String>,
) -> Result<Vec<NodeId>, StoreError> {
    db.read(move |conn| {
        let mut noting = Vec::new();
        for text in &texts {
            let mut c = Conditions::default();
            c.equal("provision_state", state.as_str().to_owned());
            // The database finds the rows that have the text anywhere; where it is, is seen below.
            c.has_text("driver_internal_info", text);
            let (filter, params) = c.into_parts();
            let sql = format!("SELECT uuid, driver_internal_info FROM nodes{filter} ORDER BY id");
            let columns: &[&str] = &["uuid", "driver_internal_info"];
            let found = conn.query_by_value(&sql, &params, |row| {
                let r = &mut Reader::new(row, "nodes", columns);
                Ok((r.parsed::<NodeId>()?, r.map()?))
            })?;
            for (id, info) in found {
                let noted = info.get(key).and_then(|noted| noted.as_array());
                let mut noted = noted.into_iter().flatten().filter_map(|n| n.as_str());
                if noted.any(|noted| noted == text) && !noting.contains(&id) {
                    noting.push(id);
                }
            }
        }
        Ok(noting)
    })
    .await
}

/// Under which condition a node may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fence {
    /// The lease is free, and the row is unchanged since it was read.
    Free,
    /// As `Free`, and the writer takes the lease with this write.
    Take(Holder),
    /// The writer holds the lease that `node.lease_generation` names.
    Held,
    /// As `Held`, and this is the last write: the lease is given back.
    Release,
}

/// What explains a change, written together with it.
#[derive(Debug, Clone, Default)]
pub struct Log {
    pub events: Vec<NewEvent>,
    pub history: Vec<HistoryEntry>,
    /// How disks were erased.
    pub certificates: Vec<EraseCertificate>,
    /// What tests of the machine showed.
    pub reports: Vec<CommissioningReport>,
    /// What notifications tell about whatever is written.
    pub notices: Vec<Notice>,
    /// Who asked, for those.
    pub caller: Caller,
}

impl Log {
    pub fn event(event: NewEvent) -> Self {
        Self {
            events: vec![event],
            ..Self::default()
        }
    }
}

/// Writes a node under a fence; returns it as it is now stored.
///
/// An allocation ends with the instance that it stands for: a node that has lost its instance loses
/// its allocation in the same transaction.
pub async fn save(db: &Db, node: Node, fence: Fence, log: Log) -> Result<Node, StoreError> {
    let (keys, touch) = (db.keys().clone(), db.touch(node.id));
    db.keep(log, move |conn| {
        let _under_way = &touch;
        write(conn, &keys, node.clone(), &fence)
    })
    .await
}

/// What [`save`] does inside its transaction, without the log.
pub(crate) fn write(
    conn: &mut Conn,
    keys: &crate::KeyRing,
    mut node: Node,
    fence: &Fence,
) -> Result<Node, StoreError> {
    seal(keys, &mut node)?;
    if node.instance_uuid.is_none()
        && let Some(uuid) = node.allocation_uuid.take()
    {
        allocation::forget(conn, &uuid, node.id)?;
    }
    let base_version = node.version;
    node.version += 1;
    node.updated_at = Some(Timestamp::now());
    let held = match fence {
        Fence::Free => {
            hold_chassis(conn, &node)?;
            false
        }
        Fence::Take(holder) => {
            node.reservation = Some(holder.host.clone());
            node.lease_epoch = holder.epoch;
            node.lease_generation += 1;
            false
        }
        Fence::Held => true,
        Fence::Release => {
            node.reservation = None;
            node.work = None;
            true
        }
    };
    let mut params = encode(&node);
    if !held {
        fit::NODES.check(COLUMNS, &params)?;
    }
    let sql = update::statement(conn, node.id, &mut params, held)?;
    params.push(node.id.to_string().into());
    params.push(
        if held {
            node.lease_generation
        } else {
            base_version
        }
        .into(),
    );
    let touched = conn.execute(&sql, &params).map_err(|e| taken(e, &node))?;
    if touched == 0 {
        return Err(why_not(conn, node.id, held)?);
    }
    Ok(node)
}

/// Refuses a node with a text that its column cannot hold.
pub(crate) fn check_fit(node: &Node) -> Result<(), StoreError> {
    fit::NODES.check(COLUMNS, &encode(node))
}

/// Stores a new node.
pub async fn insert(db: &Db, node: Node, log: Log) -> Result<Node, StoreError> {
    let (keys, touch) = (db.keys().clone(), db.touch(node.id));
    db.keep(log, move |conn| {
        let _under_way = &touch;
        let mut node = node.clone();
        seal(&keys, &mut node)?;
        hold_chassis(conn, &node)?;
        check_unique(conn, &node)?;
        let values = encode(&node);
        fit::NODES.check(COLUMNS, &values)?;
        conn.execute(&INSERT, &values)
            .map_err(|e| taken(e, &node))?;
        load(conn, node.id)?.ok_or(StoreError::NotFound)
    })
    .await
}

/// Tables whose rows belong to a node. Port groups come before ports, because transactions that
/// change both lock them in this order.
pub(crate) const BELONGINGS: &[&str] = &[
    "portgroups",
    "ports",
    "volume_connectors",
    "volume_targets",
    "bios_settings",
    "firmware_components",
    "node_inventories",
    "inspection_inbox",
    "config_drive_parts",
    "node_history",
    "commissioning_reports",
];

/// Removes a node that is not reserved, with everything that belongs to it and with its allocation.
pub async fn delete(db: &Db, node: &Node, log: Log) -> Result<(), StoreError> {
    let (id, version, allocation) = (node.id, node.version, node.allocation_uuid.clone());
    let (outbox, touch) = (db.outbox(), db.touch(id));
    db.told(move |conn| {
        let _under_way = &touch;
        let uuid = id.to_string();
        outbox.tell_gone(conn, &log, |conn| load(conn, id))?;
        if let Some(allocation) = &allocation {
            allocation::forget(conn, allocation, id)?;
        }
        const DELETE: &str =
            "DELETE FROM nodes WHERE uuid = $1 AND version = $2 AND reservation IS NULL";
        if conn.execute(DELETE, &[(&uuid).into(), version.into()])? == 0 {
            return Err(why_not(conn, id, false)?);
        }
        for table in BELONGINGS {
            let sql = format!("DELETE FROM {table} WHERE node_uuid = $1");
            conn.execute(&sql, &[(&uuid).into()])?;
        }
        append(conn, &log)
    })
    .await
}

/// How many nodes each shard has, the largest first; nodes without a shard are counted too.
pub async fn shards(db: &Db) -> Result<Vec<(Option<String>, i64)>, StoreError> {
    db.read(move |conn| {
        const SQL: &str = "SELECT shard, COUNT(*) AS nodes_in FROM nodes GROUP BY shard \
            ORDER BY nodes_in DESC, CASE WHEN shard IS NULL THEN 0 ELSE 1 END, shard";
        conn.query(SQL, &[], |row| {
            let r = &mut Reader::new(row, "nodes", &["shard", "count"]);
            Ok((r.opt_text()?, r.int()?))
        })
    })
    .await
}

/// Seals every secret again with the newest key; returns how many nodes were rewritten.
///
/// Nodes that are being worked on are waited for by asking again: their owner writes them with the
/// newest key anyway as soon as the secret itself changes, so only unreserved rows are touched.
pub async fn rotate_secrets(db: &Db) -> Result<Rotation, StoreError> {
    const LIMIT: u32 = 200;
    let mut rotation = Rotation::default();
    let mut page = Page::first(LIMIT);
    loop {
        let nodes = list(db, NodeFilter::all(), page.clone(), Columns::Full).await?;
        let Some(last) = nodes.last() else {
            return Ok(rotation);
        };
        page.marker = Some(last.id.to_string());
        for node in nodes {
            let (changed, failures) = rotate_one(db, node.id).await?;
            rotation.add(changed, &format!("node {}", node.id), failures);
        }
    }
}

/// What became of one node's secrets.
enum Rotated {
    Now,
    /// They were sealed with the newest key before, or the node is gone.
    Already,
    /// The row was changed meanwhile.
    Changed,
}

async fn rotate_one(db: &Db, id: NodeId) -> Result<(bool, Vec<String>), StoreError> {
    loop {
        match try_rotate(db, id).await? {
            (Rotated::Now, failures) => return Ok((true, failures)),
            (Rotated::Already, failures) => return Ok((false, failures)),
            (Rotated::Changed, _) => {}
        }
    }
}

async fn try_rotate(db: &Db, id: NodeId) -> Result<(Rotated, Vec<String>), StoreError> {
    let keys = db.keys().clone();
    db.write(move |conn| {
        let Some(mut node) = load(conn, id)? else {
            return Ok((Rotated::Already, Vec::new()));
        };
        let uuid = node.id.to_string();
        let before = secrets(&node);
        let mut failures = Vec::new();
        for (field, place, map) in [
            (
                "driver_info",
                SecretScope::SecretKeys,
                &mut node.driver_info,
            ),
            (
                "instance_info",
                SecretScope::InstanceInfo,
                &mut node.instance_info,
            ),
            (
                "driver_internal_info",
                SecretScope::SecretKeys,
                node.driver_internal_info.raw_json_mut(),
            ),
        ] {
            let resealed = keys.reseal_map(map, place, &uuid);
            let named = resealed.failures.into_iter();
            failures.extend(named.map(|why| format!("{field}: {why}")));
        }
        if failures.is_empty() {
            // What was stored before it counted as a secret is in clear. Beside a value that no key
            // opens this waits: that one would be taken for a client's text, and sealed as such.
            seal(&keys, &mut node)?;
        }
        let changed = before != secrets(&node);
        if !changed {
            return Ok((Rotated::Already, failures));
        }
        // Only these columns, whatever else happens to the row: a worker that holds the lease
        // writes the whole row later, with values that both keys open.
        let touched = conn.execute(
            "UPDATE nodes SET driver_info = $1, instance_info = $2, \
             driver_internal_info = $3, version = version + 1 WHERE uuid = $4 AND version = $5",
            &[
                (&node.driver_info).into(),
                (&node.instance_info).into(),
                node.driver_internal_info.raw_json().into(),
                uuid.into(),
                node.version.into(),
            ],
        )?;
        let rotated = if touched == 1 {
            Rotated::Now
        } else {
            Rotated::Changed
        };
        Ok((rotated, failures))
    })
    .await
}

pub(crate) fn load(conn: &mut Conn, id: NodeId) -> Result<Option<Node>, StoreError> {
    conn.query_opt(&BY_UUID, &[id.to_string().into()], decode)
}

pub(crate) fn append(conn: &mut Conn, log: &Log) -> Result<(), StoreError> {
    for event in &log.events {
        event::append(conn, event)?;
    }
    for entry in &log.history {
        history::append(conn, entry)?;
    }
    for certificate in &log.certificates {
        erase_certificate::append(conn, certificate)?;
    }
    for report in &log.reports {
        commissioning::append(conn, report)?;
    }
    Ok(())
}

/// Takes the row of a node that must exist, so that it cannot go away before we commit.
pub(crate) fn hold(conn: &mut Conn, uuid: &str) -> Result<(), StoreError> {
    match conn.hold_row("nodes", uuid)? {
        true => Ok(()),
        false => Err(StoreError::NotFound),
    }
}

pub(crate) fn seal(keys: &crate::KeyRing, node: &mut Node) -> Result<(), StoreError> {
    let uuid = node.id.to_string();
    keys.seal_map(&mut node.driver_info, &uuid)?;
    // First what is sealed as a whole, so that no address in it is sealed twice.
    keys.seal_keys(&mut node.instance_info, mask::INSTANCE_SECRETS, &uuid)?;
    keys.seal_map(&mut node.instance_info, &uuid)?;
    keys.seal_map(node.driver_internal_info.raw_json_mut(), &uuid)?;
    match &mut node.work {
        Some(Work::AttachMedia { media }) => keys.seal_address(&mut media.image_url, &uuid),
        _ => Ok(()),
    }
}

/// Everything that can hold sealed values.
fn secrets(node: &Node) -> [JsonMap; 3] {
    [
        node.driver_info.clone(),
        node.instance_info.clone(),
        node.driver_internal_info.raw_json().clone(),
    ]
}

/// A node cannot stand in a chassis that is being removed.
fn hold_chassis(conn: &mut Conn, node: &Node) -> Result<(), StoreError> {
    let Some(chassis) = node.chassis.map(|id| id.to_string()) else {
        return Ok(());
    };
    match conn.hold_row("chassis", &chassis)? {
        true => Ok(()),
        false => Err(StoreError::NoChassis(chassis)),
    }
}

/// Why an update under a fence touched nothing.
pub(crate) fn why_not(conn: &mut Conn, id: NodeId, held: bool) -> Result<StoreError, StoreError> {
    Ok(match load(conn, id)? {
        None => StoreError::NotFound,
        Some(_) if held => StoreError::LeaseLost,
        Some(Node {
            reservation: Some(host),
            ..
        }) => StoreError::Locked { host },
        Some(_) => StoreError::Stale,
    })
}

/// Names the value that is taken before the database does, in the order in which Ironic
/// looks.
fn check_unique(conn: &mut Conn, node: &Node) -> Result<(), StoreError> {
    let exists = |conn: &mut Conn, column: &str, value: &str| {
        let sql = format!("SELECT 1 FROM nodes WHERE {column} = $1");
        conn.query_opt(&sql, &[value.into()], |_| Ok(()))
            .map(|found| found.is_some())
    };
    let uuid = node.id.to_string();
    if exists(conn, "uuid", &uuid)? {
        return Err(StoreError::Duplicate(Unique::NodeUuid(uuid)));
    }
    if let Some(name) = &node.name
        && exists(conn, "name", name)?
    {
        return Err(StoreError::Duplicate(Unique::NodeName(name.clone())));
    }
    if let Some(instance) = &node.instance_uuid
        && exists(conn, "instance_uuid", instance)?
    {
        return Err(StoreError::Duplicate(Unique::NodeInstance(
            instance.clone(),
        )));
    }
    Ok(())
}

/// Turns the violation of a unique index into the value that is taken.
fn taken(error: StoreError, node: &Node) -> StoreError {
    match error.violated_index().as_deref() {
        Some("nodes_name") => {
            StoreError::Duplicate(Unique::NodeName(node.name.clone().unwrap_or_default()))
        }
        Some("nodes_instance_uuid") => StoreError::Duplicate(Unique::NodeInstance(
            node.instance_uuid.clone().unwrap_or_default(),
        )),
        Some("nodes_uuid") => StoreError::Duplicate(Unique::NodeUuid(node.id.to_string())),
        _ => error,
    }
}
