//! Conductor groups that are moved here from an Ironic that goes on with the others, and how far each
//! move has come. What is recorded here decides what becomes of a move that was interrupted.

use crate::{
    Engine, Location, StoreError,
    conn::{Conn, Reader},
    event,
    ironic::{Resisting, ResistingNode},
    load, node, patient,
};
use std::{
    fmt,
    str::FromStr,
    thread,
    time::{Duration, Instant},
};
use types::{
    NodeId, ProvisionState, Timestamp,
    event::{EventKind, NewEvent},
    provision::StateClass,
};

/// How long the lock of a process that has ended may stay.
const GOODBYE: Duration = Duration::from_secs(5);
/// Who holds a node here that is about to be given back.
const LEAVING: &str = "corten-leaving";

types::wire_enum! {
    /// How far a move has come. From the second phase to the fourth the nodes are in this database.
    pub enum MovePhase {
        /// The nodes are being locked in Ironic's database.
        Locking = "locking",
        /// The rows are here, and locks of this move in Ironic's database are not marked as final yet.
        Imported = "imported",
        /// The rows are here, and Ironic's are locked for good.
        Moved = "moved",
        /// On the way back: the nodes are being locked here, and written into Ironic's database, where
        /// they are locked too.
        Leaving = "leaving",
        /// Nothing is here any more, and Ironic's nodes are still locked.
        Left = "left",
    }
}

/// The name of a conductor group, in lower case; empty for nodes of none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupName(String);

/// A text that is no name of a conductor group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no name of a conductor group: expected at most 255 letters, digits, '_', '-' and '.'"
)]
pub struct BadGroupName(String);

impl GroupName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for GroupName {
    type Err = BadGroupName;

    /// The rule is that of Ironic's API (`conductor_group` in `ironic/api/controllers/v1/node.py`).
    fn from_str(text: &str) -> Result<Self, BadGroupName> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        if text.len() > 255 || !text.bytes().all(fits) {
            return Err(BadGroupName(text.chars().take(60).collect()));
        }
        Ok(Self(text.to_ascii_lowercase()))
    }
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_str() {
            "" => f.write_str("the nodes of no conductor group"),
            name => write!(f, "conductor group '{name}'"),
        }
    }
}

/// A group that is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupMove {
    pub group: GroupName,
    pub phase: MovePhase,
    pub started_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

/// Why no group can be moved.
#[derive(Debug, thiserror::Error)]
pub enum MoveFault {
    #[error("another process is moving a conductor group of this database")]
    Busy,
    #[error(
        "the database is a copy to look at ('corten migrate from-ironic --shadow'), and no group can be \
         moved into it"
    )]
    Shadow,
    #[error(transparent)]
    Store(#[from] StoreError),
}

const NAMES: &[&str] = &["conductor_group", "phase", "started_at", "updated_at"];
const SELECT: &str =
    "SELECT conductor_group, phase, started_at, updated_at FROM conductor_group_moves";

/// The records, in the hands of the one process that changes them. All calls block; must not be used on
/// a runtime thread.
pub struct Moves {
    conn: Conn,
}

impl fmt::Debug for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moves")
            .field("engine", &self.conn.engine())
            .finish_non_exhaustive()
    }
}

impl Moves {
    /// Keeps other movers away for as long as this lives. An embedded database has a lock of its own
    /// (beside its file), which the caller holds.
    #[expect(
        clippy::disallowed_methods,
        reason = "a command of its own, on a thread where nobody waits behind it"
    )]
    pub fn open(location: &Location) -> Result<Self, MoveFault> {
        // The number is the bytes of "corten": any would do that nobody else takes.
        const POSTGRES: &str = "SELECT CAST(CASE WHEN pg_try_advisory_lock(109330312750446) \
            THEN 1 ELSE 0 END AS BIGINT)";
        const MARIADB: &str =
            "SELECT CAST(GET_LOCK(CONCAT('corten_group_moves_', MD5(DATABASE())), 0) AS SIGNED)";
        let mut conn = patient(location)?;
        let began = Instant::now();
        loop {
            let is_alone = match conn.engine() {
                Engine::Sqlite => Some(1),
                Engine::Postgres => conn.number(POSTGRES, &[])?,
                Engine::MariaDb => conn.number(MARIADB, &[])?,
            };
            if is_alone == Some(1) {
                break;
            }
            // A server may take a moment to notice that a process before has ended.
            if began.elapsed() > GOODBYE {
                return Err(MoveFault::Busy);
            }
            thread::sleep(GOODBYE / 50);
        }
        if load::mark(&mut conn, load::SHADOW)?.is_some() {
            return Err(MoveFault::Shadow);
        }
        Ok(Self { conn })
    }

    pub fn phase(&mut self, group: &GroupName) -> Result<Option<MovePhase>, StoreError> {
        let found = all(&mut self.conn)?
            .into_iter()
            .find(|one| one.group == *group);
        Ok(found.map(|one| one.phase))
    }

    /// Records that a group is about to be locked in Ironic's database.
    pub fn begin(&mut self, group: &GroupName) -> Result<(), StoreError> {
        const INSERT: &str = "INSERT INTO conductor_group_moves (conductor_group, phase, started_at) \
            VALUES ($1, $2, $3)";
        let params = [
            group.as_str().into(),
            MovePhase::Locking.as_str().into(),
            Timestamp::now().into(),
        ];
        self.conn.execute(INSERT, &params).map(|_| ())
    }

    pub fn set(&mut self, group: &GroupName, phase: MovePhase) -> Result<(), StoreError> {
        set(&mut self.conn, group, phase)
    }

    /// Nothing of the group is here, and none of its nodes is locked in Ironic's database.
    pub fn forget(&mut self, group: &GroupName) -> Result<(), StoreError> {
        const DELETE: &str = "DELETE FROM conductor_group_moves WHERE conductor_group = $1";
        let deleted = self.conn.execute(DELETE, &[group.as_str().into()]);
        deleted.map(|_| ())
    }

    /// Locks the nodes of a group here on which nobody works, as long as it takes to give them back. The
    /// holder is no conductor, so that none works on them, or takes the lock for that of a dead one.
    pub fn lock_own(&mut self, group: &GroupName) -> Result<u64, StoreError> {
        let states = ProvisionState::ALL.iter();
        let working = states.filter(|state| state.class() == StateClass::Transient);
        let working: Vec<String> = working.map(|state| format!("'{state}'")).collect();
        let sql = format!(
            "UPDATE nodes SET reservation = $1, lease_epoch = 0, \
             lease_generation = lease_generation + 1, version = version + 1 \
             WHERE conductor_group = $2 AND reservation IS NULL AND provision_state NOT IN ({})",
            working.join(", ")
        );
        let params = [LEAVING.into(), group.as_str().into()];
        self.conn.execute(&sql, &params)
    }

    /// Lets the conductors of this service work on the nodes of a group again.
    pub fn unlock_own(&mut self, group: &GroupName) -> Result<u64, StoreError> {
        const UNLOCK: &str = "UPDATE nodes SET reservation = NULL, version = version + 1 \
            WHERE conductor_group = $1 AND reservation = $2";
        let params = [group.as_str().into(), LEAVING.into()];
        self.conn.execute(UNLOCK, &params)
    }

    /// The nodes of a group that are not locked here to be given back.
    pub fn own_resisting(&mut self, group: &GroupName) -> Result<Resisting, StoreError> {
        resisting(&mut self.conn, group)
    }

    /// Removes the nodes of a group, with all that belongs to them, and records that they are gone; or
    /// removes nothing and says so, if there is one that was not locked to be given back.
    pub fn remove_rows(&mut self, group: &GroupName) -> Result<bool, StoreError> {
        let removed = self.try_to_remove_rows(group);
        if !matches!(removed, Ok(true)) {
            // Whatever it was, a transaction that is still open ends.
            let ended = self.conn.batch("ROLLBACK");
            return removed.and_then(|removed| ended.map(|()| removed));
        }
        removed
    }

    fn try_to_remove_rows(&mut self, group: &GroupName) -> Result<bool, StoreError> {
        const DELETE: &str = "DELETE FROM nodes WHERE conductor_group = $1 AND reservation = $2";
        const GONE: &str = "SELECT uuid, name FROM nodes WHERE conductor_group = $1 AND \
            reservation = $2 ORDER BY id";
        self.conn.batch("BEGIN")?;
        let params = [group.as_str().into(), LEAVING.into()];
        let gone = self.conn.query(GONE, &params, |row| {
            let r = &mut Reader::new(row, "nodes", &["uuid", "name"]);
            Ok((r.parsed()?, r.opt_text()?))
        })?;
        let whose = format!(
            "node_uuid IN (SELECT uuid FROM nodes WHERE conductor_group = $1 AND reservation = '{LEAVING}')"
        );
        for table in node::BELONGINGS.iter().chain(&["allocations"]) {
            let sql = format!("DELETE FROM {table} WHERE {whose}");
            self.conn.execute(&sql, &[group.as_str().into()])?;
        }
        let params = [group.as_str().into(), LEAVING.into()];
        self.conn.execute(DELETE, &params)?;
        if resisting(&mut self.conn, group)?.count > 0 {
            return Ok(false);
        }
        for (node, name) in gone {
            event::append(&mut self.conn, &left(node, name, group))?;
        }
        set(&mut self.conn, group, MovePhase::Left)?;
        self.conn.batch("COMMIT")?;
        Ok(true)
    }

    /// The conductors that serve a group here, by what they last said of themselves.
    pub fn conductors(&mut self, group: &GroupName) -> Result<Vec<String>, StoreError> {
        load::alive_in(&mut self.conn, group.as_str())
    }
}

/// What is recorded, for whoever only looks. Blocks.
pub fn read(location: &Location) -> Result<Vec<GroupMove>, StoreError> {
    all(&mut patient(location)?)
}

pub(crate) fn set(conn: &mut Conn, group: &GroupName, phase: MovePhase) -> Result<(), StoreError> {
    const UPDATE: &str =
        "UPDATE conductor_group_moves SET phase = $1, updated_at = $2 WHERE conductor_group = $3";
    let params = [
        phase.as_str().into(),
        Timestamp::now().into(),
        group.as_str().into(),
    ];
    match conn.execute(UPDATE, &params)? {
        0 => Err(StoreError::NotFound),
        _ => Ok(()),
    }
}

fn resisting(conn: &mut Conn, group: &GroupName) -> Result<Resisting, StoreError> {
    const WHICH: &str =
        "FROM nodes WHERE conductor_group = $1 AND (reservation IS NULL OR reservation <> $2)";
    let params = || [group.as_str().into(), LEAVING.into()];
    let count = conn.number(&format!("SELECT COUNT(*) {WHICH}"), &params())?;
    let sql = format!(
        "SELECT uuid, provision_state, reservation {WHICH} ORDER BY id LIMIT {}",
        Resisting::NAMED
    );
    let first = conn.query(&sql, &params(), |row| {
        let r = &mut Reader::new(row, "nodes", &["uuid", "provision_state", "reservation"]);
        Ok(ResistingNode {
            node: r.text()?,
            state: r.text()?,
            holder: r.opt_text()?,
        })
    })?;
    Ok(Resisting {
        count: count.unwrap_or(0).unsigned_abs(),
        first,
    })
}

fn left(node: NodeId, name: Option<String>, group: &GroupName) -> NewEvent {
    NewEvent {
        node,
        node_name: name,
        kind: EventKind::Deleted,
        text: format!("went back to Ironic with {group}"),
        data: serde_json::json!({"conductor_group": group.as_str()}),
        user: None,
        project: None,
        request_id: None,
    }
}

pub(crate) fn all(conn: &mut Conn) -> Result<Vec<GroupMove>, StoreError> {
    let sql = format!("{SELECT} ORDER BY id");
    conn.query(&sql, &[], |row| {
        let r = &mut Reader::new(row, "conductor_group_moves", NAMES);
        Ok(GroupMove {
            group: r.parsed()?,
            phase: r.parsed()?,
            started_at: r.time()?,
            updated_at: r.opt_time()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ironic_takes_for_a_group_is_one() {
        let name = |text: &str| text.parse::<GroupName>().map(|name| name.0);
        assert_eq!(name("Rack-B_1.x").unwrap(), "rack-b_1.x");
        assert_eq!(name("").unwrap(), "");
        for bad in ["a b", "a'b", "ä", "a\"", "%", &"x".repeat(256)] {
            assert!(name(bad).is_err(), "{bad}");
        }
    }
}
