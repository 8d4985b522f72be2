//! The import itself: tables one after the other, in pages, from a snapshot into a load.

use crate::{
    Alive, alive,
    finding::{Finding, RowProblem},
    layout, map,
    report::{Outcome, TableCount},
    revision::{self, Revision, UnknownRevision},
    row::{Places, SourceRow},
    survey::{Offer, Survey},
};
use std::{collections::HashMap, time::Duration};
use store::{
    Location, StoreError,
    ironic::{Cell, GroupRows, Limit, ReadCost, Scan, SchemaFault, Snapshot},
    load::{Load, Mended, Rows},
};
use types::Timestamp;

/// Why an import ended. The target has nothing of it then.
#[derive(Debug, thiserror::Error)]
pub enum ImportFault {
    #[error("cannot read the source")]
    Source(#[source] StoreError),
    #[error(transparent)]
    Schema(SchemaFault),
    #[error(transparent)]
    Revision(#[from] UnknownRevision),
    #[error(
        "the schema is incomplete: at revision {revision} (Ironic {release}) {missing} must exist. An \
         upgrade stopped half way, or this user may not read it"
    )]
    Incomplete {
        revision: &'static str,
        release: &'static str,
        missing: String,
    },
    #[error("cannot write to the target")]
    Target(#[source] StoreError),
    #[error(
        "{row} of '{table}' cannot be taken over ({reason}), and without it the group would be served by \
         nobody; change or delete it in Ironic first"
    )]
    Group {
        table: &'static str,
        row: String,
        reason: String,
    },
}

/// A source that was found to be readable.
pub struct Import {
    snapshot: Snapshot,
    revision: Revision,
    now: Timestamp,
}

impl std::fmt::Debug for Import {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Import")
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}

/// A page of rows that are small.
const SMALL: Limit = Limit {
    rows: 1000,
    bytes: 8 << 20,
};
/// A page of rows that may have megabytes each: a page ends with the row that is too much.
const LARGE: Limit = Limit {
    rows: 200,
    bytes: 8 << 20,
};
/// The BIOS settings of so many nodes are read at once.
const BIOS_NODES: usize = 20;

impl Import {
    /// Opens a source and looks at its schema. Must not be called on a runtime thread, and neither
    /// must the other methods.
    pub fn open(source: &Location) -> Result<Self, ImportFault> {
        let mut snapshot = Snapshot::open(source).map_err(ImportFault::Source)?;
        let id = snapshot.revision().map_err(|fault| match fault {
            SchemaFault::Store(error) => ImportFault::Source(error),
            other => ImportFault::Schema(other),
        })?;
        let revision = revision::find(&id)?;
        if let Some(missing) = missing(&snapshot, revision.place) {
            return Err(ImportFault::Incomplete {
                revision: revision.id,
                release: revision.release,
                missing,
            });
        }
        Ok(Self {
            snapshot,
            revision,
            now: Timestamp::now(),
        })
    }

    /// From now on only a conductor group is looked at and imported: its nodes, what belongs to them, and
    /// what they refer to.
    pub fn restrict(&mut self, group: GroupRows) {
        self.snapshot.restrict(group);
    }

    /// Which Ironic the schema is of.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The conductors of Ironic that were not silent for longer than `timeout`.
    pub fn alive(&mut self, timeout: Duration) -> Result<Vec<Alive>, ImportFault> {
        alive::take(&mut self.snapshot, self.now, timeout).map_err(ImportFault::Source)
    }

    /// A first look at conductors and nodes. A conductor that was silent for longer than `timeout` is
    /// none.
    pub fn survey(&mut self, offer: &Offer, timeout: Duration) -> Result<Survey, ImportFault> {
        let alive = self.alive(timeout)?;
        Survey::take(&mut self.snapshot, offer, alive).map_err(ImportFault::Source)
    }

    /// How many tags nodes have: no API ever showed them, and they are not imported.
    pub fn tags(&mut self) -> Result<i64, ImportFault> {
        self.snapshot
            .count("node_tags")
            .map_err(ImportFault::Source)
    }

    /// What is different after most changes of what would be imported, and read at little cost.
    pub fn fingerprint(&mut self) -> Result<Fingerprint, ImportFault> {
        let mut tables = Vec::new();
        for scan in layout::ALL {
            let table = self.snapshot.fingerprint(scan);
            tables.push((scan.table, table.map_err(ImportFault::Source)?));
        }
        Ok(Fingerprint(tables))
    }

    /// What reading has cost Ironic's database so far.
    pub fn asked(&self) -> ReadCost {
        self.snapshot.asked()
    }

    /// Reads everything, and hands it to a load.
    pub fn run(self, load: Load) -> Result<Outcome, ImportFault> {
        let has_runbook_traits = self.snapshot.has_table(layout::TRAITS_OF_RUNBOOKS.table);
        let mut run = Run {
            is_group: self.snapshot.is_restricted(),
            snapshot: self.snapshot,
            now: self.now,
            load,
            outcome: Outcome::default(),
        };
        run.simple(&layout::CHASSIS, SMALL, map::chassis, Rows::Chassis)?;
        run.nodes()?;
        run.simple(&layout::PORTGROUPS, SMALL, map::portgroup, Rows::Portgroups)?;
        run.simple(&layout::PORTS, SMALL, map::port, Rows::Ports)?;
        run.simple(&layout::CONNECTORS, SMALL, map::connector, Rows::Connectors)?;
        run.simple(&layout::TARGETS, SMALL, map::target, Rows::Targets)?;
        run.bios()?;
        run.simple(
            &layout::FIRMWARE_INFORMATION,
            SMALL,
            map::firmware,
            Rows::Firmware,
        )?;
        run.simple(
            &layout::INVENTORIES,
            LARGE,
            map::inventory,
            Rows::Inventories,
        )?;
        run.simple(&layout::HISTORY, SMALL, map::history, Rows::History)?;
        run.simple(
            &layout::ALLOCATIONS,
            SMALL,
            map::allocation,
            Rows::Allocations,
        )?;
        run.templates()?;
        run.runbooks(has_runbook_traits)?;
        run.simple(&layout::RULES, SMALL, map::rule, Rows::InspectionRules)?;
        run.finish()
    }
}

/// Two that are equal are most likely of equal databases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(Vec<(&'static str, Vec<Option<String>>)>);

/// The first table or column that a schema of this revision must have and has not.
fn missing(snapshot: &Snapshot, place: usize) -> Option<String> {
    let scans = layout::ALL.iter().copied().chain([&layout::CONDUCTORS]);
    for scan in scans.filter(|scan| scan.since <= place) {
        if !snapshot.has_table(scan.table) {
            return Some(format!("the table '{}'", scan.table));
        }
        let fields = scan.fields.iter().filter(|field| field.since <= place);
        let joined = scan.joins.iter().map(|join| join.on);
        let keys = std::iter::once(scan.key);
        let columns = fields.map(|field| field.name).chain(keys).chain(joined);
        // Of a join, the column is among those of a later revision where the field is.
        let is_later = |column: &str| {
            let found = scan.fields.iter().find(|field| field.name == column);
            found.is_some_and(|field| field.since > place)
        };
        for column in columns.filter(|column| !is_later(column)) {
            if !snapshot.has(scan.table, column) {
                return Some(format!("the column '{}.{column}'", scan.table));
            }
        }
    }
    None
}

/// Tables whose rows belong to no node. Those of the first group that came are there already.
const SHARED: &[&str] = &[
    "chassis",
    "deploy_templates",
    "runbooks",
    "inspection_rules",
];

struct Run {
    snapshot: Snapshot,
    /// Whether rows of one conductor group join others.
    is_group: bool,
    now: Timestamp,
    load: Load,
    outcome: Outcome,
}

/// Parts of rows, by the key of the row that they belong to.
type PartsOf<T> = HashMap<i64, Vec<T>>;

impl Run {
    /// A table whose rows stand for themselves.
    fn simple<T>(
        &mut self,
        scan: &Scan,
        limit: Limit,
        map: fn(&mut SourceRow<'_>, Timestamp) -> Option<T>,
        rows: fn(Vec<T>) -> Rows,
    ) -> Result<(), ImportFault> {
        self.pages(
            scan,
            limit,
            |_, _, _| Ok(()),
            |row, (), now| map(row, now),
            rows,
        )
    }

    /// Reports parts that no page has: those of no row of `owner`, or without one those whose key is no
    /// number.
    fn astray(
        &mut self,
        scan: &Scan,
        owner: Option<&str>,
        what: &'static str,
    ) -> Result<u64, ImportFault> {
        if self.is_group {
            return Ok(0);
        }
        let astray = self.snapshot.astray(scan, owner);
        let astray = astray.map_err(ImportFault::Source)?;
        let named = astray.first.len() as u64;
        for (key, then) in astray.first {
            let row = match scan.then {
                Some("id") => format!("id {then}"),
                _ => format!("{} {} {then}", scan.key, key.as_deref().unwrap_or("NULL")),
            };
            self.outcome.findings.add(Finding {
                table: scan.table,
                row,
                column: None,
                trouble: RowProblem::NoOwner(what),
            });
        }
        let unnamed = astray.count.saturating_sub(named);
        self.outcome.findings.add_left_out(scan.table, unnamed);
        Ok(astray.count)
    }

    /// A table, page by page. `parts` reads what belongs to the rows of a page from other tables.
    fn pages<T, P>(
        &mut self,
        scan: &Scan,
        limit: Limit,
        parts: impl Fn(&mut Self, i64, i64) -> Result<P, ImportFault>,
        map: impl Fn(&mut SourceRow<'_>, &mut P, Timestamp) -> Option<T>,
        rows: fn(Vec<T>) -> Rows,
    ) -> Result<(), ImportFault> {
        let places = Places::of(scan);
        let mut count = count_of(scan);
        let mut after = i64::MIN;
        loop {
            let page = self.snapshot.page(scan, after, limit);
            let page = page.map_err(ImportFault::Source)?;
            let Some(last) = page.last().and_then(|row| key(row)) else {
                break;
            };
            let mut parts = parts(self, after, last)?;
            after = last;
            self.take(
                &places,
                page,
                &mut count,
                |row, now| map(row, &mut parts, now),
                rows,
            )?;
        }
        self.outcome.tables.push(count);
        Ok(())
    }

    /// Maps rows and hands them on.
    fn take<T>(
        &mut self,
        places: &Places,
        page: Vec<Vec<Cell>>,
        count: &mut TableCount,
        mut map: impl FnMut(&mut SourceRow<'_>, Timestamp) -> Option<T>,
        rows: fn(Vec<T>) -> Rows,
    ) -> Result<(), ImportFault> {
        let (mut taken, mut labels) = (Vec::new(), Vec::new());
        for cells in page {
            count.read += 1;
            let mut row = SourceRow::new(places, cells, &mut self.outcome.findings);
            match map(&mut row, self.now) {
                Some(value) => {
                    labels.push(row.label);
                    taken.push(value);
                }
                None if self.is_group && count.table == layout::NODES.table => {
                    return Err(ImportFault::Group {
                        table: count.table,
                        row: row.label,
                        reason: "its UUID is none".to_owned(),
                    });
                }
                None => {}
            }
        }
        count.taken += taken.len() as u64;
        let rejections = self.load.put(rows(taken));
        let rejections = rejections.map_err(ImportFault::Target)?;
        for rejection in rejections {
            count.taken -= 1;
            let is_shared = SHARED.contains(&count.table);
            if self.is_group && is_shared && rejection.is_known {
                continue;
            }
            if self.is_group && !is_shared {
                return Err(ImportFault::Group {
                    table: count.table,
                    row: labels.get(rejection.at).cloned().unwrap_or_default(),
                    reason: rejection.reason,
                });
            }
            self.outcome.findings.add(Finding {
                table: count.table,
                row: labels.get(rejection.at).cloned().unwrap_or_default(),
                column: None,
                trouble: RowProblem::Refused(rejection.reason),
            });
        }
        Ok(())
    }

    /// The parts of rows with these keys.
    fn parts<T>(
        &mut self,
        scan: &Scan,
        after: i64,
        until: i64,
        map: impl Fn(&mut SourceRow<'_>) -> T,
    ) -> Result<PartsOf<T>, ImportFault> {
        let places = Places::of(scan);
        let found = self.snapshot.between(scan, after, until);
        let mut parts = PartsOf::new();
        for cells in found.map_err(ImportFault::Source)? {
            let mut row = SourceRow::new(&places, cells, &mut self.outcome.findings);
            let key = row.key();
            parts.entry(key).or_default().push(map(&mut row));
        }
        Ok(parts)
    }

    fn nodes(&mut self) -> Result<(), ImportFault> {
        let is_group = self.is_group;
        self.pages(
            &layout::NODES,
            LARGE,
            |run, after, until| {
                run.parts(&layout::NODE_TRAITS, after, until, |row| {
                    row.short_text("trait", 255)
                })
            },
            |row, traits, now| {
                let traits = traits.remove(&row.key()).unwrap_or_default();
                let mut node = map::node(row, traits.into_iter().flatten().collect(), now)?;
                if is_group {
                    // Conductors are at work here already: none puts imported rows right later.
                    map::settle(&mut node, now);
                }
                Some(node)
            },
            Rows::Nodes,
        )?;
        let nodes = Some(layout::NODES.table);
        self.astray(&layout::NODE_TRAITS, nodes, "node")?;
        Ok(())
    }

    fn templates(&mut self) -> Result<(), ImportFault> {
        self.pages(
            &layout::TEMPLATES,
            SMALL,
            |run, after, until| {
                let step = |row: &mut SourceRow<'_>| map::step(row, "priority");
                run.parts(&layout::TEMPLATE_STEPS, after, until, step)
            },
            |row, steps, now| {
                let steps = steps.remove(&row.key()).unwrap_or_default();
                map::template(row, steps, now)
            },
            Rows::DeployTemplates,
        )?;
        let templates = Some(layout::TEMPLATES.table);
        self.astray(&layout::TEMPLATE_STEPS, templates, "deploy template")?;
        Ok(())
    }

    fn runbooks(&mut self, has_traits: bool) -> Result<(), ImportFault> {
        self.pages(
            &layout::RUNBOOK,
            SMALL,
            |run, after, until| {
                let step = |row: &mut SourceRow<'_>| map::step(row, "order");
                let steps = run.parts(&layout::RUNBOOK_STEPS, after, until, step)?;
                let name = |row: &mut SourceRow<'_>| row.short_text("trait", 255);
                let traits = run.parts(&layout::TRAITS_OF_RUNBOOKS, after, until, name)?;
                Ok((steps, traits))
            },
            |row, (steps, traits), now| {
                let steps = steps.remove(&row.key()).unwrap_or_default();
                let traits = traits.remove(&row.key()).unwrap_or_default();
                let traits = has_traits.then(|| traits.into_iter().flatten().collect());
                map::runbook(row, steps, traits, now)
            },
            Rows::Runbooks,
        )?;
        let runbooks = Some(layout::RUNBOOK.table);
        self.astray(&layout::RUNBOOK_STEPS, runbooks, "runbook")?;
        self.astray(&layout::TRAITS_OF_RUNBOOKS, runbooks, "runbook")?;
        Ok(())
    }

    /// BIOS settings have no number of their own: they come by the numbers of their nodes.
    fn bios(&mut self) -> Result<(), ImportFault> {
        let scan = &layout::BIOS;
        let places = Places::of(scan);
        let mut count = count_of(scan);
        let mut after = i64::MIN;
        loop {
            let last = self.snapshot.last_key(scan, after, BIOS_NODES);
            let Some(last) = last.map_err(ImportFault::Source)? else {
                break;
            };
            let found = self.snapshot.between(scan, after, last);
            after = last;
            let found = found.map_err(ImportFault::Source)?;
            self.take(&places, found, &mut count, map::bios, Rows::Bios)?;
        }
        count.read += self.astray(scan, None, "node")?;
        self.outcome.tables.push(count);
        Ok(())
    }

    fn finish(mut self) -> Result<Outcome, ImportFault> {
        for mended in self.load.mend().map_err(ImportFault::Target)? {
            self.report(mended);
        }
        self.load.commit().map_err(ImportFault::Target)?;
        self.outcome.asked = self.snapshot.asked();
        Ok(self.outcome)
    }

    /// What became of rows because others were left out.
    fn report(&mut self, mended: Mended) {
        let (table, column, trouble) = in_the_source(&mended);
        let unnamed = mended.count.saturating_sub(mended.rows.len() as u64);
        let outcome = &mut self.outcome;
        if column.is_some() {
            outcome.findings.add_changed(table, unnamed);
        } else {
            outcome.findings.add_left_out(table, unnamed);
            let counts = outcome.tables.iter_mut();
            for count in counts.filter(|count| count.table == table) {
                count.taken = count.taken.saturating_sub(mended.count);
            }
        }
        for row in mended.rows {
            outcome.findings.add(Finding {
                table,
                row,
                column,
                trouble: trouble.clone(),
            });
        }
    }
}

/// Table and column as Ironic calls them, and what is the matter.
fn in_the_source(mended: &Mended) -> (&'static str, Option<&'static str>, RowProblem) {
    let table = match mended.table {
        "firmware_components" => layout::FIRMWARE_INFORMATION.table,
        "node_inventories" => layout::INVENTORIES.table,
        same => same,
    };
    let Some(column) = mended.column else {
        return (table, None, RowProblem::NodeLeftOut);
    };
    let (column, other) = match column {
        "chassis_uuid" => ("chassis_id", "a chassis"),
        "allocation_uuid" => ("allocation_id", "an allocation"),
        "portgroup_uuid" => ("portgroup_id", "a port group"),
        "node_uuid" => ("node_id", "a node"),
        other => (other, "a row"),
    };
    (table, Some(column), RowProblem::LinkLeftOut(other))
}

fn count_of(scan: &Scan) -> TableCount {
    TableCount {
        table: scan.table,
        read: 0,
        taken: 0,
    }
}

fn key(row: &[Cell]) -> Option<i64> {
    match row.first() {
        Some(Cell::Int(key)) => Some(*key),
        _ => None,
    }
}
