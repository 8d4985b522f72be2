//! Many rows at once, into a database that serves nobody: an import.
//!
//! All of it is one transaction. An import that fails or is killed leaves nothing behind, and the
//! next one starts anew; so importing twice gives what importing once gives. A row that the database
//! refuses (a value that must be unique and is taken) is left out and reported, and the others stay.
//!
//! Rows of an earlier import are replaced, as long as nothing has changed them since: a database
//! that a service has worked with is left alone unless told otherwise.

mod rows;

pub use rows::{Inventoried, OfNode, Rows};

use crate::{
    Engine, KeyRing, Location, StoreError,
    conn::{Conn, P},
    event,
    fit::Widths,
    group_move::{self, GroupName, MovePhase},
    patient,
};
use rows::Encoded;
use std::collections::HashMap;
use types::{
    Node, Timestamp,
    event::{EventKind, NewEvent},
};

/// Why nothing can be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadFault {
    #[error(
        "conductor '{host}' serves this database; stop all services of it, and wait a minute after \
         one that was killed"
    )]
    InUse { host: String },
    #[error("the database is not empty: it has {rows} rows in {table}, and none came by an import")]
    NotEmpty { table: &'static str, rows: i64 },
    #[error(
        "the database was changed since the last import ({what}); an import would undo that. Import \
         into an empty database, or say --replace to lose what changed"
    )]
    Changed { what: String },
    #[error(
        "{0} came here by 'corten migrate move-group', and an import of everything would lose it; give \
         it back first, by 'corten migrate move-group --to ironic'"
    )]
    Moved(GroupName),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What to do with rows that were changed since an earlier import, or did not come by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Keep,
    Replace,
}

/// A row that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Its position among the rows that were given.
    pub at: usize,
    pub reason: String,
    /// Whether a row with the same UUID is there already.
    pub is_known: bool,
}

/// Rows of a table that were removed, or lost a link, because another row was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    pub table: &'static str,
    /// The column that named the other row; `None` where the rows are gone.
    pub column: Option<&'static str>,
    /// What the first of them are called.
    pub rows: Vec<String>,
    pub count: u64,
}

impl Mended {
    fn of(
        table: &'static str,
        column: Option<&'static str>,
        rows: Vec<String>,
        count: u64,
    ) -> Option<Self> {
        (count > 0).then_some(Self {
            table,
            column,
            rows,
            count,
        })
    }
}

/// Tables that an import fills.
const TABLES: &[&str] = &[
    "chassis",
    "nodes",
    "portgroups",
    "ports",
    "volume_connectors",
    "volume_targets",
    "bios_settings",
    "firmware_components",
    "node_inventories",
    "node_history",
    "allocations",
    "deploy_templates",
    "runbooks",
    "inspection_rules",
];
/// Those that belong to nodes besides.
const LEFT_OVERS: &[&str] = &["inspection_inbox", "config_drive_parts"];
/// Those whose rows count how often they were changed.
const VERSIONED: &[&str] = &[
    "nodes",
    "portgroups",
    "ports",
    "volume_connectors",
    "volume_targets",
    "allocations",
    "deploy_templates",
    "runbooks",
    "inspection_rules",
];

/// Tables of what belongs to nodes, and the columns that say which row it is.
const OF_NODES: &[(&str, &[&str])] = &[
    ("portgroups", &["uuid"]),
    ("ports", &["uuid"]),
    ("volume_connectors", &["uuid"]),
    ("volume_targets", &["uuid"]),
    ("bios_settings", &["node_uuid", "name"]),
    ("firmware_components", &["node_uuid", "component"]),
    ("node_inventories", &["node_uuid"]),
    ("node_history", &["uuid"]),
];
/// Columns that name rows of other tables.
const LINKS: &[(&str, &str, &str)] = &[
    ("nodes", "chassis_uuid", "chassis"),
    ("nodes", "allocation_uuid", "allocations"),
    ("ports", "portgroup_uuid", "portgroups"),
    ("allocations", "node_uuid", "nodes"),
];
/// So many rows of a table are named; others are counted.
const MOST_LABELS: usize = 1000;

/// When the rows were imported, in microseconds.
pub(crate) const IMPORTED_AT: &str = "ironic_import";
/// The newest event by then.
const IMPORTED_EVENTS: &str = "ironic_import_events";
/// There while no conductor has served the imported rows yet.
pub(crate) const PENDING: &str = "ironic_import_pending";

/// There while the rows are a copy of an Ironic that goes on serving them.
pub(crate) const SHADOW: &str = "ironic_shadow";

/// So many rows are written by one statement; each count is a statement of its own.
const BATCHES: &[usize] = &[64, 8, 1];
/// A statement of several rows is not larger than this: servers limit the size of a packet.
const BATCH_BYTES: usize = 4 << 20;
/// A conductor that was heard of so recently is alive.
const ALIVE: i64 = 60;

/// A load that is under way. What is not committed is gone when this is dropped. All calls block;
/// must not be used on a runtime thread.
pub struct Load {
    conn: Conn,
    keys: KeyRing,
    widths: HashMap<&'static str, Widths>,
    statements: HashMap<(&'static str, usize), String>,
    /// Whether a node was left out, so that what belongs to it must go too.
    lacks_nodes: bool,
    is_rehearsal: bool,
    purpose: Purpose,
    /// The group whose rows join those that are there.
    joining: Option<GroupName>,
}

/// What rows are loaded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be served from now on.
    Move,
    /// To be looked at, while somebody else serves them: no conductor starts here.
    Shadow,
}

impl std::fmt::Debug for Load {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Load")
            .field("engine", &self.conn.engine())
            .finish_non_exhaustive()
    }
}

impl Load {
    /// Begins a load into a database that has our schema.
    pub fn begin(
        location: &Location,
        keys: KeyRing,
        existing: Existing,
        purpose: Purpose,
    ) -> Result<Self, LoadFault> {
        let mut conn = patient(location)?;
        crate::durable(&mut conn)?;
        begin(&mut conn)?;
        // Two imports wait for each other here.
        conn.batch("UPDATE counters SET value = value WHERE name = 'events'")?;
        let mut load = Self::on(conn, keys, purpose);
        load.refuse(existing)?;
        for table in TABLES.iter().chain(LEFT_OVERS) {
            load.conn.batch(&format!("DELETE FROM {table}"))?;
        }
        Ok(load)
    }

    /// Begins to add the rows of a conductor group to a database that may be served meanwhile. A move of
    /// the group must have been recorded; the commit records that its rows are here. Nothing that is there
    /// is changed.
    pub fn join(location: &Location, keys: KeyRing, group: GroupName) -> Result<Self, StoreError> {
        let mut conn = patient(location)?;
        crate::durable(&mut conn)?;
        begin(&mut conn)?;
        let mut load = Self::on(conn, keys, Purpose::Move);
        load.joining = Some(group);
        Ok(load)
    }

    /// Why a load into this database would be refused as it is now. Nothing is changed.
    pub fn refusal(location: &Location, existing: Existing) -> Result<(), LoadFault> {
        let mut load = Self::on(patient(location)?, KeyRing::ephemeral()?, Purpose::Move);
        load.refuse(existing)
    }

    fn refuse(&mut self, existing: Existing) -> Result<(), LoadFault> {
        if let Some(host) = alive(&mut self.conn)? {
            return Err(LoadFault::InUse { host });
        }
        let moved = group_move::all(&mut self.conn)?;
        if let Some(one) = moved.into_iter().next() {
            return Err(LoadFault::Moved(one.group));
        }
        match existing {
            Existing::Keep => self.refuse_changed(),
            Existing::Replace => Ok(()),
        }
    }

    /// Begins a load into a database that is gone at the end: it refuses what any other would. What
    /// is large, and refused nowhere, is left away.
    pub fn rehearsal() -> Result<Self, StoreError> {
        let mut conn = crate::passing()?;
        conn.batch("BEGIN")?;
        let mut load = Self::on(conn, KeyRing::ephemeral()?, Purpose::Move);
        load.is_rehearsal = true;
        Ok(load)
    }

    fn on(conn: Conn, keys: KeyRing, purpose: Purpose) -> Self {
        Self {
            conn,
            keys,
            widths: HashMap::new(),
            statements: HashMap::new(),
            lacks_nodes: false,
            is_rehearsal: false,
            purpose,
            joining: None,
        }
    }

    /// Adds rows in their order; returns those that the database refused.
    pub fn put(&mut self, rows: Rows) -> Result<Vec<Rejection>, StoreError> {
        let is_nodes = matches!(rows, Rows::Nodes(_));
        let keys = self.keys.clone();
        let mut rows = rows;
        if self.is_rehearsal {
            rows.lighten();
        }
        rows.seal(&mut self.conn, &keys)?;
        let encoded = rows.encode();
        let rejections = self.insert(&encoded)?;
        self.lacks_nodes |= is_nodes && !rejections.is_empty();
        if let (Rows::Nodes(nodes), Some(group)) = (&rows, &self.joining) {
            let left_out = |at: usize| rejections.iter().any(|rejection| rejection.at == at);
            for (_, node) in nodes.iter().enumerate().filter(|(at, _)| !left_out(*at)) {
                event::append(&mut self.conn, &came(node, group))?;
            }
        }
        Ok(rejections)
    }

    /// Removes what belongs to nodes that were left out, and links to rows that were; says of which
    /// rows. To be called when all rows are there.
    pub fn mend(&mut self) -> Result<Vec<Mended>, StoreError> {
        let mut mended = Vec::new();
        if self.lacks_nodes {
            let drives = lacks("config_drive_parts", "node_uuid", "nodes");
            self.conn
                .batch(&format!("DELETE FROM config_drive_parts WHERE {drives}"))?;
            for (table, label) in OF_NODES {
                let which = lacks(table, "node_uuid", "nodes");
                let rows = self.labels(table, label, &which)?;
                let count = self.changed(&format!("DELETE FROM {table} WHERE {which}"))?;
                mended.extend(Mended::of(table, None, rows, count));
            }
        }
        for (table, column, other) in LINKS {
            let which = format!("{column} IS NOT NULL AND {}", lacks(table, column, other));
            let rows = self.labels(table, &["uuid"], &which)?;
            let count =
                self.changed(&format!("UPDATE {table} SET {column} = NULL WHERE {which}"))?;
            mended.extend(Mended::of(table, Some(*column), rows, count));
        }
        Ok(mended)
    }

    fn changed(&mut self, sql: &str) -> Result<u64, StoreError> {
        self.conn.execute(sql, &[])
    }

    /// What the first of some rows are called.
    fn labels(
        &mut self,
        table: &str,
        columns: &[&str],
        which: &str,
    ) -> Result<Vec<String>, StoreError> {
        let sql = format!(
            "SELECT {} FROM {table} WHERE {which} LIMIT {MOST_LABELS}",
            columns.join(", ")
        );
        self.conn.query(&sql, &[], |row| {
            let mut label = String::new();
            for at in 0..columns.len() {
                row.with_text(at, |text| {
                    if at > 0 {
                        label.push(' ');
                    }
                    label.push_str(text.unwrap_or_default());
                })?;
            }
            Ok(label)
        })
    }

    /// Makes it so.
    pub fn commit(mut self) -> Result<(), StoreError> {
        if let Some(group) = self.joining.take() {
            return self.commit_group(&group);
        }
        let events = newest_event(&mut self.conn)?;
        let marks = [
            (IMPORTED_AT, Some(Timestamp::now().0)),
            (IMPORTED_EVENTS, Some(events)),
            (PENDING, Some(1)),
            (SHADOW, (self.purpose == Purpose::Shadow).then_some(1)),
        ];
        for (name, value) in marks {
            const DELETE: &str = "DELETE FROM counters WHERE name = $1";
            const INSERT: &str = "INSERT INTO counters (name, value) VALUES ($1, $2)";
            self.conn.execute(DELETE, &[name.into()])?;
            if let Some(value) = value {
                self.conn.execute(INSERT, &[name.into(), value.into()])?;
            }
        }
        self.conn.batch("COMMIT")
    }

    /// The rows and the record of the move are there together, or neither is.
    fn commit_group(&mut self, group: &GroupName) -> Result<(), StoreError> {
        group_move::set(&mut self.conn, group, MovePhase::Imported)?;
        // Nodes that a conductor of Ironic worked on are looked for only where some were imported.
        if mark(&mut self.conn, IMPORTED_AT)?.is_none() {
            const INSERT: &str = "INSERT INTO counters (name, value) VALUES ($1, $2)";
            let params = [IMPORTED_AT.into(), Timestamp::now().0.into()];
            self.conn.execute(INSERT, &params)?;
        }
        self.conn.batch("COMMIT")
    }

    fn refuse_changed(&mut self) -> Result<(), LoadFault> {
        let count = |conn: &mut Conn, rest: &str| -> Result<i64, StoreError> {
            Ok(conn
                .number(&format!("SELECT COUNT(*) FROM {rest}"), &[])?
                .unwrap_or(0))
        };
        let Some(at) = mark(&mut self.conn, IMPORTED_AT)? else {
            for table in TABLES {
                let rows = count(&mut self.conn, table)?;
                if rows > 0 {
                    return Err(LoadFault::NotEmpty { table, rows });
                }
            }
            return Ok(());
        };
        let mut changed = Vec::new();
        for table in VERSIONED {
            let rows = count(&mut self.conn, &format!("{table} WHERE version > 0"))?;
            if rows > 0 {
                changed.push(format!("{rows} rows in {table}"));
            }
        }
        let chassis = format!("chassis WHERE created_at > {at} OR updated_at > {at}");
        if count(&mut self.conn, &chassis)? > 0 {
            changed.push("chassis".to_owned());
        }
        if newest_event(&mut self.conn)? != mark(&mut self.conn, IMPORTED_EVENTS)?.unwrap_or(0) {
            changed.push("there are new events".to_owned());
        }
        match changed.is_empty() {
            true => Ok(()),
            false => Err(LoadFault::Changed {
                what: changed.join(", "),
            }),
        }
    }

    fn insert(&mut self, rows: &Encoded<'_>) -> Result<Vec<Rejection>, StoreError> {
        let mut rejections = Vec::new();
        let mut fitting = Vec::with_capacity(rows.values.len());
        let widths = self
            .widths
            .entry(rows.table)
            .or_insert_with(|| Widths::of(rows.table));
        for (at, values) in rows.values.iter().enumerate() {
            match widths.check(rows.columns, values) {
                Ok(()) => fitting.push(at),
                Err(error) => rejections.push(rejection(rows.table, at, &error)),
            }
        }
        let mut rest = &fitting[..];
        while !rest.is_empty() {
            let most = rest.len().min(rows.fitting_in(rest, BATCH_BYTES));
            let count = BATCHES.iter().copied().find(|&count| count <= most);
            let (now, later) = rest.split_at(count.unwrap_or(1));
            self.insert_together(rows, now, &mut rejections)?;
            rest = later;
        }
        Ok(rejections)
    }

    /// Inserts rows by one statement; if the database refuses one of them, each by its own.
    fn insert_together(
        &mut self,
        rows: &Encoded<'_>,
        which: &[usize],
        rejections: &mut Vec<Rejection>,
    ) -> Result<(), StoreError> {
        let sql = self
            .statements
            .entry((rows.table, which.len()))
            .or_insert_with(|| rows.statement(which.len()));
        let params: Vec<P<'_>> = which
            .iter()
            .flat_map(|&at| rows.values[at].iter().cloned())
            .collect();
        self.conn.batch("SAVEPOINT rows_together")?;
        match self.conn.execute(sql, &params) {
            Ok(_) => self.conn.batch("RELEASE SAVEPOINT rows_together"),
            // Of a missing right or a broken server, no row is to blame.
            Err(error) if !error.is_about_values() => Err(error),
            Err(error) => {
                self.conn.batch("ROLLBACK TO SAVEPOINT rows_together")?;
                self.conn.batch("RELEASE SAVEPOINT rows_together")?;
                if let [only] = which {
                    rejections.push(rejection(rows.table, *only, &error));
                    return Ok(());
                }
                for at in which {
                    self.insert_together(rows, &[*at], rejections)?;
                }
                Ok(())
            }
        }
    }
}

fn begin(conn: &mut Conn) -> Result<(), StoreError> {
    for statement in match conn.engine() {
        Engine::Sqlite => &["BEGIN IMMEDIATE"][..],
        Engine::Postgres => &["SET idle_in_transaction_session_timeout = 0", "BEGIN"][..],
        Engine::MariaDb => &["SET SESSION idle_transaction_timeout = 0", "BEGIN"][..],
    } {
        conn.batch(statement)?;
    }
    Ok(())
}

/// What is true of rows whose column names no row of another table.
fn lacks(table: &str, column: &str, other: &str) -> String {
    format!("NOT EXISTS (SELECT 1 FROM {other} o WHERE o.uuid = {table}.{column})")
}

pub(crate) fn mark(conn: &mut Conn, name: &str) -> Result<Option<i64>, StoreError> {
    const SQL: &str = "SELECT value FROM counters WHERE name = $1";
    conn.number(SQL, &[name.into()])
}

/// How many events there were ever; those without a number yet count too.
fn newest_event(conn: &mut Conn) -> Result<i64, StoreError> {
    let waiting = "SELECT COUNT(*) FROM events WHERE sequence IS NULL";
    let waiting = conn.number(waiting, &[])?.unwrap_or(0);
    Ok(mark(conn, "events")?.unwrap_or(0) + waiting)
}

/// Numbers of which one is another after each change of a resource: the length of the log, and how
/// often rows were written.
pub(crate) fn state(conn: &mut Conn) -> Result<Vec<i64>, StoreError> {
    let whole = match conn.engine() {
        Engine::MariaDb => "SIGNED",
        Engine::Sqlite | Engine::Postgres => "BIGINT",
    };
    let mut state = vec![newest_event(conn)?];
    for table in VERSIONED {
        let sql = format!("SELECT CAST(COALESCE(SUM(version + 1), 0) AS {whole}) FROM {table}");
        state.push(conn.number(&sql, &[])?.unwrap_or(0));
    }
    Ok(state)
}

/// The conductors of a group that were heard of lately.
pub(crate) fn alive_in(conn: &mut Conn, group: &str) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT hostname FROM conductors WHERE online = TRUE AND updated_at > $1 \
        AND conductor_group = $2 ORDER BY id";
    let since = Timestamp::now().plus_seconds(-ALIVE);
    conn.query(SQL, &[since.into(), group.into()], |row| {
        row.with_text(0, |text| text.unwrap_or_default().to_owned())
    })
}

/// A conductor that was heard of lately.
pub(crate) fn alive(conn: &mut Conn) -> Result<Option<String>, StoreError> {
    const SQL: &str =
        "SELECT hostname FROM conductors WHERE online = TRUE AND updated_at > $1 ORDER BY id";
    let since = Timestamp::now().plus_seconds(-ALIVE);
    conn.query_opt(SQL, &[since.into()], |row| {
        row.with_text(0, |text| text.unwrap_or_default().to_owned())
    })
}

fn rejection(table: &str, at: usize, error: &StoreError) -> Rejection {
    let index = error.violated_index();
    let is_known = index.as_deref() == Some(&*format!("{table}_uuid"));
    let reason = match index {
        Some(index) => format!("another row has the same value ({index})"),
        None => types::error::chain(error),
    };
    Rejection {
        at,
        reason,
        is_known,
    }
}

/// Tells those that follow the log that there is a node which they have not read.
fn came(node: &Node, group: &GroupName) -> NewEvent {
    NewEvent {
        node: node.id,
        node_name: node.name.clone(),
        kind: EventKind::Created,
        text: format!("came from Ironic with {group}"),
        data: serde_json::json!({"conductor_group": group.as_str()}),
        user: None,
        project: None,
        request_id: None,
    }
}
