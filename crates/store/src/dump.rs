//! All rows of our own, page by page in one snapshot, with their secrets opened: for those who write
//! them somewhere else.

use crate::{
    Engine, KeyRing, Location, StoreError, bios, chassis,
    column::Record,
    config_drive::{self, DriveRef},
    conn::{Conn, Reader, Row},
    firmware, history, inspection_rule,
    load::{Inventoried, OfNode, alive, state},
    node,
    pace::Pace,
    patient,
};
use std::ops::ControlFlow;
use types::{
    Allocation, BiosSetting, Chassis, DeployTemplate, FirmwareComponent, InspectionRule, Inventory,
    Node, NodeId, Port, Portgroup, Runbook, VolumeConnector, VolumeTarget, event::HistoryEntry,
};

/// A snapshot of our database. All calls block; must not be used on a runtime thread.
pub struct Dump {
    conn: Conn,
    keys: KeyRing,
    pace: Pace<String>,
}

/// Numbers of which one is another after each change of a resource.
#[derive(Debug, PartialEq, Eq)]
pub struct DumpState(Vec<i64>);

impl std::fmt::Debug for Dump {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dump")
            .field("engine", &self.conn.engine())
            .finish_non_exhaustive()
    }
}

/// Rows of a page.
const PAGE: usize = 200;
/// A page ends with the row that makes it larger than this, and so do config drives that are read
/// for one.
const PAGE_BYTES: usize = 8 << 20;

/// Rows with their numbers; the page that follows begins behind the last of them.
pub type Numbered<T> = Vec<(i64, T)>;

impl Dump {
    pub fn open(location: &Location, keys: KeyRing) -> Result<Self, StoreError> {
        let mut conn = patient(location)?;
        for statement in match conn.engine() {
            Engine::Sqlite => &["BEGIN"][..],
            Engine::Postgres => &[
                "SET idle_in_transaction_session_timeout = 0",
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            ][..],
            Engine::MariaDb => &[
                "SET SESSION idle_transaction_timeout = 0",
                "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
                "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
            ][..],
        } {
            conn.batch(statement)?;
        }
        Ok(Self {
            conn,
            keys,
            pace: Pace::default(),
        })
    }

    /// A conductor that serves the database.
    pub fn served_by(&mut self) -> Result<Option<String>, StoreError> {
        alive(&mut self.conn)
    }

    /// What the snapshot is a picture of.
    pub fn state(&mut self) -> Result<DumpState, StoreError> {
        state(&mut self.conn).map(DumpState)
    }

    /// What the database is now. Ends the snapshot.
    pub fn state_now(&mut self) -> Result<DumpState, StoreError> {
        self.conn.batch("COMMIT")?;
        self.state()
    }

    pub fn chassis(&mut self, after: i64) -> Result<Numbered<Chassis>, StoreError> {
        let rows = self.page("chassis", chassis::COLUMNS, after, chassis::decode)?;
        Ok(rows.into_iter().map(|row| (row.row, row)).collect())
    }

    /// Nodes, with their secrets and their whole config drives.
    pub fn nodes(&mut self, after: i64) -> Result<Numbered<Node>, StoreError> {
        let rows = self.page("nodes", node::all_columns(), after, node::decode)?;
        let mut nodes = Vec::with_capacity(rows.len());
        let mut bytes = 0;
        for mut node in rows {
            let uuid = node.id.to_string();
            node.driver_info = self.keys.open_map(&node.driver_info, &uuid)?;
            node.instance_info = self.keys.open_map(&node.instance_info, &uuid)?;
            let internal = node.driver_internal_info.raw_json();
            let internal = self.keys.open_map(internal, &uuid)?;
            node.driver_internal_info = internal.into();
            let drive = node
                .instance_info
                .get(config_drive::KEY)
                .and_then(DriveRef::of);
            if let Some(drive) = drive {
                let whole = config_drive::read_within(&mut self.conn, &self.keys, node.id, &drive)?;
                bytes += whole.as_str().map_or(0, str::len);
                node.instance_info
                    .insert(config_drive::KEY.to_owned(), whole);
            }
            nodes.push((node.row, node));
            if bytes > PAGE_BYTES {
                break;
            }
        }
        Ok(nodes)
    }

    pub fn portgroups(&mut self, after: i64) -> Result<Numbered<Portgroup>, StoreError> {
        self.records(after, |row: &Portgroup| row.row)
    }

    pub fn ports(&mut self, after: i64) -> Result<Numbered<Port>, StoreError> {
        self.records(after, |row: &Port| row.row)
    }

    pub fn connectors(&mut self, after: i64) -> Result<Numbered<VolumeConnector>, StoreError> {
        self.records(after, |row: &VolumeConnector| row.row)
    }

    pub fn targets(&mut self, after: i64) -> Result<Numbered<VolumeTarget>, StoreError> {
        let mut rows = self.records(after, |row: &VolumeTarget| row.row)?;
        for (_, target) in &mut rows {
            target.properties = self
                .keys
                .open_map(&target.properties, &target.id.to_string())?;
        }
        Ok(rows)
    }

    pub fn allocations(&mut self, after: i64) -> Result<Numbered<Allocation>, StoreError> {
        self.records(after, |row: &Allocation| row.row)
    }

    pub fn deploy_templates(&mut self, after: i64) -> Result<Numbered<DeployTemplate>, StoreError> {
        let mut rows = self.records(after, |row: &DeployTemplate| row.row)?;
        for (_, template) in &mut rows {
            let uuid = template.id.to_string();
            for step in &mut template.steps {
                step.args = self.keys.open_map(&step.args, &uuid)?;
            }
        }
        Ok(rows)
    }

    pub fn runbooks(&mut self, after: i64) -> Result<Numbered<Runbook>, StoreError> {
        let mut rows = self.records(after, |row: &Runbook| row.row)?;
        for (_, runbook) in &mut rows {
            let uuid = runbook.id.to_string();
            for step in &mut runbook.steps {
                step.args = self.keys.open_map(&step.args, &uuid)?;
            }
        }
        Ok(rows)
    }

    pub fn inspection_rules(&mut self, after: i64) -> Result<Numbered<InspectionRule>, StoreError> {
        let rows = self.records(after, |row: &InspectionRule| row.row)?;
        let open = |(number, rule)| Ok((number, inspection_rule::opened_by(&self.keys, rule)?));
        rows.into_iter().map(open).collect()
    }

    pub fn history(&mut self, after: i64) -> Result<Numbered<HistoryEntry>, StoreError> {
        let rows = self.page("node_history", history::COLUMNS, after, history::decode)?;
        Ok(rows.into_iter().map(|row| (row.row, row)).collect())
    }

    pub fn bios(&mut self, after: i64) -> Result<Numbered<OfNode<BiosSetting>>, StoreError> {
        self.of_nodes("bios_settings", bios::COLUMNS, after, bios::decode)
    }

    pub fn firmware(
        &mut self,
        after: i64,
    ) -> Result<Numbered<OfNode<FirmwareComponent>>, StoreError> {
        self.of_nodes(
            "firmware_components",
            firmware::COLUMNS,
            after,
            firmware::decode,
        )
    }

    pub fn inventories(&mut self, after: i64) -> Result<Numbered<OfNode<Inventoried>>, StoreError> {
        const COLUMNS: &[&str] = &["inventory", "plugin_data", "created_at", "updated_at"];
        self.of_nodes("node_inventories", COLUMNS, after, |row| {
            let r = &mut Reader::new(row, "node_inventories", COLUMNS);
            let found = Inventory {
                inventory: r.map()?,
                plugin_data: r.map()?,
            };
            Ok(Inventoried {
                found,
                created_at: r.time()?,
                updated_at: r.opt_time()?,
            })
        })
    }

    fn records<T: Record>(
        &mut self,
        after: i64,
        number: fn(&T) -> i64,
    ) -> Result<Numbered<T>, StoreError> {
        let rows = self.page(T::TABLE, T::COLUMNS, after, T::decode)?;
        Ok(rows.into_iter().map(|row| (number(&row), row)).collect())
    }

    fn page<T>(
        &mut self,
        table: &str,
        columns: &[&str],
        after: i64,
        mut decode: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let columns = columns.join(", ");
        let table = table.to_owned();
        let asked = self.pace.rows(&table, PAGE);
        let sql = format!("SELECT {columns} FROM {table} WHERE id > $1 ORDER BY id LIMIT {asked}");
        let (mut rows, mut bytes) = (Vec::new(), 0);
        self.conn.visit(&sql, &[after.into()], false, |row| {
            bytes += row.size()?;
            rows.push(decode(row)?);
            Ok(if bytes > PAGE_BYTES {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        let is_full = bytes > PAGE_BYTES;
        self.pace.note(table, asked, rows.len(), is_full);
        Ok(rows)
    }

    /// Rows that say whose they are behind their own columns.
    fn of_nodes<T>(
        &mut self,
        table: &'static str,
        columns: &'static [&'static str],
        after: i64,
        decode: fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Numbered<OfNode<T>>, StoreError> {
        let all: Vec<&str> = columns.iter().copied().chain(["node_uuid", "id"]).collect();
        self.page(table, &all, after, |row| {
            let at = columns.len();
            let node = row.with_text(at, |text| text.unwrap_or_default().parse::<NodeId>())?;
            let node = node.map_err(|error| StoreError::Corrupt {
                table,
                column: "node_uuid".into(),
                reason: error.to_string(),
            })?;
            let number = row.opt_int(at + 1)?.unwrap_or(0);
            let row = decode(row)?;
            Ok((number, OfNode { node, row }))
        })
    }
}
