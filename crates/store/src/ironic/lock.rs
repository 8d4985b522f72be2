//! Locks on nodes in Ironic's database, by which this service keeps Ironic's conductors from a conductor
//! group that it takes over.
//!
//! `nodes.reservation` is the only lock that Ironic knows. A conductor works on a node only after it has
//! written its own name there, where nothing stood before; it clears its own name when it starts, and
//! those of dead conductors, by the rows of `conductors`. So a name that no conductor has keeps all of
//! them away until whoever wrote it takes it back. Nothing else is ever written to Ironic's database.

use super::{
    Cell, ColumnType,
    spelling::{self, GroupRows},
};
use crate::{
    Location, StoreError,
    conn::{Conn, Row},
    group_move::GroupName,
    open_sqlite,
};
use types::{ProvisionState, provision::StateClass};

/// Who holds a node that is about to be imported.
pub(super) const MOVING: &str = "corten-moving";
/// Who holds a node that is served here.
pub(super) const MOVED: &str = "corten-moved";
/// Who holds a node that was written back, and is still here.
pub const RETURNED: &str = "corten-returned";

/// Nodes that cannot be locked now.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Resisting {
    pub count: u64,
    /// The first of them.
    pub first: Vec<ResistingNode>,
}

impl Resisting {
    /// So many nodes are named.
    pub const NAMED: usize = 20;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResistingNode {
    /// Its UUID.
    pub node: String,
    pub state: String,
    /// Whose lock is on it.
    pub holder: Option<String>,
}

/// The locks of one group. All calls block; must not be used on a runtime thread.
pub struct GroupLocks {
    conn: Conn,
    group: GroupName,
}

impl std::fmt::Debug for GroupLocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GroupLocks")
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
}

impl GroupLocks {
    /// The database must have been read as one of Ironic before.
    pub fn open(location: &Location, group: GroupName) -> Result<Self, StoreError> {
        let conn = match location {
            Location::Sqlite(file) => open_sqlite(file, false)?,
            Location::Postgres(server) => server.connect()?,
            Location::MariaDb(server) => server.connect_to_read()?,
        };
        Ok(Self { conn, group })
    }

    /// Locks the nodes that nobody has locked; says how many. Those in a state in which a conductor
    /// works were left by one that is gone, and are locked only `with_working`.
    pub fn take(&mut self, with_working: bool) -> Result<u64, StoreError> {
        let working = match with_working {
            true => String::new(),
            false => format!(
                " AND (\"provision_state\" IS NULL OR \"provision_state\" NOT IN ({}))",
                working()
            ),
        };
        self.change(&format!("{FREE}{working}"), Some(MOVING))
    }

    /// Locks the nodes that a conductor left locked which is gone.
    pub fn take_from(&mut self, host: &str) -> Result<u64, StoreError> {
        let sql = self.update("\"reservation\" = $1", Some(MOVING));
        self.conn.execute(&sql, &[host.into()])
    }

    /// Gives the nodes back that are not imported.
    pub fn give_back(&mut self) -> Result<u64, StoreError> {
        self.change(&format!("\"reservation\" = '{MOVING}'"), None)
    }

    /// From now on the nodes are served here.
    pub fn keep(&mut self) -> Result<u64, StoreError> {
        self.change(&format!("\"reservation\" = '{MOVING}'"), Some(MOVED))
    }

    /// The nodes stay here although they were written back.
    pub fn keep_returned(&mut self) -> Result<u64, StoreError> {
        self.change(&format!("\"reservation\" = '{RETURNED}'"), Some(MOVED))
    }

    /// From now on Ironic serves the nodes that were written back.
    pub fn release_returned(&mut self) -> Result<u64, StoreError> {
        self.change(&format!("\"reservation\" = '{RETURNED}'"), None)
    }

    /// The nodes of the group that are not locked by this service.
    pub fn resisting(&mut self) -> Result<Resisting, StoreError> {
        let engine = self.conn.engine();
        let which = format!(
            "{} AND {NOT_OURS}",
            spelling::in_group(engine, "n", &self.group)
        );
        let sql = format!("SELECT COUNT(*) FROM \"nodes\" n WHERE {which}");
        let count = self.conn.number(&sql, &[])?.unwrap_or(0).unsigned_abs();
        if count == 0 {
            return Ok(Resisting::default());
        }
        let column = |name| spelling::cast(engine, &format!("n.\"{name}\""), ColumnType::Text);
        let sql = format!(
            "SELECT {}, {}, {} FROM \"nodes\" n WHERE {which} ORDER BY n.\"id\" LIMIT {}",
            column("uuid"),
            column("provision_state"),
            column("reservation"),
            Resisting::NAMED
        );
        let text = |row: &Row<'_>, at| {
            Ok::<_, StoreError>(Cell::read(row, at, ColumnType::Text)?.into_text())
        };
        let first = self.conn.query(&sql, &[], |row| {
            Ok(ResistingNode {
                node: text(row, 0)?.unwrap_or_default(),
                state: text(row, 1)?.unwrap_or_default(),
                holder: text(row, 2)?.filter(|holder| !holder.is_empty()),
            })
        })?;
        Ok(Resisting { count, first })
    }

    /// The rows of the group that are about to be imported.
    pub fn rows(&self) -> GroupRows {
        GroupRows::Locked(self.group.clone())
    }

    fn change(&mut self, which: &str, holder: Option<&str>) -> Result<u64, StoreError> {
        let sql = self.update(which, holder);
        self.conn.execute(&sql, &[])
    }

    fn update(&self, which: &str, holder: Option<&str>) -> String {
        let group = spelling::in_group(self.conn.engine(), "nodes", &self.group);
        let holder = holder.map_or_else(|| "NULL".to_owned(), |holder| format!("'{holder}'"));
        format!("UPDATE \"nodes\" SET \"reservation\" = {holder} WHERE {group} AND {which}")
    }
}

const FREE: &str = "(\"reservation\" IS NULL OR \"reservation\" = '')";
const NOT_OURS: &str =
    "(n.\"reservation\" IS NULL OR n.\"reservation\" NOT IN ('corten-moving', 'corten-moved'))";

/// The states in which a conductor works, as a list of literals.
fn working() -> String {
    let states = ProvisionState::ALL.iter();
    let working = states.filter(|state| state.class() == StateClass::Transient);
    let quoted: Vec<String> = working.map(|state| format!("'{state}'")).collect();
    quoted.join(", ")
}
