//! Nodes for a periodic pass, with only the columns that it needs.
//!
//! A pass visits every node of a conductor again and again and changes hardly any of them. So its
//! candidates are read page by page in order of creation, only with the columns that a question to
//! the hardware takes, and of nodes of other conductors only what is needed to skip them. A worker
//! that changes a node reads it completely first.

use crate::{
    Db, StoreError,
    conn::{P, Reader, Row},
    page::Conditions,
};
use types::{
    InterfaceKind, InternalInfo, Node, NodeId, ProvisionState, Timestamp, node::NodeFault,
};

/// Which nodes a pass over machines wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateQuery {
    /// Those whose power is compared with the machine's.
    PowerSync,
    /// Those in maintenance because their power could not be told.
    PowerRecovery,
    /// Those whose sensors are read: all, or only those with an instance.
    Sensors { undeployed: bool },
}

/// Whether a node belongs to this conductor: by id, driver and conductor group.
pub trait Mine: Fn(NodeId, &str, &str) -> bool + Send + 'static {}
impl<F: Fn(NodeId, &str, &str) -> bool + Send + 'static> Mine for F {}

/// A node as far as a pass needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Fields that are not selected have defaults, so this must never be saved; its version is one
    /// that no row has, so the store would refuse it.
    pub node: Node,
    /// The version of the row.
    pub version: i64,
}

/// A stretch of the candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    pub candidates: Vec<Candidate>,
    /// How many rows fitted, those of other conductors included.
    pub rows: u32,
    /// Where to go on.
    pub last: i64,
    pub is_end: bool,
}

const COLUMNS: &[&str] = &[
    "id",
    "uuid",
    "driver",
    "conductor_group",
    "version",
    "name",
    "instance_uuid",
    "driver_info",
    "driver_internal_info",
    "properties",
    "power_state",
    "provision_state",
    "disable_power_off",
    "boot_mode",
    "secure_boot",
    "health",
    "power_interface",
    "management_interface",
    "instance_info",
];

/// As `COLUMNS`, but what an instance says, which may be long, only where it may choose interfaces.
const SELECT: &str = "SELECT id, uuid, driver, conductor_group, version, name, instance_uuid, \
    driver_info, driver_internal_info, properties, power_state, provision_state, \
    disable_power_off, boot_mode, secure_boot, health, power_interface, management_interface, \
    CASE WHEN instance_info LIKE '%_interface\"%' THEN instance_info ELSE '{}' END FROM nodes";

/// States in which power is not compared: the machine is about to report, or not known well enough.
const WITHOUT_SYNC: &[ProvisionState] = &[
    ProvisionState::DeployWait,
    ProvisionState::CleanWait,
    ProvisionState::Enroll,
    ProvisionState::AdoptFailed,
];

impl CandidateQuery {
    fn conditions(self) -> Conditions {
        let mut c = Conditions::default();
        c.equal("maintenance", self == Self::PowerRecovery);
        match self {
            Self::PowerSync => {
                idle(&mut c);
                for state in WITHOUT_SYNC {
                    c.compare("provision_state", "<>", state.as_str());
                }
            }
            Self::PowerRecovery => {
                idle(&mut c);
                c.equal("fault", NodeFault::Power.as_str());
                c.compare("provision_state", "<>", ProvisionState::Enroll.as_str());
            }
            Self::Sensors { undeployed: true } => {}
            Self::Sensors { undeployed: false } => {
                c.equal("provision_state", ProvisionState::Active.as_str());
            }
        }
        c
    }
}

/// The node is not reserved and has no target power state.
fn idle(c: &mut Conditions) {
    c.plain("reservation IS NULL");
    c.plain("target_power_state IS NULL");
}

/// The candidates behind the row `after`, out of at most `limit` rows.
pub async fn stretch(
    db: &Db,
    wanted: CandidateQuery,
    after: i64,
    limit: u32,
    mine: impl Mine,
) -> Result<Stretch, StoreError> {
    db.read(move |conn| {
        let mut c = wanted.conditions();
        c.compare("id", ">", after);
        let (filter, mut params) = c.into_parts();
        params.push(i64::from(limit).into());
        let sql = format!("{SELECT}{filter} ORDER BY id LIMIT ${}", params.len());
        let mut stretch = Stretch {
            candidates: Vec::new(),
            rows: 0,
            last: after,
            is_end: true,
        };
        conn.query(&sql, &params, |row| {
            stretch.rows += 1;
            let (id, found) = decode(row, &mine)?;
            stretch.last = id;
            stretch.candidates.extend(found);
            Ok(())
        })?;
        stretch.is_end = stretch.rows < limit;
        Ok(stretch)
    })
    .await
}

/// Free nodes that are in a state since before an instant, the oldest first.
pub async fn late(
    db: &Db,
    state: ProvisionState,
    since_before: Timestamp,
    mine: impl Mine,
) -> Result<Vec<NodeId>, StoreError> {
    const LATE: &str = "SELECT uuid, driver, conductor_group FROM nodes \
        WHERE provision_state = $1 AND provision_updated_at < $2 AND maintenance = $3 \
        AND reservation IS NULL ORDER BY provision_updated_at, id";
    db.read(move |conn| {
        let params: [P<'_>; 3] = [state.as_str().into(), since_before.into(), false.into()];
        let found = conn.query(LATE, &params, |row| {
            owned(&mut Reader::new(row, "nodes", &COLUMNS[1..4]), &mine)
        })?;
        Ok(found.into_iter().flatten().collect())
    })
    .await
}

/// Free nodes in one of these states with a key in `driver_internal_info`, and all that is in it.
pub async fn with_key(
    db: &Db,
    states: &[ProvisionState],
    key: &'static str,
    mine: impl Mine,
) -> Result<Vec<(NodeId, InternalInfo)>, StoreError> {
    const NAMES: &[&str] = &["uuid", "driver", "conductor_group", "driver_internal_info"];
    let states: Vec<String> = states.iter().map(|s| s.as_str().to_owned()).collect();
    db.read(move |conn| {
        let mut c = Conditions::default();
        c.one_of("provision_state", states);
        c.plain("reservation IS NULL");
        c.compare("driver_internal_info", "LIKE", format!("%\"{key}\"%"));
        let (filter, params) = c.into_parts();
        let sql = format!("SELECT {} FROM nodes{filter} ORDER BY id", NAMES.join(", "));
        let found = conn.query(&sql, &params, |row| {
            let r = &mut Reader::new(row, "nodes", NAMES);
            match owned(r, &mine)? {
                Some(id) => Ok(Some((id, InternalInfo::from(r.map()?)))),
                None => Ok(None),
            }
        })?;
        // The pattern also fits a value of that name.
        let found = found.into_iter().flatten();
        Ok(found
            .filter(|(_, info)| info.raw_json().contains_key(key))
            .collect())
    })
    .await
}

/// Reads id, driver and group; `None` for a node of another conductor.
pub(crate) fn owned(
    r: &mut Reader<'_, '_>,
    mine: &impl Mine,
) -> Result<Option<NodeId>, StoreError> {
    let id: NodeId = r.parsed()?;
    let (driver, group) = (r.text()?, r.text()?);
    Ok(mine(id, &driver, &group).then_some(id))
}

fn decode(row: &Row<'_>, mine: &impl Mine) -> Result<(i64, Option<Candidate>), StoreError> {
    let r = &mut Reader::new(row, "nodes", COLUMNS);
    let number = r.int()?;
    let id: NodeId = r.parsed()?;
    let (driver, group) = (r.text()?, r.text()?);
    if !mine(id, &driver, &group) {
        return Ok((number, None));
    }
    let version = r.int()?;
    let mut node = Node::new(id, driver);
    node.row = number;
    node.version = i64::MIN;
    node.conductor_group = group;
    node.name = r.opt_text()?;
    node.instance_uuid = r.opt_text()?;
    node.driver_info = r.map()?;
    node.driver_internal_info = r.map()?.into();
    node.properties = r.map()?;
    node.power_state = r.opt_parsed()?;
    node.provision_state = r.parsed()?;
    node.disable_power_off = r.opt_bool()?;
    node.boot_mode = r.opt_text()?;
    node.secure_boot = r.opt_bool()?;
    node.health = r.opt_text()?;
    node.interfaces.set(InterfaceKind::Power, r.text()?);
    node.interfaces.set(InterfaceKind::Management, r.text()?);
    node.instance_info = r.map()?;
    Ok((number, Some(Candidate { node, version })))
}
