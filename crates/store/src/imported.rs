//! Rows that came from an Ironic, and what has to be done once when the first conductor serves them.
//!
//! An import takes rows as they are, so that they can be compared with what Ironic shows. What is
//! true only of the conductors that are gone is put right here, in one transaction.

use crate::{
    Db, StoreError,
    candidate::{Mine, owned},
    conn::{Conn, P, Reader},
    load,
    page::Conditions,
};
use types::{
    NodeId, ProvisionState, Timestamp, internal_info::InternalInfo, provision::StateClass,
};

/// Who looks for the machines of imported allocations: a conductor that is dead.
pub const SEARCHER: &str = "ironic";

/// What Ironic says of a node whose power its conductor was changing when it ended.
pub const POWER_ABORTED: &str = "Pending power operation was aborted due to conductor restart";

/// What was put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// Nodes that wait for their agents: their time-outs count from now.
    pub waiting: u64,
    /// Nodes whose power was being changed.
    pub power: u64,
    /// Nodes with a console that listened on a host of Ironic's.
    pub consoles: u64,
}

/// Puts rows right that no conductor has served since they were imported; `None` if there are none.
/// Of several conductors that start at once, one does it.
pub async fn settle(db: &Db, now: Timestamp) -> Result<Option<Settled>, StoreError> {
    db.write(move |conn| {
        const TAKE: &str = "DELETE FROM counters WHERE name = $1";
        if conn.execute(TAKE, &[load::PENDING.into()])? == 0 {
            return Ok(None);
        }
        let waiting = states(StateClass::Waiting);
        let places: Vec<String> = (2..waiting.len() + 2).map(|n| format!("${n}")).collect();
        let sql = format!(
            "UPDATE nodes SET provision_updated_at = $1, version = version + 1 \
             WHERE provision_state IN ({})",
            places.join(", ")
        );
        let mut params: Vec<P<'_>> = vec![now.into()];
        params.extend(waiting.into_iter().map(P::from));
        let waiting = conn.execute(&sql, &params)?;
        const POWER: &str = "UPDATE nodes SET target_power_state = NULL, last_error = $1, \
            version = version + 1 WHERE target_power_state IS NOT NULL AND reservation IS NULL";
        let power = conn.execute(POWER, &[POWER_ABORTED.into()])?;
        let consoles = forget_consoles(conn)?;
        Ok(Some(Settled {
            waiting,
            power,
            consoles,
        }))
    })
    .await
}

/// Ports and tokens of consoles were good on the hosts of Ironic's conductors only.
fn forget_consoles(conn: &mut Conn) -> Result<u64, StoreError> {
    const NAMES: &[&str] = &["uuid", "driver_internal_info"];
    const FIND: &str = "SELECT uuid, driver_internal_info FROM nodes \
        WHERE driver_internal_info LIKE '%\"allocated_ipmi_terminal_port\"%' \
        OR driver_internal_info LIKE '%\"vnc_%' OR driver_internal_info LIKE '%\"novnc_%' ORDER BY id";
    const SAVE: &str = "UPDATE nodes SET driver_internal_info = $1, version = version + 1 \
        WHERE uuid = $2";
    let found = conn.query(FIND, &[], |row| {
        let r = &mut Reader::new(row, "nodes", NAMES);
        Ok((r.text()?, InternalInfo::from(r.map()?)))
    })?;
    let mut changed = 0;
    for (uuid, before) in found {
        let mut info = before.clone();
        info.forget_consoles();
        // The patterns also fit values, and keys of others.
        if info != before {
            changed += conn.execute(SAVE, &[info.raw_json().into(), uuid.into()])?;
        }
    }
    Ok(changed)
}

/// Nodes of this conductor that a conductor of Ironic was at work on: nobody holds their lease, and
/// their state says that somebody must. Rows that were not imported are never so.
pub async fn abandoned(db: &Db, mine: impl Mine) -> Result<Vec<NodeId>, StoreError> {
    db.get(move |conn| {
        const IMPORTED: &str = "SELECT value FROM counters WHERE name = $1";
        if conn
            .number(IMPORTED, &[load::IMPORTED_AT.into()])?
            .is_none()
        {
            return Ok(Vec::new());
        }
        let mut conditions = Conditions::default();
        conditions.one_of("provision_state", states(StateClass::Transient));
        conditions.plain("reservation IS NULL");
        let (filter, params) = conditions.into_parts();
        const NAMES: &[&str] = &["uuid", "driver", "conductor_group"];
        let sql = format!("SELECT uuid, driver, conductor_group FROM nodes{filter} ORDER BY id");
        let found = conn.query(&sql, &params, |row| {
            owned(&mut Reader::new(row, "nodes", NAMES), &mine)
        })?;
        Ok(found.into_iter().flatten().collect())
    })
    .await
}

fn states(class: StateClass) -> Vec<String> {
    let all = ProvisionState::ALL
        .iter()
        .filter(|state| state.class() == class);
    all.map(|state| state.as_str().to_owned()).collect()
}
